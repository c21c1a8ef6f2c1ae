//! The completion script in a real bash: what is offered is what is there, and a mistake is silent.

use crate::house::{Did, House};
use std::process::Command;

/// What bash offers for the last of these words, broken up as bash breaks them.
fn offered(house: &House, words: &[&str]) -> Vec<String> {
    let script = r#"source <("$1" completions bash); shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _synod "$1"; printf '%s\n' "${COMPREPLY[@]}""#;
    let synod = env!("CARGO_BIN_EXE_synod");
    let ours = house.command(&[]);
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, "bash", synod, synod]).args(words).current_dir(house.path("work")).env_clear();
    bash.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let did = Did::run(&mut bash);
    assert!(did.err.is_empty(), "{words:?}: {}", did.err);
    did.out.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn modes_options_panels_personas_and_runs_are_completed() {
    let house = House::with("[panels.wide]\nseats = [\"x/qwen3:8b\"]\n");
    house.ask("council", &[]).exits(0);
    let run = house.last();
    assert_eq!(offered(&house, &["as"]), ["ask"]);
    assert_eq!(offered(&house, &["ask", "--mode", "vo"]), ["vote"]);
    assert_eq!(offered(&house, &["ask", "--mode", "=", "vo"]), ["vote"], "bash breaks words at an equals sign");
    assert_eq!(offered(&house, &["ask", "--mode", "roundtable", "--sty"]), ["--style"]);
    assert!(offered(&house, &["ask", "--sty"]).is_empty(), "an option of another mode");
    assert_eq!(offered(&house, &["ask", "--mode", "roundtable", "--style", "soc"]), ["socratic"]);
    assert_eq!(offered(&house, &["ask", "--panel", ""]), ["wide"]);
    assert_eq!(offered(&house, &["ask", "--models", "x/qwen3", ":", "8"]), ["8b"], "and at a colon");
    assert_eq!(offered(&house, &["ask", "--models", "x/a,x/qw"]), ["x/a,x/qwen3:8b"]);
    assert_eq!(offered(&house, &["ask", "--mode", "crux", "--personas", "actuary,fou"]), ["actuary,founder"]);
    assert_eq!(offered(&house, &["show", ""]), ["last", &run]);
    assert_eq!(offered(&house, &["resume", &run[..9]]), [run.as_str()]);
    assert_eq!(offered(&house, &["persona", "show", "actu"]), ["actuary"]);
    assert_eq!(offered(&house, &["export", "last", "--format", "h"]), ["html"]);
}

#[test]
fn what_cannot_be_read_is_not_offered_and_nothing_is_said() {
    let house = House::new();
    house.write("work/synod.toml", "[[[");
    assert!(offered(&house, &["ask", "--panel", ""]).is_empty());
    assert!(offered(&house, &["show", ""]).is_empty());
    assert!(!house.db().exists(), "no database is made to complete a word");
    assert_eq!(offered(&house, &["ask", "--mode", "vo"]), ["vote"]);
}
