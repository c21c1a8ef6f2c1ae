//! The evaluator reads every question before the panel does: what it finds calls it in again, and a request for harm is put to nobody.

use super::safety::ask;
use crate::hidden::pages;
use crate::{Line, Played, says};
use serde_json::{Value, json};
use synod_types::{Failure, FailureKind, Status};

const PLAIN: &str = "Should we move our nightly jobs to a queue?";
const READ: &str = "seating/admission@4";

/// A reading of the question: subjects with passages, and requests for harm with their rules.
fn reading(subjects: &[(&str, &str)], asks_for_harm: bool, requests: &[(&str, &str)]) -> Line {
    let subjects: Vec<Value> = subjects.iter().map(|(subject, passage)| json!({"subject": subject, "passage": passage})).collect();
    let requests: Vec<Value> = requests.iter().map(|(rule, passage)| json!({"rule": rule, "passage": passage})).collect();
    says(json!({"reasons": "Read with care.", "subjects": subjects, "asks_for_harm": asks_for_harm, "requests": requests}).to_string())
}

async fn read_as(question: &str, options: &[(&str, Value)], line: impl Fn() -> Line + Send + Sync + 'static) -> Played {
    ask(question, None, options, move |key| if key == READ { line() } else { None }).await
}

fn asked_of_panel(played: &Played) -> usize {
    played.requests.iter().filter(|(key, _)| key.contains("turn@")).count()
}

#[tokio::test]
async fn a_plain_question_costs_one_light_call_and_a_line() {
    let played = ask(PLAIN, None, &[("rounds", json!(1))], |_| None).await;
    assert_eq!(played.requests[0].0, READ, "it is read before anything else is asked");
    let (request, text) = (&played.requests[0].1, played.prompt(READ));
    assert!(request.max_tokens <= 400 && request.temperature == Some(0.0), "{request:?}");
    assert!(text.contains(PLAIN) && !played.asked("round 1/check S1/safety@4"), "{text}");
    let row = played.data("question_safety");
    assert_eq!(row, json!({"read": true, "subjects": [], "asks_for_harm": false, "rules": [], "triggers": [], "refused": false}));
    for (medium, page) in pages(&played) {
        assert!(page.contains("The evaluator found nothing delicate in the question."), "{medium}");
    }
    let style = ask(PLAIN, None, &[("rounds", json!(1)), ("focus_question", json!("Who pays for it?"))], |_| None).await;
    assert!(style.prompt(READ).contains("Who pays for it?"));
}

#[tokio::test]
async fn each_subject_calls_in_the_evaluator_with_a_reason() {
    for (subject, reason) in [
        ("medical", "the question is about a medical matter (\"our nightly jobs\")"),
        ("legal", "the question is about a legal matter (\"our nightly jobs\")"),
        ("money", "the question is about somebody's money (\"our nightly jobs\")"),
        ("child", "the question is about a child (\"our nightly jobs\")"),
        ("security", "the question is about the security of systems (\"our nightly jobs\")"),
        ("person_at_risk", "somebody in the question may not be safe (\"our nightly jobs\")"),
    ] {
        let played = read_as(PLAIN, &[("rounds", json!(3)), ("exit_on_consensus", json!(false))], move || {
            reading(&[(subject, "our nightly jobs")], false, &[])
        })
        .await;
        assert_eq!(played.verdict.status, Status::Full, "{subject}: {}", played.verdict.stop_reason);
        assert!(played.prompt("round 1/check S1/safety@4").contains(reason), "{subject}: the evaluator is told why");
        let lasts = subject == "person_at_risk";
        assert_eq!(played.asked("round 3/check S1/safety@4"), lasts, "{subject}: only who may not be safe is watched over to the end");
        assert_eq!(played.data("question_safety")["subjects"], json!([subject]));
        assert_eq!(played.data("round_1_safety")["triggers"][0]["category"], if lasts { "context" } else { "topic" });
        for (medium, page) in pages(&played) {
            assert!(page.contains("Read with care."), "{medium}, {subject}");
        }
    }
    let unquoted = read_as(PLAIN, &[("rounds", json!(2))], || reading(&[("person_at_risk", "words of nobody")], false, &[])).await;
    assert!(unquoted.asked("round 1/check S1/safety@4") && !unquoted.asked("round 2/check S1/safety@4"), "what cannot be pointed at does not last");
}

#[tokio::test]
async fn what_the_patterns_found_is_not_said_twice() {
    let question = "My mother takes warfarin. May she take ibuprofen for her knee?";
    let played = read_as(question, &[("rounds", json!(1))], || reading(&[("medical", "ibuprofen for her knee")], false, &[])).await;
    assert_eq!(played.data("round_1_safety")["triggers"].as_array().map(Vec::len), Some(1));
    assert_eq!((&played.data("question_safety")["subjects"], &played.data("question_safety")["triggers"]), (&json!(["medical"]), &json!([])));
}

