//! A model's markdown inside ours: quoted, so it cannot pass for our words, and without anything a viewer would run or fetch.

use crate::markup::{safe_link, too_deep};
use crate::text::{clean, one_line};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use std::collections::BTreeMap;
use std::ops::Range;

/// A block quotation of untrusted markdown.
pub fn quote(markdown: &str) -> String {
    let safe = neutral(markdown);
    safe.trim_end().lines().map(|line| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") }).collect()
}

/// Untrusted text on one line of ours, every character meaning only itself.
pub fn inline(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '!' | '~' | '>' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A code block of untrusted text, fenced so that nothing in it can close the fence.
pub fn fenced(text: &str, language: &str) -> String {
    let clean = clean(text);
    let longest = clean.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", clean.trim_end())
}

/// Escapes raw HTML, images and links with other schemes. An escape can uncover something new, so it is done until nothing is left.
fn neutral(markdown: &str) -> String {
    let mut text = clean(markdown);
    if too_deep(&text) {
        return fenced(&text, "text");
    }
    for _ in 0..64 {
        let edits = live_parts(&text);
        if edits.is_empty() {
            return text;
        }
        let mut safe = String::with_capacity(text.len() + edits.len() * 3);
        let mut done = 0;
        for (at, with) in edits {
            safe.push_str(&text[done..at]);
            safe.push_str(with);
            done = if with == "&lt;" { at + 1 } else { at };
        }
        safe.push_str(&text[done..]);
        text = safe;
    }
    fenced(markdown, "text")
}

/// Where something is live, and what to put there: `&lt;` replaces a `<`, a backslash goes before a bracket.
///
/// Viewers differ in what they read as markdown, so the text must be harmless to a plain one and to one that knows every extension.
fn live_parts(text: &str) -> BTreeMap<usize, &'static str> {
    let mut edits = BTreeMap::new();
    for options in [Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH, Options::all()] {
        find_live(text, options, &mut edits);
    }
    edits
}

fn find_live(text: &str, options: Options, edits: &mut BTreeMap<usize, &'static str>) {
    // For every byte, whether it is code or part of a link that may stay.
    let mut inert = vec![false; text.len()];
    let parser = Parser::new_ext(text, options);
    for (_, definition) in parser.reference_definitions().iter().filter(|(_, definition)| !safe_link(&definition.dest)) {
        escape_bracket(text, &definition.span, edits);
    }
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => inert[range].fill(true),
            Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, dest_url, .. }) if safe_link(&dest_url) => {
                inert[range].fill(true)
            }
            Event::Start(Tag::Link { dest_url, .. }) if !safe_link(&dest_url) => escape_bracket(text, &range, edits),
            Event::Start(Tag::Image { .. }) => {
                edits.insert(range.start, "\\");
            }
            _ => {}
        }
    }
    for (at, _) in text.match_indices('<') {
        if !inert[at] {
            edits.insert(at, "&lt;");
        }
    }
}

fn escape_bracket(text: &str, range: &Range<usize>, edits: &mut BTreeMap<usize, &'static str>) {
    if let Some(at) = text[range.clone()].find('[') {
        edits.insert(range.start + at, "\\");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a viewer would run, fetch or follow somewhere it should not.
    fn live(markdown: &str) -> Vec<String> {
        let mut found = Vec::new();
        for event in Parser::new_ext(markdown, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => found.push(html.to_string()),
                Event::Start(Tag::Link { dest_url, .. }) if !safe_link(&dest_url) => found.push(dest_url.to_string()),
                Event::Start(Tag::Image { dest_url, .. }) => found.push(dest_url.to_string()),
                _ => {}
            }
        }
        found
    }

    #[test]
    fn scripts_images_and_script_links_are_shown_as_text() {
        let hostile = "<script>alert(1)</script>\n\n[a](javascript:x) ![p](https://t/p.png) [r][1] <javascript:y> [1]\n\n[1]: javascript:z\n";
        assert!(!live(hostile).is_empty(), "the sample must be live to begin with");
        assert_eq!(live(&quote(hostile)), Vec::<String>::new());
    }

    #[test]
    fn an_escape_that_uncovers_another_tag_is_followed() {
        let hostile = "<a title=\"`\"> `<b>` and `c`";
        assert_eq!(live(&quote(hostile)), Vec::<String>::new());
    }

    #[test]
    fn a_definition_in_one_answer_cannot_arm_a_bracket_in_another() {
        let both = format!("{}\n{}", quote("[x]: javascript:alert(1)"), quote("see [x]"));
        assert_eq!(live(&both), Vec::<String>::new());
    }

    #[test]
    fn code_and_good_links_stay_as_they_were() {
        let good = "Use `Vec<u8>` from [docs](https://example.org):\n\n```rust\nlet v: Vec<u8>;\n```\n";
        assert_eq!(quote(good), "> Use `Vec<u8>` from [docs](https://example.org):\n>\n> ```rust\n> let v: Vec<u8>;\n> ```\n");
    }

    #[test]
    fn a_fence_cannot_be_closed_from_within() {
        assert_eq!(fenced("a\n```\nb", ""), "````\na\n```\nb\n````\n");
    }

    proptest! {
        #[test]
        fn whatever_the_pieces_nothing_stays_live(parts in prop::collection::vec(prop::sample::select(vec![
            "<script>", "</script>", "<b>", "`", "``", "```\n", "\n", "\n\n", "    ", "> ", "- ", "[a]", "(javascript:x)", "![i]", "(u)", "[a]: data:x\n",
            "<javascript:x>", "<https://x>", "\\", "[", "]", "(", ")", "|", "\n|-|\n", "*", "word", "<!--", "-->", "&lt;", "\"", "<a x=\"",
        ]), 0..24)) {
            let text = parts.concat();
            let quoted = quote(&text);
            prop_assert_eq!(live(&quoted), Vec::<String>::new(), "{}", quoted);
        }
    }
}
