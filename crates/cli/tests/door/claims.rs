//! Claims at the command line: through all layers with one command, sent back by a person, killed in the middle, paid for within a budget.

use crate::house::{Did, House};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use synod_testkit::server::{ANY, Ask, Fault, Say};

const CLAIM: &str = "Dogs can recognise themselves by smell";

/// A valid submission to whatever slot is asked for.
fn submission(ask: &Ask, confidence: f64) -> Value {
    let schema = ask.schema.clone().unwrap_or_default();
    let words = format!("{} says something about the matter, in a few words.", ask.model);
    if !schema["properties"]["reasons"].is_null() {
        return json!({"reasons": "They agree.", "summary": "Merged into one."});
    }
    let mut reply = json!({"output": words, "confidence": confidence});
    let form = &schema["properties"]["structuredOutput"];
    if let Some(fields) = form["properties"].as_object() {
        let value = |name: &String, field: &Value| match name.as_str() {
            "domain" => json!("Cognitive Ethology"),
            "recommendation" => json!("accept-with-caveats"),
            "summary" => json!(format!("{}: it holds in part.", ask.model)),
            _ => match field["enum"].as_array() {
                Some(choices) => choices[0].clone(),
                None if field["type"] == "array" => json!([format!("A point by {}.", ask.model)]),
                None => json!("Something."),
            },
        };
        reply["structuredOutput"] = fields.iter().map(|(name, field)| (name.clone(), value(name, field))).collect();
    }
    reply
}

fn well_behaved(house: &House) {
    house.server.reply(ANY, |ask| Say::json(&submission(ask, 0.8)));
}

fn run(house: &House, more: &[&str]) -> Did {
    let mut args = vec!["claim", "run", "--json", "-q"];
    args.extend(more);
    args.push(CLAIM);
    house.synod(&args)
}

#[test]
fn a_person_at_a_terminal_decides_what_becomes_of_a_flag() {
    let house = House::bare();
    house.synod(&["claim", "run", "--rehearse", "--low", "4", CLAIM]).exits(4);
    let left = house.typing(&["claim", "review"], &["perhaps"]).exits(2);
    assert!(left.out.contains("Please: a number from 1 to 4") && left.out.contains("nothing was changed"), "{}", left.out);
    let did = house.typing(&["claim", "review"], &["3", "", "The panel was too timid."]).exits(0);
    for shown in ["was scored", "4. close", "Please: a few words why", "Cleared: override_pass. Next: synod claim resume"] {
        assert!(did.out.contains(shown), "{shown}: {}", did.out);
    }
    let done = house.synod(&["claim", "resume", "last"]).exits(0);
    assert!(done.out.contains("Recommendation"), "{}", done.out);
    let shown = house.synod(&["claim", "show", "last"]).exits(0);
    assert!(shown.out.contains("The panel was too timid."), "{}", shown.out);
    let nobody = house.typing(&["claim", "review"], &[]).exits(0);
    assert!(nobody.out.contains("No claim waits for a person."), "{}", nobody.out);
}

#[test]
fn one_command_takes_a_claim_through_all_seven_layers() {
    let house = House::bare();
    let did = house.synod(&["claim", "run", "--rehearse", CLAIM]).exits(0);
    for layer in ["framing", "classification", "evidence", "critique", "defense", "deliberation", "synthesis"] {
        assert!(did.err.contains(&format!("{layer} passed")), "{layer}: {}", did.err);
    }
    assert!(did.err.contains("domain: general-knowledge"), "{}", did.err);
    for shown in ["Rehearsal", "Recommendation", "Confidence"] {
        assert!(did.out.contains(shown), "{shown}: {}", did.out);
    }
    let listed = house.synod(&["claim", "list", "--json"]).json();
    let claim = &listed["claims"][0];
    assert_eq!(
        (&claim["pipeline"]["status"], &claim["claim"]["domain"], &claim["claim"]["rehearsal"]),
        (&json!("complete"), &json!("general-knowledge"), &json!(true))
    );
    let id = claim["claim"]["id"].as_str().expect("an id");
    let view = house.synod(&["claim", "show", id, "--json"]).json();
    assert_eq!(view["slots"].as_array().expect("slots").len(), 34);
    assert!(view["slots"].as_array().expect("slots").iter().all(|slot| slot["status"] == "done" && slot["notice"].is_null()), "{view}");
    assert!(view["record"]["merged"] == true && view["record"]["summaries"].as_array().expect("raw ones").len() == 3, "{}", view["record"]);
    // Nobody had two slots of one layer.
    let mut places: Vec<(u64, &str)> = view["slots"]
        .as_array()
        .expect("slots")
        .iter()
        .map(|slot| (slot["layer"].as_u64().expect("a layer"), slot["agentId"].as_str().expect("an agent")))
        .collect();
    places.sort_unstable();
    assert!(places.windows(2).all(|pair| pair[0] != pair[1]), "{places:?}");
    // Every slot is a run that can be checked.
    for slot in view["slots"].as_array().expect("slots").iter().take(3) {
        let run = slot["run"].as_str().expect("a run");
        house.synod(&["verify", run]).exits(0);
        house.synod(&["replay", run]).exits(0);
    }
    for (format, mark) in [("md", "# "), ("html", "<!doctype html>"), ("json", "\"pipeline\"")] {
        assert!(house.synod(&["claim", "export", id, "--format", format]).exits(0).out.contains(mark), "{format}");
    }
}

