//! Who waits for news of which run, and which runs this process holds itself.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use synod_engine::{Commit, Tellers};
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

#[derive(Default)]
pub(crate) struct Watchers {
    /// Those who hear rows as they are committed.
    pub tellers: Arc<Tellers>,
    waiting: Mutex<HashMap<String, Arc<Notify>>>,
    held: Mutex<HashSet<String>>,
    /// Runs taken since the last heartbeat: what was posted for them before is still to be handed out.
    taken: Mutex<Vec<String>>,
}

// The data behind these locks is whole after every statement, so a panic elsewhere leaves nothing half-done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watchers {
    /// News from now on, even before the future is first polled.
    pub fn subscribe(&self, run: &str) -> OwnedNotified {
        lock(&self.waiting).entry(run.to_owned()).or_default().clone().notified_owned()
    }

    pub fn notify(&self, run: &str) {
        // Removed, so that the map holds only runs somebody waits for.
        let notify = lock(&self.waiting).remove(run);
        if let Some(notify) = notify {
            notify.notify_waiters();
        }
    }

    /// Forgets a run for which nobody waits any more.
    pub fn tidy(&self, run: &str) {
        let mut waiting = lock(&self.waiting);
        if waiting.get(run).is_some_and(|notify| Arc::strong_count(notify) == 1) {
            waiting.remove(run);
        }
    }

    pub fn hold(&self, run: &str) {
        lock(&self.held).insert(run.to_owned());
    }
    pub fn taken(&self, run: &str) {
        lock(&self.taken).push(run.to_owned());
    }
    pub fn newly_taken(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.taken))
    }
    pub fn let_go(&self, run: &str) {
        if lock(&self.held).remove(run) {
            self.tellers.tell(run, &Commit::Left);
        }
    }
    pub fn holds(&self, run: &str) -> bool {
        lock(&self.held).contains(run)
    }
}
