//! `synod show`: the whole of a run.

use crate::app::App;
use crate::args::Global;
use crate::exit::{CliResult, DECIDED};

pub async fn run(global: &Global, given: &str) -> CliResult {
    let app = App::open(global).await?;
    let run = app.store.find_run(given).await?;
    let view = app.view(&run).await?;
    if app.json {
        println!("{}", serde_json::to_string_pretty(&synod_report::json(&view, &app.rows(&run).await?)).unwrap_or_default());
    } else {
        print!("{}", synod_report::show(&view, app.style()));
    }
    Ok(DECIDED)
}
