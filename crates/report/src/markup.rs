//! What every medium asks of a model's markdown: which links may stay links, and what it says without its marks.

use pulldown_cmark::{Event, Options, Parser, TagEnd};

/// Web and mail addresses, and whatever has no scheme of its own. Browsers ignore blanks and control characters in a scheme, so we do too.
pub fn safe_link(url: &str) -> bool {
    let solid: String = url.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let before_path = solid.split(['/', '?', '#']).next().unwrap_or_default();
    match before_path.split_once(':') {
        None => true,
        Some((scheme, _)) => ["http", "https", "mailto"].contains(&scheme.to_ascii_lowercase().as_str()),
    }
}

/// Nested beyond what anybody writes for a reader: shown as it came, because the work of laying it out grows with depth and length.
pub fn too_deep(markdown: &str) -> bool {
    let mut depth = 0_u32;
    Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).any(|event| {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 64
    })
}

/// The words alone, for a glance at the beginning.
pub fn without_marks(markdown: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::Rule => out.push(' '),
            Event::End(TagEnd::Heading(_)) => out.push_str(": "),
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock | TagEnd::TableCell | TagEnd::HtmlBlock) => out.push(' '),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glance_shows_words_and_no_marks() {
        assert_eq!(without_marks("## Head\n\nSome **bold** `code`\n- one\n- two").trim_end(), "Head: Some bold code one two");
    }

    #[test]
    fn only_web_and_mail_links_stay_links() {
        for url in ["https://example.org", "HTTP://example.org", "mailto:a@example.org", "page.html", "#part", "a/b:c"] {
            assert!(safe_link(url), "{url}");
        }
        for url in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            "\u{1}javascript:x",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc",
        ] {
            assert!(!safe_link(url), "{url}");
        }
    }
}
