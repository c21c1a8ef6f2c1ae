//! A cloned repository whose tape is a link out of it: planning opens nothing, and a file that is no recording is not written to.

use crate::common::{context, request, turn};
use std::os::unix::fs::symlink;
use synod_config::{Config, Sources};
use synod_engine::Models;
use synod_llm::Registry;

const RECORDS: &str = "[endpoints.tape]\nkind = \"cassette\"\npath = \"tape.jsonl\"\nrecord = \"rehearsal\"\n[panels.default]\nseats = [\"tape/a\", \"tape/b\", \"tape/c\"]\n";

const VICTIM: &str = "export PATH=$PATH:~/bin\n";

#[tokio::test]
async fn a_tape_that_is_a_link_destroys_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for name in ["here", "mine", "home"] {
        std::fs::create_dir(path(name)).expect("a folder");
    }
    std::fs::write(path("here/synod.toml"), RECORDS).expect("writes");
    std::fs::write(path("home/victim"), VICTIM).expect("writes");
    symlink("../home/victim", path("here/tape.jsonl")).expect("links");
    let untouched = || {
        assert_eq!(std::fs::read_to_string(path("home/victim")).expect("still there"), VICTIM);
        assert_eq!(std::fs::read_dir(path("home")).expect("still there").count(), 1);
    };
    let sources = Sources { directory: path("here"), user_directory: Some(path("mine")), ..Sources::default() };
    let problems = Config::load(&sources).expect_err("the directory is not trusted").0;
    let got = |field: &str| problems.iter().find(|problem| problem.field == field).map(|problem| problem.got.clone()).unwrap_or_default();
    assert!(!got("endpoints.tape.record").is_empty() && got("endpoints.tape.path").contains("link"), "{problems:#?}");
    untouched();
    // Even where the directory is trusted.
    std::fs::write(path("mine/synod.toml"), format!("trusted = [{:?}]\n", path("here").display().to_string())).expect("writes");
    let config = Config::load(&sources).unwrap_or_else(|problems| panic!("{problems}"));
    let registry = Registry::with_env(config, std::sync::Arc::new(|_| None));
    let seats = registry.panel("default").expect("a panel").seats.clone();
    let models: Vec<_> = seats.iter().map(|seat| registry.open(&registry.resolve("seats", seat).expect("resolves")).expect("opens")).collect();
    untouched();
    for model in models {
        turn(&*model, &request("a"), &context()).await.expect_err("no recording");
    }
    untouched();
}
