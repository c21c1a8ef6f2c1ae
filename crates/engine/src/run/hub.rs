//! Live text of running turns, for whoever watches in this process. Nothing here lasts.

use crate::{Clock, Deltas};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use synod_types::Event;
use tokio::sync::broadcast;

#[derive(Default)]
pub(crate) struct Hub {
    runs: Mutex<HashMap<String, Channel>>,
}

struct Channel {
    sender: broadcast::Sender<Event>,
    running: BTreeMap<String, (i64, String)>,
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Channel>> {
        self.runs.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn open(&self, run: &str) {
        self.lock().entry(run.to_owned()).or_insert_with(|| Channel { sender: broadcast::channel(1024).0, running: BTreeMap::new() });
    }

    pub fn close(&self, run: &str) {
        self.lock().remove(run);
    }

    /// What is being said now, as one delta a turn, and what follows. `None` when the run is not running here, or nobody may watch it.
    pub fn subscribe(&self, run: &str, at: i64) -> Option<(Vec<Event>, broadcast::Receiver<Event>)> {
        let runs = self.lock();
        let channel = runs.get(run)?;
        let so_far = channel.running.iter().map(|(key, (attempt, text))| Event::delta(run, at, key, *attempt, 0, text)).collect();
        Some((so_far, channel.sender.subscribe()))
    }

    fn say(&self, run: &str, key: &str, attempt: i64, at: i64, text: &str) {
        if let Some(channel) = self.lock().get_mut(run) {
            let (_, so_far) = channel.running.entry(key.to_owned()).or_insert_with(|| (attempt, String::new()));
            let event = Event::delta(run, at, key, attempt, so_far.len(), text);
            so_far.push_str(text);
            // Nobody listening is not an error.
            let _ = channel.sender.send(event);
        }
    }

    fn forget(&self, run: &str, key: &str) {
        if let Some(channel) = self.lock().get_mut(run) {
            channel.running.remove(key);
        }
    }
}

/// Feeds one turn's text into the hub until dropped.
pub(crate) struct Feed {
    pub hub: Arc<Hub>,
    pub clock: Arc<dyn Clock>,
    pub run: String,
    pub key: String,
    pub attempt: i64,
}

impl Deltas for Feed {
    fn push(&self, text: &str) {
        self.hub.say(&self.run, &self.key, self.attempt, self.clock.now(), text);
    }
    fn restart(&self) {
        self.hub.forget(&self.run, &self.key);
        self.hub.say(&self.run, &self.key, self.attempt, self.clock.now(), "");
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.hub.forget(&self.run, &self.key);
    }
}
