//! The parsed data of debate's stored rows.

use super::Tiebreak;
use super::ballot::RevisionMarks;
use super::revision::Stance;
use crate::tally::TallyRow;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisionRow {
    /// Null when the revision failed: the original stands in.
    pub decision: Option<Stance>,
    /// Null when the revision failed.
    pub reasoning: Option<String>,
    pub original_word_count: u32,
    pub revised_word_count: u32,
    pub parse_success: bool,
}

/// How many debaters did what with their answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisionSummaryRow {
    pub total_models: usize,
    pub revised: u32,
    pub stood: u32,
    pub merged: u32,
    pub parse_failed: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebateVoteRow {
    /// The label voted for; null for an abstention.
    pub voted_for: Option<String>,
    /// Always false: nobody is shown its own answer.
    pub self_vote: bool,
    /// Labels of the answers whose original this voter found better; null for an abstention.
    pub weaker_revisions: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebateTallyRow {
    #[serde(flatten)]
    pub tally: TallyRow,
    /// By label; null for an answer that was not changed, because nobody compared it with its original.
    pub revision_marks: IndexMap<String, Option<RevisionMarks>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebateWinnerRow {
    pub winner_label: String,
    pub winner_model: String,
    /// What the winner did with its first answer; null if its revision failed.
    pub winner_decision: Option<Stance>,
    pub vote_count: u32,
    pub total_votes: u32,
    pub tiebroken: bool,
    pub tiebreak_method: Tiebreak,
    /// More than half of those who could compare them found the winner better before its revision.
    pub lost_to_original: bool,
}

row_data!(RevisionRow, RevisionSummaryRow, DebateVoteRow, DebateTallyRow, DebateWinnerRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData<'a> {
    pub tallies: indexmap::IndexMap<String, u32>,
    pub criteria: &'a [String],
    pub lost_to_original: Vec<&'a str>,
    pub decisions: indexmap::IndexMap<&'a str, Option<super::Stance>>,
}
