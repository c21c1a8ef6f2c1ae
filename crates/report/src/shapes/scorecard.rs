//! Scores by criterion and judge: a table, in a page tinted by how good a score is, with stacked bars where scores add up to their total.

use crate::figures::{place, score, score_or_none};
use crate::html::chart::{self, Stack};
use crate::html::safe::{Html, render};
use crate::markdown::table::Side::{Left, Right};
use crate::markdown::table::{Side, para, table as markdown_table};
use crate::terminal::entries::{below, entry, sum};
use crate::terminal::paper::{Ink, Paper};
use crate::terminal::table::{self, Inline, inked};
use crate::text::one_line;
use crate::words::{joined, led, named};
use askama::Template;
use synod_types::{Exhibit, ScoreRow, Scorecard};

/// What stands in a row.
fn of(card: &Scorecard) -> &str {
    if card.of.is_empty() { "Criterion" } else { &card.of }
}

/// Fewer columns than this hold no table of scores.
const TABLE: usize = 60;

pub fn terminal(paper: &mut Paper, card: &Scorecard) {
    let rows = score_table(card);
    let room = paper.columns().saturating_sub(2);
    match table::lines(&rows, room, paper.style.unicode).filter(|_| paper.columns() >= TABLE && rows.len() > 1) {
        Some(lines) => lines.iter().for_each(|line| paper.marked_line("  ", line)),
        None => score_list(paper, card),
    }
    sum(paper, &summary(card));
}

fn criterion(row: &ScoreRow, word: &str) -> String {
    let weight = row.weight.map(|weight| format!(" ({word}{})", score(weight))).unwrap_or_default();
    format!("{}{weight}", one_line(&row.name))
}

fn score_table(card: &Scorecard) -> Vec<Vec<Inline>> {
    let Columns { names, weighed, judged, noted } = columns(card);
    let cell = |value: Option<f64>| inked(&value.map_or_else(|| "none".to_owned(), score), if value.is_some() { Ink::PLAIN } else { Ink::DIM });
    let line = |name: &str, cells: &[Option<f64>], summary: Option<f64>, note: &str| {
        let mut line = vec![inked(name, Ink::PLAIN)];
        line.extend((0..names.len()).map(|at| cell(cells.get(at).copied().flatten())));
        line.extend(judged.then(|| cell(summary)));
        line.extend(noted.then(|| inked(note, Ink::DIM)));
        line
    };
    let mut head = vec![inked(if weighed { "(weight)" } else { "" }, Ink::PLAIN)];
    head.extend(names.iter().map(|name| inked(name, Ink::PLAIN)));
    head.extend(judged.then(|| inked("overall", Ink::PLAIN)));
    head.extend(noted.then(|| inked("", Ink::PLAIN)));
    let mut table = vec![head];
    table.extend(card.rows.iter().map(|row| line(&criterion(row, ""), &row.cells, row.summary, &one_line(&row.note))));
    if !card.totals.is_empty() {
        table.push(line("overall", &card.totals, card.overall, ""));
    }
    table
}

/// A criterion a line, for sheets too narrow for the table.
fn score_list(paper: &mut Paper, card: &Scorecard) {
    let names = columns(card).names;
    let each = |cells: &[Option<f64>]| {
        let told = names.iter().enumerate().map(|(at, name)| format!("{name} {}", score_or_none(cells.get(at).copied().flatten())));
        told.collect::<Vec<_>>().join(", ")
    };
    for row in &card.rows {
        let summary = row.summary.map(|value| format!(": {}", score(value))).unwrap_or_default();
        let note = led(", ", &one_line(&row.note));
        entry(paper, false, &format!("{}{summary}{note}", criterion(row, "weight ")));
        below(paper, &each(&row.cells));
    }
    if !card.totals.is_empty() {
        entry(paper, false, &format!("Overall{}", card.overall.map(|value| format!(": {}", score(value))).unwrap_or_default()));
        below(paper, &each(&card.totals));
    }
}

