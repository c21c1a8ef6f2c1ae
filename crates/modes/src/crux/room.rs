//! A crux room: two of them alone with one question, until both have named what they differ over or the turns are used up. Then the card.

use super::card::{Card, Heard, Party};
use super::debate::{Debate, Message};
use super::detect::Candidate;
use super::extract::{DisagreementType, Extract, Stance};
use super::names::Veil;
use super::persona::overlay;
use super::rows::{ConvergenceRow, ExitCheckRow, RoomMessageRow, RoomPhase, RoomRow, Speaker};
use super::speak::{Spoken, Voiced, speak};
use crate::text::{field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::{Exhibit, FailureKind, SeatIx};

/// Words of a position that a speaker is reminded of.
const POSITION_WORDS: usize = 60;
/// Messages a speaker sees, and a listener.
const RECENT: usize = 4;
const LISTENED: usize = 6;
/// From this turn on the other's case is put at its strongest first.
const LATE: u32 = 4;
/// The first exit check comes after this turn.
const FIRST_CHECK: u32 = 3;

/// Whether they have found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Surfaced {
    /// One sentence.
    pub reasons: String,
    pub crux_surfaced: bool,
}

impl TypedReply for Surfaced {
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let (before, rest) = crate::text::after_last_marker(text, "SURFACED:")?;
        let crux_surfaced = token(rest, &["yes", "true", "no", "false"]).map(|word| word == "yes" || word == "true")?;
        Some(Self { reasons: before.trim().to_owned(), crux_surfaced })
    }
}

/// What they differ over at bottom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Core {
    /// One sentence.
    pub reasons: String,
    pub core_disagreement: String,
    #[serde(default)]
    #[schemars(extend("x-loose" = "kinds"))]
    pub kind: String,
    /// Both would accept this as a fair account.
    #[serde(default)]
    pub converged: bool,
}

impl TypedReply for Core {
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        const LABELS: &[&str] = &["CORE", "KIND", "CONVERGED"];
        let line = |label: &str| field(text, label, LABELS);
        let converged = line("CONVERGED").is_some_and(|value| token(&value, &["yes", "true"]).is_some());
        Some(Self { reasons: String::new(), core_disagreement: line("CORE")?, kind: line("KIND").unwrap_or_default(), converged })
    }
}

struct Room<'r> {
    stage: Bench,
    id: String,
    title: String,
    question: &'r str,
    /// The same as those in the room read it.
    asked: String,
    pair: [SeatIx; 2],
    /// How the two are called in here: by name, or by letter.
    veil: Veil,
    /// What they had said that caused it.
    before: Vec<Message>,
    /// Id, speaker, words.
    messages: Vec<(String, SeatIx, String)>,
    opening: [Option<String>; 2],
    latest: [Option<String>; 2],
    exchanged: u32,
}

/// Holds a room to its end. There is a card in any case.
pub async fn hold(debate: &mut Debate<'_>, stage: &Bench, round: u32, candidate: &Candidate) -> Result<Card> {
    let ids = candidate.pair.map(|seat| debate.cast.id(seat).to_owned());
    let names = candidate.pair.map(|seat| debate.cast.name(seat).to_owned());
    let veil = if debate.options.anonymise_room { Veil::letters(names.clone()) } else { Veil::none(names.clone()) };
    let before: Vec<Message> = debate.messages.iter().filter(|message| candidate.sources.contains(&message.id)).cloned().collect();
    let sources = &candidate.sources;
    let mut room = Room {
        stage: stage.phase("room"),
        id: format!("crux-{round}-{}-{}", ids[0], ids[1]),
        title: format!("{} and {} alone: {}", names[0], names[1], candidate.label),
        question: &candidate.question,
        asked: veil.over(&candidate.question),
        pair: candidate.pair,
        veil,
        before,
        messages: Vec::new(),
        opening: [None, None],
        latest: [None, None],
        exchanged: 0,
    };
    let row = RoomRow {
        room_id: room.id.clone(),
        question: room.question.to_owned(),
        label: candidate.label.clone(),
        personas: ids.clone(),
        source_messages: sources.clone(),
    };
    room.stage.show("crux_room", Exhibit::note("A room apart", format!("{} and {}: {}", names[0], names[1], room.question)).data(&row))?;
    room.positions(debate, round).await?;
    room.exchange(debate, round).await?;

    let both_silent = room.opening.iter().all(Option::is_none);
    let short = both_silent || room.exchanged < 2;
    let core = if short || debate.closed { None } else { room.converge(debate).await? };
    let aspect = debate.aspects.get(round as usize - 1).map(|aspect| aspect.label.clone()).unwrap_or_default();
    let before = room.before.iter().map(|take| (&take.id, take.seat, &take.text));
    let inside = room.messages.iter().map(|(id, seat, text)| (id, *seat, text));
    let said: Vec<(String, SeatIx, String)> = before.chain(inside).map(|(id, seat, text)| (id.clone(), seat, room.veil.over(text))).collect();
    let pair = [0, 1].map(|at| Party { seat: room.pair[at], id: &ids[at], name: &names[at] });
    let heard =
        Heard { room: &room.id, round, aspect: &aspect, question: room.question, sources, pair, veil: &room.veil, said: &said, core: core.as_ref() };
    room.card(debate, &heard, short).await
}

