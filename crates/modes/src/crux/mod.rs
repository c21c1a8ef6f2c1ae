//! Crux: personas debate a topic aspect by aspect. Where two of them contradict each other, they are put in a room until what they differ over is
//! named, and a card records it.

mod closing;
pub mod draft;
pub mod persona;
mod questions;
mod room;
mod rounds;
mod rows;
mod speech;
mod state;

use closing::{Conclusion, report};
use persona::{Cast, DEFAULT_DECK, Persona};
use room::card::{Card, Position};
use room::card_reply::{DisagreementType, Stance};
use rounds::detection::{Detection, windows};
use rows::{
    AspectsRow, CardRow, ConvergenceRow, DebateSummaryRow, DisagreementRow, ExitCheckRow, PersonaSeat, RoomEndRow, RoomMessageRow, RoomRow,
    RoundSummaryRow, ShiftsRow, StatementRow, TakeRow, VerdictData,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use speech::names::find_person;
use state::DebateState;
use synod_engine::{
    Bench, Example, FigureKind, Halt, Library, Mode, ModeResult, NoLibrary, PlannedCalls, Result, Seating, Stage, chair_apart, each, mode,
};
use synod_types::*;

/// How many personas debate.
const LEAST: usize = 2;
const MOST: usize = 6;

pub static MODE: Mode = mode! {
    id: "crux", version: 5, name: "Crux", family: Adversarial, seats: 3..=8, roles: &[each("persona"), chair_apart("moderator")],
    summary: "Personas from different walks of life debate a topic; where two contradict each other they go into it alone until what they differ over is named.",
    pick: "Take it when people keep disagreeing and you want to know what about: the assumption underneath, what each would take back, and what would settle it.",
    phases: &["decompose", "opening", "aspect", "closing", "conclusion"],
    stages: &[
        Stage::from_seat::<AspectsRow>("aspects", "clerk"),
        Stage::computed::<AspectsRow>("aspects").stand_in(),
        Stage::from_seat::<StatementRow>("opening", "persona"),
        Stage::from_seat::<TakeRow>("take", "persona"),
        Stage::from_seat::<DisagreementRow>("disagreement", "clerk"),
        Stage::computed::<RoomRow>("crux_room"),
        Stage::from_seat::<RoomMessageRow>("crux_message", "persona"),
        Stage::from_seat::<ExitCheckRow>("exit_check", "clerk"),
        Stage::from_seat::<ConvergenceRow>("convergence", "clerk"),
        Stage::from_seat::<CardRow>("crux_card", "moderator"),
        Stage::computed::<CardRow>("crux_card").stand_in(),
        Stage::computed::<RoomEndRow>("crux_room_complete"),
        Stage::from_seat::<RoundSummaryRow>("round_summary", "clerk"),
        Stage::from_seat::<StatementRow>("closing", "persona"),
        Stage::from_seat::<ShiftsRow>("shifts", "clerk"),
        Stage::from_seat::<DebateSummaryRow>("debate_summary", "moderator"),
    ],
    figures: &[
        FigureKind::mean("cruxes", "Cruxes found"),
        FigureKind::mean("resolved", "Cruxes resolved"),
        FigureKind::mean("shifts", "Personas who changed their mind"),
    ],
    multi_turn: false, estimated_ms: 420_000, turn_secs: 120, run_secs: 3600,
    cost: "at most 11n + 78 for n personas and three aspects; 23 of that for each room",
    example: Example { options: &[("deck", "markets")], ..Example::ask("Is Bitcoin a good investment?") },
    failure_rule: "Two openings are enough. A persona that fails sits that step out; a failed detector opens no room; a room without a usable card gets one that points to what was said. Card and record are written by the moderator, else by the clerk, never by somebody who debates; without a record the answer is made of the cards.",
    prompts: [
        "decompose", "opening", "take", "react", "reply", "detect", "position", "exchange", "check", "converge", "card", "summary", "closing", "shifts", "report",
    ],
    seats_from_options: persona_names, prepare: prepare,
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Who debates: names of personas, or files. Give these or a deck.
    #[schemars(length(max = 6))]
    pub personas: Vec<PersonaRef>,
    /// The personas of one subject: mixed, markets, work, public, health, technology, land, or one your own personas name. Default: mixed.
    pub deck: Option<String>,
    /// At most so many sub-questions.
    #[schemars(range(min = 1, max = 3))]
    pub aspects: u32,
    /// Rounds on each: takes, reactions, replies to them, and once more reactions.
    #[schemars(range(min = 1, max = 4))]
    pub minirounds: u32,
    /// At most so many crux rooms in all; an aspect has one at most.
    #[schemars(range(min = 0, max = 3))]
    pub rooms: u32,
    /// At most so many turns in a room, after the two positions.
    #[schemars(range(min = 2, max = 14))]
    pub room_turns: u32,
    /// In a room the two know each other as A and B only, so that neither gives way to a name.
    pub anonymise_room: bool,
    /// Where contradictions are looked for: in each one's last take (takes), in the last ten messages as the debate goes on (sliding), or both.
    pub detection: Detection,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            personas: Vec::new(),
            deck: None,
            aspects: 3,
            minirounds: 3,
            rooms: 3,
            room_turns: 14,
            anonymise_room: false,
            detection: Detection::default(),
        }
    }
}

