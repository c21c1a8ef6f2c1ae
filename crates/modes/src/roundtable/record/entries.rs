//! What the record holds: claims, evidence, settled points, risks and blockers.

use super::labels::Label;
use super::{CLAIM_TOKENS, DebateRecord, next, same_statement};
use crate::tokens::clip;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use synod_types::words;

words! {
    pub enum ClaimStatus { Open = "open", Contested = "contested", Accepted = "accepted", Retracted = "retracted" }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Claim {
    pub id: String,
    pub text: String,
    pub label: Label,
    pub status: ClaimStatus,
    pub by: usize,
    pub introduced_round: u32,
    pub last_updated_round: u32,
    /// Evidence for it.
    pub support: Vec<String>,
    /// Claims against it.
    pub opposition: Vec<String>,
    /// Seats that support it; its author is one of them at first.
    pub backers: BTreeSet<usize>,
    /// Seats that dispute it now.
    pub challengers: BTreeSet<usize>,
    /// The last objection in words.
    pub objection: String,
}

words! {
    pub enum EvidenceKind { Citation = "citation", ToolOutput = "tool_output", Calculation = "calculation" }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvidenceItem {
    pub id: String,
    pub kind: EvidenceKind,
    pub title: String,
    pub url: Option<String>,
    pub supports: Vec<String>,
    pub gist: String,
    pub added_round: u32,
    #[serde(skip)]
    pub key: String,
}

/// Something decided: by the panel, by the question's own constraints, or by a person.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SettledPoint {
    pub id: String,
    pub text: String,
    pub round: u32,
}

/// A numbered problem, and what answers it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Risk {
    pub id: String,
    pub kind: String,
    pub text: String,
    pub by: usize,
    pub round: u32,
    /// Nobody has answered it since it was last raised.
    pub open: bool,
    /// The last word of each seat that gave one.
    pub answers: Vec<RiskAnswer>,
    /// The risk it repeats: what is said of that one holds for both.
    pub same_as: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RiskAnswer {
    pub by: usize,
    pub round: u32,
    /// False: its seat has no answer and says that the risk stands.
    pub answered: bool,
    /// What prevents or limits the risk, or why it stands.
    pub text: String,
}

impl Risk {
    pub fn is_unanswered(&self) -> bool {
        self.open && self.same_as.is_none()
    }

    /// The seats that say it stands, with why.
    pub fn standing(&self) -> impl Iterator<Item = &RiskAnswer> {
        self.answers.iter().filter(|word| !word.answered)
    }

    /// What became of it, for seats and readers alike.
    pub fn state(&self, names: &[String]) -> String {
        let name = |seat: usize| names.get(seat).map_or("?", String::as_str);
        let answers: Vec<String> =
            self.answers.iter().filter(|word| word.answered).map(|word| format!("{}: {}", name(word.by), word.text.trim_end_matches('.'))).collect();
        let stands: Vec<String> = self
            .standing()
            .map(|word| match word.text.trim_end_matches('.') {
                "" => format!("stands, says {}", name(word.by)),
                why => format!("stands, says {}: {why}", name(word.by)),
            })
            .collect();
        let told = match (self.open, answers.is_empty()) {
            (true, true) if stands.is_empty() => "unanswered".to_owned(),
            (_, true) => String::new(),
            (true, false) => format!("raised again after {}", answers.join("; ")),
            (false, false) => format!("answered by {}", answers.join("; ")),
        };
        [told].into_iter().filter(|told| !told.is_empty()).chain(stands).collect::<Vec<_>>().join("; ")
    }

    /// Raised again after somebody had answered it, it is open again.
    fn raise(&mut self, round: u32) {
        let answered = self.answers.iter().filter(|word| word.answered).map(|word| word.round).max();
        self.open |= answered.is_some_and(|answered| round > answered);
    }
}

/// A BLOCKER, and the claim that must change, if it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocker {
    pub seat: usize,
    pub claim: Option<String>,
}

impl DebateRecord {
    /// Adds a problem and returns its id; one that is there already, in nearly the same words, keeps its id.
    pub fn add_risk(&mut self, by: usize, round: u32, kind: &str, text: &str, mitigation: &str) -> String {
        let known = self.risks.iter().position(|risk| risk.same_as.is_none() && same_statement(&risk.text, text));
        let at = match known {
            Some(at) => {
                self.risks[at].raise(round);
                at
            }
            None => {
                let id = next(&mut self.issued.risks, 'R');
                let (kind, text) = (kind.to_owned(), clip(text, CLAIM_TOKENS));
                self.risks.push(Risk { id, kind, text, by, round, open: true, answers: Vec::new(), same_as: None });
                self.risks.len() - 1
            }
        };
        let id = self.risks[at].id.clone();
        self.answer_risk(by, round, &id, true, mitigation);
        id
    }

    /// A seat's last word on a problem. Only an answer closes it: whoever says that it stands leaves it as it is.
    pub fn answer_risk(&mut self, by: usize, round: u32, id: &str, answered: bool, text: &str) {
        let text = clip(text, CLAIM_TOKENS);
        let Some(risk) = self.risks.iter_mut().find(|risk| risk.id == id).filter(|_| !answered || !text.is_empty()) else { return };
        risk.answers.retain(|word| word.by != by);
        risk.answers.push(RiskAnswer { by, round, answered, text });
        risk.open &= !answered;
    }

    /// Makes one problem of two that mean the same: the newer is shown as a repetition of the older, its answers count for both, and where it
    /// was raised after the older one had been answered, that one is open again.
    pub fn merge_risks(&mut self, one: &str, other: &str) {
        let place = |id: &str| self.risks.iter().position(|risk| risk.id == id && risk.same_as.is_none());
        let (Some(one), Some(other)) = (place(one), place(other)) else { return };
        let (first, again) = (one.min(other), one.max(other));
        if first == again {
            return;
        }
        let (round, open, answers) = (self.risks[again].round, self.risks[again].open, std::mem::take(&mut self.risks[again].answers));
        self.risks[again].same_as = Some(self.risks[first].id.clone());
        let kept = &mut self.risks[first];
        match (open, answers.iter().any(|word| word.answered)) {
            // Raised again after an answer of its own.
            (true, true) => kept.open = true,
            (true, false) => kept.raise(round),
            (false, _) => kept.open = false,
        }
        for answer in answers {
            if !kept.answers.iter().any(|known| known.by == answer.by) {
                kept.answers.push(answer);
            }
        }
    }
}
