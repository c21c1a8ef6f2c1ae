//! `synod runs`: what there is, newest first.

use crate::app::App;
use crate::args::{Global, Runs};
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::say;
use serde_json::{Value, json};
use synod_report::one_line;
use synod_store::{RunFilter, RunState, RunSummary};

/// A run, and the models whose part of its cost is unknown.
fn with_unpriced(run: &RunSummary, unpriced: &[String]) -> Value {
    let mut row = serde_json::to_value(run).unwrap_or_default();
    if let Some(row) = row.as_object_mut() {
        row.insert("unpriced".into(), json!(unpriced));
    }
    row
}

/// The first line; the whole of it is in `synod review` and `synod show`.
fn glance(question: &str) -> String {
    one_line(question.lines().next().unwrap_or_default()).chars().take(160).collect()
}

pub async fn run(global: &Global, args: Runs) -> CliResult {
    let app = App::open(global).await?;
    let states = if args.waiting { vec![RunState::Waiting] } else { Vec::new() };
    let runs = app.store.runs(&RunFilter { states, limit: Some(args.limit as usize), ..RunFilter::default() }).await?;
    let mut unpriced = Vec::with_capacity(runs.len());
    for run in &runs {
        let costs = app.store.costs(&run.id).await?;
        unpriced.push(costs.into_iter().filter(|cost| cost.usd.is_none()).map(|cost| cost.model).collect::<Vec<_>>());
    }
    if app.json {
        let rows: Vec<Value> = runs.iter().zip(&unpriced).map(|(run, unpriced)| with_unpriced(run, unpriced)).collect();
        print_json(&json!({ "runs": rows }));
        return Ok(DECIDED);
    }
    if runs.is_empty() {
        say!("{}", if args.waiting { "No run waits for a person." } else { "No runs yet. synod ask \"…\" makes one." });
    }
    for (run, unpriced) in runs.into_iter().zip(unpriced) {
        let state = run.status.as_deref().unwrap_or(run.state.as_str());
        let cost = match (run.spent_usd, unpriced.is_empty()) {
            (Some(usd), true) => format!("${usd:.4}"),
            (Some(usd), false) if usd > 0.0 => format!("${usd:.4} and an unknown part"),
            (Some(_), false) | (None, _) => "cost unknown".to_owned(),
        };
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
