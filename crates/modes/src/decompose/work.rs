//! Has the parts done: each begins as soon as its own inputs are there, whoever else is still at work.

use super::plan::Schedule;
use super::rows::TaskRow;
use crate::attendance;
use crate::text::words;
use futures::future::{BoxFuture, FutureExt, Shared, join_all};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use synod_engine::{Bench, Prompt, Result, SeatFailure, SeatReply, prompt};
use synod_types::{Exhibit, FailureKind, SeatIx};

/// A part's result, or why there is none.
pub type TaskOutcome = std::result::Result<SeatReply<String>, SeatFailure>;

/// How long a part's model took, as recorded; 0 for one that failed.
pub fn took(outcome: &TaskOutcome) -> u64 {
    outcome.as_ref().map_or(0, |reply| u64::try_from(reply.ms).unwrap_or(0))
}

/// Every part's outcome, in the plan's order.
pub async fn work(bench: &Bench, schedule: &Schedule) -> Result<Vec<TaskOutcome>> {
    let phase = bench.phase("tasks");
    let mut strands: Vec<Option<Shared<BoxFuture<'_, Result<Attempts>>>>> = vec![None; schedule.tasks.len()];
    // In the order of waves, so that a part's inputs have strands to wait for.
    for place in schedule.waves.concat() {
        // Whatever the inputs themselves needed is done when they are, so waiting for it as well delays nothing.
        let before: Vec<usize> = schedule.dag.inputs(place).into_iter().chain(schedule.dag.indirect(place)).collect();
        let awaited: Vec<_> = before.iter().filter_map(|place| strands[*place].clone()).collect();
        let phase = &phase;
        let strand = async move {
            let attempts: Result<Vec<Attempts>> = join_all(awaited).await.into_iter().collect();
            let before: BTreeMap<usize, TaskOutcome> = before.into_iter().zip(attempts?.into_iter().map(|attempts| attempts.outcome)).collect();
            do_task(phase, schedule, place, &before).await
        };
        strands[place] = Some(strand.boxed().shared());
    }
    let attempts: Result<Vec<Attempts>> = join_all(strands.into_iter().flatten()).await.into_iter().collect();
    let (replaced, outcomes): (Vec<Option<SeatFailure>>, Vec<TaskOutcome>) =
        attempts?.into_iter().map(|attempts| (attempts.replaced, attempts.outcome)).unzip();
    for (place, outcome) in outcomes.iter().enumerate() {
        let task = &schedule.tasks[place];
        if let Some(failed) = &replaced[place] {
            phase.show(&task.id, task_exhibit(bench, schedule, place, &outcomes, Err(failed)))?;
        }
        phase.show(&task.id, task_exhibit(bench, schedule, place, &outcomes, outcome.as_ref()))?;
        if outcome.as_ref().is_ok_and(|reply| reply.partial) {
            phase.warn(format!("The result of {} was cut off at its token limit: its end is missing.", task.id));
        }
        if let Err(failure) = outcome {
            phase.warn(format!("{} has no result: {} {}.", task.name(), bench.seat(failure.seat).label, failure.failure.kind.plain()));
        }
    }
    Ok(outcomes)
}

/// What became of a part, and the seat that failed at it before another was asked.
#[derive(Clone)]
struct Attempts {
    replaced: Option<SeatFailure>,
    outcome: TaskOutcome,
}

/// Asks the seat the part was given to; if that fails, the next one.
async fn do_task(phase: &Bench, schedule: &Schedule, place: usize, before: &BTreeMap<usize, TaskOutcome>) -> Result<Attempts> {
    let task = &schedule.tasks[place];
    let ask = ask(schedule, place, before);
    let strand = phase.at(&task.id);
    let failure = match strand.ask::<String>(task.seat, ask.clone()).await? {
        Ok(reply) => return Ok(Attempts { replaced: None, outcome: Ok(reply) }),
        Err(failure) => failure,
    };
    let other = next_seat(phase.role("worker"), task.seat);
    // Nobody else is asked either once the run is closing.
    let Some(other) = other.filter(|_| failure.failure.kind != FailureKind::Closed) else {
        return Ok(Attempts { replaced: None, outcome: Err(failure) });
    };
    let outcome = strand.ask::<String>(other, ask.extra()).await?;
    if outcome.is_ok() {
        strand.warn(format!("{} failed at {}; {} did it.", phase.seat(task.seat).label, task.id, phase.seat(other).label));
    }
    Ok(Attempts { replaced: Some(failure), outcome })
}

/// The seat after this one, after the last the first; `None` if there is no other.
fn next_seat(seats: &[SeatIx], seat: SeatIx) -> Option<SeatIx> {
    let place = seats.iter().position(|other| *other == seat)?;
    Some(seats[(place + 1) % seats.len()]).filter(|other| *other != seat)
}

/// Direct inputs in full; what lies before them, and what nobody could do, by name.
fn ask(schedule: &Schedule, place: usize, before: &BTreeMap<usize, TaskOutcome>) -> Prompt {
    let task = &schedule.tasks[place];
    let mut results: Vec<Value> = Vec::new();
    let mut missing: Vec<Value> = Vec::new();
    for input in schedule.dag.inputs(place) {
        match &before[&input] {
            Ok(reply) => results.push(json!({"label": schedule.tasks[input].name(), "text": reply.value})),
            Err(_) => missing.push(json!(schedule.tasks[input].name())),
        }
    }
    let (earlier, undone): (Vec<usize>, Vec<usize>) = schedule.dag.indirect(place).into_iter().partition(|place| before[place].is_ok());
    let names = |places: Vec<usize>| places.into_iter().map(|place| schedule.tasks[place].name()).collect::<Vec<String>>();
    let (earlier, undone) = (names(earlier), names(undone));
    prompt!("work", id = task.id, title = task.draft.title, description = task.draft.description, results, missing, earlier, undone)
}

/// What one seat made of a part.
fn task_exhibit(
    bench: &Bench,
    schedule: &Schedule,
    place: usize,
    outcomes: &[TaskOutcome],
    made: Result<&SeatReply<String>, &SeatFailure>,
) -> Exhibit {
    let task = &schedule.tasks[place];
    let used: Vec<usize> = schedule.dag.inputs(place).into_iter().filter(|input| outcomes[*input].is_ok()).collect();
    let row = TaskRow {
        task_id: task.id.clone(),
        title: task.draft.title.clone(),
        wave_number: task.wave,
        dependencies_used: schedule.ids(&used),
        word_count: made.ok().map(|reply| words(&reply.value)),
        complexity: task.draft.complexity,
        expertise: task.draft.expertise,
        assigned_model: bench.seat(task.seat).model.clone(),
        done_by_model: made.ok().map(|reply| bench.seat(reply.seat).model.clone()),
        failed: made.is_err(),
        failure_reason: made.err().map(|failed| failed.failure.to_string()),
        response_time_ms: made.map_or(0, |reply| u64::try_from(reply.ms).unwrap_or(0)),
    };
    let exhibit = match made {
        Ok(reply) => Exhibit::said(task.name(), reply.seat, "worker", &reply.key),
        Err(failed) => attendance::failure(task.name(), "worker", failed),
    };
    exhibit.data(&row)
}
