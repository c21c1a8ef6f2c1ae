//! A scorecard as a table, each cell tinted by how good its score is; where a column's scores add up to its total, as stacked bars too.

use super::{number, scroll, soft};
use crate::figures::{place, score};
use crate::html::chart::{self, Stack};
use crate::html::safe::esc;
use crate::words::{self, CardColumns};
use synod_types::{Exhibit, Scorecard};

pub fn scorecard(exhibit: &Exhibit, card: &Scorecard) -> String {
    let CardColumns { names, judged, noted, .. } = words::card_columns(card);
    let line = |name: &str, weight: Option<f64>, cells: &[Option<f64>], summary: Option<f64>, note: &str| {
        let weight = weight.map(|weight| format!(" <span class=\"soft\">weight {}</span>", score(weight))).unwrap_or_default();
        let mut line = format!("<th scope=\"row\">{}{weight}</th>", esc(name));
        line.extend((0..names.len()).map(|at| cell(card, cells.get(at).copied().flatten())));
        line.extend(judged.then(|| cell(card, summary)));
        line.extend(noted.then(|| format!("<td class=\"soft\">{}</td>", esc(note))));
        format!("<tr>{line}</tr>")
    };
    let mut head = "<td></td>".to_owned();
    head.extend(names.iter().map(|name| format!("<th scope=\"col\">{}</th>", esc(name))));
    head.extend(judged.then_some("<th scope=\"col\">Overall</th>"));
    head.extend(noted.then_some("<th scope=\"col\">Note</th>"));
    let body: String = card.rows.iter().map(|row| line(&row.name, row.weight, &row.cells, row.summary, &row.note)).collect();
    let foot = match card.totals.is_empty() {
        true => String::new(),
        false => format!("<tfoot>{}</tfoot>", line("Overall", None, &card.totals, card.overall, "")),
    };
    let table = format!("<table class=\"scores\"><thead><tr>{head}</tr></thead><tbody>{body}</tbody>{foot}</table>");
    let gaps = card.rows.iter().flat_map(|row| (0..names.len()).map(|at| row.cells.get(at).copied().flatten())).any(|cell| cell.is_none());
    let legend = if gaps { "; – not scored" } else { "" };
    format!("{}{}{}", stacked(exhibit, card), scroll(&exhibit.title, &table), soft(&format!("{}{legend}", words::scorecard_sum(card))))
}

/// One bar a column, if each of them is the sum of its scores.
fn stacked(exhibit: &Exhibit, card: &Scorecard) -> String {
    let of = |at: usize| -> Option<Stack> {
        let total = card.totals.get(at).copied().flatten()?;
        let parts: Option<Vec<(String, f64)>> = card.rows.iter().map(|row| Some((row.name.clone(), row.cells.get(at).copied().flatten()?))).collect();
        let parts = parts.filter(|parts| parts.len() > 1 && (parts.iter().map(|(_, part)| part).sum::<f64>() - total).abs() < 1e-6)?;
        Some(Stack { name: card.columns[at].clone(), value: score(total), parts })
    };
    let stacks: Option<Vec<Stack>> = (0..card.columns.len()).map(of).collect();
    match stacks.filter(|stacks| !stacks.is_empty()) {
        Some(stacks) => {
            let order: Vec<&str> = card.rows.iter().map(|row| row.name.as_str()).collect();
            let about = format!("Parts from the line outwards: {}", order.join(", "));
            format!("{}{}", chart::stacks(&exhibit.title, &about, &stacks), soft(&format!("{about}.")))
        }
        None => String::new(),
    }
}

fn cell(card: &Scorecard, value: Option<f64>) -> String {
    const TINTS: f64 = 5.0;
    let tint =
        value.and_then(|value| place(value, card.scale.0, card.scale.1)).map(|share| format!(" class=\"tint-{:.0}\"", (share * TINTS).round()));
    format!("<td{}>{}</td>", tint.unwrap_or_default(), number(value.map(score), "not scored"))
}
