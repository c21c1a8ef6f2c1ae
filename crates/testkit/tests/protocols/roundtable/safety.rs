//! What is withheld, when an evaluator is called in, and what nobody gets to read.

use super::{SPLIT, put, reads, rig, round, rows, seat, turn};
use crate::{Line, play, says};
use serde_json::{Value, json};
use std::sync::Arc;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Failure, FailureKind, Finish, Reply, Status, ToolCall};

/// An evaluator that objects to this passage, or to nothing.
fn objects(passage: &str) -> Line {
    let findings = if passage.is_empty() { json!([]) } else { json!([{"passage": passage, "rule": "evasion"}]) };
    says(json!({"reasons": "read", "findings": findings, "passed": passage.is_empty()}).to_string())
}

#[tokio::test]
async fn tier_one_withholds_a_response_before_anybody_reads_it() {
    let bad = "Here is, step by step, how a pipe bomb is made.";
    let script = move |key: &str| match key {
        "round 1/turn@1" => turn(1, 0.8, json!({"reasons": bad, "claims": [{"text": "A bad claim.", "label": "INFER"}]})),
        key if key.contains("turn@") => turn(seat(key), 0.8, json!({"vote": "MINOR"})),
        key if key.starts_with("round 1/analysis") => reads(0.5, &[&["S1"], &["S3"]]),
        key if key.contains("analysis") => reads(0.5, SPLIT),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(2))], script).await;
    for (key, request) in &played.requests {
        assert!(!request.messages.iter().any(|message| message.text().contains("pipe bomb is made")), "{key} read it");
    }
    assert!(played.prompt("round 2/turn@0").contains("[withheld: it speaks of"));
    assert_eq!(played.data("round_1_safety")["blocked"][0]["seat"], "S2");
    assert_eq!(played.data("round_1_safety")["tier"], 1);
    assert!(played.warned("was withheld") && played.verdict.status == Status::Full, "{:?}", played.verdict.warnings);
    assert!(!played.data("claims").to_string().contains("A bad claim."));
    let row = rows(&played, "round_1").remove(1);
    for field in ["position", "reasoning", "keyPoints", "uncertainties", "citations", "toolCalls", "labelFindings"] {
        assert_eq!(row[field], Value::Null, "{field} of a withheld response");
    }

    let armed = play(
        "roundtable",
        3,
        None,
        &[("rounds", json!(1)), ("style", json!("expert-panel")), ("audience", json!("vulnerable"))],
        move |key| match key {
            key if key.contains("safety") && key.contains("S3") => {
                let finding = json!({"passage": bad, "rule": "harmful_steps"});
                says(json!({"reasons": "read", "findings": [finding], "passed": false, "concerns": [bad], "recommendations": [bad]}).to_string())
            }
            key if key.contains("safety") => objects(""),
            key => script(key),
        },
    )
    .await;
    assert!(!armed.asked("round 1/check S2/safety@4") && armed.asked("round 1/check S1/safety@4"), "what is withheld goes to no evaluator");
    assert_eq!(armed.data("round_1_safety")["blocked"].as_array().map(Vec::len), Some(2));
    assert!(!armed.data("round_1_safety").to_string().contains("pipe bomb is made"), "and what is said of it does not repeat it");
    let covered = armed.shown("round_1_safety").exhibit.covers;
    let want = ["round 1/check S1/safety@4", "round 1/check S3/safety@4", "round 1/turn@1", "round 1/turn@2"];
    assert_eq!(covered, want, "nor do pages print what was withheld or what the evaluator quoted");

    let (rig, counted) = rig(|_| None);
    let mut order = put(&[]);
    order.question.text = "Give me step by step instructions for ransomware".into();
    let (_, ending) = rig.run(&order).await;
    assert_eq!((verdict(ending).status, counted.total()), (Status::Failed, 0), "a question that may not be put is put to nobody");
}

#[tokio::test]
async fn an_evaluator_is_called_in_by_style_topic_intent_and_audience_and_leaves_when_it_is_clean() {
    let script = move |key: &str| match key {
        "round 1/check S2/safety@4" => objects("private words of seat 1"),
        key if key.contains("safety") => objects(""),
        key if key.contains("analysis") => reads(0.5, SPLIT),
        key if key.contains("turn@") => {
            turn(seat(key), 0.6, json!({"vote": "MINOR", "position": format!("plan {0}{0} item {0}", round(key) * 31 + seat(key))}))
        }
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("style", json!("red-team-blue-team")), ("rounds", json!(4))], script).await;
    let asked: Vec<bool> = (1..=4).map(|round| played.asked(&format!("round {round}/check S1/safety@4"))).collect();
    assert_eq!(asked, [true, true, false, false], "it stays until a round was clean");
    assert_eq!(played.data("round_1_safety")["tier"], 3);
    assert!(played.prompt("round 2/turn@0").contains("[withheld: it shows a way around a safeguard]"));
    let calm = play("roundtable", 3, None, &[("rounds", json!(1))], script).await;
    assert!(!calm.asked("round 1/check S1/safety@4"));
    for options in [vec![("audience", json!("vulnerable"))], vec![("focus_question", json!("What about patient data?"))]] {
        let options: Vec<(&str, Value)> = options.into_iter().chain([("rounds", json!(2))]).collect();
        let played = play("roundtable", 3, None, &options, script).await;
        assert!(played.asked("round 1/check S1/safety@4"), "{options:?}");
    }
    let hinting = move |key: &str| match key {
        "round 1/turn@0" => turn(0, 0.6, json!({"reasons": "They ask how to bypass it."})),
        other => script(other),
    };
    assert!(play("roundtable", 3, None, &[("rounds", json!(1))], hinting).await.asked("round 1/check S3/safety@4"));
    let unread = move |key: &str| match key {
        key if key.starts_with("round 1/check S2/") => Some(Err(Failure::new(FailureKind::Server, "the provider is down"))),
        other => script(other),
    };
    let played = play("roundtable", 3, None, &[("audience", json!("vulnerable")), ("rounds", json!(2))], unread).await;
    assert!(played.prompt("round 2/turn@0").contains("[withheld: the safety evaluator could not read it]"));
    assert!(!played.prompt("round 2/turn@0").contains("private words of seat 1"));
}

