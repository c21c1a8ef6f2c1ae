//! Exhibits as markdown, one function a shape.

use super::quote::{inline, quote};
use super::shapes;
use crate::figures;
use crate::view::View;
use crate::words;
use synod_types::{Ballot, Exhibit, Ranking, Rule, Shape, Shown, Statement, Tally};

pub fn exhibit(view: &View, shown: &Shown) -> String {
    let exhibit = &shown.exhibit;
    let body = match &exhibit.shape {
        Shape::Statement(shape) => statement(view, exhibit, shape),
        Shape::Ballot(shape) => ballot(view, shape),
        Shape::Tally(shape) => tally(view, shape),
        Shape::Ranking(shape) => ranking(view, shape),
        Shape::Bracket(shape) => shapes::bracket(view, shape),
        Shape::Scorecard(shape) => shapes::scorecard(shape),
        Shape::Distribution(shape) => shapes::distribution(view, shape),
        Shape::Series(shape) => shapes::series(shape),
        Shape::Revision(shape) => shapes::revision(shape),
        Shape::Findings(shape) => shapes::findings(shape),
        Shape::Checks(shape) => shapes::checks(shape),
        Shape::Clusters(shape) => shapes::clusters(shape),
        Shape::Shifts(shape) => shapes::shifts(shape),
        Shape::Card(shape) => shapes::card(shape),
        Shape::Document(shape) => shapes::document(view, shape),
        Shape::Graph(shape) => shapes::graph(view, shape),
        Shape::Rule(shape) => rule(shape),
        Shape::Note { text } => quote(text),
    };
    let whose = exhibit.seat.map(|seat| format!(", by {}", words::seat(view, seat))).unwrap_or_default();
    format!("#### {}\n\n{body}\n", inline(&format!("{}{whose}", exhibit.title)))
}

fn statement(view: &View, exhibit: &Exhibit, statement: &Statement) -> String {
    let mut facts = Vec::new();
    facts.extend(statement.label.as_ref().map(|label| format!("Shown to others as {}.", inline(label))));
    facts.extend(statement.reply_to.as_ref().map(|to| format!("In reply to {}.", inline(&words::label(view, to)))));
    let facts = if facts.is_empty() { String::new() } else { format!("{}\n\n", facts.join(" ")) };
    let text = view.words(exhibit).map_or_else(|| "Nothing on record.\n".to_owned(), |text| quote(&text));
    format!("{facts}{text}")
}

fn ballot(view: &View, ballot: &Ballot) -> String {
    let mut out = format!("{}\n", inline(&words::choice(view, ballot)));
    if !ballot.shown.is_empty() {
        out.push_str(&format!("\nSaw them in this order: {}\n", inline(&ballot.shown.join(", "))));
    }
    if let Some(reasons) = &ballot.reasons {
        out.push_str(&format!("\n{}", quote(reasons)));
    }
    out
}

fn tally(view: &View, tally: &Tally) -> String {
    let mut out = "| Answer | By | Votes | |\n|---|---|---:|---|\n".to_owned();
    for entry in &tally.entries {
        let mark = match (tally.winners.contains(&entry.label), tally.winners.len()) {
            (false, _) => "",
            (true, 1) => "winner",
            (true, _) => "tied",
        };
        out.push_str(&format!("| {} | {} | {} | {mark} |\n", inline(&entry.label), inline(&words::seat(view, entry.seat)), entry.votes));
    }
    format!("{out}\n{}\n", inline(&words::tally_sum(tally)))
}

fn ranking(view: &View, ranking: &Ranking) -> String {
    let mut out = "| Place | Answer | By | Score | First places | Mean place | Ballots |\n|---:|---|---|---:|---:|---:|---:|\n".to_owned();
    let scores = figures::scores(&ranking.entries.iter().map(|entry| entry.score).collect::<Vec<_>>());
    for (i, entry) in ranking.entries.iter().enumerate() {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            i + 1,
            inline(&entry.label),
            inline(&words::seat(view, entry.seat)),
            scores[i],
            entry.first_places,
            entry.mean_position.map_or_else(|| "none".to_owned(), |mean| format!("{mean:.2}")),
            entry.ballots,
        ));
    }
    format!("{out}\n{}\n", inline(&words::ranking_sum(ranking)))
}

fn rule(rule: &Rule) -> String {
    let mut out = format!("{}\n", inline(&rule.decided));
    if !rule.rung.is_empty() {
        out.push_str(&format!("\nDecided by: {}\n", inline(&rule.rung)));
    }
    if !rule.numbers.is_empty() {
        out.push_str(&format!("\nNumbers: {}\n", inline(&words::numbers(&rule.numbers))));
    }
    out
}
