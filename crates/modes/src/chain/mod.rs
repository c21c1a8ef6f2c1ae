//! Chain: a draft passes from seat to seat, each with one mandate; the last good version is the answer.
//!
//! A step that fails, or whose text is no version of what it was given, is skipped, and the version before it goes on.

mod guard;
mod mandate;
mod notes;

use crate::revised::revision;
use crate::text::words;
use guard::{is_refusal, objection};
pub use mandate::Mandate;
use mandate::{Task, tasks};
use notes::without_notes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, Calls, Example, Halt, Mode, ModeResult, Result, SeatFailure, SeatReply, Seating, Stage, each, mode, prompt};
use synod_types::*;

const ROW: &[&str] =
    &["step", "mandate", "mandateDisplay", "wordCount", "previousWordCount", "wordCountDelta", "skipped", "skipReason", "sourceStep", "notes"];

pub static MODE: Mode = mode! {
    id: "chain", name: "Chain", family: Sequential, seats: 2..=6, roles: &[each("editor")],
    summary: "One seat drafts, and each of the others improves the text in turn with a mandate of its own.",
    pick: "Take it when you want a finished document rather than an opinion: one text, gone over by several editors, each looking for one thing.",
    phases: &["step"],
    stages: &[
        Stage::from_seat::<Value>("chain_step_{n}", "drafter"),
        Stage::from_seat::<Value>("chain_step_{n}", "improver"),
        Stage::computed::<Value>("chain_summary"),
    ],
    multi_turn: false, estimated_ms: 240_000, turn_secs: 120, run_secs: 600,
    cost: "one a step: 4 by default",
    example: Example { options: &[("steps", "draft,security_review,polish_format")], ..Example::ask("A guide to rotating our signing keys") },
    failure_rule: "If the first seat cannot draft, the next one does; without a draft there is no result. A later step that fails, refuses, or loses too much of the text is skipped: the version before it goes on, and the next step is told what was left out.",
    prompts: ["draft", "improve"],
    seats_from_options: seats_of,
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What each step is for, in order. `draft` can only be the first; a first step with another mandate drafts and applies it.
    #[schemars(length(min = 2, max = 6))]
    pub steps: Vec<Mandate>,
    /// What the `custom` steps are to do, one text of 10 to 2000 characters for each, in order. Texts with commas in them are given as a JSON list.
    #[schemars(length(max = 6))]
    pub custom_mandates: Vec<String>,
    /// The share of the words an improved version must keep. It must also keep half of that share of the distinct words, so that a list of
    /// suggestions does not take the document's place.
    #[schemars(range(min = 0.1, max = 1.0))]
    pub least_kept: f64,
    /// The most tokens one version may take. A version cut off there is skipped.
    #[schemars(range(min = 256, max = 32768))]
    pub step_tokens: u32,
}

impl Default for Options {
    fn default() -> Self {
        let steps = vec![Mandate::Draft, Mandate::StructureDepth, Mandate::AccuracyCompleteness, Mandate::PolishFormat];
        Self { steps, custom_mandates: Vec::new(), least_kept: 0.5, step_tokens: 8192 }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        mandate::check(&self.steps, &self.custom_mandates)
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Steps whose text was taken, from 1.
    pub completed_steps: Vec<u32>,
    pub skipped_steps: Vec<u32>,
    /// Words of the answer.
    pub words: u32,
    /// The step the answer comes from.
    pub last_step: u32,
}

/// One seat a step, named by what it is to do.
fn seats_of(options: &Options, _models: usize) -> Vec<String> {
    tasks(&options.steps, &options.custom_mandates).into_iter().map(|task| task.display).collect()
}

fn calls(options: &Options, _seating: &Seating) -> Vec<Calls> {
    let improved = (options.steps.len() as u32).saturating_sub(1);
    let max_tokens = Some(options.step_tokens);
    vec![
        Calls { prompt: "draft", role: "editor", min: 1, max: 1, reads: 0, max_tokens },
        Calls { prompt: "improve", role: "editor", min: improved, max: improved, reads: 1, max_tokens },
    ]
}

/// The text as it stands, and where it comes from.
struct Version {
    text: String,
    step: u32,
    by: Vec<SeatIx>,
}

/// What became of the steps: the words of each whose text was taken, `None` for a skipped one.
type Progress = Vec<Option<u32>>;

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let tasks = tasks(&options.steps, &options.custom_mandates);
    if mandate::polishes_too_early(&options.steps) {
        bench.round("step", 1).warn("Polish & Format comes before Accuracy & Completeness: what is added later will not be polished.");
    }
    let mut version = draft(bench, &options, &tasks).await?;
    let mut progress: Progress = vec![Some(words(&version.text))];
    let seats = bench.role("editor");
    for ((n, task), seat) in (1..).zip(&tasks).zip(seats).skip(1) {
        let stage = bench.round("step", n);
        let skipped: Vec<&Task> = tasks[version.step as usize..n as usize - 1].iter().collect();
        let ask = prompt!("improve", step = n, total = tasks.len(), mandate = task, skipped, source = version.step, version = version.text)
            .max_tokens(options.step_tokens);
        let taken = match stage.ask::<String>(*seat, ask).await? {
            Ok(given) => take(&stage, &options, task, &mut version, given, n).await?,
            Err(missed) => {
                let data = row(n, task, &version, None, Some(missed.failure.kind.plain()), &[]);
                stage.show(&format!("chain_step_{n}"), missed_row(task, &missed, "improver").data(&data))?;
                None
            }
        };
        progress.push(taken);
    }
    conclude(bench, &tasks, version, progress).await
}

