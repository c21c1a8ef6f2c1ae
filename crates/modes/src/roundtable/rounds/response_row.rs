//! One seat's response as it is stored, and as a reader is shown it: everything it said, under names, and the part it played; or that it said
//! nothing, and why.

use super::Debate;
use super::reply::NewClaim;
use super::risk_reply::Mitigation;
use super::round::{Response, Round, RoundKind};
use crate::roundtable::record::Flaw;
use crate::roundtable::rows::*;
use synod_engine::SeatFailure;
use synod_types::{Exhibit, SeatIx, Shape, Statement, ToolRun};

impl ResponseRow {
    pub fn new(debate: &Debate, round: &Round, response: &Response) -> Self {
        let turn = &response.turn;
        // Of a response that was withheld nothing is kept that it said in its own words.
        let withheld = response.blocked.is_some();
        let closing = round.kind == RoundKind::Closing;
        let text = |text: &String| (!withheld).then(|| text.clone());
        let list = |list: &Vec<String>| (!withheld).then(|| list.clone());
        let change = response.prior.map(|prior| ConfidenceChange {
            delta: turn.confidence - prior.confidence,
            previous_round: prior.round,
            reason: text(&turn.confidence_reason),
        });
        let tool = |run: &ToolRun| ToolCallRow {
            tool_name: run.name.clone(),
            input: run.input.clone(),
            output: run.output.clone(),
            error: run.error,
            timestamp: run.at,
        };
        Self {
            round: round.number,
            seat: debate.names[response.seat].clone(),
            role: debate.roles[response.seat].id.clone(),
            position: text(&turn.position).filter(|_| !closing),
            reasoning: text(&turn.reasons),
            confidence: (!closing).then_some(turn.confidence),
            confidence_reason: text(&turn.confidence_reason).filter(|_| !closing),
            confidence_change: change,
            vote: turn.vote.clone(),
            blocker: turn.blocker.clone().filter(|_| turn.vote.as_deref() == Some("BLOCKER")),
            vote_counts: debate.is_free(response.seat),
            position_change: turn.position_change.as_ref().and_then(text),
            stance: turn.stance.clone(),
            ruling: turn.ruling.clone(),
            ruling_reason: turn.ruling.as_ref().and_then(|_| text(&turn.ruling_reason)),
            debate_alignment: round.assessment.alignment.get(&response.seat).copied(),
            epistemic_claims: response.label_counts,
            key_points: list(&turn.key_points),
            uncertainties: list(&turn.uncertainties),
            claims: (!withheld).then(|| turn.claims.clone()),
            challenges: (!withheld).then(|| turn.challenges.clone()),
            risks: (!withheld).then(|| turn.risks.clone()),
            mitigations: (!withheld).then(|| turn.mitigations.clone()),
            perspective_anchor: &debate.anchors[response.seat].name,
            citations: (!withheld).then(|| response.audit.references.clone()),
            tool_calls: (!withheld).then(|| response.tools.iter().map(tool).collect()),
            claims_touched: response.changes.clone(),
            direct_replies_to: list(&turn.replies_to),
            role_violation: response.violation.clone(),
            owed: response.owed.clone(),
            label_findings: (!withheld).then(|| response.audit.flaws.clone()),
            blocked: response.blocked.clone(),
            error: None,
        }
    }

    /// Of a seat that was asked and whose call failed.
    pub fn absent(debate: &Debate, round: &Round, failed: &SeatFailure) -> Self {
        let seat = failed.seat as usize;
        Self {
            round: round.number,
            seat: debate.names[seat].clone(),
            role: debate.roles[seat].id.clone(),
            vote_counts: debate.is_free(seat),
            perspective_anchor: &debate.anchors[seat].name,
            error: Some(failed.failure.to_string()),
            ..Self::default()
        }
    }

    /// Role, stance and anchor in a line.
    fn part(&self) -> String {
        let stance = self.stance.as_ref().map(|stance| format!(", stance {stance}")).unwrap_or_default();
        format!("{}{stance}, anchor {}", self.role, self.perspective_anchor)
    }

    pub fn exhibit(&self, title: String, seat: SeatIx) -> Exhibit {
        let text = match (&self.blocked, &self.position, &self.reasoning) {
            (Some(reason), ..) => format!("[withheld: {reason}]"),
            (None, Some(position), Some(reasoning)) => format!("{position}\n\n{reasoning}"),
            (None, position, reasoning) => position.clone().or_else(|| reasoning.clone()).unwrap_or_default(),
        };
        // Not shown as a thread: the seats it answers mostly spoke in an earlier round, under the same names. The row names them.
        let shape = Shape::Statement(Statement { label: Some(self.seat.clone()), text: Some(text), ..Statement::default() });
        let violation =
            self.role_violation.as_ref().map(|violation| format!("its role asks for {}; it gave {}", violation.expected, violation.given()));
        let change = self.confidence_change.as_ref().map(|change| format!(" ({:+.2} since round {})", change.delta, change.previous_round));
        let why = self.confidence_reason.as_deref().map(str::trim).filter(|why| !why.is_empty()).map(|why| format!(": {why}"));
        let sure = self.confidence.map(|sure| format!("{sure:.2}{}{}", change.unwrap_or_default(), why.unwrap_or_default()));
        let over = self.blocker.as_ref().map(|claim| format!(" over {claim}")).unwrap_or_default();
        let counts = if self.vote_counts { "" } else { " (assigned side: shown, not counted)" };
        let vote = self.vote.as_ref().map(|vote| format!("{vote}{over}{counts}"));
        let ruling = self.ruling.as_ref().map(|ruling| format!("{ruling}: {}", self.ruling_reason.as_deref().unwrap_or_default()));
        let claim = |claim: &NewClaim| {
            let against = if claim.against.is_empty() { String::new() } else { format!(" (against {})", claim.against.join(", ")) };
            format!("[{}] {}{against}", claim.label.as_str(), claim.text)
        };
        let risk = |kind: &str, text: &str, answer: &str| match answer.trim() {
            "" => format!("{kind}: {text}"),
            answer => format!("{kind}: {text} – {answer}"),
        };
        let exhibit = Exhibit::new(title, shape)
            .by(seat, "debater")
            .part("Part", self.part())
            .list("Role violation", violation)
            .list("Confidence", sure)
            .list("Vote", vote)
            .list("Ruling", ruling)
            .list("Since the last round", &self.position_change)
            .list("Key points", self.key_points.iter().flatten())
            .list("Not known", self.uncertainties.iter().flatten())
            .list("Claims", self.claims.iter().flatten().map(claim))
            .list("Supports", Some(self.claims_touched.reinforced.join(", ")))
            .list("Disputes", self.challenges.iter().flatten().map(|challenge| format!("{}: {}", challenge.id, challenge.why)))
            .list("Withdraws", Some(self.claims_touched.withdrawn.join(", ")))
            .list("Risks raised", self.risks.iter().flatten().map(|raised| risk(&raised.kind, &raised.text, &raised.mitigation)))
            .list("Answers to risks", self.mitigations.iter().flatten().map(Mitigation::in_words))
            .list("Left unanswered", Some(self.owed.join(", ")))
            .list("Labels and citations", self.label_findings.iter().flatten().map(Flaw::describe).chain(self.claims_touched.describe_left()));
        exhibit.data(self)
    }
}
