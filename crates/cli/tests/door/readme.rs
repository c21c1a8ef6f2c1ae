//! The README's examples run as printed, with its own configuration.

use crate::house::{Did, House};
use std::process::Command;

/// The fenced blocks of a page: what is written after the fence, and what is inside.
pub fn blocks(text: &str) -> Vec<(String, String)> {
    let fenced = text.split("\n```").collect::<Vec<_>>();
    fenced
        .chunks(2)
        .filter_map(|pair| pair.get(1))
        .filter_map(|block| block.split_once('\n'))
        .map(|(kind, body)| (kind.to_owned(), body.to_owned()))
        .collect()
}

#[test]
fn its_commands_run_as_printed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).expect("a README");
    let house = House::bare();
    let config = blocks(&readme).into_iter().find(|(kind, _)| kind == "toml").expect("a configuration").1;
    assert!(config.contains("127.0.0.1:11434"), "{config}");
    house.write("config/synod/synod.toml", &config.replace("127.0.0.1:11434", &house.server.address().to_string()));
    for file in ["design.md", "proposal.md"] {
        house.write(&format!("work/{file}"), "Three designs: one, two, three.");
    }
    std::os::unix::fs::symlink(format!("{root}/examples"), house.path("work/examples")).expect("a link");
    // The commands as a shell would find them.
    std::fs::create_dir_all(house.path("bin")).expect("a folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_synod"), house.path("bin/synod")).expect("a link");
    let path = format!("{}:{}", house.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let lines: Vec<String> = blocks(&readme)
        .into_iter()
        .filter(|(kind, _)| kind.is_empty())
        .flat_map(|(_, body)| body.lines().map(|line| line.replace("cargo run -p synod -- ", "synod ")).collect::<Vec<_>>())
        // A server is tried in tests of its own.
        .filter(|line| line.starts_with("synod ") && !line.ends_with('&'))
        .collect();
    assert!(lines.len() >= 8, "{lines:?}");
    for line in lines {
        // Nobody need have jq for this.
        let run = line.replace("| jq .decision", "| grep -q decision");
        let ours = house.command(&[]);
        let mut shell = Command::new("bash");
        shell.args(["-o", "pipefail", "-c", &run]).current_dir(house.path("work")).env_clear();
        shell.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("PATH", &path);
        let did = Did::run(shell.stdin(std::process::Stdio::null()));
        // What models of this server score a claim with is drawn by lot: it may wait for a person.
        let well = did.code == 0 || did.code == 4 && line.starts_with("synod claim run") && did.err.contains("synod claim review");
        assert!(well, "{line}: exit {}\n{}\n{}", did.code, did.out, did.err);
    }
    assert!(house.server.total() > 20, "models were asked");
}
