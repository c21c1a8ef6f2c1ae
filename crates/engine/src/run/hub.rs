//! Live text of running turns, for whoever watches in this process. Nothing here lasts.
//!
//! Each running turn has one text. A watcher keeps how much of it was shown and asks for the rest, five times a second: it can be late,
//! and is then given more at once, but nothing queues up for it and nothing is lost to it.

use crate::{Clock, Deltas};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use synod_types::Event;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Between two deltas of one watcher.
const PACE: Duration = Duration::from_millis(200);

#[derive(Default)]
pub(crate) struct Hub {
    runs: Mutex<HashMap<String, Arc<Texts>>>,
}

struct Texts {
    turns: Mutex<BTreeMap<String, Text>>,
    /// Counts changes; `None` when the run has left this process.
    changes: watch::Sender<Option<u64>>,
}

#[derive(Clone, Default)]
struct Text {
    attempt: i64,
    /// Rises when what was said so far is void.
    edition: u64,
    text: String,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    pub fn open(&self, run: &str) {
        held(&self.runs).entry(run.to_owned()).or_insert_with(|| Arc::new(Texts { turns: Mutex::default(), changes: watch::channel(Some(0)).0 }));
    }

    pub fn close(&self, run: &str) {
        if let Some(texts) = held(&self.runs).remove(run) {
            texts.changes.send_replace(None);
        }
    }

    /// What is being said, from now on. `None` when the run is not running here, or nobody may watch it.
    pub fn listen(&self, run: &str) -> Option<Listener> {
        let texts = held(&self.runs).get(run)?.clone();
        let changes = texts.changes.subscribe();
        Some(Listener { run: run.to_owned(), texts, changes, shown: BTreeMap::new(), due: true, last: None })
    }

    fn change(&self, run: &str, change: impl FnOnce(&mut BTreeMap<String, Text>)) {
        let texts = held(&self.runs).get(run).cloned();
        if let Some(texts) = texts {
            change(&mut held(&texts.turns));
            texts.changes.send_modify(|changes| *changes = changes.map(|n| n + 1));
        }
    }
}

/// One watcher of a run's words.
pub(crate) struct Listener {
    run: String,
    texts: Arc<Texts>,
    changes: watch::Receiver<Option<u64>>,
    /// Key, then try, edition and how many bytes of its text were shown.
    shown: BTreeMap<String, (i64, u64, usize)>,
    due: bool,
    last: Option<Instant>,
}

impl Listener {
    /// The run has left this process.
    pub fn is_over(&self) -> bool {
        self.changes.borrow().is_none()
    }

    /// What was said since the last time, a delta a turn. Waits until there may be something, and a little after the last. Dropped in
    /// between, it loses nothing.
    pub async fn next(&mut self, clock: &dyn Clock) -> Vec<Event> {
        if !self.due {
            if self.changes.borrow().is_none() || self.changes.changed().await.is_err() {
                return std::future::pending().await;
            }
            self.due = true;
        }
        if let Some(last) = self.last {
            sleep_until(last + PACE).await;
        }
        self.due = false;
        self.changes.mark_unchanged();
        let turns = held(&self.texts.turns);
        self.shown.retain(|key, _| turns.contains_key(key));
        let mut news = Vec::new();
        for (key, now) in turns.iter() {
            let before = self.shown.get(key).copied().filter(|(attempt, edition, _)| (*attempt, *edition) == (now.attempt, now.edition));
            let offset = before.map_or(0, |(_, _, bytes)| bytes);
            // A new edition that is still empty tells that the one before is void.
            let replaces = before.is_none() && self.shown.contains_key(key);
            if now.text.len() > offset || replaces {
                news.push(Event::delta(&self.run, clock.now(), key, now.attempt, offset, &now.text[offset..]));
                self.shown.insert(key.clone(), (now.attempt, now.edition, now.text.len()));
            }
        }
        if !news.is_empty() {
            self.last = Some(Instant::now());
        }
        news
    }
}

