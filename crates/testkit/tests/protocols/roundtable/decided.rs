//! The action follows the votes: what stands against acting on a result is listed with who and why, and nobody proceeds past it.

use super::{ALL, reads, round, rows, seat, turn};
use crate::{Line, Played, play, says};
use serde_json::{Value, json};

fn decision(played: &Played) -> &Value {
    played.verdict.decision.as_ref().expect("a decision")
}

fn kinds(played: &Played) -> Vec<&str> {
    decision(played)["conflicts"].as_array().into_iter().flatten().filter_map(|conflict| conflict["kind"].as_str()).collect()
}

fn clean() -> Line {
    says(json!({"reasons": "read", "findings": [], "passed": true}).to_string())
}

/// What the chair writes.
fn concludes(recommendation: &str) -> Line {
    let said = json!({"reasons": "read it all", "recommendation": recommendation, "summary": "It came to this.", "common_ground": [], "key_differences": [], "evolution": "Little moved.", "confidence": 0.7});
    says(said.to_string())
}

/// Everybody is sure and of one mind, as the round is read.
fn of_one_mind(key: &str) -> Line {
    match key {
        key if key.contains("safety") => clean(),
        key if key.contains("analysis") => reads(0.95, &[ALL]),
        key if key.contains("synthesis") => concludes("Queue it, one group first."),
        _ => None,
    }
}

#[tokio::test]
async fn two_rounds_of_a_collaborative_panel_do_not_proceed_over_its_blockers() {
    let script = |key: &str| match key {
        key if key.contains("turn@") => {
            let vote = if seat(key) == 0 { "ACCEPT" } else { "BLOCKER" };
            turn(seat(key), 0.9, json!({"position": "Queue everything tonight", "vote": vote}))
        }
        key => of_one_mind(key),
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(2)), ("groupthink", json!("record"))], script).await;
    let told = decision(&played);
    assert_eq!(told["action"], "verify", "{told}");
    assert_eq!(told["votes"], json!({"accept": 1, "minor": 0, "blocker": 2, "missing": 0}));
    let blocked: Vec<&Value> = told["conflicts"].as_array().expect("a list").iter().filter(|conflict| conflict["kind"] == "blocker").collect();
    assert_eq!(blocked.iter().map(|conflict| conflict["seats"][0].as_str()).collect::<Vec<_>>(), [Some("S2"), Some("S3")]);
    let action = played.verdict.action.as_deref().unwrap_or_default();
    assert!(action.starts_with("Check before you act: S2 (m1) voted BLOCKER"), "{action}");
    let answer = played.verdict.answer.as_ref().expect("an answer").text.clone();
    assert!(answer.starts_with("## Recommendation\n\nQueue it, one group first."), "{answer}");
    let (at, after) = (answer.find("## What stands against acting on it").expect("listed"), answer.find("## Summary").expect("a summary"));
    assert!(at < after && answer.contains("- blocker: S3 voted BLOCKER and has not taken it back."), "{answer}");
    for (medium, page) in crate::hidden::pages(&played) {
        assert!(page.contains("S3 voted BLOCKER and has not taken it back"), "{medium}");
    }
}

#[tokio::test]
async fn a_panel_that_agrees_proceeds() {
    let script = |key: &str| match key {
        key if key.contains("turn@") => {
            turn(seat(key), 0.8, json!({"position": "Queue everything tonight", "vote": if seat(key) == 1 { "MINOR" } else { "ACCEPT" }}))
        }
        key => of_one_mind(key),
    };
    for style in ["collaborative", "adversarial", "expert-panel", "delphi"] {
        let camp: &[&str] = if style == "delphi" { &["P1", "P2", "P3"] } else { ALL };
        let named = move |key: &str| match key {
            key if key.contains("analysis") => reads(0.95, &[camp]),
            key => script(key),
        };
        let played = play("roundtable", 3, None, &[("style", json!(style)), ("rounds", json!(2)), ("groupthink", json!("record"))], named).await;
        assert_eq!((&decision(&played)["action"], &decision(&played)["conflicts"]), (&json!("proceed"), &json!([])), "{style}");
        assert_eq!(played.verdict.action.as_deref(), Some("Queue it, one group first."), "{style}");
    }
}

