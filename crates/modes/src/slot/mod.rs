//! One slot of a claim, filled by one model: its work, its score, or the final word. An internal mode: journaled, budgeted and resumed like any
//! run, and submitted by whoever started it.

mod rows;

use rows::{SlotRow, SummaryRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{
    Bench, Example, Halt, IdLists, Mode, ModeResult, PlannedCalls, Prompt, Result, SeatFailure, Seating, Stage, TypedReply, each, mode, prompt,
};
use synod_types::*;

/// What a reply counts for that came as mere prose.
const PROSE_CONFIDENCE: f64 = 0.5;

pub static MODE: Mode = mode! {
    id: "slot", version: 2, name: "Claim slot", family: Evaluation, seats: 1..=1, roles: &[each("agent")],
    summary: "Fills one slot of a claim's layer.",
    pick: "It is started for you by whatever works on claims.",
    phases: &["slot"],
    stages: &[Stage::from_seat::<SlotRow>("submission", "agent"), Stage::from_seat::<SummaryRow>("summary", "agent")],
    multi_turn: false, estimated_ms: 20_000, turn_secs: 120, run_secs: 900,
    cost: "1",
    example: Example::ask("Dogs can recognise themselves by smell"),
    failure_rule: "A reply that cannot be read after one repair fills nothing, and the slot is given back.",
    prompts: ["context", "work", "consensus", "synthesis", "merge"],
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The claim, by its id.
    pub claim: String,
    /// The slot, by its id.
    pub slot: String,
    /// Which attempt at its layer it belongs to.
    pub attempt: u32,
    /// The lease it was taken under.
    pub lease: String,
    /// Who holds it.
    pub agent: String,
    pub task: Task,
    /// The layer's number, name and goal.
    pub layer: u32,
    pub stage: String,
    pub goal: String,
    /// The part played, and what it asks for.
    pub role: String,
    pub guide: String,
    /// What a confidence means.
    pub scale: String,
    pub domain: String,
    pub sources: Vec<String>,
    pub prior: Vec<Layer>,
    /// This layer's work, for those who score it.
    pub work: Vec<String>,
    pub attempts: Vec<Attempt>,
    pub notices: Vec<String>,
    /// What is asked for beside the prose, as a JSON Schema.
    pub form: Option<Value>,
    /// Summaries to be made into one.
    pub summaries: Vec<String>,
    /// In a rehearsal only: the confidence that is said, whatever the voice says.
    pub scripted_confidence: Option<f64>,
}

words! {
    /// What is asked for: the name of its prompt.
    #[derive(Default)]
    pub enum Task {
        #[default]
        Work = "work",
        Consensus = "consensus",
        /// A layer without work of its own: its seats write the final word.
        Synthesis = "synthesis",
        /// Several summaries become one.
        Merge = "merge",
    }
}

/// What an earlier layer said.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Layer {
    pub name: String,
    pub confidence: Option<f64>,
    pub work: Vec<String>,
    pub consensus: Vec<String>,
}

/// What an attempt said that a person sent back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Attempt {
    pub number: u32,
    pub confidence: Option<f64>,
    pub work: Vec<String>,
    pub consensus: Vec<String>,
    pub note: Option<String>,
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        let wanted = self.scripted_confidence.filter(|confidence| !(0.0..=1.0).contains(confidence));
        wanted.map(|got| Problem::new("options.scripted_confidence", got.to_string(), "a number from 0 to 1")).into_iter().collect()
    }
}

/// What is submitted.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    pub output: String,
    pub confidence: Option<f64>,
    pub structured_output: Option<Value>,
    /// Something readers of the slot should know.
    pub notice: Option<String>,
}

/// A submission of work. Prose alone will do where nothing else came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Work {
    /// What you have to say, as prose.
    output: String,
    /// How sure you are of it, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    confidence: f64,
    /// The same in the fields that the layer asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Form")]
    structured_output: Option<Value>,
}

impl TypedReply for Work {
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        // Something that was meant as JSON is better asked for again.
        let prose = !text.contains('{') && text.split_whitespace().count() >= 5;
        prose.then(|| Self { output: text.trim().to_owned(), confidence: PROSE_CONFIDENCE, structured_output: None })
    }
    fn check(&self, _: &IdLists) -> std::result::Result<(), String> {
        some_words(&self.output)
    }
}

/// A score, which decides whether a layer passes: nothing is guessed from prose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Score {
    /// What you found, as prose.
    output: String,
    /// From 0 to 1, by the scale you were given.
    #[schemars(range(min = 0.0, max = 1.0))]
    confidence: f64,
    /// The same in the fields that the layer asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Form")]
    structured_output: Option<Value>,
}

impl TypedReply for Score {
    fn check(&self, terms: &IdLists) -> std::result::Result<(), String> {
        some_words(&self.output)?;
        let missing = self.structured_output.is_none() && !terms.list("form").is_empty();
        if missing { Err("structuredOutput is missing".into()) } else { Ok(()) }
    }
}

fn some_words(output: &str) -> std::result::Result<(), String> {
    if output.trim().is_empty() { Err("output is empty".into()) } else { Ok(()) }
}

