//! Exhibits as HTML. A fragment stands by itself, so it can be pushed to a live page.

use super::safe::esc;
use super::thread::{aside_html, thread_html};
use crate::shapes;
use crate::text::one_line;
use crate::thread::{Piece, pieces};
use crate::view::View;
use crate::words;
use synod_types::{Shape, Shown};

/// One exhibit as a fragment of a page. Needs the page's style sheet and nothing else.
pub fn exhibit_html(view: &View, shown: &Shown) -> String {
    let (class, body) = shapes::html(view, shown);
    section(class, &shown.stage, &words::title(view, &shown.exhibit), &body)
}

/// Exhibits in order, a conversation as one.
pub fn several_html(view: &View, shown: &[&Shown]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Plain(list) => plain_html(view, list),
        Piece::Thread(said) => thread_html(view, said),
        Piece::Aside(title, list) => aside_html(view, title, list),
    };
    pieces(view, shown).iter().map(piece).collect()
}

/// Neighbouring ballots share one table, neighbouring statements one heading.
pub fn plain_html(view: &View, shown: &[&Shown]) -> String {
    let parts: Vec<(&str, Part)> = shown.iter().map(|each| (each.stage.as_str(), part(view, each))).collect();
    let groups = parts.chunk_by(|(_, a), (_, b)| a.shared.is_some() && a.shared == b.shared);
    let html = groups.map(|group| {
        let (stage, first) = &group[0];
        let body: Vec<String> = group.iter().map(|(_, part)| part.html.clone()).collect();
        match first.shared {
            Some(Shared::Table) => section("ballot", stage, "Ballots", &shapes::ballots(&body)),
            Some(Shared::Heading) => section("statement", stage, "Statements", &body.concat()),
            None => body.concat(),
        }
    });
    html.collect()
}

struct Part {
    shared: Option<Shared>,
    html: String,
}

/// What neighbours of a kind have in common.
#[derive(Clone, Copy, PartialEq)]
enum Shared {
    Table,
    Heading,
}

fn part(view: &View, shown: &Shown) -> Part {
    let exhibit = &shown.exhibit;
    match &exhibit.shape {
        Shape::Ballot(shape) => Part { shared: Some(Shared::Table), html: shapes::ballot_row(view, exhibit, shape) },
        Shape::Statement(shape) => Part { shared: Some(Shared::Heading), html: shapes::statement(view, exhibit, shape) },
        Shape::Tally(_)
        | Shape::Ranking(_)
        | Shape::Bracket(_)
        | Shape::Scorecard(_)
        | Shape::Distribution(_)
        | Shape::Series(_)
        | Shape::Revision(_)
        | Shape::Findings(_)
        | Shape::Checks(_)
        | Shape::Clusters(_)
        | Shape::Shifts(_)
        | Shape::Card(_)
        | Shape::Document(_)
        | Shape::Graph(_)
        | Shape::Rule(_)
        | Shape::Note { .. } => Part { shared: None, html: exhibit_html(view, shown) },
    }
}

fn section(class: &str, stage: &str, title: &str, body: &str) -> String {
    format!("<section class=\"exhibit {class}\" data-stage=\"{}\"><h4>{}</h4>{body}</section>\n", esc(&one_line(stage)), esc(title))
}
