//! The larger shapes of exhibits: each a plain record of what a reader is shown, in the words the panel knew it by.

use crate::SeatIx;
use serde::{Deserialize, Serialize};

fn no<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Who met whom, round by round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bracket {
    /// In seeded order.
    pub contestants: Vec<Contestant>,
    pub rounds: Vec<Vec<Match>>,
    /// `None` while it is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub champion: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contestant {
    pub label: String,
    pub seat: SeatIx,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Match {
    pub a: String,
    /// `None`: a bye.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// What decided it: `agreed`, `second_judge`, `draw`, `void`, `bye`.
    pub how: String,
    #[serde(default, skip_serializing_if = "no")]
    pub note: String,
}

/// Scores of several judges on several criteria. A score nobody gave is `None`, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scorecard {
    /// Worst and best value of a cell.
    pub scale: (f64, f64),
    /// Whose scores stand in each column.
    pub columns: Vec<String>,
    /// What is scored in each row, where it is no criterion: `Answer`, `Position`.
    #[serde(default, skip_serializing_if = "no")]
    pub of: String,
    pub rows: Vec<ScoreRow>,
    /// Each column's own overall, under its scores.
    #[serde(default, skip_serializing_if = "no")]
    pub totals: Vec<Option<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<f64>,
    /// What the summary of a row and the overall are: "mean; agreement by range".
    #[serde(default, skip_serializing_if = "no")]
    pub measure: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreRow {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// One a column.
    pub cells: Vec<Option<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<f64>,
    /// `strong agreement`, `mixed`, …
    #[serde(default, skip_serializing_if = "no")]
    pub note: String,
}

/// Where the panel stands on one question: numbers with their spread, or choices with their shares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    #[serde(default, skip_serializing_if = "no")]
    pub unit: String,
    pub points: Vec<Point>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// Choices and how many hold them, most first. Empty for numbers.
    #[serde(default, skip_serializing_if = "no")]
    pub shares: Vec<(String, u32)>,
    /// Whether the panel has settled, and by which measure.
    #[serde(default, skip_serializing_if = "no")]
    pub measure: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatIx>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(default, skip_serializing_if = "no")]
    pub choice: String,
    #[serde(default, skip_serializing_if = "no")]
    pub note: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub min: f64,
    pub low: f64,
    pub middle: f64,
    pub high: f64,
    pub max: f64,
}

/// Figures over the steps of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub steps: Vec<String>,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub name: String,
    /// One a step; `None`: nothing to report there.
    pub values: Vec<Option<f64>>,
}

/// One text become another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// `revise`, `stand`, `merge`, a mandate's name, …
    #[serde(default, skip_serializing_if = "no")]
    pub decision: String,
    #[serde(default, skip_serializing_if = "no")]
    pub reasons: String,
    /// False: the new text was refused and the old one stands; `notes` says why.
    pub kept: bool,
    pub before_words: u32,
    pub after_words: u32,
    /// What changed, by line or passage; unchanged stretches may be left out.
    #[serde(default, skip_serializing_if = "no")]
    pub changes: Vec<Change>,
    #[serde(default, skip_serializing_if = "no")]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", content = "text", rename_all = "snake_case")]
pub enum Change {
    Same(String),
    Added(String),
    Removed(String),
    /// So many unchanged lines are not shown.
    Skipped(u32),
}

/// Flaws found, and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    pub entries: Vec<FindingEntry>,
    /// Said when there is none: that it was looked for, and by whom.
    #[serde(default, skip_serializing_if = "no")]
    pub none: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FindingEntry {
    pub id: String,
    pub title: String,
    /// The mode's own word, worst first in its list: `critical`, `high`, `major`, …
    pub severity: String,
    #[serde(default, skip_serializing_if = "no")]
    pub location: String,
    #[serde(default, skip_serializing_if = "no")]
    pub detail: String,
    /// Who found it, by the name readers know them by.
    #[serde(default, skip_serializing_if = "no")]
    pub by: Vec<String>,
    /// `accepted`, `rebutted`, `open`, …
    #[serde(default, skip_serializing_if = "no")]
    pub fate: String,
    /// What was said to it, or what to do about it.
    #[serde(default, skip_serializing_if = "no")]
    pub reply: String,
}

/// Statements that were checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checks {
    pub entries: Vec<CheckEntry>,
    /// Out of 100, computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    #[serde(default, skip_serializing_if = "no")]
    pub measure: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckEntry {
    pub id: String,
    pub claim: String,
    /// `verified`, `disputed`, `unverifiable`.
    pub verdict: String,
    #[serde(default, skip_serializing_if = "no")]
    pub confidence: String,
    /// Share of the votes cast that agree with the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    #[serde(default, skip_serializing_if = "no")]
    pub votes: Vec<(String, u32)>,
    #[serde(default, skip_serializing_if = "no")]
    pub correction: String,
    #[serde(default, skip_serializing_if = "no")]
    pub evidence: Vec<Evidence>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Who brought it, by the name readers know them by.
    pub by: String,
    pub text: String,
    /// A passage quoted from the material, and where it was found; `None`: the quotation was not found there.
    #[serde(default, skip_serializing_if = "no")]
    pub quote: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_in: Option<String>,
}

/// Things grouped by theme.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clusters {
    /// Best first where they are ranked.
    pub clusters: Vec<Cluster>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub id: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "no")]
    pub theme: String,
    /// Ids and titles.
    pub items: Vec<(String, String)>,
    /// `novelty`, `impact`, …; `None`: nobody scored it.
    #[serde(default, skip_serializing_if = "no")]
    pub scores: Vec<(String, Option<f64>)>,
    #[serde(default, skip_serializing_if = "no")]
    pub note: String,
    #[serde(default, skip_serializing_if = "no")]
    pub chosen: bool,
}

/// A long text in parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub title: String,
    /// What stands before the first section.
    #[serde(default, skip_serializing_if = "no")]
    pub front: String,
    pub sections: Vec<Section>,
    /// What is still to be written, as marked in the text.
    #[serde(default, skip_serializing_if = "no")]
    pub todos: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    pub number: u32,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatIx>,
    /// Empty: it was not written.
    #[serde(default, skip_serializing_if = "no")]
    pub text: String,
    pub words: u32,
}

/// Steps and what each waits for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub id: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatIx>,
    /// How many steps must come before it, from 1.
    pub wave: u32,
    /// `planned`, `done`, `failed`.
    pub state: String,
    #[serde(default, skip_serializing_if = "no")]
    pub note: String,
    /// On the longest path.
    #[serde(default, skip_serializing_if = "no")]
    pub critical: bool,
    /// How long it took, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<crate::Millis>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub from: String,
    pub to: String,
    /// Dropped to break a circle.
    #[serde(default, skip_serializing_if = "no")]
    pub cut: bool,
}
