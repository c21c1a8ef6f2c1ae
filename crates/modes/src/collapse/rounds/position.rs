//! A position under deliberation: the present version of its card, what was found about it, its gates and its score.

use crate::collapse::cards::card::{Card, Risk};
use crate::collapse::cards::policy::Policy;
use crate::collapse::cards::records::{Approval, ApprovalDecision, Check};
use crate::collapse::rows::ScoreEntry;
use synod_math::collapse::converge::ScoredCard;
use synod_math::collapse::gates::{self, CardState, Consent, GateInput, GateReason, GateResult, GateRisk, ReceiptState};
use synod_math::collapse::instant::instant;
use synod_math::collapse::score::{Score, ScoreTerms, score};
use synod_types::SeatIx;

#[derive(Clone, Debug)]
pub struct Position {
    pub card: Card,
    /// The seat that wrote it; `None` for a card that was given.
    pub author: Option<SeatIx>,
    /// Whether this version has been verified and doubted.
    pub examined: bool,
    pub receipt: ReceiptState,
    /// What the verifier did not let pass.
    pub failed_checks: Vec<Check>,
    /// The skeptic's own list, on top of the author's.
    pub doubts: Vec<Risk>,
    pub concerns: Vec<String>,
    /// What people said about this version of the card.
    pub approvals: Vec<Approval>,
    pub gates: GateResult,
    pub score: Score,
    /// The score with the skeptic's risks added; `None` if nobody doubted it.
    pub doubted_score: Option<f64>,
}

impl Position {
    pub fn new(card: Card, author: Option<SeatIx>, approvals: Vec<Approval>, policy: &Policy) -> Self {
        let score = score(&card.for_score(&[], 0), &policy.score_rules());
        let gates = GateResult { state: CardState::Held, reasons: Vec::new() };
        Self {
            card,
            author,
            examined: false,
            receipt: ReceiptState::Pending,
            failed_checks: Vec::new(),
            doubts: Vec::new(),
            concerns: Vec::new(),
            approvals,
            gates,
            score,
            doubted_score: None,
        }
    }

    pub fn id(&self) -> &str {
        &self.card.id
    }
    pub fn viable(&self) -> bool {
        self.gates.state == CardState::Viable
    }
    pub fn needs_approval(&self) -> bool {
        self.gates.state == CardState::NeedsApproval
    }

    /// Takes another version of the card: whatever was found about the old one is void, and so is what people approved.
    pub fn replace(&mut self, card: Card, policy: &Policy) {
        *self = Self::new(card, self.author, Vec::new(), policy);
    }

    /// Checks the card at the gates and scores it, with all that is known by now.
    pub fn weigh(&mut self, policy: &Policy) {
        let input = self.gate_input();
        self.gates = gates::check_gates(&input, &policy.gate_limits());
        let open = input.violations.iter().filter(|(_, _, approval)| *approval != Consent::Approved).count() as u32;
        let rules = policy.score_rules();
        self.score = score(&self.card.for_score(&[], open), &rules);
        self.doubted_score = (!self.doubts.is_empty()).then(|| score(&self.card.for_score(&self.doubts, open), &rules).value);
    }

    /// What a person said of a subject; the first answer counts.
    fn consent(&self, subject: &str) -> Consent {
        match self.approvals.iter().find(|approval| approval.subject == subject).map(|approval| approval.decision) {
            None => Consent::Open,
            Some(ApprovalDecision::Approve) => Consent::Approved,
            Some(ApprovalDecision::Reject | ApprovalDecision::Revise) => Consent::Denied,
        }
    }

    fn gate_input(&self) -> GateInput {
        let card = &self.card;
        let violations = card.invariant_violations.iter();
        let risks = card.risks.iter().enumerate().map(|(at, risk)| {
            let subject = format!("risk {}", at + 1);
            GateRisk {
                approval: self.consent(&subject),
                subject,
                severity: risk.severity.into(),
                residual: risk.residual_risk.unwrap_or(1.0),
                mitigated: !risk.mitigation.trim().is_empty(),
            }
        });
        // A regulation named twice needs one sign-off.
        let mut regulations: Vec<&String> = Vec::new();
        for tag in &card.regulatory {
            if !regulations.contains(&tag) {
                regulations.push(tag);
            }
        }
        GateInput {
            receipt: self.receipt,
            violations: violations
                .map(|broken| (broken.invariant_id.clone(), broken.requires_approval, self.consent(&broken.invariant_id)))
                .collect(),
            risks: risks.collect(),
            reversibility: card.reversibility,
            irreversible_data_change: card.irreversible_data_change,
            data_loss: self.consent("data_loss"),
            regulations: regulations.into_iter().map(|tag| (tag.clone(), self.consent(tag))).collect(),
        }
    }