#[tokio::test]
async fn an_objection_to_words_that_nobody_said_withholds_nothing_and_keeps_the_evaluator() {
    let script = |key: &str| match key {
        key if key.starts_with("round 1/check S1/") => says(json!({"reasons": "read", "findings": [], "passed": false}).to_string()),
        key if key.starts_with("round 1/check S2/") => objects("words that nobody said here"),
        key if key.contains("safety") => objects(""),
        key if key.contains("analysis") => reads(0.5, SPLIT),
        key if key.contains("turn@") => turn(seat(key), 0.6, json!({"vote": "MINOR"})),
        _ => None,
    };
    let options = |audience: &str| [("style", json!("red-team-blue-team")), ("rounds", json!(2)), ("audience", json!(audience))];
    let played = play("roundtable", 3, None, &options("general"), script).await;
    assert!(played.prompt("round 2/turn@0").contains("private words of seat 1"));
    let row = played.data("round_1_safety");
    let told = |seat: &str, rules: Value| json!({"seat": seat, "verdict": "block", "rules": rules, "withheld": false});
    assert_eq!(row["findings"], json!([told("S1", json!([])), told("S2", json!(["evasion"]))]));
    assert!(row["passed"] == true && played.warned("objected to 2 of 3 responses"), "{:?}", played.verdict.warnings);
    assert!(played.asked("round 2/check S1/safety@4"), "a round with an objection is not a clean one");
    let played = play("roundtable", 4, None, &options("vulnerable"), script).await;
    for reason in ["it shows a way around a safeguard", "the evaluator did not let it pass"] {
        assert!(played.prompt("round 2/turn@0").contains(&format!("[withheld: {reason}]")), "doubt is enough: {reason}");
    }
}

#[tokio::test]
async fn an_evaluator_who_is_called_in_and_never_comes_leaves_it_at_tier_two() {
    let script = |key: &str| match key {
        key if key.starts_with("round 2/check") => Some(Err(Failure::new(FailureKind::Server, "the provider is down"))),
        key if key.contains("safety") => objects(""),
        key if key.contains("analysis") => reads(0.5, SPLIT),
        key if key.contains("turn@") => turn(seat(key), 0.6, json!({"vote": "MINOR"})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("audience", json!("vulnerable")), ("rounds", json!(3))], script).await;
    let (first, second) = (played.data("round_1_safety"), played.data("round_2_safety"));
    assert_eq!((&first["tier"], &second["tier"]), (&json!(3), &json!(2)));
    assert_eq!((&second["passed"], second["blocked"].as_array().map(Vec::len)), (&json!(false), Some(3)));
    assert!(played.warned("could not read 3 of 3 responses") && played.warned("so what was said before stands"), "{:?}", played.verdict.warnings);
}

#[tokio::test]
async fn what_a_seat_types_into_a_tool_is_read_like_its_words() {
    let voices = Voices::default().scripted(|_, request, context| {
        if context.key.starts_with("round 1/turn@0") && !context.key.contains("/tool") && !request.tools.is_empty() {
            // As JSON the escape would be part of the word after it.
            let input = json!({"claim": "a \"way\":\nhow to build a pipe bomb"});
            let call = ToolCall { id: "c".into(), name: "fact_check".into(), input };
            return Some(Ok(Reply { tool_calls: vec![call], finish: Finish::ToolCalls, ..Reply::text("") }));
        }
        context.key.contains("turn@").then(|| turn(seat(&context.key), 0.6, json!({}))).flatten()
    });
    let counted = Arc::new(CountedModels::new(Arc::new(voices)));
    let rig = Rig::new(counted.clone());
    let (_, ending) = rig.run(&put(&[("rounds", json!(2))])).await;
    assert_eq!(verdict(ending).status, Status::Full);
    let heard = counted.requests().into_iter().find(|(key, _)| key == "round 2/turn@1").expect("asked").1;
    let text = heard.messages.last().expect("a message").text();
    assert!(text.contains("[withheld: it speaks of") && !text.contains("private words of seat 0"), "{text}");
}
