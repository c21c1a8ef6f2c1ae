//! What is said of any exhibit, and of those with votes and ranks: whose it is, whether it stands near the answer, what its numbers come to.

use super::{label, seat};
use crate::figures::{score, several};
use crate::text::one_line;
use crate::view::{Phase, View};
use std::mem::discriminant;
use synod_types::{Ballot, Exhibit, Ranking, RankingEntry, Shape, Shown, Tally};

/// True for the exhibits that say how the answer came about; they stand near it, the others with their phase.
pub fn decides(view: &View, shown: &Shown) -> bool {
    let computed = shown.exhibit.seat.is_none();
    match &shown.exhibit.shape {
        // A card is what a debate found.
        Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) | Shape::Card(_) | Shape::Shifts(_) => true,
        // What one seat found or scored is evidence; what was made of all of it decides.
        Shape::Scorecard(_) | Shape::Series(_) | Shape::Findings(_) | Shape::Checks(_) => computed,
        Shape::Distribution(_) | Shape::Clusters(_) => computed && latest(view, shown),
        Shape::Bracket(_) | Shape::Graph(_) => latest(view, shown),
        Shape::Ballot(_) | Shape::Statement(_) | Shape::Revision(_) | Shape::Document(_) | Shape::Note { .. } => false,
    }
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
    let title = one_line(&exhibit.title);
    let owned = match &exhibit.shape {
        // A card's or shift's people are named in it.
        Shape::Shifts(_) | Shape::Card(_) => false,
        // A rule's or tally's seat is whom it is about.
        Shape::Statement(_) | Shape::Ballot(_) | Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) | Shape::Note { .. } => false,
        Shape::Bracket(_) | Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) | Shape::Revision(_) => true,
        Shape::Findings(_) | Shape::Checks(_) | Shape::Clusters(_) | Shape::Document(_) | Shape::Graph(_) => true,
    };
    match exhibit.seat.filter(|_| owned) {
        Some(index) => format!("{title}, by {}", seat(view, index)),
        None => title,
    }
}

/// How a ballot was cast: `K3 (opus) > T9 (gpt)`, `K3 (opus)`, or why it does not count.
pub fn choice(view: &View, ballot: &Ballot) -> String {
    if let Some(why) = &ballot.abstained {
        return format!("abstained: {}", one_line(why));
    }
    if ballot.choice.is_empty() {
        return "abstained".to_owned();
    }
    ballot.choice.iter().map(|each| label(view, each)).collect::<Vec<_>>().join(" > ")
}

/// The numbers behind a rule: `top 3, second 2`.
pub fn numbers(numbers: &[(String, f64)]) -> String {
    numbers.iter().map(|(name, value)| format!("{} {}", one_line(name), score(*value))).collect::<Vec<_>>().join(", ")
}

/// What a tally's bars do not say.
pub fn tally_sum(tally: &Tally) -> String {
    let mut sum = format!("{} counted", several(u64::from(tally.valid), "ballot", "ballots"));
    if tally.invalid > 0 {
        sum.push_str(&format!(", {} not", tally.invalid));
    }
    match tally.winners.len() {
        0 => sum.push_str("; no winner"),
        1 => {}
        n => sum.push_str(&format!("; {n} tied for first")),
    }
    sum
}

pub fn ranking_sum(ranking: &Ranking) -> String {
    let mut sum = several(u64::from(ranking.ballots), "ballot", "ballots");
    if !ranking.measure.is_empty() {
        sum.push_str(&format!("; score: {}", one_line(&ranking.measure)));
    }
    if let Some(rung) = &ranking.tie_rung {
        sum.push_str(&format!("; equal scores ordered by {}", one_line(rung)));
    }
    sum
}

pub fn ranking_note(entry: &RankingEntry) -> String {
    let mut parts = Vec::new();
    if entry.first_places > 0 {
        parts.push(format!("first on {}", several(u64::from(entry.first_places), "ballot", "ballots")));
    }
    if let Some(mean) = entry.mean_position {
        parts.push(format!("mean place {mean:.2}"));
    }
    parts.join(", ")
}