pub fn markdown(card: &Scorecard) -> String {
    let Columns { names, weighed, judged, noted } = columns(card);
    let mut heads: Vec<(&str, Side)> = vec![(of(card), Left)];
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
    format!("{}{}", markdown_table(&heads, &rows), para(&summary(card)))
}

#[derive(Template)]
#[template(path = "shapes/scorecard.html")]
struct Page<'a> {
    title: &'a str,
    card: &'a Scorecard,
    columns: Columns,
    stacks: Html,
    gaps: bool,
}

impl Page<'_> {
    /// The scores of a row, one for each column.
    fn cells(&self, cells: &[Option<f64>], summary: Option<f64>) -> Vec<(&str, Option<f64>)> {
        let mut out: Vec<(&str, Option<f64>)> =
            self.columns.names.iter().enumerate().map(|(at, name)| (name.as_str(), cells.get(at).copied().flatten())).collect();
        out.extend(self.columns.judged.then_some(("Overall", summary)));
        out
    }

    /// How good a score is, in five steps; 0 where there is no telling.
    fn tint(&self, value: Option<f64>) -> u8 {
        value.and_then(|value| place(value, self.card.scale.0, self.card.scale.1)).map_or(0, |share| (share * 5.0).round() as u8)
    }
}

pub fn html(exhibit: &Exhibit, card: &Scorecard) -> Html {
    let columns = columns(card);
    let gaps = card.rows.iter().any(|row| (0..columns.names.len()).any(|at| row.cells.get(at).copied().flatten().is_none()));
    render(&Page { title: &exhibit.title, card, columns, stacks: stacked(exhibit, card).unwrap_or_default(), gaps })
}

/// One bar a column, if each of them is the sum of its scores.
fn stacked(exhibit: &Exhibit, card: &Scorecard) -> Option<Html> {
    let of = |at: usize| -> Option<Stack> {
        let total = card.totals.get(at).copied().flatten()?;
        let parts: Option<Vec<(String, f64)>> = card.rows.iter().map(|row| Some((row.name.clone(), row.cells.get(at).copied().flatten()?))).collect();
        let parts = parts.filter(|parts| parts.len() > 1 && (parts.iter().map(|(_, part)| part).sum::<f64>() - total).abs() < 1e-6)?;
        Some(Stack { name: card.columns[at].clone(), value: score(total), parts })
    };
    let stacks: Vec<Stack> = (0..card.columns.len()).map(of).collect::<Option<_>>()?;
    let order: Vec<&str> = card.rows.iter().map(|row| row.name.as_str()).collect();
    (!stacks.is_empty()).then(|| chart::stacks(&exhibit.title, &format!("Parts from the line outwards: {}", order.join(", ")), &stacks))
}

/// What stands beside the names of a card's rows.
struct Columns {
    /// Also where a row has more cells than there are names.
    pub names: Vec<String>,
    pub weighed: bool,
    /// Any row, or the card, has a score of all together.
    pub judged: bool,
    pub noted: bool,
}

fn columns(card: &Scorecard) -> Columns {
    let most = card.rows.iter().map(|row| row.cells.len()).chain([card.columns.len(), card.totals.len()]).max().unwrap_or(0);
    Columns {
        names: (0..most).map(|at| named(&card.columns, at)).collect(),
        weighed: card.rows.iter().any(|row| row.weight.is_some()),
        judged: card.rows.iter().any(|row| row.summary.is_some()) || card.overall.is_some(),
        noted: card.rows.iter().any(|row| !row.note.trim().is_empty()),
    }
}

fn summary(card: &Scorecard) -> String {
    let (worst, best) = card.scale;
    // Under totals of their own it stands beside them.
    let overall = card.overall.filter(|_| card.totals.is_empty()).map(|value| format!("overall {}", score(value))).unwrap_or_default();
    let scale = if worst == best { String::new() } else { format!("scores from {} (worst) to {} (best)", score(worst), score(best)) };
    joined([overall, one_line(&card.measure), scale], "; ")
}
