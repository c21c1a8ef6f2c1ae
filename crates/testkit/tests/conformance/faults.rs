//! Seats that fail, through a real socket and the real registry: who is missing, where and why is in the verdict.

use crate::ended;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use synod_engine::{Mode, RoleHolder, RunSpec};
use synod_modes::MODES;
use synod_testkit::rig::{Rig, order};
use synod_testkit::served::served;
use synod_testkit::server::{ANY, Fault, ModelServer};
use synod_testkit::voices::Voices;
use synod_types::{Body, Failure, FailureKind, Kind, Row, SeatIx, Shown, Status, Verdict};

/// A panel one larger than usual where the mode allows it, so that one seat may be lost; that seat has the given name. Where the work is
/// divided and a seat may be given none, the panel is small enough for the last one to get some.
async fn order_with(mode: &Mode, name: &str) -> (RunSpec, SeatIx) {
    let mut order = order(mode, 11);
    let beside = u32::from(order.panel.chair.is_some());
    if (order.panel.models.len() as u32) < mode.seats.1 - beside {
        order.panel.models.push(format!("m{}", order.panel.models.len()));
    }
    let least = mode.seats.0.saturating_sub(beside) as usize;
    while order.panel.models.len() > least {
        let (_, rows) = run(&ModelServer::start().await, &order, mode.id).await;
        if asked_of(&rows).contains(&(order.panel.models.len() as SeatIx - 1)) {
            break;
        }
        order.panel.models.pop();
    }
    let last = order.panel.models.len() - 1;
    order.panel.models[last] = name.to_owned();
    order.timeout_secs = Some(1.5);
    (order, last as SeatIx)
}

fn names(order: &RunSpec) -> Vec<String> {
    order.panel.models.iter().chain(&order.panel.chair).chain(&order.panel.light).cloned().collect()
}

