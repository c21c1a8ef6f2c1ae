//! What a debate has come to so far: the messages, the disagreements, the cards, and the text that carries them into the next prompt.

use super::Options;
use super::persona::Cast;
use super::room::card::Card;
use super::rounds::aspects::Aspect;
use super::rounds::detection::{COOLDOWN, Candidate};
use super::rows::{SpeechData, StatementRow, TakeRow};
use super::speech::Speeches;
use serde_json::{Value, json};
use synod_engine::{Bench, Result};
use synod_math::pair_tracker::{Pair, PairTracker, pair};
use synod_types::{Exhibit, SeatIx};

/// Something said in the debate itself, not in a room.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub id: String,
    pub seat: SeatIx,
    pub text: String,
    /// The id of the message it answers.
    pub reply_to: Option<String>,
    pub kind: MessageKind,
}

/// Which part of the debate a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    Opening,
    /// On an aspect, counted from 1, in a miniround of it, counted from 0.
    Take {
        round: u32,
        mini: u32,
    },
    Closing,
}

impl MessageKind {
    /// The stage under which such a message is stored.
    fn stage(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Take { .. } => "take",
            Self::Closing => "closing",
        }
    }

    /// Whether it is a take on this aspect.
    pub fn in_round(self, wanted: u32) -> bool {
        matches!(self, Self::Take { round, .. } if round == wanted)
    }
}

/// A disagreement on record.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedDisagreement {
    pub claim: String,
    pub between: [SeatIx; 2],
    pub resolved: bool,
}

/// The minutes of one finished aspect.
#[derive(Clone, Debug, PartialEq)]
pub struct Minutes {
    pub aspect: String,
    /// Empty if nobody could write it.
    pub summary: String,
}

pub struct DebateState<'a> {
    pub bench: &'a Bench,
    pub options: &'a Options,
    pub cast: &'a Cast,
    pub messages: Vec<Message>,
    pub aspects: Vec<Aspect>,
    pub minutes: Vec<Minutes>,
    pub disagreements: Vec<RecordedDisagreement>,
    pub cards: Vec<Card>,
    /// The questions on which a detector found two who contradict each other, whether or not a room was held.
    pub contradictions: Vec<String>,
    /// A detector failed, so there may be contradictions nobody found.
    pub detection_failed: bool,
    pub tracker: PairTracker,
    /// For each tracked pair, the ids of what the two said in the window that last showed them.
    pub pair_sources: Vec<(Pair, Vec<String>)>,
    /// How many windows a detector was given so far.
    pub windows_read: usize,
    /// The run is closing: nothing new is begun.
    pub closed: bool,
}

impl<'a> DebateState<'a> {
    pub fn new(bench: &'a Bench, options: &'a Options, cast: &'a Cast) -> Self {
        Self {
            bench,
            options,
            cast,
            messages: Vec::new(),
            aspects: Vec::new(),
            minutes: Vec::new(),
            disagreements: Vec::new(),
            cards: Vec::new(),
            contradictions: Vec::new(),
            detection_failed: false,
            tracker: PairTracker::new(COOLDOWN),
            pair_sources: Vec::new(),
            windows_read: 0,
            closed: false,
        }
    }

