//! Drives one run to its end: the mode's future, the deadline, people, halts, and the row that says how it ended.

use super::core::{Core, halt_of};
use super::title;
use crate::{Bench, Halt, ModeResult, Result};
use futures::FutureExt;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use synod_types::*;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// How a run ended, for now or for good.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    Verdict(Box<Verdict>),
    Stopped(Stopped),
}

/// How long turns in flight are waited for after a cancel.
const GRACE: Duration = Duration::from_secs(5);
/// And when the process ends, which nobody asked of the run.
const LAST_WORDS: Duration = Duration::from_secs(8);
/// Bytes from which on a verdict is not held twice.
const LARGE_VERDICT: usize = 1 << 20;
/// No run is stopped later than this; it stands in for "never" where a timer is needed.
const NEVER: Duration = Duration::from_secs(365 * 86_400);

pub(crate) async fn drive(core: Arc<Core>) -> Ending {
    let (mut give_up, mut title) = (None, None);
    let returned = deliberate(&core, &mut give_up, &mut title).await;
    if let Err(lost @ Halt::Lost { .. }) = &returned {
        core.halt(lost.clone());
    }
    settle(&core, give_up).await;
    if let Some(title) = title {
        // Its turn has ended with the others; one that was left is not waited for.
        if core.state().turns > 0 {
            title.abort();
        } else if let Err(error) = title.await {
            tracing::warn!(run = core.lease.run, %error, "the title could not be written");
        }
    }
    let ending = match returned {
        Ok(result) => conclude(&core, result).await,
        Err(Halt::Lost { status, phase, detail }) => lose(&core, status, phase, detail).await,
        Err(halt) => Err(halt),
    };
    let ending = match ending {
        Ok(verdict) => Ending::Verdict(Box::new(verdict)),
        Err(halt) => Ending::Stopped(stop(&core, halt).await),
    };
    if let Some(hub) = &core.hub {
        hub.close(&core.lease.run);
    }
    if let Err(error) = core.journal.release(&core.lease).await {
        tracing::warn!(run = core.lease.run, %error, "the lease could not be given back; it will run out");
    }
    ending
}

/// Polls the mode until it returns, the run halts, or only people could go on.
async fn deliberate(core: &Arc<Core>, give_up: &mut Option<Instant>, title: &mut Option<JoinHandle<()>>) -> Result<ModeResult> {
    let mode = (core.mode.run)(Bench::new(core.clone()), core.header.options.clone());
    let mut mode = std::pin::pin!(AssertUnwindSafe(mode).catch_unwind());
    let mut mode = core.sending(mode.as_mut());
    let left = (core.limits.run_ms - core.record.ran_ms).max(0) as u64;
    let deadline = sleep_until(Instant::now() + Duration::from_millis(left).min(NEVER));
    tokio::pin!(deadline);
    let mut closed = core.replaying;
    if left == 0 && !closed {
        // No time is left: not one turn may slip in before the timer is looked at.
        closed = true;
        core.close("deadline");
    }
    let mut untitled = true;
    loop {
        let changed = core.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        if let Err(halt) = core.check() {
            let until = Instant::now() + grace(core, &halt);
            *give_up = Some(give_up.map_or(until, |known| known.min(until)));
        }
        // Looked at once whatever changes from here on is heard: nothing falls in between.
        if core.waits_for_people().is_some() {
            // One more poll: a strand may be about to go on.
            if let Some(returned) = (&mut mode).now_or_never() {
                return returned.unwrap_or_else(|panic| Err(broke(core, &*panic)));
            }
            if let Some(keys) = core.waits_for_people() {
                return Err(core.halt(Halt::stopped(StopReason::Waiting, format!("waiting for a person: {}", keys.join(", ")))));
            }
        }
        tokio::select! {
            biased;
            returned = &mut mode => {
                return returned.unwrap_or_else(|panic| Err(broke(core, &*panic)));
            }
            () = &mut deadline, if !closed => {
                closed = true;
                core.close("deadline");
            }
            () = sleep_until(give_up.unwrap_or_else(Instant::now)), if give_up.is_some() => {
                core.check()?;
            }
            () = &mut changed => {}
            // Last, so that the panel's first turns are before it in every queue, and whatever they changed has been looked at.
            () = std::future::ready(()), if untitled => {
                untitled = false;
                *title = title::begin(core);
            }
        }
    }
}