async fn run(server: &ModelServer, order: &RunSpec, step: &str) -> (Verdict, Vec<Row>) {
    let rig = Rig::new(served(&server.url(), &names(order)));
    let (run, ending) = rig.run(order).await;
    let verdict = ended(&rig, &run, ending, step).await;
    let rows = rig.rows(&run).await;
    let Ok(Body::Header(header)) = rows[0].body() else { panic!("{step}: no header") };
    assert!(verdict.receipt.calls.planned <= header.planned_calls.1, "{step}: {} planned calls", verdict.receipt.calls.planned);
    promised(MODES.iter().find(|mode| mode.id == header.mode).expect("a known mode"), &rows, step);
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

/// What is shown is what the mode says it stores, also when somebody fails.
fn promised(mode: &Mode, rows: &[Row], step: &str) {
    for row in rows {
        if let Ok(Body::Shown(shown)) = row.body() {
            let known = mode.stages.iter().any(|stage| stage.covers(&shown.stage) && stage.held_by(shown.exhibit.role.as_deref()));
            assert!(known, "{step}: nobody promised a stage {} by {:?}", shown.stage, shown.exhibit.role);
        }
    }
}

/// The seats that were asked anything.
fn asked_of(rows: &[Row]) -> BTreeSet<SeatIx> {
    rows.iter().filter(|row| row.kind == Kind::Asked).filter_map(Row::seat).collect()
}

/// Whether a reader of the exhibits sees that this seat gave nothing, and why: a row of its own, of the turn that failed.
fn shown_absent(rows: &[Row], seat: SeatIx, kind: FailureKind) -> bool {
    rows.iter().filter(|row| row.kind == Kind::Shown).filter_map(|row| row.read::<Shown>().ok()).any(|shown| {
        let failed = rows.iter().any(|row| row.kind == Kind::Failed && shown.exhibit.turn.as_ref() == Some(&row.key));
        shown.exhibit.seat == Some(seat) && failed && synod_types::Json::of(&shown.exhibit.shape).text().contains(kind.plain())
    })
}

fn why(verdict: &Verdict, seat: SeatIx) -> BTreeSet<FailureKind> {
    verdict.missing.iter().filter(|missing| missing.seat == seat).map(|missing| missing.why).collect()
}

every_mode!(
    #[tokio::test]
    one_seat_that_fails_degrades_the_verdict_and_is_named
);
async fn one_seat_that_fails_degrades_the_verdict_and_is_named(mode: &'static Mode) {
    let faults = [
        ("mute", Fault::Empty, FailureKind::Empty),
        ("hanging", Fault::Hang, FailureKind::Timeout),
        ("stalling", Fault::Stall, FailureKind::Timeout),
        ("locked", Fault::Unauthorized, FailureKind::Auth),
        ("broken", Fault::server_error(), FailureKind::Server),
        ("declining", Fault::Refusal, FailureKind::Refused),
    ];
    // Side by side: most of the time goes into waiting for those who say nothing.
    let scenes = faults.iter().map(async |(name, fault, kind)| {
        let step = format!("{} with a {name} seat", mode.id);
        let server = ModelServer::start().await;
        server.script(*name, fault.clone());
        let (order, seat) = order_with(mode, name).await;
        let (verdict, rows) = run(&server, &order, &step).await;
        // Where the work is divided, a seat may have been given none.
        if !asked_of(&rows).contains(&seat) {
            return false;
        }
        // Whoever is missing, a mode may find that a person has to decide.
        assert!(matches!(verdict.status, Status::Degraded | Status::Escalated), "{step}: {:?} {:?}", verdict.status, verdict.missing);
        assert_eq!(why(&verdict, seat), [*kind].into(), "{step}: {:?}", verdict.missing);
        // A seat that a mode makes is called by its part: "Draft (mute)".
        let called = |who: &str| who == *name || who.ends_with(&format!("({name})"));
        assert!(verdict.missing.iter().all(|missing| missing.seat == seat && called(&missing.who)), "{step}: {:?}", verdict.missing);
        assert!(verdict.missing.iter().all(|missing| mode.phases.iter().any(|phase| missing.phase.starts_with(phase))), "{step}");
        assert!(verdict.answer.is_some(), "{step}");
        assert!(shown_absent(&rows, seat, *kind), "{step}: no exhibit says that seat {seat} {}", kind.plain());
        true
    });
    let asked = futures::future::join_all(scenes).await;
    assert!(asked.contains(&true), "{}: the last seat was never asked", mode.id);
}

every_mode!(
    #[tokio::test]
    a_seat_that_talks_garbage_is_repaired_once_and_then_abstains
);
async fn a_seat_that_talks_garbage_is_repaired_once_and_then_abstains(mode: &'static Mode) {
    let step = format!("{} with a garbage seat", mode.id);
    let server = ModelServer::start().await;
    server.script("garbage", Fault::Garbage);
    let (order, seat) = order_with(mode, "garbage").await;
    let (verdict, rows) = run(&server, &order, &step).await;
    let typed = server.requests().iter().any(|ask| ask.model == "garbage" && ask.schema.is_some());
    if typed {
        assert_eq!(why(&verdict, seat), [FailureKind::Unreadable].into(), "{step}: {:?}", verdict.missing);
        assert!(matches!(verdict.status, Status::Degraded | Status::Escalated), "{step}: {:?}", verdict.status);
        assert!(rows.iter().any(|row| row.key.ends_with(&format!("@{seat}/repair"))), "{step}: no repair was tried");
        assert!(!rows.iter().any(|row| row.key.contains("/repair/repair")), "{step}: repaired twice");
        assert!(verdict.receipt.calls.extra >= 1, "{step}: a repair is an extra call");
    }
}

every_mode!(
    #[tokio::test]
    a_slow_seat_is_waited_for
);
async fn a_slow_seat_is_waited_for(mode: &'static Mode) {
    let server = ModelServer::start().await;
    server.script("slow", Fault::latency_ms(250));
    let (mut order, _) = order_with(mode, "slow").await;
    order.timeout_secs = Some(10.0);
    let (verdict, rows) = run(&server, &order, mode.id).await;
    assert!(matches!(verdict.status, Status::Full | Status::Deadlock | Status::Escalated), "{}: {:?}", mode.id, verdict.missing);
    // A server that is offered tools uses one.
    let steps = rows.iter().filter(|row| row.kind == Kind::Asked && row.key.contains("/tool ")).count();
    assert_eq!(verdict.receipt.calls.extra as usize, steps, "{}: what any filler of schemas says can be read and used", mode.id);
}

every_mode!(
    #[tokio::test]
    seats_that_need_nothing_of_each_other_speak_side_by_side
);
async fn seats_that_need_nothing_of_each_other_speak_side_by_side(mode: &'static Mode) {
    let server = ModelServer::start().await;
    server.script(ANY, Fault::latency_ms(60));
    let (mut order, _) = order_with(mode, "last").await;
    order.timeout_secs = Some(10.0);
    let (_, rows) = run(&server, &order, mode.id).await;
    let mut together: BTreeMap<(String, String), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| matches!(row.kind, Kind::Asked | Kind::Replied)) {
        let (scope, turn) = row.key.rsplit_once('/').unwrap_or(("", &row.key));
        let prompt = turn.split('@').next().unwrap_or_default();
        together.entry((scope.to_owned(), prompt.to_owned())).or_default().push(row);
    }
    for ((scope, prompt), rows) in together {
        let last_asked = rows.iter().filter(|row| row.kind == Kind::Asked).map(|row| row.seq).max();
        let first_replied = rows.iter().filter(|row| row.kind == Kind::Replied).map(|row| row.seq).min();
        assert!(last_asked < first_replied, "{}: {scope}/{prompt} is asked one seat after another", mode.id);
    }
}

