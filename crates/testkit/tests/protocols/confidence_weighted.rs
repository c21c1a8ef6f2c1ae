//! Weights decide what the synthesizer reads first and who stands in for it, and the answer is never the notes.

use serde_json::json;
use std::sync::Arc;
use synod_engine::RunSpec;
use synod_modes::confidence_weighted::MODE;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::{AnswerKind, ConfidenceSource, Failure, FailureKind, PastTurn, Reply, Status, Verdict, seat_of};

/// Answers with these confidences, a synthesis with notes; the calls fail that `fails` says so of.
fn sure(confidences: &'static [&'static str], fails: impl Fn(&str) -> bool + Send + Sync + 'static) -> Voices {
    Voices::default().scripted(move |_, _, context| {
        let key = context.key.as_str();
        if fails(key) {
            return Some(Err(Failure::new(FailureKind::Server, "the provider is down")));
        }
        let text = match seat_of(key) {
            Some(seat) if key.starts_with("answer/") => {
                format!("RESPONSE:\nanswer of seat {seat}\nCONFIDENCE: {}\nCONFIDENCE_REASONING: r", confidences[seat as usize])
            }
            _ => "SYNTHESIS:\nthe blend\nCONFIDENCE CALIBRATION NOTES:\nthe notes".to_owned(),
        };
        Some(Ok(Reply::text(text)))
    })
}

async fn run(models: Voices, order: &RunSpec) -> (Verdict, Arc<CountedModels>) {
    let counted = Arc::new(CountedModels::new(Arc::new(models)));
    let (_, ending) = Rig::new(counted.clone()).run(order).await;
    (verdict(ending), counted)
}

fn keys(counted: &CountedModels) -> Vec<String> {
    let mut keys: Vec<String> = counted.requests().into_iter().map(|(key, _)| key).collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn the_synthesizer_reads_answers_by_weight_and_without_names() {
    let (verdict, counted) = run(sure(&["0.5", "rather high", "90%"], |_| false), &order(&MODE, 5)).await;
    assert_eq!(verdict.status, Status::Full, "a number that was not stated drops nobody: {:?}", verdict.missing);
    let requests = counted.requests();
    let (_, request) = requests.iter().find(|(key, _)| key == "synthesis/synthesis@0").expect("a synthesis");
    let read = request.messages.iter().map(|message| message.text()).collect::<Vec<_>>().join("\n");
    let places = [2, 1, 0].map(|seat| read.find(&format!("answer of seat {seat}")).expect("every answer"));
    assert!(places.is_sorted(), "{read}");
    assert!(read.contains("rated itself not at all") && read.contains("rated itself 0.9"), "{read}");
    assert!(!["m0", "m1", "m2"].iter().any(|model| read.contains(model)), "{read}");
    let answer = verdict.answer.expect("an answer");
    assert_eq!((answer.kind, answer.text.as_str()), (AnswerKind::Synthesis, "the blend"));
    let confidence = verdict.confidence.expect("two stated one");
    assert_eq!((confidence.source, confidence.n), (ConfidenceSource::Stated, 2));
    assert!(confidence.value.is_some_and(|value| value > 0.7 && value < 0.9), "{confidence:?}");
    assert!(verdict.warnings.iter().any(|warning| warning.contains("mean of the others")), "{:?}", verdict.warnings);
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["answers"][0]["seat"], &decision["answers"][1]["confidence"]), (&json!(2), &json!(null)));
}

#[tokio::test]
async fn a_lone_answer_is_returned_as_it_is_without_another_call() {
    let (verdict, counted) = run(sure(&["0.5", "0.6", "0.7"], |key| key != "answer/answer@1"), &order(&MODE, 5)).await;
    assert_eq!(verdict.status, Status::Degraded);
    let answer = verdict.answer.expect("an answer");
    assert_eq!((answer.kind, answer.text.as_str(), answer.by), (AnswerKind::Selected, "answer of seat 1", vec![1]));
    assert_eq!(keys(&counted), ["answer/answer@0", "answer/answer@1", "answer/answer@2"]);
    assert_eq!(verdict.decision.expect("a decision")["answers"][0]["weight"], json!(1.0));
}

#[tokio::test]
async fn the_next_by_weight_writes_and_at_last_the_heaviest_answer_stands() {
    let (verdict, _) = run(sure(&["0.5", "0.6", "0.9"], |key| key == "synthesis/synthesis@0"), &order(&MODE, 5)).await;
    assert_eq!((verdict.status, verdict.answer.expect("an answer").by), (Status::Degraded, vec![2]));
    let (verdict, _) = run(sure(&["0.5", "0.6", "0.9"], |key| key.starts_with("synthesis/")), &order(&MODE, 5)).await;
    let answer = verdict.answer.expect("an answer");
    assert_eq!((answer.kind, answer.text.as_str()), (AnswerKind::Selected, "answer of seat 2"));
}

