//! The parsed data of chain's stored rows.

use super::Mandate;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepRow {
    /// From 1.
    pub step: u32,
    pub mandate: Mandate,
    pub mandate_display: String,
    /// Words of the version taken; null for a skipped step.
    pub word_count: Option<u32>,
    /// Words of the version the step was given; 0 for the draft.
    pub previous_word_count: u32,
    pub word_count_delta: Option<i64>,
    pub skipped: bool,
    pub skip_reason: Option<String>,
    /// The step whose version this one was given; null for the draft.
    pub source_step: Option<u32>,
    pub notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryRow {
    pub completed_steps: Vec<u32>,
    pub skipped_steps: Vec<u32>,
    /// Words of each step's version; null for a skipped step.
    pub word_count_progression: Vec<Option<u32>>,
    pub last_step: u32,
}

row_data!(StepRow, SummaryRow);
