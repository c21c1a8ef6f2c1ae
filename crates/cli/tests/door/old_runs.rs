//! Runs written by an earlier program: shown, verified, exported and forked, whatever has changed since; resumed and replayed where their mode is
//! still of the same version, and refused by name where it is not.

use crate::house::House;
use serde_json::{Value, json};
use std::io::Read;

const DATABASE: &[u8] = include_bytes!("../fixtures/v1.db.gz");

/// A house whose database is the old one, and whose model server stands for its endpoint `fake`.
fn old_house() -> House {
    let house = House::new();
    let price = "price = { input = 5.0, output = 25.0 }";
    let models: String =
        ["a", "b", "c", "gone", "slow"].iter().map(|id| format!("[models.{id}]\nendpoint = \"fake\"\nid = \"{id}\"\n{price}\n")).collect();
    let config = format!("[endpoints.fake]\nkind = \"openai\"\nbase_url = \"{}\"\nbackoff_ms = 1\n{models}", house.server.url());
    house.write("config/synod/synod.toml", &config);
    let mut database = Vec::new();
    flate2::read::GzDecoder::new(DATABASE).read_to_end(&mut database).expect("a compressed file");
    std::fs::create_dir_all(house.path("data/synod")).expect("a folder");
    std::fs::write(house.db(), database).expect("a file");
    house
}

struct OldRun {
    id: String,
    mode: String,
    state: String,
    /// The mode's version has risen since.
    outdated: bool,
}

fn old_runs(house: &House) -> Vec<OldRun> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let listed = house.synod(&["runs", "--json", "--limit", "100"]).exits(0).json();
    let runs = listed["runs"].as_array().expect("runs").iter().map(|run| {
        let mode = text(&run["mode"]);
        let known = house.synod(&["modes", &mode, "--json"]).exits(0).json();
        OldRun { id: text(&run["id"]), state: text(&run["state"]), outdated: known["version"] != 1, mode }
    });
    runs.collect()
}

fn only(house: &House, mode: &str, state: &str) -> OldRun {
    let mut found: Vec<OldRun> = old_runs(house).into_iter().filter(|run| run.mode == mode && run.state == state).collect();
    assert_eq!(found.len(), 1, "{mode}, {state}");
    found.remove(0)
}

#[test]
fn each_is_shown_verified_and_exported() {
    let house = old_house();
    let runs = old_runs(&house);
    let modes: std::collections::BTreeSet<&str> = runs.iter().map(|run| run.mode.as_str()).collect();
    assert_eq!(modes.len(), 18, "a run of every mode: {modes:?}");
    for OldRun { id, mode, state, .. } in &runs {
        let shown = house.synod(&["show", id, "--full"]).exits(0);
        assert!(!shown.out.contains("cannot be read") && shown.out.contains(id.as_str()), "{mode}: {}", shown.out);
        let gone = shown.out.contains("is gone") && shown.out.contains(&format!("synod resume {id} ")) && !shown.out.contains("synod watch");
        assert!(gone || state != "interrupted", "{mode}: {}", shown.out);
        let verified = house.synod(&["verify", id]).exits(0);
        assert!(verified.out.contains("Intact"), "{mode}: {}", verified.out);
        assert!(house.synod(&["export", id]).exits(0).out.starts_with('#'), "{mode}");
        assert!(house.synod(&["export", id, "--format", "html"]).exits(0).out.contains("</html>"), "{mode}");
        let exported = house.synod(&["export", id, "--format", "json"]).exits(0).json();
        // That a process is gone is not in the rows.
        let told = if state == "interrupted" { "running" } else { state };
        assert_eq!(exported["state"], told, "{mode}");
    }
    assert_eq!(house.server.total(), 0, "nobody was asked");
}

#[test]
fn each_is_counted_from_its_journal_once() {
    let house = old_house();
    let counted = old_runs(&house).iter().filter(|run| ["complete", "lost", "stopped", "waiting"].contains(&run.state.as_str())).count();
    for _ in 0..2 {
        let numbers = house.synod(&["stats", "--range", "all", "--rehearsals", "--json"]).exits(0).json();
        assert_eq!(numbers["runs"], json!(counted));
        let turns: u64 = numbers["models"].as_array().expect("models").iter().filter_map(|model| model["all"]["turns"].as_u64()).sum();
        assert!(turns > counted as u64, "{numbers}");
    }
}

#[test]
fn each_replays_to_the_same_verdict_or_names_both_versions() {
    let house = old_house();
    let runs = old_runs(&house);
    for OldRun { id, mode, outdated, .. } in runs.iter().filter(|run| ["complete", "lost"].contains(&run.state.as_str())) {
        let replayed = house.synod(&["replay", id, "--json"]);
        if *outdated {
            names_both_versions(&replayed.exits(2).json(), mode);
        } else {
            assert_eq!(replayed.exits(0).json()["same"], true, "{mode}");
        }
    }
    assert_eq!(house.server.total(), 0, "nobody was asked");
}

