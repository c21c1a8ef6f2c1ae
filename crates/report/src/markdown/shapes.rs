//! The larger shapes as markdown, one function a shape: tables of ours, with models' words on single lines, in quotations or in code blocks.

mod cards;
mod lists;
mod numbers;
mod paths;
mod texts;

use super::quote::inline;
pub use cards::{card, shifts};
pub use lists::{checks, clusters, findings};
pub use numbers::{distribution, scorecard, series};
pub use paths::{bracket, graph};
pub use texts::{document, revision};

/// A table whose cells are text of others; numbers stand to the right. Nothing where there is no row.
fn table(heads: &[(&str, Side)], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule: String = heads.iter().map(|(_, side)| if *side == Side::Right { "---:|" } else { "---|" }).collect();
    let body: String = rows.iter().map(|row| line(row.iter().map(|cell| inline(cell)).collect())).collect();
    format!("{}|{rule}\n{body}\n", line(heads.iter().map(|(head, _)| inline(head)).collect()))
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

/// A paragraph of one line; nothing where there is nothing to say.
fn para(text: &str) -> String {
    match inline(text) {
        empty if empty.is_empty() => empty,
        text => format!("{text}\n\n"),
    }
}
