//! A round and the responses in it.

use super::analysis::RoundAssessment;
use super::reply::Turn;
use super::safety::{Checked, Evaluation};
use crate::roundtable::prompting::RoundSummary;
use crate::roundtable::record::{Audit, LabelCounts, RecordChanges, RecordSize};
use crate::roundtable::rows::RoleViolation;
use synod_math::debate::exits::{SeatMove, position_changed};
use synod_types::ToolRun;

/// One seat's turn, checked for safety and taken into the record.
#[derive(Clone, Debug)]
pub struct Response {
    pub seat: usize,
    pub key: String,
    pub turn: Turn,
    pub audit: Audit,
    pub tools: Vec<ToolRun>,
    pub changes: RecordChanges,
    pub label_counts: LabelCounts,
    /// Why it was withheld.
    pub blocked: Option<String>,
    pub evaluation: Option<Evaluation>,
    /// The key of the evaluator's turn.
    pub evaluation_key: Option<String>,
    /// An evaluator was called in for it and could not read it.
    pub unread: bool,
    /// What its role asked of it and what it did: another stance, or answers where it is only to attack.
    pub violation: Option<RoleViolation>,
    /// Risks it was to answer and left unanswered.
    pub owed: Vec<String>,
    /// How sure its seat was in the regular round before.
    pub prior: Option<PriorConfidence>,
}

/// How sure a seat was when it last spoke in a regular round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriorConfidence {
    pub round: u32,
    pub confidence: f64,
}

impl Response {
    /// The change of its seat's confidence.
    pub fn delta(&self) -> Option<f64> {
        self.prior.map(|prior| self.turn.confidence - prior.confidence)
    }
}

/// A round of responses, and what was made of them.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Of the regular round; an objection round has the number of the round it follows.
    pub number: u32,
    pub objection: bool,
    pub responses: Vec<Response>,
    /// The run was closing before all had spoken.
    pub closed: bool,
    /// A vote was asked for.
    pub votes: bool,
    /// How much of the record there was before it.
    pub record_before: RecordSize,
    /// Cited facts that nobody had claimed before this round, each counted once.
    pub new_facts: usize,
    /// Distinct sources cited and overlap of premises, as they were when it ended.
    pub sources: usize,
    pub overlap: Option<f64>,
    pub assessment: RoundAssessment,
    /// How the analysis was checked, with the key of its turn; `None` where there is none.
    pub analysis_check: Option<(String, Checked)>,
    pub summary: RoundSummary,
}

impl Round {
    /// The evaluator read all of it, and found nothing.
    pub fn clean(&self) -> bool {
        let responses =
            self.responses.iter().all(|response| response.blocked.is_none() && response.evaluation.as_ref().is_some_and(Evaluation::clean));
        responses && self.analysis_check.iter().all(|(_, check)| check.clean())
    }
    /// The responses that were not withheld.
    pub fn counted(&self) -> impl Iterator<Item = &Response> {
        self.responses.iter().filter(|response| response.blocked.is_none())
    }
    pub fn confidences(&self) -> Vec<f64> {
        self.counted().map(|response| response.turn.confidence).collect()
    }
    /// How the seats moved that spoke in both rounds.
    pub fn moves(&self, before: &Self) -> Vec<SeatMove> {
        let step = |now: &Response| {
            let then = before.counted().find(|then| then.seat == now.seat)?;
            let changed = position_changed(&then.turn.position, &now.turn.position);
            Some(SeatMove { before: then.turn.confidence, now: now.turn.confidence, changed })
        };
        self.counted().filter_map(step).collect()
    }
    /// `round_2` or `objection_2`: how its stored rows begin.
    pub fn prefix(&self) -> String {
        format!("{}_{}", if self.objection { "objection" } else { "round" }, self.number)
    }
    pub fn title(&self) -> String {
        if self.objection { format!("Objections after round {}", self.number) } else { format!("Round {}", self.number) }
    }
}