/// The first version: by the first seat, or the next that can.
async fn draft(bench: &Bench, options: &Options, tasks: &[Task]) -> Result<Version> {
    let stage = bench.round("step", 1);
    let task = &tasks[0];
    let nothing = Version { text: String::new(), step: 0, by: Vec::new() };
    let ask = prompt!("draft", total = tasks.len(), mandate = task).max_tokens(options.step_tokens);
    let mut failed: Vec<&str> = Vec::new();
    for seat in bench.role("editor") {
        let ask = if failed.is_empty() { ask.clone() } else { ask.clone().extra() };
        let label = bench.seat(*seat).label.as_str();
        match stage.ask::<String>(*seat, ask).await? {
            Ok(given) => {
                let (notes, text) = without_notes(&given.value);
                let refused = is_refusal(&text).then_some("it refuses instead of drafting");
                let data = row(1, task, &nothing, Some(&text).filter(|_| refused.is_none()), refused, &notes);
                stage.show("chain_step_1", Exhibit::said(task.display.clone(), *seat, "drafter", &given.key).data(&data))?;
                match refused {
                    Some(why) => stage.abstained(*seat, why),
                    None => {
                        if !failed.is_empty() {
                            stage.warn(format!("{} could not draft; {label} did.", failed.join(", ")));
                        }
                        return Ok(Version { text, step: 1, by: vec![*seat] });
                    }
                }
            }
            Err(missed) => {
                let data = row(1, task, &nothing, None, Some(missed.failure.kind.plain()), &[]);
                stage.show("chain_step_1", missed_row(task, &missed, "drafter").data(&data))?;
            }
        }
        failed.push(label);
    }
    Err(Halt::no_quorum("step 1", format!("none of {} seats wrote a draft", failed.len())))
}

/// Takes a new version, or says why not. Returns the words of what was taken.
async fn take(stage: &Bench, options: &Options, task: &Task, version: &mut Version, given: SeatReply<String>, n: u32) -> Result<Option<u32>> {
    let (notes, text) = without_notes(&given.value);
    let refused = objection(&version.text, &text, options.least_kept);
    let data = row(n, task, version, Some(&text).filter(|_| refused.is_none()), refused.as_deref(), &notes);
    let mut change = revision(&version.text, &text);
    change.decision = task.display.clone();
    change.kept = refused.is_none();
    change.notes = refused.iter().map(|why| format!("Skipped: {why}.")).chain(notes).collect();
    let exhibit = Exhibit::new(format!("Step {n}: {}", task.display), Shape::Revision(change)).by(given.seat, "improver").turn(&given.key);
    stage.show(&format!("chain_step_{n}"), exhibit.data(&data))?;
    if let Some(why) = refused {
        stage.warn(format!("Step {n} ({}) was skipped: {why}.", task.display));
        stage.abstained(given.seat, why);
        return Ok(None);
    }
    let count = words(&text);
    version.text = text;
    version.step = n;
    if !version.by.contains(&given.seat) {
        version.by.push(given.seat);
    }
    Ok(Some(count))
}

/// A step's stored data. `text` is the version taken; without one the step was skipped.
fn row(n: u32, task: &Task, before: &Version, text: Option<&String>, skip_reason: Option<&str>, notes: &[String]) -> Value {
    let previous = words(&before.text);
    let count = text.map(|text| words(text));
    json!({
        "step": n, "mandate": task.mandate, "mandateDisplay": task.display, "wordCount": count, "previousWordCount": previous,
        "wordCountDelta": count.map(|count| i64::from(count) - i64::from(previous)), "skipped": text.is_none(), "skipReason": skip_reason,
        "sourceStep": (before.step > 0).then_some(before.step), "notes": notes,
    })
}

fn missed_row(task: &Task, missed: &SeatFailure, role: &str) -> Exhibit {
    Exhibit::note(task.display.clone(), format!("Skipped: {}", missed.failure)).by(missed.seat, role).turn(&missed.key)
}

async fn conclude(bench: &Bench, tasks: &[Task], version: Version, progress: Progress) -> Result<ModeResult> {
    let steps = |taken: bool| (1..).zip(&progress).filter(|(_, words)| words.is_some() == taken).map(|(n, _)| n).collect::<Vec<u32>>();
    let decision = Decision { completed_steps: steps(true), skipped_steps: steps(false), words: words(&version.text), last_step: version.step };
    let series = Series {
        steps: (1..).zip(tasks).map(|(n, task)| format!("{n} {}", task.display)).collect::<Vec<String>>(),
        lines: vec![Line { name: "words".into(), values: progress.iter().map(|words| words.map(f64::from)).collect() }],
    };
    let data = json!({
        "completedSteps": decision.completed_steps, "skippedSteps": decision.skipped_steps, "wordCountProgression": progress,
        "lastStep": version.step,
    });
    bench.show("chain_summary", Exhibit::new("Words by step", Shape::Series(series)).data(&data.clone()))?;
    bench.figure("words", f64::from(decision.words));
    bench.figure("skipped", decision.skipped_steps.len() as f64);
    // A draft that nobody improved is one seat's text and no more.
    let kind = if version.step == 1 { AnswerKind::Selected } else { AnswerKind::Synthesis };
    Ok(ModeResult {
        status: None,
        stop_reason: "finished",
        answer: Some(Answer { kind, text: version.text, by: version.by }),
        decision: Some(synod_engine::to_value(&decision)),
        confidence: None,
        dissent: Vec::new(),
        data,
    })
}

#[cfg(test)]
mod tests;
