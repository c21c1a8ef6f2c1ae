//! The parsed data of confidence_weighted's stored rows.

use super::Weights;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRow {
    /// From 0 to 1; null where none was stated.
    pub confidence: Option<f64>,
    pub confidence_reasoning: String,
    /// Whether a confidence was stated.
    pub parsed_successfully: bool,
    /// The beginning of the answer.
    pub response_preview: String,
    /// There only without a confidence: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_failure_note: Option<String>,
    /// There only where the seat failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WeightsRow {
    /// Always `weights`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub method: Weights,
    pub temperature: f64,
    /// In the order the answers came.
    pub weights: Vec<WeightEntry>,
    pub outlier_count: usize,
}

/// One answer's weights, by the method chosen and by all of them.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WeightEntry {
    pub label: String,
    pub model: String,
    /// Null where none was stated.
    pub raw_confidence: Option<f64>,
    /// What stood in for a confidence that was not stated; null where one was, or where nobody stated any.
    pub imputed_confidence: Option<f64>,
    /// Mean likeness to the other answers; null for an answer alone.
    pub likeness: Option<f64>,
    /// From 0 to 1, by the method chosen.
    pub normalized_weight: f64,
    pub weight_percent: f64,
    /// Null where no confidence was stated.
    pub is_outlier: Option<bool>,
    pub stated_percent: f64,
    pub equal_percent: f64,
    pub agreement_percent: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SynthesisRow {
    /// The beginning of the text.
    pub synthesis_preview: String,
    /// Null where an answer is returned in place of a synthesis.
    pub calibration_notes: Option<String>,
    pub total_models: usize,
    pub highest_weight: ModelWeight,
    pub lowest_weight: ModelWeight,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelWeight {
    pub model: String,
    pub weight_percent: f64,
}

/// What the synthesizer noticed about answers and ratings; not there where it noticed nothing.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationRow {
    /// Where the answers contradict each other, and how that was decided.
    pub reasons: String,
    pub calibration_notes: String,
}

row_data!(AnswerRow, WeightsRow, SynthesisRow, CalibrationRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData {
    pub temperature: f64,
    pub outliers: usize,
    pub dissent_rule: &'static str,
}
