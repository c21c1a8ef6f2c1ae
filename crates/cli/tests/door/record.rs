//! The record: verified, altered, replayed, diverged, forked, exported.

use crate::house::{House, essence};
use serde_json::{Value, json};

#[test]
fn an_intact_record_verifies_and_replays_with_no_call() {
    for mode in ["council", "vote"] {
        let house = House::new();
        house.ask(mode, &[]).exits(0);
        let calls = house.server.total();
        house.synod(&["verify", "last"]).exits(0);
        let replayed = house.synod(&["replay", "last", "--json"]).exits(0).json();
        assert_eq!((&replayed["same"], house.server.total()), (&json!(true), calls), "{mode}");
    }
}

#[test]
fn one_altered_byte_is_found_and_named() {
    for (what, sql) in [
        ("rank", "UPDATE journal SET body = replace(body, 'reasons', 'reasonz') WHERE kind = 'said' AND key = 'rank/rank@1'"),
        ("raw", "UPDATE raws SET body = replace(body, 'text', 'tezt') WHERE key = 'collect/answer@0'"),
        ("verdict", "UPDATE journal SET body = replace(body, '\"full\"', '\"fuIl\"') WHERE kind = 'verdict'"),
        ("shown", "UPDATE journal SET body = replace(body, 'Synthesis', 'synthesis') WHERE kind = 'shown' AND key LIKE 'synthesis/%'"),
    ] {
        let house = House::new();
        house.ask("council", &[]).exits(0);
        assert_eq!(house.sql(sql), 1, "{what}: one row is altered");
        let did = house.synod(&["verify", "last"]).exits(1);
        assert!(did.out.contains("Altered"), "{what}: {}", did.out);
    }
}

#[test]
fn an_edited_prompt_halts_a_resume_and_a_fork_goes_on() {
    let house = House::with("[models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = { input = 3.0, output = 15.0 }\n");
    let stopped = house.synod(&["ask", "--models", "m,m,m", "--seed", "7", "--budget", "0.1", "--json", "-q", "Tea?"]).exits(4).json();
    let run = stopped["run"].as_str().expect("its id").to_owned();
    let calls = house.server.total();
    house.write("config/synod/prompts/council/answer.md", "+++\nhistory = true\n+++\n# user\nBe brief. {{ question }}\n");
    let halted = house.synod(&["resume", &run, "--budget", "5", "--json", "-q"]).exits(4).json();
    assert_eq!(halted["stopped"]["reason"], "diverged");
    assert!(halted["stopped"]["detail"].to_string().contains("collect/answer@"), "{halted}");
    assert_eq!(house.server.total(), calls, "nothing was paid");
    let forked = house.synod(&["resume", &run, "--fork", "--budget", "5", "--json", "-q"]).exits(0).json();
    assert_eq!((&forked["parent"], &forked["status"]), (&json!(run), &json!("full")));
}

#[test]
fn a_fork_with_another_chair_pays_for_the_chair_alone() {
    let house = House::new();
    let first = house.ask("council", &[]).exits(0).json();
    let calls = house.server.total();
    let forked = house.synod(&["resume", "last", "--fork", "--chair", "x/e", "--json", "-q"]).exits(0).json();
    assert_eq!(house.server.total() - calls, 2, "its synthesis, and who is against that");
    assert_eq!((house.server.of_model("e"), &forked["decision"]), (1, &first["decision"]));
    assert_eq!(forked["parent"], first["run"]);
}

#[test]
fn a_fork_of_a_fork_pays_for_nothing_that_is_known() {
    let house = House::new();
    house.ask("council", &[]).exits(0);
    house.synod(&["resume", "last", "--fork", "--chair", "x/e", "--json", "-q"]).exits(0);
    let calls = house.server.total();
    house.synod(&["resume", "last", "--fork", "--chair", "x/d", "--json", "-q"]).exits(0);
    assert_eq!(house.server.total(), calls, "the first chair's words are in the grandparent");
    let replaced = house.synod(&["resume", "last", "--fork", "--models", "x/a,x/b,x/z", "--json", "-q"]).exits(0).json();
    assert_eq!(replaced["answer"]["by"], serde_json::json!([3]), "the chair stays");
    let voted = house.synod(&["resume", "last", "--fork", "--mode", "vote", "--json", "-q"]).exits(0).json();
    assert_eq!(voted["mode"], "vote");
}

#[test]
fn a_fork_takes_its_parents_place_in_a_conversation() {
    let house = House::new();
    let ask = ["ask", "--models", "x/a,x/b,x/c", "-q"];
    let first = house.synod(&[&ask[..], &["--conversation", "new", "Tea or coffee?"]].concat()).exits(0);
    let id = first.err.lines().find_map(|line| line.strip_prefix("Conversation ")).expect("its id").to_owned();
    house.synod(&["resume", "last", "--fork", "--chair", "x/e", "-q"]).exits(0);
    house.synod(&[&ask[..], &["--conversation", &id, "Why?"]].concat()).exits(0);
    let asked = house.server.requests();
    let follow_up = asked.iter().find(|ask| ask.last().contains("Why?") && ask.schema.is_none()).expect("a follow-up");
    assert_eq!(follow_up.text().matches("Tea or coffee?").count(), 1, "{}", follow_up.text());
}

#[test]
fn an_unknown_variable_in_a_users_prompt_is_told_at_once() {
    let house = House::new();
    house.write("config/synod/prompts/vote/vote.md", "# user\n{{ secret }}\n");
    let did = house.ask("council", &[]).exits(2);
    assert!(did.out.contains("secret") && did.out.contains("criteria"), "{}", did.out);
}

#[test]
fn exports_stand_by_themselves() {
    let house = House::new();
    let verdict = house.ask("council", &[]).exits(0).json();
    let markdown = house.synod(&["export", "last"]).exits(0).out;
    assert!(markdown.contains("Is tea better than coffee?"), "{markdown}");
    let html = house.synod(&["export", "last", "--format", "html"]).exits(0).out;
    assert!(html.contains("<svg") && !html.contains("<script") && !html.contains("http://") && !html.contains("src="), "self-contained, bars drawn");
    let export = house.synod(&["export", "last", "--format", "json"]).exits(0).json();
    assert_eq!((&export["verdict"], export["rows"].as_array().map(Vec::is_empty)), (&verdict, Some(false)));
    assert!(export["head"].as_str().is_some_and(|head| head.len() == 64));
    let out = house.path("report.html").display().to_string();
    house.synod(&["export", "last", "--format", "html", "--out", &out]).exits(0);
    assert_eq!(std::fs::read_to_string(out).expect("the file"), html);
}

#[test]
fn a_resume_of_an_ended_run_asks_nothing() {
    let house = House::new();
    let verdict = house.ask("council", &[]).exits(0).json();
    let again = house.synod(&["resume", "last", "--json", "-q"]).exits(0).json();
    assert_eq!((essence(&again), house.server.total()), (essence(&verdict), 8));
    assert_eq!(again["run"], verdict["run"]);
    let run = Value::String(house.last());
    assert_eq!(run, verdict["run"]);
}
