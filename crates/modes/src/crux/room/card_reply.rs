//! The card as a model writes it: its JSON form, its plain-text form, and the words models use for kinds and stances.

use crate::crux::questions::same_question;
use crate::text::{bare, blocks, field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_types::words;

words! {
    /// What the disagreement is about.
    pub enum DisagreementType {
        Horizon = "horizon",
        Evidence = "evidence",
        Values = "values",
        Definition = "definition",
        Claim = "claim",
        Premise = "premise",
    }
}

impl DisagreementType {
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

    /// What the two differ over, for a sentence.
    pub fn plain(self) -> &'static str {
        match self {
            Self::Premise => "an assumption underneath",
            Self::Evidence => "which evidence counts",
            Self::Horizon => "how far ahead to look",
            Self::Definition => "what a word means",
            Self::Values => "what matters more",
            Self::Claim => "the conclusion itself",
        }
    }

    /// How such a disagreement can be settled, if at all.
    pub fn settled_by(self) -> &'static str {
        match self {
            Self::Premise => "evidence on the assumption",
            Self::Evidence => "an agreed way to measure it",
            Self::Horizon => "naming the time frame, in part",
            Self::Definition => "agreeing on the word",
            Self::Values => "a choice between the two, not by evidence",
            Self::Claim => "settling what it rests on",
        }
    }
}

words! {
    #[derive(Default)]
    pub enum Stance {
        Yes = "YES",
        No = "NO",
        #[default]
        Nuanced = "NUANCED",
    }
}

impl Stance {
    /// `None`: it is none of the three.
    pub fn of(word: &str) -> Option<Self> {
        token(word, &Self::WORDS).and_then(Self::parse)
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
    /// The answer both ended with; null if they did not end with one.
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
    /// If NUANCED, when yes and when no, in one sentence; else null. Where both hold the same, the same sentence.
    #[serde(default)]
    pub condition: Option<String>,
    #[serde(default)]
    pub reasoning: String,
    /// What they said would prove them wrong; null if they named nothing.
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
        const PARTS: &[&str] = &["Answer", "Condition", "Reasoning", "Falsifier", "Quote"];
        let line = |label: &str| field(text, label, LABELS);
        let positions = blocks(text, "POSITION").into_iter().map(|block| {
            let part = |label: &str| field(&block.body, label, PARTS);
            CardReplyPosition {
                persona: block.title.clone(),
                position: part("Answer").unwrap_or_default(),
                condition: part("Condition"),
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

    fn check(&self, lists: &IdLists) -> Result<(), String> {
        match lists.list("taken").iter().find(|taken| same_question(taken, &self.crux_statement)) {
            Some(taken) => Err(format!("`crux_statement` is already on record from another room ({taken}); name what is particular to these two")),
            None => Ok(()),
        }
    }
}