fn grace(core: &Core, halt: &Halt) -> Duration {
    match halt {
        Halt::Stopped { reason: StopReason::HandedOver, .. } => LAST_WORDS,
        _ if core.hurried.load(Ordering::SeqCst) => GRACE,
        Halt::Stopped { reason: StopReason::Cancelled, .. } => GRACE,
        Halt::Stopped { reason: StopReason::LeaseLost | StopReason::Storage, .. } => Duration::ZERO,
        Halt::Stopped { .. } | Halt::Diverged { .. } | Halt::Lost { .. } => NEVER,
    }
}

/// A panic in a mode: its turns under way are kept, and none follows.
fn broke(core: &Core, panic: &(dyn std::any::Any + Send)) -> Halt {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    core.halt(Halt::stopped(StopReason::Panic, format!("the mode broke: {}", text.unwrap_or_else(|| "no message".into()))))
}

/// Waits for turns in flight; after a cancel only for a while.
async fn settle(core: &Core, give_up: Option<Instant>) {
    let mut until = give_up.unwrap_or_else(|| Instant::now() + NEVER);
    loop {
        let changed = core.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        if core.state().turns == 0 {
            return;
        }
        // Who was patient before may have to hurry now.
        if let Err(halt) = core.check() {
            until = until.min(Instant::now() + grace(core, &halt));
        }
        if tokio::time::timeout_at(until, changed).await.is_err() {
            return;
        }
    }
}

async fn conclude(core: &Core, result: ModeResult) -> Result<Verdict> {
    let missing = missing(core);
    let closing = {
        let mut state = core.state();
        state.concluded = true;
        state.closing.clone()
    };
    let status = match result.status {
        Some(status) => status,
        None if missing.is_empty() && closing.is_none() => Status::Full,
        None => Status::Degraded,
    };
    let stop_reason = closing.map_or_else(|| result.stop_reason.to_owned(), |(closing, _)| closing.reason);
    let verdict = Verdict {
        action: result.action.or_else(|| result.answer.opening()),
        answer: Some(result.answer),
        decision: result.decision,
        confidence: result.confidence,
        unsure: result.unsure,
        dissent: result.dissent,
        data: result.data,
        missing,
        ..blank(core, status, stop_reason)
    };
    write(core, verdict).await
}

async fn lose(core: &Core, status: Status, phase: String, detail: String) -> Result<Verdict> {
    core.state().concluded = true;
    let mut verdict = blank(core, status, detail);
    verdict.missing = missing(core);
    verdict.data = serde_json::json!({ "phase": phase });
    write(core, verdict).await
}

fn blank(core: &Core, status: Status, stop_reason: String) -> Verdict {
    let header = &core.header;
    let mut noted = core.state().warnings.clone();
    noted.sort_by_cached_key(|(path, n, _)| (core.rank(path), *n));
    let mut warnings = header.warnings.clone();
    if let Some((closing, _)) = &core.state().closing {
        warnings.push(closing.plain());
    }
    warnings.extend(noted.into_iter().map(|(.., text)| text));
    warnings.extend(doubts(core));
    Verdict {
        schema: Verdict::SCHEMA.into(),
        run: header.run.clone(),
        parent: header.parent.clone(),
        mode: header.mode.clone(),
        rehearsal: header.rehearsal(),
        status,
        stop_reason,
        action: None,
        answer: None,
        decision: None,
        confidence: None,
        unsure: None,
        dissent: Vec::new(),
        missing: Vec::new(),
        warnings,
        receipt: Receipt::default(),
        data: serde_json::Value::Null,
    }
}