#[test]
fn a_low_layer_waits_for_a_person_and_goes_on_from_there() {
    let house = House::bare();
    let did = house.synod(&["claim", "run", "--rehearse", "--low", "4", CLAIM]).exits(4);
    assert!(did.err.contains("Layer 4 critique flagged: 0.40 against 0.70") && did.err.contains("synod claim review"), "{}", did.err);
    let id = house.synod(&["claim", "list", "--status", "flagged", "--json"]).json()["claims"][0]["claim"]["id"].as_str().expect("an id").to_owned();
    assert!(house.synod(&["claim", "review", &id]).exits(2).err.contains("synod claim clear"), "without a terminal the way is named");
    assert!(house.synod(&["claim", "clear", &id, "--resolution", "override_pass"]).exits(2).err.contains("note"));
    house.synod(&["claim", "clear", &id, "--note", "Name the samples."]).exits(0);
    house.synod(&["claim", "clear", &id]).exits(2);
    let did = house.synod(&["claim", "resume", &id, "--json", "-q"]).exits(0).json();
    assert_eq!(did["end"], "complete");
    let view = &did["claim"];
    let fourth: Vec<&Value> = view["layers"].as_array().expect("layers").iter().filter(|layer| layer["layer"] == 4).collect();
    assert_eq!((&fourth[0]["outcome"], &fourth[1]["outcome"], &fourth[1]["attempt"]), (&json!("flagged"), &json!("passed"), &json!(2)));
    assert_eq!((&view["flags"][0]["resolution"], &view["flags"][0]["clearedBy"]), (&json!("rerun_layer"), &json!("ada")));
    let shown = house.synod(&["claim", "show", &id]).exits(0).out;
    assert!(shown.contains("Name the samples.") && shown.contains("attempt"), "{shown}");
}

#[test]
fn the_note_and_the_last_attempt_reach_whoever_works_on_it_next() {
    let house = House::new();
    let low = Arc::new(AtomicBool::new(true));
    let script = low.clone();
    house.server.reply(ANY, move |ask| {
        let evidence = ask.text().contains("The layer \"evidence\" has this goal");
        let scores = ask.text().contains("You judge the work of one layer");
        Say::json(&submission(ask, if evidence && scores && script.load(Ordering::Relaxed) { 0.3 } else { 0.8 }))
    });
    let flagged = run(&house, &["--models", "x/a,x/b,x/c"]).exits(4).json();
    let id = flagged["claim"]["claim"]["id"].as_str().expect("an id");
    assert_eq!(flagged["claim"]["pipeline"]["currentLayer"], 3);
    low.store(false, Ordering::Relaxed);
    let before = house.server.total();
    house.synod(&["claim", "clear", id, "--resolution", "rerun_consensus", "--note", "Weigh the counter-evidence."]).exits(0);
    house.synod(&["claim", "resume", id, "-q"]).exits(0);
    let asked = house.server.requests();
    let again: Vec<_> =
        asked.iter().filter(|ask| ask.number > before && ask.text().contains("The layer \"evidence\"") && ask.text().contains("You judge")).collect();
    assert!(
        !again.is_empty()
            && again
                .iter()
                .all(|ask| ask.text().contains("Weigh the counter-evidence.") && ask.text().contains("Attempt 1 at this layer was sent back"))
    );
    // Nobody who writes for an open phase is shown what others wrote for it.
    for ask in
        asked.iter().filter(|ask| ask.text().contains("The layer \"framing\" has this goal") && ask.text().contains("You are one of several agents"))
    {
        assert!(!ask.text().contains("says something about the matter"), "{}", ask.text());
    }
}

