//! Gates a card passes before its score counts: verification, invariants, critical risks, loss of data, regulation.

use super::above;
use super::score::Severity;

/// What a verifier said of the card as it stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptState {
    Pass,
    Fail,
    /// Still out, unreadable, or issued for an earlier version of the card.
    Pending,
    /// Nobody was there to verify: it may go on, but nothing is remembered of it.
    Absent,
}

/// What a person said to something that needs a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consent {
    #[default]
    Open,
    Approved,
    Denied,
    /// Not as it is: the card has to change first.
    Revise,
}

words! {
    pub enum CardState {
        /// It passed every gate.
        Viable = "viable",
        /// A person has to approve something first.
        NeedsApproval = "needs_approval",
        /// A person wants it changed first.
        RevisionRequested = "revision_requested",
        /// Its verification is pending or void.
        Held = "held",
        Rejected = "rejected",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    Verifier,
    Invariants,
    Critical,
    DataLoss,
    Regulation,
}

impl Gate {
    pub fn id(self) -> &'static str {
        match self {
            Self::Verifier => "G1",
            Self::Invariants => "G2",
            Self::Critical => "G3",
            Self::DataLoss => "G4",
            Self::Regulation => "G5",
        }
    }
}

/// What the gates need to know of a card. A subject is the name of something a person is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct GateInput {
    pub receipt: ReceiptState,
    /// Id, whether it may be approved at all, and what was said.
    pub violations: Vec<(String, bool, Consent)>,
    pub risks: Vec<GateRisk>,
    /// Critical doubts of others that nobody refuted, and what a person said of each. They park a card and never reject it.
    pub doubts: Vec<(String, Consent)>,
    pub reversibility: f64,
    /// `None`: assumed where it is hardly reversible.
    pub irreversible_data_change: Option<bool>,
    pub data_loss: Consent,
    pub regulations: Vec<(String, Consent)>,
}

/// A risk as the third gate sees it, which stops only critical ones.
#[derive(Clone, Debug, PartialEq)]
pub struct GateRisk {
    pub subject: String,
    pub severity: Severity,
    pub residual: f64,
    pub mitigated: bool,
    pub approval: Consent,
}

/// Why a gate stopped a card.
#[derive(Clone, Debug, PartialEq)]
pub struct GateReason {
    pub gate: Gate,
    pub subject: String,
    pub state: CardState,
}

/// What the gates made of a card. `reasons` is empty if it passed them all.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    pub state: CardState,
    pub reasons: Vec<GateReason>,
}

/// The limits beyond which a gate stops a card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateLimits {
    /// A residual above this is too much for a critical risk.
    pub critical_residual: f64,
    /// Below this a change can hardly be undone.
    pub hardly_reversible: f64,
}

impl Default for GateLimits {
    fn default() -> Self {
        Self { critical_residual: 0.3, hardly_reversible: 0.3 }
    }
}

/// Checks a card at every gate. The worst reason decides its state: rejected, then held, then to be revised, then waiting for a person.
pub fn check_gates(card: &GateInput, limits: &GateLimits) -> GateResult {
    let mut reasons = Vec::new();
    let mut note = |gate, subject: &str, state| reasons.push(GateReason { gate, subject: subject.to_owned(), state });
    match card.receipt {
        ReceiptState::Fail => note(Gate::Verifier, "receipt", CardState::Rejected),
        ReceiptState::Pending => note(Gate::Verifier, "receipt", CardState::Held),
        ReceiptState::Pass | ReceiptState::Absent => {}
    }
    let asked = |approval: Consent| match approval {
        Consent::Open => Some(CardState::NeedsApproval),
        Consent::Approved => None,
        Consent::Denied => Some(CardState::Rejected),
        Consent::Revise => Some(CardState::RevisionRequested),
    };
    for (id, may_be_approved, approval) in &card.violations {
        let state = if *may_be_approved { asked(*approval) } else { Some(CardState::Rejected) };
        if let Some(state) = state {
            note(Gate::Invariants, id, state);
        }
    }
    for risk in card.risks.iter().filter(|risk| risk.severity == Severity::Critical && above(risk.residual, limits.critical_residual)) {
        let state = if risk.mitigated { asked(risk.approval) } else { Some(CardState::Rejected) };
        if let Some(state) = state {
            note(Gate::Critical, &risk.subject, state);
        }
    }
    for (subject, approval) in &card.doubts {
        if let Some(state) = asked(*approval) {
            note(Gate::Critical, subject, state);
        }
    }
    let hardly = super::below(card.reversibility, limits.hardly_reversible);
    if hardly
        && card.irreversible_data_change.unwrap_or(true)
        && let Some(state) = asked(card.data_loss)
    {
        note(Gate::DataLoss, "data_loss", state);
    }
    for (tag, approval) in &card.regulations {
        if let Some(state) = asked(*approval) {
            note(Gate::Regulation, tag, state);
        }
    }
    let any = |state: CardState| reasons.iter().any(|reason: &GateReason| reason.state == state);
    let worst = [CardState::Rejected, CardState::Held, CardState::RevisionRequested, CardState::NeedsApproval];
    let state = worst.into_iter().find(|state| any(*state)).unwrap_or(CardState::Viable);
    GateResult { state, reasons }
}