    pub fn topic(&self) -> &'a str {
        &self.bench.question().text
    }

    /// The aspect of this round as prompts take it.
    pub fn aspect_for_prompt(&self, round: u32) -> Value {
        self.aspects.get(round as usize - 1).map_or_else(|| json!({}), |aspect| json!({"label": aspect.label, "description": aspect.description}))
    }

    pub fn aspect_label(&self, round: u32) -> String {
        self.aspects.get(round as usize - 1).map_or_else(String::new, |aspect| aspect.label.clone())
    }

    /// Puts what was said on record and shows it. `replies` holds, by speaker, the id of the message that is answered.
    pub fn record_messages(&mut self, phase: &Bench, kind: MessageKind, speeches: Speeches, replies: &[(SeatIx, String)]) -> Result<()> {
        self.closed |= speeches.closed;
        for speech in speeches.list {
            let reply_to = replies.iter().find(|(seat, _)| *seat == speech.seat).map(|(_, id)| id.clone());
            let id = format!("m{}", self.messages.len() + 1);
            let exhibit = speech.exhibit(self.title(kind), &id, reply_to.as_deref());
            phase.show(kind.stage(), self.with_row(exhibit, kind, speech.seat, reply_to.clone(), speech.data(&id)))?;
            self.messages.push(Message { id, seat: speech.seat, text: speech.text, reply_to, kind });
        }
        for silence in &speeches.silent {
            phase.show(kind.stage(), self.with_row(silence.exhibit(self.title(kind)), kind, silence.seat, None, silence.data()))?;
        }
        Ok(())
    }

    fn title(&self, kind: MessageKind) -> String {
        match kind {
            MessageKind::Opening => "Opening".to_owned(),
            MessageKind::Closing => "Closing".to_owned(),
            MessageKind::Take { round, .. } => self.aspect_label(round),
        }
    }

    /// An exhibit with the row that is stored for its kind of message.
    fn with_row(&self, exhibit: Exhibit, kind: MessageKind, seat: SeatIx, reply_to: Option<String>, speech: SpeechData) -> Exhibit {
        let persona_id = self.cast.id(seat).to_owned();
        match kind {
            MessageKind::Opening | MessageKind::Closing => exhibit.data(&StatementRow { persona_id, reply_to: (), round: (), miniround: (), speech }),
            MessageKind::Take { round, mini } => exhibit.data(&TakeRow { persona_id, reply_to, round, miniround: mini, speech }),
        }
    }

    /// Messages as prompts take them.
    pub fn for_prompt<'m>(&self, messages: impl IntoIterator<Item = &'m Message>) -> Vec<Value> {
        messages.into_iter().map(|message| json!({"name": self.cast.name(message.seat), "text": message.text})).collect()
    }

    pub fn openings(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.kind == MessageKind::Opening)
    }

    pub fn message_of(&self, seat: SeatIx, kind: MessageKind) -> Option<&Message> {
        self.messages.iter().find(|message| message.kind == kind && message.seat == seat)
    }

    /// Each persona's last take of an aspect before this miniround, in seat order.
    pub fn last_takes(&self, round: u32, before: u32) -> Vec<Message> {
        let earlier = |message: &&Message| matches!(message.kind, MessageKind::Take { round: at, mini } if at == round && mini < before);
        let last = |seat: SeatIx| self.messages.iter().filter(earlier).rfind(|message| message.seat == seat);
        self.cast.seats().into_iter().filter_map(last).cloned().collect()
    }

    /// What a persona is told of the debate so far, beyond the topic.
    pub fn context(&self) -> String {
        let written = self.minutes.iter().filter(|minutes| !minutes.summary.is_empty());
        let mut lines: Vec<String> = written.map(|minutes| format!("{}: {}", minutes.aspect, minutes.summary)).collect();
        for open in self.disagreements.iter().filter(|disagreement| !disagreement.resolved) {
            let [a, b] = open.between.map(|seat| self.cast.name(seat));
            lines.push(format!("Open: {a} vs {b}: {}", open.claim));
        }
        lines.extend(self.cards.iter().map(|card| format!("Crux: {}", card.line())));
        lines.join("\n")
    }

    pub fn record_disagreement(&mut self, candidate: &Candidate) {
        self.disagreements.push(RecordedDisagreement { claim: candidate.question.clone(), between: candidate.pair, resolved: false });
    }

    /// Whether a room was held on this question already.
    pub fn had_room(&self, question: &str) -> bool {
        self.cards.iter().any(|card| card.is_about(question))
    }

    /// Files a card. A disagreement it resolved is no longer open.
    pub fn file_card(&mut self, card: Card, candidate: &Candidate) {
        if card.resolved {
            let same =
                |each: &&mut RecordedDisagreement| each.claim == candidate.question && pair(each.between[0], each.between[1]) == candidate.key();
            self.disagreements.iter_mut().filter(same).for_each(|disagreement| disagreement.resolved = true);
        }
        self.cards.push(card);
    }
}
