//! The parsed data of a slot's stored rows.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlotRow {
    pub claim: String,
    pub slot: String,
    pub layer: u32,
    pub attempt: u32,
    pub role: String,
    pub confidence: Option<f64>,
    pub structured_output: Option<Value>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryRow {
    pub claim: String,
    /// How many summaries it was made of.
    pub merged_from: u32,
}

row_data!(SlotRow, SummaryRow);
