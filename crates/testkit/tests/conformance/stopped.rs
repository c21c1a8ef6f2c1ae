//! Stopped in process at every append, under shuffled completion order, and resumed: the same verdict, the same journal, nothing paid twice.

use crate::{ended, voices};
use serde_json::json;
use std::sync::Arc;
use synod_engine::{Ending, Journal, Lease, LimitChanges, MemoryJournal, Mode, Models, OptionValue, RunSpec};
use synod_modes::MODES;
use synod_store::{Store, StoreSettings};
use synod_testkit::counted::CountedModels;
use synod_testkit::reading::{asked_after_reply, difference, journal_set, keys};
use synod_testkit::rig::{Rig, order, stopped};
use synod_testkit::shuffled::ShuffledModels;
use synod_testkit::tripwire::{Act, Moment, Tripwire};
use synod_testkit::turnstile::Turnstile;
use synod_testkit::voices::Voices;
use synod_types::{Failure, FailureKind, Finish, Kind, Reply, StopReason, Usage};

/// Rows at which a long run is stopped where not all of them are tried, and where it is one of several runs of its mode.
const SAMPLE: usize = 60;
const SMALL_SAMPLE: usize = 20;

/// At which rows a run is stopped, before they are kept or after it.
#[derive(Clone, Copy, PartialEq)]
enum Stops {
    /// At each, both ways.
    Whole,
    /// At each; in a long run one way or the other.
    All,
    /// In a long run at some of them, drawn by the seed.
    Sample,
    /// At fewer.
    SmallSample,
}

impl Stops {
    fn of(self, rows: usize, seed: u64) -> Vec<(u64, Moment)> {
        let each = 1..=rows as u64;
        if self == Self::Whole || (self == Self::All && rows <= SAMPLE) {
            return each.flat_map(|row| [(row, Moment::Before), (row, Moment::After)]).collect();
        }
        // Every so many rows, from a row that the seed draws on: each phase of a run is met.
        let step = match self {
            Self::Whole | Self::All => 1,
            Self::Sample => rows / SAMPLE,
            Self::SmallSample => rows / SMALL_SAMPLE,
        };
        let step = step.max(1);
        let drawn = each.skip(seed as usize % step).step_by(step);
        drawn.zip(seed..).map(|(row, turn)| (row, if turn % 2 == 0 { Moment::Before } else { Moment::After })).collect()
    }
}

#[test]
fn a_sample_is_no_smaller_than_said_and_meets_a_run_everywhere() {
    for (rows, seed) in [(12, 5), (60, 1), (61, 0), (119, 3), (120, 1), (121, 2), (300, 7), (1_000, 6)] {
        let (stops, apart) = (Stops::Sample.of(rows, seed), (rows as u64 / SAMPLE as u64).max(1));
        assert!(stops.len() >= SAMPLE.min(rows) && stops.windows(2).all(|two| two[1].0 - two[0].0 == apart), "{rows}: {}", stops.len());
        let before = stops.iter().filter(|(_, moment)| *moment == Moment::Before).count();
        assert!(before.abs_diff(stops.len() - before) <= 1, "{rows}: {before} of {}", stops.len());
    }
    assert_eq!((Stops::Whole.of(100, 1).len(), Stops::All.of(100, 1).len(), Stops::All.of(60, 1).len()), (200, 100, 120));
}

