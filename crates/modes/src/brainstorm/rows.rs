//! The parsed data of brainstorm's stored rows.

use super::{Promise, Source};
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

/// One seat's ideas.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdeationRow {
    /// Where the seat started from.
    pub angle: &'static str,
    pub ideas: Vec<IdeaEntry>,
    pub idea_count: usize,
    /// There only where the seat failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdeaEntry {
    pub id: String,
    pub title: String,
    pub description: String,
    /// The idea it repeats; null if it repeats none.
    pub merged_into: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusteringRow {
    pub clusters: Vec<ClusterEntry>,
    pub total_clusters: usize,
    /// Why there are fewer than three; null where there are not.
    pub why_fewer: Option<String>,
    pub unclustered_count: usize,
    /// Ideas the curator put nowhere.
    pub unclustered_ids: Vec<String>,
    /// Whether they were grouped by the words they share, because nobody could group them.
    pub fallback: bool,
    /// Ideas that were given more than once.
    pub merged: Vec<MergedIdea>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterEntry {
    pub id: String,
    /// What scorers know it by.
    pub label: String,
    pub name: String,
    pub theme: String,
    /// Null where nobody said how promising it is.
    pub promise: Option<Promise>,
    pub idea_ids: Vec<String>,
    pub idea_count: usize,
}

#[derive(Serialize, JsonSchema)]
pub struct MergedIdea {
    pub id: String,
    /// Ids of its repeats.
    pub merged: Vec<String>,
}

/// One scorer's marks.
#[derive(Serialize, JsonSchema)]
pub struct ScoringRow {
    pub scores: Vec<ScoreEntry>,
    /// Ids of the clusters this scorer was shown, in its order.
    pub shown: Vec<String>,
    /// There only where the seat failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoreEntry {
    pub cluster_id: String,
    pub label: String,
    /// 1 to 5; null where no mark was given.
    pub novelty: Option<u32>,
    pub feasibility: Option<u32>,
    pub impact: Option<u32>,
    /// 3 to 15; null unless all three were given.
    pub total: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankingRow {
    /// Best first.
    pub ranked_clusters: Vec<RankedCluster>,
    pub scorer_count: usize,
    pub source: Source,
    /// Ids of the clusters that stand equal with the first, but for what broke the tie.
    pub tied: Vec<String>,
    /// What broke the tie: impact, feasibility, promise or order; null without one.
    pub tie_rung: Option<&'static str>,
}

/// A cluster's place. Its scores are null where nobody gave any.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankedCluster {
    /// 1 is best.
    pub rank: usize,
    pub id: String,
    pub label: String,
    pub name: String,
    pub promise: Option<Promise>,
    pub average_novelty: Option<f64>,
    pub average_feasibility: Option<f64>,
    pub average_impact: Option<f64>,
    /// Mean of the totals, 3 to 15.
    pub average_score: Option<f64>,
    /// Mean of the scorers' standard scores, which decides.
    pub standard_score: Option<f64>,
    /// How many whole marks it rests on.
    pub raters: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefinementRow {
    pub winning_cluster_id: String,
    pub winning_cluster_name: String,
    /// Null when it was not scored.
    pub winning_score: Option<f64>,
    pub word_count: u32,
    pub tied_clusters: bool,
    pub tied_count: usize,
    pub total_ideas: usize,
    pub total_clusters: usize,
}

row_data!(IdeationRow, ClusteringRow, ScoringRow, RankingRow, RefinementRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData {
    pub ideas: usize,
    pub given: usize,
    pub clusters: usize,
    pub runner_up: Option<RunnerUp>,
}

#[derive(Serialize)]
pub struct RunnerUp {
    pub name: String,
    /// Ids and titles.
    pub ideas: Vec<(String, String)>,
}
