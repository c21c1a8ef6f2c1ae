//! `synod runs`: what there is, newest first.

use crate::app::App;
use crate::args::{Global, Runs};
use crate::exit::{print_json, CliResult, DECIDED};
use serde_json::json;
use synod_report::one_line;
use synod_store::{RunFilter, RunState};

pub async fn run(global: &Global, args: Runs) -> CliResult {
    let app = App::open(global).await?;
    let states = if args.waiting { vec![RunState::Waiting] } else { Vec::new() };
    let runs = app.store.runs(&RunFilter { states, limit: Some(args.limit), ..RunFilter::default() }).await?;
    if app.json {
        print_json(&json!({ "runs": runs }));
        return Ok(DECIDED);
    }
    if runs.is_empty() {
        println!("{}", if args.waiting { "No run waits for a person." } else { "No runs yet. synod ask \"…\" makes one." });
    }
    for run in runs {
        let state = run.status.as_deref().unwrap_or(run.state.as_str());
        let cost = run.spent_usd.map_or_else(|| "cost unknown".into(), |usd| format!("${usd:.4}"));
        let rehearsal = if run.rehearsal { " rehearsal" } else { "" };
        let question: String = one_line(&run.question).chars().take(70).collect();
        println!("{}  {:<9} {:<11} {cost}{rehearsal}  {question}", run.id, run.mode, state);
        for waiting in run.waiting {
            println!("    waits for you ({}): {}", waiting.key, one_line(&waiting.asking.question));
            println!("    synod review {}", run.id);
        }
    }
    Ok(DECIDED)
}
