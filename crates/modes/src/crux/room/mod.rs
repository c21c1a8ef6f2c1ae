//! A crux room: two personas alone with one question, until both have named what they differ over or the turns are used up. It ends with a card.

pub mod aliases;
pub mod card;
pub mod card_reply;
pub mod checks;

use super::persona::room_overlay;
use super::rounds::detection::Candidate;
use super::rows::{RoomEnd, RoomEndRow, RoomMessageRow, RoomPhase, RoomRow, RoomStatus, Speaker, SpeechData};
use super::speech::{Speeches, speak};
use super::state::DebateState;
use aliases::Aliases;
use card::{Card, CardContext};
use serde_json::{Value, json};
use synod_engine::{Bench, Result, prompt};
use synod_types::{Exhibit, SeatIx};

/// Words of a position that a speaker is reminded of.
const POSITION_WORDS: usize = 60;
/// The last messages that a speaker is shown.
const RECENT: usize = 4;
/// From this turn on a speaker first puts the other's case at its strongest.
const LATE: u32 = 4;
/// The first exit check comes after this turn.
const FIRST_CHECK: u32 = 3;

/// One of the two a room is for.
#[derive(Clone, Copy)]
pub struct Party<'a> {
    pub seat: SeatIx,
    pub id: &'a str,
    pub name: &'a str,
}

/// Something one of the two said, in the room or before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub id: String,
    pub seat: SeatIx,
    pub text: String,
}

struct Room<'r> {
    phase: Bench,
    id: String,
    title: String,
    question: &'r str,
    /// The question as the two read it.
    question_shown: String,
    pair: [SeatIx; 2],
    /// What the two are called in here: their names, or letters.
    aliases: Aliases,
    /// What they had said that led to the room.
    before: Vec<Line>,
    /// What they said in the room.
    lines: Vec<Line>,
    /// Each one's position at the beginning, and what each said last.
    opening: [Option<String>; 2],
    latest: [Option<String>; 2],
    /// Turns taken after the positions.
    exchanged: u32,
}

