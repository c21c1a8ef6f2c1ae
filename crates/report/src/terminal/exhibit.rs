//! Which exhibits stand where in a terminal, and under which headings.

use super::paper::Paper;
use super::thread;
use crate::shapes;
use crate::thread::{Piece, in_conversation, pieces};
use crate::view::View;
use crate::words;
use synod_types::{Shape, Shown};

/// How much of an exhibit is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Beside the answer: a line an entry, and no long list.
    Brief,
    /// With its phase: all of it, but of the many statements of a long debate their beginnings.
    Whole,
    Full,
}

/// The exhibits behind the answer, in order; ballots of one phase as one table.
pub fn deciding(paper: &mut Paper, view: &View) {
    for phase in &view.phases {
        let shown: Vec<&Shown> = phase.exhibits.iter().filter(|shown| words::decides(view, shown) || short(view, shown)).collect();
        several_shown(paper, view, &shown, Length::Brief);
    }
}

/// What the seats answered before anything was made of it, each whole and under its name.
pub fn answers(paper: &mut Paper, view: &View) {
    let own = view.verdict.as_ref().and_then(|verdict| verdict.answer.as_ref()).map(|answer| answer.text.as_str());
    let said: Vec<(&Shown, String)> = view
        .exhibits()
        .filter(|shown| matches!(shown.exhibit.shape, Shape::Statement(_)))
        .filter_map(|shown| Some((shown, view.words(&shown.exhibit)?)))
        .filter(|(_, words)| own.is_none_or(|own| own.trim() != words.trim()))
        .collect();
    for (shown, text) in said {
        let who = shown.exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::seat(view, seat));
        paper.heading(&format!("{} of {who}", words::title(view, &shown.exhibit)));
        paper.prose("  ", &text);
    }
}

/// What other media keep with its phase and is short enough here to stand beside the answer.
fn short(view: &View, shown: &Shown) -> bool {
    match &shown.exhibit.shape {
        Shape::Ballot(_) | Shape::Revision(_) => true,
        // Its contents alone: the full form has its text.
        Shape::Document(_) => words::latest(view, shown),
        // A conversation is read where it took place.
        Shape::Statement(_) => in_conversation(view, shown),
        Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) | Shape::Note { .. } => false,
        Shape::Bracket(_) | Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) => false,
        Shape::Findings(_) | Shape::Checks(_) | Shape::Clusters(_) | Shape::Graph(_) | Shape::Shifts(_) | Shape::Card(_) => false,
    }
}

/// Exhibits in order, a conversation as one.
pub fn several_shown(paper: &mut Paper, view: &View, shown: &[&Shown], length: Length) {
    for piece in pieces(view, shown) {
        match piece {
            Piece::Plain(list) => plain_shown(paper, view, &list, length),
            Piece::Thread(said) => thread::thread(paper, view, &said, length),
            Piece::Aside(title, list) => thread::aside(paper, view, title, &list, length),
        }
    }
}

/// Neighbouring ballots, revisions, and words of turns, under one heading.
pub fn plain_shown(paper: &mut Paper, view: &View, shown: &[&Shown], length: Length) {
    for group in shown.chunk_by(|a, b| heading(a).is_some() && heading(a) == heading(b)) {
        paper.heading(heading(group[0]).unwrap_or(&words::title(view, &group[0].exhibit)));
        for each in group {
            shapes::terminal(paper, view, &each.exhibit, length);
        }
    }
}

/// What exhibits of a kind stand under together; `None`: under their own title.
fn heading(shown: &Shown) -> Option<&'static str> {
    match &shown.exhibit.shape {
        Shape::Ballot(_) => Some("Ballots"),
        Shape::Revision(_) => Some("Revisions"),
        Shape::Statement(statement) if statement.text.is_none() => Some("Shown, in the words of these turns"),
        Shape::Statement(_) | Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) | Shape::Note { .. } => None,
        Shape::Bracket(_) | Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) => None,
        Shape::Findings(_) | Shape::Checks(_) | Shape::Clusters(_) | Shape::Document(_) | Shape::Graph(_) => None,
        Shape::Shifts(_) | Shape::Card(_) => None,
    }
}
