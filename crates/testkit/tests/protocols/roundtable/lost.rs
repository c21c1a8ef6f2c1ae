//! Seats that fail: what stands when too few are left, and what is never said again.

use super::{ALL, reads, round, rows, seat, stop, turn};
use crate::{Line, play, says};
use serde_json::{Value, json};
use synod_types::{Failure, FailureKind, Status};

/// A provider that is down.
fn down() -> Line {
    Some(Err(Failure::new(FailureKind::Server, "the provider is down")))
}

/// A turn that brings one claim whose words nobody else uses.
fn claiming(key: &str, more: Value) -> Line {
    let mut said =
        json!({"vote": "MINOR", "claims": [{"text": format!("matter{0} thing{0} point{0}", key.replace(['/', ' ', '@'], "")), "label": "INFER"}]});
    for (name, value) in more.as_object().into_iter().flatten() {
        said[name.as_str()] = value.clone();
    }
    turn(seat(key), 0.82, said)
}

#[tokio::test]
async fn too_few_in_a_later_round_leave_the_one_before_standing() {
    let script = |key: &str| match key {
        key if key.contains("analysis") => reads(0.5, &[&["S1"], &["S2"]]),
        "round 2/turn@1" => down(),
        key if key.contains("turn@") => claiming(key, json!({})),
        _ => None,
    };
    let played = play("roundtable", 2, None, &[("rounds", json!(4))], script).await;
    assert_eq!((stop(&played), played.verdict.status), (("too_few", 1), Status::Degraded));
    assert!(played.warned("so what was said before stands") && played.verdict.answer.is_some());
    assert_eq!(played.data("claims")["claims"].as_array().map(Vec::len), Some(2), "the record is that of the first round");
}

#[tokio::test]
async fn a_seat_that_misses_two_rounds_is_asked_no_more() {
    let script = |key: &str| match key {
        key if key.contains("analysis") => reads(0.5, &[&["S1"], &["S2"]]),
        key if key.ends_with("turn@2") => down(),
        key if key.contains("turn@") => claiming(key, json!({"position": format!("plan{0} step{0}", round(key) * 7 + seat(key))})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(3))], script).await;
    let asked: Vec<bool> = (1..=3).map(|round| played.asked(&format!("round {round}/turn@2"))).collect();
    assert_eq!((asked.as_slice(), played.verdict.status), (&[true, true, false][..], Status::Degraded));
    let seats = |round: u32| rows(&played, &format!("round_{round}")).iter().map(|row| row["seat"].clone()).collect::<Vec<_>>();
    assert_eq!((seats(2), seats(3)), (vec![json!("S1"), json!("S2"), json!("S3")], vec![json!("S1"), json!("S2")]), "a row for each that was asked");
}

#[tokio::test]
async fn a_seat_that_fails_in_the_last_round_stands_where_it_stood() {
    let script = |key: &str| match key {
        key if key.contains("analysis") => reads(0.5, &[&["S1"], &["S2"]]),
        "round 3/turn@2" => down(),
        key if key.contains("turn@") => claiming(key, json!({"position": format!("plan{0} step{0}", round(key) * 7 + seat(key))})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(3)), ("exit_on_consensus", json!(false))], script).await;
    let answer = played.verdict.answer.as_ref().map(|answer| answer.text.clone()).unwrap_or_default();
    let line = |seat: &str| answer.lines().find(|line| line.starts_with(&format!("- {seat} "))).unwrap_or_default().to_owned();
    assert!(line("S3").ends_with("plan16 step16 (confidence 0.82, MINOR before, not counted; nothing that counts in the last round)"), "{answer}");
    assert!(line("S1").ends_with("plan21 step21 (confidence 0.82, MINOR)"), "{answer}");
}

#[tokio::test]
async fn a_seat_that_failed_has_a_row_that_says_why() {
    let script = |key: &str| match key {
        key if key.contains("safety") => says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
        key if key.contains("analysis") => reads(0.5, &[&["S1"], &["S2"]]),
        "round 1/turn@0" => turn(0, 0.7, json!({"risks": [{"kind": "failure", "text": "The queue fills up.", "mitigation": ""}]})),
        "round 1/turn@2" | "closing/turn@1" => down(),
        key if key.contains("turn@") => turn(seat(key), 0.7, json!({})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("style", json!("red-team-blue-team")), ("rounds", json!(1))], script).await;
    let row = rows(&played, "round_1").remove(2);
    assert_eq!(
        (&row["seat"], &row["role"], &row["position"], &row["confidence"], &row["vote"]),
        (&json!("S3"), &json!("red"), &Value::Null, &Value::Null, &Value::Null)
    );
    assert!(row["error"].as_str().is_some_and(|why| why.contains("the provider is down")), "{row}");
    assert!(rows(&played, "round_1")[0].get("error").is_none(), "who spoke has none");
    assert!(rows(&played, "closing")[0]["error"].is_string(), "of closing answers too");
    for (medium, page) in crate::hidden::pages(&played) {
        assert!(page.contains("Round 1, S3, red") && page.contains(&format!("This debater {}.", FailureKind::Server.plain())), "{medium}");
    }
}

#[tokio::test]
async fn objections_by_too_few_do_not_count_and_their_ids_are_never_given_again() {
    let script = |key: &str| match key {
        key if key.contains("objection/turn@") && seat(key) > 0 => down(),
        key if key.contains("analysis") => reads(0.8, &[ALL]),
        key if key.contains("turn@") && round(key) < 3 => turn(seat(key), 0.82, json!({"vote": "BLOCKER"})),
        key if key.contains("objection/turn@") => claiming(key, json!({})),
        key if key.starts_with("round 4/turn@") => claiming(key, json!({})),
        key if key.contains("turn@") => turn(seat(key), 0.82, json!({"vote": "BLOCKER"})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(4))], script).await;
    assert!(played.asked("round 3/objection/turn@0") && played.asked("round 4/turn@0"), "the debate goes on");
    let spoke = |stage: &str| rows(&played, stage).into_iter().filter(|row| row.get("error").is_none()).collect::<Vec<_>>();
    let ids = |stage: &str| spoke(stage).iter().map(|row| row["claimsTouched"]["introduced"].clone()).collect::<Vec<_>>();
    assert_eq!((ids("objection_3"), ids("round_4")), (vec![json!(["C1"])], vec![json!(["C2"]), json!(["C3"]), json!(["C4"])]));
    assert_eq!(played.data("objection_3_safety")["tier"], 1, "what was read of it is told all the same");
}
