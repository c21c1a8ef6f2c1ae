//! `synod cancel`: stop a run wherever it runs, or have it conclude.

use crate::app::App;
use crate::args::{Cancel, Global};
use crate::exit::{CliResult, DECIDED};
use serde_json::json;

pub async fn run(global: &Global, args: Cancel) -> CliResult {
    let app = App::open(global).await?;
    let run = app.store.find_run(&args.run).await?;
    let runner = app.runner(None, false)?;
    let by = std::env::var("USER").unwrap_or_else(|_| "somebody".into());
    runner.cancel(&run, args.conclude, &by).await?;
    let next = if args.conclude { format!("synod watch {run}") } else { format!("synod resume {run}") };
    if app.json {
        println!("{}", json!({"run": run, "asked": if args.conclude { "conclude" } else { "cancel" }, "next": next}));
    } else if args.conclude {
        println!("Asked to conclude: no new turn starts. {next} shows how it ends.");
    } else {
        println!("Asked to stop. {next} goes on with it.");
    }
    Ok(DECIDED)
}
