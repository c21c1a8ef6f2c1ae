//! Jury with scripted jurors: the scores decide, ties go towards caution, whoever fails is named, and no juror reports on the jury.

use crate::hidden::{bare, pages};
use crate::{Line, Played, play, says};
use serde_json::{Value, json};
use synod_types::{AnswerKind, Failure, FailureKind, Shape, Status};

const WORK: Option<&str> = Some("Move the jobs to a queue on Monday.");

fn juror(score: u32, stated: &str, why: &str) -> Line {
    let because = json!({"accuracy": format!("{why} on accuracy"), "clarity": format!("{why} on clarity")});
    let scores = json!({"accuracy": score, "completeness": null, "clarity": score, "relevance": null, "actionability": null});
    let advice = [format!("{why}, so mend it.")];
    says(
        json!({"reasons": format!("{why} decides."), "because": because, "scores": scores, "verdict": stated, "recommendations": advice}).to_string(),
    )
}

fn foreman(verdict: &str) -> Line {
    let report = json!({"reasons": "Two of them say the same.", "verdict": verdict, "strengths": ["It is short."], "weaknesses": ["No costs."],
        "improvements": ["Add the costs.", "Name an owner."], "dissent": ["One would take it as it is."], "report": "Send it back today."});
    says(report.to_string())
}

fn down() -> Line {
    Some(Err(Failure::new(FailureKind::Server, "scripted")))
}

fn decision(played: &Played) -> &Value {
    played.verdict.decision.as_ref().expect("a decision")
}

fn answer(played: &Played) -> &str {
    &played.verdict.answer.as_ref().expect("an answer").text
}

#[tokio::test]
async fn a_rejection_is_a_decision_told_first_and_once() {
    let played = play("jury", 3, WORK, &[], |key| match key {
        "deliberation/juror@0" => juror(2, "REJECT", "No cost"),
        "deliberation/juror@1" => juror(3, "REJECT", "No date"),
        "deliberation/juror@2" => juror(8, "APPROVE", "Plain words"),
        _ => foreman("REJECT"),
    })
    .await;
    assert_eq!((played.verdict.status, played.verdict.status.decided()), (Status::Full, true), "its exit code is 0");
    assert_eq!(played.verdict.action.as_deref(), Some("REJECT: do not use it. What is needed first: Add the costs."));
    assert_eq!(played.verdict.summary(), Some("REJECT by 2 of 3 jurors, 1 APPROVE; 4.3 of 10 on average."));
    assert_eq!((decision(&played)["verdict"].as_str(), decision(&played)["tied"].as_bool()), (Some("REJECT"), Some(false)));
    let [against] = played.verdict.dissent.as_slice() else { panic!("one juror is of another mind: {:?}", played.verdict.dissent) };
    assert_eq!((against.seat, against.text.as_str()), (Some(2), "APPROVE at 8 of 10: Plain words decides."));

    let text = answer(&played);
    assert!(text.starts_with("**REJECT** by 2 of 3 jurors") && !text.contains('|'), "the scorecard is an exhibit: {text}");
    for part in ["Send it back today.", "## Strengths\n\n- It is short.", "## Weaknesses\n\n- No costs.", "1. Add the costs.\n2. Name an owner."] {
        assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
    }
    for (medium, page) in pages(&played) {
        for words in
            ["No cost on accuracy", "No date, so mend it.", "Plain words decides.", "Two of them say the same.", "One would take it as it is."]
        {
            assert!(bare(&page).contains(&bare(words)), "{medium} lacks {words}: {page}");
        }
    }
}

#[tokio::test]
async fn a_tie_goes_towards_caution_and_an_unreadable_juror_is_named() {
    let played = play("jury", 3, WORK, &[], |key| match key {
        "deliberation/juror@0" => juror(8, "APPROVE", "Sound"),
        "deliberation/juror@1" => juror(5, "REVISE", "Thin"),
        key if key.starts_with("deliberation/juror@2") => says("I would rather not say."),
        _ => foreman("REVISE"),
    })
    .await;
    assert_eq!(played.verdict.status, Status::Degraded);
    assert_eq!(played.verdict.missing.iter().map(|missing| (missing.seat, missing.why)).collect::<Vec<_>>(), [(2, FailureKind::Unreadable)]);
    assert_eq!((decision(&played)["verdict"].as_str(), decision(&played)["tied"].as_bool()), (Some("REVISE"), Some(true)));
    assert_eq!(played.verdict.summary(), Some("REVISE by 1 of 2 jurors, 1 APPROVE; the tie was settled towards caution; 6.5 of 10 on average."));
    assert!(played.verdict.action.as_deref().is_some_and(|action| action.starts_with("REVISE")));
    assert!(matches!(played.shown("deliberation").exhibit.shape, Shape::Note { .. }), "the juror who gave nothing has a row that says so");
}

#[tokio::test]
async fn the_scores_outvote_what_a_juror_states_and_both_are_told() {
    let played = play("jury", 3, WORK, &[], |key| match key {
        "deliberation/juror@0" => juror(8, "REJECT", "Sound"),
        key if key.starts_with("deliberation/") => juror(7, "APPROVE", "Fine"),
        _ => foreman("REVISE"),
    })
    .await;
    assert_eq!(played.verdict.action.as_deref(), Some("APPROVE: use it as it stands."));
    assert_eq!((decision(&played)["tally"]["approve"].as_u64(), decision(&played)["stated_tally"]["reject"].as_u64()), (Some(3), Some(1)));
    assert!(
        played.warned("stated REJECT, but scored 8 on average") && played.warned("The foreman would have said REVISE; the jury's APPROVE stands.")
    );
    assert_eq!(decision(&played)["foreman"]["agrees"], false);
    assert_eq!(
        played.verdict.dissent.last().map(|dissent| (dissent.seat, dissent.text.as_str())),
        Some((Some(3), "REVISE: Two of them say the same."))
    );
}

#[tokio::test]
async fn no_juror_stands_in_for_the_foreman_and_one_juror_is_no_jury() {
    let played = play("jury", 3, WORK, &[], |key| if key.starts_with("verdict/") { down() } else { juror(5, "REVISE", "Thin") }).await;
    assert_eq!(played.verdict.status, Status::Degraded);
    let asked: Vec<&String> = played.requests.iter().map(|(key, _)| key).filter(|key| key.starts_with("verdict/")).collect();
    assert_eq!(asked, ["verdict/foreman@3"]);
    let computed = played.verdict.answer.as_ref().expect("an answer");
    assert_eq!((computed.kind, computed.by.len()), (AnswerKind::Computed, 0));
    assert!(computed.text.starts_with("**REVISE** by 3 of 3 jurors") && !computed.text.contains('|'), "{}", computed.text);
    assert_eq!(played.verdict.action.as_deref(), Some("REVISE, beginning with this: Thin, so mend it."));
    assert!(played.warned("no juror may report on the jury"));

    let played = play("jury", 3, WORK, &[], |key| if key == "deliberation/juror@0" { juror(5, "REVISE", "Thin") } else { down() }).await;
    assert_eq!((played.verdict.status, played.verdict.answer.is_none(), played.verdict.missing.len()), (Status::NoQuorum, true, 2));
}
