//! Chain: nothing but a version takes a version's place, and each step knows where its text comes from.

use crate::{Line, Played, play, says};
use serde_json::{Value, json};
use synod_types::{AnswerKind, Failure, FailureKind, Shape, Status};

/// A text of so many distinct words, the same for the same start.
fn text(start: u32, words: u32) -> String {
    (start..start + words).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ")
}

fn decision(played: &Played, field: &str) -> Value {
    played.verdict.decision.as_ref().map(|decision| decision[field].clone()).unwrap_or_default()
}

fn answer(played: &Played) -> (String, Vec<u32>) {
    let answer = played.verdict.answer.clone().expect("an answer");
    assert_eq!(answer.kind, AnswerKind::Synthesis);
    (answer.text, answer.by)
}

/// Every step adds ten words.
fn growing(key: &str) -> Line {
    match key {
        "step 1/draft@0" => says(text(0, 60)),
        "step 2/improve@1" => says(text(0, 70)),
        "step 3/improve@2" => says(text(0, 80)),
        "step 4/improve@3" => says(text(0, 90)),
        _ => None,
    }
}

#[tokio::test]
async fn two_models_are_dealt_round_over_four_steps() {
    let played = play("chain", 2, None, &[], growing).await;
    assert_eq!(played.verdict.status, Status::Full, "{:?}", played.verdict.missing);
    assert_eq!(answer(&played), (text(0, 90), vec![0, 1, 2, 3]));
    assert_eq!(decision(&played, "completed_steps"), json!([1, 2, 3, 4]));
    assert_eq!(played.verdict.summary(), Some("4 of 4 steps were taken, the last was Polish & Format."));
    assert_eq!(played.verdict.action.as_deref(), Some("Use the text below: 90 words, gone over in every step."));
    let row = played.data("chain_step_3");
    assert_eq!(
        (&row["mandate"], &row["mandateDisplay"], &row["wordCount"], &row["previousWordCount"], &row["wordCountDelta"], &row["skipped"]),
        (&json!("accuracy_completeness"), &json!("Accuracy & Completeness"), &json!(80), &json!(70), &json!(10), &json!(false))
    );
}

#[tokio::test]
async fn a_refusal_a_summary_and_another_text_are_skipped_and_the_next_step_is_told() {
    for (bad, why) in [
        ("I'm sorry, but I can't help with that.".to_owned(), "refuses"),
        (text(0, 20), "20 words of 60"),
        (text(500, 80), "another text"),
        ("[Editor's Note: I removed everything]".to_owned(), "words of 60"),
    ] {
        let script = {
            let bad = bad.clone();
            move |key: &str| match key {
                "step 2/improve@1" | "step 3/improve@2" => says(bad.clone()),
                other => growing(other),
            }
        };
        let played = play("chain", 4, None, &[], script).await;
        assert_eq!(played.verdict.status, Status::Degraded, "{bad}");
        assert_eq!(answer(&played), (text(0, 90), vec![0, 3]), "{bad}");
        assert_eq!(decision(&played, "skipped_steps"), json!([2, 3]));
        assert!(played.warned(why), "{why}: {:?}", played.verdict.warnings);
        let last = played.prompt("step 4/improve@3");
        assert!(last.contains("from step 1 of 4") && last.contains("Structure & Depth, Accuracy & Completeness"), "{last}");
        assert!(last.contains(&text(0, 60)), "the draft goes on: {last}");
        let row = played.data("chain_step_2");
        assert_eq!((&row["wordCount"], &row["previousWordCount"], &row["wordCountDelta"]), (&Value::Null, &json!(60), &Value::Null));
        let Shape::Revision(change) = played.shown("chain_step_2").exhibit.shape else { panic!("a revision") };
        assert!(!change.kept);
        assert_eq!(played.data("chain_summary")["wordCountProgression"], json!([60, null, null, 90]));
    }
}

#[tokio::test]
async fn notes_are_kept_apart_from_the_text() {
    let script = |key: &str| match key {
        "step 3/improve@2" => says(format!("**[Editor's Note: dropped the aside]**\n\n{}", text(0, 80))),
        "step 4/improve@3" => Some(Err(Failure::new(FailureKind::Timeout, "no reply"))),
        other => growing(other),
    };
    let played = play("chain", 4, None, &[], script).await;
    assert_eq!(answer(&played), (text(0, 80), vec![0, 1, 2]));
    assert_eq!(played.data("chain_step_3")["notes"], json!(["dropped the aside"]));
    assert!(!played.prompt("step 4/improve@3").contains("dropped the aside"));
    assert_eq!(played.verdict.status, Status::Degraded);
    assert_eq!(decision(&played, "last_step"), json!(3));
}

#[tokio::test]
async fn a_draft_that_nobody_improved_is_one_seats_text() {
    let script = |key: &str| if key.contains("improve") { Some(Err(Failure::new(FailureKind::Server, "down"))) } else { growing(key) };
    let played = play("chain", 4, None, &[], script).await;
    let answer = played.verdict.answer.clone().expect("an answer");
    assert_eq!((answer.kind, answer.text, answer.by), (AnswerKind::Selected, text(0, 60), vec![0]));
    assert_eq!((played.verdict.status, played.verdict.missing.len()), (Status::Degraded, 3));
}

#[tokio::test]
async fn the_next_seat_drafts_when_the_first_cannot_or_will_not() {
    for first in [says("I cannot help with that."), Some(Err(Failure::new(FailureKind::Server, "down")))] {
        let script = move |key: &str| match key {
            "step 1/draft@0" => first.clone(),
            "step 1/draft@1" => says(text(0, 60)),
            other => growing(other),
        };
        let played = play("chain", 4, None, &[], script).await;
        assert_eq!(played.verdict.status, Status::Degraded);
        assert_eq!(answer(&played), (text(0, 90), vec![1, 2, 3]));
        assert!(played.warned("could not draft"), "{:?}", played.verdict.warnings);
        assert_eq!(played.verdict.receipt.calls.extra, 1);
    }
    let played = play("chain", 4, None, &[], |key| if key.contains("draft") { says("I cannot help with that.") } else { None }).await;
    assert_eq!(played.verdict.status, Status::NoQuorum);
}

#[tokio::test]
async fn a_first_step_with_a_mandate_drafts_and_applies_it() {
    let options = [
        ("steps", json!(["custom", "polish_format", "accuracy_completeness"])),
        ("custom_mandates", json!(["Write it as a checklist for night shifts."])),
    ];
    let played = play("chain", 1, None, &options, growing).await;
    let first = played.prompt("step 1/draft@0");
    assert!(first.contains("Besides drafting") && first.contains("checklist for night shifts"), "{first}");
    let row = played.data("chain_step_1");
    assert_eq!((&row["mandate"], &row["mandateDisplay"]), (&json!("custom"), &json!("Custom: Write it as a checklist")));
    assert!(played.warned("will not be polished"), "{:?}", played.verdict.warnings);
    let plain = play("chain", 1, None, &[], growing).await;
    assert!(!plain.prompt("step 1/draft@0").contains("Besides drafting"));
}
