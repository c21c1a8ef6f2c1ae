//! Red team: no clean bill by accident, findings matched by id, nobody judges its own, and no text lost on the way.

use crate::{Line, Played, play, says};
use serde_json::{Value, json};
use synod_types::{AnswerKind, Failure, FailureKind, SeatIx, Status};

const PLAN: &str = "Step one opens the port. Step two copies the keys. Step three closes the port again and writes the log.";
const BETTER: &str = "Step one opens the port for one address. Step two copies the keys. Step three closes the port again and writes the log.";

fn attack(findings: &[(&str, &str)]) -> Line {
    let findings: Vec<Value> = findings
        .iter()
        .map(|(title, severity)| json!({"title": title, "severity": severity, "location": "step one", "vulnerability": format!("{title} it is"), "exploit": "walk in"}))
        .collect();
    says(json!({"reasons": "looked", "findings": findings, "no_flaws": findings.is_empty()}).to_string())
}

fn attack_again(findings: &[(&str, &str)]) -> Line {
    let findings: Vec<Value> = findings
        .iter()
        .map(|(title, severity)| json!({"title": title, "severity": severity, "location": "step two", "vulnerability": format!("{title} it is"), "exploit": "wait"}))
        .collect();
    says(json!({"reasons": "looked again", "reopened": [], "findings": findings, "no_flaws": findings.is_empty()}).to_string())
}

fn again(reopened: &[&str]) -> Line {
    let reopened: Vec<Value> = reopened.iter().map(|id| json!({"id": id, "why": "still open at night"})).collect();
    says(json!({"reasons": "looked again", "reopened": reopened, "findings": [], "no_flaws": reopened.is_empty()}).to_string())
}

fn defence(responses: &[(&str, &str)], content: &str) -> Line {
    let responses: Vec<Value> = responses
        .iter()
        .map(|(id, verdict)| json!({"id": id, "verdict": verdict, "reasoning": format!("my word on {id}"), "revision": null}))
        .collect();
    says(json!({"reasons": "answered", "responses": responses, "revised_content": content}).to_string())
}

fn down() -> Line {
    Some(Err(Failure::new(FailureKind::Server, "the provider is down")))
}

fn fates(played: &Played) -> Vec<(String, String)> {
    let findings = played.verdict.decision.as_ref().and_then(|decision| decision["findings"].as_array().cloned()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut list: Vec<(String, String)> = findings.iter().map(|finding| (text(&finding["id"]), text(&finding["fate"]))).collect();
    list.sort();
    list
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(id, fate)| ((*id).to_owned(), (*fate).to_owned())).collect()
}

fn by(played: &Played) -> Vec<SeatIx> {
    played.verdict.answer.as_ref().expect("an answer").by.clone()
}

/// A round of two findings, one accepted and one disputed, with the judge's ruling; the synthesis keeps the revised text.
fn usual(upheld: bool) -> impl Fn(&str) -> Line + Send + Sync + 'static {
    move |key| match key {
        "generate/generate@0" => says(PLAN),
        "round 1/attack/attack@1" => attack(&[("Open to all", "HIGH"), ("No owner", "CRITICAL")]),
        "round 1/defend/defend@0" => defence(&[("F1", "ACCEPT"), ("F2", "REBUT")], BETTER),
        "round 1/judge/judge@2" => {
            says(json!({"reasons": "weighed", "rulings": [{"id": "F2", "why": "read step three", "upheld": upheld}]}).to_string())
        }
        "round 2/attack/attack_again@1" => again(&[]),
        "synthesis/synthesis@0" => says(format!("{BETTER} Somebody watches.")),
        _ => None,
    }
}

#[tokio::test]
async fn findings_keep_their_ids_and_the_final_writer_sees_the_revised_text() {
    let played = play("red_team", 3, Some(PLAN), &[], usual(true)).await;
    assert_eq!(played.verdict.status, Status::Full, "{:?}", played.verdict.missing);
    assert_eq!(fates(&played), pairs(&[("F1", "fixed"), ("F2", "rebutted")]));
    let decision = played.verdict.decision.clone().expect("a decision");
    assert_eq!((&decision["risk"], &decision["rounds"]), (&json!("NONE"), &json!(2)));
    assert_eq!(played.verdict.summary(), Some("2 findings: 1 fixed, 1 rightly rebutted; hardening confidence high."));
    assert_eq!(played.verdict.action.as_deref(), Some("Use the hardened version below: every finding was fixed or rightly rebutted."));
    let last = played.prompt("synthesis/synthesis@0");
    assert!(last.contains(BETTER) && last.contains("a neutral judge agreed") && last.contains("my word on F2"), "{last}");
    let judged = played.prompt("round 1/judge/judge@2");
    assert!(judged.contains("No owner") && !judged.contains("Open to all"), "the judge rules on disputes only: {judged}");
    let second = played.prompt("round 2/attack/attack_again@1");
    assert!(second.contains("Answers you may test: F1, F2."), "{second}");
    assert_eq!(played.data("audit")["hardeningConfidence"], "High");
    assert_eq!(played.verdict.dissent.len(), 1);
    assert_eq!(played.verdict.answer.as_ref().map(|answer| answer.kind), Some(AnswerKind::Synthesis));
}

