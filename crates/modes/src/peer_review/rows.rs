//! The parsed data of peer review's stored rows.

use super::review::{Flaw, Severity};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

/// One review. A reviewer who gave none has no scores and no findings.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewRow {
    /// Place among those asked, from 0.
    pub reviewer_index: usize,
    pub label: String,
    /// In the rubric's order.
    pub scores: Vec<WeightedScore>,
    /// The mean of the scores given, by weight.
    pub overall_score: Option<f64>,
    pub finding_counts: SeverityCounts,
    pub findings: Vec<NumberedFlaw>,
    pub strengths: Vec<String>,
    /// Left out where there is no review.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub summary: Option<String>,
    /// There only where there is no review: how the reviewer's call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct WeightedScore {
    pub criterion: String,
    /// From 1 to 5; null where the reviewer gave none.
    pub score: Option<f64>,
    pub weight: f64,
    pub justification: String,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub struct SeverityCounts {
    pub critical: u32,
    pub major: u32,
    pub minor: u32,
    pub suggestion: u32,
}

impl SeverityCounts {
    pub fn of(severities: impl IntoIterator<Item = Severity>) -> Self {
        let mut counts = Self::default();
        for severity in severities {
            *match severity {
                Severity::Critical => &mut counts.critical,
                Severity::Major => &mut counts.major,
                Severity::Minor => &mut counts.minor,
                Severity::Suggestion => &mut counts.suggestion,
            } += 1;
        }
        counts
    }
}

/// A finding as the reviewer wrote it.
#[derive(Serialize, JsonSchema)]
pub struct NumberedFlaw {
    #[serde(flatten)]
    pub flaw: Flaw,
    /// Its place in the review, from 1.
    pub number: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingsRow {
    /// Place among those asked, from 0.
    pub reviewer_index: usize,
    /// How many findings the review holds.
    pub findings: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsensusScoresRow {
    pub reviewer_count: usize,
    pub consensus_scores: Vec<CriterionConsensus>,
    /// Mean of the reviewers' overall scores; null if nobody scored.
    pub average_overall_score: Option<f64>,
    /// Criteria on which the reviewers are far apart.
    pub disputed: Vec<String>,
}

/// One criterion over all reviewers.
#[derive(Serialize, JsonSchema)]
pub struct CriterionConsensus {
    pub criterion: String,
    pub weight: f64,
    /// Null if nobody scored it.
    pub average: Option<f64>,
    /// Null with fewer than two scores, like `distance` and `agreement`.
    pub stddev: Option<f64>,
    /// Mean distance between two reviewers.
    pub distance: Option<f64>,
    /// `high`, `medium` or `low`.
    pub agreement: Option<&'static str>,
}

/// Which findings a reader of all of them takes for one, and which of that passed the rules.
#[derive(Serialize, JsonSchema)]
pub struct GroupingRow {
    /// Ids of findings, group by group, as merged.
    pub groups: Vec<Vec<String>>,
    /// Findings that were proposed for a group and stand alone.
    pub refused: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsensusFindingsRow {
    /// `proposed` by a reader of all findings and checked, or `words`: computed from what they have in common.
    pub matched_by: &'static str,
    pub findings: Vec<ConsensusFinding>,
    /// Findings more than one reviewer made.
    pub consensus_finding_count: u32,
    /// Findings one reviewer made.
    pub unique_finding_count: u32,
    /// Share of the findings that more than one reviewer made; null without a finding.
    pub findings_overlap_rate: Option<f64>,
    /// Share of the shared findings that all their finders took equally gravely; null without a shared one.
    pub severity_agreement_rate: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
pub struct ConsensusFinding {
    pub id: String,
    pub title: String,
    pub category: String,
    /// The gravest given.
    pub severity: Severity,
    /// By the label of whoever found it.
    pub severities: IndexMap<String, Severity>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsolidationRow {
    pub reviewer_count: usize,
    pub consensus_scores: Vec<CriterionConsensus>,
    /// Null where nobody could consolidate.
    pub action_item_count: Option<usize>,
    pub critical_finding_count: u32,
    pub major_finding_count: u32,
    pub weighted_overall_avg: Option<f64>,
    pub weighted_overall_stddev: Option<f64>,
    /// `high`, `medium` or `low`; null with fewer than two scores.
    pub overall_agreement: Option<&'static str>,
    pub total_findings: usize,
    pub consensus_finding_count: u32,
    pub unique_finding_count: u32,
    /// Criteria on which the reviewers are far apart.
    pub disputed_assessment_count: usize,
    pub inter_reviewer_agreement: ReviewerAgreement,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewerAgreement {
    /// Mean over the criteria; null where none was scored.
    pub average_score_stddev: Option<f64>,
    pub findings_overlap_rate: Option<f64>,
    pub severity_agreement_rate: Option<f64>,
}

row_data!(ReviewRow, FindingsRow, GroupingRow, ConsensusScoresRow, ConsensusFindingsRow, ConsolidationRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData<'a> {
    pub rubric: &'a str,
    pub consensus_scores: Vec<CriterionConsensus>,
}