#[test]
fn models_are_dealt_round_and_nobody_scores_what_only_they_wrote() {
    let house = House::new();
    well_behaved(&house);
    let view = run(&house, &["--models", "x/a,x/b"]).exits(0).json()["claim"].clone();
    let mut work: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for slot in view["slots"].as_array().expect("slots").iter().filter(|slot| slot["slotType"] == "work") {
        work.entry(slot["layer"].as_u64().expect("a layer")).or_default().push(slot["agentModel"].as_str().expect("a model"));
    }
    for (layer, models) in &work {
        assert!(models.contains(&"x/a") && models.contains(&"x/b"), "layer {layer}: {models:?}");
    }
    assert_eq!((&view["claim"]["domain"], &view["notices"]), (&json!("cognitive-ethology"), &json!([])));
    assert_eq!((&view["record"]["recommendation"], &view["record"]["summary"]), (&json!("accept-with-caveats"), &json!("Merged into one.")));

    let alone = run(&house, &["--models", "x/a", "--body", "Another claim."]).exits(0).json();
    let notices = alone["claim"]["notices"].as_array().expect("notices");
    assert!(
        notices.len() == 6 && notices[0]["text"].as_str().is_some_and(|text| text.contains("scored by x/a, which did all of its work")),
        "{notices:?}"
    );
}

#[test]
fn killed_at_any_instant_a_claim_goes_on_and_nothing_is_asked_again() {
    let house = House::new();
    well_behaved(&house);
    run(&house, &["--models", "x/a,x/b,x/c"]).exits(0);
    let calls = house.server.total();
    house.server.script(ANY, Fault::latency_ms(30));
    let mut hit = 0;
    for (n, tenth) in [1, 3, 5, 7, 9].into_iter().enumerate() {
        let before = house.server.total();
        let title = format!("{CLAIM}, {n}");
        let at = before + calls * tenth / 10;
        house.killed(&["claim", "run", "-q", "--models", "x/a,x/b,x/c", &title], || house.server.total() > at, 10);
        let listed = house.synod(&["claim", "list", "--limit", "1", "--json"]).json();
        let claim = &listed["claims"][0];
        if claim["claim"]["title"] != title.as_str() || claim["pipeline"]["status"] == "complete" {
            continue; // Killed before there was a claim, or after it was done.
        }
        hit += 1;
        let did = house.synod(&["claim", "resume", claim["claim"]["id"].as_str().expect("an id"), "--json", "-q"]).exits(0).json();
        assert_eq!(did["end"], "complete", "killed after {tenth} tenths of its calls");
        // A call in flight at the kill may have been answered and lost: those, and no others, are made again.
        let again = house.server.total() - before - calls;
        assert!(again <= 8, "killed after {tenth} tenths of its calls: {again} calls more than an undisturbed claim");
        assert_eq!(house.count("SELECT COUNT(*) FROM (SELECT run, key FROM journal WHERE kind = 'said' GROUP BY run, key HAVING COUNT(*) > 1)"), 0);
    }
    assert!(hit >= 2, "only {hit} kills came in the middle of a claim");
    assert_eq!(
        house.count("SELECT COUNT(*) FROM (SELECT slot_id FROM claim_runs JOIN runs ON id = run WHERE slot_id IS NOT NULL GROUP BY slot_id HAVING COUNT(*) > 1)"),
        0,
        "a slot has one run"
    );
}

#[test]
fn a_model_that_fails_is_replaced_and_a_panel_that_fails_says_so() {
    let house = House::new();
    well_behaved(&house);
    house.server.reply("b", |_| Say::text("{ this is no JSON and stays none"));
    let did = house.synod(&["claim", "run", "--models", "x/a,x/b,x/c", CLAIM]).exits(0);
    assert!(did.err.contains("x/b could not"), "{}", did.err);
    house.server.reply(ANY, |_| Say::text("{ no"));
    for model in ["a", "c"] {
        house.server.reply(model, |_| Say::text("{ no"));
    }
    let did = house.synod(&["claim", "run", "--models", "x/a,x/b", "Cats too"]).exits(3);
    assert!(did.err.contains("No model could fill the next slot") && did.err.contains("synod claim resume"), "{}", did.err);
    assert_eq!(house.count("SELECT COUNT(*) FROM claim_slots WHERE status = 'taken'"), 0, "everything is given back");
}