async fn at_every_append(mode: &'static Mode, order: &RunSpec, journal: Arc<dyn Journal>, voices: fn() -> Arc<dyn Models>, stops: Stops) {
    let seed = order.seed.unwrap_or_default();
    let calm = Rig::new(voices()).journal(journal.clone());
    let (run, ending) = calm.run(order).await;
    let want = ended(&calm, &run, ending, mode.id).await;
    let rows = calm.rows(&run).await;
    let want_set = journal_set(&rows);
    for (row, moment) in stops.of(rows.len(), seed) {
        let step = format!("{} seed {seed}, {} row {row}", mode.id, moment.as_str());
        let wire = Arc::new(Tripwire::new(journal.clone(), row, moment, Act::Refuse));
        let shuffled = Arc::new(ShuffledModels::new(voices(), row * 3 + moment as u64));
        let rig = Rig::new(shuffled).journal(wire.clone());
        let runner = rig.runner();
        let plan = runner.plan(order).await.expect("the order is sound");
        let run = plan.header.run.clone();
        match runner.start(plan).await {
            Ok(mut handle) => match handle.ending().await {
                Ending::Stopped(stopped) => assert_eq!(stopped.reason, StopReason::Storage, "{step}: {}", stopped.detail),
                Ending::Verdict(_) => panic!("{step}: it ended although the journal gave out"),
            },
            Err(error) => {
                assert_eq!(row, 1, "{step}: {error}");
                if moment == Moment::Before {
                    assert!(journal.rows(&run, 0).await.is_err(), "{step}: a run that never began has no rows");
                    continue;
                }
                // The process that could not be told would be gone by now, and its lease with it.
                journal.release(&Lease { run: run.clone(), epoch: 1 }).await.expect("released");
            }
        }
        assert!(wire.tripped(), "{step}: the row was never reached");
        let left = journal.rows(&run, 0).await.expect("rows are kept");
        let counted = Arc::new(CountedModels::new(Arc::new(ShuffledModels::new(voices(), row + 17))));
        let rig = Rig::new(counted.clone()).journal(journal.clone());
        let ending = rig.resume(&run, LimitChanges::default()).await;
        let got = ended(&rig, &run, ending, &step).await;
        assert_eq!(got.essence(), want.essence(), "{step}: another verdict");
        let rows = rig.rows(&run).await;
        let differs = difference(&want_set, &journal_set(&rows));
        assert!(differs.is_empty(), "{step}: another journal\n{differs}");
        assert_eq!(asked_after_reply(&rows), Vec::<String>::new(), "{step}");
        let replied = keys(&left, Kind::Replied);
        let again: Vec<String> = counted.calls().into_keys().filter(|key| replied.contains_key(key)).collect();
        assert!(again.is_empty(), "{step}: asked again {again:?}");
        let asked: u32 = keys(&rows, Kind::Asked).values().sum();
        let calls = got.receipt.calls;
        assert_eq!(calls.planned + calls.extra + calls.reasked, asked, "{step}: the receipt counts every request");
    }
}

#[tokio::test]
async fn so_does_one_whose_conversation_gets_a_title_beside_it() {
    for mode in [&synod_modes::council::MODE, &synod_modes::red_team::MODE] {
        let order = RunSpec { titled: true, ..order(mode, 2) };
        at_every_append(mode, &order, Arc::new(MemoryJournal::default()), voices, Stops::All).await;
    }
}

every_mode!(
    #[tokio::test]
    a_run_stopped_at_any_append_resumes_to_the_same_end_in_memory
);
async fn a_run_stopped_at_any_append_resumes_to_the_same_end_in_memory(mode: &'static Mode) {
    at_every_append(mode, &order(mode, 2), Arc::new(MemoryJournal::default()), voices, Stops::All).await;
}

/// The first seat gets more room, the second fails with it, the third needs less thought; the chair's words are cut, and more room fails it too.
fn thinkers() -> Arc<dyn Models> {
    let starved = |thought| Reply {
        finish: Finish::Length,
        usage: Some(Usage { output: thought, thinking: Some(thought), ..Usage::default() }),
        ..Reply::text("")
    };
    Arc::new(Voices::default().scripted(move |card, _, context| {
        let room = context.key.ends_with("/room");
        match (card.name.as_str(), room, context.key.ends_with("/effort")) {
            ("m1" | "chair", true, _) => Some(Err(Failure::new(FailureKind::Timeout, "no whole reply"))),
            ("m0" | "m1" | "m2", false, false) | ("m2", true, _) => Some(Ok(starved(500))),
            ("chair", false, _) => Some(Ok(Reply { text: "A queue, because".into(), ..starved(500) })),
            _ => None,
        }
    }))
}

#[tokio::test]
async fn a_run_of_models_that_think_stopped_at_any_append_resumes_to_the_same_end() {
    for mode in [&synod_modes::council::MODE, &synod_modes::vote::MODE] {
        at_every_append(mode, &order(mode, 4), Arc::new(MemoryJournal::default()), thinkers, Stops::All).await;
    }
}

/// Seats that speak in turn and seats that speak at once leave other journals.
async fn a_debate_stopped_at_any_append_resumes_to_the_same_end(style: &str) {
    let styles = synod_modes::roundtable::styles();
    let seed = styles.iter().position(|known| *known == style).expect("a style") as u64 + 1;
    let mut order = order(&synod_modes::roundtable::MODE, seed);
    order.options = [("style", json!(style)), ("rounds", json!(2))].map(|(name, value)| (name.to_owned(), OptionValue::json(value))).to_vec();
    at_every_append(&synod_modes::roundtable::MODE, &order, Arc::new(MemoryJournal::default()), voices, Stops::SmallSample).await;
}

macro_rules! every_style {
    ($($name:ident = $style:literal),* $(,)?) => {
        $(
            #[tokio::test]
            async fn $name() {
                a_debate_stopped_at_any_append_resumes_to_the_same_end($style).await;
            }
        )*

        #[test]
        fn no_style_is_left_out() {
            let mut tried = vec![$($style),*];
            let mut styles = synod_modes::roundtable::styles();
            tried.sort();
            styles.sort();
            assert_eq!(tried, styles);
        }
    };
}

