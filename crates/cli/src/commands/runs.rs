//! `synod runs`: what there is, newest first.

use crate::app::App;
use crate::args::{Global, Runs};
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::say;
use serde_json::json;
use synod_report::one_line;
use synod_store::{RunFilter, RunState};

/// The first line; the whole of it is in `synod review` and `synod show`.
fn glance(question: &str) -> String {
    one_line(question.lines().next().unwrap_or_default()).chars().take(160).collect()
}

pub async fn run(global: &Global, args: Runs) -> CliResult {
    let app = App::open(global).await?;
    let states = if args.waiting { vec![RunState::Waiting] } else { Vec::new() };
    let runs = app.store.runs(&RunFilter { states, limit: Some(args.limit as usize), ..RunFilter::default() }).await?;
    if app.json {
        print_json(&json!({ "runs": runs }));
        return Ok(DECIDED);
    }
    if runs.is_empty() {
        say!("{}", if args.waiting { "No run waits for a person." } else { "No runs yet. synod ask \"…\" makes one." });
    }
    for run in runs {
        let state = run.status.as_deref().unwrap_or(run.state.as_str());
        let cost = run.spent_usd.map_or_else(|| "cost unknown".into(), |usd| format!("${usd:.4}"));
        let rehearsal = if run.rehearsal { " rehearsal" } else { "" };
        let question: String = one_line(&run.question).chars().take(70).collect();
        say!("{}  {:<9} {:<11} {cost}{rehearsal}  {question}", run.id, run.mode, state);
        for waiting in run.waiting {
            say!("    waits for you ({}): {}", waiting.key, glance(&waiting.asking.question));
            say!("    synod review {}", run.id);
        }
    }
    Ok(DECIDED)
}
