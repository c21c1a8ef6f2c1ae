//! What every page keeps to: a strict policy allows no style of an element's own, a narrow screen shows tables as cards, and HTML is written in
//! templates alone.

use crate::{claim_hostile, claims, hostile, rooms, runs, shapes};
use std::path::Path;
use synod_report::{View, claim_html, html};

fn pages() -> Vec<String> {
    let runs = [runs::council(), runs::vote(), runs::degraded(), runs::lost(), runs::stopped(), runs::waiting(), shapes::run(), rooms::run()];
    let mut pages: Vec<String> = runs.iter().map(|rows| html(&View::of(rows))).collect();
    pages.extend(hostile::views().iter().map(html));
    let claims = [claims::active(), claims::flagged(), claims::rerun(), claims::complete(), claims::closed()];
    pages.extend(claims.iter().chain(&claim_hostile::views()).map(claim_html));
    pages
}

#[test]
fn no_element_has_a_style_of_its_own() {
    for page in pages() {
        let styled = hostile::tags_of(&page).into_iter().find(|tag| tag.split('"').step_by(2).any(|part| part.contains(" style=")));
        assert_eq!(styled, None);
    }
}

#[test]
fn every_cell_names_its_column() {
    let mut cells = 0;
    for page in pages() {
        for table in page.split("<table").skip(1).filter_map(|rest| rest.split("</table>").next()) {
            let (head, body) = table.split_once("</thead>").expect("a table has a head");
            let heads: Vec<&str> = head.split("<th").skip(2).filter_map(|cell| cell.split_once('>')?.1.split("</th>").next()).collect();
            for row in body.split("<tr").skip(1) {
                let starts: Vec<&str> = row.split('<').filter(|tag| tag.starts_with("td") || tag.starts_with("th")).collect();
                for (at, cell) in starts.iter().enumerate() {
                    let label = cell.split_once("data-label=\"").and_then(|(_, rest)| rest.split('"').next());
                    let label = label.unwrap_or_else(|| panic!("no label in <{cell}"));
                    let plain = heads.get(at).is_some_and(|head| !head.contains('<')) && !cell.contains("colspan");
                    assert!(!plain || heads[at] == label, "{label} stands under {}", heads[at]);
                    cells += 1;
                }
            }
        }
    }
    assert!(cells > 100, "{cells}");
}

/// Escaping cannot be forgotten where there is nothing to forget: only templates hold tags, and only one file says what is safe.
#[test]
fn html_is_written_in_templates_and_declared_safe_in_one_place() {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut read = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        read += 1;
        let name = path.to_string_lossy();
        assert!(!text.contains("|safe") && !text.contains("| safe"), "{name}");
        if name.ends_with(".rs") && !name.ends_with("html/safe.rs") {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let tag =
                code.lines().find(|line| ["\"<p", "\"<d", "\"<s", "\"<t", "\"</", "\"<a ", "\"<l", "\"<h"].iter().any(|tag| line.contains(tag)));
            assert_eq!(tag, None, "{name}");
            assert!(!code.contains("filters::Safe") && !code.contains("escape ="), "{name}");
        }
    }
    assert!(read > 50, "{read} sources");
}
