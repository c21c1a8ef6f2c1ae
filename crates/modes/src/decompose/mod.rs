//! Decompose: a planner splits a request into parts and says which needs which, workers do each part as soon as its inputs are there, and an
//! assembler makes one answer of the results.

mod assign;
mod plan;
mod rows;
#[cfg(test)]
mod tests;
mod work;

use crate::closing;
use crate::text::words;
pub use plan::{Complexity, Draft, Expertise, Plan};
use plan::{MOST_IDS, Schedule, id};
use rows::{AssemblyRow, Assignment, GraphRow, PlanRow, TaskRow, Times, VerdictData};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{
    Bench, Example, FigureKind, Halt, Mode, ModeResult, PlannedCalls, RequestName, Result, SeatReply, Seating, Stage, each, mode, prompt, seat,
};
use synod_math::rounding::round;
use synod_types::*;
use work::TaskOutcome;

pub static MODE: Mode = mode! {
    id: "decompose", version: 3, name: "Decompose", family: Algorithmic, seats: 2..=6, roles: &[each("worker"), seat("planner", 0), seat("assembler", 0)],
    summary: "One seat splits the request into parts that depend on each other, the seats do the parts side by side, and one answer is assembled.",
    pick: "Take it for a request of several parts, some of which need others first: a study, a plan, a comparison with a recommendation.",
    phases: &["plan", "tasks", "assembly"],
    stages: &[
        Stage::from_seat::<PlanRow>("plan", "planner"),
        Stage::from_seat::<TaskRow>("task_{n}", "worker"),
        Stage::computed::<GraphRow>("graph"),
        Stage::from_seat::<AssemblyRow>("assembly", "assembler"),
        Stage::computed::<AssemblyRow>("assembly").stand_in(),
    ],
    figures: &[
        FigureKind::mean("efficiency", "Time of all parts by the time of the run: how much is done side by side"),
        FigureKind::mean("tasks", "Parts"),
        FigureKind::mean("failed_tasks", "Parts that failed"),
        FigureKind::mean("parallelism", "Parts in the widest wave"),
    ],
    multi_turn: false, estimated_ms: 180_000, turn_secs: 120, run_secs: 600,
    cost: "t + 2 for a plan of t parts, at most max_tasks",
    example: Example::ask("Compare three ways to host our search and recommend one, with a migration plan"),
    failure_rule: "If the planner fails, the next seat plans. A part that fails is tried once on another seat; then those that need it go on without it and are told. One finished part is enough. If nobody can assemble, the results are returned one after another with the gaps listed.",
    prompts: ["plan", "work", "assembly"],
    request_names: &[
        RequestName::role("plannerModel", "planner"),
        RequestName::panel("workerModels"),
        RequestName::role("assemblerModel", "assembler"),
        RequestName::option("maxTasks", "max_tasks"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The most parts a plan may have.
    #[schemars(range(min = 3, max = 8))]
    pub max_tasks: u32,
    /// What each seat is good at, in seat order: technical, creative, analytical or general. A part goes to a seat that matches it; without
    /// this, parts go round.
    #[schemars(length(max = 6))]
    pub expertise: Vec<Expertise>,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_tasks: 6, expertise: Vec::new() }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Parts in the plan.
    pub tasks: u32,
    pub done: u32,
    /// Ids of the parts that have no result.
    pub failed: Vec<String>,
    /// How many steps deep the plan is.
    pub waves: u32,
    /// Needs that were dropped because parts waited for each other in a circle.
    pub dropped_edges: Vec<DroppedEdge>,
}

/// `to` was to have the result of `from`, and goes without it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DroppedEdge {
    pub from: String,
    pub to: String,
}

