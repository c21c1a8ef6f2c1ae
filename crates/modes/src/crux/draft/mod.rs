//! A persona drafted from somebody's texts. An internal mode: no panel deliberates, but its calls and costs are recorded like those of any other run.

mod rows;

use super::persona::{self, Anchor, EvidencePolicy, Persona, Voice, VoiceExample};
use rows::DraftRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use synod_engine::{
    Bench, Example, Halt, Mode, ModeResult, PlannedCalls, Result, SeatFailure, SeatReply, Seating, Stage, TypedReply, each, mode, prompt,
};
use synod_math::verbatim::Verbatim;
use synod_types::*;

/// The six paragraphs of a contract: name, and what each is to say.
const PARAGRAPHS: [(&str, &str); 6] = [
    ("personality", "who they are to meet: temperament, habits, what formed them, how they treat others"),
    ("bias", "where they lean before the facts are in, what they overrate and what they fail to see, as somebody who likes them would put it"),
    ("stakes", "what they stand to lose or gain, for whom they answer, what they would not want to do twice"),
    ("epistemology", "how they come to believe something: whom and what they trust, how they test it, what makes them suspicious"),
    ("time_horizon", "the stretches of time they think in, and what they say of longer and shorter ones"),
    ("flip_conditions", "what would change their mind and has done so before, and what never would"),
];
const MOST_ANCHORS: usize = 15;
const ANCHOR_CHARS: std::ops::RangeInclusive<usize> = 12..=280;