mod a_debate_of_any_style_stopped_at_any_append_resumes_to_the_same_end {
    use super::*;
    every_style! {
        collaborative = "collaborative", adversarial = "adversarial", socratic = "socratic", devils_advocate = "devils-advocate",
        expert_panel = "expert-panel", delphi = "delphi", red_team_blue_team = "red-team-blue-team",
    }
}

every_mode!(
    #[tokio::test]
    a_fork_stopped_at_any_append_resumes_to_the_same_end
);
async fn a_fork_stopped_at_any_append_resumes_to_the_same_end(mode: &'static Mode) {
    let rig = Rig::new(voices());
    let (parent, ending) = rig.run(&order(mode, 6)).await;
    ended(&rig, &parent, ending, mode.id).await;
    let mut fork = order(mode, 6);
    fork.parent = Some(parent);
    // One seat is another now: its turns, and all that read them, are asked anew.
    fork.panel.models[1] = "another".into();
    at_every_append(mode, &fork, rig.journal, voices, Stops::Sample).await;
}

every_mode!(
    #[tokio::test]
    a_run_cancelled_at_any_call_keeps_what_was_under_way_and_goes_on
);
async fn a_run_cancelled_at_any_call_keeps_what_was_under_way_and_goes_on(mode: &'static Mode) {
    let calm = Rig::new(voices());
    let (run, ending) = calm.run(&order(mode, 8)).await;
    let want = ended(&calm, &run, ending, mode.id).await;
    let want_set = journal_set(&calm.rows(&run).await);
    for call in 1..=u64::from(want.receipt.calls.planned) {
        let step = format!("{} cancelled at call {call}", mode.id);
        let counted = Arc::new(CountedModels::new(Arc::new(ShuffledModels::new(voices(), call))));
        let gate = Turnstile::new(counted.clone(), call);
        let rig = Rig::new(Arc::new(gate.clone()));
        let mut handle = rig.start(&order(mode, 8)).await;
        gate.reached().await;
        handle.cancel();
        gate.let_go();
        let halt = stopped(handle.ending().await);
        assert_eq!(halt.reason, StopReason::Cancelled, "{step}: {}", halt.detail);
        let rig = rig.models(counted.clone());
        let ending = rig.resume(&handle.run, LimitChanges::default()).await;
        let got = ended(&rig, &handle.run, ending, &step).await;
        assert_eq!(got.essence(), want.essence(), "{step}: another verdict");
        let differs = difference(&want_set, &journal_set(&rig.rows(&handle.run).await));
        assert!(differs.is_empty(), "{step}: another journal\n{differs}");
        assert!(counted.calls().values().all(|calls| *calls == 1), "{step}: {:?}", counted.calls());
    }
}

#[tokio::test]
async fn one_task_keeps_the_leases_however_many_runs_came_before() {
    let wire = Arc::new(Tripwire::new(Arc::new(MemoryJournal::default()), 0, Moment::Before, Act::Refuse));
    let gate = Turnstile::new(voices(), 100);
    let rig = Rig::new(Arc::new(gate.clone())).journal(wire.clone());
    let runner = rig.runner();
    let mut runs = 0;
    // Short runs one after another, until a call of one of them is held.
    loop {
        let plan = runner.plan(&order(MODES[0], 1)).await.expect("the order is sound");
        let mut handle = runner.start(plan).await.expect("it starts");
        runs += 1;
        tokio::select! {
            _ = handle.ending() => {}
            () = gate.reached() => break,
        }
    }
    assert!(runs > 5, "{runs} runs");
    let before = wire.heartbeats();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    // One every 20 ms.
    assert!(wire.heartbeats() - before <= 12, "{} heartbeats in 200 ms after {runs} runs", wire.heartbeats() - before);
    gate.let_go();
}

every_mode!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    a_run_stopped_at_any_append_resumes_to_the_same_end_in_sqlite
);
async fn a_run_stopped_at_any_append_resumes_to_the_same_end_in_sqlite(mode: &'static Mode) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("synod.db");
    let store = Store::open(path.to_str().expect("a UTF-8 path"), StoreSettings::default()).await.expect("the store opens");
    let stops = if ["council", "vote"].contains(&mode.id) { Stops::Whole } else { Stops::Sample };
    at_every_append(mode, &order(mode, 3), Arc::new(store.clone()), voices, stops).await;
    store.close().await;
}

mod left_behind {
    use crate::voices;
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use synod_engine::{Ending, Journal, MemoryJournal, Record, Recovery};
    use synod_testkit::rig::{Rig, order};
    use synod_testkit::turnstile::Turnstile;
    use synod_types::{InboxItem, InboxKind, Kind, NewRow, Resumed, RunState, StopReason};

    fn state(rows: &[synod_types::Row]) -> RunState {
        rows.iter().fold(RunState::Running, |state, row| state.after(row.kind, &row.body))
    }

