//! Seats that hang, are mute, talk garbage, sit twice or are dead: a verdict each time, with the right status and reasons.

use crate::house::House;
use serde_json::{Value, json};
use synod_testkit::server::Fault;

fn missing(verdict: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = verdict["missing"].as_array().expect("missing");
    rows.iter().map(|row| (text(&row["who"]), text(&row["phase"]), text(&row["why"]))).collect()
}

fn told(who: &str, phase: &str, why: &str) -> (String, String, String) {
    (who.into(), phase.into(), why.into())
}

#[test]
fn a_hanging_seat_is_given_up_and_named() {
    let house = House::new();
    house.server.script("b", Fault::Hang);
    let verdict = house.ask("council", &["--timeout", "0.4"]).exits(0).json();
    assert_eq!(verdict["status"], "degraded");
    assert_eq!(missing(&verdict), [told("x/b", "collect", "timeout")]);
    assert!(verdict["warnings"].to_string().contains("Only two answers"), "{}", verdict["warnings"]);
}

#[test]
fn a_mute_seat_is_a_failure_not_an_empty_answer() {
    for mode in ["council", "vote"] {
        let house = House::new();
        house.server.script("c", Fault::Empty);
        let verdict = house.ask(mode, &[]).exits(0).json();
        assert_eq!(verdict["status"], "degraded", "{mode}");
        assert!(missing(&verdict).contains(&told("x/c", "collect", "empty")), "{mode}: {:?}", missing(&verdict));
    }
}

#[test]
fn a_seat_that_talks_garbage_is_repaired_once_then_abstains() {
    for (mode, phase) in [("council", "rank"), ("vote", "vote")] {
        let house = House::new();
        house.server.reply("b", |ask| match &ask.schema {
            None => synod_testkit::server::Say::by_default(ask, 8),
            Some(_) => synod_testkit::server::Say::text("I like the second one, or perhaps the first."),
        });
        let verdict = house.ask(mode, &[]).exits(0).json();
        assert_eq!(verdict["status"], "degraded", "{mode}");
        assert_eq!(missing(&verdict), [told("x/b", phase, "unreadable")], "{mode}");
        assert_eq!(verdict["receipt"]["calls"]["extra"], 1, "{mode}: one repair turn");
    }
}

#[test]
fn one_model_may_sit_twice() {
    let house = House::new();
    let verdict = house.synod(&["ask", "--models", "x/a,x/a,x/b", "--chair", "x/a", "--json", "-q", "Tea?"]).exits(0).json();
    assert_eq!(verdict["status"], "full");
    assert_eq!((house.server.total(), house.server.of_model("a")), (8, 6), "the clerk is of the chair's model");
}

#[test]
fn all_seats_dead_is_no_quorum_with_each_seats_reason() {
    let house = House::new();
    house.server.script("a", Fault::Unauthorized);
    house.server.script("b", Fault::ModelGone);
    house.server.script("c", Fault::Hang);
    let verdict = house.ask("vote", &["--timeout", "0.4"]).exits(3).json();
    assert_eq!((&verdict["status"], &verdict["answer"]), (&json!("no_quorum"), &Value::Null));
    assert_eq!(missing(&verdict), [told("x/a", "collect", "auth"), told("x/b", "collect", "model_gone"), told("x/c", "collect", "timeout")]);
    let shown = house.synod(&["show", "last"]).exits(0).out;
    assert!(shown.contains("x/b") && shown.contains("--fork"), "it gives the command that goes on: {shown}");
}

#[test]
fn a_chair_that_fails_is_replaced_and_the_verdict_says_so() {
    let house = House::new();
    house.server.script("d", Fault::server_error());
    let verdict = house.ask("council", &[]).exits(0).json();
    assert_eq!((&verdict["status"], &verdict["answer"]["kind"]), (&json!("degraded"), &json!("synthesis")));
    assert_eq!(missing(&verdict), [told("x/d", "synthesis", "server")]);
    assert_ne!(verdict["answer"]["by"], json!([3]));
    assert!(verdict["warnings"].to_string().contains("took over"), "{}", verdict["warnings"]);
}

#[test]
fn a_synthesis_that_was_cut_off_says_so() {
    let house = House::new();
    house.server.script("d", Fault::Truncated);
    let verdict = house.ask("council", &[]).exits(0).json();
    assert!(verdict["warnings"].to_string().contains("cut off"), "{}", verdict["warnings"]);
}

#[test]
fn a_vote_that_never_came_is_not_an_invalid_one() {
    let house = House::new();
    house.server.reply("b", |ask| match &ask.schema {
        None => synod_testkit::server::Say::by_default(ask, 8),
        Some(_) => synod_testkit::server::Say::fault(Fault::ModelGone),
    });
    house.ask("vote", &[]).exits(0);
    let shown = house.synod(&["show", "last", "--json"]).json();
    let tally = shown["rows"].as_array().expect("rows").iter().find(|row| row["key"] == "vote/show vote_tally").expect("a tally").clone();
    let tally: Value = serde_json::from_str(tally["body"].as_str().expect("a body")).expect("JSON");
    assert_eq!((&tally["exhibit"]["data"]["validVoteCount"], &tally["exhibit"]["data"]["invalidVoteCount"]), (&json!(2), &json!(0)));
}

#[test]
fn require_full_turns_a_degraded_verdict_into_exit_3() {
    let house = House::new();
    house.server.script("c", Fault::Empty);
    house.ask("council", &["--require", "full"]).exits(3);
    house.server.behave();
    house.ask("council", &["--require", "full"]).exits(0);
}

#[test]
fn a_rate_limit_is_waited_out_inside_one_call() {
    let house = House::new();
    house.server.script_next("a", 1, Fault::rate_limited("0"));
    let verdict = house.ask("council", &[]).exits(0).json();
    assert_eq!(verdict["status"], "full");
    assert_eq!(verdict["receipt"]["calls"], json!({"planned": 8, "extra": 0, "reasked": 0}));
    assert_eq!(house.server.total(), 9);
}
