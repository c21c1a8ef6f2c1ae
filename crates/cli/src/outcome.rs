//! Waits for a run and says how it ended: the verdict in words or JSON, and the exit code.

use crate::args::Output;
use crate::door::Door;
use crate::exit::{BROKEN, CliResult, DECIDED, STOPPED, UNDECIDED, print_json};
use crate::progress::Progress;
use crate::say::note;
use serde_json::json;
use synod_app::AppError;
use synod_engine::{Ending, RunHandle, Runner};
use synod_report::{Painted, one_line};
use synod_types::{FailureKind, Missing, Status, StopReason, Stopped, Verdict};

/// Follows a run to its end. The first Ctrl-C stops it, resumable; the second leaves at once.
pub async fn follow(door: &Door, runner: &Runner, mut handle: RunHandle, output: &Output) -> CliResult {
    let progress = Progress::start(door, runner, &handle.run, output.quiet);
    let mut signals = Signals::listen()?;
    let mut asked_to_stop = false;
    let ending = loop {
        tokio::select! {
            ending = handle.ending() => break ending,
            () = signals.next() => {
                if asked_to_stop {
                    std::process::exit(i32::from(STOPPED));
                }
                asked_to_stop = true;
                handle.cancel();
                note!("Stopping: turns under way get 5 s to finish. Press Ctrl-C again to leave at once.");
            }
        }
    };
    progress.finish().await;
    let code = say(door, &handle.run, &ending, output).await?;
    explain(door, &handle.run, &ending).await;
    door.close().await;
    Ok(code)
}

/// Ctrl-C, and the polite ways to end a process: a closed terminal, a service manager, `timeout`.
pub struct Signals([tokio::signal::unix::Signal; 3]);

impl Signals {
    pub fn listen() -> CliResult<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(|error| AppError::broken("signals", error, "a process that may handle signals"));
        Ok(Self([listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?]))
    }

    pub async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// Why seats failed, where their endpoints can tell for nothing: a wrong key, an address without its version, a model that is gone.
async fn explain(door: &Door, run: &str, ending: &Ending) {
    let Ending::Verdict(verdict) = ending else { return };
    let certain = |missing: &Missing| matches!(missing.why, FailureKind::Auth | FailureKind::ModelGone);
    if verdict.status.decided() && !verdict.missing.iter().any(certain) {
        return;
    }
    let found = door.explain(run, &verdict.missing).await.unwrap_or_default();
    for mending in &found {
        note!("{}: {}", one_line(&mending.model), one_line(&mending.problem));
        if let Some(meant) = &mending.meant {
            note!("  did you mean {:?}?", one_line(meant));
        }
        for line in crate::commands::doctor::mending(mending.fix.as_ref()) {
            note!("  {line}");
        }
    }
    if !found.is_empty() {
        note!("synod doctor checks every seat of the default panel, synod models lists what can be seated.");
    }
}

/// Prints an ending.
pub async fn say(door: &Door, run: &str, ending: &Ending, output: &Output) -> CliResult {
    let code = code(ending, output);
    if door.json {
        let document = match ending {
            Ending::Verdict(verdict) => serde_json::to_value(verdict).unwrap_or_default(),
            Ending::Stopped(stopped) => stopped_document(run, stopped),
        };
        print_json(&document);
        return Ok(code);
    }
    let mut view = door.view(run).await?;
    if let (Ending::Stopped(stopped), None) = (ending, view.stop()) {
        view.note_stop(stopped.clone());
    }
    crate::say::show(&Painted::run(&view, door.style(), output.extent()));
    if code == UNDECIDED
        && let Ending::Verdict(verdict) = ending
        && verdict.status.decided()
    {
        note!("Exit 3: --require full, and the verdict is {}.", verdict.status.as_str());
    }
    Ok(code)
}

/// A stop, with the command that does what its action says.
pub fn stopped_json(run: &str, stopped: &Stopped) -> serde_json::Value {
    let mut document = serde_json::to_value(stopped).unwrap_or_default();
    document["next"] = json!(synod_report::next_command(run, stopped.action));
    document
}

fn stopped_document(run: &str, stopped: &Stopped) -> serde_json::Value {
    let state = if stopped.reason == StopReason::Waiting { "waiting" } else { "stopped" };
    json!({"run": run, "state": state, "stopped": stopped_json(run, stopped)})
}

pub fn code(ending: &Ending, output: &Output) -> u8 {
    match ending {
        Ending::Verdict(verdict) => verdict_code(verdict, output),
        Ending::Stopped(stopped) => match stopped.reason {
            StopReason::Panic => BROKEN,
            StopReason::Cancelled
            | StopReason::Budget
            | StopReason::Waiting
            | StopReason::LeaseLost
            | StopReason::Storage
            | StopReason::Offline
            | StopReason::Diverged
            | StopReason::Stuck
            | StopReason::HandedOver => STOPPED,
        },
    }
}

fn verdict_code(verdict: &Verdict, output: &Output) -> u8 {
    let short = output.require.is_some() && verdict.status != Status::Full;
    if verdict.status.decided() && !short { DECIDED } else { UNDECIDED }
}
