//! A position under deliberation: the present version of its card, what was found about it, its gates and its score.

use crate::collapse::cards::card::{Card, Risk, Severity};
use crate::collapse::cards::policy::Policy;
use crate::collapse::cards::records::{Approval, ApprovalDecision, Check};
use crate::collapse::rows::ScoreEntry;
use synod_math::collapse::above;
use synod_math::collapse::converge::ScoredCard;
use synod_math::collapse::gates::{self, CardState, Consent, GateInput, GateReason, GateResult, GateRisk, ReceiptState};
use synod_math::collapse::instant::instant;
use synod_math::collapse::score::{Score, ScoreTerms, score};
use synod_types::SeatIx;

/// How the subject of an approval begins that is about a doubt: `doubt 1`.
const DOUBT: &str = "doubt ";

#[derive(Clone, Debug)]
pub struct Position {
    pub card: Card,
    /// The seat that wrote this version; `None` for a card as it was given.
    pub author: Option<SeatIx>,
    /// Whether it came with the decision; a seat may have revised it since.
    pub given: bool,
    /// How often it was revised.
    pub revisions: u32,
    /// Whether this version has been verified and doubted.
    pub examined: bool,
    pub receipt: ReceiptState,
    /// What the verifier did not let pass.
    pub failed_checks: Vec<Check>,
    /// What the verification found, in words; empty if nobody verified it.
    pub findings: String,
    /// Whether a skeptic looked at this version; false if every seat failed to, `None` where nobody sits.
    pub challenged: Option<bool>,
    /// The skeptic's own list, on top of the author's.
    pub doubts: Vec<StandingDoubt>,
    pub concerns: Vec<String>,
    /// What people said about this version of the card.
    pub approvals: Vec<Approval>,
    pub gates: GateResult,
    pub score: Score,
    /// The score with the doubts that stand among its risks; `None` if none does.
    pub doubted: Option<Score>,
}

/// A risk that the skeptic sees and the card does not, and what the verifier said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingDoubt {
    pub risk: Risk,
    /// What the verifier answered, where it was asked.
    pub ruling: Option<DoubtRuling>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DoubtRuling {
    pub rejected: bool,
    pub reason: String,
}

impl StandingDoubt {
    pub fn stands(&self) -> bool {
        !self.ruling.as_ref().is_some_and(|ruling| ruling.rejected)
    }
    /// A critical one with so much left that it stops the card while it stands.
    pub fn is_critical(&self, policy: &Policy) -> bool {
        self.risk.severity == Severity::Critical && above(self.risk.residual_risk.unwrap_or(1.0), policy.critical_residual)
    }
    /// In words, with what the verifier made of it.
    pub fn text(&self) -> String {
        let risk = format!("{}: {} ({} left)", self.risk.severity.as_str(), self.risk.description.trim(), self.risk.residual_risk.unwrap_or(1.0));
        match &self.ruling {
            None => risk,
            Some(DoubtRuling { rejected: true, reason }) => format!("{risk}; the verifier rejects it: {reason}"),
            Some(DoubtRuling { reason, .. }) if reason.is_empty() => format!("{risk}; the verifier lets it stand"),
            Some(DoubtRuling { reason, .. }) => format!("{risk}; the verifier lets it stand: {reason}"),
        }
    }
}

impl Position {
    pub fn new(card: Card, author: Option<SeatIx>, approvals: Vec<Approval>, policy: &Policy) -> Self {
        let score = score(&card.for_score(&[], 0), &policy.score_rules());
        let gates = GateResult { state: CardState::Held, reasons: Vec::new() };
        Self {
            card,
            author,
            given: author.is_none(),
            revisions: 0,
            examined: false,
            receipt: ReceiptState::Pending,
            failed_checks: Vec::new(),
            findings: String::new(),
            challenged: None,
            doubts: Vec::new(),
            concerns: Vec::new(),
            approvals,
            gates,
            score,
            doubted: None,
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

    /// Nothing but doubts keeps it from being taken: its author can answer them, and else a person.
    pub fn parked_by_doubts(&self) -> bool {
        self.needs_approval() && self.open_subjects().all(|reason| reason.subject.starts_with(DOUBT))
    }

    /// Takes another version of the card, written by this seat: whatever was found about the old one is void, and so is what people approved.
    pub fn replace(&mut self, card: Card, author: SeatIx, policy: &Policy) {
        *self = Self { given: self.given, revisions: self.revisions + 1, ..Self::new(card, Some(author), Vec::new(), policy) };
    }

    /// Checks the card at the gates and scores it, with all that is known by now.
    pub fn weigh(&mut self, policy: &Policy) {
        let input = self.gate_input(policy);
        self.gates = gates::check_gates(&input, &policy.gate_limits());
        let open = input.violations.iter().filter(|(_, _, approval)| *approval != Consent::Approved).count() as u32;
        let rules = policy.score_rules();
        self.score = score(&self.card.for_score(&[], open), &rules);
        let further: Vec<Risk> = self.doubts.iter().filter(|doubt| doubt.stands()).map(|doubt| doubt.risk.clone()).collect();
        self.doubted = (!further.is_empty()).then(|| score(&self.card.for_score(&further, open), &rules));
    }

    /// What a person said of a subject; the first answer counts.
    fn consent(&self, subject: &str) -> Consent {
        match self.approvals.iter().find(|approval| approval.subject == subject).map(|approval| approval.decision) {
            None => Consent::Open,
            Some(ApprovalDecision::Approve) => Consent::Approved,
            Some(ApprovalDecision::Reject) => Consent::Denied,
            Some(ApprovalDecision::Revise) => Consent::Revise,
        }
    }

    fn gate_input(&self, policy: &Policy) -> GateInput {
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
        let standing = self.doubts.iter().zip(1..).filter(|(doubt, _)| doubt.stands() && doubt.is_critical(policy));
        let doubts = standing.map(|(_, n)| format!("{DOUBT}{n}")).map(|subject| (subject.clone(), self.consent(&subject)));
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
            doubts: doubts.collect(),
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
            score_doubted: self.doubted.map(|score| score.value),
            breakdown: ScoreTerms::NAMES.into_iter().zip(self.score.parts).collect(),
        }
    }
}

/// What a gate's reason means, in a sentence.
pub fn reason_text(position: &Position, reason: &GateReason) -> String {
    let asked = match reason.state {
        CardState::NeedsApproval => ", and a person has to approve it",
        CardState::Rejected | CardState::RevisionRequested => "",
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
        gates::Gate::Critical if reason.subject.starts_with(DOUBT) => {
            let at = reason.subject.strip_prefix(DOUBT).and_then(|n| n.parse::<usize>().ok());
            let doubt = at.and_then(|n| position.doubts.get(n.saturating_sub(1)));
            format!("a doubt of the skeptic's stands ({})", doubt.map_or_else(String::new, StandingDoubt::text))
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
    let said = position.approvals.iter().find(|approval| approval.subject == reason.subject && approval.decision != ApprovalDecision::Approve);
    let answer = said.map_or_else(String::new, |approval| {
        let did = if approval.decision == ApprovalDecision::Revise { "asked for a revision" } else { "refused" };
        let note = if approval.note.is_empty() { String::new() } else { format!(": {}", approval.note) };
        format!("; {} {did}{note}", person(approval))
    });
    format!("{what}{asked}{answer}")
}

fn person(approval: &Approval) -> &str {
    if approval.approver.is_empty() { "a person" } else { &approval.approver }
}
