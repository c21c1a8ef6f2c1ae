//! Decisions from cards: the right one, none where the rules forbid it, and a person's word that is never lost.

use crate::house::House;
use serde_json::{Value, json};
use std::time::Instant;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/postgres-vs-mongodb/cards.yaml");

/// A card that scores 10.0, with something changed.
fn card(id: &str, more: Value) -> Value {
    let mut card = json!({
        "id": id, "claims": [format!("{id} is the way.")], "plan": [{"action": "Do it.", "rationale": "It helps."}],
        "evidence": [{"type": "test", "pointer": "command: check", "quality": 0.9, "exit_code": 0}, {"type": "test", "pointer": "command: try", "quality": 0.8, "exit_code": 0}],
        "risks": [{"severity": "medium", "description": "It may be late.", "mitigation": "Begin early.", "residual_risk": 0.5}],
        "confidence": 0.8, "cost": 20, "reversibility": 0.9,
    });
    let fields = card.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    card
}

fn file(house: &House, cards: Vec<Value>, more: Value) -> String {
    let mut file = json!({"objective": "Which way?", "cards": cards});
    file.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    house.write("work/cards.json", &file.to_string()).display().to_string()
}

#[test]
fn the_example_gives_its_number_and_a_report_to_hand_on() {
    let house = House::bare();
    let verdict = house.synod(&["decide", EXAMPLE, "--json", "-q"]).exits(0).json();
    let decision = &verdict["decision"];
    assert_eq!((&verdict["status"], &decision["position"], &decision["status"]), (&json!("full"), &json!("postgres"), &json!("CONSENSUS_REACHED")));
    let consensus = decision["consensus"].as_f64().expect("a number");
    assert!((consensus - 98203.0 / 115550.0).abs() < 1e-12, "{consensus}");
    assert_eq!((&decision["conflict_type"], &decision["memory_write"]), (&json!("scores_too_close"), &json!(true)));
    assert_eq!(verdict["receipt"]["calls"]["planned"], 0);
    for format in ["md", "html"] {
        let report = house.synod(&["export", "last", "--format", format]).exits(0).out;
        for part in ["postgres", "Trade-offs accepted", "Concerns", "Next steps", "Audit", "verifier"] {
            assert!(report.contains(part), "{format}: {part}");
        }
    }
    house.synod(&["verify", "last"]).exits(0);
    house.synod(&["replay", "last"]).exits(0);
    // What was decided is remembered, and a later run on the like is given it.
    let known = house.synod(&["memory", "list", "--json"]).exits(0).json();
    assert_eq!(known["experiences"][0]["body"]["position"], "postgres");
    assert!(house.synod(&["memory", "show", "last"]).exits(0).out.contains("row-level security"));
    house.synod(&["decide", EXAMPLE, "--json", "-q"]).exits(0);
    let header = house.synod(&["show", "last", "--json"]).exits(0).json()["header"].clone();
    assert_eq!(header["options"]["experience"][0]["position"], "postgres");
}

