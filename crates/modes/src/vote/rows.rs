//! The parsed data of vote's own stored rows; its label map and its tally are shared with other modes (`labelled.rs`, `tally.rs`).

use super::Tiebreak;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoteRow {
    /// The label voted for; null for an abstention.
    pub voted_for: Option<String>,
    /// Always false: nobody is shown its own answer.
    pub self_vote: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TiebreakRow {
    /// Null when nobody could decide.
    pub voted_for: Option<String>,
    pub tied_labels: Vec<String>,
    pub tied_vote_count: u32,
    /// There only when a person decided: what they remarked, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Option<String>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WinnerRow {
    pub winner_label: String,
    pub winner_model: String,
    pub vote_count: u32,
    pub total_votes: u32,
    pub tiebroken: bool,
    pub tiebreak_method: Tiebreak,
}

row_data!(VoteRow, TiebreakRow, WinnerRow);
