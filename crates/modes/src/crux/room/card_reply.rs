//! The card as a model writes it: its JSON form, its plain-text form, and the words models use for kinds and stances.

use crate::text::{bare, blocks, field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};

/// What the disagreement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisagreementType {
    Horizon,
    Evidence,
    Values,
    Definition,
    Claim,
    Premise,
}

impl DisagreementType {
    pub const NAMES: [&str; 6] = ["horizon", "evidence", "values", "definition", "claim", "premise"];

    /// From whatever word a model used; `claim` for any other.
    pub fn of(word: &str) -> Self {
        match bare(word).to_lowercase().as_str() {
            "evidence" | "empirical" | "factual" => Self::Evidence,
            "definition" | "definitional" => Self::Definition,
            "values" | "value" => Self::Values,
            "premise" | "assumption" => Self::Premise,
            "horizon" | "timeframe" => Self::Horizon,
            _ => Self::Claim,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Horizon => "horizon",
            Self::Evidence => "evidence",
            Self::Values => "values",
            Self::Definition => "definition",
            Self::Claim => "claim",
            Self::Premise => "premise",
        }
    }

    /// How such a disagreement can be settled, if at all.
    pub fn settled_by(self) -> &'static str {
        match self {
            Self::Premise => "evidence on the assumption",
            Self::Evidence => "an agreed way to measure it",
            Self::Horizon => "naming the time frame, in part",
            Self::Definition => "agreeing on the word",
            Self::Values => "nothing but saying so",
            Self::Claim => "whatever it depends on",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Stance {
    Yes,
    No,
    #[default]
    Nuanced,
}

impl Stance {
    pub const NAMES: [&str; 3] = ["YES", "NO", "NUANCED"];

    pub fn of(word: &str) -> Self {
        match token(word, &Self::NAMES) {
            Some("YES") => Self::Yes,
            Some("NO") => Self::No,
            _ => Self::Nuanced,
        }
    }
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "YES",
            Self::No => "NO",
            Self::Nuanced => "NUANCED",
        }
    }
}

/// The card as a model writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
// Requests carry this name.
#[schemars(rename = "Extract")]
pub struct CardReply {
    /// One sentence: why this is the point they part on.
    pub reasons: String,
    /// The question, to be answered yes or no, at most 15 words.
    #[serde(default)]
    pub crux_statement: String,
    #[serde(default)]
    #[schemars(extend("x-loose" = "types"))]
    pub disagreement_type: String,
    pub diagnosis: String,
    #[serde(default)]
    pub resolved: bool,
    /// The answer both ended with; null if they did not.
    #[serde(default)]
    pub resolution: Option<String>,
    #[serde(default)]
    #[schemars(extend("x-each" = "pair"))]
    pub positions: Vec<CardReplyPosition>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardReplyPosition {
    #[schemars(extend("x-loose" = "pair"))]
    pub persona: String,
    #[serde(default)]
    #[schemars(extend("x-loose" = "stances"))]
    pub position: String,
    #[serde(default)]
    pub reasoning: String,
    /// What would prove them wrong, with a date or a number; null if nothing was said.
    #[serde(default)]
    pub falsifier: Option<String>,
    /// Their own words, letter for letter.
    #[serde(default)]
    pub quotes: Vec<String>,
}

impl TypedReply for CardReply {
    /// Lines `CRUX:`, `TYPE:`, `DIAGNOSIS:`, `RESOLVED:`, `RESOLUTION:`, then blocks `POSITION n: name`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        const LABELS: &[&str] = &["CRUX", "TYPE", "DIAGNOSIS", "RESOLVED", "RESOLUTION", "POSITION 1", "POSITION 2"];
        const PARTS: &[&str] = &["Answer", "Reasoning", "Falsifier", "Quote"];
        let line = |label: &str| field(text, label, LABELS);
        let positions = blocks(text, "POSITION").into_iter().map(|block| {
            let part = |label: &str| field(&block.body, label, PARTS);
            CardReplyPosition {
                persona: block.title.clone(),
                position: part("Answer").unwrap_or_default(),
                reasoning: part("Reasoning").unwrap_or_default(),
                falsifier: part("Falsifier"),
                quotes: part("Quote").into_iter().collect(),
            }
        });
        Some(Self {
            reasons: String::new(),
            crux_statement: line("CRUX")?,
            disagreement_type: line("TYPE").unwrap_or_default(),
            diagnosis: line("DIAGNOSIS")?,
            resolved: line("RESOLVED").is_some_and(|value| token(&value, &["yes", "true"]).is_some()),
            resolution: line("RESOLUTION"),
            positions: positions.collect(),
        })
    }
}