/// Models whose endpoint says or sends what cannot be.
fn doubts(core: &Core) -> Vec<String> {
    let state = core.state();
    let of = |doubtful: fn(&Replied) -> bool| {
        let mut replies: BTreeMap<String, usize> = BTreeMap::new();
        let requests = state.ledger.requests().iter().filter(|request| !title::is_for_title(&request.key));
        for request in requests.filter(|request| request.replied.as_ref().is_some_and(doubtful)) {
            *replies.entry(request.model.clone()).or_default() += 1;
        }
        replies
    };
    let times = |n: usize| if n == 1 { "one reply".to_owned() } else { format!("{n} replies") };
    let claims = of(|replied| replied.claimed.is_some()).into_iter().map(|(model, n)| {
        format!("What the endpoint of {model} says {} took cannot be, by what was sent and received. Our own count stands.", times(n))
    });
    let overruns = of(|replied| replied.overran)
        .into_iter()
        .map(|(model, n)| format!("{model} went on beyond twice the length it was allowed in {}: cut there, and counted whole.", times(n)));
    claims.chain(overruns).collect()
}

fn missing(core: &Core) -> Vec<Missing> {
    let mut missing = core.state().missing.clone();
    missing.sort_by_cached_key(|missing| (core.rank(&missing.phase), missing.seat, missing.why, missing.detail.clone()));
    missing.dedup();
    missing
}

async fn write(core: &Core, mut verdict: Verdict) -> Result<Verdict> {
    core.end_phases();
    title::settle(core);
    core.commit(&[], Vec::new()).await?;
    let now = core.clock.now();
    verdict.receipt = receipt(core, now).await?;
    let row = NewRow::new("", Kind::Verdict, now, &verdict);
    if row.body.len() < LARGE_VERDICT {
        core.commit(&[], vec![row]).await?;
        return Ok(verdict);
    }
    // As a tree it is many times its text: while it is written, and projections are made of it, only the text is held.
    drop(verdict);
    let text = row.body.clone();
    core.commit(&[], vec![row]).await?;
    serde_json::from_str(&text).map_err(|error| Halt::stopped(StopReason::Storage, format!("the verdict cannot be read back: {error}")))
}

async fn receipt(core: &Core, now: Millis) -> Result<Receipt> {
    let tail = core.state().tail;
    let head = match tail {
        Some(tail) => tail.head,
        None => {
            let rows = core.journal.rows(&core.lease.run, 0).await.map_err(halt_of)?;
            rows.last().map_or([0; 32], |row| row.hash)
        }
    };
    let state = core.state();
    let ledger = &state.ledger;
    Ok(Receipt {
        quoted_usd: core.header.quoted_usd,
        spent_usd: ledger.spent(),
        unpriced: ledger.unpriced(),
        calls: ledger.calls(),
        tokens: ledger.tokens(),
        wall_ms: core.record.ran_ms + (now - core.began).max(0),
        critical_path_ms: ledger.critical_path(),
        head: hex::encode(head),
    })
}

/// Writes the `stopped` row, where something can still be written.
async fn stop(core: &Core, halt: Halt) -> Stopped {
    let (reason, detail) = match halt {
        Halt::Stopped { reason, detail } => (reason, detail),
        Halt::Diverged { key, detail } => (StopReason::Diverged, format!("{key}: {detail}")),
        Halt::Lost { detail, .. } => (StopReason::Storage, detail),
    };
    let mut stopped = Stopped::new(reason, detail);
    // Without a budget of its own it was the allowance of whoever began it, which no larger budget mends.
    if let (StopReason::Budget, Some(limit)) = (reason, core.limits.budget_usd) {
        // Enough for the turn that found no room, and for the rest where that is known; in whole cents, and never fewer.
        let enough = core.header.quoted_usd.unwrap_or(0.0).max(limit * 2.0).max(core.state().needed_usd).max(0.01);
        stopped.action = Action::RaiseBudget { to_usd: (enough * 100.0 - 1e-6).ceil() / 100.0 };
    }
    match reason {
        StopReason::LeaseLost | StopReason::Storage | StopReason::HandedOver => {}
        StopReason::Cancelled
        | StopReason::Budget
        | StopReason::Waiting
        | StopReason::Offline
        | StopReason::Diverged
        | StopReason::Panic
        | StopReason::Stuck => {
            let row = NewRow::new("", Kind::Stopped, core.clock.now(), &stopped).attempt(core.record.stops);
            if let Err(Halt::Stopped { reason, detail }) = core.commit(&[], vec![row]).await {
                return Stopped { reason, detail, ..stopped };
            }
        }
    }
    stopped
}
