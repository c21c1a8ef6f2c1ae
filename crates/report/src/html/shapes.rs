//! The larger shapes as HTML and SVG, one file a shape. A picture never says what the words beside it do not.

mod bracket;
mod cards;
mod checks;
mod clusters;
mod distribution;
mod document;
mod findings;
mod graph;
mod revision;
mod scorecard;
mod series;

use super::chart;
use super::safe::{esc, prose};
pub use bracket::bracket;
pub use cards::{card, shifts};
pub use checks::checks;
pub use clusters::clusters;
pub use distribution::distribution;
pub use document::document;
pub use findings::findings;
pub use graph::graph;
pub use revision::revision;
pub use scorecard::scorecard;
pub use series::series;

/// What may be wider than a telephone scrolls in a box of its own, by touch or by keys.
fn scroll(label: &str, body: &str) -> String {
    format!("<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">{body}</div>", esc(label))
}

fn soft(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("<p class=\"soft\">{}</p>", esc(text)) }
}

/// Markdown of a model, where it wrote any.
fn words_of(markdown: &str) -> String {
    if markdown.trim().is_empty() { String::new() } else { format!("<div class=\"prose\">{}</div>", prose(markdown)) }
}

fn folded(summary: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("<details><summary>{}</summary>{body}</details>", esc(summary)) }
}

/// An id before what it names.
fn label(id: &str) -> String {
    if id.trim().is_empty() { String::new() } else { format!("<span class=\"label\">{}</span> ", esc(id)) }
}

/// A word with a sign before it where it must not be missed.
fn flagged(word: &str, alarm: bool) -> String {
    match alarm {
        true => format!("<span class=\"alarm\"><span aria-hidden=\"true\">▲ </span>{}</span>", esc(word)),
        false => esc(word),
    }
}

/// A drawing of fixed proportions. It shrinks with its box, but not so far that its words cannot be read.
fn picture(title: &str, about: &str, (width, height): (usize, usize), body: &str) -> String {
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
fn number(value: Option<String>, missing: &str) -> String {
    value.unwrap_or_else(|| format!("<abbr title=\"{missing}\">–</abbr>"))
}