#[tokio::test]
async fn an_overruled_rebuttal_still_counts_against_the_work() {
    let played = play("red_team", 3, Some(PLAN), &[], usual(false)).await;
    assert_eq!(fates(&played), pairs(&[("F1", "fixed"), ("F2", "overruled")]));
    let decision = played.verdict.decision.clone().expect("a decision");
    assert_eq!((&decision["risk"], &decision["unresolved"]["critical"]), (&json!("CRITICAL"), &json!(1)));
    assert_eq!(played.data("synthesis")["hardeningConfidence"], "Low");
    assert!(played.warned("was not tested"), "{:?}", played.verdict.warnings);
}

#[tokio::test]
async fn an_answer_shown_to_fail_is_answered_again() {
    let script = |key: &str| match key {
        "round 2/attack/attack_again@1" => again(&["F1"]),
        "round 2/defend/defend@0" => defence(&[("F1", "REBUT")], ""),
        "round 2/judge/judge@2" => says("RULING ON F1: OVERRULED\nThe night is not covered."),
        other => usual(true)(other),
    };
    let played = play("red_team", 3, Some(PLAN), &[], script).await;
    let asked = played.prompt("round 2/defend/defend@0");
    assert!(asked.contains("still open at night") && !asked.contains("No owner"), "only what is open is answered: {asked}");
    assert_eq!(fates(&played), pairs(&[("F1", "overruled"), ("F2", "rebutted")]));
    assert_eq!(played.verdict.status, Status::Full, "{:?}", played.verdict.missing);
}

#[tokio::test]
async fn a_ruling_after_a_reopening_is_what_the_author_hears() {
    let played = play("red_team", 3, Some(PLAN), &[("rounds", json!(3))], |key| match key {
        "round 1/attack/attack@1" => attack(&[("Open to all", "HIGH")]),
        "round 1/defend/defend@0" => defence(&[("F1", "ACCEPT")], BETTER),
        "round 2/attack/attack_again@1" => again(&["F1"]),
        "round 2/defend/defend@0" => defence(&[("F1", "REBUT")], ""),
        "round 2/judge/judge@2" => {
            says(json!({"reasons": "weighed", "rulings": [{"id": "F1", "why": "the night is not covered", "upheld": false}]}).to_string())
        }
        "round 3/attack/attack_again@1" => attack_again(&[("No owner", "LOW")]),
        other => usual(true)(other),
    })
    .await;
    let asked = played.prompt("round 3/defend/defend@0");
    assert!(asked.contains("the night is not covered") && !asked.contains("still open at night"), "{asked}");
}

#[tokio::test]
async fn two_seats_leave_disputes_contested_and_say_so() {
    let played = play("red_team", 2, Some(PLAN), &[], usual(true)).await;
    assert_eq!(fates(&played), pairs(&[("F1", "fixed"), ("F2", "contested")]));
    assert!(played.warned("nobody ruled on 1 disputed finding"), "{:?}", played.verdict.warnings);
    assert_eq!(played.verdict.decision.as_ref().map(|decision| decision["risk"].clone()), Some(json!("CRITICAL")));
    assert_eq!(played.verdict.status, Status::Full);
}

#[tokio::test]
async fn an_unreadable_attack_is_no_clean_bill() {
    let prose = "The severity of any vulnerability at this location seems low. I see no issues.";
    // Two seats: nobody else may attack.
    let played = play("red_team", 2, Some(PLAN), &[], move |key| if key.contains("attack") { says(prose) } else { None }).await;
    assert_eq!((played.verdict.status, played.verdict.answer.is_none()), (Status::NoQuorum, true));
    // Three: the judge attacks, and judges no more.
    let script = move |key: &str| match key {
        key if key.starts_with("round 1/attack/attack@1") => says(prose),
        "round 1/attack/attack@2" => attack(&[("Open to all", "HIGH"), ("No owner", "CRITICAL")]),
        other => usual(true)(other),
    };
    let played = play("red_team", 3, Some(PLAN), &[], script).await;
    assert_eq!(played.verdict.status, Status::Degraded);
    assert!(!played.asked("round 1/judge/judge@2") && played.warned("may not judge"), "{:?}", played.verdict.warnings);
    assert_eq!(fates(&played), pairs(&[("F1", "fixed"), ("F2", "contested")]));
}

#[tokio::test]
async fn nothing_found_ends_the_rounds_and_leaves_the_work_alone() {
    let script = |key: &str| match key {
        "round 1/attack/attack@1" => attack(&[]),
        other => usual(true)(other),
    };
    let played = play("red_team", 3, Some(PLAN), &[], script).await;
    let answer = played.verdict.answer.clone().expect("an answer");
    assert_eq!((answer.kind, answer.text.as_str()), (AnswerKind::Selected, PLAN));
    assert_eq!((played.verdict.status, played.verdict.receipt.calls.planned), (Status::Full, 2));
    assert_eq!(played.data("attack_round_1")["noFlaws"], true);
}