pub static MODE: Mode = mode! {
    id: "persona_draft", version: 2, name: "Persona draft", family: RoleBased, seats: 1..=1, roles: &[each("drafter")],
    summary: "Drafts a persona's contract and voice from texts that were supplied.",
    pick: "Take it to draft a persona of your own from texts by somebody.",
    phases: &["draft"],
    stages: &[Stage::from_seat::<DraftRow>("draft", "drafter")],
    multi_turn: false, estimated_ms: 60_000, turn_secs: 120, run_secs: 600,
    cost: "9: six paragraphs, evidence, sayings, voice",
    example: Example::ask("Ada Example"),
    failure_rule: "What could not be drafted is left out, and named; without any paragraph there is no draft.",
    prompts: ["paragraph", "evidence", "anchors", "voice"],
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How options will name the persona.
    pub id: String,
    /// What they do, in a phrase.
    pub handle: String,
    /// The decks they are seated for.
    pub decks: Vec<String>,
    /// When the contract is written.
    pub version: String,
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// The draft, and whether it is whole.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub persona: Persona,
    /// Fields that could not be drafted or do not pass the check yet.
    pub open: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Paragraph {
    /// Which passages you rely on, in a sentence.
    reasons: String,
    /// The paragraph, addressed to the persona as "you".
    text: String,
}
impl TypedReply for Paragraph {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Evidence {
    /// Which passages you rely on, in a sentence.
    reasons: String,
    /// Sources they accept, in a few words each.
    #[schemars(length(min = 1, max = 8))]
    accepts: Vec<String>,
    /// Sources they refuse.
    #[schemars(length(min = 1, max = 8))]
    refuses: Vec<String>,
    /// How they weigh one against the other, in two or three sentences.
    weighting: String,
    /// What makes them want to look something up first.
    look_up: String,
}
impl TypedReply for Evidence {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Sayings {
    /// In a sentence, why these.
    reasons: String,
    /// Letter for letter from the texts, at most 280 characters each.
    passages: Vec<String>,
}
impl TypedReply for Sayings {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Manner {
    /// Which passages you rely on, in a sentence.
    reasons: String,
    /// How they talk, in a sentence or two.
    hint: String,
    /// Habits of speech, one sentence each.
    patterns: Vec<String>,
    /// Words and phrases they use.
    vocabulary: Vec<String>,
    /// Phrases they would never use.
    never: Vec<String>,
    /// A situation, and what they would say in it.
    examples: Vec<VoiceExample>,
}
impl TypedReply for Manner {}

fn calls(_: &Options, _: &Seating) -> Vec<PlannedCalls> {
    let line = |prompt: &'static str, n: u32| PlannedCalls { prompt, role: "drafter", min: n, max: n, reads: 0, max_tokens: None };
    vec![line("paragraph", PARAGRAPHS.len() as u32), line("evidence", 1), line("anchors", 1), line("voice", 1)]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let phase = bench.phase("draft");
    let Some(seat) = bench.role("drafter").first().copied() else { return Err(Halt::failed("draft", "there is nobody to write it")) };
    let name = bench.question().text.trim().to_owned();
    let paragraphs = phase.all(PARAGRAPHS.map(|paragraph| (paragraph.0, paragraph)), |bench, (field, about)| {
        let asked = bench.ask::<Paragraph>(seat, prompt!("paragraph", field, about));
        async move { Ok((field, asked.await?)) }
    });
    let (evidence, anchors, voice) = (
        phase.ask::<Evidence>(seat, prompt!("evidence")),
        phase.ask::<Sayings>(seat, prompt!("anchors", most = MOST_ANCHORS)),
        phase.ask::<Manner>(seat, prompt!("voice")),
    );
    let (paragraphs, evidence, anchors, voice) = futures::join!(paragraphs, evidence, anchors, voice);
    let (paragraphs, evidence, anchors, voice) = (paragraphs?, evidence?, anchors?, voice?);

    let text_of = |field: &str| {
        let found = paragraphs.iter().find(|(known, _)| *known == field).and_then(|(_, reply)| reply.as_ref().ok());
        found.map(|reply| reply.value.text.trim().to_owned()).unwrap_or_default()
    };
    for (field, reply) in &paragraphs {
        if let Ok(reply) = reply {
            show_field(&phase.at(field), field, reply.value.text.trim(), reply.seat, &reply.key)?;
        }
    }
    if paragraphs.iter().all(|(_, reply)| reply.is_err()) {
        return Err(Halt::no_quorum("draft", "not one paragraph could be drafted"));
    }
    let persona = Persona {
        id: options.id,
        name,
        handle: options.handle,
        decks: options.decks,
        pulls: None,
        version: options.version,
        personality: text_of("personality"),
        bias: text_of("bias"),
        stakes: text_of("stakes"),
        epistemology: text_of("epistemology"),
        time_horizon: text_of("time_horizon"),
        flip_conditions: text_of("flip_conditions"),
        evidence: read_evidence(&phase, evidence)?,
        anchors: read_sayings(&phase, anchors)?,
        voice: read_voice(&phase, voice)?,
    };
    let open: Vec<String> = match persona::read_value(&format!("persona {}", persona.id), &synod_engine::to_value(&persona)) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(|problem| format!("{} is {}, should be {}", problem.field, problem.got, problem.want)).collect(),
    };
    for open in &open {
        phase.warn(format!("Still to be written: {open}."));
    }
    let text = toml::to_string_pretty(&persona).map_err(|error| Halt::failed("draft", format!("the draft cannot be written down: {error}")))?;
    let told = if open.is_empty() { "The persona is whole.".to_owned() } else { format!("{} fields are still to be written.", open.len()) };
    Ok(ModeResult::ended("finished", Answer { kind: AnswerKind::Report, text, by: vec![seat] })
        .decision(told, &Decision { persona, open })
        .unsure("a persona was written, not voted on")
        .data(&json!({})))
}

/// What came of asking the drafter.
type SeatAnswer<T> = Result<SeatReply<T>, SeatFailure>;

fn show_field(phase: &Bench, field: &str, text: &str, seat: SeatIx, key: &str) -> Result<()> {
    let exhibit = Exhibit::note(field.replace('_', " "), text).by(seat, "drafter").turn(key).data(&DraftRow { field: field.to_owned() });
    phase.show("draft", exhibit)
}

fn read_evidence(phase: &Bench, answer: SeatAnswer<Evidence>) -> Result<EvidencePolicy> {
    let Ok(reply) = answer else {
        return Ok(EvidencePolicy { accepts: Vec::new(), refuses: Vec::new(), weighting: String::new(), look_up: String::new() });
    };
    show_field(&phase.at("evidence"), "evidence", &reply.value.weighting, reply.seat, &reply.key)?;
    let Evidence { accepts, refuses, weighting, look_up, .. } = reply.value;
    Ok(EvidencePolicy { accepts, refuses, weighting, look_up })
}

/// Keeps only passages that occur in the texts word for word.
fn read_sayings(phase: &Bench, answer: SeatAnswer<Sayings>) -> Result<Vec<Anchor>> {
    let Ok(reply) = answer else { return Ok(Vec::new()) };
    let files: Vec<(&str, Verbatim)> = phase.question().files.iter().map(|file| (file.name.as_str(), Verbatim::new(&file.text))).collect();
    let mut kept: Vec<Anchor> = Vec::new();
    let (mut foreign, mut unfit, mut over) = (0, 0, 0);
    for passage in reply.value.passages.iter().map(|passage| crate::text::bare(passage).split_whitespace().collect::<Vec<_>>().join(" ")) {
        let source = files.iter().find(|(_, text)| text.quotes(&passage));
        match source {
            _ if kept.iter().any(|anchor| anchor.text == passage) => {}
            _ if !ANCHOR_CHARS.contains(&passage.chars().count()) => unfit += 1,
            None => foreign += 1,
            Some(_) if kept.len() == MOST_ANCHORS => over += 1,
            Some((name, _)) => kept.push(Anchor { text: passage, source: (*name).to_owned(), date: String::new() }),
        }
    }
    let all = reply.value.passages.len();
    for (count, why) in [
        (foreign, "do not stand in the texts as they were given".to_owned()),
        (unfit, format!("are shorter than {} or longer than {} characters", ANCHOR_CHARS.start(), ANCHOR_CHARS.end())),
        (over, format!("are more than the {MOST_ANCHORS} a persona keeps")),
    ] {
        if count > 0 {
            phase.warn(format!("{count} of {all} sayings {why}, and were left out."));
        }
    }
    let lines: Vec<String> = kept.iter().map(|anchor| format!("- {}", anchor.text)).collect();
    let text = if lines.is_empty() { "None.".to_owned() } else { lines.join("\n") };
    show_field(&phase.at("anchors"), "anchors", &text, reply.seat, &reply.key)?;
    Ok(kept)
}

fn read_voice(phase: &Bench, answer: SeatAnswer<Manner>) -> Result<Voice> {
    let Ok(reply) = answer else { return Ok(Voice::default()) };
    show_field(&phase.at("voice"), "voice", &reply.value.hint, reply.seat, &reply.key)?;
    let Manner { hint, patterns, vocabulary, never, examples, .. } = reply.value;
    Ok(Voice { hint, patterns, vocabulary, never, examples })
}