impl Room<'_> {
    fn other(at: usize) -> usize {
        1 - at
    }

    fn lines(&self, messages: &[(String, SeatIx, String)]) -> Vec<Value> {
        messages.iter().map(|(_, seat, text)| json!({"name": self.name_of(*seat), "text": self.veil.over(text)})).collect()
    }

    fn name_of(&self, seat: SeatIx) -> &str {
        &self.veil.shown[usize::from(seat != self.pair[0])]
    }

    fn before(&self) -> Vec<Value> {
        self.before.iter().map(|take| json!({"name": self.name_of(take.seat), "text": self.veil.over(&take.text)})).collect()
    }

    /// Both at once: neither has heard the other's position when they give theirs.
    async fn positions(&mut self, debate: &mut Debate<'_>, round: u32) -> Result<()> {
        let topic = debate.topic();
        let step = self.stage.at("positions");
        let ask = |seat: SeatIx| {
            let at = usize::from(seat != self.pair[0]);
            prompt!("position", overlay = overlay(topic, &self.veil.shown[Self::other(at)]), crux = self.asked, before = self.before())
        };
        let voiced = speak::<String>(&step, debate.cast, &self.pair, &ask).await?;
        self.take_in(debate, &step, round, RoomPhase::Position, voiced)
    }

    async fn exchange(&mut self, debate: &mut Debate<'_>, round: u32) -> Result<()> {
        for turn in 0..debate.options.room_turns {
            if debate.closed {
                return Ok(());
            }
            let at = turn as usize % 2;
            let Some(last) = self.latest[Self::other(at)].as_deref().map(|text| self.veil.over(text)) else { continue };
            let step = self.stage.at(format!("turn {turn}"));
            let (topic, opponent) = (debate.topic(), self.veil.shown[Self::other(at)].as_str());
            let recent = self.lines(&self.messages[self.messages.len().saturating_sub(RECENT)..]);
            let ask = |_: SeatIx| {
                prompt!(
                    "exchange",
                    overlay = overlay(topic, opponent),
                    crux = self.asked,
                    before = self.before(),
                    standing = self.standing(),
                    recent,
                    opponent,
                    last,
                    late = turn >= LATE
                )
                .fill("other", opponent)
            };
            let voiced = speak::<String>(&step, debate.cast, &[self.pair[at]], &ask).await?;
            self.exchanged += voiced.said.len() as u32;
            self.take_in(debate, &step, round, RoomPhase::Exchange, voiced)?;
            // After the last turn the room ends whatever the check would say.
            let due = turn >= FIRST_CHECK && turn % 2 == 1 && turn + 1 < debate.options.room_turns;
            if due && !debate.closed && self.surfaced(debate, &step).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn take_in(&mut self, debate: &mut Debate<'_>, step: &Bench, round: u32, phase: RoomPhase, voiced: Voiced) -> Result<()> {
        debate.closed |= voiced.closed;
        for mut spoken in voiced.said {
            // Readers get names; the two in here will read letters again.
            spoken.text = self.veil.off(&spoken.text);
            let at = usize::from(spoken.seat != self.pair[0]);
            let id = format!("c{round}.{}", self.messages.len() + 1);
            step.show("crux_message", self.exhibit(debate, &spoken, &id, phase))?;
            if phase == RoomPhase::Position {
                self.opening[at] = Some(spoken.text.clone());
            }
            self.latest[at] = Some(spoken.text.clone());
            self.messages.push((id, spoken.seat, spoken.text));
        }
        Ok(())
    }

    fn exhibit(&self, debate: &Debate<'_>, spoken: &Spoken, id: &str, phase: RoomPhase) -> Exhibit {
        let row = RoomMessageRow {
            room_id: self.id.clone(),
            speaker: Speaker::Persona,
            persona_id: debate.cast.id(spoken.seat).to_owned(),
            phase,
            speech: spoken.data(id),
        };
        let title = match phase {
            RoomPhase::Position => "Position",
            RoomPhase::Exchange => "Exchange",
        };
        spoken.exhibit(title, id, None, &row).aside(&self.title)
    }

    /// Where each began and where each stands, in few words.
    fn standing(&self) -> Vec<Value> {
        let one = |at: usize| {
            let short = |label: &str, text: &str| format!("{label}: {}", first_words(&self.veil.over(text)));
            let began = self.opening[at].as_deref().map(|text| short("Began", text));
            let now = self.latest[at].as_deref().filter(|text| self.opening[at].as_deref() != Some(text)).map(|text| short("Now", text));
            let text: Vec<String> = began.into_iter().chain(now).collect();
            (!text.is_empty()).then(|| json!({"name": self.veil.shown[at], "text": text.join("\n")}))
        };
        [one(0), one(1)].into_iter().flatten().collect()
    }

    /// A check that fails has heard nothing.
    async fn surfaced(&self, debate: &mut Debate<'_>, step: &Bench) -> Result<bool> {
        let recent = self.lines(&self.messages[self.messages.len().saturating_sub(LISTENED)..]);
        match step.ask_clerk::<Surfaced>(prompt!("check", crux = self.asked, recent)).await? {
            Ok(given) => {
                let surfaced = given.value.crux_surfaced;
                let reason = self.veil.off(given.value.reasons.trim());
                let text = if surfaced { "The crux has surfaced" } else { "Not there yet" };
                let exhibit = Exhibit::note("Exit check", format!("{text}: {reason}")).aside(&self.title);
                let row = ExitCheckRow { room_id: self.id.clone(), crux_surfaced: surfaced, reason };
                step.show("exit_check", exhibit.by(given.seat, "clerk").turn(&given.key).data(&row))?;
                Ok(surfaced)
            }
            Err(missed) => {
                debate.closed |= missed.failure.kind == FailureKind::Closed;
                Ok(false)
            }
        }
    }

    async fn converge(&self, debate: &mut Debate<'_>) -> Result<Option<Core>> {
        let ask = prompt!("converge", crux = self.asked, exchange = self.lines(&self.messages)).ids("kinds", ["factual", "values", "definitional"]);
        match self.stage.ask_clerk::<Core>(ask).await? {
            Ok(given) => {
                let core = given.value;
                let at_core = self.veil.off(core.core_disagreement.trim());
                let note = if core.converged { "" } else { " (one of them may not accept this)" };
                let exhibit = Exhibit::note("At the core", format!("{at_core}{note}")).aside(&self.title);
                let row = ConvergenceRow { room_id: self.id.clone(), core_disagreement: at_core, kind: core.kind.clone(), converged: core.converged };
                self.stage.show("convergence", exhibit.by(given.seat, "clerk").turn(&given.key).data(&row))?;
                Ok(Some(core).filter(|core| !core.core_disagreement.trim().is_empty()))
            }
            Err(missed) => {
                debate.closed |= missed.failure.kind == FailureKind::Closed;
                Ok(None)
            }
        }
    }

    /// The two may not write the card on their own dispute: the moderator does, else another of the table, else the clerk.
    async fn card(&self, debate: &mut Debate<'_>, heard: &Heard<'_>, short: bool) -> Result<Card> {
        let bench = debate.bench;
        let mut writers: Vec<SeatIx> = Vec::new();
        for seat in bench.role("moderator").iter().chain(&debate.cast.seats()).chain(bench.role("clerk")) {
            if !self.pair.contains(seat) && !writers.contains(seat) {
                writers.push(*seat);
            }
        }
        let written = if short || debate.closed {
            None
        } else {
            let exchange = [self.before(), self.lines(&self.messages)].concat();
            let last_sentences = |at: usize| -> Vec<String> {
                let own = self.messages.iter().filter(|(_, seat, _)| *seat == self.pair[at]);
                own.filter_map(|(_, _, text)| text.split(". ").last()).map(|text| self.veil.over(text)).collect()
            };
            let ask = prompt!("card", crux = self.asked, names = self.veil.shown, exchange, core = heard.core.map(|core| &core.core_disagreement))
                .ids("pair", self.veil.shown.iter().cloned())
                .ids("types", DisagreementType::NAMES)
                .ids("stances", Stance::NAMES)
                .fill("one", &self.veil.shown[0])
                .fill("two", &self.veil.shown[1])
                .fill("first", last_sentences(0))
                .fill("second", last_sentences(1));
            self.stage.ask_first::<Extract>(&writers, ask).await?
        };
        let (card, exhibit) = match written {
            Some(given) => {
                let card = Card::checked(&given.value, heard);
                let exhibit = card.exhibit().by(given.seat, "moderator").turn(&given.key);
                (card, exhibit)
            }
            None => {
                if !short {
                    self.stage.warn(format!("Nobody wrote the card on \"{}\"; what was said is in the room.", self.question));
                }
                let card = Card::fallback(heard);
                let exhibit = card.exhibit();
                (card, exhibit)
            }
        };
        self.stage.show("crux_card", exhibit)?;
        Ok(card)
    }
}

fn first_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= POSITION_WORDS { words.join(" ") } else { format!("{} […]", words[..POSITION_WORDS].join(" ")) }
}
