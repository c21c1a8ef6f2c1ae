//! A round in a few lines, for those who come later: what was new, who moved, what is disputed.

use super::state::{ClaimStatus, Extent, State};
use super::tokens::{clip, size};

const MOST: usize = 400;
const SHORT: usize = 150;
const ONE_LINER: usize = 35;
const NOTE: usize = 20;
const ARGUMENT: usize = 25;

/// One seat's part in the round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    pub name: String,
    pub confidence: f64,
    pub delta: Option<f64>,
    /// Kind of move and the ids it touched.
    pub moves: Vec<(&'static str, Vec<String>)>,
    pub note: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub text: String,
    /// The line that says it all, and what is disputed.
    pub short: String,
}

impl Summary {
    /// `since`: the record as it was before.
    pub fn new(title: &str, since: Extent, one_liner: &str, moved: &[Moved], state: &State) -> Self {
        let head = format!("{title}: {}", clip(one_liner, ONE_LINER));
        let contested: Vec<String> = state
            .claims
            .iter()
            .filter(|claim| claim.status == ClaimStatus::Contested)
            .map(|claim| format!("Disputed {}: {} / {}", claim.id, clip(&claim.text, ARGUMENT), clip(&claim.objection, ARGUMENT)))
            .collect();
        let ids = |found: Vec<String>, word: &str| if found.is_empty() { String::new() } else { format!("{word}: {}", found.join(", ")) };
        let new_claims = state.claims.iter().skip(since.claims).map(|claim| claim.id.clone()).collect();
        let new_evidence = state.evidence.iter().skip(since.evidence).map(|evidence| evidence.id.clone()).collect();
        let decided = state.decisions.iter().skip(since.decisions).map(|decision| decision.id.clone()).collect();
        let new = [ids(new_claims, "New claims"), ids(new_evidence, "New evidence"), ids(decided, "Decided")];
        let seats = moved.iter().map(|seat| {
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

/// As many lines as fit, the first ones first. The record holds what is left out here.
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
