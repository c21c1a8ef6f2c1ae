//! `synod completions`: made from the same description as the help.

use crate::args::Cli;
use crate::exit::{CliResult, DECIDED};
use clap::CommandFactory;

pub fn run(shell: clap_complete::Shell) -> CliResult {
    clap_complete::generate(shell, &mut Cli::command(), "synod", &mut std::io::stdout());
    Ok(DECIDED)
}
