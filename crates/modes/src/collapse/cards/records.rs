//! What comes with the cards: receipts of verification, the panel's ratings, people's approvals, and what earlier decisions taught.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use synod_types::words;

/// What a verifier found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The position it was issued for.
    pub position_id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verification_id: String,
    pub status: ReceiptStatus,
    #[serde(default)]
    pub checks_performed: Vec<Check>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant_compliance: Option<Compliance>,
    /// Who still has to approve, by role. A receipt with one of them pending is pending as a whole.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub required_approvals: BTreeMap<String, ApprovalState>,
    /// The hash of the card it was issued for; a receipt for another version of the card is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_hash: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence_hash: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub created_at: String,
}

words! {
    pub enum ReceiptStatus { Pass = "PASS", Fail = "FAIL", Pending = "PENDING" }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ApprovalState {
    Approved,
    Pending,
    NotRequired,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub check: String,
    pub status: ReceiptStatus,
    #[serde(default)]
    pub evidence: String,
    #[serde(default)]
    pub remediation: String,
}

/// How the card stands to the invariants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compliance {
    pub total: u32,
    pub compliant: u32,
    pub violated: u32,
    pub not_applicable: u32,
    #[serde(default)]
    pub violations: Vec<InvariantFinding>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvariantFinding {
    pub invariant: String,
    pub severity: super::card::Severity,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub remediation: String,
    pub blocking: bool,
}

/// One evaluator's rating of every position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    /// The seat of the panel it speaks for.
    pub agent: PanelSeat,
    /// Who, where several share the seat.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub member: String,
    /// From 0 to 1, for every position.
    pub position_scores: BTreeMap<String, f64>,
    #[serde(default)]
    pub rationale: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
    #[serde(default)]
    pub concerns: Vec<String>,
    /// How sure it is of its rating, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
}

words! {
    #[derive(PartialOrd, Ord)]
    pub enum PanelSeat {
        Minimalist = "minimalist",
        Skeptic = "skeptic",
        DomainExpert = "domain_expert",
        Verifier = "verifier",
        CollectiveIntelligence = "collective_intelligence",
        RiskCompliance = "risk_compliance",
        UserValue = "user_value",
    }
}

impl PanelSeat {
    /// What it looks at first.
    pub fn priority(self) -> &'static str {
        match self {
            Self::Minimalist => "simplicity, what it costs to build and to keep, and how easily it is undone",
            Self::Skeptic => "how it fails: edge cases, untested assumptions, what happens on the worst day",
            Self::DomainExpert => "whether it is technically right, by the practice of the field",
            Self::Verifier => "what the evidence shows, and whether every invariant is kept",
            Self::CollectiveIntelligence => "what became of decisions like this one before",
            Self::RiskCompliance => "security, regulation, and whether an auditor could follow it",
            Self::UserValue => "what users and the business gain from it, and how soon",
        }
    }

    /// Which way it leans when in doubt. Said openly, so that the panel as a whole is balanced.
    pub fn bias(self) -> &'static str {
        match self {
            Self::Minimalist => "the smaller, cheaper, more reversible way",
            Self::Skeptic => "the defensive way, and doubt where something is merely asserted",
            Self::DomainExpert => "the idiom that practitioners of the field would choose",
            Self::Verifier => "proof over promise: what is not shown does not count",
            Self::CollectiveIntelligence => "what has worked, and away from what has failed",
            Self::RiskCompliance => "refusing what carries a high risk or breaks a rule",
            Self::UserValue => "the way that gives users most",
        }
    }
}

/// What a person said to something that needs a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    pub position_id: String,
    /// An invariant's id, `risk 1`, `data_loss`, or a regulation.
    pub subject: String,
    pub decision: ApprovalDecision,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approver: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

words! {
    pub enum ApprovalDecision {
        Approve = "approve",
        Reject = "reject",
        /// Not as it is: the note says under which conditions.
        Revise = "revise",
    }
}

/// Something that may not be broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    #[schemars(length(min = 1))]
    pub id: String,
    pub text: String,
    /// Nobody may waive it.
    #[serde(default)]
    pub hard: bool,
}

/// What an earlier decision taught.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experience {
    /// The run that decided it.
    pub run: String,
    pub objective: String,
    pub position: String,
    /// What was chosen, in the card's own words.
    pub summary: String,
    pub status: String,
    pub score: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<f64>,
    /// Where its evidence was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<String>,
}