    /// What a person still has to say before the card may go on.
    pub fn open_subjects(&self) -> impl Iterator<Item = &GateReason> {
        self.gates.reasons.iter().filter(|reason| reason.state == CardState::NeedsApproval)
    }

    pub fn scored_card(&self) -> ScoredCard {
        ScoredCard {
            id: self.card.id.clone(),
            score: self.score.value,
            evidence: self.score.terms.evidence,
            risk: self.score.terms.risk,
            reversibility: self.card.reversibility,
            cost: self.card.cost,
            at: instant(&self.card.timestamp),
        }
    }

    /// Evidence, risk, reversibility and cost, as the search for trade-offs takes them.
    pub fn sides(&self) -> [f64; 4] {
        let terms = &self.score.terms;
        [terms.evidence, terms.risk, terms.reversibility, terms.cost]
    }

    pub fn score_entry(&self) -> ScoreEntry {
        let terms = &self.score.terms;
        ScoreEntry {
            id: self.card.id.clone(),
            evidence: terms.evidence,
            risk: terms.risk,
            cost: terms.cost,
            score: self.score.value,
            score_intent: self.score.intent,
            score_literal: self.score.literal,
            score_doubted: self.doubted_score,
            breakdown: ScoreTerms::NAMES.into_iter().zip(self.score.parts).collect(),
        }
    }
}

pub fn state_word(state: CardState) -> &'static str {
    match state {
        CardState::Viable => "viable",
        CardState::NeedsApproval => "needs_approval",
        CardState::Held => "held",
        CardState::Rejected => "rejected",
    }
}

/// What a gate's reason means, in a sentence.
pub fn reason_text(position: &Position, reason: &GateReason) -> String {
    let asked = match reason.state {
        CardState::NeedsApproval => ", and a person has to approve it",
        CardState::Rejected => "",
        CardState::Held => ", and it is held until that is settled",
        CardState::Viable => "",
    };
    let what = match reason.gate {
        gates::Gate::Verifier if reason.state == CardState::Held => "the verification is pending or void".to_owned(),
        gates::Gate::Verifier => "the verifier did not let it pass".to_owned(),
        gates::Gate::Invariants => {
            let broken = position.card.invariant_violations.iter().find(|broken| broken.invariant_id == reason.subject);
            let hard = broken.is_some_and(|broken| !broken.requires_approval);
            format!("it breaks {}{}", reason.subject, if hard { ", which nobody may waive" } else { "" })
        }
        gates::Gate::Critical => {
            let at = reason.subject.strip_prefix("risk ").and_then(|n| n.parse::<usize>().ok());
            let risk = at.and_then(|n| position.card.risks.get(n.saturating_sub(1)));
            let text = risk.map_or("", |risk| risk.description.trim());
            let left = risk.and_then(|risk| risk.residual_risk).unwrap_or(1.0);
            let bare = risk.is_some_and(|risk| risk.mitigation.trim().is_empty());
            format!("a critical risk leaves {left}{} ({text})", if bare { " without any mitigation" } else { "" })
        }
        gates::Gate::DataLoss => format!("it changes data for good (reversibility {})", position.card.reversibility),
        gates::Gate::Regulation => format!("it needs a sign-off for {}", reason.subject),
    };
    let denied = position.approvals.iter().find(|approval| approval.subject == reason.subject && approval.decision != ApprovalDecision::Approve);
    let refused = match denied {
        Some(approval) if approval.note.is_empty() => format!("; {} refused", person(approval)),
        Some(approval) => format!("; {} refused: {}", person(approval), approval.note),
        None => String::new(),
    };
    format!("{what}{asked}{refused}")
}

fn person(approval: &Approval) -> &str {
    if approval.approver.is_empty() { "a person" } else { &approval.approver }
}
