//! Watching: every event once and in order, words as they come, and an end when the run ends or stops.

use crate::voices;
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::{Duration, Instant};
use synod_engine::{CallContext, EndpointSlot, MemoryJournal, Mode, Model, Models, Watched};
use synod_store::{Store, StoreSettings};
use synod_testkit::rig::{Rig, order};
use synod_testkit::shuffled::ShuffledModels;
use synod_testkit::tiny::{PERSON, TINY};
use synod_testkit::tripwire::{Act, Moment, Tripwire};
use synod_testkit::turnstile::Turnstile;
use synod_types::{Event, Failure, Kind, ModelCard, Problem, Reply, Request};

/// Less than the pause after which a watcher looks by itself.
const PROMPT: Duration = Duration::from_millis(400);

async fn all(mut events: tokio::sync::mpsc::Receiver<Watched>) -> Vec<Event> {
    let mut seen = Vec::new();
    let until = Instant::now() + Duration::from_secs(10);
    while let Some(next) = tokio::time::timeout_at(until.into(), events.recv()).await.expect("the stream ends") {
        seen.extend(next.expect("the journal answers").event());
    }
    seen
}

/// Says a word, takes a breath, and then answers as somebody else does.
struct Breathing(Arc<dyn Models>);
struct Breath(Arc<dyn Model>);

impl Model for Breath {
    fn slot(&self) -> BoxFuture<'_, EndpointSlot> {
        self.0.slot()
    }
    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            if let Some(deltas) = &context.deltas {
                deltas.push("Well, ");
            }
            tokio::time::sleep(Duration::from_millis(3)).await;
            self.0.call(request, context).await
        })
    }
}

impl Models for Breathing {
    fn resolve(&self, field: &str, name: &str) -> Result<ModelCard, Problem> {
        self.0.resolve(field, name)
    }
    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem> {
        Ok(Arc::new(Breath(self.0.open(card)?)))
    }
    fn probe<'a>(&'a self, cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>> {
        self.0.probe(cards)
    }
}

every_mode!(
    #[tokio::test]
    events_come_once_in_order_with_the_words_between_and_end_with_the_run
);
async fn events_come_once_in_order_with_the_words_between_and_end_with_the_run(mode: &'static Mode) {
    let gate = Turnstile::new(Arc::new(Breathing(Arc::new(ShuffledModels::new(voices(), 8)))), 1);
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
    let want: Vec<i64> = rows.iter().filter(|row| Event::is_one(row.kind)).map(|row| row.seq).collect();
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

/// On the real store: a hundred watchers of a run of this process look into the journal once, when they come, and not again, whatever happens.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_of_a_run_of_this_process_cost_no_query() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("synod.db").display().to_string(), StoreSettings::default()).await.expect("the store opens");
    let journal = Arc::new(Tripwire::new(Arc::new(store.clone()), 0, Moment::Before, Act::Refuse));
    let mode = &synod_modes::council::MODE;
    let gate = Turnstile::new(voices(), 1);
    let rig = Rig::new(Arc::new(gate.clone())).live().journal(journal.clone());
    let runner = rig.runner();
    let plan = runner.plan(&order(mode, 6)).await.expect("sound");
    let mut handle = runner.start(plan).await.expect("starts");
    gate.reached().await;
    let watching: Vec<_> = (0..100).map(|_| tokio::spawn(all(runner.watch(&handle.run, 0)))).collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let arrived = journal.looks();
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(journal.looks(), arrived, "an idle stream looked again");
    gate.let_go();
    handle.ending().await;
    let want: Vec<i64> = rig.rows(&handle.run).await.iter().filter(|row| Event::is_one(row.kind)).map(|row| row.seq).collect();
    for watcher in watching {
        let events = watcher.await.expect("it ends");
        assert_eq!(events.iter().filter_map(|event| event.seq).collect::<Vec<_>>(), want);
    }
    assert!(journal.looks() < arrived + 20, "{} looks for rows that were told", journal.looks() - arrived);
    store.close().await;
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

/// A turn takes two appends: what is asked, and the reply with what was read of it. What the mode shows then goes together.
#[tokio::test]
async fn rows_made_together_are_appended_together() {
    let journal = Arc::new(Tripwire::new(Arc::new(MemoryJournal::default()), 0, Moment::Before, Act::Refuse));
    let rig = Rig::new(voices()).journal(journal.clone());
    let runner = rig.runner();
    let plan = runner.plan(&order(&synod_modes::council::MODE, 6)).await.expect("sound");
    let mut handle = runner.start(plan).await.expect("starts");
    handle.ending().await;
    let rows = rig.rows(&handle.run).await;
    let turns = rows.iter().filter(|row| row.kind == Kind::Said).count() as u64;
    // The shows of four phases, the last phase's end and the verdict.
    assert!(journal.appends() <= 2 * turns + 6, "{} appends for {} rows of {turns} turns", journal.appends(), rows.len());
}
