//! The parsed data of the fact-check's stored rows.

use super::checks::{Ruling, Sureness};
use super::claims::ClaimType;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentRow {
    pub content_source: ContentSource,
    pub input_question: String,
    /// In characters.
    pub content_length: usize,
    pub word_count: u32,
    /// Whether the content was cut at the limit.
    pub truncated: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentSource {
    UserProvided,
    Generated,
}

#[derive(Serialize, JsonSchema)]
pub struct GeneratedContentRow {
    #[serde(flatten)]
    pub content: ContentRow,
    /// Whether another seat wrote it in the generator's place.
    pub fallback: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimsRow {
    pub claims: Vec<ClaimRow>,
    pub total_claims: usize,
    /// Claims the extractor gives that the content does not make. They are not scored.
    pub not_found: Vec<String>,
    /// Claims of each type that occurs.
    pub type_breakdown: IndexMap<&'static str, usize>,
}

#[derive(Serialize, JsonSchema)]
pub struct ClaimRow {
    pub id: String,
    pub claim: String,
    /// The sentence it stands in, as the extractor gives it.
    pub context: String,
    #[serde(rename = "type")]
    pub kind: ClaimType,
    /// How it was found in the content: by `quote` or by `paraphrase`.
    pub located: &'static str,
    /// Where it was found.
    pub sentence: String,
}

/// One checker's votes.
#[derive(Serialize, JsonSchema)]
pub struct VotesRow {
    pub verifications: Vec<VoteRow>,
    pub summary: RulingCounts,
    /// Why the checker abstained; null where it ruled.
    pub abstained: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoteRow {
    pub claim_id: String,
    pub verdict: Ruling,
    pub evidence: String,
    /// For a disputed claim, what is right instead.
    pub correction: Option<String>,
    pub confidence: Sureness,
    pub quote: Option<String>,
    /// The attached file that holds the quotation.
    pub found_in: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct RulingCounts {
    pub verified: usize,
    pub disputed: usize,
    pub unverifiable: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsensusRow {
    pub consensus: Vec<ClaimConsensus>,
    /// In percent; null where no claim has two votes.
    pub average_agreement_rate: Option<f64>,
    /// Out of 100; null where no claim has two votes.
    pub reliability_score: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimConsensus {
    pub claim_id: String,
    pub claim: String,
    pub consensus_verdict: Ruling,
    pub consensus_confidence: Sureness,
    /// Percent of the votes; null with fewer than two.
    pub agreement_rate: Option<u32>,
    /// For a disputed claim, what is right instead.
    pub correction: Option<String>,
    pub votes: usize,
    /// What decided: `majority`, `plurality`, `tie` or `too_few_votes`.
    pub rung: &'static str,
    /// What to know about a ruling without a majority.
    pub note: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportRow {
    /// Out of 100; null where no claim has two votes.
    pub reliability_score: Option<u32>,
    pub verified: u32,
    pub disputed: u32,
    pub unverifiable: u32,
    pub total_claims: u32,
    pub checker_count: usize,
    /// In percent; null where no claim has two votes.
    pub average_agreement_rate: Option<f64>,
    /// Whether the report is computed alone.
    pub fallback: bool,
    /// There only for a content without claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<&'static str>,
}

row_data!(ContentRow, GeneratedContentRow, ClaimsRow, VotesRow, ConsensusRow, ReportRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData {
    pub checkers: usize,
    pub average_agreement_rate: Option<f64>,
    pub measure: &'static str,
}
