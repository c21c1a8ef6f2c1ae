//! What is under way in this process: who drives it, and messages for what is about to start.

use super::core::Core;
use super::hub::Hub;
use super::inbox::deliver;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};
use synod_types::InboxItem;
use tokio::sync::Notify;

/// What is under way in this process, whichever Runner began it.
#[derive(Default)]
pub(crate) struct Here {
    pub hub: Option<Arc<Hub>>,
    active: Mutex<HashMap<String, Arc<Core>>>,
    /// Messages for runs that are held here and about to start. Locked only while `active` is.
    early: Mutex<HashMap<String, Vec<InboxItem>>>,
    /// This process lets go of its runs: whatever starts now is let go too. Changed under `active`'s lock only.
    pub leaving: AtomicBool,
    /// Whether a task keeps the leases. Changed under `active`'s lock only: there is one such task, or none.
    pub beating: AtomicBool,
    pub pulse: Notify,
}

/// A run's place among those under way; given up when its task ends, unless it was begun anew meanwhile.
pub(crate) struct UnderWay {
    pub here: Arc<Here>,
    pub core: Arc<Core>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut active = self.here.active();
        if active.get(&self.core.lease.run).is_some_and(|core| Arc::ptr_eq(core, &self.core)) {
            active.remove(&self.core.lease.run);
        }
    }
}

/// So many messages for runs that are about to start are kept.
const EARLY: usize = 1000;

impl Here {
    /// `live`: the words of running turns are kept for watchers.
    pub(crate) fn new(live: bool) -> Self {
        Self { hub: live.then(Arc::<Hub>::default), ..Self::default() }
    }

    pub(crate) fn early(&self) -> MutexGuard<'_, HashMap<String, Vec<InboxItem>>> {
        self.early.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Hands a message to its run, now or as soon as it is under way.
    pub(crate) fn hand(&self, item: InboxItem) {
        let active = self.active();
        match active.get(&item.run).cloned() {
            Some(core) => deliver(&core, item),
            None => {
                let mut early = self.early();
                if early.len() < EARLY {
                    early.entry(item.run.clone()).or_default().push(item);
                }
            }
        }
    }

    pub(crate) fn active(&self) -> MutexGuard<'_, HashMap<String, Arc<Core>>> {
        self.active.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