    /// A run that was let go in the middle of its first turns.
    async fn let_go() -> (Rig, Arc<MemoryJournal>, Turnstile, String) {
        let journal = Arc::new(MemoryJournal::default());
        let gate = Turnstile::new(voices(), 1);
        let rig = Rig::new(Arc::new(gate.clone())).journal(journal.clone());
        let runner = rig.runner();
        let mut handle = runner.start(runner.plan(&order(&synod_modes::council::MODE, 6)).await.expect("sound")).await.expect("starts");
        gate.reached().await;
        let handing = tokio::spawn({
            let runner = runner.clone();
            async move { runner.hand_over().await }
        });
        tokio::time::sleep(Duration::from_millis(50)).await;
        gate.let_go();
        handing.await.expect("it ends");
        assert!(matches!(handle.ending().await, Ending::Stopped(stopped) if stopped.reason == StopReason::HandedOver));
        (rig, journal, gate, handle.run.clone())
    }

    #[tokio::test]
    async fn a_run_that_is_handed_over_has_not_stopped_and_keeps_what_was_said_meanwhile() {
        let (rig, journal, _, run) = let_go().await;
        let rows = rig.rows(&run).await;
        assert_eq!(state(&rows), RunState::Running, "no row says that it stopped");
        assert!(rows.iter().any(|row| row.kind == Kind::Said), "turns under way had time to come back");
        assert!(!journal.held(&run).await.expect("it answers"));
        let runner = rig.runner();
        let Recovery::Running(mut handle) = runner.recover(&run).await.expect("it can be taken up") else { panic!("it goes on") };
        let Ending::Verdict(verdict) = handle.ending().await else { panic!("it ends") };
        assert_eq!(verdict.receipt.calls.reasked, 0);
        assert!(matches!(runner.recover(&run).await, Ok(Recovery::NotWanted)), "one that has ended is left");
    }

    #[tokio::test]
    async fn after_three_take_ups_in_vain_a_run_is_stopped_and_says_so() {
        let (rig, journal, _, run) = let_go().await;
        let limits = Record::of(&rig.rows(&run).await).expect("a record").limits;
        for n in 0..3 {
            let lease = journal.take(&run).await.expect("free");
            let row = NewRow::new("", Kind::Resumed, 0, &Resumed { limits, binary: "x".into() }).attempt(n);
            journal.append(&lease, vec![row]).await.expect("written");
            journal.release(&lease).await.expect("let go");
        }
        assert!(matches!(rig.runner().recover(&run).await, Ok(Recovery::Stuck)));
        let rows = rig.rows(&run).await;
        assert!(state(&rows) == RunState::Stopped && rows.last().is_some_and(|row| row.body.contains("stuck")), "{:?}", rows.last());
        assert!(matches!(rig.runner().recover(&run).await, Ok(Recovery::NotWanted)));
    }

    #[tokio::test]
    async fn a_cancel_that_nobody_read_is_obeyed_by_whoever_takes_the_run_up() {
        let (rig, journal, _, run) = let_go().await;
        let item =
            InboxItem { run: run.clone(), key: String::new(), kind: InboxKind::Cancel, body: String::new(), by: "ada".into(), at: i64::MAX / 2 };
        journal.post(InboxItem { at: rig.rows(&run).await.last().expect("rows").at + 1, ..item }).await.expect("posted");
        let Recovery::Running(mut handle) = rig.runner().recover(&run).await.expect("it can be taken up") else { panic!("it goes on") };
        assert!(matches!(handle.ending().await, Ending::Stopped(stopped) if stopped.reason == StopReason::Cancelled));
        // Whoever resumes it knows.
        let resumed = rig.runner().resume(&run, Default::default()).await.expect("it goes on");
        let synod_engine::ResumeOutcome::Running(mut handle) = resumed else { panic!("it goes on") };
        assert!(matches!(handle.ending().await, Ending::Verdict(_)));
    }

    #[tokio::test]
    async fn handing_over_does_not_wait_for_what_hangs() {
        let gate = Turnstile::new(voices(), 1);
        let rig = Rig::new(Arc::new(gate.clone()));
        let runner = rig.runner();
        let handle = runner.start(runner.plan(&order(&synod_modes::council::MODE, 6)).await.expect("sound")).await.expect("starts");
        gate.reached().await;
        let since = Instant::now();
        runner.hand_over().await;
        assert!((Duration::from_secs(7)..Duration::from_secs(11)).contains(&since.elapsed()), "{:?}", since.elapsed());
        assert_eq!(runner.under_way(), 0);
        drop(handle);
        // What is begun now is let go at once.
        let mut late = runner.start(runner.plan(&order(&synod_modes::council::MODE, 6)).await.expect("sound")).await.expect("starts");
        assert!(matches!(late.ending().await, Ending::Stopped(stopped) if stopped.reason == StopReason::HandedOver));
    }
}
