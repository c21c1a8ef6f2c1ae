//! Councils in which every ballot is known: ties, abstentions, two members, a chairman who fails, and a clerk who compares or cannot.

use crate::scene::{choices, data, fails, label_of, labels, play, says, user};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use synod_engine::RunSpec;
use synod_modes::council::MODE;
use synod_testkit::rig::order;
use synod_types::{AnswerKind, Failure, FailureKind, Reply, Request, Status, Verdict};

type Said = Option<Result<Reply, Failure>>;

/// A panel of so many members beside the chairman and the clerk.
fn council(members: usize) -> RunSpec {
    let mut order = order(&MODE, 3);
    order.panel.models = (0..members).map(|n| format!("m{n}")).collect();
    order
}

fn answer_of(model: &str) -> String {
    format!("Answer of {model}.")
}

/// A ballot that puts these members' answers first, in this order, and the others behind them.
fn ranks(request: &Request, best: &[&str]) -> Said {
    let mut ranking: Vec<String> = best.iter().filter_map(|model| label_of(request, &answer_of(model))).collect();
    let rest: Vec<String> = labels(request).into_iter().filter(|label| !ranking.contains(label)).collect();
    ranking.extend(rest);
    says(json!({"reasons": format!("because of {}", ranking[0]), "ranking": ranking}).to_string())
}

/// The clerk finds that this member's answer claims something the final one does not.
fn parts(request: &Request, model: &str, fate: &str) -> Said {
    let label = label_of(request, &answer_of(model));
    says(
        json!({"reasons": "They differ.", "departures": [{"label": label, "fate": fate, "claim": "Waiting costs more than being wrong."}]})
            .to_string(),
    )
}

fn agrees() -> Said {
    says(json!({"reasons": "Nothing is missing.", "departures": []}).to_string())
}

/// Members answer, all put m1 first where they can, the chairman writes, the clerk finds no dissent.
fn calm(model: &str, key: &str, request: &Request) -> Said {
    match key.split('/').next()? {
        "collect" => says(answer_of(model)),
        "rank" => ranks(request, &["m1", "m2", "m0"]),
        "synthesis" => says("Do it in small steps. The rest follows."),
        _ => agrees(),
    }
}

fn seats(verdict: &Verdict) -> Vec<Value> {
    let decision = verdict.decision.as_ref().expect("a decision");
    decision["ranking"].as_array().expect("a list").iter().map(|place| place["seat"].clone()).collect()
}

fn warned(verdict: &Verdict, words: &str) -> bool {
    verdict.warnings.iter().any(|warning| warning.contains(words))
}

#[tokio::test]
async fn members_answer_and_rank_the_chairman_writes_and_the_clerk_compares() {
    let (verdict, _, shown) = play(&council(3), |model, key, request| match key.split('/').next()? {
        "rank" => {
            assert_eq!(label_of(request, &answer_of(model)), None, "{model} is shown its own answer");
            ranks(request, &["m1", "m2", "m0"])
        }
        "synthesis" => {
            assert!(user(request).contains("because of"), "the chairman reads the ballots");
            calm(model, key, request)
        }
        "dissent" => {
            assert!(user(request).contains("Do it in small steps. The rest follows."), "the clerk reads the final answer");
            parts(request, "m2", "denied")
        }
        _ => calm(model, key, request),
    })
    .await;
    assert_eq!((verdict.status, verdict.receipt.calls.planned, verdict.receipt.calls.extra), (Status::Full, 8, 0), "{:?}", verdict.missing);
    let answer = verdict.answer.as_ref().expect("an answer");
    assert_eq!((answer.kind, answer.by.as_slice()), (AnswerKind::Synthesis, [3].as_slice()));
    assert_eq!(verdict.summary(), Some("2 of 2 other members put m1's answer first: Answer of m1."));
    assert_eq!(seats(&verdict), [json!(1), json!(2), json!(0)]);
    let [dissent] = verdict.dissent.as_slice() else { panic!("{:?}", verdict.dissent) };
    assert_eq!((dissent.seat, dissent.text.as_str()), (Some(2), "Waiting costs more than being wrong. (The final answer denies this.)"));
    assert_eq!(data(&shown, "dissent")[0]["departures"][0]["fate"], json!("denied"));
    let told = shown.iter().find(|(stage, _)| stage == "dissent").map(|(_, shown)| shown["shape"]["text"].to_string()).unwrap_or_default();
    assert!(told.contains("Waiting costs more") && told.contains("They differ."), "all that the clerk said can be read: {told}");
    assert_eq!(data(&shown, "rank").len(), 3);
}

#[tokio::test]
async fn without_dissent_the_record_says_that_it_was_looked_for() {
    let (verdict, _, shown) = play(&council(3), calm).await;
    assert!(verdict.dissent.is_empty() && !warned(&verdict, "Dissent"), "{:?}", verdict.warnings);
    let told = shown.iter().find(|(stage, _)| stage == "dissent").map(|(_, shown)| shown["shape"]["text"].to_string()).unwrap_or_default();
    assert!(told.contains("No answer claims"), "{told}");
}

#[tokio::test]
async fn a_clerk_who_fails_leaves_the_verdict_whole_and_says_that_nothing_was_compared() {
    for kind in [FailureKind::Server, FailureKind::Refused, FailureKind::Auth] {
        let (verdict, _, shown) = play(&council(3), move |model, key, request| match key.starts_with("dissent/") {
            true => fails(kind),
            false => calm(model, key, request),
        })
        .await;
        assert_eq!((verdict.status, verdict.missing.len(), verdict.dissent.len()), (Status::Full, 0, 0), "{:?}", verdict.missing);
        assert!(warned(&verdict, "Dissent was not compared: clerk (light)"), "{:?}", verdict.warnings);
        assert!(data(&shown, "dissent").is_empty());
    }
}

