//! What a person is asked when a panel may be repeating itself, and what comes of the answer.

use super::{SPLIT, further, put, reads, rig, round, seat, stuck, turn};
use crate::Line;
use serde_json::{Value, json};
use synod_engine::LimitChanges;
use synod_testkit::rig::{stopped, verdict};
use synod_types::{Body, PersonAnswer, StopReason};

#[tokio::test]
async fn an_objection_that_moves_nothing_waits_for_a_person() {
    for (answer, note, reason, rounds) in [
        ("accept", Some("Queues it is, for a year."), "person", 3),
        ("accept", None, "person", 3),
        ("continue", Some("Queues it is, for a year."), "round_cap", 4),
        ("continue", None, "round_cap", 4),
    ] {
        let script = |key: &str| match key {
            "round 1/turn@1" => turn(1, 0.82, json!({"claims": [{"text": "Queues retry every failed job.", "label": "INFER"}]})),
            "round 3/turn@0" => turn(0, 0.82, json!({"vote": "BLOCKER", "blocker": "C1", "challenges": [{"id": "C1", "why": "Only some do."}]})),
            key => stuck(false)(key),
        };
        let (rig, counted) = rig(script);
        let (run, ending) = rig.run(&put(&[("rounds", json!(4))])).await;
        let halt = stopped(ending);
        assert_eq!(halt.reason, StopReason::Waiting, "{}", halt.detail);
        let asked = rig.rows(&run).await.iter().find_map(|row| match row.body() {
            Ok(Body::Waiting(asking)) => Some(asking.question),
            _ => None,
        });
        let asked = asked.expect("a question to a person");
        assert!(
            asked.contains("3 BLOCKERs are open:\nS1 (m0) over C1 “Queues retry every failed job.”: Only some do.\nS2 (m1): Retain cron forever\n"),
            "{asked}"
        );
        assert!(asked.contains("Answer accept to let its view stand, overrule the BLOCKERs and end the debate, or continue"), "{asked}");
        let key = "round 3/objection/groupthink@person";
        let says = PersonAnswer { answer: answer.into(), note: note.map(str::to_owned), by: "ada".into() };
        rig.runner().answer(&run, key, says).await.expect("the answer is taken");
        let verdict = verdict(rig.resume(&run, LimitChanges::default()).await);
        assert_eq!(verdict.stop_reason, reason);
        let decision = verdict.decision.clone().expect("a decision");
        let accepts = answer == "accept";
        let overruled = "ada overruled the BLOCKER of S1 over C1, S2, S3: it is settled.";
        let settled = note.or(accepts.then_some("The panel's view stands as it is.")).into_iter().chain(accepts.then_some(overruled));
        let settled: Vec<&str> = settled.collect();
        assert_eq!((&decision["decisions"], &decision["rounds"]), (&json!(settled), &json!(rounds)), "{answer} {note:?}");
        assert_eq!(decision["open_blockers"].as_array().map(Vec::len), Some(if accepts { 0 } else { 3 }), "only who accepts resolves them");
        assert_eq!(decision["overruled_blockers"], if accepts { json!(["S1 (m0)", "S2 (m1)", "S3 (m2)"]) } else { json!([]) });
        assert_eq!(
            (decision["action"].as_str(), decision["conflicts"].as_array().map(Vec::len)),
            if accepts { (Some("proceed"), Some(0)) } else { (Some("verify"), Some(4)) }
        );
        let told = verdict.answer.as_ref().expect("an answer").text.contains("## Overruled by a person\n\n- the BLOCKER of S1 (m0)");
        let summed = decision["summary"].as_str().is_some_and(|summary| summary.contains("the BLOCKERs overruled by a person"));
        assert_eq!((told, summed), (accepts, accepts), "{decision}");
        assert_eq!(counted.requests().iter().any(|(key, _)| key == "round 4/turn@0"), answer == "continue");
    }
}

#[tokio::test]
async fn a_debate_that_a_person_ended_can_be_taken_further() {
    let (rig, counted) = rig(stuck(false));
    let (parent, ending) = rig.run(&put(&[("rounds", json!(4))])).await;
    assert_eq!(stopped(ending).reason, StopReason::Waiting);
    let key = "round 3/objection/groupthink@person";
    let accepts = PersonAnswer { answer: "accept".into(), note: None, by: "ada".into() };
    rig.runner().answer(&parent, key, accepts.clone()).await.expect("the answer is taken");
    assert_eq!(verdict(rig.resume(&parent, LimitChanges::default()).await).stop_reason, "person");
    let again = further(&rig, &parent, json!({"after": 3})).await;
    let (run, mut ending) = rig.run(&again).await;
    if matches!(ending, synod_engine::Ending::Stopped(_)) {
        rig.runner().answer(&run, key, accepts).await.expect("the answer is taken");
        ending = rig.resume(&run, LimitChanges::default()).await;
    }
    assert_eq!(verdict(ending).data["round"], json!(4));
    assert!(counted.requests().iter().any(|(key, _)| key == "round 4/turn@0"));
}

