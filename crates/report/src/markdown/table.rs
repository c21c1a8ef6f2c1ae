//! Tables of ours, and single lines, for what others wrote.

use super::quote::inline;

/// A table whose cells are text of others; numbers stand to the right. Nothing where there is no row.
pub fn table(heads: &[(&str, Side)], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule: String = heads.iter().map(|(_, side)| if *side == Side::Right { "---:|" } else { "---|" }).collect();
    let body: String = rows.iter().map(|row| line(row.iter().map(|cell| inline(cell)).collect())).collect();
    format!("{}|{rule}\n{body}\n", line(heads.iter().map(|(head, _)| inline(head)).collect()))
}

#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    Left,
    Right,
}

/// A paragraph of one line; nothing where there is nothing to say.
pub fn para(text: &str) -> String {
    match inline(text) {
        empty if empty.is_empty() => empty,
        text => format!("{text}\n\n"),
    }
}
