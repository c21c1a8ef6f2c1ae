//! Seats that fail, through a real socket and the real registry: who is missing, where and why is in the verdict.

use crate::ended;
use std::collections::BTreeSet;
use std::sync::Arc;
use synod_engine::{Held, Mode, Order};
use synod_modes::MODES;
use synod_testkit::rig::{Rig, order};
use synod_testkit::served::served;
use synod_testkit::server::{ANY, Fault, ModelServer};
use synod_testkit::voices::Voices;
use synod_types::{Body, Failure, FailureKind, Row, SeatIx, Status, Verdict};

/// A panel one larger than usual where the mode allows it, so that one seat may be lost; that seat has the given name.
fn order_with(mode: &Mode, name: &str) -> (Order, SeatIx) {
    let mut order = order(mode, 11);
    let beside = u32::from(order.called.chair.is_some());
    if (order.called.models.len() as u32) < mode.seats.1 - beside {
        order.called.models.push(String::new());
    }
    let last = order.called.models.len() - 1;
    order.called.models[last] = name.to_owned();
    order.timeout_secs = Some(1.5);
    (order, last as SeatIx)
}

fn names(order: &Order) -> Vec<String> {
    order.called.models.iter().chain(&order.called.chair).cloned().collect()
}

async fn run(server: &ModelServer, order: &Order, step: &str) -> (Verdict, Vec<Row>) {
    let rig = Rig::new(served(&server.url(), &names(order)));
    let (run, ending) = rig.run(order).await;
    let verdict = ended(&rig, &run, ending, step).await;
    let rows = rig.rows(&run).await;
    let Ok(Body::Header(header)) = rows[0].body() else { panic!("{step}: no header") };
    assert!(verdict.receipt.calls.planned <= header.planned_calls.1, "{step}: {} planned calls", verdict.receipt.calls.planned);
    for row in &rows {
        if let Ok(Body::Failed(failed)) = row.body()
            && !row.key.ends_with("/repair")
        {
            let named = verdict.missing.iter().any(|missing| Some(missing.seat) == row.seat() && missing.why == failed.failure.kind);
            assert!(named, "{step}: {} failed and is not in `missing`", row.key);
        }
    }
    (verdict, rows)
}

fn why(verdict: &Verdict, seat: SeatIx) -> BTreeSet<FailureKind> {
    verdict.missing.iter().filter(|missing| missing.seat == seat).map(|missing| missing.why).collect()
}

#[tokio::test]
async fn one_seat_that_fails_degrades_the_verdict_and_is_named() {
    let faults = [
        ("mute", Fault::Empty, FailureKind::Empty),
        ("hanging", Fault::Hang, FailureKind::Timeout),
        ("stalling", Fault::Stall, FailureKind::Timeout),
        ("locked", Fault::Unauthorized, FailureKind::Auth),
        ("broken", Fault::server_error(), FailureKind::Server),
        ("declining", Fault::Refusal, FailureKind::Refused),
    ];
    for mode in MODES {
        for (name, fault, kind) in &faults {
            let step = format!("{} with a {name} seat", mode.id);
            let server = ModelServer::start().await;
            server.script(*name, fault.clone());
            let (order, seat) = order_with(mode, name);
            let (verdict, _) = run(&server, &order, &step).await;
            assert_eq!(verdict.status, Status::Degraded, "{step}: {:?}", verdict.missing);
            assert_eq!(why(&verdict, seat), [*kind].into(), "{step}: {:?}", verdict.missing);
            assert!(verdict.missing.iter().all(|missing| missing.seat == seat && missing.who == *name), "{step}: {:?}", verdict.missing);
            assert!(verdict.missing.iter().all(|missing| mode.phases.iter().any(|phase| missing.phase.starts_with(phase))), "{step}");
            assert!(verdict.answer.is_some(), "{step}");
        }
    }
}

#[tokio::test]
async fn a_seat_that_talks_garbage_is_repaired_once_and_then_abstains() {
    for mode in MODES {
        let step = format!("{} with a garbage seat", mode.id);
        let server = ModelServer::start().await;
        server.script("garbage", Fault::Garbage);
        let (order, seat) = order_with(mode, "garbage");
        let (verdict, rows) = run(&server, &order, &step).await;
        let typed = server.requests().iter().any(|ask| ask.model == "garbage" && ask.schema.is_some());
        if typed {
            assert_eq!(why(&verdict, seat), [FailureKind::Unreadable].into(), "{step}: {:?}", verdict.missing);
            assert_eq!(verdict.status, Status::Degraded, "{step}");
            assert!(rows.iter().any(|row| row.key.ends_with(&format!("@{seat}/repair"))), "{step}: no repair was tried");
            assert!(!rows.iter().any(|row| row.key.contains("/repair/repair")), "{step}: repaired twice");
            assert!(verdict.receipt.calls.extra >= 1, "{step}: a repair is an extra call");
        }
    }
}

