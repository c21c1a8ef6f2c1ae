//! The exhibits of a debate that are computed from several turns: the summary of the revisions, the count of votes and marks, the winner.

use super::Decision;
use super::ballot::RevisionMarks;
use super::revision::{RevisedAnswer, Stance};
use super::rows::{DebateTallyRow, DebateWinnerRow, RevisionSummaryRow};
use crate::labelled::LabelledAnswer;
use crate::tally::{self, TallyRow};
use crate::text::words;
use synod_math::Tally as Count;
use synod_types::*;

pub fn summary_exhibit(first: &[LabelledAnswer], revised: &[RevisedAnswer]) -> Exhibit {
    let how_many = |stance: Option<Stance>| revised.iter().filter(|revised| revised.stance == stance).count() as u32;
    let word = |stance: Option<Stance>| stance.map_or("failed", Stance::as_str).to_lowercase();
    let points = first.iter().zip(revised).map(|(answer, revised)| Point {
        label: answer.label.clone(),
        seat: Some(answer.seat),
        choice: word(revised.stance),
        note: format!("{} words, now {}", words(&revised.original), words(&revised.text)),
        ..Point::default()
    });
    let mut shares: Vec<(String, u32)> =
        Stance::ALL.map(Some).into_iter().chain([None]).map(|stance| (word(stance), how_many(stance))).filter(|(_, n)| *n > 0).collect();
    shares.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let [revise, stand, merge] = Stance::ALL.map(|stance| how_many(Some(stance)));
    let data = RevisionSummaryRow { total_models: revised.len(), revised: revise, stood: stand, merged: merge, parse_failed: how_many(None) };
    let measure = "what each debater did with its answer".to_owned();
    Exhibit::new("What the debaters did", Shape::Distribution(Distribution { points: points.collect(), shares, measure, ..Distribution::default() }))
        .data(&data)
}

pub fn tally_exhibit(count: &Count, answers: &[LabelledAnswer], marks: &[RevisionMarks]) -> Exhibit {
    let marks = answers.iter().zip(marks).map(|(answer, marks)| (answer.label.clone(), Some(*marks).filter(|marks| marks.readers > 0)));
    let data = DebateTallyRow { tally: TallyRow::of(count, answers), revision_marks: marks.collect() };
    tally::tally_exhibit(count, answers).data(&data)
}

pub fn winner_exhibit(decision: &Decision, won: &LabelledAnswer, tiebroken: bool) -> Exhibit {
    let data = DebateWinnerRow {
        winner_label: won.label.clone(),
        winner_model: decision.model.clone(),
        winner_decision: decision.decision,
        vote_count: decision.votes,
        total_votes: decision.of,
        tiebroken,
        tiebreak_method: decision.tiebreak,
        lost_to_original: decision.lost_to_original,
    };
    let statement = Statement { label: Some(won.label.clone()), text: Some(won.text.clone()), ..Statement::default() };
    Exhibit::new(format!("Winner {}", won.label), Shape::Statement(statement)).by(won.seat, "winner").turn(&won.key).data(&data)
}
