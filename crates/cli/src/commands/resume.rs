//! `synod resume`: go on with what is missing, or fork with what changed.

use crate::app::{self, App};
use crate::args::{Global, OrderArgs, Resume};
use crate::exit::CliResult;
use crate::say::note;
use crate::{further, order, outcome, pointers};
use std::path::Path;
use std::time::Duration;
use synod_engine::{Changes, Ending, JournalError, Record, Resumption, RunError, RunRequest, Runner};
use synod_types::Problems;

pub async fn run(global: &Global, args: Resume) -> CliResult {
    let app = App::open(global).await?;
    let run = app.store.find_run(&args.run).await?;
    let detected = app.detect(args.order.rehearse).await;
    if args.fork || args.further {
        return fork(&app, &run, args, detected).await;
    }
    let changes = changes(&args.order)?;
    let runner = app.runner(detected, app.live(args.output.quiet))?;
    go_on(&app, &runner, &run, changes, &args.output).await
}

/// Resumes, waiting for the lease of an owner that is gone but whose lock cannot be seen.
pub async fn go_on(app: &App, runner: &Runner, run: &str, changes: Changes, output: &crate::args::Output) -> CliResult {
    loop {
        match runner.resume(run, changes).await {
            Ok(Resumption::Running(handle)) => return outcome::follow(app, runner, handle, output).await,
            Ok(Resumption::Ended(verdict)) => {
                note!("This run has already ended; nothing was asked. --fork starts a new one from it.");
                return outcome::say(app, run, &Ending::Verdict(verdict), output).await;
            }
            Err(RunError::Journal(JournalError::Held { wait_ms: Some(wait), .. })) => {
                note!("Another process held this run; its lease runs out in {:.1} s. Waiting.", wait as f64 / 1000.0);
                tokio::time::sleep(Duration::from_millis(wait.clamp(50, 60_000) as u64)).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

async fn fork(app: &App, run: &str, mut args: Resume, detected: Option<synod_llm::Detected>) -> CliResult {
    let record = Record::of(&app.rows(run).await?).map_err(RunError::from)?;
    let mut order = RunRequest::again(&record);
    if args.order.mode.as_ref().is_some_and(|mode| *mode != order.mode) {
        order.options.clear();
        // A conversation keeps to its mode.
        if let Some(id) = order.conversation.take() {
            note!("In another mode this fork is not part of conversation {id}.");
        }
    }
    for file in &mut order.question.files {
        let bytes = synod_engine::Journal::blob(app.store.as_ref(), &file.sha256).await?.unwrap_or_default();
        file.text = String::from_utf8_lossy(&bytes).into_owned();
    }
    let mut problems = Vec::new();
    if args.further {
        further::further(&record, &mut order, &mut args.order.set, &mut problems);
    }
    order::apply(&args.order, &mut order, &mut problems);
    // Those of the run before were looked up where its file lay.
    if args.order.set.iter().any(|given| given.starts_with("cards=")) {
        pointers::check_option(&mut order, Path::new(""));
    }
    if !args.order.models.is_empty() && args.order.panel.is_none() && !args.order.rehearse {
        // Another panel, the same chair: replacing a seat that failed does not change who writes the answer.
        order.panel.models = args.order.models.iter().map(|model| model.trim().to_owned()).collect();
        order.panel.may_shrink = false;
    } else if args.order.panel.is_some() || args.order.rehearse {
        let panel = app::panel(&app.config, detected.as_ref(), args.order.panel.as_deref())?;
        let roles = std::mem::take(&mut order.panel.roles);
        order.panel = order::call(&args.order, panel);
        order.panel.roles = roles;
    }
    let runner = app.runner(detected, app.live(args.output.quiet))?;
    let plan = order::plan(&runner, &order, &args.order, problems).await?;
    let handle = runner.start(plan).await?;
    outcome::follow(app, &runner, handle, &args.output).await
}

/// Only limits may change without a fork.
fn changes(args: &OrderArgs) -> CliResult<Changes> {
    let mut problems = Vec::new();
    let mut order = RunRequest::default();
    order::apply(args, &mut order, &mut problems);
    let frozen = [
        ("mode", args.mode.is_some()),
        ("models", !args.models.is_empty()),
        ("panel", args.panel.is_some()),
        ("chair", args.chair.is_some()),
        ("role", !args.roles.is_empty()),
        ("set", !args.set.is_empty()),
        ("seed", args.seed.is_some()),
        ("rehearse", args.rehearse),
    ];
    for (field, _) in frozen.iter().filter(|(_, given)| *given) {
        problems.push(synod_types::Problem::new(*field, "fixed when the run began", "--fork, to start a new run with another"));
    }
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    Ok(Changes { budget_usd: order.budget_usd, deadline_secs: order.deadline_secs, timeout_secs: order.timeout_secs })
}
