//! `kill -9` at any instant of the real binary, then `synod resume`.

use crate::house::{Did, House, essence};
use std::process::Stdio;
use std::time::Duration;
use synod_testkit::server::{ANY, Fault};

#[test]
fn killed_at_any_instant_a_run_ends_as_if_undisturbed() {
    for mode in ["council", "vote"] {
        let house = House::new();
        let whole = house.ask(mode, &[]).exits(0).json();
        let calls = house.server.total();
        house.server.script(ANY, Fault::latency_ms(40));
        let mut hit = 0;
        for after_ms in [60, 90, 120, 150, 180, 220, 400] {
            let before = house.server.total();
            let args =
                ["ask", "--mode", mode, "--models", "x/a,x/b,x/c", "--chair", "x/d", "--seed", "7", "--json", "-q", "Is tea better than coffee?"];
            let runs = house.synod(&["runs", "--limit", "1000", "--json"]).json()["runs"].as_array().map_or(0, Vec::len);
            let mut child = house.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("synod runs");
            std::thread::sleep(Duration::from_millis(after_ms));
            child.kill().expect("it is killed");
            child.wait().expect("it is gone");
            let listed = house.synod(&["runs", "--limit", "1000", "--json"]).json();
            let listed = listed["runs"].as_array().expect("runs");
            if listed.len() == runs {
                continue; // Killed before there was a run.
            }
            hit += 1;
            let run = listed[0]["id"].as_str().expect("its id");
            let resumed = house.synod(&["resume", run, "--json", "-q"]).exits(0).json();
            assert_eq!(essence(&resumed), essence(&whole), "{mode} killed after {after_ms} ms");
            let reasked = resumed["receipt"]["calls"]["reasked"].as_u64().expect("a count");
            assert!(house.server.total() - before <= calls + reasked, "{mode} killed after {after_ms} ms: more calls than rows say");
            house.synod(&["verify", run]).exits(0);
        }
        assert!(hit > 0, "{mode}: every kill came before there was a run");
    }
}

#[test]
fn an_interrupted_run_is_listed_and_taken_up_at_once() {
    let house = House::new();
    house.server.script("b", Fault::Hang);
    let mut child = house.command(&["ask", "--models", "x/a,x/b,x/c", "--json", "-q", "Tea?"]).stdout(Stdio::null()).spawn().expect("synod runs");
    std::thread::sleep(Duration::from_millis(400));
    child.kill().expect("it is killed");
    child.wait().expect("it is gone");
    let listed = house.synod(&["runs", "--json"]).json();
    assert_eq!(listed["runs"][0]["state"], "interrupted", "{listed}");
    let watched = house.synod(&["watch", "last"]).exits(4);
    assert!(watched.err.contains("synod resume"), "a watcher is told, not left hanging: {}", watched.err);
    house.server.behave();
    let did: Did = house.synod(&["resume", "last", "--json", "-q"]).exits(0);
    assert_eq!(did.json()["receipt"]["calls"]["reasked"], 1);
}
