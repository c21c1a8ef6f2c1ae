//! `synod init`: a configuration with what is found on this machine, or one to start from.

use crate::args::{Global, Init};
use crate::door;
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::{note, say};
use synod_app::{Config, write_starter};
use synod_report::one_line;

pub async fn run(global: &Global, args: Init) -> CliResult {
    let sources = door::sources(global)?;
    // A broken one beside it is told before a second one is written.
    Config::load(&sources)?;
    let starter = write_starter(&sources, args.here).await?;
    let path = starter.path.display().to_string();
    for warning in &starter.warnings {
        note!("{}", one_line(warning));
    }
    if global.json {
        print_json(&serde_json::json!({ "wrote": path, "seats": starter.seats }));
    } else if starter.seats.is_empty() {
        say!("Wrote {path}. Nothing was found to fill in: name your endpoints and models in it, then run synod doctor.");
    } else {
        say!("Wrote {path} with a panel of {}. synod doctor checks it, synod ask \"…\" seats it.", one_line(&starter.seats.join(", ")));
    }
    Ok(DECIDED)
}
