//! A cloned repository whose tape is a link out of it: planning opens nothing, and a file that is no recording is not written to.

use crate::common::{context, request, turn};
use crate::desk::{Desk, find};
use std::os::unix::fs::symlink;
use synod_engine::Models;
use synod_llm::Registry;

const RECORDS: &str = "[endpoints.tape]\nkind = \"cassette\"\npath = \"tape.jsonl\"\nrecord = \"rehearsal\"\n[panels.default]\nseats = [\"tape/a\", \"tape/b\", \"tape/c\"]\n";

const VICTIM: &str = "export PATH=$PATH:~/bin\n";

/// A repository beside a home with something to lose, and a link from one into the other.
fn repository(file: &str, link: &str, to: &str) -> Desk {
    let desk = Desk::new().here(file);
    std::fs::create_dir(desk.path("home")).expect("a folder");
    std::fs::write(desk.path("home/victim"), VICTIM).expect("writes");
    if let Some(folder) = desk.path("here").join(link).parent() {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    symlink(to, desk.path("here").join(link)).expect("links");
    desk
}

fn untouched(desk: &Desk) {
    assert_eq!(std::fs::read_to_string(desk.path("home/victim")).expect("still there"), VICTIM);
    assert_eq!(std::fs::read_dir(desk.path("home")).expect("still there").count(), 1);
}

#[tokio::test]
async fn a_tape_that_is_a_link_destroys_nothing() {
    let desk = repository(RECORDS, "tape.jsonl", "../home/victim");
    let problems = desk.problems();
    find(&problems, "endpoints.tape.record");
    assert!(find(&problems, "endpoints.tape.path").got.contains("link"), "{problems:#?}");
    untouched(&desk);
    // Even where the directory is trusted: planning opens nothing, and a file that is no recording is not written to.
    let trusting = format!("trusted = [{:?}]\n", desk.path("here").display().to_string());
    let desk = desk.mine(&trusting);
    let registry = Registry::with_env(desk.load(), std::sync::Arc::new(|_| None));
    let seats = registry.panel("default").expect("a panel").seats.clone();
    let models: Vec<_> = seats.iter().map(|seat| registry.open(&registry.resolve("seats", seat).expect("resolves")).expect("opens")).collect();
    untouched(&desk);
    for model in models {
        turn(&*model, &request("a"), &context()).await.expect_err("no recording");
    }
    untouched(&desk);
}
