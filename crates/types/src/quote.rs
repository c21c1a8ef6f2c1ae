//! What a run would take, said before it is paid for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    pub mode: String,
    pub calls: Span,
    pub input_tokens: Span,
    /// What a reader sees: from short replies to every word that may be written.
    pub output_tokens: Span,
    /// Room to think before those words, for all calls together. A model that does not think leaves it empty.
    #[serde(default)]
    pub thinking_tokens: u64,
    /// What is likely, without thought, of the seats whose price is known; `None` when no price is known.
    pub usd: Option<UsdSpan>,
    /// The worst case of the same calls: every word written, and all the room to think used up.
    #[serde(default)]
    pub worst_usd: Option<f64>,
    /// What it will come to if replies are of a usual length and half of the calls that may be needed are: what is confirmed before it is paid.
    #[serde(default)]
    pub likely_usd: Option<f64>,
    /// The tokens of seats whose price is unknown, on the same terms.
    #[serde(default)]
    pub unpriced_tokens: u64,
    /// Seats whose price is unknown: their part of the cost is not in `usd`.
    pub unpriced: Vec<String>,
    pub estimated_ms: i64,
    pub phases: Vec<QuoteLine>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    pub min: u64,
    pub max: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsdSpan {
    pub min: f64,
    pub max: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuoteLine {
    pub prompt: String,
    pub role: String,
    pub calls: Span,
}
