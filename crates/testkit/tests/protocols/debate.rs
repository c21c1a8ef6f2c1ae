//! Debates that go as badly as they can: placeholders beside STAND, cited labels, worse revisions, two answers, no votes.

use crate::scene::{choices, data, fails, label_of, labels, play, says, user};
use serde_json::json;
use synod_engine::RunSpec;
use synod_modes::MODES;
use synod_testkit::rig::order;
use synod_types::{Absent, AnswerKind, FailureKind, Reply, Request, Status};

fn debate(seed: u64) -> RunSpec {
    order(MODES.iter().find(|mode| mode.id == "debate").expect("there is a debate"), seed)
}

fn reconsidered(decision: &str, response: &str) -> String {
    json!({"reasons": "r", "decision": decision, "response": response}).to_string()
}

fn vote_for(request: &Request, text: &str, weaker: &[&str]) -> Option<Result<Reply, synod_types::Failure>> {
    let vote = label_of(request, text).unwrap_or_else(|| choices(request, "vote")[0].clone());
    let weaker: Vec<String> = weaker.iter().filter_map(|text| label_of(request, text)).collect();
    says(json!({"reasons": "r", "weaker_revisions": weaker, "vote": vote}).to_string())
}

#[tokio::test]
async fn what_stands_stays_word_for_word_and_cited_labels_do_not_reach_the_ballot() {
    let (verdict, rows, shown) = play(&debate(3), |model, key, request| match (key.split('/').next()?, model) {
        ("initial", model) => says(format!("First answer of {model}.")),
        ("revision", "m0") => says(reconsidered("STAND", "(unchanged)")),
        ("revision", "m1") => says(format!("DECISION: REVISE\nAs Response {} says, second answer of m1.", labels(request)[0])),
        ("revision", _) => says(reconsidered("MERGE", "Merged answer of m2.")),
        _ => {
            assert!(!user(request).contains("(unchanged)"), "a placeholder is on the ballot");
            vote_for(request, "As another answer says, second answer of m1.", &[])
        }
    })
    .await;
    assert_eq!((verdict.status, verdict.receipt.calls.planned), (Status::Full, 9));
    let answer = verdict.answer.expect("an answer");
    assert_eq!((answer.kind, answer.text.as_str()), (AnswerKind::Selected, "As another answer says, second answer of m1."));
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["decision"], &decision["votes"], &decision["tiebreak"]), (&json!("REVISE"), &json!(2), &json!("none")));
    assert!(verdict.dissent.iter().any(|kept| kept.text == "First answer of m0."), "{:?}", verdict.dissent);
    let round_one: Vec<String> = data(&shown, "round1_label_map")[0].as_object().expect("a map").keys().cloned().collect();
    let round_two: Vec<String> = data(&shown, "revised_label_map")[0].as_object().expect("a map").keys().cloned().collect();
    assert!(round_two.iter().all(|label| round_one.iter().all(|old| old[..1] != label[..1])), "{round_one:?} {round_two:?}");
    let stood = data(&shown, "revision")[0];
    assert_eq!((&stood["decision"], &stood["originalWordCount"], &stood["revisedWordCount"]), (&json!("STAND"), &json!(4), &json!(4)));
    assert_eq!(data(&shown, "revision_summary")[0], &json!({"totalModels": 3, "revised": 1, "stood": 1, "merged": 1, "parseFailed": 0}));
    assert!(rows.iter().all(|row| !row.key.ends_with("/repair")), "the text form is read at once");
}