#[tokio::test]
async fn a_claim_that_is_withdrawn_takes_no_blocker_with_it() {
    let claim = json!([{"text": "Queues retry every failed job on the same night.", "label": "INFER"}]);
    let script = move |key: &str| match key {
        "round 1/turn@0" => turn(0, 0.8, json!({"claims": claim})),
        "round 2/turn@1" => turn(1, 0.8, json!({"vote": "BLOCKER", "blocker": "C1"})),
        "round 3/turn@0" => turn(0, 0.8, json!({"vote": "ACCEPT", "withdraws": ["C1"]})),
        "round 3/turn@1" => turn(1, 0.8, json!({})),
        "round 4/turn@2" => turn(2, 0.8, json!({"vote": "ACCEPT", "claims": claim})),
        "round 4/turn@1" => turn(1, 0.8, json!({})),
        key if key.contains("turn@") => turn(seat(key), 0.8, json!({"vote": "ACCEPT"})),
        key => of_one_mind(key),
    };
    for (rounds, over) in [(3, "C1"), (4, "C2")] {
        let options = [("rounds", json!(rounds)), ("groupthink", json!("record")), ("exit_on_consensus", json!(false))];
        let played = play("roundtable", 3, None, &options, script.clone()).await;
        let conflict = &decision(&played)["conflicts"][0];
        assert_eq!((&conflict["kind"], &conflict["seats"]), (&json!("blocker"), &json!(["S2"])), "{rounds}");
        assert!(conflict["why"].as_str().is_some_and(|why| why.contains(&format!("BLOCKER over {over} “Queues retry"))), "{conflict}");
        assert_eq!(decision(&played)["action"], "verify");
    }
}

#[tokio::test]
async fn an_agreement_that_nobody_measured_is_none() {
    let script = |key: &str| match key {
        key if key.contains("turn@") => turn(seat(key), 0.9, json!({"position": "Queue everything tonight", "vote": "ACCEPT"})),
        key if key.contains("analysis") => Some(Err(synod_types::Failure::new(synod_types::FailureKind::Server, "the provider is down"))),
        key => of_one_mind(key),
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(2)), ("groupthink", json!("record"))], script).await;
    assert_eq!((decision(&played)["action"].as_str(), kinds(&played)), (Some("verify"), vec!["agreement"]));
    assert_eq!((&decision(&played)["agreement"], &decision(&played)["consensus_level"]), (&Value::Null, &Value::Null));
}

/// Red raises two risks in the last round. At the end blue says this to them.
async fn attacked(words: Value) -> Played {
    let script = move |key: &str| match key {
        "round 2/turn@0" => {
            let risk = |text: &str| json!({"kind": "failure", "text": text});
            turn(0, 0.9, json!({"vote": "BLOCKER", "risks": [risk("The queue fills up."), risk("Nobody is told.")]}))
        }
        "closing/turn@1" => says(json!({"reasons": "weighed", "mitigations": words}).to_string()),
        key if key.contains("turn@") => turn(seat(key), 0.8, json!({"vote": if seat(key) == 1 { "ACCEPT" } else { "BLOCKER" }})),
        key if key.contains("analysis") => reads(0.2, &[&["S1", "S3"], &["S2"]]),
        key => of_one_mind(key),
    };
    play("roundtable", 3, None, &[("style", json!("red-team-blue-team")), ("rounds", json!(2))], script).await
}

fn answers(id: &str, text: &str) -> Value {
    json!({"id": id, "answered": true, "text": text})
}

#[tokio::test]
async fn blue_answers_the_last_rounds_risks_and_what_it_leaves_stands_against_proceeding() {
    let open = attacked(json!([answers("R1", "A limit and an alarm.")])).await;
    assert!(!open.asked("closing/turn@0"), "who attacks answers nothing");
    let asked = open.prompt("closing/turn@1");
    assert!(
        asked.contains("This is your closing answer") && asked.contains("Open risks that you are to answer under `mitigations`: R1, R2."),
        "{asked}"
    );
    assert!(asked.contains("private words of seat 0"), "{asked}");
    let told = decision(&open);
    assert_eq!((&told["action"], &told["unanswered_risks"]), (&json!("verify"), &json!(["R2 Nobody is told."])), "{told}");
    assert_eq!(told["conflicts"], json!([{"kind": "risk", "seats": ["S1"], "why": "nobody answered R2 Nobody is told, which S1 raised"}]));
    assert_eq!((&told["votes"]["accept"], &told["role_bound_votes"]["blocker"]), (&json!(1), &json!(2)), "red votes as it must");
    assert_eq!(rows(&open, "closing")[0]["owed"], json!(["R2"]));
    let answer = &open.verdict.answer.as_ref().expect("an answer").text;
    let risks = answer.split("## Risks").nth(1).unwrap_or_default();
    assert!(
        risks.trim_start().starts_with("- R2 Nobody is told. – unanswered\n- R1 The queue fills up. – answered by S2: A limit and an alarm"),
        "{answer}"
    );
    let safe = attacked(json!([answers("R1", "A limit and an alarm."), answers("R2", "The pager.")])).await;
    assert_eq!((&decision(&safe)["action"], &decision(&safe)["conflicts"]), (&json!("proceed"), &json!([])));
    let synthesis = safe.prompt("synthesis/synthesis@3");
    let (_, closing) = synthesis.split_once("Closing answers to the risks that were still open").expect("told to the chair");
    assert!(closing.contains("Answers: R1: A limit and an alarm.; R2: The pager.") && !closing.contains("Position:"), "{closing}");
}

