//! Exhibits as terminal text, one function a shape.

use super::paper::{Bar, Ink, Paper};
use super::shapes;
use super::thread;
use crate::figures::{self, several, shares};
use crate::text::one_line;
use crate::thread::{Piece, in_conversation, pieces};
use crate::view::View;
use crate::words;
use synod_types::{Ballot, Exhibit, Ranking, Rule, Shape, Shown, Statement, Tally};

/// How much of an exhibit is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Beside the answer: a line an entry, and no long list.
    Brief,
    /// With its phase: all of it, but of the many statements of a long debate their beginnings.
    Whole,
    Full,
}

/// More statements than this are a long debate, and this much of each is enough to follow it.
const MANY: usize = 12;
const BEGINNING: usize = 400;

/// The exhibits behind the answer, in order; ballots of one phase as one table.
pub fn deciding(paper: &mut Paper, view: &View) {
    for phase in &view.phases {
        let shown: Vec<&Shown> = phase.exhibits.iter().filter(|shown| words::decides(view, shown) || short(view, shown)).collect();
        several_shown(paper, view, &shown, Length::Brief);
    }
}

/// What other media keep with its phase and is short enough here to stand beside the answer.
fn short(view: &View, shown: &Shown) -> bool {
    match &shown.exhibit.shape {
        Shape::Ballot(_) | Shape::Revision(_) => true,
        // Its contents alone: the answer holds the text.
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
            exhibit(paper, view, &each.exhibit, length);
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

fn exhibit(paper: &mut Paper, view: &View, exhibit: &Exhibit, length: Length) {
    match &exhibit.shape {
        Shape::Statement(shape) => statement(paper, view, exhibit, shape, length),
        Shape::Ballot(shape) => ballot(paper, view, exhibit, shape),
        Shape::Tally(shape) => tally(paper, view, shape),
        Shape::Ranking(shape) => ranking(paper, view, shape),
        Shape::Bracket(shape) => shapes::bracket(paper, view, shape, length),
        Shape::Scorecard(shape) => shapes::scorecard(paper, shape),
        Shape::Distribution(shape) => shapes::distribution(paper, view, shape, length),
        Shape::Series(shape) => shapes::series(paper, shape, length),
        Shape::Revision(shape) => shapes::revision(paper, view, exhibit, shape, length),
        Shape::Findings(shape) => shapes::findings(paper, shape, length),
        Shape::Checks(shape) => shapes::checks(paper, shape, length),
        Shape::Clusters(shape) => shapes::clusters(paper, shape, length),
        Shape::Shifts(shape) => shapes::shifts(paper, shape),
        Shape::Card(shape) => shapes::card(paper, shape, length),
        Shape::Document(shape) => shapes::document(paper, view, shape, length),
        Shape::Graph(shape) => shapes::graph(paper, view, shape, length),
        Shape::Rule(shape) => rule(paper, shape),
        Shape::Note { text } => note(paper, text),
    }
}

fn statement(paper: &mut Paper, view: &View, exhibit: &Exhibit, statement: &Statement, length: Length) {
    let who = exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::seat(view, seat));
    let label = statement.label.as_ref().map(|label| format!(", as {}", one_line(label))).unwrap_or_default();
    let reply = statement.reply_to.as_ref().map(|to| format!(", in reply to {}", words::label(view, to))).unwrap_or_default();
    let turn = exhibit.turn.as_ref().map(|key| format!(" ({})", one_line(key))).unwrap_or_default();
    paper.para(Ink::PLAIN, "  ", &format!("{who}{label}{reply}{turn}"));
    let Some(text) = &statement.text else { return };
    let spoken = view.exhibits().filter(|shown| matches!(&shown.exhibit.shape, Shape::Statement(other) if other.text.is_some())).count();
    if length == Length::Full || spoken <= MANY || text.chars().count() <= BEGINNING {
        paper.prose("  ", text);
    } else {
        paper.para(Ink::PLAIN, "  ", &words::glance(text, BEGINNING, paper.ellipsis()));
    }
}

fn ballot(paper: &mut Paper, view: &View, exhibit: &Exhibit, ballot: &Ballot) {
    let who = exhibit.seat.map_or_else(|| one_line(&exhibit.title), |seat| words::seat(view, seat));
    let counted = ballot.abstained.is_none() && !ballot.choice.is_empty();
    let ink = if counted { Ink::PLAIN } else { Ink::ALARM };
    paper.hanging(ink, if counted { "  " } else { "! " }, "      ", &format!("{who}: {}", words::choice(view, ballot)));
    if let Some(reasons) = &ballot.reasons {
        let short = words::glance(reasons, 200, paper.ellipsis());
        paper.para(Ink::DIM, "      ", &short);
    }
}

fn tally(paper: &mut Paper, view: &View, tally: &Tally) {
    let votes: Vec<Option<f64>> = tally.entries.iter().map(|entry| Some(f64::from(entry.votes))).collect();
    let most = votes.iter().flatten().copied().fold(0.0, f64::max);
    let rows: Vec<Bar> = tally
        .entries
        .iter()
        .map(|entry| {
            let wins = tally.winners.contains(&entry.label);
            let note = match (wins, tally.winners.len()) {
                (false, _) => "",
                (true, 1) => "winner",
                (true, _) => "tied",
            };
            Bar {
                name: format!("{} {}", one_line(&entry.label), words::seat(view, entry.seat)),
                share: (most > 0.0).then(|| f64::from(entry.votes) / most),
                value: several(u64::from(entry.votes), "vote", "votes"),
                note: note.to_owned(),
                ink: if wins { Ink::MARK } else { Ink::PLAIN },
            }
        })
        .collect();
    paper.bars(&rows);
    paper.para(Ink::DIM, "  ", &words::tally_sum(tally));
}

fn ranking(paper: &mut Paper, view: &View, ranking: &Ranking) {
    let scores: Vec<Option<f64>> = ranking.entries.iter().map(|entry| entry.score).collect();
    let (shares, values) = (shares(&scores), figures::scores(&scores));
    let rows: Vec<Bar> = ranking
        .entries
        .iter()
        .enumerate()
        .map(|(i, entry)| Bar {
            name: format!("{}. {} {}", i + 1, one_line(&entry.label), words::seat(view, entry.seat)),
            share: shares.as_ref().map(|shares| shares[i]),
            value: values[i].clone(),
            note: words::ranking_note(entry),
            ink: if i == 0 { Ink::MARK } else { Ink::PLAIN },
        })
        .collect();
    paper.bars(&rows);
    paper.para(Ink::DIM, "  ", &words::ranking_sum(ranking));
}

fn rule(paper: &mut Paper, rule: &Rule) {
    paper.para(Ink::PLAIN, "  ", &one_line(&rule.decided));
    let numbers = words::numbers(&rule.numbers);
    let by = if rule.rung.is_empty() { String::new() } else { format!("by {}", one_line(&rule.rung)) };
    let line = [by, numbers].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    if !line.is_empty() {
        paper.para(Ink::DIM, "  ", &line);
    }
}

fn note(paper: &mut Paper, text: &str) {
    paper.prose("  ", text);
}