/// S2 blocks in round 2, over a claim of S1; the others accept. In round 3 it votes like this.
fn blocked(third: Value) -> impl Fn(&str) -> Line + Send + Sync + 'static {
    move |key| match key {
        "round 1/turn@0" => {
            let claim = |text: &str| json!({"text": text, "label": "INFER"});
            turn(0, 0.8, json!({"claims": [claim("Queues retry every failed job."), claim("Cron hides what went wrong.")]}))
        }
        "round 2/turn@1" => turn(1, 0.8, json!({"vote": "BLOCKER", "blocker": "C1"})),
        "round 3/turn@1" => turn(1, 0.8, third.clone()),
        key if key.contains("turn@") && round(key) > 0 => turn(seat(key), 0.8, json!({"vote": "ACCEPT"})),
        key if key.contains("analysis") => reads(0.75, SPLIT),
        _ => None,
    }
}

#[tokio::test]
async fn a_person_overrules_a_blocker_when_taking_a_finished_debate_further() {
    // what S2 votes then, whether that is a new blocker, the action
    for (third, again, action) in [
        (json!({"vote": "BLOCKER", "blocker": "C1"}), false, "proceed"),
        (json!({"vote": "BLOCKER"}), false, "proceed"),
        (json!({"vote": "ACCEPT"}), false, "proceed"),
        (json!({"vote": "BLOCKER", "blocker": "C2"}), true, "verify"),
    ] {
        let (rig, counted) = rig(blocked(third.clone()));
        let (parent, ending) = rig.run(&put(&[("rounds", json!(2))])).await;
        let first = verdict(ending);
        let told = first.decision.clone().expect("a decision");
        assert_eq!((&told["action"], &told["open_blockers"]), (&json!("verify"), &json!(["S2 (m1)"])));
        let steps: Vec<(String, String)> = first.further().into_iter().map(|step| (step.option, step.value)).collect();
        assert_eq!(steps, [("resolves".to_owned(), "S2".to_owned())], "and what would overrule it");
        let before = counted.total();
        let order = further(&rig, &parent, json!({"after": 2, "resolves": "s2"})).await;
        let (run, ending) = rig.run(&order).await;
        let second = verdict(ending);
        let asked: Vec<String> = counted.requests().into_iter().skip(before).map(|(key, _)| key).collect();
        assert!(asked.iter().all(|key| key.starts_with("round 3/") || key.starts_with("synthesis/")), "{asked:?}");
        let told = second.decision.clone().expect("a decision");
        assert_eq!((&told["overruled_blockers"], &told["action"]), (&json!(["S2 (m1)"]), &json!(action)), "{third}: {told}");
        assert_eq!(told["open_blockers"], if again { json!(["S2 (m1)"]) } else { json!([]) }, "{third}");
        let blocks = told["conflicts"].as_array().is_some_and(|list| list.iter().any(|conflict| conflict["kind"] == "blocker"));
        assert_eq!((blocks, second.further().is_empty()), (again, !again), "{third}: {told}");
        let (_, request) = counted.requests().into_iter().rfind(|(key, _)| key == "round 3/turn@1").expect("asked");
        let text = request.messages.last().expect("a message").text().to_owned();
        assert!(text.contains("A person overruled the BLOCKER of S2 over C1: it is settled.") && !text.contains("(m1)"), "{text}");
        let rows = rig.rows(&run).await;
        let page = synod_report::show(&synod_report::View::of(&rows), synod_report::Style::default(), false);
        assert!(page.contains("BLOCKER overruled from round 3 on: s2") && page.contains("the BLOCKER of S2 (m1)"), "{page}");
    }
}

#[tokio::test]
async fn whose_blocker_is_resolved_must_have_one() {
    for (resolves, why) in [
        ("S9", "there is no seat S9 (S1, S2, S3): name whose BLOCKER is open, S2 (m1), or all"),
        ("S2, S1", "S1 has no BLOCKER to resolve after round 2: name whose are open, S2 (m1), or all"),
    ] {
        let (rig, counted) = rig(blocked(json!({})));
        let (parent, _) = rig.run(&put(&[("rounds", json!(2))])).await;
        let before = counted.total();
        let (_, ending) = rig.run(&further(&rig, &parent, json!({"after": 2, "resolves": resolves})).await).await;
        let refused = verdict(ending);
        assert_eq!((refused.stop_reason.as_str(), counted.total() - before), (why, 0), "nobody is asked before it is clear");
    }
    let (rig, _) = rig(|key| if key.contains("turn@") { turn(seat(key), 0.8, json!({"vote": "ACCEPT"})) } else { None });
    let (parent, _) = rig.run(&put(&[("rounds", json!(2))])).await;
    let (_, ending) = rig.run(&further(&rig, &parent, json!({"after": 2, "resolves": "all"})).await).await;
    let refused = verdict(ending).stop_reason;
    assert_eq!(refused, "after round 2 no BLOCKER that counts is open, so there is none to resolve: leave out `resolves`");
}
