//! The whole input of a run, frozen before the first call.

use crate::{Effort, Json, Millis, Price, SeatIx, Tier};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is put to the panel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub text: String,
    /// Material under review, apart from the question about it. White space alone is none, and a plan leaves it out; runs from before it did may
    /// have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Attachment>,
    /// Files that options point to as evidence, each under its pointer's path: kept like attached files, but shown only where a mode shows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Attachment>,
    /// Earlier turns of the conversation, oldest first, as they were when the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastTurn>,
    /// What the conversation came to before, for modes that answer one question at a time: given as context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<PastTurn>,
}

impl Question {
    /// What the question is about: the content, then the attached files.
    pub fn material(&self) -> impl Iterator<Item = MaterialText<'_>> {
        let content = self.content.iter().map(|text| MaterialText { tag: "content", name: "content", text });
        content.chain(self.files.iter().map(|file| MaterialText { tag: "file", name: &file.name, text: &file.text }))
    }
    /// Every file whose bytes are kept beside the run.
    pub fn kept_files(&self) -> impl Iterator<Item = &Attachment> {
        self.files.iter().chain(&self.evidence)
    }
    pub fn kept_files_mut(&mut self) -> impl Iterator<Item = &mut Attachment> {
        self.files.iter_mut().chain(&mut self.evidence)
    }
}

/// A text of a question's material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaterialText<'a> {
    /// `content` or `file`.
    pub tag: &'static str,
    /// The file's; that of the content is `content`.
    pub name: &'a str,
    pub text: &'a str,
}

/// An attached text file. Its bytes are kept once, by hash; `text` is filled when a run is loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    pub name: String,
    pub sha256: String,
    pub bytes: u64,
    #[serde(skip)]
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastTurn {
    pub question: String,
    pub answer: String,
}

/// One place at the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seat {
    pub index: SeatIx,
    /// Unique within the run, for people: the model's name, numbered where it sits more than once.
    pub label: String,
    /// Key into `Header::models`.
    pub model: String,
    pub place: Place,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Panel,
    Chair,
    /// Seated for one role by name.
    Role,
    /// Titles, summaries, detectors: in no quorum, order or seat range.
    Clerk,
}

/// A model as configured when the run began: everything but its address and key, which are read afresh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCard {
    /// As the user names it: `opus` or `endpoint/model-id`.
    pub name: String,
    pub endpoint: String,
    /// The provider's own id.
    pub id: String,
    #[serde(default)]
    pub tier: Tier,
    /// `None`: unknown, never free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// How hard it is to think, where its user said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    #[serde(default)]
    pub rehearsal: bool,
}

impl ModelCard {
    /// How hard it is to think over light work: not hard, whatever it is set to.
    pub fn light_effort(&self) -> Option<Effort> {
        self.effort.map(|effort| effort.min(Effort::Low))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Time running, not stopped or waiting.
    pub run_ms: Millis,
    /// Without a byte from the provider.
    pub idle_ms: Millis,
    /// One turn in all.
    pub turn_ms: Millis,
}

/// The first row of a run. A mode sees this and the journal, nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub schema: String,
    pub run: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub mode: String,
    pub mode_version: u32,
    pub binary: String,
    pub seed: u64,
    pub question: Question,
    pub options: Json,
    pub seats: Vec<Seat>,
    /// Which seats hold each role.
    pub roles: BTreeMap<String, Vec<SeatIx>>,
    pub models: BTreeMap<String, ModelCard>,
    pub limits: Limits,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted_usd: Option<f64>,
    pub planned_calls: (u32, u32),
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The conversation begins with this run and has no name yet: one is asked for beside the deliberation.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub titled: bool,
    /// The key whose request began it. `None`: the user of this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The date the run was planned on, `2026-03-01`, for prompts that judge facts, years or forecasts. Runs from before it was kept have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub today: Option<String>,
    /// Known before the run: a chair this mode has no role for, a model without a price, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The id of the message that a run's question is in its conversation.
pub fn question_message(run: &str) -> String {
    format!("{run}:question")
}

/// The id of the message that its answer is, whether or not there is one yet.
pub fn answer_message(run: &str) -> String {
    format!("{run}:answer")
}

impl Header {
    pub const SCHEMA: &'static str = "synod.run/1";

    pub fn seat(&self, index: SeatIx) -> Option<&Seat> {
        self.seats.get(index as usize)
    }
    pub fn card(&self, index: SeatIx) -> Option<&ModelCard> {
        self.seat(index).and_then(|seat| self.models.get(&seat.model))
    }
    /// The seats that deliberate.
    pub fn panel(&self) -> impl Iterator<Item = &Seat> {
        self.seats.iter().filter(|seat| seat.place == Place::Panel)
    }
    pub fn role(&self, name: &str) -> &[SeatIx] {
        self.roles.get(name).map_or(&[], Vec::as_slice)
    }
    /// True when any seat is a built-in voice: such a run always says so.
    pub fn rehearsal(&self) -> bool {
        self.models.values().any(|card| card.rehearsal)
    }
}
