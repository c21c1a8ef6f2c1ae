//! A round and the responses in it. A seat's last regular response is where it stands.

use super::analysis::RoundAssessment;
use super::reply::Turn;
use super::safety::{Checked, Evaluation};
use crate::roundtable::prompting::RoundSummary;
use crate::roundtable::record::{Audit, LabelCounts, RecordChanges, RecordSize, same_statement};
use crate::roundtable::rows::RoleViolation;
use synod_engine::SeatFailure;
use synod_math::debate::exits::SeatMove;
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
    /// As it arrived: nothing was checked or taken in yet.
    pub fn new(seat: usize, key: String, turn: Turn, audit: Audit) -> Self {
        Self {
            seat,
            key,
            turn,
            audit,
            tools: Vec::new(),
            changes: RecordChanges::default(),
            label_counts: LabelCounts::default(),
            blocked: None,
            evaluation: None,
            evaluation_key: None,
            unread: false,
            violation: None,
            owed: Vec::new(),
            prior: None,
        }
    }

    /// The change of its seat's confidence.
    pub fn delta(&self) -> Option<f64> {
        self.prior.map(|prior| self.turn.confidence - prior.confidence)
    }

    /// Whether its seat holds another position than in an earlier response: it took a claim back, voted otherwise or changed sides. Else who
    /// says MAINTAIN has not moved, whatever words it uses; where a seat does not say, the words tell.
    fn moved_from(&self, then: &Self) -> bool {
        let (now, before) = (&self.turn, &then.turn);
        let other = |now: &Option<String>, before: &Option<String>| now.is_some() && before.is_some() && now != before;
        let left = !self.changes.withdrawn.is_empty() || other(&now.vote, &before.vote) || other(&now.stance, &before.stance);
        match now.position_change.as_deref() {
            Some("MAINTAIN") => left,
            Some(_) => true,
            None => left || !same_statement(&before.position, &now.position),
        }
    }
}

/// What seats are asked for in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoundKind {
    #[default]
    Regular,
    /// Every seat must object. Nobody's position, vote or confidence is changed by it.
    Objection,
    /// After the last round: answers to the risks that are still open.
    Closing,
}

/// A round of responses, and what was made of them.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Of the regular round; objections and closing answers have the number of the round they follow.
    pub number: u32,
    pub kind: RoundKind,
    pub responses: Vec<Response>,
    /// Seats that were asked and whose calls failed.
    pub failures: Vec<SeatFailure>,
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
    pub fn is_regular(&self) -> bool {
        self.kind == RoundKind::Regular
    }
    /// The responses that were not withheld.
    pub fn counted(&self) -> impl Iterator<Item = &Response> {
        self.responses.iter().filter(|response| response.blocked.is_none())
    }
    pub fn response_of(&self, seat: usize) -> Option<&Response> {
        self.counted().find(|response| response.seat == seat)
    }
    pub fn confidences(&self) -> Vec<f64> {
        self.counted().map(|response| response.turn.confidence).collect()
    }
    /// How the seats moved that spoke in both rounds.
    pub fn moves(&self, before: &Self) -> Vec<SeatMove> {
        let step = |now: &Response| {
            let then = before.response_of(now.seat)?;
            Some(SeatMove { before: then.turn.confidence, now: now.turn.confidence, changed: now.moved_from(then) })
        };
        self.counted().filter_map(step).collect()
    }
    /// `round_2`, `objection_2` or `closing`: how its stored rows begin.
    pub fn prefix(&self) -> String {
        match self.kind {
            RoundKind::Regular => format!("round_{}", self.number),
            RoundKind::Objection => format!("objection_{}", self.number),
            RoundKind::Closing => "closing".to_owned(),
        }
    }
    pub fn title(&self) -> String {
        match self.kind {
            RoundKind::Regular => format!("Round {}", self.number),
            RoundKind::Objection => format!("Objections after round {}", self.number),
            RoundKind::Closing => format!("Closing answers after round {}", self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(turn: Turn) -> Response {
        Response::new(0, String::new(), turn, Audit::default())
    }

    fn turn(position: &str, change: Option<&str>) -> Turn {
        Turn { position: position.into(), position_change: change.map(str::to_owned), vote: Some("MINOR".into()), ..Turn::default() }
    }

    const PARAPHRASES: [(&str, &str); 3] = [
        ("Move the batch jobs to a queue, one group at a time.", "We should migrate in stages: a first team starts using queued work."),
        ("Keep cron until somebody has counted the failures.", "No change before there are figures on how often it breaks."),
        ("The contract is acceptable if clause seven goes.", "I would sign it once the seventh section is struck out."),
    ];

    #[test]
    fn a_paraphrase_whose_seat_maintains_it_is_the_same_position() {
        for (before, now) in PARAPHRASES {
            let then = said(turn(before, None));
            assert!(!said(turn(now, Some("MAINTAIN"))).moved_from(&then), "{now}");
            assert!(said(turn(now, None)).moved_from(&then), "without a word of its seat only the words of the position tell: {now}");
            assert!(said(turn(before, Some("REVISE"))).moved_from(&then), "who says that it moved has moved: {now}");
        }
    }

    #[test]
    fn who_takes_a_claim_back_votes_otherwise_or_changes_sides_has_moved_in_the_same_words_too() {
        let (before, paraphrase) = PARAPHRASES[0];
        let then = said(Turn { stance: Some("YES".into()), ..turn(before, None) });
        for (words, change) in [(paraphrase, Some("MAINTAIN")), (before, None)] {
            let still = || said(Turn { stance: Some("YES".into()), ..turn(words, change) });
            assert!(!still().moved_from(&then));
            let mut withdrew = still();
            withdrew.changes.withdrawn.push("C1".into());
            assert!(withdrew.moved_from(&then));
            let mut voted = still();
            voted.turn.vote = Some("BLOCKER".into());
            assert!(voted.moved_from(&then));
            voted.turn.vote = None;
            assert!(!voted.moved_from(&then), "no vote is not another vote");
            let mut turned = still();
            turned.turn.stance = Some("NO".into());
            assert!(turned.moved_from(&then));
        }
    }
}
