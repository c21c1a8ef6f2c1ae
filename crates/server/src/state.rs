//! What all requests share.

use crate::caller::Caller;
use crate::errors::Code;
use crate::fault::{Answer, Fault};
use crate::settings::ServerSettings;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use synod_app::{App, AppError, ConversationSummary, RunSummary};
use tokio::sync::{Semaphore, watch};

pub struct Server {
    pub app: App,
    pub settings: ServerSettings,
    /// A place for each event stream that may be open.
    pub streams: Arc<Semaphore>,
    pub windows: Windows,
    /// One start at a time for each key, so that two cannot both take the last place.
    starting: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// True when nothing new is to begin.
    pub stopping: watch::Sender<bool>,
    /// True when streams are to end.
    pub ended: watch::Sender<bool>,
    /// Keys that were revoked, as far as is known: their streams end.
    pub revoked: watch::Sender<Arc<HashSet<String>>>,
    /// Streams open for each key.
    pub streams_of: Mutex<HashMap<String, usize>>,
}

pub type Shared = Arc<Server>;

impl Server {
    pub fn new(app: App, settings: ServerSettings) -> Self {
        let streams = Arc::new(Semaphore::new(settings.max_streams));
        let (windows, starting) = (Windows::default(), Mutex::default());
        let (stopping, ended, revoked) = (watch::channel(false).0, watch::channel(false).0, watch::channel(Arc::default()).0);
        Self { app, settings, streams, windows, starting, stopping, ended, revoked, streams_of: Mutex::default() }
    }

    /// Nothing new is begun while the server ends.
    pub fn still_open(&self) -> Answer<()> {
        if *self.stopping.borrow() {
            return Err(Fault { retry_after: Some(Duration::from_secs(5)), ..Fault::new(Code::ShuttingDown, "the server is ending") });
        }
        Ok(())
    }

    /// The turn of a key to begin a run.
    pub fn starting(&self, principal: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        starting.retain(|_, turn| Arc::strong_count(turn) > 1);
        starting.entry(principal.to_owned()).or_default().clone()
    }

    /// A run by its whole id, if the caller may see it. One of somebody else is answered like one that is not there.
    pub async fn run(&self, caller: &Caller, id: &str) -> Answer<RunSummary> {
        let found = self.app.run(id).await;
        match found {
            Ok(run) if caller.sees(&run) => Ok(run),
            Ok(_) => Err(Fault::no_run(id)),
            Err(error) => match Fault::from(error) {
                fault if fault.code != Code::NotFound => Err(fault),
                _ => match self.app.tombstone(id).await? {
                    Some(stone) if caller.sees_runs_of(&stone.principal) => {
                        Err(Fault::new(Code::Gone, format!("run {id} was deleted; its journal ended at row {} with {}", stone.seq, stone.head)))
                    }
                    _ => Err(Fault::no_run(id)),
                },
            },
        }
    }
}

impl Server {
    /// A conversation by its id, if the caller may see it. One of somebody else is answered like one that is not there.
    pub async fn conversation(&self, caller: &Caller, id: &str) -> Answer<ConversationSummary> {
        let missing = || Fault::new(Code::NotFound, format!("there is no conversation {id:?}"));
        // No database keeps one, and no id has one.
        if id.contains('\0') {
            return Err(missing());
        }
        match self.app.conversation(id).await {
            Ok(conversation) if caller.sees_runs_of(&conversation.principal) => Ok(conversation),
            Ok(_) | Err(AppError::Usage(_)) => Err(missing()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Counts requests by caller and minute, in memory.
#[derive(Default)]
pub struct Windows {
    counts: Mutex<HashMap<String, (Instant, u32)>>,
}

const WINDOW: Duration = Duration::from_secs(60);
/// So many callers are remembered before those whose minute is over are forgotten.
const MANY: usize = 10_000;

impl Windows {
    /// Whether there is room for one more.
    pub fn room(&self, who: &str, most: u32) -> Result<(), Duration> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        match counts.get(who) {
            Some((began, count)) if *count >= most && began.elapsed() < WINDOW => Err(WINDOW.saturating_sub(began.elapsed())),
            _ => Ok(()),
        }
    }

    /// Counts one more. `Err`: how long until the next minute begins.
    pub fn count(&self, who: &str, most: u32) -> Result<(), Duration> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() > MANY {
            counts.retain(|_, (began, _)| began.elapsed() < WINDOW);
        }
        let (began, count) = counts.entry(who.to_owned()).or_insert((Instant::now(), 0));
        if began.elapsed() >= WINDOW {
            (*began, *count) = (Instant::now(), 0);
        }
        if *count >= most {
            return Err(WINDOW.saturating_sub(began.elapsed()));
        }
        *count += 1;
        Ok(())
    }

    /// Takes back one that came to nothing.
    pub fn give_back(&self, who: &str) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, count)) = counts.get_mut(who) {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Windows;

    #[test]
    fn a_minute_has_room_for_so_many_and_each_caller_has_its_own() {
        let windows = Windows::default();
        assert!((0..3).all(|_| windows.count("a", 3).is_ok()));
        assert!(windows.count("a", 3).is_err_and(|wait| wait.as_secs() <= 60 && wait.as_secs() >= 58));
        assert!(windows.count("b", 3).is_ok());
        windows.give_back("a");
        assert!(windows.count("a", 3).is_ok() && windows.count("a", 3).is_err());
    }
}