#[test]
fn prose_counts_as_work_without_a_vote_and_never_as_a_score() {
    let house = House::new();
    house.server.reply(ANY, |ask| match ask.text().contains("You are one of several agents") {
        true => Say::text("It belongs to the study of animals, as far as I can tell from here."),
        false => Say::json(&submission(ask, 0.9)),
    });
    let view = run(&house, &["--models", "x/a,x/b"]).exits(0).json()["claim"].clone();
    let work: Vec<&Value> = view["slots"].as_array().expect("slots").iter().filter(|slot| slot["slotType"] == "work").collect();
    assert!(work.iter().all(|slot| slot["confidence"] == 0.5 && slot["structuredOutput"].is_null()), "{work:?}");
    assert!(work.iter().any(|slot| slot["notice"].as_str().is_some_and(|notice| notice.contains("prose"))));
    assert_eq!(view["claim"]["domain"], "cognitive-ethology", "the consensus seats vote alone");
}

/// What one slot may cost at worst, and a tenth of a dollar: enough for some slots, and not for a claim.
fn a_little_more_than_a_slot(house: &House) -> f64 {
    let did = house.synod(&["claim", "run", "--models", "a", "--budget", "0.001", "Too dear"]).exits(4);
    let needed = did.err.split("may take $").nth(1).and_then(|rest| rest.split(". ").next()).and_then(|usd| usd.parse::<f64>().ok());
    needed.unwrap_or_else(|| panic!("{}", did.err)) + 0.1
}

#[test]
fn a_budget_holds_over_all_slots_and_a_higher_one_goes_on() {
    let prices = "[models.a]\nendpoint = \"x\"\nid = \"a\"\nprice = { input = 10.0, output = 50.0 }\n";
    let house = House::with(prices);
    well_behaved(&house);
    let budget = a_little_more_than_a_slot(&house);
    let did = run(&house, &["--models", "a", "--budget", &budget.to_string()]).exits(4).json();
    assert_eq!(did["end"], "budget");
    let spent = did["spentUsd"].as_f64().expect("an amount");
    assert!(spent > 0.0 && spent <= budget, "{spent}");
    let id = did["claim"]["claim"]["id"].as_str().expect("an id");
    let done = house.synod(&["claim", "resume", id, "--budget", "50", "--json", "-q"]).exits(0).json();
    assert!(done["end"] == "complete" && done["spentUsd"].as_f64().expect("an amount") > spent);
}

#[test]
fn repairs_are_paid_from_the_same_budget() {
    let prices = "[models.a]\nendpoint = \"x\"\nid = \"a\"\nprice = { input = 10.0, output = 50.0 }\n";
    let house = House::with(prices);
    // Every first reply is broken, so that every slot takes two calls.
    house.server.reply(ANY, |ask| match ask.messages.len() {
        0..=2 => Say::text(format!("{{ {}", "no ".repeat(900))),
        _ => Say::json(&submission(ask, 0.8)),
    });
    let budget = a_little_more_than_a_slot(&house);
    let did = run(&house, &["--models", "a", "--budget", &budget.to_string()]).exits(4).json();
    let spent = did["spentUsd"].as_f64().expect("an amount");
    assert!(did["end"] == "budget" && spent > 0.0 && spent <= budget, "{spent} of {budget}: {}", did["end"]);
}