#[tokio::test]
async fn what_was_said_before_is_sent_once() {
    let mut order = order(&MODE, 5);
    order.question.history.push(PastTurn { question: "And before?".into(), answer: "It was fine.".into() });
    let (_, counted) = run(sure(&["0.5", "0.6", "0.9"], |_| false), &order).await;
    for (key, request) in counted.requests() {
        let said = request.messages.iter().filter(|message| message.text().contains("It was fine.")).count();
        assert_eq!(said, 1, "{key}");
    }
}

#[tokio::test]
async fn an_answer_in_place_of_a_synthesis_has_its_row() {
    // which calls fail, models counted, the answer shown
    type Fails = fn(&str) -> bool;
    let nobody_writes: Fails = |key| key.starts_with("synthesis/");
    let one_answers: Fails = |key| key != "answer/answer@1";
    for (fails, models, text) in [(nobody_writes, 3, "answer of seat 2"), (one_answers, 1, "answer of seat 1")] {
        let played = super::play("confidence_weighted", 3, None, &[], move |key| {
            let seat = seat_of(key).unwrap_or_default();
            let answer = format!("RESPONSE:\nanswer of seat {seat}\nCONFIDENCE: 0.{}\nCONFIDENCE_REASONING: r", 5 + seat);
            Some(if fails(key) { Err(Failure::new(FailureKind::Server, "the provider is down")) } else { Ok(Reply::text(answer)) })
        });
        let played = played.await;
        let data = played.data("synthesis");
        assert_eq!((&data["synthesisPreview"], &data["totalModels"]), (&json!(text), &json!(models)));
        assert_eq!((&data["calibrationNotes"], played.shown("synthesis").exhibit.seat), (&json!(null), None));
    }
}

#[tokio::test]
async fn an_answer_without_any_form_is_still_an_answer() {
    let played = super::play("confidence_weighted", 3, None, &[], |key| match key {
        "answer/answer@0" => super::says("Use a queue."),
        "answer/answer@1" => super::says("{\"reasons\": \"r\", \"answer\": \"Use cron.\", \"confidence\": \"high\"}"),
        "answer/answer@2" => super::says("{\"reasons\": \"r\", \"answer\": \"Use both.\", \"confidence\": \"80%\"}"),
        _ => super::says("SYNTHESIS:\nthe blend"),
    });
    let played = played.await;
    assert_eq!((played.verdict.status, played.verdict.receipt.calls.extra), (Status::Full, 0), "{:?}", played.verdict.missing);
    let decision = played.verdict.decision.expect("a decision");
    let stated: Vec<_> =
        decision["answers"].as_array().expect("answers").iter().map(|one| (one["seat"].clone(), one["confidence"].clone())).collect();
    assert_eq!(stated.len(), 3);
    assert!(stated.contains(&(json!(2), json!(0.8))) && stated.contains(&(json!(0), json!(null))), "{stated:?}");
}

#[tokio::test]
async fn what_was_said_of_the_ratings_reaches_the_page() {
    let played = super::play("confidence_weighted", 2, None, &[], |key| match key {
        "answer/answer@0" => super::says("RESPONSE:\nUse a queue.\nCONFIDENCE: 0.9\nCONFIDENCE_REASONING: Seen it work twice."),
        "answer/answer@1" => super::says("RESPONSE:\nUse cron.\nCONFIDENCE: 0.5\nCONFIDENCE_REASONING: A guess from habit."),
        _ => super::says(
            json!({"reasons": "They differ on cost.", "synthesis": "the blend", "calibration_notes": "The first is too sure."}).to_string(),
        ),
    })
    .await;
    let weights = serde_json::to_string(&played.shown("weights").exhibit.shape).expect("JSON");
    assert!(weights.contains("stated 0.9: Seen it work twice.") && weights.contains("stated 0.5: A guess from habit."), "{weights}");
    let notes = serde_json::to_string(&played.shown("calibration").exhibit.shape).expect("JSON");
    assert!(notes.contains("They differ on cost.") && notes.contains("The first is too sure."), "{notes}");
    assert_eq!(played.verdict.answer.as_ref().map(|answer| answer.text.as_str()), Some("the blend"), "and not the answer");
    assert!(played.prompt("synthesis/synthesis@0").contains("Seen it work twice."));
    assert_eq!(played.verdict.summary(), Some("Of 2 answers m0's weighs most, 83 %: Use a queue."));
}
