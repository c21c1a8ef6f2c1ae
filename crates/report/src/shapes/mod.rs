//! The shapes of exhibits, one file a shape: what is said of it, and how each medium sets it. A new shape is a file here and a line in each match.

mod ballot;
mod bracket;
mod card;
mod checks;
mod clusters;
mod distribution;
mod document;
mod findings;
mod graph;
pub mod parts;
mod ranking;
mod revision;
mod rule;
mod scorecard;
mod series;
mod shifts;
mod statement;
mod tally;

use crate::html::safe::{Html, render};
use crate::markdown::quote::quote;
use crate::terminal::exhibit::Length;
use crate::terminal::paper::Paper;
use crate::view::View;
use crate::words;
use askama::Template;
use synod_types::{Exhibit, Shape, Shown};

pub fn terminal(paper: &mut Paper, view: &View, exhibit: &Exhibit, length: Length) {
    match &exhibit.shape {
        Shape::Statement(shape) => statement::terminal(paper, view, exhibit, shape, length),
        Shape::Ballot(shape) => ballot::terminal(paper, view, exhibit, shape, length),
        Shape::Tally(shape) => tally::terminal(paper, view, shape),
        Shape::Ranking(shape) => ranking::terminal(paper, view, shape),
        Shape::Bracket(shape) => bracket::terminal(paper, view, shape, length),
        Shape::Scorecard(shape) => scorecard::terminal(paper, shape),
        Shape::Distribution(shape) => distribution::terminal(paper, view, shape, length),
        Shape::Series(shape) => series::terminal(paper, shape, length),
        Shape::Revision(shape) => revision::terminal(paper, view, exhibit, shape, length),
        Shape::Findings(shape) => findings::terminal(paper, shape, length),
        Shape::Checks(shape) => checks::terminal(paper, shape, length),
        Shape::Clusters(shape) => clusters::terminal(paper, shape, length),
        Shape::Shifts(shape) => shifts::terminal(paper, shape),
        Shape::Card(shape) => card::terminal(paper, shape, length),
        Shape::Document(shape) => document::terminal(paper, view, shape, length),
        Shape::Graph(shape) => graph::terminal(paper, view, shape, length),
        Shape::Rule(shape) => rule::terminal(paper, shape),
        Shape::Note { text } => paper.prose("  ", text),
    }
    parts::terminal(paper, &exhibit.parts, length);
}

/// Without its title.
pub fn markdown(view: &View, exhibit: &Exhibit) -> String {
    let shape = match &exhibit.shape {
        Shape::Statement(shape) => statement::markdown(view, exhibit, shape),
        Shape::Ballot(shape) => ballot::markdown(view, shape),
        Shape::Tally(shape) => tally::markdown(view, shape),
        Shape::Ranking(shape) => ranking::markdown(view, shape),
        Shape::Bracket(shape) => bracket::markdown(view, shape),
        Shape::Scorecard(shape) => scorecard::markdown(shape),
        Shape::Distribution(shape) => distribution::markdown(view, shape),
        Shape::Series(shape) => series::markdown(shape),
        Shape::Revision(shape) => revision::markdown(shape),
        Shape::Findings(shape) => findings::markdown(shape),
        Shape::Checks(shape) => checks::markdown(shape),
        Shape::Clusters(shape) => clusters::markdown(shape),
        Shape::Shifts(shape) => shifts::markdown(shape),
        Shape::Card(shape) => card::markdown(shape),
        Shape::Document(shape) => document::markdown(view, shape),
        Shape::Graph(shape) => graph::markdown(view, shape),
        Shape::Rule(shape) => rule::markdown(shape),
        Shape::Note { text } => quote(text),
    };
    let parts = parts::markdown(&exhibit.parts);
    if parts.is_empty() { shape } else { format!("{}\n\n{parts}", shape.trim_end()) }
}

/// The class of its section in a page, and what stands in it below the title.
pub fn html(view: &View, shown: &Shown) -> (&'static str, Html) {
    let exhibit = &shown.exhibit;
    let (class, shape) = match &exhibit.shape {
        // What it says beside its words is folded with them.
        Shape::Statement(shape) => return ("statement", statement::html(view, exhibit, shape, false)),
        Shape::Ballot(_) => ("ballot", ballot::html(view, &[shown], false)),
        Shape::Tally(shape) => ("tally", tally::html(view, exhibit, shape)),
        Shape::Ranking(shape) => ("ranking", ranking::html(view, exhibit, shape)),
        Shape::Bracket(shape) => ("bracket", bracket::html(view, exhibit, shape)),
        Shape::Scorecard(shape) => ("scorecard", scorecard::html(exhibit, shape)),
        Shape::Distribution(shape) => ("distribution", distribution::html(view, exhibit, shape)),
        Shape::Series(shape) => ("series", series::html(exhibit, shape)),
        Shape::Revision(shape) => ("revision", revision::html(shape)),
        Shape::Findings(shape) => ("findings", findings::html(shape)),
        Shape::Checks(shape) => ("checks", checks::html(shape)),
        Shape::Clusters(shape) => ("clusters", clusters::html(exhibit, shape)),
        Shape::Shifts(shape) => ("shifted", shifts::html(shape)),
        Shape::Card(shape) => ("crux", card::html(shape)),
        Shape::Document(shape) => ("document", document::html(view, shown, shape)),
        Shape::Graph(shape) => ("graph", graph::html(view, exhibit, shape)),
        Shape::Rule(shape) => ("rule", rule::html(shape)),
        Shape::Note { text } => ("note", render(&Note { text })),
    };
    (class, [shape, parts::html(&exhibit.parts)].into_iter().collect())
}

/// Neighbours of one kind under one heading: ballots share a table.
pub fn together(view: &View, shown: &[&Shown]) -> Html {
    let titled = words::told_apart(view, shown);
    if let Some(Shape::Ballot(_)) = shown.first().map(|first| &first.exhibit.shape) {
        let parts = shown.iter().map(|each| parts::html(&each.exhibit.parts));
        return [ballot::html(view, shown, titled)].into_iter().chain(parts).collect();
    }
    let each = |each: &&Shown| match &each.exhibit.shape {
        Shape::Statement(shape) => statement::html(view, &each.exhibit, shape, titled),
        _ => html(view, each).1,
    };
    shown.iter().map(each).collect()
}

#[derive(Template)]
#[template(source = r#"{% import "html/part.html" as part %}{{ part::words(text) }}"#, ext = "html")]
struct Note<'a> {
    text: &'a str,
}