#[tokio::test]
async fn a_risk_of_which_blue_says_that_it_stands_is_not_answered() {
    let stands = json!({"id": "R2", "answered": false, "text": "Nobody here owns a pager."});
    let open = attacked(json!([answers("R1", "A limit and an alarm."), stands])).await;
    let (_, asked) = open.requests.iter().find(|(key, _)| key == "closing/turn@1").expect("asked");
    let form = &asked.schema.as_ref().expect("a schema").schema["properties"];
    assert_eq!(form.as_object().map(|form| form.keys().map(String::as_str).collect::<Vec<_>>()), Some(vec!["reasons", "mitigations"]));
    assert_eq!((&form["mitigations"]["minItems"], &form["mitigations"]["maxItems"]), (&json!(2), &json!(2)), "a word on each");
    let told = decision(&open);
    assert_eq!((&told["action"], &told["unanswered_risks"]), (&json!("verify"), &json!(["R2 Nobody is told."])), "{told}");
    let why = "R2 Nobody is told, which S1 raised, stands: S2 has no answer to it";
    assert_eq!(told["conflicts"], json!([{"kind": "risk", "seats": ["S1"], "why": why}]));
    let row = &rows(&open, "closing")[0];
    assert_eq!((&row["owed"], &row["position"], &row["confidence"]), (&json!([]), &Value::Null, &Value::Null), "it said so, and nothing else");
    assert_eq!(open.data("claims")["risks"][1]["open"], json!(true));
    for (medium, page) in crate::hidden::pages(&open) {
        let bare = crate::hidden::bare(&page);
        for words in ["R2 stands: Nobody here owns a pager.", "R2 Nobody is told. – stands, says S2: Nobody here owns a pager"] {
            assert!(bare.contains(&crate::hidden::bare(words)), "{medium} lacks {words}");
        }
    }
    let text = "R1 ANSWERED: A limit and an alarm.\n**R2 STANDS:** Nobody here owns a pager.";
    let plain = move |key: &str| match key {
        "round 1/turn@0" => {
            let risk = |text: &str| json!({"kind": "failure", "text": text});
            turn(0, 0.9, json!({"risks": [risk("The queue fills up."), risk("Nobody is told.")]}))
        }
        "closing/turn@1" => says(text),
        key if key.contains("turn@") => turn(seat(key), 0.8, json!({})),
        key => of_one_mind(key),
    };
    let plain =
        play("roundtable", 3, None, &[("style", json!("red-team-blue-team")), ("rounds", json!(1)), ("groupthink", json!("record"))], plain).await;
    assert_eq!(decision(&plain)["conflicts"][0]["why"], why, "in plain text too");
}

#[tokio::test]
async fn a_closing_answer_changes_nothing_but_risks() {
    let risk = json!({"kind": "failure", "text": "The queue fills up."});
    let claim = json!({"text": "Queues retry every failed job.", "label": "INFER"});
    let script = move |key: &str| match key {
        "round 1/turn@0" => turn(0, 0.8, json!({"claims": [claim], "risks": [risk]})),
        "round 1/turn@1" => turn(1, 0.8, json!({"claims": [{"text": "Cron hides what went wrong.", "label": "INFER"}]})),
        "closing/turn@1" => {
            let more = json!({
                "reasons": "Alarms wake whoever sleeps. [FACT][1]\nReferences\n[1] Logs", "mitigations": [answers("R1", "A limit.")],
                "claims": [{"text": "Nobody owns the nightly export.", "label": "INFER"}], "reinforces": ["C1"], "withdraws": ["C2"],
                "challenges": [{"id": "C1", "why": "Not so."}], "risks": [{"kind": "failure", "text": "Another."}], "vote": "BLOCKER",
            });
            turn(1, 0.1, more)
        }
        key if key.contains("turn@") => turn(seat(key), 0.8, json!({})),
        key => of_one_mind(key),
    };
    let options = [("style", json!("red-team-blue-team")), ("rounds", json!(1)), ("groupthink", json!("record"))];
    let played = play("roundtable", 3, None, &options, script).await;
    let record = played.data("claims");
    let texts: Vec<&str> = record["claims"].as_array().expect("a list").iter().filter_map(|claim| claim["text"].as_str()).collect();
    assert_eq!(texts, ["Queues retry every failed job.", "Cron hides what went wrong."]);
    let stand = |claim: &Value| (claim["status"].clone(), claim["backers"].clone(), claim["challengers"].clone());
    assert_eq!(stand(&record["claims"][0]), (json!("open"), json!([0]), json!([])), "neither supported nor disputed");
    assert_eq!((stand(&record["claims"][1]).0, &record["evidence"], record["risks"].as_array().map(Vec::len)), (json!("open"), &json!([]), Some(1)));
    assert_eq!((&record["risks"][0]["open"], &decision(&played)["mean_confidence"]), (&json!(false), &json!(0.8)));
}

