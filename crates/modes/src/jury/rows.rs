//! The parsed data of the jury's stored rows.

use super::assessment::Ruling;
use super::summary::Votes;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkRow {
    /// The task the work belongs to; null when the question itself is the work.
    pub original_question: Option<String>,
}

/// One juror, who may have failed.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JurorRow {
    pub label: String,
    /// From 1 to 10; null for a juror who failed.
    pub scores: Option<PerDimension<Option<i64>>>,
    /// The mean of the scores given.
    pub average: Option<f64>,
    /// What the juror said.
    pub verdict: Option<Ruling>,
    /// What the average stands for.
    pub computed_verdict: Option<Ruling>,
    /// The computed verdict, or the stated one of a juror who scored nothing. Left out for a juror who failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Ruling")]
    pub vote: Option<Ruling>,
    /// Whether the stated verdict differs from the vote. Left out for a juror who failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub verdict_mismatch: Option<bool>,
    pub recommendations: Vec<String>,
    /// False for a juror who failed.
    pub parse_success: bool,
    /// There only for a juror who failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

/// One value for each of `DIMENSIONS`, in their order.
#[derive(Serialize, JsonSchema)]
pub struct PerDimension<T> {
    pub accuracy: T,
    pub completeness: T,
    pub clarity: T,
    pub relevance: T,
    pub actionability: T,
}

impl<T> From<[T; 5]> for PerDimension<T> {
    fn from([accuracy, completeness, clarity, relevance, actionability]: [T; 5]) -> Self {
        Self { accuracy, completeness, clarity, relevance, actionability }
    }
}

/// The jurors' scores together.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoresRow {
    /// Jurors asked.
    pub juror_count: usize,
    /// Jurors who could be read.
    pub successful_jurors: usize,
    pub majority_verdict: Ruling,
    /// The count was equal, and the jury's rule settled it.
    pub tied: bool,
    pub vote_tally: Votes,
    /// What the jurors said their verdicts were.
    pub stated_tally: Votes,
    /// Mean of the jurors' averages.
    pub average_score: Option<f64>,
    pub dimension_averages: PerDimension<Option<f64>>,
    pub dimension_ranges: PerDimension<Option<ScoreRange>>,
}

#[derive(Serialize, JsonSchema)]
pub struct ScoreRange {
    pub min: i64,
    pub max: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VotesRow {
    pub verdict: Ruling,
    pub tied: bool,
    pub vote_tally: Votes,
    pub stated_tally: Votes,
}

/// The report. What only a foreman can say is null where none could report.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerdictRow {
    pub final_verdict: Ruling,
    pub foreman_verdict: Option<Ruling>,
    pub foreman_agrees: Option<bool>,
    pub dimension_analysis: Vec<DimensionAnalysis>,
    pub key_strengths: Option<Vec<String>>,
    pub key_weaknesses: Option<Vec<String>>,
    pub recommendations: Option<Vec<String>>,
    pub dissenting_opinions: Option<Vec<String>>,
}

/// One dimension over all jurors; null where nobody scored it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DimensionAnalysis {
    pub dimension: &'static str,
    pub avg_score: Option<f64>,
    pub min_score: Option<i64>,
    pub max_score: Option<i64>,
    /// How far the jurors agree on it, in a word.
    pub consensus: Option<&'static str>,
}

row_data!(WorkRow, JurorRow, ScoresRow, VotesRow, VerdictRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData {
    pub dimension_analysis: Vec<DimensionAnalysis>,
}