#[test]
fn an_agent_works_on_what_is_open_and_ends_with_the_protocols_codes() {
    let house = House::new();
    well_behaved(&house);
    let work = |more: &[&str]| {
        let mut args = vec!["agent", "work", "--models", "x/a,x/b,x/c", "--json", "-q"];
        args.extend(more);
        house.synod(&args)
    };
    assert_eq!(work(&["--once"]).exits(2).json()["end"], "no_work");
    let id = house.synod(&["claim", "new", CLAIM, "--source", "https://a.example/x#y"]).exits(0).out.trim().to_owned();
    house.synod(&["claim", "new", "What if dogs could talk?", "--protocol", "lens-v1"]).exits(0);
    assert_eq!(work(&["--once"]).exits(0).json(), json!({"end": "done", "filled": 1}));
    assert_eq!(house.count("SELECT COUNT(*) FROM claim_slots WHERE status = 'done'"), 1);
    let filled = work(&[]).exits(0).json()["filled"].as_u64().expect("a count");
    assert_eq!(filled, 33 + 25);
    let view = house.synod(&["claim", "show", &id, "--json"]).json();
    assert_eq!(
        (&view["pipeline"]["status"], &view["record"]["merged"], &view["claim"]["sources"][0]["url"]),
        (&json!("complete"), &json!(true), &json!("https://a.example/x"))
    );
    // A rehearsal does not touch claims that are meant.
    house.synod(&["claim", "new", "Cats know their names"]).exits(0);
    assert_eq!(house.synod(&["agent", "work", "--rehearse", "--once", "--json", "-q"]).exits(2).json()["end"], "no_work");
}

#[test]
fn a_protocol_of_ones_own_comes_from_a_file_and_every_mistake_is_told() {
    let house = House::bare();
    let stage = json!({"layer": 1, "name": "look", "goal": "Look at it.", "workerSlots": [{"role": "looker", "count": 2}], "consensusCount": 1, "consensusThreshold": 0.5});
    house.write("work/own.json", &json!({"name": "own", "description": "One look.", "stages": [stage]}).to_string());
    let did = house.synod(&["claim", "run", "--rehearse", "--protocol", "./own.json", "--json", "-q", CLAIM]).exits(0).json();
    assert_eq!((did["claim"]["slots"].as_array().map(Vec::len), &did["claim"]["record"]["recommendation"]), (Some(3), &Value::Null));
    house.write("work/bad.json", &json!({"name": "Bad!", "description": "", "stages": [{"layer": 0, "name": "", "goal": "g", "consensusCount": 1, "consensusThreshold": 0.5}]}).to_string());
    let errors = house.synod(&["claim", "run", "--rehearse", "--protocol", "./bad.json", "--json", CLAIM]).exits(2).json();
    assert_eq!(errors["errors"].as_array().map(Vec::len), Some(3), "{errors}");
    assert!(house.synod(&["claim", "run", "--rehearse", "--protocol", "nothing", CLAIM]).exits(2).err.contains("protocol"));
    assert!(house.synod(&["claim", "protocols"]).exits(0).out.contains("own: 1 layers, 3 slots, 3 agents"));
    let long = format!("{CLAIM}, {}", "and so on, ".repeat(40));
    let did = house.synod(&["claim", "run", "--rehearse", "--protocol", "own", "--json", "-q", &long]).exits(0).json();
    let (title, body) = (&did["claim"]["claim"]["title"], &did["claim"]["claim"]["body"]);
    assert!(title.as_str().is_some_and(|title| title.ends_with(" …") && title.chars().count() <= 300) && *body == long.trim(), "{title}");
    let auto = house.synod(&["claim", "run", "--rehearse", "--protocol", "auto", "--json", "-q", "Is it so?"]).exits(0).json();
    assert_eq!((&auto["claim"]["claim"]["protocol"], auto["claim"]["slots"].as_array().map(Vec::len)), (&json!("prism-v1"), Some(40)));
}

#[test]
fn two_workers_share_a_claim_and_double_nothing() {
    let house = House::new();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = seen.clone();
    house.server.reply(ANY, move |ask| {
        kept.lock().expect("no panic").push(ask.text());
        Say::json(&submission(ask, 0.8))
    });
    house.server.script(ANY, Fault::latency_ms(20));
    for n in 0..3 {
        house.synod(&["claim", "new", &format!("{CLAIM}, {n}")]).exits(0);
    }
    let worker =
        || house.command(&["agent", "work", "--models", "x/a,x/b,x/c", "-q"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let workers = [worker(), worker()];
    for mut worker in workers {
        worker.wait().expect("it ends");
    }
    assert_eq!(house.count("SELECT COUNT(*) FROM claim_pipelines WHERE status = 'complete'"), 3);
    assert_eq!(house.count("SELECT COUNT(*) FROM claim_slots WHERE status = 'done'"), 3 * 34);
    assert_eq!(
        house.count("SELECT COUNT(*) FROM (SELECT slot_id FROM claim_runs JOIN runs ON id = run WHERE slot_id IS NOT NULL GROUP BY slot_id HAVING COUNT(*) > 1)"),
        0
    );
}
