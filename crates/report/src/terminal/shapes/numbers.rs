//! Scorecards, distributions and series: small tables and drawings of characters.

use super::{LIST, below, entries, entry, sum};
use crate::figures::{place, quantity, range, score, score_or_none};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Bar, Ink, Paper};
use crate::terminal::table::{self, Inline, inked};
use crate::text::{fit, one_line, pad, width};
use crate::view::View;
use crate::words::{self, CardColumns};
use synod_types::{Distribution, Line, ScoreRow, Scorecard, Series, Spread};

/// Fewer columns than this hold no table of scores.
const TABLE: usize = 60;

pub fn scorecard(paper: &mut Paper, card: &Scorecard) {
    let rows = score_table(card);
    let room = paper.columns().saturating_sub(2);
    match table::lines(&rows, room, paper.style.unicode).filter(|_| paper.columns() >= TABLE && rows.len() > 1) {
        Some(lines) => lines.iter().for_each(|line| paper.marked_line("  ", line)),
        None => score_list(paper, card),
    }
    sum(paper, &words::scorecard_sum(card));
}

fn criterion(row: &ScoreRow, word: &str) -> String {
    let weight = row.weight.map(|weight| format!(" ({word}{})", score(weight))).unwrap_or_default();
    format!("{}{weight}", one_line(&row.name))
}

fn score_table(card: &Scorecard) -> Vec<Vec<Inline>> {
    let CardColumns { names, weighed, judged, noted } = words::card_columns(card);
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
    let names = words::card_columns(card).names;
    let each = |cells: &[Option<f64>]| {
        let told = names.iter().enumerate().map(|(at, name)| format!("{name} {}", score_or_none(cells.get(at).copied().flatten())));
        told.collect::<Vec<_>>().join(", ")
    };
    for row in &card.rows {
        let summary = row.summary.map(|value| format!(": {}", score(value))).unwrap_or_default();
        let note = words::led(", ", &one_line(&row.note));
        entry(paper, false, &format!("{}{summary}{note}", criterion(row, "weight ")));
        below(paper, &each(&row.cells));
    }
    if !card.totals.is_empty() {
        entry(paper, false, &format!("Overall{}", card.overall.map(|value| format!(": {}", score(value))).unwrap_or_default()));
        below(paper, &each(&card.totals));
    }
}

pub fn distribution(paper: &mut Paper, view: &View, distribution: &Distribution, length: Length) {
    if let Some(spread) = distribution.spread {
        strip(paper, &spread, &distribution.unit);
    }
    let most = distribution.shares.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let bars: Vec<Bar> = distribution
        .shares
        .iter()
        .map(|(choice, n)| Bar {
            name: one_line(choice),
            share: (most > 0).then(|| f64::from(*n) / f64::from(most)),
            value: n.to_string(),
            note: String::new(),
            ink: if *n == most { Ink::MARK } else { Ink::PLAIN },
        })
        .collect();
    paper.bars(&bars);
    let held = |point| format!("{}: {}", words::point_name(view, point), words::point_value(distribution, point));
    match length {
        Length::Brief => {
            let line = distribution.points.iter().map(held).collect::<Vec<_>>().join(paper.dot());
            if !line.is_empty() {
                paper.hanging(Ink::PLAIN, "  ", "  ", &line);
            }
        }
        Length::Whole | Length::Full => {
            for point in &distribution.points {
                entry(paper, false, &held(point));
                below(paper, &one_line(&point.note));
            }
        }
    }
    sum(paper, &words::distribution_sum(distribution));
}

/// `8 ├───▒▒▒█▒▒───┤ 20 weeks`: the whole range, its middle half, its middle.
fn strip(paper: &mut Paper, spread: &Spread, unit: &str) {
    let (first, last) = (quantity(spread.min), words::with_unit(spread.max, unit));
    let columns = paper.columns().saturating_sub(4 + width(&first) + width(&last)).min(48);
    let at = |value: f64| place(value, spread.min, spread.max).map(|share| (share * (columns.saturating_sub(1)) as f64).round() as usize);
    // Nothing to draw where all is one point, or no room.
    let (Some(low), Some(middle), Some(high)) = (at(spread.low), at(spread.middle), at(spread.high)) else { return };
    if columns < 12 {
        return;
    }
    let [open, close, thin, thick, mark] = if paper.style.unicode { ['├', '┤', '─', '▒', '█'] } else { ['|', '|', '-', '=', '#'] };
    let mut line: Vec<char> = (0..columns).map(|i| if (low..=high).contains(&i) { thick } else { thin }).collect();
    (line[0], line[columns - 1], line[middle]) = (open, close, mark);
    paper.raw(&format!("  {first} {} {last}", line.into_iter().collect::<String>()));
}

/// More values than this are told by their ends.
const LISTED: usize = 12;

pub fn series(paper: &mut Paper, series: &Series, length: Length) {
    let longest = series.lines.iter().map(|line| width(&line_name(paper, line))).max().unwrap_or(0);
    entries(paper, &series.lines, length, LIST, |paper, line| {
        let name = line_name(paper, line);
        let drawn = if paper.style.unicode && line.values.len() <= 2 * LISTED { format!("{}  ", sparkline(line)) } else { String::new() };
        let first = format!("  {}  {drawn}", pad(&name, longest));
        let first = if width(&first) > paper.columns() / 2 { format!("  {name}  ") } else { first };
        paper.hanging(Ink::PLAIN, &first, "      ", &values(line));
    });
    let steps: Vec<String> = series.steps.iter().map(|step| one_line(step)).collect();
    sum(
        paper,
        &match steps.as_slice() {
            [] => "no steps named".to_owned(),
            [first, .., last] if steps.len() > LISTED => format!("over {} steps, {first} to {last}", steps.len()),
            all => format!("over {}", all.join(", ")),
        },
    );
}

fn line_name(paper: &Paper, line: &Line) -> String {
    fit(&one_line(&line.name), 24, paper.ellipsis())
}

fn values(line: &Line) -> String {
    match (range(line.values.iter().flatten().copied()), line.values.as_slice()) {
        (Some((least, most)), [first, .., last]) if line.values.len() > LISTED => {
            let [first, last] = [first, last].map(|value| value.map_or_else(|| "none".to_owned(), quantity));
            format!("{first} to {last}, between {} and {}", quantity(least), quantity(most))
        }
        (_, all) => all.iter().map(|value| value.map_or_else(|| "none".to_owned(), quantity)).collect::<Vec<_>>().join(", "),
    }
}

/// A bar of eight heights for each value; a gap where there is none.
fn sparkline(line: &Line) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let Some((least, most)) = range(line.values.iter().flatten().copied()) else { return String::new() };
    let height = |value: f64| place(value, least, most).map_or('▄', |share| HEIGHTS[(share * 7.0).round() as usize]);
    line.values.iter().map(|value| value.filter(|value| value.is_finite()).map_or(' ', height)).collect()
}
