//! `synod resume`: go on with what is missing, or fork with what changed.

use crate::args::{Global, Output, RequestArgs, Resume};
use crate::door::Door;
use crate::exit::CliResult;
use crate::say::note;
use crate::{outcome, request};
use synod_app::{Base, LimitChoice};
use synod_engine::{Ending, LimitChanges, ResumeOutcome, Runner};
use synod_types::{Problem, ProblemCode, Problems};

pub async fn run(global: &Global, args: Resume) -> CliResult {
    let door = Door::open(global, args.output.quiet).await?;
    let run = door.find_run(&args.run).await?;
    if args.fork || args.go_further {
        return fork(&door, run, args).await;
    }
    let changes = changes(&door, &args.request)?;
    go_on(&door, &door.runner(&run).await?, &run, changes, &args.output).await
}

/// Resumes a run and follows it to its end.
pub async fn go_on(door: &Door, runner: &Runner, run: &str, changes: LimitChanges, output: &Output) -> CliResult {
    let waiting = |wait: std::time::Duration| note!("Another process held this run; its lease runs out in {:.1} s. Waiting.", wait.as_secs_f64());
    match door.resume(runner, run, changes, waiting).await? {
        ResumeOutcome::Running(handle) => outcome::follow(door, runner, handle, output).await,
        ResumeOutcome::Ended(verdict) => {
            note!("This run has already ended; nothing was asked. --fork starts a new one from it.");
            outcome::say(door, run, &Ending::Verdict(verdict), output).await
        }
    }
}

async fn fork(door: &Door, run: String, args: Resume) -> CliResult {
    let (mut request, problems) = request::from_flags(&door.files, &args.request);
    request.base = if args.go_further { Base::Continue(run) } else { Base::Fork(run) };
    // What a fork leaves behind is said also to those who want no progress.
    let prepared = request::prepare(door, request, &args.request, problems, false).await?;
    let (runner, handle) = prepared.start(door).await?;
    outcome::follow(door, &runner, handle, &args.output).await
}

/// Only limits may change without a fork.
fn changes(door: &Door, args: &RequestArgs) -> CliResult<LimitChanges> {
    let (request, mut problems) = request::from_flags(&door.files, args);
    let LimitChoice { budget_usd, deadline_secs, timeout_secs } = request.limits;
    let frozen = [
        ("mode", args.mode.is_some()),
        ("models", !args.models.is_empty()),
        ("panel", args.panel.is_some()),
        ("chair", args.chair.is_some()),
        ("role", !args.roles.is_empty()),
        ("set", !args.set.is_empty()),
        ("seed", args.limits.seed.is_some()),
        ("rehearse", args.rehearse),
    ];
    for (field, _) in frozen.iter().filter(|(_, given)| *given) {
        problems.push(Problem::new(*field, "fixed when the run began", "--fork, to start a new run with another").code(ProblemCode::Frozen));
    }
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    Ok(LimitChanges { budget_usd, deadline_secs, timeout_secs })
}