#[tokio::test]
async fn a_revision_that_loses_the_text_is_refused_and_fixes_nothing() {
    for (content, why) in [("Closed the port.", "words of"), (PLAN, "changes nothing")] {
        let script = move |key: &str| match key {
            "round 1/defend/defend@0" => defence(&[("F1", "ACCEPT"), ("F2", "ACCEPT")], content),
            other => usual(true)(other),
        };
        let played = play("red_team", 3, Some(PLAN), &[("rounds", json!(1))], script).await;
        assert_eq!(fates(&played), pairs(&[("F1", "open"), ("F2", "open")]), "{content:?}");
        assert!(played.warned(why), "{why}: {:?}", played.verdict.warnings);
        assert_eq!(played.data("defend_round_1")["kept"], false);
        assert!(played.prompt("synthesis/synthesis@0").contains(PLAN));
    }
}

#[tokio::test]
async fn who_accepts_and_sends_no_text_is_asked_for_it() {
    let turns = |played: &Played| played.requests.iter().filter(|(key, _)| key.starts_with("round 1/defend/")).count();
    let whole = play("red_team", 3, Some(PLAN), &[("rounds", json!(1))], usual(true)).await;
    let empty = play("red_team", 3, Some(PLAN), &[("rounds", json!(1))], |key| match key {
        "round 1/defend/defend@0" => defence(&[("F1", "ACCEPT"), ("F2", "ACCEPT")], " "),
        other => usual(true)(other),
    })
    .await;
    assert_eq!((turns(&whole), turns(&empty)), (1, 2));
}

#[tokio::test]
async fn what_the_defender_passes_over_stays_open() {
    let script = |key: &str| match key {
        "round 1/defend/defend@0" => defence(&[("F1", "ACCEPT")], BETTER),
        "round 2/defend/defend@0" => down(),
        "round 2/attack/attack_again@1" => again(&["F1"]),
        other => usual(true)(other),
    };
    let played = play("red_team", 3, Some(PLAN), &[], script).await;
    assert_eq!(played.data("defend_round_1")["responses"][1]["verdict"], "UNADDRESSED");
    assert_eq!(fates(&played), pairs(&[("F1", "open"), ("F2", "open")]));
    assert_eq!(played.data("defend_round_2")["error"], true);
    assert_eq!(played.verdict.status, Status::Degraded);
}

#[tokio::test]
async fn a_final_version_that_loses_the_text_is_refused() {
    let script = |key: &str| match key {
        "synthesis/synthesis@0" => says("Here is a summary."),
        other => usual(true)(other),
    };
    let played = play("red_team", 3, Some(PLAN), &[], script).await;
    let answer = played.verdict.answer.clone().expect("an answer");
    assert_eq!((answer.kind, answer.text.as_str()), (AnswerKind::Selected, BETTER));
    assert_eq!((played.verdict.status, by(&played)), (Status::Degraded, vec![0]));
}

#[tokio::test]
async fn with_the_generator_gone_the_material_is_tested_as_given() {
    let script = |key: &str| match key {
        key if key.ends_with("@0") => down(),
        "synthesis/synthesis@1" => says(BETTER),
        other => usual(true)(other),
    };
    let played = play("red_team", 3, Some(PLAN), &[("rounds", json!(1))], script).await;
    assert!(played.prompt("round 1/attack/attack@1").contains(PLAN));
    assert_eq!((played.verdict.status, by(&played)), (Status::Degraded, vec![1]));
    assert_eq!(fates(&played), pairs(&[("F1", "open"), ("F2", "open")]));
    assert_eq!(played.data("generate")["used"], false);
}

#[tokio::test]
async fn what_remains_open_and_how_far_it_is_hardened_are_told() {
    let played = play("red_team", 3, Some(PLAN), &[("rounds", json!(1))], usual(false)).await;
    assert_eq!(played.verdict.action.as_deref(), Some("Mend one thing before you use it: F2 No owner (critical, rebuttal failed)."));
    let audit = played.shown("audit").exhibit;
    let part = |name: &str| audit.parts.iter().find(|part| part.name == name).map(|part| part.texts.clone()).unwrap_or_default();
    assert_eq!(part("Hardening confidence"), ["low: something of high or critical severity is unresolved"]);
    assert_eq!(part("What remains open"), ["F2 No owner (critical, rebuttal failed)."]);
    let [against] = played.verdict.dissent.as_slice() else { panic!("{:?}", played.verdict.dissent) };
    assert_eq!(against.seat, Some(0), "the author is against it");
    assert!(against.text.starts_with("No owner: no flaw (F2 critical): "), "{}", against.text);
    let (_, request) = played.requests.iter().find(|(key, _)| key == "round 1/attack/attack@1").expect("an attack");
    let system = request.messages[0].text();
    assert!(["- Code:", "- Plan or design:", "- Argument or analysis:", "- Text for readers:"].iter().all(|kind| system.contains(kind)), "{system}");
}
