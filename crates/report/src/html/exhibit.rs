//! Exhibits as HTML. A fragment stands by itself, so it can be pushed to a live page.

use super::safe::{Html, render};
use super::thread::{aside_html, thread_html};
use crate::shapes;
use crate::text::one_line;
use crate::thread::{Piece, pieces};
use crate::view::View;
use crate::words;
use askama::Template;
use synod_types::{Shape, Shown};

/// One exhibit as a fragment of a page. Needs the page's style sheet and nothing else.
pub fn exhibit_html(view: &View, shown: &Shown) -> String {
    fragment(view, shown).into_string()
}

fn fragment(view: &View, shown: &Shown) -> Html {
    let (class, body) = shapes::html(view, shown);
    section(class, &shown.stage, &words::title(view, &shown.exhibit), body)
}

/// Exhibits in order, a conversation as one.
pub fn several_html(view: &View, shown: &[&Shown]) -> Html {
    let piece = |piece: &Piece| match piece {
        Piece::Plain(list) => plain_html(view, list),
        Piece::Thread(said) => thread_html(view, said),
        Piece::Aside(title, list) => aside_html(view, title, list),
    };
    pieces(view, shown).iter().map(piece).collect()
}

/// Neighbouring ballots share one table, neighbouring statements one heading. One alone has its own title.
pub fn plain_html(view: &View, shown: &[&Shown]) -> Html {
    let groups = shown.chunk_by(|a, b| heading(a).is_some() && heading(a) == heading(b));
    let html = groups.map(|group| match heading(group[0]) {
        Some((class, title)) if group.len() > 1 => section(class, &group[0].stage, title, shapes::together(view, group)),
        Some(_) | None => group.iter().map(|each| fragment(view, each)).collect(),
    });
    html.collect()
}

/// What neighbours of a kind stand under together, and its class; `None`: each under its own title.
fn heading(shown: &Shown) -> Option<(&'static str, &'static str)> {
    match &shown.exhibit.shape {
        Shape::Ballot(_) => Some(("ballot", "Ballots")),
        Shape::Statement(_) => Some(("statement", "Statements")),
        Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) | Shape::Note { .. } | Shape::Revision(_) => None,
        Shape::Bracket(_) | Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) | Shape::Document(_) => None,
        Shape::Findings(_) | Shape::Checks(_) | Shape::Clusters(_) | Shape::Graph(_) | Shape::Shifts(_) | Shape::Card(_) => None,
    }
}

#[derive(Template)]
#[template(path = "html/exhibit.html")]
struct Section<'a> {
    class: &'a str,
    stage: String,
    title: &'a str,
    body: Html,
}

pub fn section(class: &str, stage: &str, title: &str, body: Html) -> Html {
    render(&Section { class, stage: one_line(stage), title, body })
}