#[test]
fn every_mistake_in_a_file_is_told_at_once() {
    let house = House::bare();
    let mut wrong = card("a", json!({"cost": -1, "confidence": "high", "colour": "red"}));
    wrong.as_object_mut().expect("a card").remove("claims");
    let path = file(&house, vec![wrong], json!({"policy": {"threshold": "six"}}));
    let told = house.synod(&["decide", &path, "--json"]).exits(2).json();
    let fields: Vec<&str> = told["errors"].as_array().expect("errors").iter().filter_map(|error| error["field"].as_str()).collect();
    for field in ["cards[0].cost", "cards[0].confidence", "cards[0].colour", "cards[0].claims", "policy.threshold"] {
        assert!(fields.contains(&field), "{field}: {told}");
    }
    let path = file(
        &house,
        vec![card("a", json!({})), card("a", json!({"cost_unit": "hours"}))],
        json!({"receipts": [{"position_id": "z", "status": "PASS"}]}),
    );
    let told = house.synod(&["decide", &path]).exits(2).err;
    for part in ["cards[1].id", "mixed_cost_units", "receipts[0].position_id", "a card's id: a, a"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // A part that cannot be read, a wrong form and a wrong name together.
    let parts =
        json!({"receipts": "gone.json", "policy": {"threshold": "six"}, "approvals": [{"position_id": "z", "subject": "x", "decision": "approve"}]});
    let told = house.synod(&["decide", &file(&house, vec![card("a", json!({"cost": 20.0}))], parts), "--json"]).exits(2).json();
    let fields: Vec<&str> = told["errors"].as_array().expect("errors").iter().filter_map(|error| error["field"].as_str()).collect();
    assert_eq!(fields, ["receipts", "policy.threshold", "approvals[0].position_id"], "{told}");
    house.synod(&["decide", "missing.yaml"]).exits(2);
    house.synod(&["decide"]).exits(2);
    let schema = house.synod(&["decide", "--schema"]).exits(0).json();
    assert!(schema["properties"]["cards"]["anyOf"].is_array());
    assert!(house.synod(&["runs"]).exits(0).out.contains("No run"), "nothing was run");
}

#[test]
fn cards_without_a_receipt_are_taken_with_a_warning_and_not_remembered() {
    let house = House::bare();
    let path = file(&house, vec![card("a", json!({}))], json!({}));
    let verdict = house.synod(&["decide", &path, "--json", "-q"]).exits(0).json();
    let decision = &verdict["decision"];
    assert_eq!((&decision["position"], &decision["score"], &decision["rung"]), (&json!("a"), &json!(10.0), &json!("threshold")));
    assert_eq!((&decision["memory_write"], &decision["memory_reason"], &decision["verified"]), (&json!(false), &json!("unverified"), &json!(false)));
    let brief = house.synod(&["show", "last"]).exits(0).out;
    assert!(brief.lines().take(6).any(|line| line.contains("unverified")), "{brief}");
    assert!(verdict["warnings"].to_string().contains("Nobody verified the cards"), "{}", verdict["warnings"]);
    assert_eq!(house.synod(&["memory", "list", "--json"]).json()["experiences"], json!([]));
    let some = json!({"receipts": [{"position_id": "a", "status": "PASS"}]});
    let path = file(&house, vec![card("a", json!({})), card("b", json!({"cost": 100, "confidence": 0.1, "evidence": []}))], some);
    let verdict = house.synod(&["decide", &path, "--json", "-q"]).exits(0).json();
    assert_eq!(verdict["warnings"][0], "Nobody verified b: it counts as it is.", "{}", verdict["warnings"]);
    let text = verdict["answer"]["text"].as_str().expect("a report");
    assert!(text.contains("It leads b, the next that passed the gates, by "), "{text}");
    assert!(text.contains("settings: the defaults"), "{text}");
    assert_eq!(verdict["decision"]["config"]["weights"]["evidence"], 10.0, "all of them are in the decision");
    assert_eq!(verdict["decision"]["positions"][0]["card_hash"].as_str().map(str::len), Some(64));
}

/// Verified, looked up and above the threshold: only the open condition keeps it from being remembered.
#[test]
fn what_is_taken_on_a_condition_is_not_remembered() {
    let house = House::bare();
    house.write("work/load.txt", "The load test held.\n");
    for (quality, remembered) in [(0.55, false), (0.95, true)] {
        let evidence = json!([{"type": "test", "pointer": "load.txt", "quality": quality}]);
        let receipts = json!({"receipts": [{"position_id": "a", "status": "PASS"}]});
        let path = file(&house, vec![card("a", json!({"evidence": evidence, "risks": []}))], receipts);
        let decision = house.synod(&["decide", &path, "--json", "-q"]).exits(0).json()["decision"].clone();
        assert_eq!(
            (&decision["position"], &decision["verified"], &decision["memory_write"]),
            (&json!("a"), &json!(true), &json!(remembered)),
            "{decision}"
        );
        let reason = if remembered { Value::Null } else { json!("open_conditions") };
        assert_eq!(
            (&decision["memory_reason"], decision["conditions"].as_array().map(Vec::len)),
            (&reason, Some(usize::from(!remembered))),
            "{decision}"
        );
        let kept = house.synod(&["memory", "list", "--json"]).json()["experiences"].as_array().map(Vec::len);
        assert_eq!(kept, Some(usize::from(remembered)));
    }
}

#[test]
fn a_pointer_that_leads_nowhere_counts_as_nothing_and_says_so() {
    let house = House::bare();
    let evidence =
        json!([{"type": "test", "pointer": "gone.txt", "quality": 0.9}, {"type": "test", "pointer": "command: try", "quality": 0.8, "exit_code": 0}]);
    let path = file(
        &house,
        vec![card("a", json!({"evidence": evidence}))],
        json!({"receipts": [{"position_id": "a", "status": "PASS"}], "policy": {"threshold": 5.0}}),
    );
    let verdict = house.synod(&["decide", &path, "--json", "-q"]).exits(0).json();
    assert_eq!(verdict["decision"]["memory_reason"], "unchecked_pointers");
    let place = &verdict["decision"]["positions"][0];
    assert_eq!(place["evidence"], 0.4, "{place}");
    assert!(verdict["warnings"].to_string().contains("gone.txt"), "{}", verdict["warnings"]);
}

#[test]
fn what_may_not_pass_stops_where_the_rules_say() {
    let house = House::bare();
    let critical =
        |mitigation: &str| json!([{"severity": "critical", "description": "It may burn.", "mitigation": mitigation, "residual_risk": 0.31}]);
    let broken = |may: bool| json!([{"invariant_id": "INV-1", "requires_approval": may}]);
    // What is on the card, the gate, and what a person is asked about; none: nobody may let it pass.
    let table = [
        (json!({"risks": critical("")}), "G3", None),
        (json!({"invariant_violations": broken(false)}), "G2", None),
        (json!({"risks": critical("A hose.")}), "G3", Some("risk 1")),
        (json!({"invariant_violations": broken(true)}), "G2", Some("INV-1")),
        (json!({"reversibility": 0.1}), "G4", Some("data_loss")),
        (json!({"regulatory": ["GDPR"]}), "G5", Some("GDPR")),
    ];
    for (change, gate, subject) in table {
        let path = file(&house, vec![card("a", change)], json!({}));
        let did = house.synod(&["decide", &path, "--json", "-q"]);
        let Some(subject) = subject else {
            let verdict = did.exits(3).json();
            assert_eq!((&verdict["status"], &verdict["decision"]["rung"]), (&json!("escalated"), &json!("no_viable_position")), "{gate}");
            assert!(verdict["decision"]["positions"][0]["gates"].to_string().contains(gate), "{verdict}");
            continue;
        };
        let waiting = did.exits(4).json();
        assert_eq!(waiting["state"], "waiting", "{gate}");
        let run = waiting["run"].as_str().expect("its id").to_owned();
        let wrong = house.synod(&["approve", &run, "--position", "b", "--subject", subject, "--decision", "approve"]).exits(2);
        assert!(wrong.err.contains(&format!("--position \"a\" --subject {subject:?}")), "{}", wrong.err);
        house.synod(&["approve", &run, "--position", "a", "--subject", subject, "--decision", "approve", "--note", "fine", "--no-resume"]).exits(0);
        house.synod(&["approve", &run, "--position", "a", "--subject", subject, "--decision", "reject"]).exits(2);
        let verdict = house.synod(&["resume", &run, "--json", "-q"]).exits(0).json();
        assert_eq!((&verdict["decision"]["position"], &verdict["decision"]["positions"][0]["state"]), (&json!("a"), &json!("viable")), "{gate}");
        assert!(verdict["answer"]["text"].to_string().contains("ada approved"), "{}", verdict["answer"]);
    }
    let path = file(&house, vec![card("a", json!({"reversibility": 0.1}))], json!({}));
    let run = house.synod(&["decide", &path, "--json", "-q"]).exits(4).json()["run"].as_str().expect("its id").to_owned();
    let args = ["approve", &run, "--position", "a", "--subject", "data_loss", "--decision", "reject", "--note", "never", "--json", "-q"];
    let verdict = house.synod(&args).exits(3).json();
    assert_eq!(verdict["status"], "escalated");
    assert!(verdict["answer"]["text"].to_string().contains("never"), "{}", verdict["answer"]);
}

#[test]
fn a_killed_process_loses_no_approval() {
    let house = House::bare();
    let mut hit = 0;
    let since = Instant::now();
    house.synod(&["runs"]).exits(0);
    let start_ms = since.elapsed().as_millis() as u64;
    // From before it reads its arguments until after it has ended, however slow the machine is.
    for percent in [5, 50, 90, 120, 180, 300, 1000] {
        let after_ms = start_ms * percent / 100;
        let path = file(&house, vec![card("a", json!({"reversibility": 0.1}))], json!({}));
        let run = house.synod(&["decide", &path, "--json", "-q"]).exits(4).json()["run"].as_str().expect("its id").to_owned();
        let args = ["approve", &run, "--position", "a", "--subject", "data_loss", "--decision", "approve", "--by", "ada", "--json", "-q"];
        house.killed(&args, || true, after_ms);
        // Either the word was taken, and then it stands; or it was not, and then the run still waits for it.
        let again = house.synod(&args);
        let verdict = match again.code {
            0 => again.json(),
            _ => {
                hit += 1;
                house.synod(&["resume", &run, "--json", "-q"]);
                house.synod(&["show", &run, "--json"]).exits(0).json()["verdict"].clone()
            }
        };
        assert_eq!(verdict["decision"]["position"], "a", "killed after {after_ms} ms: {verdict}");
        assert!(verdict["answer"]["text"].to_string().contains("ada approved data_loss"), "{verdict}");
        house.synod(&["verify", &run]).exits(0);
    }
    assert!(hit > 0, "every kill came before the word was taken");
}

#[test]
fn cards_given_to_ask_are_looked_up_like_any() {
    let house = House::bare();
    let forged = json!([{"type": "test", "pointer": "gone.txt", "quality": 1.0, "checked": {"valid": true, "found": "trust me"}}]);
    let cards = json!([card("a", json!({"evidence": forged}))]).to_string();
    let set = format!("cards={cards}");
    let asked = house.synod(&["ask", "--mode", "collapse", "--rehearse", "--seed", "3", "--set", &set, "--json", "-q", "Which way?"]);
    let header = house.synod(&["show", "last", "--json"]).exits(0).json()["header"].clone();
    assert_eq!(header["options"]["cards"][0]["evidence"][0]["checked"]["valid"], false, "{}", asked.err);
}

#[test]
fn what_a_panel_would_cost_is_told_before_it_is_paid() {
    let house = House::new();
    let path = file(&house, vec![card("a", json!({})), card("c", json!({"cost": 100}))], json!({}));
    let quote = house.synod(&["decide", &path, "--models", "x/a,x/b", "--quote", "--json"]).exits(0).json();
    assert!(quote["calls"]["min"].as_u64() >= Some(4), "{quote}");
    assert_eq!(house.server.total(), 0, "nothing was run");
    let did = house.synod(&["decide", &path, "--models", "x/a,x/b"]);
    assert!(did.err.contains("Quote for collapse"), "{}", did.err);
    for verb in [&["decide", &path][..], &["ask", "Tea?"]] {
        house.synod(&[verb, &["--rehearse", "--models", "x/a"]].concat()).exits(2);
    }
}

#[test]
fn a_parked_card_does_not_keep_the_others_from_being_taken() {
    let house = House::bare();
    let cards = || vec![card("a", json!({})), card("b", json!({"reversibility": 0.1}))];
    let verdict = house.synod(&["decide", &file(&house, cards(), json!({})), "--json", "-q"]).exits(0).json();
    assert_eq!((&verdict["decision"]["position"], &verdict["decision"]["positions"][1]["state"]), (&json!("a"), &json!("needs_approval")));
    let all = json!({"policy": {"gate_scope": "deliberation"}});
    house.synod(&["decide", &file(&house, cards(), all), "--json", "-q"]).exits(4);
    let approved = json!({"approvals": [{"position_id": "b", "subject": "data_loss", "decision": "approve"}], "policy": {"gate_scope": "deliberation", "panel_on_tradeoff": false}});
    let verdict = house.synod(&["decide", &file(&house, cards(), approved), "--json", "-q"]).exits(0).json();
    assert_eq!(verdict["decision"]["positions"][1]["state"], "viable");
}

#[test]
fn without_a_panel_a_close_call_asks_nobody() {
    let house = House::bare();
    let path = file(&house, vec![card("a", json!({})), card("c", json!({"cost": 100}))], json!({}));
    let verdict = house.synod(&["decide", &path, "--json", "-q"]).exits(0).json();
    let decision = &verdict["decision"];
    assert_eq!((&decision["position"], &decision["status"], &decision["rung"]), (&json!("a"), &json!("SAFE_FALLBACK"), &json!("safe_fallback")));
    assert!(decision["consensus"].is_null() && decision["decided_by"].is_null(), "{decision}");
    assert!(verdict["answer"]["text"].as_str().is_some_and(|text| text.contains("A panel would settle it")), "{verdict}");
    let cheap = json!({"cost": 10, "evidence": [{"type": "test", "pointer": "command: try", "quality": 0.3, "exit_code": 0}]});
    let path = file(&house, vec![card("proven", json!({"cost": 60})), card("cheap", cheap)], json!({}));
    let decision = house.synod(&["decide", &path, "--json", "-q"]).exits(0).json()["decision"].clone();
    assert_eq!((&decision["position"], &decision["score"], &decision["rung"]), (&json!("proven"), &json!(9.2), &json!("threshold")), "{decision}");
}

#[test]
fn of_very_many_cards_a_reader_sees_those_that_matter_and_a_script_all() {
    let house = House::bare();
    let cards = |n: u64, unit: &str| -> Vec<Value> {
        (0..n)
            .map(|at| card(&format!("c{at:04}"), json!({"cost": at, "cost_unit": unit, "reversibility": if at % 2 == 0 { 0.9 } else { 0.1 }})))
            .collect()
    };
    let run = house.synod(&["decide", &file(&house, cards(600, "points"), json!({})), "-q"]).exits(0);
    assert!(run.out.starts_with("Take c0000"), "what it would do comes first: {}", run.out);
    assert!(run.out.lines().count() < 400, "{} lines", run.out.lines().count());
    assert!(run.out.contains("250 more are not shown here"), "300 stopped at a gate: {}", run.out);
    let shown = house.synod(&["show", "last", "--json"]).exits(0).json();
    assert_eq!(shown["verdict"]["decision"]["positions"].as_array().map(Vec::len), Some(600));
    house.synod(&["verify", "last"]).exits(0);
    house.synod(&["replay", "last"]).exits(0);
    let wrong = house.synod(&["decide", &file(&house, cards(600, "days"), json!({}))]).exits(2);
    assert!(wrong.err.starts_with("600 things are wrong") && wrong.err.contains("and 570 more"), "{}", wrong.err);
    assert!(wrong.err.lines().count() < 80);
}

/// A large verdict is held as text while it is written, and read back: what is told at once is what the journal holds.
#[test]
fn a_verdict_of_a_mebibyte_is_told_as_it_was_written() {
    let house = House::bare();
    let cards: Vec<Value> = (0..4_000).map(|at| card(&format!("c{at:04}"), json!({"cost": at % 90}))).collect();
    let told = house.synod(&["decide", &file(&house, cards, json!({})), "--json", "-q"]).exits(0);
    assert!(told.out.len() > 1 << 20, "{} bytes", told.out.len());
    let verdict = told.json();
    assert_eq!(verdict["decision"]["positions"].as_array().map(Vec::len), Some(4_000));
    assert_eq!(verdict, house.synod(&["show", "last", "--json"]).exits(0).json()["verdict"]);
    house.synod(&["replay", "last"]).exits(0);
}

#[test]
fn what_evidence_says_is_read_frozen_and_shown_to_whoever_judges_it() {
    let house = House::new();
    house.write("work/evidence/load.txt", "Load test of the checkout.\nResult: the test FAILED after nine minutes.\n");
    house.write("secret.txt", "a key that is nobody's business");
    let evidence = json!([{"type": "test", "pointer": "evidence/load.txt", "quality": 0.9}, {"type": "test", "pointer": "../secret.txt", "quality": 0.8},
        {"type": "document", "pointer": "https://example.org/a", "quality": 0.6}]);
    let path = file(&house, vec![card("a", json!({"evidence": evidence})), card("b", json!({"cost": 60}))], json!({}));
    house.synod(&["decide", &path, "--models", "x/a,x/b", "--yes", "--json", "-q"]);
    let asked: Vec<String> = house.server.requests().iter().map(|ask| ask.text()).collect();
    assert!(asked.iter().any(|text| text.contains("the test FAILED after nine minutes")), "{} requests", asked.len());
    assert!(!asked.iter().any(|text| text.contains("nobody's business")), "what lies elsewhere is not read");
    let header = house.synod(&["show", "last", "--json"]).exits(0).json()["header"].clone();
    assert_eq!(
        (&header["question"]["evidence"][0]["name"], header["question"]["evidence"].as_array().map(Vec::len)),
        (&json!("evidence/load.txt"), Some(1))
    );
    assert_eq!(house.count("SELECT COUNT(*) FROM blobs"), 1);
    let told: Vec<&Value> = header["options"]["cards"][0]["evidence"].as_array().expect("evidence").iter().map(|piece| &piece["checked"]).collect();
    assert_eq!((&told[0]["valid"], &told[1]["not_looked_up"], &told[2]["not_looked_up"]), (&json!(true), &json!(true), &json!(true)), "{told:?}");
    assert!(told[2]["found"].as_str().is_some_and(|found| found.contains("not fetched")), "{told:?}");
    // (0.9 + 0.4 + 0.3) / 3.
    let alone = house.synod(&["decide", &path, "--json", "-q"]).json();
    let places = alone["decision"]["positions"].as_array().expect("positions").clone();
    assert!((places[0]["evidence"].as_f64().expect("a number") - 1.6 / 3.0).abs() < 1e-6, "{places:?}");
}

#[test]
fn a_file_in_the_policys_own_names_is_read_and_mistakes_name_what_is_allowed() {
    let house = House::bare();
    let mut bare = card("x", json!({"agent": "backend"}));
    bare.as_object_mut().expect("a card").remove("id");
    let agents = ["MinimalistAgent", "SkepticAgent", "VerifierAgent", "RiskScorerAgent", "StakeholderAgent"];
    let panel: Vec<Value> = agents
        .iter()
        .map(|agent| json!({"panel_evaluation": {"agent": agent, "position_scores": {"backend": 0.8, "c": 0.5}, "recommendation": "backend", "confidence": 0.9}}))
        .collect();
    let more = json!({"panel": panel, "policy": {"weights": {"w_e": 10.0, "w_gamma": 1.0}}});
    let path = file(&house, vec![json!({"position_card": bare}), card("c", json!({"cost": 90}))], more);
    let verdict = house.synod(&["decide", &path, "--json", "-q"]).exits(0).json();
    assert_eq!((&verdict["decision"]["position"], &verdict["decision"]["status"]), (&json!("backend"), &json!("CONSENSUS_REACHED")), "{verdict}");
    // The template's own names: cards without an id, rated by their place.
    let unnamed = |agent: &str, cost: u64| {
        let mut card = card("x", json!({"agent": agent, "cost": cost}));
        card.as_object_mut().expect("a card").remove("id");
        json!({"position_card": card})
    };
    let panel: Vec<Value> = agents
        .iter()
        .map(|agent| {
            json!({"panel_evaluation": {"agent": agent, "position_scores": {"position_A": 0.5, "position_B": 0.8},
            "rationale": {"position_A": "Dear.", "position_B": "Cheap."}, "recommendation": "position_B", "concerns": [], "confidence": 0.9}})
        })
        .collect();
    let path = file(&house, vec![unnamed("backend", 30), unnamed("frontend", 20)], json!({"panel": panel}));
    let verdict = house.synod(&["decide", &path, "--json", "-q"]).exits(0).json();
    assert_eq!((&verdict["decision"]["position"], &verdict["decision"]["status"]), (&json!("frontend"), &json!("CONSENSUS_REACHED")), "{verdict}");
    let wrong = json!({"panel": [{"agent": "Somebody", "position_scores": {"a": 0.8}, "recommendation": "z", "confidence": 0.9}]});
    let path = file(&house, vec![card("a", json!({"cost": "cheap", "risks": [{"severity": "urgent", "description": "x"}]}))], wrong);
    let told = house.synod(&["decide", &path]).exits(2).err;
    for part in
        ["a whole number from 0 to 1000000000, or one of: Low, Med, Medium, High", "one of: critical, high, medium, low", "minimalist, skeptic"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn models_verify_doubt_and_rate_where_they_are_called() {
    let house = House::bare();
    let path = file(&house, vec![card("a", json!({})), card("c", json!({"cost": 100}))], json!({}));
    let verdict = house.synod(&["decide", &path, "--rehearse", "--seed", "3", "--json", "-q"]).json();
    assert_eq!(verdict["rehearsal"], true);
    assert!(verdict["receipt"]["calls"]["planned"].as_u64() >= Some(4), "{verdict}");
    let asked = house.synod(&["ask", "--mode", "collapse", "--rehearse", "--seed", "3", "--json", "-q", "Tea or coffee?"]).exits(0).json();
    assert!(asked["decision"]["position"].is_string(), "{asked}");
    assert_eq!(asked["decision"]["memory_reason"], "rehearsal");
}