every_mode!(
    #[tokio::test]
    one_model_in_two_seats_is_two_seats
);
async fn one_model_in_two_seats_is_two_seats(mode: &'static Mode) {
    let server = ModelServer::start().await;
    let (mut order, last) = order_with(mode, "m0").await;
    order.timeout_secs = Some(10.0);
    let (verdict, rows) = run(&server, &order, mode.id).await;
    assert!(matches!(verdict.status, Status::Full | Status::Deadlock | Status::Escalated), "{}: {:?}", mode.id, verdict.missing);
    let Ok(Body::Header(header)) = rows[0].body() else { panic!("{}: no header", mode.id) };
    let labels: BTreeSet<&str> = header.seats.iter().map(|seat| seat.label.as_str()).collect();
    assert_eq!(labels.len(), header.seats.len(), "{}: {labels:?}", mode.id);
    for seat in [0, last] {
        let spoke = rows.iter().any(|row| row.kind == Kind::Said && row.seat() == Some(seat));
        assert!(spoke, "{}: seat {seat} never spoke", mode.id);
    }
}

every_mode!(
    #[tokio::test]
    with_all_seats_dead_there_is_no_answer_and_every_reason
);
async fn with_all_seats_dead_there_is_no_answer_and_every_reason(mode: &'static Mode) {
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
    let server = ModelServer::start().await;
    server.script(ANY, Fault::Unauthorized);
    let (order, _) = order_with(mode, "last").await;
    for (name, fault) in order.panel.models.iter().zip(&faults) {
        server.script(name, fault.clone());
    }
    let (verdict, rows) = run(&server, &order, mode.id).await;
    assert_eq!(verdict.status, Status::NoQuorum, "{}: {:?}", mode.id, verdict.missing);
    assert!(verdict.answer.is_none() && verdict.decision.is_none(), "{}", mode.id);
    let asked = asked_of(&rows);
    for (seat, kind) in (0..order.panel.models.len() as SeatIx).zip(kinds).filter(|(seat, _)| asked.contains(seat)) {
        assert_eq!(why(&verdict, seat), [kind].into(), "{}: seat {seat}: {:?}", mode.id, verdict.missing);
    }
    assert!(verdict.missing.iter().all(|missing| !missing.detail.is_empty()), "{}: {:?}", mode.id, verdict.missing);
}

