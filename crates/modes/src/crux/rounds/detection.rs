//! The search for two personas who contradict each other: the detector's reply, its three gates, and the messages it reads, which are everybody's last
//! takes or windows that slide over the debate.

use super::brief;
use crate::attendance;
use crate::crux::questions::same_question;
use crate::crux::rows::DisagreementRow;
use crate::crux::speech::names::find_person;
use crate::crux::state::{DebateState, Message};
use crate::text::{field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_math::pair_tracker::{Pair, Sighting, pair};
use synod_types::{Exhibit, FailureKind, SeatIx};

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

/// Messages a window covers, and how many new ones make the next window due.
const WINDOW: usize = 10;
const WINDOW_STEP: usize = 5;
/// Most words of a question and of a label: both are used in other prompts and in headings.
const QUESTION_WORDS: usize = 15;
const LABEL_WORDS: usize = 6;
/// Messages between two rooms of one pair. A mode has no clock, so five minutes are counted as ten messages of half a minute each; a resumed or
/// replayed run counts the same.
pub const COOLDOWN: u64 = 10;
const TITLE: &str = "Contradiction";

/// How many windows a debate of so many messages has.
pub fn windows(messages: usize) -> usize {
    if messages < WINDOW { 0 } else { (messages - WINDOW) / WINDOW_STEP + 1 }
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

/// Two who contradict each other on one question: a room may be held for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub pair: [SeatIx; 2],
    pub question: String,
    pub label: String,
    /// The ids of the messages that showed it.
    pub sources: Vec<String>,
}

impl Candidate {
    /// The two seats in the same order, whoever was named first.
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
        let pair = [find_person(first, among)?, find_person(second, among)?];
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

impl DebateState<'_> {
    /// Looks for two who contradict each other in everybody's last take on an aspect.
    pub async fn detect_in_takes(&mut self, phase: &Bench, round: u32) -> Result<Option<Candidate>> {
        let takes = self.last_takes(round, u32::MAX);
        if takes.len() < 2 {
            return Ok(None);
        }
        let candidate = self.detect(phase, &takes, Some(round)).await?;
        if let Some(candidate) = &candidate {
            self.record_disagreement(candidate);
        }
        Ok(candidate)
    }

    /// Reads every window that is due. The first pair seen often enough becomes the candidate, unless this aspect already has one.
    pub async fn detect_in_windows(&mut self, phase: &Bench, mut candidate: Option<Candidate>) -> Result<Option<Candidate>> {
        while !self.closed && self.messages.len() >= WINDOW + self.windows_read * WINDOW_STEP {
            let end = WINDOW + self.windows_read * WINDOW_STEP;
            self.windows_read += 1;
            let window: Vec<Message> = self.messages[end - WINDOW..end].to_vec();
            let step = phase.at(format!("window {}", self.windows_read));
            let found = self.detect(&step, &window, None).await?;
            let sighting = found.map(|found| {
                self.pair_sources.retain(|(known, _)| *known != found.key());
                self.pair_sources.push((found.key(), found.sources.clone()));
                Sighting { pair: found.key(), topic: found.question, label: found.label }
            });
            self.tracker.observe(sighting, end as u64);
            let ready = self.tracker.ready(&[], end as u64).cloned();
            if let Some(ready) = ready.filter(|_| candidate.is_none() && self.may_open_room()) {
                self.tracker.record_room(ready.pair, end as u64);
                let sources = self.pair_sources.iter().find(|(known, _)| *known == ready.pair).map(|(_, ids)| ids.clone()).unwrap_or_default();
                let chosen = Candidate { pair: [ready.pair.0, ready.pair.1], question: ready.topic, label: ready.label, sources };
                self.record_disagreement(&chosen);
                candidate = Some(chosen);
            }
        }
        Ok(candidate)
    }

    /// Asks the detector about these messages: the last takes of a round, or a window if no round is given. A failed detector finds nobody.
    async fn detect(&mut self, phase: &Bench, messages: &[Message], round: Option<u32>) -> Result<Option<Candidate>> {
        let window = round.is_none();
        let lines = self.for_prompt(messages);
        let aspect = round.map(|round| self.aspect_label(round));
        let names = self.cast.names();
        let speaking: Vec<(SeatIx, &str)> = names.into_iter().filter(|(seat, _)| messages.iter().any(|message| message.seat == *seat)).collect();
        let held: Vec<&str> = self.cards.iter().map(|card| card.room_question.as_str()).collect();
        let ask = prompt!("detect", lines, aspect, window, held).ids("names", speaking.iter().map(|(_, name)| *name));
        let reply = match phase.ask_clerk::<Disagreement>(ask).await? {
            Ok(reply) => reply,
            Err(failed) => {
                self.closed |= failed.failure.kind == FailureKind::Closed;
                self.detection_failed = true;
                let row = DisagreementRow { window, error: Some(failed.failure.to_string()), ..DisagreementRow::default() };
                phase.show("disagreement", attendance::failure(TITLE, "clerk", &failed).data(&row))?;
                return Ok(None);
            }
        };
        let found = &reply.value;
        let named = found.candidate(&speaking);
        let again = named.as_ref().is_some_and(|named| self.had_room(&named.question));
        let mut candidate = named.filter(|_| !again);
        if let Some(candidate) = &mut candidate {
            candidate.sources = messages.iter().filter(|message| candidate.pair.contains(&message.seat)).map(|message| message.id.clone()).collect();
        }
        let personas = match &candidate {
            Some(candidate) => candidate.pair.map(|seat| self.cast.id(seat).to_owned()).to_vec(),
            None => found.personas.clone(),
        };
        let text = match &candidate {
            Some(candidate) => {
                let [a, b] = candidate.pair.map(|seat| self.cast.name(seat));
                format!("{a} and {b} contradict each other: {}", candidate.question)
            }
            None if again => format!("Two of them contradict each other on a question that has had its room: {}", found.topic.trim()),
            None => "No two of them contradict each other on one claim.".to_owned(),
        };
        let row = DisagreementRow {
            has_direct_opposition: found.has_direct_opposition,
            has_specific_claim: found.has_specific_claim,
            topic_relevant: found.topic_relevant,
            personas,
            topic: found.topic.clone(),
            short_label: found.short_label.clone(),
            spawn: candidate.is_some() && !window && self.may_open_room(),
            confidence: 1,
            window,
            reasons: found.reasons.clone(),
            error: None,
        };
        // What is said of a contradiction that opens no room is kept beside the note.
        let rest = if candidate.is_none() && !again { found.topic.as_str() } else { "" };
        let exhibit = Exhibit::note(TITLE, text).part("In short", &found.short_label).part("The nearest question", rest);
        phase.show("disagreement", exhibit.part("Why", &found.reasons).by(reply.seat, "clerk").turn(&reply.key).data(&row))?;
        let known = |question: &str| self.contradictions.iter().any(|known| same_question(known, question));
        if let Some(candidate) = candidate.as_ref().filter(|candidate| !known(&candidate.question)) {
            self.contradictions.push(candidate.question.clone());
        }
        Ok(candidate)
    }
}