fn calls(options: &Options, _seating: &Seating) -> Vec<PlannedCalls> {
    let parts = options.max_tasks;
    vec![
        PlannedCalls { prompt: "plan", role: "planner", min: 1, max: 1, reads: 0, max_tokens: None },
        PlannedCalls { prompt: "work", role: "worker", min: 1, max: parts, reads: parts.saturating_sub(1), max_tokens: None },
        PlannedCalls { prompt: "assembly", role: "assembler", min: 1, max: 1, reads: parts, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let (schedule, planned_ms) = plan(bench, &options).await?;
    let outcomes = work::work(bench, &schedule).await?;
    let ms: Vec<u64> = outcomes.iter().map(work::took).collect();
    let slowest = schedule.slowest(&ms);
    let (done, failed): (Vec<usize>, Vec<usize>) = (0..outcomes.len()).partition(|place| outcomes[*place].is_ok());
    let failed = schedule.ids(&failed);
    let critical = schedule.ids(&slowest);
    let graph = schedule.graph(&slowest, |place| match &outcomes[place] {
        Ok(reply) => ("done", reply.seat, String::new(), Some(reply.ms).filter(|ms| *ms > 0)),
        Err(failure) => ("failed", failure.seat, failure.failure.kind.plain().to_owned(), None),
    });
    let row = GraphRow { done: schedule.ids(&done), failed: failed.clone(), critical_path: critical.clone() };
    bench.phase("tasks").show("graph", Exhibit::new("Parts and what came of them", Shape::Graph(graph)).data(&row))?;
    if done.is_empty() {
        return Err(Halt::no_quorum("tasks", format!("none of the {} parts has a result, and at least one must", outcomes.len())));
    }
    let before = TimesSoFar { planned: planned_ms, tasks: ms.iter().sum(), critical: slowest.iter().map(|place| ms[*place]).sum() };
    let (answer, times) = assemble(bench, &schedule, &outcomes, &failed, before).await?;
    bench.figure("tasks", outcomes.len() as f64);
    bench.figure("efficiency", times.parallelism_efficiency);
    bench.figure("failed_tasks", failed.len() as f64);
    bench.figure("parallelism", schedule.widest() as f64);
    let decision = Decision {
        tasks: outcomes.len() as u32,
        done: done.len() as u32,
        failed,
        waves: schedule.waves.len() as u32,
        dropped_edges: schedule.dag.cut.iter().map(|(from, to)| DroppedEdge { from: id(*from), to: id(*to) }).collect(),
    };
    let gaps: Vec<&str> =
        (0..outcomes.len()).filter(|place| outcomes[*place].is_err()).map(|place| schedule.tasks[place].draft.title.as_str()).collect();
    let gaps = if gaps.is_empty() { String::new() } else { format!("; not done: {}", gaps.join(", ")) };
    let action = (answer.kind == AnswerKind::Computed).then(|| "Read the results one by one: nobody made one answer of them.".to_owned());
    Ok(action
        .into_iter()
        .fold(ModeResult::ended("finished", answer), ModeResult::action)
        .decision(format!("{} of {} parts were done, in {}{gaps}.", decision.done, decision.tasks, in_steps(decision.waves)), &decision)
        .unsure("each part was done once, and nobody judged it")
        .data(&VerdictData { tasks: schedule.entries(), critical_path: critical, max_parallelism: schedule.widest(), times }))
}

fn in_steps(waves: u32) -> String {
    if waves == 1 { "one step".to_owned() } else { format!("{waves} steps") }
}

/// What was recorded of the run before its last turn, in milliseconds.
#[derive(Clone, Copy)]
struct TimesSoFar {
    planned: u64,
    /// Of all parts together.
    tasks: u64,
    /// Of those on the path that took longest.
    critical: u64,
}

impl TimesSoFar {
    fn with_assembly(self, assembled: u64) -> Times {
        let total = self.planned + self.critical + assembled;
        let efficiency = if total == 0 { 1.0 } else { round(self.tasks as f64 / total as f64, 2) };
        Times { critical_path_ms: self.critical, total_pipeline_ms: total, parallelism_efficiency: efficiency }
    }
}

/// The role's own seat first, then the workers in seat order.
fn with_stand_ins(bench: &Bench, role: &str) -> Vec<SeatIx> {
    closing::seats_of(bench, role, bench.role("worker").iter().copied())
}

/// The plan, made sound, and how long it took to make.
async fn plan(bench: &Bench, options: &Options) -> Result<(Schedule, u64)> {
    let phase = bench.phase("plan");
    let most = options.max_tasks as usize;
    let ask = prompt!("plan", max_tasks = options.max_tasks).ids("tasks", (0..MOST_IDS).map(id));
    let Some(reply) = phase.ask_first::<Plan>(&with_stand_ins(bench, "planner"), ask).await? else {
        return Err(Halt::no_quorum("plan", "no seat gave a plan that could be read, and there is nothing to do without one"));
    };
    let SeatReply { seat, key, value, ms, .. } = reply;
    let reasons = value.reasons.clone();
    let workers = bench.role("worker");
    if options.expertise.len() > workers.len() {
        phase.warn(format!("{} tags of expertise were given for {} seats; the last are not used.", options.expertise.len(), workers.len()));
    }
    let schedule = Schedule::of(value, most, workers, &options.expertise);
    for warning in plan_warnings(&schedule, most) {
        phase.warn(warning);
    }
    let waves: Vec<Vec<String>> = schedule.waves.iter().map(|wave| schedule.ids(wave)).collect();
    let assignments =
        schedule.tasks.iter().map(|task| Assignment { task_id: task.id.clone(), model: bench.seat(task.seat).model.clone(), wave_number: task.wave });
    let row = PlanRow {
        r#type: "plan",
        tasks: schedule.entries(),
        execution_waves: waves,
        critical_path: schedule.ids(&schedule.critical),
        max_parallelism: schedule.widest(),
        assignments: assignments.collect(),
    };
    let graph =
        schedule.graph(&schedule.critical, |place| ("planned", schedule.tasks[place].seat, schedule.tasks[place].draft.description.clone(), None));
    let exhibit = Exhibit::new("Plan", Shape::Graph(graph)).part("How it falls into parts", reasons);
    phase.show("plan", exhibit.by(seat, "planner").turn(key).data(&row))?;
    Ok((schedule, u64::try_from(ms).unwrap_or(0)))
}

/// What had to be changed in the plan before it could be carried out.
fn plan_warnings(schedule: &Schedule, most: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if !schedule.left_out.is_empty() {
        let (all, titles) = (schedule.tasks.len() + schedule.left_out.len(), schedule.left_out.join("; "));
        warnings.push(format!("The plan had {all} parts and may have {most}: the last were left out ({titles}), and nothing waits for them."));
    }
    if schedule.tasks.len() < 3 {
        let count = if schedule.tasks.len() == 1 { "one part" } else { "two parts" };
        warnings.push(format!("The plan has only {count}: the request may not have needed splitting."));
    }
    if !schedule.unknown.is_empty() {
        let named: Vec<String> = schedule.unknown.iter().map(|(task, needed)| format!("{needed} for {task}")).collect();
        warnings.push(format!("The plan asks for parts it does not have ({}); they were passed over.", named.join(", ")));
    }
    for circle in &schedule.dag.circles {
        let inside = |edge: &&(usize, usize)| circle.contains(&edge.0) && circle.contains(&edge.1);
        let cut: Vec<String> = schedule.dag.cut.iter().filter(inside).map(|(from, to)| format!("{} goes without {}", id(*to), id(*from))).collect();
        warnings.push(format!("{} wait for each other in a circle. To break it, {}.", schedule.ids(circle).join(", "), cut.join(", ")));
    }
    warnings
}

/// One text from all results; if nobody can write it, the results one after another.
async fn assemble(bench: &Bench, schedule: &Schedule, outcomes: &[TaskOutcome], failed: &[String], before: TimesSoFar) -> Result<(Answer, Times)> {
    let phase = bench.phase("assembly");
    let result = |place: usize| Some(json!({"label": schedule.tasks[place].name(), "text": outcomes[place].as_ref().ok()?.value}));
    let results: Vec<Value> = schedule.waves.concat().into_iter().filter_map(result).collect();
    let mut plan: Vec<Value> = schedule.entries().iter().map(synod_engine::to_value).collect();
    for (entry, outcome) in plan.iter_mut().zip(outcomes) {
        entry["missing"] = json!(outcome.as_ref().err().map(|failure| failure.failure.kind.plain()));
    }
    let ask = prompt!("assembly", plan, results);
    let written = closing::write(&phase, &with_stand_ins(bench, "assembler"), ask, "The assembled answer").await?;
    let text = written.as_ref().map_or_else(|| joined(schedule, outcomes), |reply| reply.value.clone());
    let times = before.with_assembly(written.as_ref().map_or(0, |reply| u64::try_from(reply.ms).unwrap_or(0)));
    let row = AssemblyRow {
        tasks_assembled: results.len(),
        missing_tasks: failed.to_vec(),
        word_count: words(&text),
        total_waves: schedule.waves.len(),
        times,
    };
    let answer = match written {
        Some(reply) => {
            phase.show("assembly", Exhibit::said("Assembled answer", reply.seat, "assembler", &reply.key).data(&row))?;
            Answer { kind: AnswerKind::Synthesis, text, by: vec![reply.seat] }
        }
        None => {
            phase.warn("Nobody could assemble the answer; the results are returned one after another as they are.");
            closing::computed(&phase, "assembly", "Results one after another", text, outcomes.iter().flatten().map(|reply| reply.seat), &row)?
        }
    };
    Ok((answer, times))
}

/// Every result under its title in the order of the work, then what is missing.
fn joined(schedule: &Schedule, outcomes: &[TaskOutcome]) -> String {
    let order = schedule.waves.concat();
    let title = |place: &usize| &schedule.tasks[*place].draft.title;
    let mut parts: Vec<String> =
        order.iter().filter_map(|place| Some(format!("## {}\n\n{}", title(place), outcomes[*place].as_ref().ok()?.value.trim()))).collect();
    let missing: Vec<String> = order.iter().filter(|place| outcomes[**place].is_err()).map(|place| format!("- {}", title(place))).collect();
    if !missing.is_empty() {
        parts.push(format!("## Not done\n\n{}", missing.join("\n")));
    }
    parts.join("\n\n")
}
