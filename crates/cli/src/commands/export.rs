//! `synod export`: a run as one file that stands by itself.

use crate::args::{Export, Global};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED};
use crate::say::note;
use synod_app::{AppError, ExportFormat};

pub async fn run(global: &Global, args: Export) -> CliResult {
    let door = Door::open(global, true).await?;
    let run = door.find_run(&args.run).await?;
    let format = args.format.unwrap_or(if door.json { ExportFormat::Json } else { ExportFormat::Markdown });
    let text = door.export(&run, format).await?;
    match &args.out {
        None => crate::say::document(&text),
        Some(path) => {
            synod_app::write_private(path, &text, true)
                .map_err(|error| AppError::broken("out", format!("{}: {error}", path.display()), "a file that can be written"))?;
            note!("Wrote {}", path.display());
        }
    }
    Ok(DECIDED)
}
