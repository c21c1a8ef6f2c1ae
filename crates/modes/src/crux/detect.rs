//! Where two of them truly contradict each other: the detector's reply, its three gates, and the windows that slide over the debate.

use super::names::meant;
use crate::text::{field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Form, Terms};
use synod_types::SeatIx;

/// What a detector looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Detection {
    /// Each persona's last take, after every aspect.
    #[default]
    Takes,
    /// The last ten messages, every five messages; a pair seen twice in a row gets a room.
    Sliding,
    Both,
}

impl Detection {
    pub fn takes(self) -> bool {
        matches!(self, Self::Takes | Self::Both)
    }
    pub fn sliding(self) -> bool {
        matches!(self, Self::Sliding | Self::Both)
    }
}

/// Messages a window covers, how many must exist before the first, and how many new ones make the next.
pub const WINDOW: usize = 10;
pub const EVERY: usize = 5;
/// A mode has no clock: the five minutes between two rooms of one pair are counted in messages, at half a minute each. Whatever resumes or
/// replays the run counts the same.
pub const COOLDOWN: u64 = 10;

/// Message counts at which windows are taken, of a debate with so many messages.
pub fn windows(messages: usize) -> usize {
    if messages < WINDOW { 0 } else { (messages - WINDOW) / EVERY + 1 }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreement {
    /// One sentence: what in their words shows it.
    pub reasons: String,
    /// One asserts what the other denies.
    #[serde(default)]
    pub has_direct_opposition: bool,
    /// It can be put as one question with the answer yes or no.
    #[serde(default)]
    pub has_specific_claim: bool,
    /// The answer would move somebody's answer to the topic.
    #[serde(default)]
    pub topic_relevant: bool,
    /// The names of the two who are furthest apart on it.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "x-loose": "names"}))]
    pub personas: Vec<String>,
    /// The yes-or-no question between them, at most 12 words.
    #[serde(default)]
    pub topic: String,
    /// 2 to 4 words for it.
    #[serde(default)]
    pub short_label: String,
}

impl Form for Disagreement {
    /// Lines `OPPOSITION:`, `CLAIM:`, `RELEVANT:`, `PERSONAS:`, `QUESTION:`, `LABEL:`. A gate nobody answered stays shut.
    fn from_text(text: &str, _: &Terms) -> Option<Self> {
        const LABELS: &[&str] = &["OPPOSITION", "CLAIM", "RELEVANT", "PERSONAS", "QUESTION", "LABEL"];
        let line = |label: &str| field(text, label, LABELS);
        let opposition = line("OPPOSITION")?;
        let yes = |value: Option<String>| value.is_some_and(|value| token(&value, &["yes", "true"]).is_some());
        Some(Self {
            reasons: text.trim().to_owned(),
            has_direct_opposition: yes(Some(opposition)),
            has_specific_claim: yes(line("CLAIM")),
            topic_relevant: yes(line("RELEVANT")),
            personas: line("PERSONAS").map(|names| names.split(',').map(|name| crate::text::bare(name).to_owned()).collect()).unwrap_or_default(),
            topic: line("QUESTION").unwrap_or_default(),
            short_label: line("LABEL").unwrap_or_default(),
        })
    }
}

/// A disagreement that earns a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub pair: [SeatIx; 2],
    pub question: String,
    pub label: String,
}

impl Disagreement {
    /// All three gates open, and the first two names mean two people.
    pub fn candidate(&self, among: &[(SeatIx, &str)]) -> Option<Candidate> {
        if !(self.has_direct_opposition && self.has_specific_claim && self.topic_relevant) {
            return None;
        }
        let [first, second, ..] = self.personas.as_slice() else { return None };
        let pair = [meant(first, among)?, meant(second, among)?];
        let question = self.topic.split_whitespace().collect::<Vec<_>>().join(" ");
        if pair[0] == pair[1] || question.is_empty() {
            return None;
        }
        let label = self.short_label.trim();
        let label = if label.is_empty() { question.split(' ').take(4).collect::<Vec<_>>().join(" ") } else { label.to_owned() };
        Some(Candidate { pair, question, label })
    }
}
