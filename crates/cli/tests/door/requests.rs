//! What flags mean together: which panel sits, what a fork keeps, and that nothing given is dropped without a word.

use crate::house::{Did, House};
use serde_json::Value;

const PANELS: &str = "[panels.default]\nseats = [\"rehearsal/sceptic\", \"rehearsal/pragmatist\", \"rehearsal/advocate\"]\nchair = \"rehearsal/engineer\"\n\
    [panels.small]\nseats = [\"rehearsal/sceptic\", \"rehearsal/advocate\"]\nchair = \"rehearsal/pragmatist\"\n[limits]\ndeadline_secs = 500\n";

const CARDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/postgres-vs-mongodb/cards.yaml");

/// The models of a run's panel.
fn panel(house: &House) -> Vec<String> {
    let shown = house.synod(&["show", "last", "--json"]).exits(0).json();
    let seats = shown["header"]["seats"].as_array().expect("seats").iter().filter(|seat| seat["place"] == "panel");
    seats.map(|seat| seat["model"].as_str().expect("a model").to_owned()).collect()
}

fn fields(document: &Value) -> Vec<&str> {
    document["errors"].as_array().expect("errors").iter().map(|error| error["field"].as_str().expect("a field")).collect()
}

#[test]
fn decide_seats_the_panel_that_is_named_and_no_chair() {
    let house = House::with(PANELS);
    for (flags, seats) in [(&["--panel=small"][..], 2), (&["--panel"], 3), (&["--panel=default"], 3), (&["--panel", "--rehearse"], 4), (&[], 0)] {
        let mut args = vec!["decide", CARDS, "--json", "-q"];
        args.extend(flags);
        let decided = house.synod(&args);
        assert!([0, 3, 4].contains(&decided.code), "{flags:?}: {}", decided.err);
        assert_eq!(panel(&house).iter().collect::<std::collections::BTreeSet<_>>().len(), seats, "{flags:?}");
        assert!(!decided.out.contains("has no chair"), "{flags:?}: {}", decided.out);
    }
    assert_eq!(fields(&house.synod(&["decide", CARDS, "--panel=nonesuch", "--json"]).exits(2).json()), ["panel"]);
    assert_eq!(fields(&house.synod(&["decide", CARDS, "--panel=small", "--rehearse", "--json"]).exits(2).json()), ["panel"]);
}

#[test]
fn a_rehearsal_and_a_panel_exclude_each_other() {
    let house = House::with(PANELS);
    house.synod(&["ask", "Why?", "--rehearse", "--panel", "small"]).exits(2);
}

#[test]
fn a_mistake_in_a_decision_file_is_told_before_anything_is_opened() {
    let house = House::bare();
    house.write("work/synod.toml", "nonsense = 1\n");
    assert_eq!(fields(&house.synod(&["decide", "nofile.yaml", "--json"]).exits(2).json()), ["file"]);
    assert!(!house.db().exists(), "no database was made");
}

#[test]
fn a_fork_keeps_its_panel_where_another_cannot_be_had_and_tells_one_mistake() {
    let house = House::with(PANELS);
    house.synod(&["ask", "Why?", "--json", "-q"]).exits(0);
    assert_eq!(fields(&house.synod(&["resume", "last", "--fork", "--panel", "zzz", "--json"]).exits(2).json()), ["panel"]);
}

#[test]
fn work_in_no_list_can_be_forked_and_has_its_modes_own_times() {
    let house = House::with(PANELS);
    let text = house.write("t.txt", "I have kept bees for thirty years, and I never trust a forecast.");
    house.synod(&["persona", "new", "Ada Example", "--from", text.to_str().expect("UTF-8"), "--rehearse"]).exits(0);
    let shown = house.synod(&["show", "last", "--json"]).exits(0).json();
    assert_ne!(shown["header"]["limits"]["run_ms"], 500_000, "a deadline for questions is none for drafts");
    house.synod(&["resume", "last", "--fork", "--json", "-q"]).exits(0);
    // But no name leads to it, from no run.
    house.synod(&["ask", "Why?", "--json", "-q"]).exits(0);
    let named = house.synod(&["resume", "last", "--fork", "--mode", "persona_draft", "--json", "-q"]).exits(2);
    assert_eq!(fields(&named.json())[0], "mode");
    assert!(!named.json()["errors"][0]["want"].to_string().contains("persona_draft"), "{}", named.out);
}

#[test]
fn a_resume_tells_every_flag_that_is_wrong_or_fixed() {
    let house = House::with(PANELS);
    house.synod(&["ask", "Why?", "--json", "-q"]).exits(0);
    let told = house.synod(&["resume", "last", "--role", "b", "--set", "q", "--seed", "z", "--json"]).exits(2).json();
    assert_eq!(fields(&told), ["role", "set", "seed", "role", "set", "seed"]);
    let other = house.synod(&["resume", "last", "--continue", "--mode", "roundtable", "--json"]).exits(2).json();
    assert!(fields(&other).contains(&"continue"), "{other}");
}

#[test]
fn every_document_of_a_stop_names_the_command_that_goes_on() {
    let house = House::with(PANELS);
    let mut seed = 0;
    let stopped = loop {
        seed += 1;
        assert!(seed < 200, "no tie in 200 seeds");
        let asked = house.synod(&["ask", "Tea or coffee?", "--mode", "vote", "--tiebreaker", "person", "--seed", &seed.to_string(), "--json", "-q"]);
        if asked.code == 4 {
            break asked.json();
        }
    };
    let run = stopped["run"].as_str().expect("its id");
    let next = Value::from(format!("synod review {run}"));
    assert_eq!((&stopped["stopped"]["next"], &stopped["stopped"]["action"]["kind"]), (&next, &Value::from("answer")));
    let watched = house.synod(&["watch", run, "--json"]).out;
    let event: Value = serde_json::from_str(watched.lines().last().expect("events")).expect("JSON");
    assert_eq!((&event["type"], &event["data"]["next"]), (&Value::from("stopped"), &next));
}

#[test]
fn the_environment_fixes_the_date_and_a_fork_keeps_it() {
    let house = House::bare();
    let on = |day: &str, args: &[&str]| Did::of(house.command(args).env("SYNOD_TODAY", day).output().expect("synod runs"));
    let header = || house.synod(&["show", "last", "--json"]).exits(0).json()["header"].clone();
    let ask = ["ask", "--mode", "vote", "--rehearse", "--json", "-q", "Tea?"];
    on("2024-02-29", &ask).exits(0);
    assert_eq!(header()["today"], "2024-02-29");
    on("2025-01-01", &["resume", &house.last(), "--fork", "--json", "-q"]).exits(0);
    assert_eq!(header()["today"], "2024-02-29", "its parent's");
    on("", &ask).exits(0);
    assert!(header()["today"].as_str().is_some_and(|day| day.len() == 10 && day != "2024-02-29"), "the clock's");
    let runs = house.synod(&["runs", "--json"]).json();
    let refused = on("2023-02-29", &ask).exits(2);
    assert_eq!(refused.json()["errors"][0]["field"], "today");
    assert_eq!(house.synod(&["runs", "--json"]).json(), runs, "nothing was written");
    let told = on("soon", &["ask", "--mode", "vote", "--rehearse", "Tea?"]).exits(2);
    assert!(told.err.contains("SYNOD_TODAY"), "{}", told.err);
}