#[tokio::test]
async fn a_slow_seat_is_waited_for() {
    for mode in MODES {
        let server = ModelServer::start().await;
        server.script("slow", Fault::latency_ms(250));
        let (mut order, _) = order_with(mode, "slow");
        order.timeout_secs = Some(10.0);
        let (verdict, _) = run(&server, &order, mode.id).await;
        assert!(matches!(verdict.status, Status::Full | Status::Deadlock), "{}: {:?}", mode.id, verdict.missing);
    }
}

#[tokio::test]
async fn one_model_in_two_seats_is_two_seats() {
    for mode in MODES {
        let server = ModelServer::start().await;
        let (mut order, last) = order_with(mode, "m0");
        order.timeout_secs = Some(10.0);
        let (verdict, rows) = run(&server, &order, mode.id).await;
        assert!(matches!(verdict.status, Status::Full | Status::Deadlock), "{}: {:?}", mode.id, verdict.missing);
        let Ok(Body::Header(header)) = rows[0].body() else { panic!("{}: no header", mode.id) };
        let labels: BTreeSet<&str> = header.seats.iter().map(|seat| seat.label.as_str()).collect();
        assert_eq!(labels.len(), header.seats.len(), "{}: {labels:?}", mode.id);
        for seat in [0, last] {
            let spoke = rows.iter().any(|row| row.kind == synod_types::Kind::Said && row.seat() == Some(seat));
            assert!(spoke, "{}: seat {seat} never spoke", mode.id);
        }
    }
}

#[tokio::test]
async fn with_all_seats_dead_there_is_no_answer_and_every_reason() {
    let faults = [Fault::Unauthorized, Fault::ModelGone, Fault::Empty, Fault::server_error(), Fault::ContextTooLong, Fault::Refusal, Fault::Hang];
    let kinds = [
        FailureKind::Auth,
        FailureKind::ModelGone,
        FailureKind::Empty,
        FailureKind::Server,
        FailureKind::ContextTooLong,
        FailureKind::Refused,
        FailureKind::Timeout,
    ];
    for mode in MODES {
        let server = ModelServer::start().await;
        server.script(ANY, Fault::Unauthorized);
        let (order, _) = order_with(mode, "last");
        for (name, fault) in order.called.models.iter().zip(&faults) {
            server.script(name, fault.clone());
        }
        let (verdict, _) = run(&server, &order, mode.id).await;
        assert_eq!(verdict.status, Status::NoQuorum, "{}: {:?}", mode.id, verdict.missing);
        assert!(verdict.answer.is_none() && verdict.decision.is_none(), "{}", mode.id);
        for (seat, kind) in (0..order.called.models.len() as SeatIx).zip(kinds) {
            assert_eq!(why(&verdict, seat), [kind].into(), "{}: seat {seat}: {:?}", mode.id, verdict.missing);
        }
        assert!(verdict.missing.iter().all(|missing| !missing.detail.is_empty()), "{}: {:?}", mode.id, verdict.missing);
    }
}

#[tokio::test]
async fn a_failing_chair_is_replaced_or_done_without_and_the_verdict_says_so() {
    for mode in MODES.iter().filter(|mode| mode.roles.iter().any(|role| matches!(role.held, Held::Chair | Held::ChairApart))) {
        let mut asked = 0;
        for seed in 0..40 {
            let step = format!("{} seed {seed}, the chair fails", mode.id);
            let broken = Voices::default()
                .scripted(|card, _, _| (card.name == "chair").then(|| Err(Failure::new(FailureKind::Server, "the provider is down"))));
            let rig = Rig::new(Arc::new(broken));
            let mut order = order(mode, seed);
            order.called.models.push("m3".into());
            let (run, ending) = rig.run(&order).await;
            let verdict = ended(&rig, &run, ending, &step).await;
            let chair = order.called.models.len() as SeatIx;
            if why(&verdict, chair).is_empty() {
                continue;
            }
            asked += 1;
            assert_eq!(why(&verdict, chair), [FailureKind::Server].into(), "{step}");
            assert!(matches!(verdict.status, Status::Degraded | Status::Failed), "{step}: {:?}", verdict.status);
            if verdict.status == Status::Degraded {
                let answer = verdict.answer.as_ref().expect("a degraded verdict has an answer");
                assert!(!answer.by.contains(&chair), "{step}: {answer:?}");
                let said = verdict
                    .warnings
                    .iter()
                    .any(|warning| warning.contains("chair failed in") || warning.contains("nobody") || warning.contains("Nobody"));
                assert!(said, "{step}: {:?}", verdict.warnings);
            }
        }
        assert!(asked > 0, "{}: the chair was never needed in 40 runs", mode.id);
    }
}
