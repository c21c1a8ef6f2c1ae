//! What a phase shows. A closed set by shape: pages, reports and analytics know shapes, never modes.

use crate::{Bracket, Checks, Clusters, CruxCard, Distribution, Document, Findings, Graph, Json, Revision, Scorecard, SeatIx, Series, Shifts};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something shown. Its stored row's `stage_type` is the name it is shown under.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    pub title: String,
    /// Whose it is; `None` for what was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatIx>,
    /// The part the seat played here: `respondent`, `voter`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The turn whose words these are: text, raw reply and response time are that turn's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Other turns it speaks for: reports leave it at what it says of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<String>,
    /// The side conversation it is part of, by its title: reports fold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
    pub shape: Shape,
    /// What else its seat said, under names: reasons, strengths, a summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The stored row's parsed data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
}

/// Words that stand below a shape: a text, or a list where there are several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub texts: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    Statement(Statement),
    Ballot(Ballot),
    Tally(Tally),
    Ranking(Ranking),
    Bracket(Bracket),
    Scorecard(Scorecard),
    Distribution(Distribution),
    Series(Series),
    Revision(Revision),
    Findings(Findings),
    Checks(Checks),
    Clusters(Clusters),
    Shifts(Shifts),
    Card(CruxCard),
    Document(Document),
    Graph(Graph),
    Rule(Rule),
    Note { text: String },
}

/// Something a seat said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// The neutral label under which others saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// `None`: the text of the exhibit's turn.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "crate::long_option")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
}

/// One reader's typed judgement of what it was shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ballot {
    /// The labels in the order this reader saw them.
    pub shown: Vec<String>,
    /// It saw them in the opposite order too.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub both_orders: bool,
    /// Best first; one label for a single vote; empty for an abstention, and where nothing was chosen in the end.
    pub choice: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "crate::long_option")]
    pub reasons: Option<String>,
    /// What else it says, or what became of it, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why nothing was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstained: Option<String>,
}

/// Votes for each candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    pub entries: Vec<TallyEntry>,
    pub valid: u32,
    pub invalid: u32,
    /// More than one label: a tie.
    pub winners: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TallyEntry {
    pub label: String,
    pub seat: SeatIx,
    pub votes: u32,
}

/// Candidates in order, best first, each with its score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    pub entries: Vec<RankingEntry>,
    pub ballots: u32,
    /// Names the scale of `score`.
    pub measure: String,
    /// Which rung of the tie ladder ordered equal scores, if any did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_rung: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingEntry {
    pub label: String,
    pub seat: SeatIx,
    /// `None`: nobody ranked it.
    pub score: Option<f64>,
    /// Ballots that could rank it.
    pub ballots: u32,
    pub first_places: u32,
    pub mean_position: Option<f64>,
}

/// A decision with the numbers behind it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// What was decided, in a sentence.
    pub decided: String,
    /// The rule or rung that decided it.
    pub rung: String,
    pub numbers: Vec<(String, f64)>,
}

/// The parsed data of one kind of stored row. A mode declares the type with the row's name; no loose JSON passes here.
pub trait RowData: Serialize + schemars::JsonSchema {}

/// Says of types that they are the parsed data of stored rows.
#[macro_export]
macro_rules! row_data {
    ($($row:ty),+ $(,)?) => { $(impl $crate::RowData for $row {})+ };
}

impl Exhibit {
    pub fn new(title: impl Into<String>, shape: Shape) -> Self {
        Self { title: title.into(), seat: None, role: None, turn: None, covers: Vec::new(), aside: None, shape, parts: Vec::new(), data: None }
    }
    pub fn note(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(title, Shape::Note { text: text.into() })
    }
    /// Words that are not simply those of a turn.
    pub fn statement(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(title, Shape::Statement(Statement { text: Some(text.into()), ..Statement::default() }))
    }
    /// The words of a seat's turn, unchanged.
    pub fn said(title: impl Into<String>, seat: SeatIx, role: &str, turn: impl Into<String>) -> Self {
        Self::new(title, Shape::Statement(Statement::default())).by(seat, role).turn(turn)
    }
    pub fn by(mut self, seat: SeatIx, role: &str) -> Self {
        self.seat = Some(seat);
        self.role = Some(role.to_owned());
        self
    }
    pub fn turn(mut self, key: impl Into<String>) -> Self {
        self.turn = Some(key.into());
        self
    }
    /// The same where there may be none.
    pub fn of_turn(mut self, key: Option<&String>) -> Self {
        self.turn = key.cloned();
        self
    }
    pub fn covers(mut self, keys: Vec<String>) -> Self {
        self.covers = keys;
        self
    }
    pub fn aside(mut self, title: impl Into<String>) -> Self {
        self.aside = Some(title.into());
        self
    }
    /// A text below the shape; nothing where it is blank.
    pub fn part(self, name: &str, text: impl AsRef<str>) -> Self {
        self.list(name, [text])
    }
    /// A list below the shape, without its blank items; nothing where none is left.
    pub fn list(mut self, name: &str, texts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let texts: Vec<String> = texts.into_iter().map(|text| text.as_ref().trim().to_owned()).filter(|text| !text.is_empty()).collect();
        if !texts.is_empty() {
            self.parts.push(Part { name: name.to_owned(), texts });
        }
        self
    }
    /// The stored row's parsed data. Its fields stand once, in the type.
    pub fn data(mut self, data: &impl RowData) -> Self {
        self.data = Some(Json::of(data));
        self
    }
    /// The same as a tree, to look into.
    pub fn row(&self) -> Option<Value> {
        self.data.as_ref().map(Json::value)
    }
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        if let Shape::Statement(statement) = &mut self.shape {
            statement.label = Some(label.into());
        }
        self
    }
}
