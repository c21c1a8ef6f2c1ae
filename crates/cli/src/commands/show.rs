//! `synod show`: the whole of a run.

use crate::app::App;
use crate::args::Global;
use crate::exit::{print_json, CliResult, DECIDED};

pub async fn run(global: &Global, given: &str) -> CliResult {
    let app = App::open(global).await?;
    let run = app.store.find_run(given).await?;
    let view = app.view(&run).await?;
    if app.json {
        print_json(&synod_report::json(&view, &app.rows(&run).await?));
    } else {
        print!("{}", synod_report::show(&view, app.style()));
    }
    Ok(DECIDED)
}
