//! The parsed data of the red team's stored rows.

use super::FindingOutcome;
use super::fate::FateCounts;
use super::replies::{Reopening, Ruling};
use super::severity::{Risk, Severity, SeverityCounts};
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RestatementRow {
    /// Characters of the material.
    pub input_length: usize,
    /// Characters of the restated work; null where the generator failed.
    pub output_length: Option<usize>,
    /// Whether the restated work took the material's place.
    pub used: bool,
    /// There only where the seat failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
}

/// What an attack found: nulls where the seat failed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttackRow {
    pub round: u32,
    /// New findings.
    pub findings: Option<Vec<FindingRow>>,
    /// The new findings by severity.
    pub summary: Option<AttackSummary>,
    /// The attacker found nothing and reopened nothing.
    pub no_flaws: bool,
    /// Earlier findings whose answer does not hold.
    pub reopened: Option<Vec<Reopening>>,
    /// There only where the seat failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingRow {
    pub id: String,
    pub title: String,
    pub severity: Severity,
    /// Null where the attacker named none.
    pub location: Option<String>,
    pub vulnerability: String,
    /// Null where the attacker named none.
    pub exploit_scenario: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttackSummary {
    #[serde(flatten)]
    pub counts: SeverityCounts,
    /// The worst severity among the new findings.
    pub overall_risk: Risk,
}

/// What the author answered: nulls where it failed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefenceRow {
    pub round: u32,
    /// One for every finding the author was to answer.
    pub responses: Option<Vec<ResponseRow>>,
    pub accepted: Option<usize>,
    pub rebutted: Option<usize>,
    /// Ids of findings left without an answer.
    pub unaddressed: Vec<String>,
    /// Characters of the revised work; null where nothing was accepted.
    pub revised_content_length: Option<usize>,
    /// Whether the revised work took the old one's place.
    pub kept: bool,
    /// There only where the seat failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponseRow {
    pub id: String,
    pub finding_title: String,
    pub verdict: RowVerdict,
    /// Null for a finding left without an answer.
    pub reasoning: Option<String>,
    /// What was changed, for an accepted finding.
    pub revision: Option<String>,
}

/// What the author said to a finding, if anything.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum RowVerdict {
    Accept,
    Rebut,
    Unaddressed,
}

#[derive(Serialize, JsonSchema)]
pub struct RulingsRow {
    pub round: u32,
    /// Null where the judge failed.
    pub rulings: Option<Vec<Ruling>>,
    /// There only where the seat failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// The worst severity that is unresolved.
    pub overall_risk: Risk,
    /// Worst first.
    pub findings: Vec<FindingOutcome>,
    pub fates: FateCounts,
    pub unresolved: SeverityCounts,
    pub hardening_confidence: HardeningConfidence,
}

/// How far the work can be taken to be hardened, by what is unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum HardeningConfidence {
    /// Nothing is unresolved.
    High,
    /// Nothing of HIGH or CRITICAL severity is unresolved.
    Medium,
    Low,
}

impl HardeningConfidence {
    pub fn plain(self) -> &'static str {
        match self {
            Self::High => "high: nothing that was found is unresolved",
            Self::Medium => "medium: nothing of high or critical severity is unresolved",
            Self::Low => "low: something of high or critical severity is unresolved",
        }
    }
}

/// The whole run in numbers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    pub total_rounds: u32,
    pub total_findings: usize,
    /// Findings accepted and fixed.
    pub total_accepted: u32,
    /// Findings the author disputed, whatever the judge said.
    pub total_rebutted: u32,
    pub severity_counts: SeverityCounts,
    pub hardening_confidence: HardeningConfidence,
}

#[derive(Serialize, JsonSchema)]
pub struct SynthesisRow {
    #[serde(flatten)]
    pub totals: Totals,
    /// False where the final version lost too much of the text.
    pub used: bool,
}

row_data!(RestatementRow, AttackRow, DefenceRow, RulingsRow, AuditRow, SynthesisRow);
