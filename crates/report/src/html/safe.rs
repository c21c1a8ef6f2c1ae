//! Untrusted text in a page: escaped where it is text, sanitised after rendering where it is markdown.

use crate::markup::too_deep;
use crate::text::{clean, harmless};
use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Text for an element or a quoted attribute.
pub fn esc(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Only what the renderer below can write, and no attribute but a link's address and a list's first number.
static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags = [
        "p",
        "h3",
        "h4",
        "h5",
        "h6",
        "em",
        "strong",
        "del",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "hr",
        "br",
        "a",
    ];
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(tags))
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(HashMap::from([("a", HashSet::from(["href"])), ("ol", HashSet::from(["start"]))]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        // A link without a host would lead into whatever site shows this.
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

/// Markdown from a model. Raw HTML is shown as what was written, images become links: a page of ours fetches nothing.
pub fn prose(markdown: &str) -> String {
    let text = clean(markdown);
    if too_deep(&text) {
        return format!("<pre>{}</pre>", esc(&text));
    }
    let events = Parser::new_ext(&text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Text(text) => Event::Text(plain(text)),
        Event::Code(text) => Event::Code(plain(text)),
        Event::Start(Tag::Heading { level, .. }) => {
            Event::Start(Tag::Heading { level: lower(level), id: None, classes: Vec::new(), attrs: Vec::new() })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => Event::Start(Tag::Link { link_type, dest_url, title, id }),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    SANITISER.clean(&html).to_string()
}

/// The parser decodes entities, so what was cleaned before may be unclean again.
fn plain(text: CowStr) -> CowStr {
    if text.chars().all(|c| c == '\n' || harmless(c)) { text } else { text.chars().filter(|c| *c == '\n' || harmless(*c)).collect::<String>().into() }
}

/// The page's own headings are the first two levels.
fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_runs_fetches_or_leads_astray_is_left() {
        let html = prose(
            "see <script>alert(1)</script> <img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](/v1/keys) ![c](https://t.example/p.png) [d](https://e.example)",
        );
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("href=\"javascript") && !html.contains("href=\"/v1"), "{html}");
        assert!(html.contains("&lt;script&gt;"), "what was written is shown: {html}");
        assert!(html.contains("<a href=\"https://e.example\" rel=\"noopener noreferrer nofollow\">d</a>"), "{html}");
    }

    #[test]
    fn entities_cannot_bring_back_what_was_taken_out() {
        assert_eq!(prose("a&#27;[31m&#x202e;b"), "<p>a[31mb</p>\n");
    }

    #[test]
    fn an_attribute_cannot_be_left() {
        assert_eq!(esc("\" onload='x'<"), "&quot; onload=&#39;x&#39;&lt;");
    }

    #[test]
    fn headings_of_an_answer_stay_below_the_pages_own() {
        assert_eq!(prose("# One\n\n###### Six"), "<h3>One</h3>\n<h6>Six</h6>\n");
    }
}