/// Holds a room to its end. There is a card in any case.
pub async fn hold_room(debate: &mut DebateState<'_>, phase: &Bench, round: u32, candidate: &Candidate) -> Result<Card> {
    let ids = candidate.pair.map(|seat| debate.cast.id(seat).to_owned());
    let names = candidate.pair.map(|seat| debate.cast.name(seat).to_owned());
    let aliases = if debate.options.anonymise_room { Aliases::letters(names.clone()) } else { Aliases::real_names(names.clone()) };
    let sources = &candidate.sources;
    let before = debate.messages.iter().filter(|message| sources.contains(&message.id));
    let mut room = Room {
        phase: phase.phase("room"),
        id: format!("crux-{round}-{}-{}", ids[0], ids[1]),
        title: format!("{} and {} alone: {}", names[0], names[1], candidate.label),
        question: &candidate.question,
        question_shown: aliases.hide_names(&candidate.question),
        pair: candidate.pair,
        aliases,
        before: before.map(|message| Line { id: message.id.clone(), seat: message.seat, text: message.text.clone() }).collect(),
        lines: Vec::new(),
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
    room.phase.show("crux_room", Exhibit::note("A room apart", format!("{} and {}: {}", names[0], names[1], room.question)).data(&row))?;
    room.ask_positions(debate, round).await?;
    let ended_by = room.exchange(debate, round).await?;

    let both_silent = room.opening.iter().all(Option::is_none);
    let too_short = both_silent || room.exchanged < 2;
    let core = if too_short || debate.closed { None } else { room.find_core(debate).await? };
    let aspect = debate.aspect_label(round);
    let as_shown = |line: &Line| Line { text: room.aliases.hide_names(&line.text), ..line.clone() };
    let lines: Vec<Line> = room.before.iter().chain(&room.lines).map(as_shown).collect();
    let context = CardContext {
        room: &room.id,
        round,
        aspect: &aspect,
        question: room.question,
        sources,
        pair: [0, 1].map(|at| Party { seat: room.pair[at], id: &ids[at], name: &names[at] }),
        aliases: &room.aliases,
        lines: &lines,
        core: core.as_ref(),
    };
    let card = room.write_card(debate, &context, too_short).await?;
    room.tell_end(&card, if too_short && ended_by != RoomEnd::Closed { RoomEnd::TooShort } else { ended_by })?;
    Ok(card)
}

impl Room<'_> {
    /// Which of the two this seat is.
    fn index_of(&self, seat: SeatIx) -> usize {
        usize::from(seat != self.pair[0])
    }

    fn other(at: usize) -> usize {
        1 - at
    }

    /// Lines as prompts take them.
    fn for_prompt(&self, lines: &[Line]) -> Vec<Value> {
        let name = |seat: SeatIx| &self.aliases.shown[self.index_of(seat)];
        lines.iter().map(|line| json!({"name": name(line.seat), "text": self.aliases.hide_names(&line.text)})).collect()
    }

    fn last_lines(&self, count: usize) -> &[Line] {
        &self.lines[self.lines.len().saturating_sub(count)..]
    }

    /// Both are asked at once: neither has read the other's position when giving their own.
    async fn ask_positions(&mut self, debate: &mut DebateState<'_>, round: u32) -> Result<()> {
        let topic = debate.topic();
        let step = self.phase.at("positions");
        let before = self.for_prompt(&self.before);
        let ask = |seat: SeatIx| {
            let opponent = &self.aliases.shown[Self::other(self.index_of(seat))];
            prompt!("position", overlay = room_overlay(topic, opponent), crux = self.question_shown, before)
        };
        let speeches = speak::<String>(&step, debate.cast, &self.pair, &ask).await?;
        self.record(debate, &step, round, RoomPhase::Position, speeches)
    }

    async fn exchange(&mut self, debate: &mut DebateState<'_>, round: u32) -> Result<RoomEnd> {
        for turn in 0..debate.options.room_turns {
            if debate.closed {
                return Ok(RoomEnd::Closed);
            }
            let at = turn as usize % 2;
            let Some(last) = self.latest[Self::other(at)].as_deref().map(|text| self.aliases.hide_names(text)) else { continue };
            let step = self.phase.at(format!("turn {turn}"));
            let (topic, opponent) = (debate.topic(), self.aliases.shown[Self::other(at)].as_str());
            let (before, recent) = (self.for_prompt(&self.before), self.for_prompt(self.last_lines(RECENT)));
            let ask = |_: SeatIx| {
                prompt!(
                    "exchange",
                    overlay = room_overlay(topic, opponent),
                    crux = self.question_shown,
                    before,
                    standing = self.positions_so_far(),
                    recent,
                    opponent,
                    last,
                    late = turn >= LATE
                )
                .fill("other", opponent)
            };
            let speeches = speak::<String>(&step, debate.cast, &[self.pair[at]], &ask).await?;
            self.exchanged += speeches.list.len() as u32;
            self.record(debate, &step, round, RoomPhase::Exchange, speeches)?;
            // After the last turn the room ends whatever the check would say.
            let check_due = turn >= FIRST_CHECK && turn % 2 == 1 && turn + 1 < debate.options.room_turns;
            if check_due && !debate.closed && self.has_surfaced(debate, &step).await? {
                return Ok(RoomEnd::Surfaced);
            }
        }
        Ok(if debate.closed { RoomEnd::Closed } else { RoomEnd::TurnsUsed })
    }

    /// Says that the room has ended, and why.
    fn tell_end(&self, card: &Card, ended_by: RoomEnd) -> Result<()> {
        let why = match ended_by {
            RoomEnd::Surfaced => "both have named what they differ over",
            RoomEnd::TurnsUsed => "their turns are used up",
            RoomEnd::TooShort => "too little was said to sum it up",
            RoomEnd::Closed => "the run had to close",
        };
        let status = if ended_by == RoomEnd::Closed { RoomStatus::BrokenOff } else { RoomStatus::Complete };
        let told = if status == RoomStatus::Complete { "Complete" } else { "Broken off" };
        let messages = self.lines.len();
        let text = format!("{told} after {messages} {}: {why}.", if messages == 1 { "message" } else { "messages" });
        let row = RoomEndRow { room_id: self.id.clone(), status, ended_by, messages, card_id: card.id.clone(), resolved: card.resolved };
        self.phase.show("crux_room_complete", Exhibit::note("End of the room", text).aside(&self.title).data(&row))
    }

    /// Puts what was said on record and shows it.
    fn record(&mut self, debate: &mut DebateState<'_>, step: &Bench, round: u32, phase: RoomPhase, speeches: Speeches) -> Result<()> {
        debate.closed |= speeches.closed;
        for mut speech in speeches.list {
            // What is stored has the names; prompts in this room hide them again.
            speech.text = self.aliases.show_names(&speech.text);
            let at = self.index_of(speech.seat);
            let id = format!("c{round}.{}", self.lines.len() + 1);
            let exhibit = speech.exhibit(phase.title(), &id, None);
            step.show("crux_message", self.with_row(exhibit, debate, speech.seat, phase, speech.data(&id)))?;
            if phase == RoomPhase::Position {
                self.opening[at] = Some(speech.text.clone());
            }
            self.latest[at] = Some(speech.text.clone());
            self.lines.push(Line { id, seat: speech.seat, text: speech.text });
        }
        for silence in &speeches.silent {
            let exhibit = silence.exhibit(phase.title());
            step.show("crux_message", self.with_row(exhibit, debate, silence.seat, phase, silence.data()))?;
        }
        Ok(())
    }

    fn with_row(&self, exhibit: Exhibit, debate: &DebateState<'_>, seat: SeatIx, phase: RoomPhase, speech: SpeechData) -> Exhibit {
        let persona_id = debate.cast.id(seat).to_owned();
        let row = RoomMessageRow { room_id: self.id.clone(), speaker: Speaker::Persona, persona_id, phase, speech };
        exhibit.aside(&self.title).data(&row)
    }

    /// Where each began and where each stands now, shortened.
    fn positions_so_far(&self) -> Vec<Value> {
        let one = |at: usize| {
            let short = |label: &str, text: &str| format!("{label}: {}", first_words(&self.aliases.hide_names(text)));
            let began = self.opening[at].as_deref().map(|text| short("Began", text));
            let now = self.latest[at].as_deref().filter(|text| self.opening[at].as_deref() != Some(text)).map(|text| short("Now", text));
            let text: Vec<String> = began.into_iter().chain(now).collect();
            (!text.is_empty()).then(|| json!({"name": self.aliases.shown[at], "text": text.join("\n")}))
        };
        [one(0), one(1)].into_iter().flatten().collect()
    }
}

impl RoomPhase {
    fn title(self) -> &'static str {
        match self {
            Self::Position => "Position",
            Self::Exchange => "Exchange",
        }
    }
}

fn first_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= POSITION_WORDS { words.join(" ") } else { format!("{} […]", words[..POSITION_WORDS].join(" ")) }
}
