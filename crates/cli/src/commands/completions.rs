//! `synod completions`: scripts that ask the binary itself, so that modes, options, panels, personas and runs are always those that are there.
//! Shells without such a script get one made from the description of the help.

use crate::args::Cli;
use crate::exit::{CliResult, DECIDED};
use clap::CommandFactory;
use clap_complete::Shell;

const BASH: &str = include_str!("completions/synod.bash");
const ZSH: &str = include_str!("completions/synod.zsh");
const FISH: &str = include_str!("completions/synod.fish");

pub fn run(shell: Shell) -> CliResult {
    let script = match shell {
        Shell::Bash => BASH.to_owned(),
        Shell::Zsh => ZSH.to_owned(),
        Shell::Fish => FISH.to_owned(),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut Cli::command(), "synod", &mut script);
            String::from_utf8_lossy(&script).into_owned()
        }
    };
    crate::say::document(&script);
    Ok(DECIDED)
}
