//! `synod cancel`: stop a run wherever it runs, or have it conclude.

use crate::args::{Cancel, Global};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::say;
use serde_json::json;
use synod_app::AppError;
use synod_types::RunState;

pub async fn run(global: &Global, args: Cancel) -> CliResult {
    let door = Door::open(global, true).await?;
    let run = door.find_run(&args.run).await?;
    let by = std::env::var("USER").unwrap_or_else(|_| "somebody".into());
    door.reader()?.cancel(&run, args.conclude, &by).await.map_err(AppError::from)?;
    let running = door.run(&run).await?.state == RunState::Running;
    let next = if args.conclude && running { format!("synod watch {run}") } else { format!("synod resume {run}") };
    if door.json {
        print_json(&json!({"run": run, "asked": if args.conclude { "conclude" } else { "cancel" }, "next": next}));
    } else if args.conclude {
        say!("Asked to conclude: no new turn starts. {next} {}.", if running { "shows how it ends" } else { "lets it conclude" });
    } else {
        say!("Asked to stop. {next} goes on with it.");
    }
    Ok(DECIDED)
}
