//! `synod runs`: what there is, newest first.

use crate::args::{Global, Runs};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::say;
use serde_json::json;
use synod_app::{ListedRun, RunFilter};
use synod_report::one_line;
use synod_types::RunState;

/// The first line; the whole of it is in `synod review` and `synod show`.
fn glance(question: &str) -> String {
    one_line(question.lines().next().unwrap_or_default()).chars().take(160).collect()
}

pub async fn run(global: &Global, args: Runs) -> CliResult {
    let door = Door::open(global, true).await?;
    let states = if args.waiting { vec![RunState::Waiting] } else { Vec::new() };
    let runs = door.runs(&RunFilter { states, limit: Some(args.limit as usize), ..RunFilter::default() }).await?;
    if door.json {
        print_json(&json!({ "runs": runs }));
        return Ok(DECIDED);
    }
    if runs.is_empty() {
        say!("{}", if args.waiting { "No run waits for a person." } else { "No runs yet. synod ask \"…\" makes one." });
    }
    for ListedRun { run, unpriced } in runs {
        let state = run.status.as_deref().unwrap_or(run.state.as_str());
        let cost = match (run.spent_usd, unpriced.is_empty()) {
            (Some(usd), true) => format!("${usd:.4}"),
            (Some(usd), false) if usd > 0.0 => format!("${usd:.4} and an unknown part"),
            (Some(_), false) | (None, _) => "cost unknown".to_owned(),
        };
        let rehearsal = if run.rehearsal { " rehearsal" } else { "" };
        let question: String = one_line(&run.question).chars().take(70).collect();
        say!("{}  {:<9} {:<11} {cost}{rehearsal}  {question}", one_line(&run.id), one_line(&run.mode), one_line(state));
        for waiting in run.waiting {
            say!("    waits for you ({}): {}", one_line(&waiting.key), glance(&waiting.asking.question));
            say!("    synod review {}", one_line(&run.id));
        }
    }
    Ok(DECIDED)
}
