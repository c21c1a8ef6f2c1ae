//! Closed at every call: a verdict each time, the same on replay, and nothing new begun that does not conclude.

use crate::{ended, voices};
use std::sync::Arc;
use synod_engine::{Ending, LimitChanges, Mode};
use synod_testkit::reading::{difference, journal_set};
use synod_testkit::rig::{Rig, order};
use synod_testkit::shuffled::ShuffledModels;
use synod_testkit::tripwire::{Act, Moment, Tripwire};
use synod_testkit::turnstile::Turnstile;
use synod_types::{Body, Kind, Row, Status};

fn after_closing(rows: &[Row]) -> impl Iterator<Item = &Row> {
    rows.iter().skip_while(|row| row.kind != Kind::Closing)
}

every_mode!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 3)]
    a_run_closed_at_any_call_gives_a_verdict_and_begins_nothing_new
);
async fn a_run_closed_at_any_call_gives_a_verdict_and_begins_nothing_new(mode: &'static Mode) {
    for seed in [1, 5] {
        let full = Rig::new(voices());
        let (run, ending) = full.run(&order(mode, seed)).await;
        let calls = ended(&full, &run, ending, mode.id).await.receipt.calls.planned;
        for call in 1..=u64::from(calls) {
            let step = format!("{} seed {seed}, closed at call {call}", mode.id);
            let gate = Turnstile::new(Arc::new(ShuffledModels::new(voices(), call)), call);
            let rig = Rig::new(Arc::new(gate.clone()));
            let mut handle = rig.start(&order(mode, seed)).await;
            gate.reached().await;
            handle.conclude();
            gate.let_go();
            let ending = handle.ending().await;
            let verdict = ended(&rig, &handle.run, ending, &step).await;
            let rows = rig.rows(&handle.run).await;
            assert_eq!(rows.iter().filter(|row| row.kind == Kind::Closing).count(), 1, "{step}");
            for row in after_closing(&rows).filter(|row| row.kind == Kind::Asked) {
                let Ok(Body::Asked(asked)) = row.body() else { panic!("{step}: row {} is not readable", row.seq) };
                let concluding = rig.prompts.settings(mode.id, &asked.prompt).is_some_and(|settings| settings.concluding);
                assert!(concluding, "{step}: {} was begun after the closing row", row.key);
            }
            match verdict.status {
                Status::NoQuorum | Status::Failed => assert!(verdict.answer.is_none(), "{step}"),
                Status::Degraded => {
                    assert_eq!(verdict.stop_reason, "asked", "{step}");
                    assert!(verdict.answer.is_some(), "{step}: a degraded verdict still has an answer");
                }
                Status::Full | Status::Deadlock | Status::Escalated => panic!("{step}: {:?}", verdict.status),
            }
            assert!(verdict.warnings.iter().any(|warning| warning.contains("asked to conclude")), "{step}: {:?}", verdict.warnings);
        }
    }
}

every_mode!(
    #[tokio::test]
    a_turn_under_way_when_the_run_closed_may_still_finish_after_a_stop
);
async fn a_turn_under_way_when_the_run_closed_may_still_finish_after_a_stop(mode: &'static Mode) {
    // As it goes without a stop: closed while the first call is under way.
    let close = async |rig: &Rig, gate: &Turnstile| {
        let mut handle = rig.start(&order(mode, 4)).await;
        gate.reached().await;
        handle.conclude();
        gate.let_go();
        (handle.run.clone(), handle.ending().await)
    };
    let gate = Turnstile::new(voices(), 3);
    let calm = Rig::new(Arc::new(gate.clone()));
    let (run, ending) = close(&calm, &gate).await;
    let want = ended(&calm, &run, ending, mode.id).await;
    let want_set = journal_set(&calm.rows(&run).await);
    let rows = calm.rows(&run).await;
    let closing = rows.iter().find(|row| row.kind == Kind::Closing).map(|row| row.seq as u64).expect("a closing row");
    for row in closing + 1..=rows.len() as u64 {
        let step = format!("{} closed at call 3, stopped before row {row}", mode.id);
        let gate = Turnstile::new(voices(), 3);
        let rig = Rig::new(Arc::new(gate.clone()));
        let wire = Arc::new(Tripwire::new(rig.journal.clone(), row, Moment::Before, Act::Refuse));
        let (run, ending) = close(&rig.clone().journal(wire), &gate).await;
        assert!(matches!(ending, Ending::Stopped(_)), "{step}: {ending:?}");
        let rig = rig.models(voices());
        let ending = rig.resume(&run, LimitChanges::default()).await;
        let got = ended(&rig, &run, ending, &step).await;
        assert_eq!(got.essence(), want.essence(), "{step}: another verdict");
        let differs = difference(&want_set, &journal_set(&rig.rows(&run).await));
        assert!(differs.is_empty(), "{step}: another journal\n{differs}");
    }
}

every_mode!(
    #[tokio::test]
    a_run_past_its_deadline_concludes_and_says_so
);
async fn a_run_past_its_deadline_concludes_and_says_so(mode: &'static Mode) {
    let gate = Turnstile::new(voices(), 1);
    let rig = Rig::new(Arc::new(gate.clone()));
    let mut order = order(mode, 2);
    order.deadline_secs = Some(0.05);
    let mut handle = rig.start(&order).await;
    gate.reached().await;
    tokio::time::sleep(std::time::Duration::from_millis(80)).await;
    gate.let_go();
    let ending = handle.ending().await;
    let verdict = ended(&rig, &handle.run, ending, mode.id).await;
    assert!(matches!(verdict.status, Status::Degraded | Status::NoQuorum | Status::Failed), "{}: {:?}", mode.id, verdict.status);
    assert!(verdict.warnings.iter().any(|warning| warning.contains("deadline")), "{}: {:?}", mode.id, verdict.warnings);
}