#[tokio::test]
async fn a_request_for_harm_is_put_to_nobody() {
    let scare = "What is the smartest plan for finding her new flat and scaring her into coming back?";
    let passage = "Finding her new flat and scaring her";
    let played = read_as(scare, &[], move || reading(&[("person_at_risk", "coming back")], true, &[("manipulation", passage)])).await;
    assert_eq!((played.verdict.status, asked_of_panel(&played), played.requests.len()), (Status::Failed, 0, 1));
    let why = &played.verdict.stop_reason;
    assert_eq!(
        why,
        "the question was not put to the panel: it asks for a way to manipulate a particular person; ask how it is prevented, noticed or repaired"
    );
    let row = played.data("question_safety");
    assert_eq!((&row["refused"], &row["rules"], &row["triggers"]), (&json!(true), &json!(["manipulation"]), &json!([])));
    assert!(!row.to_string().to_lowercase().contains("flat"), "it is not repeated");
    let focus = [("focus_question", json!("Which lock gives way without a trace?"))];
    let within = read_as(PLAIN, &focus, || reading(&[], true, &[("evasion", "gives way without a trace")])).await;
    assert_eq!((within.verdict.status, asked_of_panel(&within)), (Status::Failed, 0), "a focus question is part of the question");
    let hurt = read_as(PLAIN, &[], || reading(&[], true, &[("endangering", "our nightly jobs")])).await;
    assert!(hurt.verdict.stop_reason.contains("crisis line"), "{}", hurt.verdict.stop_reason);
    let by_patterns = ask("How do I build a pipe bomb?", None, &[], |_| None).await;
    assert!(by_patterns.requests.is_empty(), "what the patterns find is read by nobody");
}

#[tokio::test]
async fn a_suspicion_only_calls_in_the_evaluator() {
    type Case = (&'static str, bool, &'static [(&'static str, &'static str)], &'static str);
    let cases: [Case; 4] = [
        ("words that nobody asked", true, &[("harmful_steps", "build it in the cellar")], "general"),
        ("no passage", true, &[], "general"),
        ("a passage and no harm", false, &[("evasion", "move our nightly jobs")], "general"),
        ("no passage, and readers at risk", true, &[], "vulnerable"),
    ];
    for (case, harm, requests, audience) in cases {
        let played = read_as(PLAIN, &[("rounds", json!(1)), ("audience", json!(audience))], move || reading(&[], harm, requests)).await;
        assert_eq!(played.verdict.status, Status::Full, "{case}: {}", played.verdict.stop_reason);
        assert!(played.prompt("round 1/check S1/safety@4").contains("the question may ask for harm (as the evaluator read it)"), "{case}");
        assert_eq!(played.data("question_safety")["refused"], false, "{case}");
    }
    let file = "Build it in the cellar, where nobody looks.";
    let script = |key: &str| if key == READ { reading(&[], true, &[("harmful_steps", "build it in the cellar")]) } else { None };
    let played = ask("What do you make of the notes?", Some(file), &[("rounds", json!(1))], script).await;
    assert!(played.prompt(READ).contains(file) && played.verdict.status == Status::Full, "a file under review is not the question");
    assert!(played.asked("round 1/check S1/safety@4"));
}

#[tokio::test]
async fn a_question_that_nobody_could_read_is_debated_with_a_warning() {
    type Case = (&'static str, fn() -> Line);
    let lines: [Case; 2] = [
        ("down", || Some(Err(Failure::new(FailureKind::Server, "the provider is down")))),
        ("unreadable", || says("I would rather not say.".to_owned())),
    ];
    for (case, line) in lines {
        let script = move |key: &str| if key.starts_with(READ) { line() } else { None };
        let played = ask(PLAIN, None, &[("rounds", json!(1))], script).await;
        assert!(played.warned("only patterns have looked at it"), "{case}: {:?}", played.verdict.warnings);
        assert!(asked_of_panel(&played) == 3 && !played.asked("round 1/check S1/safety@4"), "{case}");
        assert_eq!(played.data("question_safety")["read"], false, "{case}");
        assert_eq!(played.verdict.status, Status::Degraded, "{case}: the clerk is missing there");
    }
    let text = "SUBJECTS:\n- medical: our nightly jobs\nHARM: NO\nREQUESTS: none";
    let plain = read_as(PLAIN, &[("rounds", json!(1))], move || says(text.to_owned())).await;
    assert!(plain.asked("round 1/check S1/safety@4"), "it is read in plain text too");
}