/// Stands for whatever the layer's own schema says.
struct Form;

impl JsonSchema for Form {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Form".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "x-schema": "form" })
    }
}

fn calls(options: &Options, _: &Seating) -> Vec<PlannedCalls> {
    vec![PlannedCalls { prompt: options.task.as_str(), role: "agent", min: 1, max: 1, reads: 0, max_tokens: None }]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let phase = bench.phase("slot");
    let Some(seat) = bench.role("agent").first().copied() else { return Err(Halt::failed("slot", "there is nobody to fill it")) };
    let decision = match options.task {
        Task::Merge => return merge(&phase, &options, seat).await,
        Task::Work => {
            let reply = phase.ask::<Work>(seat, ask(&options)).await?.map_err(unfilled)?;
            let prose = reply.value.structured_output.is_none() && options.form.is_some();
            let notice = prose.then(|| "The model replied in prose, so its structured output is missing.".to_owned());
            let Work { output, confidence, structured_output } = reply.value;
            show(&phase, &options, seat, &reply.key, Decision { output, confidence: Some(confidence), structured_output, notice })?
        }
        Task::Consensus | Task::Synthesis => {
            let asked = ask(&options);
            let reply = phase.ask::<Score>(seat, asked).await?.map_err(unfilled)?;
            let Score { output, confidence, structured_output } = reply.value;
            show(&phase, &options, seat, &reply.key, Decision { output, confidence: Some(confidence), structured_output, notice: None })?
        }
    };
    let answer = Answer { kind: AnswerKind::Report, text: decision.output.clone(), by: vec![seat] };
    Ok(result(bench, answer, &decision))
}

fn result(bench: &Bench, answer: Answer, decision: &Decision) -> ModeResult {
    // Whoever submits it may have taken the slot for another model.
    let model = answer.by.first().map(|seat| bench.seat(*seat).model.clone());
    ModeResult::ended("finished", answer)
        .decision("The slot was filled.", decision)
        .unsure("its confidence is the agent's own")
        .data(&json!({ "model": model }))
}

/// Nobody else is at this table: the run is lost, and the slot goes to another.
fn unfilled(failure: SeatFailure) -> Halt {
    Halt::no_quorum("slot", format!("{}: {}", failure.failure.kind.plain(), failure.failure.detail))
}

fn ask(of: &Options) -> Prompt {
    let mut prompt = Prompt::new(of.task.as_str());
    for (name, value) in [
        ("stage", json!(of.stage)),
        ("layer", json!(of.layer)),
        ("goal", json!(of.goal)),
        ("role", json!(of.role)),
        ("guide", json!(of.guide)),
        ("scale", json!(of.scale)),
        ("domain", json!(of.domain)),
        ("sources", json!(of.sources)),
        ("prior", json!(of.prior)),
        ("attempts", json!(of.attempts)),
        ("notices", json!(of.notices)),
        ("fields", json!(of.form.is_some())),
    ] {
        prompt = prompt.set(name, value);
    }
    if of.task == Task::Consensus {
        prompt = prompt.set("work", &of.work);
    }
    match &of.form {
        Some(form) => prompt.ids("form", [form.to_string()]),
        None => prompt,
    }
}

/// Shows a submission as it will be submitted.
fn show(phase: &Bench, options: &Options, seat: SeatIx, key: &str, mut decision: Decision) -> Result<Decision> {
    if let Some(scripted) = options.scripted_confidence.filter(|_| phase.header().rehearsal()) {
        decision.confidence = Some(scripted);
    }
    let row = SlotRow {
        claim: options.claim.clone(),
        slot: options.slot.clone(),
        layer: options.layer,
        attempt: options.attempt,
        role: options.role.clone(),
        confidence: decision.confidence,
        structured_output: decision.structured_output.clone(),
    };
    let title = format!("Layer {}, {}: {}", options.layer, options.stage, options.role);
    phase.show("submission", Exhibit::statement(title, &decision.output).by(seat, "agent").turn(key).data(&row))?;
    Ok(decision)
}

/// The seats' summaries in one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Summary {
    /// What the summaries share, and where they differ, in a sentence.
    reasons: String,
    /// The one summary, in two to five sentences.
    summary: String,
}

impl TypedReply for Summary {
    fn check(&self, _: &IdLists) -> std::result::Result<(), String> {
        some_words(&self.summary)
    }
}

async fn merge(phase: &Bench, options: &Options, seat: SeatIx) -> Result<ModeResult> {
    let reply = phase.ask::<Summary>(seat, prompt!("merge", summaries = options.summaries)).await?.map_err(unfilled)?;
    let text = reply.value.summary.trim().to_owned();
    let row = SummaryRow { claim: options.claim.clone(), merged_from: options.summaries.len() as u32 };
    phase.show("summary", Exhibit::note("Summary", &text).by(reply.seat, "agent").turn(&reply.key).data(&row))?;
    let decision = Decision { output: text.clone(), confidence: None, structured_output: None, notice: None };
    Ok(result(phase, Answer { kind: AnswerKind::Report, text, by: vec![reply.seat] }, &decision))
}
