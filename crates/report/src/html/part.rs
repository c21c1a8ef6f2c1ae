//! Small parts of a page that many shapes use.

use super::safe::{esc, prose};

/// What may be wider than a telephone scrolls in a box of its own, by touch or by keys.
pub fn scroll(label: &str, body: &str) -> String {
    format!("<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">{body}</div>", esc(label))
}

pub fn soft(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("<p class=\"soft\">{}</p>", esc(text)) }
}

/// Markdown of a model, where it wrote any.
pub fn words_of(markdown: &str) -> String {
    if markdown.trim().is_empty() { String::new() } else { format!("<div class=\"prose\">{}</div>", prose(markdown)) }
}

pub fn folded(summary: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("<details><summary>{}</summary>{body}</details>", esc(summary)) }
}

/// An id before what it names.
pub fn label(id: &str) -> String {
    if id.trim().is_empty() { String::new() } else { format!("<span class=\"label\">{}</span> ", esc(id)) }
}

/// A word with a sign before it where it must not be missed.
pub fn flagged(word: &str, alarm: bool) -> String {
    match alarm {
        true => format!("<span class=\"alarm\"><span aria-hidden=\"true\">▲ </span>{}</span>", esc(word)),
        false => esc(word),
    }
}

/// A drawing of fixed proportions. It shrinks with its box, but not so far that its words cannot be read.
pub fn picture(title: &str, about: &str, (width, height): (usize, usize), body: &str) -> String {
    let class = match width {
        ..=420 => "picture",
        421..=700 => "picture wide",
        _ => "picture wider",
    };
    let svg = format!(
        "<svg class=\"{class}\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"><title>{}</title><desc>{}</desc>{body}</svg>",
        esc(title),
        esc(about)
    );
    scroll(title, &svg)
}

/// A number of a table; a dash with its meaning where there is none.
pub fn number(value: Option<String>, missing: &str) -> String {
    value.unwrap_or_else(|| format!("<abbr title=\"{missing}\">–</abbr>"))
}