/// A persona by name or file, or in full as a run keeps it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PersonaRef {
    Name(String),
    Full(Box<Persona>),
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// Every persona in full, or what is wrong with those that cannot be found.
    fn cast(&self, library: &dyn Library) -> Result<Vec<Persona>, Vec<Problem>> {
        let in_full = self.personas.iter().all(|persona| matches!(persona, PersonaRef::Full(_)));
        let deck = match (&self.deck, self.personas.is_empty()) {
            (None, true) => Some(DEFAULT_DECK),
            // A fork has its parent's personas in full; a deck named now replaces them.
            (Some(deck), _) if in_full => Some(deck.as_str()),
            (Some(deck), _) => return Err(vec![Problem::new("options.deck", deck.clone(), "personas or a deck, not both")]),
            (None, false) => None,
        };
        if let Some(deck) = deck {
            return persona::deck(deck, library);
        }
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for persona in &self.personas {
            match persona {
                PersonaRef::Full(persona) => found.push((**persona).clone()),
                PersonaRef::Name(name) => persona::find(name, library).map_or_else(|wrong| problems.extend(wrong), |persona| found.push(persona)),
            }
        }
        if problems.is_empty() { Ok(found) } else { Err(problems) }
    }
}

/// Puts personas in full in place of names: the run's header keeps them even if the files change later.
fn prepare(options: &mut Options, library: &dyn Library) -> Vec<Problem> {
    let cast = match options.cast(library) {
        Ok(cast) => cast,
        Err(problems) => return problems,
    };
    let mut problems = Vec::new();
    if !(LEAST..=MOST).contains(&cast.len()) {
        let got = if cast.len() == 1 { "1 persona".to_owned() } else { format!("{} personas", cast.len()) };
        problems.push(Problem::new("options.personas", got, format!("{LEAST} to {MOST} personas")));
    }
    for (at, persona) in cast.iter().enumerate() {
        // A persona given in full has not been checked yet; one from a file has.
        problems.extend(persona::read_value(&format!("options.personas[{at}]"), &synod_engine::to_value(persona)).err().into_iter().flatten());
        if cast[..at].iter().any(|other| other.name.eq_ignore_ascii_case(&persona.name) || other.id == persona.id) {
            problems.push(Problem::new("options.personas", format!("{} twice", persona.name), "personas with different names and ids"));
        }
    }
    options.personas = cast.into_iter().map(|persona| PersonaRef::Full(Box::new(persona))).collect();
    options.deck = None;
    problems
}

