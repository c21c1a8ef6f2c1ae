//! `kill -9` at any instant of the real binary, then `synod resume`.

use crate::house::{Did, House, essence};
use synod_testkit::server::{ANY, Fault};

#[test]
fn killed_at_any_instant_a_run_ends_as_if_undisturbed() {
    for mode in ["council", "vote"] {
        let house = House::new();
        let whole = house.ask(mode, &[]).exits(0).json();
        let calls = house.server.total();
        house.server.script(ANY, Fault::latency_ms(40));
        for (call, later_ms) in [(1, 0), (1, 20), (3, 30), (4, 0), (5, 10), (7, 0), (7, 60)] {
            let before = house.server.total();
            let at = before + u64::min(call, calls);
            let args =
                ["ask", "--mode", mode, "--models", "x/a,x/b,x/c", "--chair", "x/d", "--seed", "7", "--json", "-q", "Is tea better than coffee?"];
            house.killed(&args, || house.server.total() >= at, later_ms);
            let resumed = house.synod(&["resume", "last", "--json", "-q"]).exits(0).json();
            assert_eq!(essence(&resumed), essence(&whole), "{mode} killed {later_ms} ms after call {call}");
            let reasked = resumed["receipt"]["calls"]["reasked"].as_u64().expect("a count");
            assert!(house.server.total() - before <= calls + reasked, "{mode} killed {later_ms} ms after call {call}: more calls than rows say");
            house.synod(&["verify", "last"]).exits(0);
        }
    }
}

#[test]
fn an_interrupted_run_is_listed_and_taken_up_at_once() {
    let house = House::new();
    house.server.script("b", Fault::Hang);
    let two_of_three = || house.server.total() >= 3 && house.count("SELECT COUNT(*) FROM journal WHERE kind = 'replied'") == 2;
    house.killed(&["ask", "--models", "x/a,x/b,x/c", "--json", "-q", "Tea?"], two_of_three, 0);
    let listed = house.synod(&["runs", "--json"]).json();
    assert_eq!(listed["runs"][0]["state"], "interrupted", "{listed}");
    let watched = house.synod(&["watch", "last"]).exits(4);
    assert!(watched.err.contains("synod resume"), "a watcher is told, not left hanging: {}", watched.err);
    house.server.behave();
    let did: Did = house.synod(&["resume", "last", "--json", "-q"]).exits(0);
    assert_eq!(did.json()["receipt"]["calls"]["reasked"], 1);
}
