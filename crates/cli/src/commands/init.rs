//! `synod init`: a configuration to start from.

use crate::args::{Global, Init};
use crate::door;
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::say;
use synod_app::{Config, write_starter};

pub fn run(global: &Global, args: Init) -> CliResult {
    let sources = door::sources(global)?;
    // A broken one beside it is told before a second one is written.
    Config::load(&sources)?;
    let path = write_starter(&sources, args.here)?;
    if global.json {
        print_json(&serde_json::json!({ "wrote": path.display().to_string() }));
        return Ok(DECIDED);
    }
    say!("Wrote {}. Name your endpoints and models in it, then run synod doctor.", path.display());
    Ok(DECIDED)
}
