//! A round in a few lines, for the prompts of later rounds: what was new, who moved, what is disputed.

use crate::roundtable::record::{ClaimStatus, DebateRecord, RecordSize};
use crate::tokens::{clip, size};

const MOST: usize = 400;
const SHORT: usize = 150;
const ONE_LINER: usize = 35;
const NOTE: usize = 20;
const ARGUMENT: usize = 25;

/// One seat's part in the round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatMoves {
    pub name: String,
    pub confidence: f64,
    pub delta: Option<f64>,
    /// Kind of move and the ids it touched.
    pub moves: Vec<(&'static str, Vec<String>)>,
    pub note: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundSummary {
    pub text: String,
    /// The line that says it all, and what is disputed.
    pub short: String,
}

impl RoundSummary {
    /// `record_before`: the size of the record before the round.
    pub fn new(title: &str, record_before: RecordSize, one_liner: &str, moves: &[SeatMoves], record: &DebateRecord) -> Self {
        let head = format!("{title}: {}", clip(one_liner, ONE_LINER));
        let contested: Vec<String> = record
            .claims
            .iter()
            .filter(|claim| claim.status == ClaimStatus::Contested)
            .map(|claim| format!("Disputed {}: {} / {}", claim.id, clip(&claim.text, ARGUMENT), clip(&claim.objection, ARGUMENT)))
            .collect();
        let ids = |found: Vec<String>, word: &str| if found.is_empty() { String::new() } else { format!("{word}: {}", found.join(", ")) };
        let new_claims = record.claims.iter().skip(record_before.claims).map(|claim| claim.id.clone()).collect();
        let new_evidence = record.evidence.iter().skip(record_before.evidence).map(|evidence| evidence.id.clone()).collect();
        let decided = record.decisions.iter().skip(record_before.decisions).map(|decision| decision.id.clone()).collect();
        let new = [ids(new_claims, "New claims"), ids(new_evidence, "New evidence"), ids(decided, "Decided")];
        let seats = moves.iter().map(|seat| {
            let delta = seat.delta.map(|delta| format!(" ({delta:+.2})")).unwrap_or_default();
            let moves: Vec<String> =
                seat.moves.iter().filter(|(_, ids)| !ids.is_empty()).map(|(kind, ids)| format!("{kind} {}", ids.join(" "))).collect();
            let moves = if moves.is_empty() { String::new() } else { format!("; {}", moves.join(", ")) };
            let note = if seat.note.is_empty() { String::new() } else { format!(" – {}", clip(&seat.note, NOTE)) };
            format!("{} {:.2}{delta}{moves}{note}", seat.name, seat.confidence)
        });
        let lines = [head.clone()].into_iter().chain(contested.iter().cloned()).chain(new).chain(seats).filter(|line| !line.is_empty());
        let short = [head].into_iter().chain(contested.iter().cloned());
        Self { text: within(lines, MOST), short: within(short, SHORT) }
    }
}

/// As many lines as fit, from the first on. What is left out here is in the record.
fn within(lines: impl Iterator<Item = String>, most: usize) -> String {
    let mut text = String::new();
    for line in lines {
        let longer = if text.is_empty() { line } else { format!("{text}\n{line}") };
        if size(&longer) > most {
            break;
        }
        text = longer;
    }
    text
}
