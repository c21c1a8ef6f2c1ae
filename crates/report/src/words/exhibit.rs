//! What is said of any exhibit: whose it is, and whether it stands near the answer.

use super::seat;
use crate::text::one_line;
use crate::view::{Phase, View};
use std::mem::discriminant;
use synod_types::{Exhibit, SeatIx, Shape, Shown};

/// True for the exhibits that say how the answer came about; they stand near it, the others with their phase.
pub fn decides(view: &View, shown: &Shown) -> bool {
    let computed = shown.exhibit.seat.is_none();
    match &shown.exhibit.shape {
        Shape::Tally(_) | Shape::Ranking(_) => true,
        Shape::Rule(_) => newest(view, shown),
        // A card is what a debate found. Where the answer tells it, it stands with its phase and is not set beside the answer again.
        Shape::Card(card) => !answered_with(view, [card.question.as_str()]),
        Shape::Shifts(shifts) => !answered_with(view, shifts.entries.iter().flat_map(|shift| [shift.name.as_str(), shift.summary.as_str()])),
        // What one seat found or scored is evidence; what was made of all of it decides.
        Shape::Scorecard(_) | Shape::Series(_) | Shape::Findings(_) | Shape::Checks(_) => computed && newest(view, shown),
        Shape::Distribution(_) | Shape::Clusters(_) => computed && latest(view, shown),
        Shape::Bracket(_) | Shape::Graph(_) => latest(view, shown),
        Shape::Ballot(_) | Shape::Statement(_) | Shape::Revision(_) | Shape::Document(_) | Shape::Note { .. } => false,
    }
}

/// Whether there are such texts and the answer holds every one of them.
fn answered_with<'a>(view: &View, texts: impl IntoIterator<Item = &'a str>) -> bool {
    let Some(answer) = view.verdict.as_ref().and_then(|verdict| verdict.answer.as_ref()) else { return false };
    let answer = one_line(&answer.text);
    let mut texts = texts.into_iter().map(one_line).peekable();
    texts.peek().is_some_and(|first| !first.is_empty()) && texts.all(|text| answer.contains(&text))
}

/// True unless a later round shows the same again under the same name: then only the last of them says how it ended.
fn newest(view: &View, shown: &Shown) -> bool {
    let same = |each: &&Shown| each.stage == shown.stage && each.exhibit.title == shown.exhibit.title && each.exhibit.seat == shown.exhibit.seat;
    view.exhibits().filter(same).last().is_none_or(|last| std::ptr::eq(last, shown))
}

/// True for the last exhibit of its kind: some show how things stand, and each takes the place of the one before.
pub fn latest(view: &View, shown: &Shown) -> bool {
    // A run has one contest, plan and document, but may ask several things of its panel. Rounds may be numbered in a stage's name.
    let whole_run = matches!(shown.exhibit.shape, Shape::Bracket(_) | Shape::Graph(_) | Shape::Document(_));
    let subject = |each: &Shown| each.stage.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let same =
        |each: &&Shown| discriminant(&each.exhibit.shape) == discriminant(&shown.exhibit.shape) && (whole_run || subject(each) == subject(shown));
    view.exhibits().filter(same).last().is_none_or(|last| std::ptr::eq(last, shown))
}

/// The turns whose words an exhibit of the phase shows, so that they need not be shown twice.
pub fn quoted(phase: &Phase) -> Vec<&str> {
    phase.exhibits.iter().filter(|shown| quotes(&shown.exhibit.shape)).filter_map(|shown| shown.exhibit.turn.as_deref()).collect()
}

/// The turns whose words no page prints, neither as they were read nor as they came.
pub fn covered(phase: &Phase) -> Vec<&str> {
    phase.exhibits.iter().flat_map(|shown| &shown.exhibit.covers).map(String::as_str).collect()
}

/// True for shapes that hold all that a turn said, not only the numbers or changes taken from it.
fn quotes(shape: &Shape) -> bool {
    match shape {
        Shape::Statement(_) | Shape::Ballot(_) | Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) | Shape::Note { .. } => true,
        Shape::Findings(_) | Shape::Checks(_) | Shape::Clusters(_) | Shape::Document(_) | Shape::Shifts(_) | Shape::Card(_) => true,
        Shape::Bracket(_) | Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) | Shape::Revision(_) | Shape::Graph(_) => false,
    }
}

/// The title, with whose it is where the exhibit itself does not say so.
pub fn title(view: &View, exhibit: &Exhibit) -> String {
    let owned = match &exhibit.shape {
        // A card's or shift's people are named in it.
        Shape::Shifts(_) | Shape::Card(_) => false,
        // A rule's or tally's seat is whom it is about.
        Shape::Statement(_) | Shape::Ballot(_) | Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) => false,
        // Among others a seat that gave nothing: the note says why, not who.
        Shape::Note { .. } => true,
        Shape::Bracket(_) | Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) | Shape::Revision(_) => true,
        Shape::Findings(_) | Shape::Checks(_) | Shape::Clusters(_) | Shape::Document(_) | Shape::Graph(_) => true,
    };
    if owned { signed(view, exhibit) } else { one_line(&exhibit.title) }
}

/// The title with whose it is, unless it names them itself.
pub fn signed(view: &View, exhibit: &Exhibit) -> String {
    let title = one_line(&exhibit.title);
    match exhibit.seat.map(|index| seat(view, index)) {
        Some(who) if !title.contains(&who) => match who.split_once(" (") {
            // A seat that is called by its role, and the title has the role: only the model is missing.
            Some((role, model)) if title.contains(role) => format!("{title} ({model}"),
            Some(_) | None => format!("{title}, by {who}"),
        },
        Some(_) | None => title,
    }
}

/// Whether titles say more than whose each is, so that a list of names alone would hide what is what.
pub fn told_apart(view: &View, shown: &[&Shown]) -> bool {
    let bare: Vec<String> = shown.iter().map(|each| bare_title(view, &each.exhibit)).collect();
    bare.windows(2).any(|pair| pair[0] != pair[1])
}

/// A title without the label and the name of its seat.
fn bare_title(view: &View, exhibit: &Exhibit) -> String {
    let title = one_line(&exhibit.title);
    let title = exhibit.seat.map_or_else(|| title.clone(), |index| title.replace(&seat(view, index), ""));
    let label = match &exhibit.shape {
        Shape::Statement(statement) => statement.label.as_deref(),
        _ => None,
    };
    title.split_whitespace().filter(|word| Some(*word) != label).collect::<Vec<_>>().join(" ")
}

/// A speaker as the others at the table call them: the persona, where there is one.
pub fn called(view: &View, seat: SeatIx) -> String {
    let persona = view.header.as_ref().and_then(|header| header.seat(seat)).and_then(|seat| seat.persona.as_deref());
    persona.map_or_else(|| super::seat(view, seat), one_line)
}

/// Whom a statement answers.
pub fn answered(view: &View, label: &str) -> String {
    view.author(label).map_or_else(|| one_line(label), |seat| called(view, seat))
}
