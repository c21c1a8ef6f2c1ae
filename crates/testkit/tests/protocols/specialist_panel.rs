//! Specialist panel: what nobody was heard on is not known, and a number off the scale costs nothing but itself.

use crate::{Line, Played, play, says};
use serde_json::{Value, json};
use synod_types::{Failure, FailureKind, Status};

fn conflicts(played: &Played) -> Value {
    played.verdict.decision.as_ref().map(|decision| decision["conflicts"].clone()).expect("a decision")
}

/// The synthesizer's prompt, whoever wrote.
fn joined(played: &Played) -> String {
    let (key, _) = played.requests.iter().find(|(key, _)| key.starts_with("synthesis/")).expect("a synthesis");
    played.prompt(key)
}

fn down() -> Line {
    Some(Err(Failure::new(FailureKind::Server, "the provider is down")))
}

fn silent() -> Line {
    says(json!({"reasons": "r", "stances": [], "changes": []}).to_string())
}

#[tokio::test]
async fn without_a_cross_review_no_absence_of_conflict_is_claimed() {
    let played = play("specialist_panel", 3, None, &[], |key| if key.starts_with("cross_review/") { down() } else { None }).await;
    assert_eq!((played.verdict.status, conflicts(&played)), (Status::Degraded, Value::Null));
    let prompt = joined(&played);
    assert!(prompt.contains("None of the 3 specialists answered") && !prompt.contains("No finding was disputed"), "{prompt}");
    assert!(played.data("synthesis")["divergentFindingCount"].is_null());

    let played = play("specialist_panel", 3, None, &[], |key| match key {
        "cross_review/cross_review@1" => silent(),
        key if key.starts_with("cross_review/") => down(),
        _ => None,
    })
    .await;
    assert_eq!(conflicts(&played), json!(0));
    let prompt = joined(&played);
    assert!(prompt.contains("1 of 3 specialists answered") && prompt.contains("No finding was disputed"), "{prompt}");
}

#[tokio::test]
async fn a_changed_rating_off_the_scale_leaves_the_stances_alone() {
    let played = play("specialist_panel", 3, None, &[], |key| match key {
        // Also when it is asked again.
        "cross_review/cross_review@1" | "cross_review/cross_review@1/repair" => says(
            json!({"reasons": "r", "stances": [{"id": "S1.1", "stance": "disagree", "why": "rare"}],
                "changes": [{"criterion": "Horizontal Scalability", "score": 9, "why": "w"}]})
            .to_string(),
        ),
        key if key.starts_with("cross_review/") => silent(),
        _ => None,
    })
    .await;
    assert_eq!((played.verdict.status, conflicts(&played)), (Status::Full, json!(1)), "{:?}", played.verdict.missing);
    assert!(!joined(&played).contains(": 9"), "{}", joined(&played));
    let warned = played.verdict.warnings.iter().any(|warning| warning.contains("off its scale in cross_review, also when asked again"));
    assert!(warned, "{:?}", played.verdict.warnings);
}

#[tokio::test]
async fn each_specialist_is_told_whole_and_a_panel_without_a_writer_repeats_no_table() {
    let report = |key: &str| {
        let who = key.rsplit('@').next().unwrap_or_default();
        says(
            json!({"reasons": format!("Reasons of {who} stands."), "findings": [format!("Finding of {who} stands.")], "ratings": [],
                "recommendations": [format!("Advice of {who} stands.")], "analysis": format!("Analysis of {who} stands.")})
            .to_string(),
        )
    };
    let played = play("specialist_panel", 3, None, &[], move |key| match key {
        key if key.starts_with("report/") => report(key),
        key if key.starts_with("cross_review/") => says(json!({"reasons": "Seen from here it fits.", "stances": [], "changes": []}).to_string()),
        _ => down(),
    })
    .await;
    for (medium, page) in crate::hidden::pages(&played) {
        for what in ["Reasons", "Finding", "Advice", "Analysis"] {
            for who in 0..3 {
                let words = format!("{what} of {who} stands.");
                assert!(crate::hidden::bare(&page).contains(&crate::hidden::bare(&words)), "{medium} lacks {words}");
            }
        }
    }
    let text = &played.verdict.answer.as_ref().expect("an answer").text;
    assert!(text.starts_with("Advice of 0 stands. That is what the") && !text.contains("Finding of") && !text.contains('|'), "{text}");
    assert_eq!(played.verdict.summary(), Some("3 specialists rated nothing; no finding is disputed."));
    assert_eq!(played.data("synthesis")["specialistCount"], json!(3), "it has a row like a written one");
}

#[tokio::test]
async fn the_lowest_ratings_are_the_top_risks() {
    let played = play("specialist_panel", 3, None, &[], |_| None).await;
    let shown = played.shown("convergence").exhibit;
    let risks = shown.parts.iter().find(|part| part.name == "Top risks").map(|part| part.texts.clone()).unwrap_or_default();
    let decision = played.verdict.decision.as_ref().expect("a decision");
    let worst = decision["top_risk"]["criterion"].as_str().expect("something is rated");
    assert!(risks.len() == 5 && risks[0].starts_with(worst), "{risks:?}");
}
