//! The parsed data of council's own stored rows; its label map is shared with other modes (`labelled.rs`).

use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BallotRow {
    /// Best first; empty for an abstention.
    pub parsed_ranking: Vec<BallotPlace>,
    /// There only for an abstention: what was wrong with the reply, if one came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_error: Option<Option<String>>,
}

#[derive(Serialize, JsonSchema)]
pub struct BallotPlace {
    pub label: String,
    pub position: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregateRow {
    pub aggregate_rankings: Vec<AggregatePlace>,
    /// What ordered equal scores at the top, if any were equal.
    pub tie_rung: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregatePlace {
    pub label: String,
    /// 1 is first; null for an answer on no ballot.
    pub average_rank: Option<f64>,
    pub score: Option<f64>,
    pub rankings_count: u32,
}

row_data!(BallotRow, AggregateRow);
