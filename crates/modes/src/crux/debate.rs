//! The state of a debate: what was said, what stays open, and the text that carries it from one round to the next.

use super::Options;
use super::card::Card;
use super::detect::{COOLDOWN, Candidate, brief};
use super::persona::Cast;
use super::rows::{AspectsRow, NumberedAspect, StatementRow, TakeRow};
use super::speak::{Spoken, Voiced};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_math::pair_tracker::{Pair, PairTracker, pair};
use synod_types::{Exhibit, FailureKind, SeatIx};

/// Words of a sub-question's label and description.
const LABEL_WORDS: usize = 8;
const DESCRIPTION_WORDS: usize = 40;

/// One sub-question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aspect {
    /// 3 to 5 words.
    pub label: String,
    /// One sentence.
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aspects {
    /// One short sentence.
    pub reasons: String,
    pub aspects: Vec<Aspect>,
}

impl TypedReply for Aspects {
    /// A numbered list of `label: description`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let aspect = |item: String| {
            let (label, description) = item.split_once(':').or_else(|| item.split_once(" – ")).or_else(|| item.split_once(" - "))?;
            let (label, description) = (crate::text::bare(label).to_owned(), crate::text::bare(description).to_owned());
            (!label.is_empty() && !description.is_empty()).then_some(Aspect { label, description })
        };
        let aspects: Vec<Aspect> = crate::text::items(text).into_iter().filter_map(aspect).collect();
        (!aspects.is_empty()).then_some(Self { reasons: String::new(), aspects })
    }
}

/// Something said in the debate itself, not in a room.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub id: String,
    pub seat: SeatIx,
    pub text: String,
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
pub struct Contested {
    pub claim: String,
    pub between: [SeatIx; 2],
    pub resolved: bool,
}

pub struct Debate<'a> {
    pub bench: &'a Bench,
    pub options: &'a Options,
    pub cast: &'a Cast,
    pub messages: Vec<Message>,
    pub aspects: Vec<Aspect>,
    /// Label and summary of every finished round.
    pub rounds: Vec<(String, String)>,
    pub contested: Vec<Contested>,
    pub cards: Vec<Card>,
    /// Questions on which a detector saw two contradict each other, room or no room.
    pub seen: Vec<String>,
    /// A detector failed: there may have been more.
    pub unheard: bool,
    pub registry: PairTracker,
    /// What each pair under watch said in the window that last showed it.
    pub sighted: Vec<(Pair, Vec<String>)>,
    /// Windows taken so far.
    pub windows: usize,
    /// The run is closing: nothing new is begun.
    pub closed: bool,
}

impl<'a> Debate<'a> {
    pub fn new(bench: &'a Bench, options: &'a Options, cast: &'a Cast) -> Self {
        Self {
            bench,
            options,
            cast,
            messages: Vec::new(),
            aspects: Vec::new(),
            rounds: Vec::new(),
            contested: Vec::new(),
            cards: Vec::new(),
            seen: Vec::new(),
            unheard: false,
            registry: PairTracker::new(COOLDOWN),
            sighted: Vec::new(),
            windows: 0,
            closed: false,
        }
    }