#[tokio::test]
async fn a_winner_that_lost_to_its_own_original_says_so_and_the_original_is_kept() {
    let (verdict, _, shown) = play(&debate(5), |model, key, request| match key.split('/').next()? {
        "initial" => says(format!("First answer of {model}.")),
        "revision" => says(reconsidered(if model == "m0" { "REVISE" } else { "STAND" }, "Watered down.")),
        // Whoever stands cannot be marked.
        _ => vote_for(request, "Watered down.", &["Watered down.", "First answer of m1."]),
    })
    .await;
    assert_eq!(verdict.status, Status::Full, "poor content is a warning");
    assert_eq!(verdict.answer.as_ref().map(|answer| answer.text.as_str()), Some("Watered down."), "the vote was on what became of the answers");
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["lost_to_original"], &decision["seat"]), (&json!(true), &json!(0)));
    assert_eq!(verdict.dissent[0].text, "Most who compared them found it better before its revision: First answer of m0.");
    assert!(verdict.warnings.iter().any(|warning| warning.contains("found the original better")), "{:?}", verdict.warnings);
    assert_eq!(data(&shown, "debate_winner")[0]["lostToOriginal"], json!(true));
    let ballots = shown.iter().filter(|(stage, _)| stage == "debate_vote").map(|(_, shown)| shown["shape"]["notes"].to_string());
    assert!(ballots.filter(|notes| notes.contains("Better before the revision")).count() >= 2, "the marks can be read on the ballots");
    let marks = &data(&shown, "debate_vote_tally")[0]["revisionMarks"];
    let known: Vec<_> = marks.as_object().expect("a map").values().filter(|marks| !marks.is_null()).collect();
    assert_eq!(known, [&json!({"weaker": 2, "readers": 2})], "{marks}");
}

#[tokio::test]
async fn a_failed_revision_leaves_the_original_standing() {
    let (verdict, _, shown) = play(&debate(6), |model, key, request| match (key.split('/').next()?, model) {
        ("initial", model) => says(format!("First answer of {model}.")),
        ("revision", "m1") => fails(FailureKind::Server),
        ("revision", _) => says(reconsidered("MERGE", "Something else.")),
        _ => vote_for(request, "First answer of m1.", &[]),
    })
    .await;
    assert_eq!(verdict.status, Status::Degraded);
    assert_eq!(verdict.answer.as_ref().map(|answer| answer.text.as_str()), Some("First answer of m1."));
    assert_eq!(verdict.decision.expect("a decision")["decision"], json!(null));
    let row = data(&shown, "revision")[1];
    assert_eq!((&row["decision"], &row["parseSuccess"]), (&json!(null), &json!(false)));
}

#[tokio::test]
async fn of_two_answers_those_who_wrote_neither_choose_and_otherwise_the_seed_does() {
    let run = async |kind: FailureKind, seed: u64| {
        let script = move |model: &str, key: &str, request: &Request| match (key.split('/').next()?, model) {
            ("initial", "m2") => fails(kind),
            ("initial", model) => says(format!("First answer of {model}.")),
            ("revision", _) => says(reconsidered("STAND", "")),
            _ => vote_for(request, "First answer of m1.", &[]),
        };
        play(&debate(seed), script).await.0
    };
    let decided = run(FailureKind::Refused, 1).await;
    assert_eq!((decided.status, decided.receipt.calls.planned, decided.receipt.calls.extra), (Status::Degraded, 5, 1));
    let decision = decided.decision.expect("a decision");
    assert_eq!((&decision["seat"], &decision["tiebreak"], &decision["of"]), (&json!(1), &json!("none"), &json!(1)));
    assert_eq!(decided.confidence.and_then(|confidence| confidence.absent), Some(Absent::TooFewBallots), "one vote agrees with itself");
    let mut drawn = Vec::new();
    for seed in 0..12 {
        let verdict = run(FailureKind::Auth, seed).await;
        assert_eq!((verdict.status, verdict.receipt.calls.extra), (Status::Degraded, 0));
        assert!(verdict.warnings.iter().any(|warning| warning.contains("the seed draws")), "{:?}", verdict.warnings);
        let decision = verdict.decision.expect("a decision");
        assert_eq!(decision["tiebreak"], json!("draw"));
        drawn.push(decision["seat"].clone());
    }
    assert!(drawn.contains(&json!(0)) && drawn.contains(&json!(1)), "a lot favours no seat: {drawn:?}");
}

#[tokio::test]
async fn without_a_valid_vote_there_is_no_decision() {
    let (verdict, _, shown) = play(&debate(2), |_, key, _| match key.split('/').next()? {
        "vote" => says("In response a good answer would be the first."),
        _ => None,
    })
    .await;
    assert_eq!((verdict.status, verdict.answer.is_none()), (Status::Failed, true));
    let tally = data(&shown, "debate_vote_tally")[0];
    assert_eq!((&tally["validVoteCount"], &tally["invalidVoteCount"]), (&json!(0), &json!(3)), "what was cast is still shown");
}
