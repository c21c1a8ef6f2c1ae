//! What a person is asked when a panel may be repeating itself, and what comes of the answer.

use super::{further, put, rig, stuck, turn};
use serde_json::json;
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
        let overruled = "ada overruled the BLOCKER of S1 (m0), S2 (m1), S3 (m2).";
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