fn names_both_versions(refused: &Value, mode: &str) {
    let error = &refused["errors"][0];
    assert_eq!((&error["code"], &error["field"]), (&json!("other_version"), &json!("run")), "{mode}: {refused}");
    let got = error["got"].as_str().unwrap_or_default();
    let now = got.rsplit_once("this program has version ").and_then(|(_, version)| version.parse::<u32>().ok());
    assert!(got.contains(&format!("version 1 of {mode}")) && now.is_some_and(|now| now > 1), "{mode}: {got}");
}

#[test]
fn each_finished_rehearsal_is_forked_at_no_cost_or_anew() {
    let house = old_house();
    for OldRun { id, mode, outdated, .. } in old_runs(&house).iter().filter(|run| run.state == "complete") {
        let before = house.synod(&["show", id, "--json"]).exits(0).json();
        let forked = house.synod(&["resume", id, "--fork", "--json", "-q"]).exits(0).json();
        assert_eq!(forked["parent"], **id, "{mode}");
        if !outdated {
            for part in ["status", "answer", "decision", "confidence", "dissent"] {
                assert_eq!(forked[part], before["verdict"][part], "{mode}: {part}");
            }
            // Seats are laid anew, and one model on several of them is told since.
            let told: Vec<&Value> =
                forked["warnings"].as_array().into_iter().flatten().filter(|told| !told.to_string().contains("share its mistakes")).collect();
            assert_eq!(json!(told), before["verdict"]["warnings"], "{mode}: warnings");
            assert_eq!(forked["receipt"]["calls"], json!({"planned": 0, "extra": 0, "reasked": 0}), "{mode}");
        }
    }
    assert_eq!(house.server.total(), 0, "rehearsals ask nobody");
}

#[test]
fn none_has_a_date_and_neither_has_its_fork() {
    let house = old_house();
    let stopped = only(&house, "roundtable", "stopped");
    let forked = house.synod(&["resume", &stopped.id, "--fork", "--json", "-q"]).exits(0).json();
    for run in [stopped.id.as_str(), forked["run"].as_str().expect("a run")] {
        assert_eq!(house.synod(&["show", run, "--json"]).exits(0).json()["header"].get("today"), None);
    }
}

#[test]
fn one_stopped_by_its_budget_is_forked_anew() {
    let house = old_house();
    let stopped = only(&house, "council", "stopped");
    names_both_versions(&house.synod(&["resume", &stopped.id, "--budget", "5", "--json", "-q"]).exits(2).json(), "council");
    let verdict = house.synod(&["resume", &stopped.id, "--fork", "--budget", "5", "--json", "-q"]).exits(0).json();
    assert_eq!((&verdict["parent"], house.server.total()), (&json!(stopped.id), 8), "every question is put in other words now");
}

#[test]
fn one_that_waits_and_one_killed_are_shown_and_forked() {
    let house = old_house();
    let waiting = only(&house, "vote", "waiting");
    let asked = house.synod(&["runs", "--waiting", "--json"]).exits(0).json();
    let choice = asked["runs"][0]["waiting"][0]["choices"][0].as_str().expect("a choice").to_owned();
    names_both_versions(&house.synod(&["review", &waiting.id, "--answer", &choice, "--json", "-q"]).exits(2).json(), "vote");
    let killed = only(&house, "council", "interrupted");
    names_both_versions(&house.synod(&["resume", &killed.id, "--json", "-q"]).exits(2).json(), "council");
    let verdict = house.synod(&["resume", &killed.id, "--fork", "--json", "-q"]).exits(0).json();
    assert_eq!((&verdict["status"], &verdict["parent"]), (&json!("full"), &json!(killed.id)));
}

#[test]
fn one_of_an_older_version_is_not_resumed_but_forked() {
    let house = old_house();
    let stopped = only(&house, "roundtable", "stopped");
    assert!(stopped.outdated);
    names_both_versions(&house.synod(&["resume", &stopped.id, "--json", "-q"]).exits(2).json(), "roundtable");
    let told = house.synod(&["resume", &stopped.id]).exits(2);
    assert!(told.err.contains("--fork"), "{}", told.err);
    let forked = house.synod(&["resume", &stopped.id, "--fork", "--json", "-q"]).exits(0).json();
    assert_eq!(forked["parent"], *stopped.id);
}

#[test]
fn a_lost_one_is_forked_with_other_models_and_a_conversation_goes_on() {
    let house = old_house();
    let lost = only(&house, "council", "lost");
    house.synod(&["resume", &lost.id, "--json", "-q"]).exits(3);
    let forked = house.synod(&["resume", &lost.id, "--fork", "--models", "a,b,c", "--json", "-q"]).exits(0).json();
    assert_eq!(forked["status"], "full");
    let runs = house.synod(&["runs", "--json", "--limit", "100"]).exits(0).json();
    let conversation = runs["runs"].as_array().expect("runs").iter().find_map(|run| run["conversation"].as_str()).expect("a conversation").to_owned();
    house.synod(&["ask", "--rehearse", "--conversation", &conversation, "--json", "-q", "And white tea?"]).exits(0);
}
