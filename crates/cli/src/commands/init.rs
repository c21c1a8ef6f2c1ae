//! `synod init`: a configuration to start from. Never overwrites one.

use crate::app;
use crate::args::{Global, Init};
use crate::exit::{CliError, CliResult, DECIDED, print_json};
use crate::say::say;

const STARTER: &str = include_str!("starter.toml");

pub fn run(global: &Global, args: Init) -> CliResult {
    let (sources, _) = app::configuration(global)?;
    let path = if args.here { Some(sources.directory.join("synod.toml")) } else { sources.user_file() };
    let path = path.ok_or_else(|| CliError::usage("config", "no home directory is known", "synod init --here"))?;
    let shown = path.display().to_string();
    if path.exists() {
        return Err(CliError::usage("config", format!("{shown} is already there"), "edit it, or remove it first"));
    }
    let broken = |error: std::io::Error| CliError::broken("config", format!("{shown}: {error}"), "a place that can be written");
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(broken)?;
    }
    std::fs::write(&path, STARTER).map_err(broken)?;
    if global.json {
        print_json(&serde_json::json!({ "wrote": shown }));
        return Ok(DECIDED);
    }
    say!("Wrote {shown}. Name your endpoints and models in it, then run synod doctor.");
    Ok(DECIDED)
}
