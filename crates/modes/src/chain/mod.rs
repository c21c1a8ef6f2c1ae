//! Chain: a draft passes from seat to seat, each with one mandate; the last good version is the answer.
//!
//! A step that fails, or whose text is no version of what it was given, is skipped, and the version before it goes on.

mod guard;
mod mandate;
mod notes;
mod rows;

use crate::attendance;
use crate::revision::revision;
use crate::text::words;
use guard::{is_refusal, objection};
pub use mandate::Mandate;
use mandate::{Task, tasks};
use notes::without_notes;
use rows::{StepRow, SummaryRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{
    Bench, Example, FigureKind, Halt, Means, Mode, ModeResult, PlannedCalls, RequestName, Result, SeatReply, Seating, Stage, each, mode, prompt,
};
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "chain", version: 3, name: "Chain", family: Sequential, seats: 2..=6, roles: &[each("editor")],
    summary: "One seat drafts, and each of the others improves the text in turn with a mandate of its own.",
    pick: "Take it when you want a finished document rather than an opinion: one text, gone over by several editors, each looking for one thing.",
    phases: &["step"],
    stages: &[
        Stage::from_seat::<StepRow>("chain_step_{n}", "drafter"),
        Stage::from_seat::<StepRow>("chain_step_{n}", "improver"),
        Stage::computed::<SummaryRow>("chain_summary"),
    ],
    figures: &[
        FigureKind::share("skipped", "Steps that were skipped"),
        FigureKind::mean("steps", "Steps"),
        FigureKind::mean("words", "Words of the text"),
    ],
    multi_turn: false, estimated_ms: 240_000, turn_secs: 120, run_secs: 600,
    cost: "one a step: 4 by default",
    example: Example { options: &[("steps", "draft,security_review,polish_format")], ..Example::ask("A guide to rotating our signing keys") },
    failure_rule: "If the first seat cannot draft, the next one does; without a draft there is no result. A later step that fails, refuses, or loses too much of the text is skipped: the version before it goes on, and the next step is told what was left out.",
    prompts: ["draft", "improve"],
    seats_from_options: seats_of,
    request_names: &[
        RequestName { name: "steps", means: Means::Parts(mandate::steps) },
    ],
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
    /// Steps whose text was accepted, from 1.
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

fn calls(options: &Options, _seating: &Seating) -> Vec<PlannedCalls> {
    let improved = (options.steps.len() as u32).saturating_sub(1);
    let max_tokens = Some(options.step_tokens);
    vec![
        PlannedCalls { prompt: "draft", role: "editor", min: 1, max: 1, reads: 0, max_tokens },
        PlannedCalls { prompt: "improve", role: "editor", min: improved, max: improved, reads: 1, max_tokens },
    ]
}

/// The latest accepted text, the step it comes from and the seats that wrote it.
struct Version {
    text: String,
    step: u32,
    by: Vec<SeatIx>,
}

/// The words of each step's version; `None` for a skipped step.
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
        let phase = bench.round("step", n);
        let skipped: Vec<&Task> = tasks[version.step as usize..n as usize - 1].iter().collect();
        let ask = prompt!("improve", step = n, total = tasks.len(), mandate = task, skipped, source = version.step, version = version.text)
            .max_tokens(options.step_tokens);
        let step_words = match phase.ask::<String>(*seat, ask).await? {
            Ok(reply) => take_version(&phase, &options, task, &mut version, reply, n)?,
            Err(failure) => {
                let row = step_row(n, task, &version, None, Some(failure.failure.kind.plain()), &[]);
                let title = format!("Step {n}: {}", task.display);
                phase.show(&format!("chain_step_{n}"), attendance::failure(title, "improver", &failure).data(&row))?;
                None
            }
        };
        progress.push(step_words);
    }
    conclude(bench, &tasks, version, progress)
}

/// The first version: by the first seat, or the next that can.
async fn draft(bench: &Bench, options: &Options, tasks: &[Task]) -> Result<Version> {
    let phase = bench.round("step", 1);
    let task = &tasks[0];
    let nothing = Version { text: String::new(), step: 0, by: Vec::new() };
    let ask = prompt!("draft", total = tasks.len(), mandate = task).max_tokens(options.step_tokens);
    let mut failed: Vec<&str> = Vec::new();
    for seat in bench.role("editor") {
        let ask = if failed.is_empty() { ask.clone() } else { ask.clone().extra() };
        let label = bench.seat(*seat).label.as_str();
        match phase.ask::<String>(*seat, ask).await? {
            Ok(reply) => {
                let (notes, text) = without_notes(&reply.value);
                let refusal = is_refusal(&text).then_some("it refuses instead of drafting");
                let row = step_row(1, task, &nothing, Some(&text).filter(|_| refusal.is_none()), refusal, &notes);
                phase.show("chain_step_1", Exhibit::said(task.display.clone(), *seat, "drafter", &reply.key).data(&row))?;
                match refusal {
                    Some(why) => phase.abstained(*seat, why),
                    None => {
                        if !failed.is_empty() {
                            phase.warn(format!("{} could not draft; {label} did.", failed.join(", ")));
                        }
                        return Ok(Version { text, step: 1, by: vec![*seat] });
                    }
                }
            }
            Err(failure) => {
                let row = step_row(1, task, &nothing, None, Some(failure.failure.kind.plain()), &[]);
                phase.show("chain_step_1", attendance::failure(&task.display, "drafter", &failure).data(&row))?;
            }
        }
        failed.push(label);
    }
    Err(Halt::no_quorum("step 1", format!("none of {} seats wrote a draft", failed.len())))
}

