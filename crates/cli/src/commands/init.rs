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
    let config = Config::load(&sources)?;
    let starter = write_starter(&sources, args.here).await?;
    let path = starter.path.display().to_string();
    for warning in &starter.warnings {
        note!("{}", one_line(warning));
    }
    // A directory's own file may do little until the user trusts it.
    let trust = args.here.then_some(config.foreign.trust_line);
    if global.json {
        print_json(&serde_json::json!({ "wrote": path, "seats": starter.seats, "trust": trust }));
        return Ok(DECIDED);
    }
    say!("{}", wrote(&path, &starter.seats));
    if let Some(line) = trust {
        say!("Little of it counts until you trust this directory: --trust for once, or, {}", one_line(&line));
    }
    Ok(DECIDED)
}

fn wrote(path: &str, seats: &[String]) -> String {
    let path = one_line(path);
    if seats.is_empty() {
        return format!("Wrote {path}. Nothing was found to fill in: name your endpoints and models in it, then run synod doctor.");
    }
    format!("Wrote {path} with a panel of {}. synod doctor checks it, synod ask \"…\" seats it.", one_line(&seats.join(", ")))
}