/// One seat for each persona, under its name.
fn persona_names(options: &Options, _models: usize) -> Vec<String> {
    options.cast(&NoLibrary).map(|cast| cast.into_iter().map(|persona| persona.name).collect()).unwrap_or_default()
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub cruxes: Vec<Crux>,
    /// What nobody disputes, or some named as common ground; empty also when no record could be written.
    pub agreements: Vec<String>,
    pub shifts: Vec<PersonaShift>,
    /// By persona, what they said would change their mind.
    pub flip_conditions: Vec<PersonaFlipConditions>,
    /// "If X, then Y is settled."
    pub resolution_paths: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Crux {
    pub question: String,
    pub disagreement_type: DisagreementType,
    pub diagnosis: String,
    /// Both give the same answer, and `resolution` says which.
    pub resolved: bool,
    pub resolution: Option<String>,
    /// What was put forward as a settlement that not both share.
    pub proposed: Option<String>,
    /// Both give the same answer without having settled it.
    pub weak: bool,
    pub positions: Vec<CruxPosition>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CruxPosition {
    pub persona: String,
    pub seat: u32,
    pub position: Stance,
    /// For NUANCED: when yes and when no; null if nobody wrote it down.
    pub condition: Option<String>,
    /// Null: they named nothing that would prove them wrong.
    pub falsifier: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PersonaShift {
    pub persona: String,
    pub seat: u32,
    /// Null: nobody judged it.
    pub shifted: Option<bool>,
    pub summary: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PersonaFlipConditions {
    pub persona: String,
    pub conditions: Vec<String>,
}

/// A persona's own prompt is as long as about eight replies.
const PERSONA_READS: u32 = 8;

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    let (aspects, minis) = (options.aspects, options.minirounds);
    let rooms = options.rooms.min(aspects);
    let (reactions, replies) = (minis / 2, minis.saturating_sub(1) / 2);
    let messages = (n + aspects * n * minis) as usize;
    let detections = if options.detection.takes() { aspects } else { 0 } + if options.detection.sliding() { windows(messages) as u32 } else { 0 };
    let checks = options.room_turns.saturating_sub(3) / 2;
    let line =
        |prompt: &'static str, role: &'static str, min: u32, max: u32, reads: u32| PlannedCalls { prompt, role, min, max, reads, max_tokens: None };
    vec![
        line("decompose", "clerk", 1, 1, 0),
        line("opening", "persona", n, n, PERSONA_READS),
        line("take", "persona", n, aspects * n, PERSONA_READS + n),
        line("react", "persona", n * reactions, aspects * n * reactions, PERSONA_READS + n),
        line("reply", "persona", 0, aspects * n * replies, PERSONA_READS + 2),
        line("detect", "clerk", u32::from(options.detection == Detection::Takes), detections, n),
        line("position", "persona", 0, 2 * rooms, PERSONA_READS + 2),
        line("exchange", "persona", 0, options.room_turns * rooms, PERSONA_READS + 8),
        line("check", "clerk", 0, checks * rooms, 6),
        line("converge", "clerk", 0, rooms, 2 + options.room_turns),
        line("card", "moderator", 0, rooms, 4 + options.room_turns),
        line("summary", "clerk", 1, aspects, n * minis),
        line("closing", "persona", n, n, PERSONA_READS + 4),
        line("shifts", "clerk", 1, 1, 2 * n),
        line("report", "moderator", 1, 1, 2 * n + aspects * n * minis),
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let personas = options.cast(&NoLibrary).map_err(|problems| Halt::diverged("options", Problems(problems).to_string()))?;
    let cast = Cast::new(&personas, bench.role("persona"));
    let mut debate = DebateState::new(bench, &options, &cast);
    debate.decompose().await?;
    debate.ask_openings().await?;
    let opened = debate.messages.len();
    if opened < LEAST {
        let detail = format!("{opened} of {} personas opened, and at least {LEAST} must", cast.seats().len());
        return Err(Halt::no_quorum("opening", detail));
    }
    for round in 1..=debate.aspects.len() as u32 {
        if !debate.closed {
            debate.debate_aspect(round).await?;
        }
    }
    if !debate.closed {
        debate.ask_closings().await?;
    }
    let conclusion = debate.conclude().await?;
    Ok(mode_result(&debate, &conclusion))
}

fn mode_result(debate: &DebateState, conclusion: &Conclusion) -> ModeResult {
    let bench = debate.bench;
    let shifted = conclusion.shifts.iter().filter(|shift| shift.shifted == Some(true)).count();
    bench.figure("cruxes", debate.cards.len() as f64);
    bench.figure("resolved", debate.cards.iter().filter(|card| card.resolved).count() as f64);
    bench.figure("shifts", shifted as f64);
    let summary = conclusion.summary.as_ref();
    let names = debate.cast.names();
    let flips = summary.map(|reply| reply.value.flip_conditions.as_slice()).unwrap_or_default();
    let decision = Decision {
        cruxes: debate.cards.iter().map(crux_of).collect(),
        agreements: summary.map(|reply| reply.value.agreements.clone()).unwrap_or_default(),
        shifts: conclusion.shifts.clone(),
        flip_conditions: flips
            .iter()
            .filter_map(|flips| {
                let seat = find_person(&flips.persona, &names)?;
                Some(PersonaFlipConditions { persona: debate.cast.name(seat).to_owned(), conditions: flips.conditions.clone() })
            })
            .collect(),
        resolution_paths: summary.map(|reply| reply.value.resolution_paths.clone()).unwrap_or_default(),
    };
    let text = report::answer_text(debate, conclusion);
    let answer = match summary {
        Some(reply) => Answer { kind: AnswerKind::Report, text, by: vec![reply.seat] },
        None => Answer { kind: AnswerKind::Computed, text, by: Vec::new() },
    };
    let personas = debate.cast.personas().map(|(seat, persona)| PersonaSeat { seat, id: &persona.id, name: &persona.name }).collect();
    let data = VerdictData { personas, aspects: &debate.aspects, messages: debate.messages.len(), open_questions: &decision.resolution_paths };
    let told = summary_line(&decision.cruxes);
    ModeResult::ended("finished", answer)
        .decision(told, &decision)
        .unsure("a debate of personas finds what they differ over; it measures nobody's sureness")
        .data(&data)
}

/// What was found, in a sentence: with one crux the question itself.
fn summary_line(cruxes: &[Crux]) -> String {
    let open = cruxes.iter().filter(|crux| !crux.resolved).count();
    match (cruxes, open) {
        ([], _) => "No crux was found.".to_owned(),
        ([one], _) => format!("One crux was found, {}: {}", if open == 1 { "still open" } else { "and settled" }, one.question),
        ([_, _], 0) => "Two cruxes were found, and both are settled.".to_owned(),
        ([_, _], 2) => "Two cruxes were found, and both are still open.".to_owned(),
        (_, 0) => format!("{} cruxes were found, and all are settled.", cruxes.len()),
        (_, open) if open == cruxes.len() => format!("{open} cruxes were found, and all are still open."),
        (_, open) => format!("{} cruxes were found; {open} of them {} still open.", cruxes.len(), if open == 1 { "is" } else { "are" }),
    }
}

fn crux_of(card: &Card) -> Crux {
    let position = |position: &Position| CruxPosition {
        persona: position.name.clone(),
        seat: position.seat,
        position: position.stance,
        condition: position.condition.clone(),
        falsifier: position.falsifier.clone(),
    };
    Crux {
        question: card.question.clone(),
        disagreement_type: card.kind,
        diagnosis: card.diagnosis.clone(),
        resolved: card.resolved,
        resolution: card.resolution.clone(),
        proposed: card.proposed.clone(),
        weak: card.weak,
        positions: card.positions.iter().map(position).collect(),
    }
}

#[cfg(test)]
mod tests;
