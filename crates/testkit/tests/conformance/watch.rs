//! Watching: every event once and in order, words as they come, and an end when the run ends or stops.

use crate::voices;
use std::sync::Arc;
use std::time::{Duration, Instant};
use synod_testkit::rig::{Rig, modes, order};
use synod_testkit::shuffled::ShuffledModels;
use synod_testkit::tiny::{PERSON, TINY};
use synod_testkit::turnstile::Turnstile;
use synod_types::Event;

/// Less than the pause after which a watcher looks by itself.
const PROMPT: Duration = Duration::from_millis(400);

async fn all(mut events: tokio::sync::mpsc::Receiver<Result<(Event, Option<synod_types::Row>), synod_engine::JournalError>>) -> Vec<Event> {
    let mut seen = Vec::new();
    let until = Instant::now() + Duration::from_secs(10);
    while let Some(next) = tokio::time::timeout_at(until.into(), events.recv()).await.expect("the stream ends") {
        seen.push(next.expect("the journal answers").0);
    }
    seen
}

#[tokio::test]
async fn events_come_once_in_order_with_the_words_between_and_end_with_the_run() {
    for mode in modes() {
        let gate = Turnstile::new(Arc::new(ShuffledModels::new(voices(), 8)), 1);
        let rig = Rig::new(Arc::new(gate.clone())).live();
        let runner = rig.runner();
        let plan = runner.plan(&order(mode, 6)).await.expect("sound");
        let mut handle = runner.start(plan).await.expect("starts");
        gate.reached().await;
        let watching = tokio::spawn(all(runner.watch(&handle.run, 0)));
        tokio::task::yield_now().await;
        gate.let_go();
        handle.ending().await;
        let since = Instant::now();
        let events = watching.await.expect("the watcher ends");
        assert!(since.elapsed() < PROMPT, "{}: the end was seen only after {:?}", mode.id, since.elapsed());
        let rows = rig.rows(&handle.run).await;
        let want: Vec<i64> = rows.iter().filter(|row| Event::of(row).is_some()).map(|row| row.seq).collect();
        let got: Vec<i64> = events.iter().filter_map(|event| event.seq).collect();
        assert_eq!(got, want, "{}", mode.id);
        assert_eq!(events.last().map(|event| event.kind.as_str()), Some("complete"), "{}", mode.id);
        let deltas = events.iter().filter(|event| event.kind == "turn_delta").count();
        assert!(deltas > 0, "{}: no words came", mode.id);
        let after = got[got.len() / 2];
        let rest = all(runner.watch(&handle.run, after)).await;
        let rest: Vec<i64> = rest.iter().filter_map(|event| event.seq).collect();
        assert_eq!(rest, want.iter().copied().filter(|seq| *seq > after).collect::<Vec<_>>(), "{}: from the middle on", mode.id);
    }
}

#[tokio::test]
async fn a_stream_of_a_stopped_run_ends_with_the_stop() {
    let rig = Rig::new(voices()).modes(TINY).live();
    let runner = rig.runner();
    let plan = runner.plan(&order(&PERSON, 1)).await.expect("sound");
    let handle = runner.start(plan).await.expect("starts");
    let since = Instant::now();
    let events = all(runner.watch(&handle.run, 0)).await;
    assert!(since.elapsed() < PROMPT, "the stop was seen only after {:?}", since.elapsed());
    assert_eq!(events.last().map(|event| event.kind.as_str()), Some("stopped"));
    assert!(events.iter().any(|event| event.kind == "waiting"));
}
