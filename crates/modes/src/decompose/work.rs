//! The parts are done: each begins as soon as its own inputs are there, whoever else is still at work.

use super::plan::Schedule;
use crate::text::words;
use futures::future::{BoxFuture, FutureExt, Shared, join_all};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use synod_engine::{Bench, Prompt, Result, SeatFailure, SeatReply, prompt};
use synod_types::{Exhibit, FailureKind, SeatIx, Shape, Statement};

/// A part's result, or why there is none.
pub type Outcome = std::result::Result<SeatReply<String>, SeatFailure>;

/// Every part's outcome, in the plan's order.
pub async fn work(bench: &Bench, schedule: &Schedule) -> Result<Vec<Outcome>> {
    let stage = bench.phase("tasks");
    let mut strands: Vec<Option<Shared<BoxFuture<'_, Result<Outcome>>>>> = vec![None; schedule.tasks.len()];
    // In the order of waves, so that a part's inputs have strands to wait for.
    for place in schedule.waves.concat() {
        // What lies before the inputs is done when they are: looking at it too waits for nobody.
        let before: Vec<usize> = schedule.dag.inputs(place).into_iter().chain(schedule.dag.indirect(place)).collect();
        let awaited: Vec<_> = before.iter().filter_map(|place| strands[*place].clone()).collect();
        let stage = &stage;
        let strand = async move {
            let outcomes: Result<Vec<Outcome>> = join_all(awaited).await.into_iter().collect();
            let before: BTreeMap<usize, Outcome> = before.into_iter().zip(outcomes?).collect();
            one(stage, schedule, place, &before).await
        };
        strands[place] = Some(strand.boxed().shared());
    }
    let outcomes: Result<Vec<Outcome>> = join_all(strands.into_iter().flatten()).await.into_iter().collect();
    let outcomes = outcomes?;
    for (place, outcome) in outcomes.iter().enumerate() {
        let task = &schedule.tasks[place];
        stage.show(&task.id, row(bench, schedule, place, &outcomes))?;
        if outcome.as_ref().is_ok_and(|given| given.partial) {
            stage.warn(format!("The result of {} was cut off at its token limit: its end is missing.", task.id));
        }
        if let Err(missed) = outcome {
            stage.warn(format!("{} has no result: {} {}.", task.name(), bench.seat(missed.seat).label, missed.failure.kind.plain()));
        }
    }
    Ok(outcomes)
}

/// The seat it was given to; if that fails, one other.
async fn one(stage: &Bench, schedule: &Schedule, place: usize, before: &BTreeMap<usize, Outcome>) -> Result<Outcome> {
    let task = &schedule.tasks[place];
    let ask = ask(schedule, place, before);
    let strand = stage.at(&task.id);
    let missed = match strand.ask::<String>(task.seat, ask.clone()).await? {
        Ok(given) => return Ok(Ok(given)),
        Err(missed) => missed,
    };
    let other = after(stage.role("worker"), task.seat);
    // Nobody else is asked either once the run is closing.
    let Some(other) = other.filter(|_| missed.failure.kind != FailureKind::Closed) else { return Ok(Err(missed)) };
    let again = strand.ask::<String>(other, ask.extra()).await?;
    if again.is_ok() {
        strand.warn(format!("{} failed at {}; {} did it.", stage.seat(task.seat).label, task.id, stage.seat(other).label));
    }
    Ok(again)
}

/// The seat after this one, round the table.
fn after(seats: &[SeatIx], seat: SeatIx) -> Option<SeatIx> {
    let place = seats.iter().position(|other| *other == seat)?;
    Some(seats[(place + 1) % seats.len()]).filter(|other| *other != seat)
}

/// Direct inputs in full; what lies before them, and what nobody could do, by name.
fn ask(schedule: &Schedule, place: usize, before: &BTreeMap<usize, Outcome>) -> Prompt {
    let task = &schedule.tasks[place];
    let mut results: Vec<Value> = Vec::new();
    let mut missing: Vec<Value> = Vec::new();
    for input in schedule.dag.inputs(place) {
        match &before[&input] {
            Ok(given) => results.push(json!({"label": schedule.tasks[input].name(), "text": given.value})),
            Err(_) => missing.push(json!(schedule.tasks[input].name())),
        }
    }
    let (earlier, undone): (Vec<usize>, Vec<usize>) = schedule.dag.indirect(place).into_iter().partition(|place| before[place].is_ok());
    let names = |places: Vec<usize>| places.into_iter().map(|place| schedule.tasks[place].name()).collect::<Vec<String>>();
    let (earlier, undone) = (names(earlier), names(undone));
    prompt!("work", id = task.id, title = task.draft.title, description = task.draft.description, results, missing, earlier, undone)
}

/// The part's stored row. A mode has no clock: how long it took is the turn's to say.
fn row(bench: &Bench, schedule: &Schedule, place: usize, outcomes: &[Outcome]) -> Exhibit {
    let (task, outcome) = (&schedule.tasks[place], &outcomes[place]);
    let used: Vec<usize> = schedule.dag.inputs(place).into_iter().filter(|input| outcomes[*input].is_ok()).collect();
    let (seat, key) = match outcome {
        Ok(given) => (given.seat, &given.key),
        Err(missed) => (missed.seat, &missed.key),
    };
    let reason = outcome.as_ref().err().map(|missed| missed.failure.to_string());
    let data = json!({
        "taskId": task.id, "title": task.draft.title, "waveNumber": task.wave, "dependenciesUsed": schedule.ids(&used),
        "wordCount": outcome.as_ref().ok().map(|given| words(&given.value)), "complexity": task.draft.complexity, "expertise": task.draft.expertise,
        "assignedModel": bench.seat(task.seat).model, "doneByModel": outcome.is_ok().then(|| bench.seat(seat).model.clone()),
        "failed": outcome.is_err(), "failureReason": reason,
    });
    let exhibit = match &reason {
        None => Exhibit::said(task.name(), seat, "worker", key),
        Some(reason) => {
            let text = Some(format!("This part has no result: {reason}"));
            Exhibit::new(task.name(), Shape::Statement(Statement { text, ..Statement::default() })).by(seat, "worker").turn(key)
        }
    };
    exhibit.data(&data)
}