/// Feeds one turn's text into the hub until dropped.
pub(crate) struct Feed {
    pub hub: Arc<Hub>,
    pub run: String,
    pub key: String,
    pub attempt: i64,
}

impl Deltas for Feed {
    fn push(&self, text: &str) {
        self.hub.change(&self.run, |turns| {
            let turn = turns.entry(self.key.clone()).or_default();
            turn.attempt = self.attempt;
            turn.text.push_str(text);
        });
    }
    fn restart(&self) {
        self.hub.change(&self.run, |turns| {
            if let Some(turn) = turns.get_mut(&self.key) {
                turn.edition += 1;
                turn.text.clear();
            }
        });
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.hub.change(&self.run, |turns| drop(turns.remove(&self.key)));
    }
}

#[cfg(test)]
mod tests {
    use super::{Feed, Hub};
    use crate::{Deltas, SystemClock};
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::time::{Instant, timeout};

    fn feed(hub: &Arc<Hub>, key: &str) -> Feed {
        Feed { hub: hub.clone(), run: "r".into(), key: key.into(), attempt: 0 }
    }

    #[tokio::test]
    async fn a_watcher_gets_the_text_so_far_then_what_follows_and_an_edition_anew() {
        let hub = Arc::new(Hub::default());
        hub.open("r");
        let (one, two) = (feed(&hub, "a@0"), feed(&hub, "b@1"));
        one.push("Queues ");
        one.push("kée");
        two.push("Cron");
        let mut early = hub.listen("r").expect("it runs here");
        let said = |events: Vec<synod_types::Event>| -> Vec<(String, u64, String)> {
            let each = |event: synod_types::Event| {
                let text = |name: &str| event.data[name].as_str().unwrap_or_default().to_owned();
                (text("key"), event.data["offset"].as_u64().unwrap_or(99), text("text"))
            };
            events.into_iter().map(each).collect()
        };
        let at = |key: &str, offset: u64, text: &str| (key.to_owned(), offset, text.to_owned());
        assert_eq!(said(early.next(&SystemClock).await), [at("a@0", 0, "Queues kée"), at("b@1", 0, "Cron")]);
        one.push("p.");
        drop(two);
        assert_eq!(said(early.next(&SystemClock).await), [at("a@0", 11, "p.")], "bytes, not characters");
        one.restart();
        one.push("No.");
        assert_eq!(said(early.next(&SystemClock).await), [at("a@0", 0, "No.")], "what was shown is replaced");
        one.restart();
        assert_eq!(said(early.next(&SystemClock).await), [at("a@0", 0, "")], "by nothing, if that is all there is");
        hub.close("r");
        assert!(timeout(Duration::from_millis(300), early.next(&SystemClock)).await.is_err(), "a run that has left says nothing");
        assert!(hub.listen("r").is_none());
    }

    #[tokio::test]
    async fn a_thousand_pieces_are_five_deltas_a_second() {
        let hub = Arc::new(Hub::default());
        hub.open("r");
        let (feed, mut listener) = (feed(&hub, "a@0"), hub.listen("r").expect("it runs here"));
        let until = Instant::now() + Duration::from_millis(700);
        let (mut deltas, mut text) = (0, String::new());
        while Instant::now() < until {
            feed.push("word ");
            if let Ok(events) = timeout(Duration::from_millis(1), listener.next(&SystemClock)).await {
                deltas += events.len();
                events.iter().for_each(|event| text.push_str(event.data["text"].as_str().unwrap_or_default()));
            }
        }
        for event in listener.next(&SystemClock).await {
            text.push_str(event.data["text"].as_str().unwrap_or_default());
        }
        assert!((2..=5).contains(&deltas), "{deltas}");
        assert!(text.len() > 100 && text.split_whitespace().all(|word| word == "word"), "nothing is lost between them");
    }
}
