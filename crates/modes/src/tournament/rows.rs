//! The parsed data of tournament's stored rows.

use super::judging::MatchEnding;
use super::{Format, Step};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::{SeatIx, row_data};

/// Who meets whom first. Labels stand for contestants, as one model may sit twice.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawRow {
    #[serde(rename = "type")]
    pub kind: DrawKind,
    pub total_rounds: u32,
    /// In seeded order.
    pub contestants: Vec<String>,
    pub byes: Vec<String>,
    pub round1_matchups: Vec<Matchup>,
    /// The model behind each label.
    pub models: IndexMap<String, String>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawKind {
    Bracket,
    RoundRobin,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Matchup {
    pub match_index: usize,
    pub a: String,
    /// Null for a bye.
    pub b: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchRow {
    pub round: u32,
    pub match_index: usize,
    pub contestant_a: String,
    /// Null for a bye.
    pub contestant_b: Option<String>,
    pub label_a: String,
    /// Null for a bye.
    pub label_b: Option<String>,
    /// The label of who goes on, or won; null where nobody did.
    pub winner: Option<String>,
    pub winner_model: Option<String>,
    /// Null for a bye and where nobody won.
    pub loser_model: Option<String>,
    /// What the last judge said in both orders; null where no judge said anything.
    pub reasoning: Option<String>,
    pub is_bye: bool,
    pub how: MatchEnding,
    /// In the order the judges were asked.
    pub judgements: Vec<JudgementEntry>,
    /// Whether more than one judge was asked.
    pub was_retry: bool,
    /// Whether no judge's word decided it.
    pub was_default: bool,
}

/// The labels one judge named in both orders; null where it failed.
#[derive(Serialize, JsonSchema)]
pub struct JudgementEntry {
    /// The judge's model.
    pub judge: String,
    pub seat: SeatIx,
    pub ab: Option<String>,
    pub ba: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct StandingsRow {
    pub format: Format,
    /// Null where nobody judged the final.
    pub champion: Option<String>,
    pub rounds: StandingsRounds,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StandingsRounds {
    Knockout(Vec<Vec<KnockoutMatch>>),
    /// The table, best first, as the one round there is.
    RoundRobin([Vec<TableEntry>; 1]),
}

#[derive(Serialize, JsonSchema)]
pub struct KnockoutMatch {
    pub a: String,
    /// Left out for a bye.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    pub how: MatchEnding,
}

#[derive(Serialize, JsonSchema)]
pub struct TableEntry {
    pub label: String,
    /// Bradley–Terry strength.
    pub strength: f64,
    /// Without those that nobody could judge.
    pub matches: u32,
    pub won: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChampionRow {
    pub winner_model: String,
    /// Matches won by a judge's word.
    pub total_matchups_won: u32,
    pub total_rounds: usize,
    /// The champion's matches in order.
    pub bracket_path: Vec<Step>,
}

row_data!(DrawRow, MatchRow, StandingsRow, ChampionRow);
