//! The parsed data of the specialist panel's stored rows.

use super::cross_review::{FindingStance, RatingChange};
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

/// One specialist's report, before anybody read it.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportRow {
    pub role_id: String,
    pub role_title: String,
    /// In the order of the role's criteria.
    pub criteria_scores: Vec<CriterionScore>,
    pub top_recommendations: Vec<String>,
    pub key_findings: Vec<KeyFinding>,
    /// The mean of the ratings given; null where there is none.
    pub average_score: Option<f64>,
    /// How many of the criteria were rated.
    pub parsed_criteria: usize,
    pub total_criteria: usize,
    /// There only where the seat failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct CriterionScore {
    pub criterion: String,
    /// From 1 to 5, and 5 is best; null where none was given.
    pub score: Option<f64>,
    pub notes: String,
}

#[derive(Serialize, JsonSchema)]
pub struct KeyFinding {
    /// `S2.3` is the third finding of the second role.
    pub id: String,
    pub text: String,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrossReviewRow {
    pub role_id: String,
    pub stances: Vec<FindingStance>,
    pub rating_changes: Vec<RatingChange>,
    /// There only where the seat failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConvergenceRow {
    /// Contradicted ones first.
    pub findings: Vec<FindingSupport>,
    /// Null where nobody answered the others' findings, like the count below.
    pub convergent_finding_count: Option<u32>,
    pub divergent_finding_count: Option<u32>,
}

/// A finding and the titles of those with a stance on it.
#[derive(Serialize, JsonSchema)]
pub struct FindingSupport {
    pub id: String,
    /// The title of the role that found it.
    pub by: String,
    pub finding: String,
    /// `divergent`: somebody contradicts it; `convergent`: somebody else holds it and nobody contradicts it; `alone`: nobody took a stance.
    pub reception: &'static str,
    pub agree: Vec<String>,
    pub extend: Vec<String>,
    pub disagree: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SynthesisRow {
    pub specialist_count: usize,
    /// Roles without a report.
    pub failed_count: usize,
    /// Null where nobody answered the others' findings, like the count below.
    pub convergent_finding_count: Option<u32>,
    pub divergent_finding_count: Option<u32>,
    /// Null where the synthesis has no heading for them.
    pub recommendation_count: Option<usize>,
    /// The criterion with the lowest rating, and whose it is; null if nobody rated anything.
    pub top_risk: Option<String>,
    /// The overall mean in a word; null if nobody rated anything.
    pub overall_assessment: Option<RiskLevel>,
    /// Findings the synthesis cites.
    pub cited_findings: Vec<String>,
    /// Ids the synthesis cites that no report holds.
    pub unknown_citations: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum RiskLevel {
    #[serde(rename = "low_risk")]
    Low,
    #[serde(rename = "moderate_risk")]
    Moderate,
    #[serde(rename = "high_risk")]
    High,
    #[serde(rename = "critical_risk")]
    Critical,
}

row_data!(ReportRow, CrossReviewRow, ConvergenceRow, SynthesisRow);
