//! A persona: who somebody is, how they weigh things, what would change their mind, and how they talk. Each is a file; all of it is checked.
//!
//! No real people ship with the program. A user's own persona is a TOML (or JSON) file of the same form.

mod cast;
mod catalogue;
mod prompt;
mod read;

pub use cast::Cast;
pub use catalogue::{DEFAULT_DECK, built_in, deck, decks, files, find};
pub use prompt::{consolidated, room_overlay};
pub use read::{is_id, read, read_value};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_types::words;

/// Where a user's own personas are looked for.
pub const KIND: &str = "personas";

/// A contract and a voice, in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// Short and lower-case: how options name it.
    pub id: String,
    /// As the others at the table call them.
    pub name: String,
    /// What they do, in a phrase.
    pub handle: String,
    /// The subjects they are seated for.
    #[serde(default)]
    pub decks: Vec<String>,
    /// Which way they pull where it is a question of pace. A deck is balanced by it; the prompt does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pulls: Option<Pull>,
    /// When the contract was written.
    #[serde(default)]
    pub version: String,
    pub personality: String,
    pub bias: String,
    pub stakes: String,
    pub epistemology: String,
    pub time_horizon: String,
    pub flip_conditions: String,
    pub evidence: EvidencePolicy,
    /// Things they have said before.
    #[serde(default)]
    pub anchors: Vec<Anchor>,
    #[serde(default)]
    pub voice: Voice,
}

words! {
    /// Whether somebody would sooner wait or sooner act.
    pub enum Pull { Caution = "caution", Speed = "speed" }
}

/// What counts with them as evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvidencePolicy {
    pub accepts: Vec<String>,
    pub refuses: Vec<String>,
    pub weighting: String,
    /// What makes them want to look something up before they go on.
    #[serde(default)]
    pub look_up: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    pub text: String,
    pub source: String,
    #[serde(default)]
    pub date: String,
}

/// How they talk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    pub hint: String,
    #[serde(default)]
    pub patterns: Vec<String>,
    #[serde(default)]
    pub vocabulary: Vec<String>,
    /// Phrases they would never use.
    #[serde(default)]
    pub never: Vec<String>,
    #[serde(default)]
    pub examples: Vec<VoiceExample>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VoiceExample {
    pub context: String,
    pub response: String,
}

/// The voice of a persona whose file describes none.
impl Default for Voice {
    fn default() -> Self {
        Self {
            hint: "Direct. Short sentences, everyday words, the point first.".into(),
            patterns: vec!["Says what they think before they say why.".into(), "Reaches for an example rather than a principle.".into()],
            vocabulary: Vec::new(),
            never: ["at the end of the day", "it goes without saying", "let me be clear"].map(str::to_owned).to_vec(),
            examples: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
