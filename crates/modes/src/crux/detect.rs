//! Where two of them truly contradict each other: the detector's reply, its three gates, and the windows that slide over the debate.

use super::names::meant;
use crate::text::{field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::pair_tracker::{Pair, pair};
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
    /// The windows as the debate goes on, and the last takes where no window found a pair.
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
/// Words of a question and of a label: what a detector writes goes into other prompts, and into a heading.
const QUESTION_WORDS: usize = 15;
const LABEL_WORDS: usize = 6;
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

impl TypedReply for Disagreement {
    /// Lines `OPPOSITION:`, `CLAIM:`, `RELEVANT:`, `PERSONAS:`, `QUESTION:`, `LABEL:`. A gate nobody answered stays shut.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
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
    /// Ids of what the two said that showed it.
    pub sources: Vec<String>,
}

impl Candidate {
    /// The two, whoever was named first.
    pub fn key(&self) -> Pair {
        pair(self.pair[0], self.pair[1])
    }
}

impl Disagreement {
    /// All three gates open, and the first two names mean two people.
    pub fn candidate(&self, among: &[(SeatIx, &str)]) -> Option<Candidate> {
        if !(self.has_direct_opposition && self.has_specific_claim && self.topic_relevant) {
            return None;
        }
        let [first, second, ..] = self.personas.as_slice() else { return None };
        let pair = [meant(first, among)?, meant(second, among)?];
        let question = brief(&self.topic, QUESTION_WORDS);
        let question = question.trim_end_matches(|c: char| c.is_whitespace() || "?.!…,;:".contains(c));
        if pair[0] == pair[1] || question.is_empty() {
            return None;
        }
        let label = brief(&self.short_label, LABEL_WORDS);
        let label = if label.is_empty() { brief(question, 4) } else { label };
        Some(Candidate { pair, question: format!("{question}?"), label, sources: Vec::new() })
    }
}

/// The first so many words on one line, and no word without end.
pub fn brief(text: &str, words: usize) -> String {
    const LONGEST: usize = 12;
    text.split_whitespace().take(words).collect::<Vec<_>>().join(" ").chars().filter(|c| !c.is_control()).take(words * LONGEST).collect()
}