    pub fn topic(&self) -> &'a str {
        &self.bench.question().text
    }

    /// Splits the topic. Without a usable split the topic is its own only aspect.
    pub async fn decompose(&mut self) -> Result<()> {
        let stage = self.bench.phase("decompose");
        let count = self.options.aspects;
        let given = stage.ask_clerk::<Aspects>(prompt!("decompose", count)).await?;
        let mut aspects: Vec<Aspect> = Vec::new();
        let mut by = None;
        match given {
            Ok(given) => {
                let read = given
                    .value
                    .aspects
                    .iter()
                    .map(|each| Aspect { label: brief(&each.label, LABEL_WORDS), description: brief(&each.description, DESCRIPTION_WORDS) });
                aspects = read.filter(|each| !each.label.is_empty()).take(count as usize).collect();
                by = Some((given.seat, given.key));
            }
            Err(missed) => self.closed |= missed.failure.kind == FailureKind::Closed,
        }
        if aspects.is_empty() {
            stage.warn("The topic could not be split into sub-questions, so it was debated as one.");
            aspects.push(Aspect { label: "The question itself".into(), description: self.topic().to_owned() });
        }
        let lines: Vec<String> = aspects.iter().enumerate().map(|(n, each)| format!("{}. {}: {}", n + 1, each.label, each.description)).collect();
        let numbered = |(n, each): (usize, &Aspect)| NumberedAspect {
            id: format!("aspect-{}", n + 1),
            label: each.label.clone(),
            description: each.description.clone(),
        };
        let row = AspectsRow { aspects: aspects.iter().enumerate().map(numbered).collect() };
        let exhibit = Exhibit::note("What is debated", lines.join("\n")).data(&row);
        let exhibit = match by {
            Some((seat, key)) => exhibit.by(seat, "clerk").turn(key),
            None => exhibit,
        };
        stage.show("aspects", exhibit)?;
        self.aspects = aspects;
        Ok(())
    }

    /// Puts what was said on record and shows it. `replies` holds the message each one answers.
    pub fn post(&mut self, phase: &Bench, kind: MessageKind, voiced: Voiced, replies: &[(SeatIx, String)]) -> Result<()> {
        self.closed |= voiced.closed;
        for spoken in voiced.said {
            let reply_to = replies.iter().find(|(seat, _)| *seat == spoken.seat).map(|(_, id)| id.clone());
            let id = format!("m{}", self.messages.len() + 1);
            phase.show(kind.stage(), self.exhibit(&spoken, kind, &id, reply_to.as_deref()))?;
            self.messages.push(Message { id, seat: spoken.seat, text: spoken.text, reply_to, kind });
        }
        Ok(())
    }

    fn exhibit(&self, spoken: &Spoken, kind: MessageKind, id: &str, reply_to: Option<&str>) -> Exhibit {
        let (persona_id, speech) = (self.cast.id(spoken.seat).to_owned(), spoken.data(id));
        let statement =
            |title: &str, speech| spoken.exhibit(title, id, None, &StatementRow { persona_id, reply_to: (), round: (), miniround: (), speech });
        match kind {
            MessageKind::Opening => statement("Opening", speech),
            MessageKind::Closing => statement("Closing", speech),
            MessageKind::Take { round, mini } => {
                let row = TakeRow {
                    persona_id: self.cast.id(spoken.seat).to_owned(),
                    reply_to: reply_to.map(str::to_owned),
                    round,
                    miniround: mini,
                    speech,
                };
                spoken.exhibit(self.label(round), id, reply_to, &row)
            }
        }
    }

    /// Messages as prompts take them.
    pub fn lines<'m>(&self, messages: impl IntoIterator<Item = &'m Message>) -> Vec<Value> {
        messages.into_iter().map(|message| json!({"name": self.cast.name(message.seat), "text": message.text})).collect()
    }

    pub fn openings(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.kind == MessageKind::Opening)
    }

    pub fn of(&self, kind: MessageKind, seat: SeatIx) -> Option<&Message> {
        self.messages.iter().find(|message| message.kind == kind && message.seat == seat)
    }

    /// Each persona's last take of an aspect before this miniround, in seat order.
    pub fn latest(&self, round: u32, before: u32) -> Vec<&Message> {
        let of_round = |message: &&Message| matches!(message.kind, MessageKind::Take { round: at, mini } if at == round && mini < before);
        let last = |seat: SeatIx| self.messages.iter().filter(of_round).rfind(|message| message.seat == seat);
        self.cast.seats().into_iter().filter_map(last).collect()
    }

    /// What a persona is told of the debate so far, beyond the topic.
    pub fn context(&self) -> String {
        let mut lines: Vec<String> =
            self.rounds.iter().filter(|(_, summary)| !summary.is_empty()).map(|(label, summary)| format!("{label}: {summary}")).collect();
        for contested in self.contested.iter().filter(|contested| !contested.resolved) {
            let [a, b] = contested.between.map(|seat| self.cast.name(seat));
            lines.push(format!("Open: {a} vs {b}: {}", contested.claim));
        }
        lines.extend(self.cards.iter().map(|card| format!("Crux: {}", card.line())));
        lines.join("\n")
    }

    pub fn contest(&mut self, candidate: &Candidate) {
        self.contested.push(Contested { claim: candidate.question.clone(), between: candidate.pair, resolved: false });
    }

    /// Files a card; what it resolved is no longer open.
    pub fn file(&mut self, card: Card, candidate: &Candidate) {
        if card.resolved {
            let same = |each: &&mut Contested| each.claim == candidate.question && pair(each.between[0], each.between[1]) == candidate.key();
            self.contested.iter_mut().filter(same).for_each(|contested| contested.resolved = true);
        }
        self.cards.push(card);
    }
}
