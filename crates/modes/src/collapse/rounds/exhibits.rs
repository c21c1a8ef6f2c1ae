//! What a reader is shown of the gates and the scores.

use super::docket::Docket;
use super::position::{Position, reason_text};
use crate::collapse::cards::text::{SHOWN, not_shown};
use crate::collapse::rows::{GateReasonEntry, GatesEntry, GatesRow, ScoresRow};
use synod_math::collapse::score::{ScoreTerms, signs};
use synod_types::*;

/// Which positions were stopped, at which gate. A position that passed all of them has no entry.
pub fn gates(docket: &Docket) -> Exhibit {
    let all = docket.positions.iter().map(|position| position.gates.reasons.len()).sum();
    let entries = docket.positions.iter().flat_map(|position| {
        position.gates.reasons.iter().map(move |reason| FindingEntry {
            id: reason.gate.id().to_owned(),
            title: format!("{}: {}", position.id(), reason_text(position, reason)),
            severity: reason.state.as_str().replace('_', " "),
            location: reason.subject.clone(),
            ..FindingEntry::default()
        })
    });
    let entries = entries.take(SHOWN);
    let positions = docket.positions.iter().map(|position| {
        let reasons = position.gates.reasons.iter().map(|reason| GateReasonEntry {
            gate: reason.gate.id(),
            subject: reason.subject.clone(),
            state: reason.state.as_str(),
        });
        GatesEntry { id: position.id().to_owned(), state: position.gates.state.as_str(), reasons: reasons.collect() }
    });
    let row = GatesRow { positions: positions.collect() };
    let none = "Every position passed all five gates.".to_owned();
    Exhibit::new("Gates", Shape::Findings(Findings { entries: entries.collect(), none })).list("Others", not_shown(all)).data(&row)
}

/// Each position's score with the share of every term in it.
pub fn scores(docket: &Docket) -> Exhibit {
    let best = best(docket);
    let rules = docket.options.policy.score_rules();
    let weights = rules.weights.values();
    let rows = ScoreTerms::NAMES.iter().enumerate().map(|(term, name)| ScoreRow {
        name: (*name).to_owned(),
        weight: Some(signs(rules.signs)[term] * weights[term]),
        cells: best.iter().map(|position| Some(tidy(position.score.parts[term]))).collect(),
        ..ScoreRow::default()
    });
    let shape = Scorecard {
        scale: (-weights[1] - weights[3], weights[0] + weights[2] + weights[4]),
        columns: best.iter().map(|position| position.id().to_owned()).collect(),
        of: "Term".into(),
        rows: rows.collect(),
        totals: best.iter().map(|position| Some(tidy(position.score.value))).collect(),
        overall: None,
        measure: format!("points of each term; the score is their sum, and {} is the threshold", docket.options.policy.threshold),
    };
    let doubted = docket.positions.iter().filter_map(|position| {
        let doubted = position.doubted.as_ref()?;
        let (score, risk) = (&position.score, doubted.terms.risk);
        Some(format!("{}: score {:.2} becomes {:.2}, risk {:.2} becomes {risk:.2}", position.id(), score.value, doubted.value, score.terms.risk))
    });
    let row = ScoresRow { scores: docket.positions.iter().map(|position| position.score_entry()).collect() };
    Exhibit::new("Scores", Shape::Scorecard(shape))
        .list("With the skeptic's doubts, shown beside and not counted", doubted)
        .list("Others", not_shown(docket.positions.len()))
        .data(&row)
}

/// The positions in their own order; of very many those with the best scores.
fn best(docket: &Docket) -> Vec<&Position> {
    let mut places: Vec<usize> = (0..docket.positions.len()).collect();
    places.sort_by(|a, b| docket.positions[*b].score.value.total_cmp(&docket.positions[*a].score.value));
    places.truncate(SHOWN);
    places.sort_unstable();
    places.into_iter().map(|at| &docket.positions[at]).collect()
}

/// Rounded to nine digits: sums of decimal fractions without the error of binary ones.
pub fn tidy(value: f64) -> f64 {
    let rounded = (value * 1e9).round() / 1e9;
    if rounded == 0.0 { 0.0 } else { rounded }
}
