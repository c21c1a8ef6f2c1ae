//! `synod replay`: the verdict again, from the record alone.

use crate::args::Global;
use crate::door::Door;
use crate::exit::{BROKEN, CliResult, DECIDED, print_json};
use crate::outcome::stopped_json;
use crate::say::say;
use serde_json::json;
use synod_engine::Ending;

pub async fn run(global: &Global, given: &str) -> CliResult {
    let door = Door::open(global, true).await?;
    let run = door.find_run(given).await?;
    let replayed = door.replay(&run).await?;
    let same = replayed.same();
    let verdict = match &replayed.ending {
        Ending::Verdict(verdict) => serde_json::to_value(verdict).unwrap_or_default(),
        Ending::Stopped(stopped) => json!({ "stopped": stopped_json(&run, stopped) }),
    };
    if door.json {
        print_json(&json!({"run": run, "same": same, "calls": 0, "replayed": verdict}));
    } else {
        match (&replayed.ending, &replayed.recorded, same) {
            (Ending::Verdict(verdict), _, true) => say!("Same verdict, recomputed with 0 calls: {}.", verdict.status.as_str()),
            (Ending::Verdict(verdict), None, _) => say!("The run has no verdict yet; its record gives {} with 0 calls.", verdict.status.as_str()),
            (Ending::Verdict(_), Some(_), _) => {
                say!("The record now gives another verdict: prompts, options or this program changed since. --json shows it.")
            }
            (Ending::Stopped(stopped), _, _) => say!("The record does not reach a verdict: {}", stopped.detail),
        }
    }
    Ok(if same { DECIDED } else { BROKEN })
}
