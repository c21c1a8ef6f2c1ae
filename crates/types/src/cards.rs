//! Cards and shifts: what two people disagree about, and who moved.

use crate::SeatIx;
use serde::{Deserialize, Serialize};

fn no<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Who moved between the beginning and the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shifts {
    pub entries: Vec<Shift>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatIx>,
    /// `None`: nobody judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<bool>,
    /// From what to what, in a sentence.
    #[serde(default, skip_serializing_if = "no")]
    pub summary: String,
    /// Their words then and now, as far as they are shown.
    #[serde(default, skip_serializing_if = "no")]
    pub before: String,
    #[serde(default, skip_serializing_if = "no")]
    pub after: String,
}

/// One disagreement, put so that it can be tested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CruxCard {
    /// To be answered yes or no.
    pub question: String,
    /// The mode's own word: `premise`, `horizon`, …
    pub disagreement: String,
    /// What could settle a disagreement of this kind.
    #[serde(default, skip_serializing_if = "no")]
    pub settled_by: String,
    #[serde(default, skip_serializing_if = "no")]
    pub diagnosis: String,
    pub resolved: bool,
    #[serde(default, skip_serializing_if = "no")]
    pub resolution: String,
    /// What was put forward as a settlement that not both share.
    #[serde(default, skip_serializing_if = "no")]
    pub proposed: String,
    /// Both give the same answer, so this may not be where they part.
    #[serde(default, skip_serializing_if = "no")]
    pub weak: bool,
    pub positions: Vec<CardPosition>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardPosition {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatIx>,
    /// `YES`, `NO`, `NUANCED`.
    pub stance: String,
    #[serde(default, skip_serializing_if = "no")]
    pub reasoning: String,
    /// What would prove them wrong, or that they named nothing; empty: nobody can say.
    #[serde(default, skip_serializing_if = "no")]
    pub falsifier: String,
    #[serde(default, skip_serializing_if = "no")]
    pub quotes: Vec<CardQuote>,
}

/// A passage said to be somebody's own words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardQuote {
    pub text: String,
    /// The message that holds it, letter for letter; `None`: none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_in: Option<String>,
}
