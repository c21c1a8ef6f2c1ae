//! The parsed data of the draft's stored rows.

use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
pub struct DraftRow {
    /// The part of the persona the text belongs to: a paragraph's field, `evidence`, `anchors` or `voice`.
    pub field: String,
}

row_data!(DraftRow);
