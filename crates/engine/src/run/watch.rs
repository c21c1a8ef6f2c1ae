//! A run as a stream of events: what the journal has, what it gets, and the words in between.
//!
//! A run of this process is heard as it commits: no look at the database, also while nothing happens. Another process's run is looked at.

use super::hub::Listener;
use crate::{Clock, Commit, Commits, JournalError, Runner};
use std::future::{Future, pending};
use std::sync::Arc;
use synod_types::{Event, Row, RunState};
use tokio::sync::mpsc;

/// How often another process's journal is looked at.
const LOOK_MS: i64 = 500;

/// Rows read at once: a slow watcher of a long run must not hold all of it.
const PAGE: usize = 256;

/// What a watcher gets. Small, because each stream has room for a few.
#[derive(Clone, Debug)]
pub enum News {
    /// A row that is an event.
    Row(Arc<Row>),
    /// Words of a running turn.
    Words(Box<Event>),
}

impl News {
    pub fn event(&self) -> Option<Event> {
        match self {
            Self::Row(row) => Event::of(row, ""),
            Self::Words(words) => Some(Event::clone(words)),
        }
    }
}

/// News, or that the journal does not answer: the stream then ends.
pub type Watched = Result<News, JournalError>;

impl Runner {
    /// Events of a run after `seq`, to its end: `complete`, `error`, `stopped`, or its process gone without a word.
    pub fn watch(&self, run: &str, after: i64) -> mpsc::Receiver<Watched> {
        self.watch_until(run, after, WatchEnd::Left)
    }

    /// The same, with a say in when it ends.
    pub fn watch_until(&self, run: &str, after: i64, end: WatchEnd) -> mpsc::Receiver<Watched> {
        let (send, receive) = mpsc::channel(16);
        let (runner, run) = (self.clone(), run.to_owned());
        tokio::spawn(async move {
            // A watcher that went away ends this task; the run does not notice.
            let _ = runner.follow(&run, after, end, &send).await;
        });
        receive
    }

    async fn follow(&self, run: &str, after: i64, end: WatchEnd, send: &mpsc::Sender<Watched>) -> Result<(), WatcherGone> {
        let (journal, clock) = (&self.inner.setup.journal, &self.inner.setup.clock);
        // Asked for before the rows are read: what is committed in between is heard.
        let mut commits = journal.commits(run);
        let mut words: Option<Listener> = None;
        let mut seen = after;
        let mut ended = false;
        let mut look = true;
        while !ended {
            let here = commits.is_some() && journal.holds(run);
            // One that was elsewhere, or nowhere, may have come here since.
            if words.as_ref().is_none_or(Listener::is_over) {
                words = self.inner.here.hub.as_ref().and_then(|hub| hub.listen(run));
            }
            let changed = if here { None } else { Some(journal.changed(run, LOOK_MS)) };
            if std::mem::take(&mut look) {
                ended = self.pass_on(run, &mut seen, end, send).await?;
                if ended {
                    break;
                }
            }
            tokio::select! {
                commit = heard(&mut commits) => match commit {
                    Some(Commit::Row(row)) if row.seq <= seen => {}
                    Some(Commit::Row(row)) if row.seq == seen + 1 => {
                        seen = row.seq;
                        ended = end.is(RunState::Running.after(row.kind, &row.body));
                        if Event::is_one(row.kind) {
                            send.send(Ok(News::Row(row))).await?;
                        }
                    }
                    Some(Commit::Row(_) | Commit::Left) | None => look = true,
                },
                said = spoken(&mut words, clock.as_ref()) => {
                    for delta in said {
                        send.send(Ok(News::Words(Box::new(delta)))).await?;
                    }
                }
                () = or_never(changed) => look = true,
                () = send.closed() => return Err(WatcherGone),
            }
        }
        Ok(())
    }

    /// Sends what is new; true when the stream ends with it.
    async fn pass_on(&self, run: &str, seen: &mut i64, end: WatchEnd, send: &mpsc::Sender<Watched>) -> Result<bool, WatcherGone> {
        loop {
            let (rows, left) = match self.news(run, *seen).await {
                Ok(news) => news,
                Err(error) => {
                    send.send(Err(error)).await?;
                    return Ok(true);
                }
            };
            let whole = rows.len() < PAGE;
            // A stop that was resumed since is history, not the end.
            let state = rows.iter().fold(RunState::Running, |state, row| state.after(row.kind, &row.body));
            for row in rows {
                *seen = row.seq;
                if Event::is_one(row.kind) {
                    send.send(Ok(News::Row(Arc::new(row)))).await?;
                }
            }
            if whole {
                return Ok(end.is(state) || left && end == WatchEnd::Left);
            }
        }
    }

    /// Rows after `seen`; and whether nobody holds the run any more, so that none will follow.
    async fn news(&self, run: &str, seen: i64) -> Result<(Vec<Row>, bool), JournalError> {
        let journal = &self.inner.setup.journal;
        let rows = journal.page(run, seen, PAGE).await?;
        if !rows.is_empty() || journal.held(run).await? {
            return Ok((rows, false));
        }
        // What its holder wrote last may have come between the two looks.
        Ok((journal.page(run, seen, PAGE).await?, true))
    }
}

/// When a stream of events ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// With the run, with a stop, or with its process gone.
    Left,
    /// With the run or with a stop: somebody takes it up if its process is gone.
    Stop,
    /// With the run only: it stays through stops, until somebody goes on.
    Verdict,
}

impl WatchEnd {
    fn is(self, state: RunState) -> bool {
        match state {
            RunState::Complete | RunState::Lost => true,
            RunState::Stopped | RunState::Waiting => self != Self::Verdict,
            RunState::Running | RunState::Interrupted => false,
        }
    }
}

/// The watcher went away.
struct WatcherGone;

impl<T> From<mpsc::error::SendError<T>> for WatcherGone {
    fn from(_: mpsc::error::SendError<T>) -> Self {
        Self
    }
}

async fn heard(commits: &mut Option<Commits>) -> Option<Commit> {
    match commits {
        Some(commits) => commits.next().await,
        None => pending().await,
    }
}

async fn spoken(words: &mut Option<Listener>, clock: &dyn Clock) -> Vec<Event> {
    match words {
        Some(words) => words.next(clock).await,
        None => pending().await,
    }
}

async fn or_never(changed: Option<impl Future<Output = ()>>) {
    match changed {
        Some(changed) => changed.await,
        None => pending().await,
    }
}
