//! Tables as markdown.

/// One row a line. Line breaks and bars inside a cell are replaced, so that the cell stays in its row.
pub fn table<'a>(head: impl IntoIterator<Item = &'a str>, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.iter().map(|cell| escape_cell(cell)).collect::<Vec<_>>().join(" | "));
    let head: Vec<String> = head.into_iter().map(str::to_owned).collect();
    let rule = format!("|{}", "---|".repeat(head.len()));
    let lines: Vec<String> = [line(head), rule].into_iter().chain(rows.into_iter().map(line)).collect();
    lines.join("\n")
}

fn escape_cell(cell: &str) -> String {
    cell.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn a_cell_stays_in_its_row() {
        let text = table(["a", "b"], [vec!["x | y".to_owned(), "one\n\ntwo".to_owned()], vec![String::new(), "z".to_owned()]]);
        assert_eq!(text, "| a | b |\n|---|---|\n| x \\| y | one two |\n|  | z |");
    }
}