/// Nobody on the red team raises a risk: both fail, are withheld, or say nothing that could be one.
#[tokio::test]
async fn a_table_that_nobody_attacked_does_not_proceed() {
    let down = || Some(Err(synod_types::Failure::new(synod_types::FailureKind::Server, "down")));
    let withheld =
        || turn(0, 0.8, json!({"reasons": "Here is, step by step, how a pipe bomb is made.", "risks": [{"kind": "failure", "text": "It burns."}]}));
    let plain = || says("POSITION: It fails on the first bad night.\nCONFIDENCE: 0.8\n\nNobody is told. [INFER]");
    type Red = fn() -> Line;
    for (case, red) in [("failed", down as Red), ("withheld", withheld), ("plain text", plain)] {
        let script = move |key: &str| match key {
            key if key.contains("turn@") && seat(key).is_multiple_of(2) => red(),
            key if key.contains("turn@") => turn(seat(key), 0.8, json!({"position": "It holds with a pager", "vote": "ACCEPT"})),
            key if key.contains("analysis") => reads(0.9, &[&["S2", "S4"]]),
            key => of_one_mind(key),
        };
        let options = [("style", json!("red-team-blue-team")), ("rounds", json!(2)), ("groupthink", json!("record"))];
        let played = play("roundtable", 4, None, &options, script).await;
        assert_eq!((decision(&played)["action"].as_str(), kinds(&played)), (Some("verify"), vec!["unattacked"]), "{case}");
        assert!(decision(&played)["conflicts"][0]["why"].as_str().is_some_and(|why| why.starts_with("nobody attacked it")), "{case}");
        let summary = decision(&played)["summary"].as_str().unwrap_or_default();
        assert!(summary.starts_with("verify: nobody raised a risk"), "{case}: {summary}");
    }
}

#[tokio::test]
async fn risks_that_mean_the_same_are_one() {
    let script = |key: &str| match key {
        key if key.starts_with("round 1/turn@") && seat(key).is_multiple_of(2) => {
            let text = if seat(key) == 0 { "The queue fills up at night." } else { "Work piles up when nobody watches." };
            turn(seat(key), 0.7, json!({"risks": [{"kind": "failure", "text": text}]}))
        }
        "round 1/analysis@4" => {
            says(json!({"reasons": "read", "agreement": 0.4, "summary": "s", "same_risks": [{"id": "R2", "same_as": "R1"}]}).to_string())
        }
        "round 2/turn@1" => turn(1, 0.7, json!({"mitigations": [answers("R1", "A limit and an alarm.")]})),
        key if key.contains("turn@") => turn(seat(key), 0.7, json!({"vote": "ACCEPT"})),
        key => of_one_mind(key),
    };
    let played = play("roundtable", 3, None, &[("style", json!("red-team-blue-team")), ("rounds", json!(2))], script).await;
    let (_, asked) = played.requests.iter().find(|(key, _)| key == "round 2/turn@1").expect("asked");
    let form = asked.schema.as_ref().expect("a schema").schema.to_string();
    assert!(form.contains("\"R1\"") && !form.contains("\"R2\""), "{form}");
    assert!(!played.asked("closing/turn@1"), "one answer answers both");
    assert_eq!(decision(&played)["unanswered_risks"], json!([]));
    assert_eq!(played.data("claims")["risks"][1]["same_as"], "R1");
}

