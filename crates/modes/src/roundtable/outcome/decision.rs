//! The decision a script branches on, and who dissents.

use super::stops::StopReason;
use crate::roundtable::record::Blocker;
use crate::roundtable::rounds::reply::vote_name;
use crate::roundtable::rounds::{Debate, Round, level_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use synod_math::debate::clusters::words;
use synod_math::debate::mean;
use synod_math::debate::outcome::{AdvisedAction, advise, agreement_level, confidences_conflict};
use synod_types::{Dissent, SeatIx};

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub style: String,
    /// high, medium or low; null where agreement could not be measured.
    pub consensus_level: Option<String>,
    /// From 0 to 1, as read from the last round; else the share of the largest camp.
    pub agreement: Option<f64>,
    /// proceed, verify or query_detail.
    pub action: String,
    /// What stands between the seats.
    pub conflicts: Vec<String>,
    /// Regular rounds held.
    pub rounds: u32,
    /// consensus, convergence, round_cap, too_few, person or closed.
    pub stopped: String,
    pub mean_confidence: Option<f64>,
    pub votes: Votes,
    /// Seats whose BLOCKER stands, by label.
    pub open_blockers: Vec<String>,
    /// What was settled on the way.
    pub decisions: Vec<String>,
    /// Problems nobody answered, by id and text.
    pub unanswered_risks: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Votes {
    pub accept: u32,
    pub minor: u32,
    pub blocker: u32,
    pub missing: u32,
}

pub fn decide(debate: &Debate, stop: StopReason) -> Decision {
    // Seats object because they are told to, so what counts is what they said in the last regular round.
    let last = debate.last_regular();
    let confidences = last.map(Round::confidences).unwrap_or_default();
    let n = confidences.len().max(1) as f64;
    let largest = last.and_then(|round| round.assessment.seats_by_camp().first().map(|(_, seats)| seats.len() as f64 / n));
    let agreement = last.and_then(|round| round.assessment.agreement()).or(largest);
    let mean_confidence = mean(&confidences);
    let mut conflicts = conflicts(debate);
    let blocking = debate.record.open_blockers();
    let action = match advise(mean_confidence.unwrap_or(0.0), agreement.unwrap_or(0.0), conflicts.len()) {
        // However sure the others are, an open blocker is looked at first.
        AdvisedAction::Proceed if !blocking.is_empty() => "verify",
        AdvisedAction::Proceed => "proceed",
        AdvisedAction::Verify => "verify",
        AdvisedAction::QueryDetail => "query_detail",
    };
    let block = |blocker: &&Blocker| {
        let claim = blocker.claim.as_ref().map(|id| format!(" over {id}")).unwrap_or_default();
        format!("{} holds a BLOCKER{claim}", debate.names[blocker.seat])
    };
    conflicts.extend(blocking.iter().map(block));
    let count = |vote: &str| last.into_iter().flat_map(Round::counted).filter(|response| response.turn.vote.as_deref() == Some(vote)).count() as u32;
    let (accept, minor, blocker) = (count("ACCEPT"), count("MINOR"), count("BLOCKER"));
    let missing = (debate.seats() as u32).saturating_sub(accept + minor + blocker);
    Decision {
        style: debate.style.id.to_owned(),
        consensus_level: agreement.map(|agreement| level_name(agreement_level(agreement)).to_owned()),
        agreement,
        action: action.to_owned(),
        conflicts,
        rounds: debate.last_regular().map_or(0, |round| round.number),
        stopped: stop.as_str().to_owned(),
        mean_confidence: mean_confidence.map(|mean| (mean * 1000.0).round() / 1000.0),
        votes: Votes { accept, minor, blocker, missing },
        open_blockers: blocking.iter().map(|blocker| debate.display_name(blocker.seat)).collect(),
        decisions: debate.record.decisions.iter().map(|decision| decision.text.clone()).collect(),
        unanswered_risks: debate
            .record
            .risks
            .iter()
            .filter(|risk| risk.mitigation.is_none())
            .map(|risk| format!("{} {}", risk.id, risk.text))
            .collect(),
    }
}

/// Conflicts between the seats: very different confidence, and positions with opposite words.
fn conflicts(debate: &Debate) -> Vec<String> {
    const OPPOSITES: [(&str, &str); 5] = [("better", "worse"), ("agree", "disagree"), ("support", "oppose"), ("yes", "no"), ("positive", "negative")];
    let Some(last) = debate.last_regular() else { return Vec::new() };
    let mut found = Vec::new();
    if confidences_conflict(&last.confidences()) {
        found.push("the seats are sure by very different measures".to_owned());
    }
    let said: Vec<(usize, BTreeSet<String>)> = last.counted().map(|response| (response.seat, words(&response.turn.position, 2))).collect();
    for (one, other) in OPPOSITES {
        let only = |has: &str, lacks: &str| {
            said.iter()
                .filter(|(_, words)| words.contains(has) && !words.contains(lacks))
                .map(|(seat, _)| debate.names[*seat].clone())
                .collect::<Vec<_>>()
        };
        let (left, right) = (only(one, other), only(other, one));
        if !left.is_empty() && !right.is_empty() {
            found.push(format!("{} say \"{one}\", {} say \"{other}\"", left.join(", "), right.join(", ")));
        }
    }
    found
}

/// The seats outside the largest camp, and those whose blocker is open.
pub fn dissent(debate: &Debate) -> Vec<Dissent> {
    let Some(last) = debate.last_regular() else { return Vec::new() };
    let groups = last.assessment.seats_by_camp();
    let leading = groups.first().map(|(_, seats)| seats.clone()).unwrap_or_default();
    let blocking: Vec<usize> = debate.record.open_blockers().iter().map(|blocker| blocker.seat).collect();
    let apart = last.counted().filter(|response| !leading.contains(&response.seat) || blocking.contains(&response.seat));
    apart
        .map(|response| {
            let vote = response.turn.vote().map(|vote| format!(" ({})", vote_name(vote))).unwrap_or_default();
            Dissent {
                seat: response.seat as SeatIx,
                label: Some(debate.names[response.seat].clone()),
                text: format!("{}{vote}", response.turn.position),
            }
        })
        .collect()
}
