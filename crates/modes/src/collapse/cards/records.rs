//! What comes with the cards: receipts of verification, the panel's ratings, people's approvals, and what earlier decisions taught.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
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
    /// The position it would take, of those it scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
    /// What is unresolved: in words, or with what answers it as `{concern, resolution}`.
    #[serde(default)]
    pub concerns: Vec<Concern>,
    /// How sure it is of its rating, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
}

/// Something unresolved, and what answers it; empty if nothing does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ConcernForm")]
pub struct Concern {
    pub concern: String,
    pub resolution: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum ConcernForm {
    Words(String),
    Answered {
        concern: String,
        /// What answers it.
        #[serde(default)]
        resolution: String,
    },
}

impl From<ConcernForm> for Concern {
    fn from(form: ConcernForm) -> Self {
        match form {
            ConcernForm::Words(concern) => Self { concern, resolution: String::new() },
            ConcernForm::Answered { concern, resolution } => Self { concern, resolution },
        }
    }
}

impl JsonSchema for Concern {
    fn schema_name() -> Cow<'static, str> {
        "Concern".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ConcernForm::json_schema(generator)
    }
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

/// What a person said to something that needs a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    pub position_id: String,
    /// An invariant's id, `risk 1`, `doubt 1`, `data_loss`, or a regulation.
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