/// A debate with assigned sides in which the evaluator rules so.
async fn ruled(ruling: Option<&'static str>) -> Played {
    let script = move |key: &str| match key {
        key if key.ends_with("turn@2") => {
            turn(2, 0.8, json!({"stance": "NEUTRAL", "vote": "ACCEPT", "ruling": ruling, "ruling_reason": "The way back in C1 was never answered."}))
        }
        key if key.contains("turn@") => {
            let stance = ["YES", "NO"][seat(key) as usize];
            turn(seat(key), 0.9, json!({"stance": stance, "vote": if seat(key) == 1 { "BLOCKER" } else { "ACCEPT" }}))
        }
        key if key.contains("analysis") => reads(0.1, &[&["S1"], &["S2"], &["S3"]]),
        key if key.starts_with("seating/proposition") => {
            says(json!({"reasons": "plain", "proposition": "The jobs should move to a queue."}).to_string())
        }
        key => of_one_mind(key),
    };
    play("roundtable", 3, None, &[("style", json!("devils-advocate")), ("rounds", json!(2))], script).await
}

#[tokio::test]
async fn the_evaluator_decides_where_sides_are_assigned() {
    for (ruling, side, action) in [(Some("FOR"), "FOR", "proceed"), (Some("AGAINST"), "AGAINST", "verify"), (Some("EVEN"), "EVEN", "verify")] {
        let played = ruled(ruling).await;
        let told = decision(&played);
        assert_eq!((&told["ruling"]["side"], &told["action"]), (&json!(side), &json!(action)), "{told}");
        assert_eq!(told["ruling"]["by"][0]["why"], "The way back in C1 was never answered.");
        assert_eq!(kinds(&played), if action == "proceed" { vec![] } else { vec!["ruling"] });
        let answer = &played.verdict.answer.as_ref().expect("an answer").text;
        assert!(answer.contains("## Ruling") && answer.contains(&format!("S3 rules {side}: The way back in C1 was never answered.")), "{answer}");
        assert!(answer.contains("S2 (m1), opposition, NO: Retain cron forever (confidence 0.90, BLOCKER by its part, not counted)"), "{answer}");
        assert!(played.verdict.dissent.is_empty(), "an assigned side dissents by its part");
    }
    let played = ruled(None).await;
    assert_eq!((decision(&played)["ruling"].clone(), kinds(&played)), (Value::Null, vec!["ruling"]));
    assert_eq!(rows(&played, "round_2")[2]["roleViolation"], json!({"expected": "a ruling", "actual": null}));
}

#[tokio::test]
async fn both_sides_argue_one_proposition() {
    let played = ruled(Some("FOR")).await;
    for seat in 0..3 {
        assert!(played.prompt(&format!("round 1/turn@{seat}")).contains("The jobs should move to a queue."), "{seat}");
    }
    assert_eq!(decision(&played)["proposition"], "The jobs should move to a queue.");
    let down = |key: &str| match key {
        key if key.starts_with("seating/proposition") => Some(Err(synod_types::Failure::new(synod_types::FailureKind::Server, "down"))),
        key if key.contains("turn@") => turn(seat(key), 0.6, json!({})),
        key => of_one_mind(key),
    };
    let played = play("roundtable", 3, None, &[("style", json!("devils-advocate")), ("rounds", json!(1))], down).await;
    assert!(played.warned("it is argued as it stands") && decision(&played)["proposition"].is_null(), "{:?}", played.verdict.warnings);
}

#[tokio::test]
async fn a_table_that_only_asks_ends_with_its_open_questions() {
    let script = |key: &str| match key {
        key if key.contains("turn@") => {
            let asks = format!("Who is told in round {0}? And then? [INFER] Nothing is known.", round(key));
            turn(seat(key), 0.9, json!({"position": format!("What would seat {} see first?", seat(key)), "reasons": asks}))
        }
        key => of_one_mind(key),
    };
    let played = play("roundtable", 3, None, &[("style", json!("socratic")), ("rounds", json!(2)), ("groupthink", json!("record"))], script).await;
    let told = decision(&played);
    assert_eq!(told["action"], "query_detail");
    let questions: Vec<&str> = told["open_questions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(
        questions,
        ["What would seat 0 see first?", "What would seat 1 see first?", "What would seat 2 see first?", "Who is told in round 2?", "And then?"]
    );
    assert_eq!(played.verdict.action.as_deref(), Some("Answer first: What would seat 0 see first?"));
    let answer = &played.verdict.answer.as_ref().expect("an answer").text;
    assert!(answer.starts_with("## What to find out first") && answer.contains("## Open questions"), "{answer}");
}