#[tokio::test]
async fn two_answers_stand_in_the_decision_unranked() {
    let two = |model: &str, key: &str, request: &Request| {
        assert!(!key.starts_with("rank/"), "each could only have ranked the other");
        calm(model, key, request)
    };
    let (verdict, _, _) = play(&council(2), two).await;
    assert_eq!((verdict.status, verdict.receipt.calls.planned), (Status::Full, 4), "{:?}", verdict.missing);
    let decision = verdict.decision.as_ref().expect("a decision");
    assert_eq!((&decision["ranked"], decision["ranking"].as_array().map(Vec::len)), (&json!(false), Some(2)));
    assert!(decision["ranking"].as_array().expect("a list").iter().all(|place| place["score"].is_null()), "{decision}");
    let summary = verdict.summary().expect("a summary");
    assert!(summary.starts_with("2 answers stand unranked") && summary.contains("m0") && summary.contains("m1"), "{summary}");

    // One of three is lost: the same, degraded.
    let (verdict, _, _) = play(&council(3), move |model, key, request| match key {
        "collect/answer@2" => fails(FailureKind::Timeout),
        _ => two(model, key, request),
    })
    .await;
    assert_eq!((verdict.status, seats(&verdict).len()), (Status::Degraded, 2));
    assert!(warned(&verdict, "not ranked"), "{:?}", verdict.warnings);
}

#[tokio::test]
async fn equal_scores_are_ordered_by_a_rung_that_the_decision_names() {
    let (verdict, _, shown) = play(&council(3), |model, key, request| match (key.split('/').next()?, model) {
        ("rank", "m0") => ranks(request, &["m1", "m2"]),
        ("rank", "m1") => ranks(request, &["m2", "m0"]),
        ("rank", _) => ranks(request, &["m0", "m1"]),
        _ => calm(model, key, request),
    })
    .await;
    assert_eq!((verdict.status, seats(&verdict).len()), (Status::Full, 3));
    let rung = verdict.decision.expect("a decision")["tie_rung"].clone();
    assert!(rung.is_string() && data(&shown, "aggregate")[0]["tieRung"] == rung, "{rung}");
}

#[tokio::test]
async fn an_unreadable_ballot_abstains_and_without_any_nobody_is_ranked() {
    let (verdict, _, shown) = play(&council(4), |model, key, request| match key.starts_with("rank/rank@2") {
        true => says("I like them all."),
        false => calm(model, key, request),
    })
    .await;
    assert_eq!((verdict.status, verdict.missing[0].seat, verdict.missing[0].why), (Status::Degraded, 2, FailureKind::Unreadable));
    let row = data(&shown, "rank")[2];
    assert_eq!((&row["parsedRanking"], row["parseError"].is_string()), (&json!([]), true), "{row}");
    assert_eq!(verdict.summary(), Some("2 of 2 other members put m1's answer first: Answer of m1."), "three ballots, of which one is m1's own");

    let (verdict, _, shown) = play(&council(3), |model, key, request| match key.starts_with("rank/") {
        true => says("I like them all."),
        false => calm(model, key, request),
    })
    .await;
    assert_eq!(verdict.status, Status::Degraded);
    assert!(warned(&verdict, "not ranked") && data(&shown, "aggregate").is_empty(), "{:?}", verdict.warnings);
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["ranked"], decision["ranking"].as_array().map(Vec::len)), (&json!(false), Some(3)));
}

#[tokio::test]
async fn the_best_ranked_author_writes_for_the_chairman_and_else_its_answer_is_returned() {
    let (verdict, _, _) = play(&council(3), |model, key, request| match key {
        "synthesis/synthesis@3" => fails(FailureKind::Server),
        _ => calm(model, key, request),
    })
    .await;
    let answer = verdict.answer.as_ref().expect("an answer");
    assert_eq!((verdict.status, answer.kind, answer.by.as_slice()), (Status::Degraded, AnswerKind::Synthesis, [1].as_slice()));
    assert!(warned(&verdict, "m1 took over"), "{:?}", verdict.warnings);

    // The answer that is returned is not compared with itself.
    let compared = Arc::new(Mutex::new(Vec::new()));
    let seen = compared.clone();
    let (verdict, _, _) = play(&council(3), move |model, key, request| match key.split('/').next()? {
        "synthesis" => fails(FailureKind::Server),
        "dissent" => {
            seen.lock().expect("no panic").extend(["m0", "m1", "m2"].map(|model| label_of(request, &answer_of(model)).is_some()));
            assert_eq!(choices_of_departures(request).len(), 2);
            parts(request, "m0", "left_out")
        }
        _ => calm(model, key, request),
    })
    .await;
    let answer = verdict.answer.as_ref().expect("an answer");
    assert_eq!((answer.kind, answer.text.as_str()), (AnswerKind::Selected, "Answer of m1."));
    assert_eq!(*compared.lock().expect("no panic"), [true, false, true]);
    assert_eq!(verdict.dissent.iter().filter_map(|dissent| dissent.seat).collect::<Vec<_>>(), [0]);
    assert!(verdict.dissent[0].text.ends_with("leaves this out.)"), "{:?}", verdict.dissent);
}

/// The labels a departure may name.
fn choices_of_departures(request: &Request) -> Vec<Value> {
    assert!(choices(request, "ranking").is_empty());
    let schema = request.schema.as_ref().expect("a typed reply");
    schema.schema["properties"]["departures"]["items"]["properties"]["label"]["enum"].as_array().cloned().unwrap_or_default()
}