every_mode!(
    #[tokio::test]
    a_failing_chair_is_replaced_or_done_without_and_the_verdict_says_so
);
async fn a_failing_chair_is_replaced_or_done_without_and_the_verdict_says_so(mode: &'static Mode) {
    if !(mode.roles.iter().any(|role| matches!(role.held, RoleHolder::Chair | RoleHolder::ChairApart))) {
        return;
    }
    let mut asked = 0;
    for seed in 0..40 {
        let step = format!("{} seed {seed}, the chair fails", mode.id);
        let broken =
            Voices::default().scripted(|card, _, _| (card.name == "chair").then(|| Err(Failure::new(FailureKind::Server, "the provider is down"))));
        let rig = Rig::new(Arc::new(broken));
        let mut order = order(mode, seed);
        order.panel.models.push("m3".into());
        let (run, ending) = rig.run(&order).await;
        let verdict = ended(&rig, &run, ending, &step).await;
        promised(mode, &rig.rows(&run).await, &step);
        let chair = order.panel.models.len() as SeatIx;
        if why(&verdict, chair).is_empty() {
            continue;
        }
        asked += 1;
        assert_eq!(why(&verdict, chair), [FailureKind::Server].into(), "{step}");
        assert!(matches!(verdict.status, Status::Degraded | Status::Failed), "{step}: {:?}", verdict.status);
        if verdict.status == Status::Degraded {
            let answer = verdict.answer.as_ref().expect("a degraded verdict has an answer");
            assert!(!answer.by.contains(&chair), "{step}: {answer:?}");
            let named = |warning: &str| warning.starts_with("chair") && warning.contains(" failed");
            let said = verdict.warnings.iter().any(|warning| named(warning) || warning.to_lowercase().contains("nobody"));
            assert!(said, "{step}: {:?}", verdict.warnings);
        }
    }
    assert!(asked > 0, "{}: the chair was never needed in 40 runs", mode.id);
}

every_mode!(
    #[tokio::test]
    where_nobody_can_do_the_last_step_there_is_still_an_answer_or_a_reason
);
async fn where_nobody_can_do_the_last_step_there_is_still_an_answer_or_a_reason(mode: &'static Mode) {
    // One prompt after another is answered by nobody.
    for (prompt, _) in mode.prompts {
        for seed in 0..3 {
            let step = format!("{} seed {seed}, nobody answers {prompt}", mode.id);
            let name = (*prompt).to_owned();
            let mute = Voices::default().scripted(move |_, _, context| {
                let asked = context.key.rsplit('/').find_map(|part| part.split_once('@')).map(|(prompt, _)| prompt);
                (asked == Some(&name)).then(|| Err(Failure::new(FailureKind::Server, "the provider is down")))
            });
            let rig = Rig::new(Arc::new(mute));
            let (run, ending) = rig.run(&order(mode, seed)).await;
            let verdict = ended(&rig, &run, ending, &step).await;
            let rows = rig.rows(&run).await;
            promised(mode, &rows, &step);
            let needed = rows.iter().any(|row| matches!(row.body(), Ok(Body::Failed(_))));
            match verdict.status {
                // What only betters the result may fail, if a warning says so.
                Status::Full | Status::Deadlock => assert!(!needed || !verdict.warnings.is_empty(), "{step}: {:?}", verdict.status),
                Status::Escalated => {}
                Status::Degraded => assert!(needed && verdict.answer.is_some(), "{step}"),
                Status::NoQuorum | Status::Failed => assert!(needed && verdict.answer.is_none() && !verdict.missing.is_empty(), "{step}"),
            }
        }
    }
}
