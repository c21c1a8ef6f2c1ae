//! The parsed data of delphi's stored rows.

use super::Interval;
use super::outcome::StopReason;
use super::question::Kind;
use super::reply::Level;
use super::round::Rung;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::{Failure, row_data};

#[derive(Serialize, JsonSchema)]
pub struct ClassificationRow {
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Null where no unit is known or none is needed.
    pub unit: Option<String>,
    /// Null unless it is a choice.
    pub options: Option<Vec<String>>,
    pub reasoning: String,
}

/// One panelist's answer of a round: with `answer` and `previousAnswer` for a choice, with `estimate` and `previousEstimate` for a number.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRow {
    pub round: u32,
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The option's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    /// Null where the panelist failed.
    pub confidence: Option<Level>,
    /// Null in the first round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_answer: Option<Option<String>>,
    /// Null in the first round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_estimate: Option<Option<f64>>,
    /// Null in the first round.
    pub changed: Option<bool>,
    pub reasoning: String,
    /// False in a round that too few completed, and where the panelist failed.
    pub counted: bool,
    /// There only where the panelist failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

impl AnswerRow {
    /// The row of a panelist who gave no answer.
    pub fn absent(round: u32, kind: Kind, failure: &Failure) -> Self {
        Self {
            round,
            kind,
            answer: None,
            estimate: None,
            confidence: None,
            previous_answer: None,
            previous_estimate: None,
            changed: None,
            reasoning: String::new(),
            counted: false,
            error: Some(failure.to_string()),
        }
    }
}

/// The statistics of a round: with those of numbers or those of choices.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundStatsRow {
    pub round: u32,
    /// Always `stats`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub converged: bool,
    pub confidence_counts: LevelCounts,
    /// The rule by which the round has settled or not, with its numbers.
    pub measure: String,
    #[serde(flatten)]
    pub numbers: Option<NumberStats>,
    #[serde(flatten)]
    pub choices: Option<ChoiceStats>,
}

/// How many answered with which confidence.
#[derive(Serialize, JsonSchema)]
pub struct LevelCounts {
    pub low: u32,
    pub medium: u32,
    pub high: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberStats {
    pub mean: f64,
    pub median: f64,
    /// Of these numbers as a whole population.
    pub std_dev: f64,
    /// As a sample of a larger population; null for a single number.
    pub sample_std_dev: Option<f64>,
    /// Standard deviation by mean; null where the mean is zero.
    pub cv: Option<f64>,
    pub min: f64,
    pub max: f64,
    /// The quarter points: between them lies the middle half.
    pub low: f64,
    pub high: f64,
    /// The width of the middle half by the measure that decides whether the round has settled; null where it cannot be measured.
    pub dispersion: Option<f64>,
    /// Whether `cv` is above 2; null where that is.
    pub high_variance: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChoiceStats {
    /// The options somebody chose, most chosen first.
    pub distribution: Vec<OptionShare>,
    /// The share of the leading option.
    pub agreement_percentage: u32,
    /// The leading option.
    pub mode: String,
    pub mode_by: Rung,
}

#[derive(Serialize, JsonSchema)]
pub struct OptionShare {
    pub answer: String,
    pub count: u32,
    pub percentage: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeRow {
    pub total_rounds: u32,
    pub converged: bool,
    /// The round in which the panel settled; null if it did not.
    pub convergence_round: Option<u32>,
    pub final_value: FinalValue,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FinalValue {
    /// The median.
    Number(f64),
    /// The leading option's words.
    Choice(String),
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrajectoryRow {
    #[serde(flatten)]
    pub outcome: OutcomeRow,
    pub stop_reason: StopReason,
    /// The middle half of the last whole round; null for a choice.
    pub interval: Option<Interval>,
}

row_data!(ClassificationRow, AnswerRow, RoundStatsRow, OutcomeRow, TrajectoryRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData<'a> {
    pub final_value: FinalValue,
    pub rule: String,
    pub measure: &'a str,
    pub options: &'a [String],
    pub rounds: Vec<serde_json::Value>,
}
