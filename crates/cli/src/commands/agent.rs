//! `synod agent work`: the models of a panel as agents that fill slots of claims.

use crate::args::Global;
use crate::args::claim::{AgentCommand, AgentWork, Crew};
use crate::confirm::{Likely, confirm};
use crate::door::Door;
use crate::exit::{BROKEN, CliResult, DECIDED, UNDECIDED, USAGE, print_json, usage};
use crate::outcome::Signals;
use crate::request::NOTHING_FOUND;
use crate::say::note;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use synod_app::{Notes, WorkEnd, WorkEvent, WorkOrder, WorkScope};
use synod_report::one_line;
use synod_types::{LayerOutcome, Slot};
use tokio::sync::watch;

pub async fn run(global: &Global, command: AgentCommand) -> CliResult {
    let AgentCommand::Work(args) = command;
    let door = Door::open(global, true).await?;
    let code = work(&door, args).await;
    door.close().await;
    code
}

/// Ends as agents of the protocol do: 0 done, 2 no work, 3 another was quicker, 1 stopped.
async fn work(door: &Door, args: AgentWork) -> CliResult {
    let mut order = order(&args.crew)?;
    check(door, &mut order, args.crew.quiet).await?;
    if !args.once {
        // How much is open nobody knows; one claim is what it will be at least.
        let (usd, unpriced_tokens) = door.likely_of_claim(&order, "a claim", "a claim", None).await?;
        confirm(door, Likely { usd, unpriced_tokens }, args.crew.yes || order.budget_usd.is_some())?;
    }
    let filled = AtomicUsize::new(0);
    let scope = WorkScope { claim: None, once: args.once, forever: args.auto };
    let end = Working { door, quiet: args.crew.quiet }.counting(&order, &scope, &filled).await?;
    let filled = filled.load(Ordering::Relaxed);
    // Nothing left to do is what an agent that has filled slots was to reach.
    let end = if end == WorkEnd::NoWork && filled > 0 { WorkEnd::Once } else { end };
    let code = match &end {
        WorkEnd::Once => DECIDED,
        WorkEnd::NoWork => USAGE,
        WorkEnd::LostRace => UNDECIDED,
        WorkEnd::Stopped | WorkEnd::Complete | WorkEnd::Flagged | WorkEnd::Budget { .. } | WorkEnd::Unfilled(_) => BROKEN,
    };
    if door.json {
        print_json(&json!({"end": end.as_str(), "filled": filled}));
    } else if !args.crew.quiet {
        match &end {
            WorkEnd::Budget { spent, needed } => {
                note!("{filled} slots filled. The budget is spent (${spent:.4}); the next slot may take ${needed:.4}.")
            }
            WorkEnd::Unfilled(why) => note!("{filled} slots filled. No model could fill the next one. {}", one_line(why)),
            WorkEnd::NoWork => note!("No slot is open that this panel may fill."),
            _ => note!("{filled} slots filled."),
        }
    }
    Ok(code)
}

/// What the flags say about who works.
pub fn order(crew: &Crew) -> CliResult<WorkOrder> {
    let budget_usd = match &crew.budget {
        None => None,
        Some(given) => match given.trim_start_matches('$').parse::<f64>().ok().filter(|usd| usd.is_finite() && *usd >= 0.0) {
            Some(usd) => Some(usd),
            None => return Err(usage("budget", given.clone(), "an amount in US dollars, such as 0.50")),
        },
    };
    Ok(WorkOrder { rehearse: crew.rehearse, panel: crew.panel.clone(), models: crew.models.clone(), budget_usd, low_layer: None })
}

/// Looks who there is before anything is taken. Where nobody is, built-in voices rehearse, and it is said.
pub async fn check(door: &Door, order: &mut WorkOrder, quiet: bool) -> CliResult<()> {
    let mut notes = Notes::default();
    let models = door.crew(order, &mut notes).await?;
    for line in notes.lines.iter().filter(|_| !quiet) {
        note!("{}", one_line(line));
    }
    if notes.nothing_found && !quiet {
        note!("{NOTHING_FOUND}");
    }
    order.rehearse = models.iter().all(|model| model.starts_with("rehearsal/"));
    Ok(())
}

/// A worker and its progress on standard error.
pub struct Working<'a> {
    pub door: &'a Door,
    pub quiet: bool,
}

impl Working<'_> {
    pub async fn until_done(&self, order: &WorkOrder, scope: &WorkScope) -> CliResult<WorkEnd> {
        self.counting(order, scope, &AtomicUsize::new(0)).await
    }

    /// The first Ctrl-C stops it, with every slot given back; the second leaves at once.
    async fn counting(&self, order: &WorkOrder, scope: &WorkScope, filled: &AtomicUsize) -> CliResult<WorkEnd> {
        let (stop, stopped) = watch::channel(false);
        let on_event = |event: WorkEvent<'_>| {
            if matches!(event, WorkEvent::Filled { .. }) {
                filled.fetch_add(1, Ordering::Relaxed);
            }
            if !self.quiet
                && let Some(line) = line(&event)
            {
                note!("{line}");
            }
        };
        let mut signals = Signals::listen()?;
        let mut notes = Notes::default();
        let working = self.door.work(order, scope, &on_event, stopped, &mut notes);
        tokio::pin!(working);
        loop {
            tokio::select! {
                end = &mut working => return end,
                () = signals.next() => {
                    if *stop.borrow() {
                        std::process::exit(i32::from(BROKEN));
                    }
                    stop.send_replace(true);
                    note!("Stopping: slots are given back. Press Ctrl-C again to leave at once.");
                }
            }
        }
    }
}

fn place(slot: &Slot) -> String {
    let attempt = if slot.attempt > 1 { format!(", attempt {}", slot.attempt) } else { String::new() };
    format!("layer {}{attempt}, {}", slot.layer, one_line(&slot.role))
}

/// `None`: not worth a line.
fn line(event: &WorkEvent<'_>) -> Option<String> {
    Some(match event {
        WorkEvent::Filling { .. } => return None,
        WorkEvent::Filled { slot, model, confidence } => {
            let confidence = confidence.map(|confidence| format!(" {confidence:.2}")).unwrap_or_default();
            format!("  {}: {}{confidence}", place(slot), one_line(model))
        }
        WorkEvent::GivenBack { slot, model, why } => format!("  {}: {} could not: {}", place(slot), one_line(model), one_line(why)),
        WorkEvent::Layer { result, .. } => {
            let outcome = match result.outcome {
                LayerOutcome::Passed => "passed",
                LayerOutcome::Flagged => "flagged",
                LayerOutcome::Overridden => "passed by a person's word",
                LayerOutcome::Closed => "closed",
            };
            let effect = result.effect.as_deref().map(|effect| format!("; {}", one_line(effect))).unwrap_or_default();
            let (mean, threshold) = (result.avg_confidence, result.threshold);
            format!("Layer {} {} {outcome}: {mean:.2} against {threshold:.2}{effect}", result.layer, one_line(&result.stage_name))
        }
        WorkEvent::Merging => "  The summaries are made into one.".to_owned(),
    })
}