/// Puts a reply in the place of the version, or says why not. Returns the words of the new version.
fn take_version(phase: &Bench, options: &Options, task: &Task, version: &mut Version, reply: SeatReply<String>, n: u32) -> Result<Option<u32>> {
    let (notes, text) = without_notes(&reply.value);
    let objection = objection(&version.text, &text, options.least_kept);
    let row = step_row(n, task, version, Some(&text).filter(|_| objection.is_none()), objection.as_deref(), &notes);
    let mut change = revision(&version.text, &text);
    change.decision = task.display.clone();
    change.kept = objection.is_none();
    change.notes = objection.iter().map(|why| format!("Skipped: {why}.")).chain(notes).collect();
    let exhibit = Exhibit::new(format!("Step {n}: {}", task.display), Shape::Revision(change)).by(reply.seat, "improver").turn(&reply.key);
    phase.show(&format!("chain_step_{n}"), exhibit.data(&row))?;
    if let Some(why) = objection {
        phase.warn(format!("Step {n} ({}) was skipped: {why}.", task.display));
        phase.abstained(reply.seat, why);
        return Ok(None);
    }
    let count = words(&text);
    version.text = text;
    version.step = n;
    if !version.by.contains(&reply.seat) {
        version.by.push(reply.seat);
    }
    Ok(Some(count))
}

/// `text` is the new version; without one the step was skipped.
fn step_row(n: u32, task: &Task, before: &Version, text: Option<&String>, skip_reason: Option<&str>, notes: &[String]) -> StepRow {
    let previous = words(&before.text);
    let count = text.map(|text| words(text));
    StepRow {
        step: n,
        mandate: task.mandate,
        mandate_display: task.display.clone(),
        word_count: count,
        previous_word_count: previous,
        word_count_delta: count.map(|count| i64::from(count) - i64::from(previous)),
        skipped: text.is_none(),
        skip_reason: skip_reason.map(str::to_owned),
        source_step: (before.step > 0).then_some(before.step),
        notes: notes.to_vec(),
    }
}

fn conclude(bench: &Bench, tasks: &[Task], version: Version, progress: Progress) -> Result<ModeResult> {
    let steps = |taken: bool| (1..).zip(&progress).filter(|(_, words)| words.is_some() == taken).map(|(n, _)| n).collect::<Vec<u32>>();
    let decision = Decision { completed_steps: steps(true), skipped_steps: steps(false), words: words(&version.text), last_step: version.step };
    let series = Series {
        steps: (1..).zip(tasks).map(|(n, task)| format!("{n} {}", task.display)).collect::<Vec<String>>(),
        lines: vec![Line { name: "words".into(), values: progress.iter().map(|words| words.map(f64::from)).collect() }],
    };
    let summary = SummaryRow {
        completed_steps: decision.completed_steps.clone(),
        skipped_steps: decision.skipped_steps.clone(),
        word_count_progression: progress,
        last_step: version.step,
    };
    bench.show("chain_summary", Exhibit::new("Words by step", Shape::Series(series)).data(&summary))?;
    bench.figure("words", f64::from(decision.words));
    bench.figure("steps", tasks.len() as f64);
    bench.note(Figure::new("skipped", decision.skipped_steps.len() as f64).of(tasks.len() as f64));
    // A draft that nobody improved is one seat's text, not a synthesis.
    let kind = if version.step == 1 { AnswerKind::Selected } else { AnswerKind::Synthesis };
    let last = &tasks[version.step.saturating_sub(1) as usize].display;
    let skipped: Vec<&str> = decision.skipped_steps.iter().map(|n| tasks[*n as usize - 1].display.as_str()).collect();
    let without = if skipped.is_empty() { String::new() } else { format!(", without {}", skipped.join(", ")) };
    let told = format!("{} of {} steps were taken, the last was {last}{without}.", decision.completed_steps.len(), tasks.len());
    let action = match skipped.as_slice() {
        [] => format!("Use the text below: {} words, gone over in every step.", decision.words),
        skipped => format!("Read the text below ({} words) for {} before you use it: nobody did.", decision.words, skipped.join(" and ")),
    };
    Ok(ModeResult::ended("finished", Answer { kind, text: version.text, by: version.by })
        .action(action)
        .decision(told, &decision)
        .unsure("a text was written, not voted on")
        .data(&summary))
}

#[cfg(test)]
mod tests;
