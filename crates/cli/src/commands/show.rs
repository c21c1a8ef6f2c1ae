//! `synod show`: the whole of a run.

use crate::app::App;
use crate::args::{Global, Show};
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::say;
use synod_store::RunState;

pub async fn run(global: &Global, args: &Show) -> CliResult {
    let app = App::open(global).await?;
    let run = app.store.find_run(&args.run).await?;
    let view = app.view(&run).await?;
    if app.json {
        print_json(&synod_report::json(&view, &app.rows(&run).await?));
    } else {
        crate::say::out(format_args!("{}", synod_report::show(&view, app.style(), args.full)));
        if app.store.run(&run).await?.state == RunState::Interrupted {
            say!("Its process is gone, and the run has not ended: synod resume {run} goes on with it.");
        }
    }
    Ok(DECIDED)
}
