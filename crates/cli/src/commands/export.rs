//! `synod export`: a run as one file that stands by itself.

use crate::app::App;
use crate::args::{Export, Global};
use crate::exit::{CliError, CliResult, DECIDED};

pub async fn run(global: &Global, args: Export) -> CliResult {
    let app = App::open(global).await?;
    let run = app.store.find_run(&args.run).await?;
    let view = app.view(&run).await?;
    let text = match args.format.as_str() {
        "html" => synod_report::html(&view),
        "json" => synod_report::json_text(&synod_report::json(&view, &app.rows(&run).await?)) + "\n",
        _ => synod_report::markdown(&view),
    };
    match &args.out {
        None => print!("{text}"),
        Some(path) => {
            std::fs::write(path, text).map_err(|error| CliError::broken("out", format!("{}: {error}", path.display()), "a file that can be written"))?;
            eprintln!("Wrote {}", path.display());
        }
    }
    Ok(DECIDED)
}
