//! Gates a card passes before its score counts: verification, invariants, critical risks, loss of data, regulation.

use super::above;
use super::score::Severity;

/// What a verifier said of the card as it stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    Pass,
    Fail,
    /// Still out, unreadable, or issued for an earlier version of the card.
    Pending,
    /// Nobody was there to verify: it may go on, but nothing is remembered of it.
    Absent,
}

/// What a person said to something that needs a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approval {
    #[default]
    Open,
    Approved,
    Denied,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Viable,
    NeedsApproval,
    Held,
    Rejected,
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

/// What a card brings to the gates. Subjects are those a person is asked about, by their own names.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub receipt: Receipt,
    /// Id, whether it may be approved at all, and what was said.
    pub violations: Vec<(String, bool, Approval)>,
    pub risks: Vec<CriticalRisk>,
    pub reversibility: f64,
    /// `None`: assumed where it is hardly reversible.
    pub irreversible_data_change: Option<bool>,
    pub data_loss: Approval,
    pub regulations: Vec<(String, Approval)>,
}

/// A risk as the third gate sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalRisk {
    pub subject: String,
    pub severity: Severity,
    pub residual: f64,
    pub mitigated: bool,
    pub approval: Approval,
}

/// Why a card does not simply go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    pub gate: Gate,
    pub subject: String,
    pub state: State,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    pub state: State,
    pub reasons: Vec<Reason>,
}

/// Where the gates close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// A residual above this is too much for a critical risk.
    pub critical_residual: f64,
    /// Below this a change can hardly be undone.
    pub hardly_reversible: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { critical_residual: 0.3, hardly_reversible: 0.3 }
    }
}

/// The card's way through all gates. The worst reason decides: rejected, then held, then waiting for a person.
pub fn pass(case: &Case, limits: &Limits) -> Passage {
    let mut reasons = Vec::new();
    let mut note = |gate, subject: &str, state| reasons.push(Reason { gate, subject: subject.to_owned(), state });
    match case.receipt {
        Receipt::Fail => note(Gate::Verifier, "receipt", State::Rejected),
        Receipt::Pending => note(Gate::Verifier, "receipt", State::Held),
        Receipt::Pass | Receipt::Absent => {}
    }
    let asked = |approval: Approval| match approval {
        Approval::Open => Some(State::NeedsApproval),
        Approval::Approved => None,
        Approval::Denied => Some(State::Rejected),
    };
    for (id, may_be_approved, approval) in &case.violations {
        let state = if *may_be_approved { asked(*approval) } else { Some(State::Rejected) };
        if let Some(state) = state {
            note(Gate::Invariants, id, state);
        }
    }
    for risk in case.risks.iter().filter(|risk| risk.severity == Severity::Critical && above(risk.residual, limits.critical_residual)) {
        let state = if risk.mitigated { asked(risk.approval) } else { Some(State::Rejected) };
        if let Some(state) = state {
            note(Gate::Critical, &risk.subject, state);
        }
    }
    let hardly = super::below(case.reversibility, limits.hardly_reversible);
    if hardly
        && case.irreversible_data_change.unwrap_or(true)
        && let Some(state) = asked(case.data_loss)
    {
        note(Gate::DataLoss, "data_loss", state);
    }
    for (tag, approval) in &case.regulations {
        if let Some(state) = asked(*approval) {
            note(Gate::Regulation, tag, state);
        }
    }
    let any = |state: State| reasons.iter().any(|reason: &Reason| reason.state == state);
    let state = [State::Rejected, State::Held, State::NeedsApproval].into_iter().find(|state| any(*state)).unwrap_or(State::Viable);
    Passage { state, reasons }
}
