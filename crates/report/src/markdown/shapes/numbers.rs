//! Scorecards, distributions and series: tables of numbers.

use super::Side::{Left, Right};
use super::{Side, para, table};
use crate::figures::{quantity, score, score_or_none};
use crate::view::View;
use crate::words::{self, CardColumns};
use synod_types::{Distribution, Scorecard, Series};

pub fn scorecard(card: &Scorecard) -> String {
    let CardColumns { names, weighed, judged, noted } = words::card_columns(card);
    let mut heads: Vec<(&str, Side)> = vec![("Criterion", Left)];
    heads.extend(weighed.then_some(("Weight", Right)));
    heads.extend(names.iter().map(|name| (name.as_str(), Right)));
    heads.extend(judged.then_some(("Overall", Right)));
    heads.extend(noted.then_some(("", Left)));
    let line = |name: &str, weight: Option<f64>, cells: &[Option<f64>], summary: Option<f64>, note: &str| {
        let mut line = vec![name.to_owned()];
        line.extend(weighed.then(|| weight.map(score).unwrap_or_default()));
        line.extend((0..names.len()).map(|at| score_or_none(cells.get(at).copied().flatten())));
        line.extend(judged.then(|| score_or_none(summary)));
        line.extend(noted.then(|| note.to_owned()));
        line
    };
    let mut rows: Vec<Vec<String>> = card.rows.iter().map(|row| line(&row.name, row.weight, &row.cells, row.summary, &row.note)).collect();
    if !card.totals.is_empty() {
        rows.push(line("Overall", None, &card.totals, card.overall, ""));
    }
    format!("{}{}", table(&heads, &rows), para(&words::scorecard_sum(card)))
}

pub fn distribution(view: &View, distribution: &Distribution) -> String {
    let shares: Vec<Vec<String>> = distribution.shares.iter().map(|(choice, n)| vec![choice.clone(), n.to_string()]).collect();
    let noted = distribution.points.iter().any(|point| !point.note.trim().is_empty());
    let points: Vec<Vec<String>> = distribution
        .points
        .iter()
        .map(|point| {
            let mut row = vec![words::point_name(view, point), words::point_value(distribution, point)];
            row.extend(noted.then(|| point.note.clone()));
            row
        })
        .collect();
    let mut heads = vec![("Who", Left), ("Holds", Left)];
    heads.extend(noted.then_some(("Why", Left)));
    format!("{}{}{}", table(&[("Choice", Left), ("Held by", Right)], &shares), table(&heads, &points), para(&words::distribution_sum(distribution)))
}

pub fn series(series: &Series) -> String {
    let steps = words::series_steps(series);
    let mut heads = vec![("", Left)];
    heads.extend(steps.iter().map(|step| (step.as_str(), Right)));
    let rows: Vec<Vec<String>> = series
        .lines
        .iter()
        .map(|line| {
            let value = |at: usize| line.values.get(at).copied().flatten().map_or_else(|| "none".to_owned(), quantity);
            std::iter::once(line.name.clone()).chain((0..steps.len()).map(value)).collect()
        })
        .collect();
    if rows.is_empty() { "No figures.\n\n".to_owned() } else { table(&heads, &rows) }
}
