//! `synod completions`: made from the same description as the help.

use crate::args::Cli;
use crate::exit::{CliResult, DECIDED};
use clap::CommandFactory;

pub fn run(shell: clap_complete::Shell) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "synod", &mut script);
    crate::say::out(format_args!("{}", String::from_utf8_lossy(&script)));
    Ok(DECIDED)
}
