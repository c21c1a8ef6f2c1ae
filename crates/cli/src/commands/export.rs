//! `synod export`: a run as one file that stands by itself.

use crate::app::App;
use crate::args::{Export, Global};
use crate::exit::{CliError, CliResult, DECIDED};
use crate::say::note;

pub async fn run(global: &Global, args: Export) -> CliResult {
    let app = App::open(global).await?;
    let run = app.store.find_run(&args.run).await?;
    let view = app.view(&run).await?;
    let format = args.format.as_deref().unwrap_or(if app.json { "json" } else { "md" });
    let text = match format {
        "html" => synod_report::html(&view),
        "json" => synod_report::json_text(&synod_report::json(&view, &app.rows(&run).await?)) + "\n",
        _ => synod_report::markdown(&view),
    };
    match &args.out {
        None => crate::say::out(format_args!("{text}")),
        Some(path) => {
            std::fs::write(path, text)
                .map_err(|error| CliError::broken("out", format!("{}: {error}", path.display()), "a file that can be written"))?;
            note!("Wrote {}", path.display());
        }
    }
    Ok(DECIDED)
}
