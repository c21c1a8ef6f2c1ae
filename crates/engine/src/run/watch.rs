//! A run as a stream of events: what the journal has, what it gets, and the words in between.

use crate::{JournalError, Runner};
use synod_types::{Event, Kind, Row};
use tokio::sync::{broadcast, mpsc};

/// How often another process's journal is looked at.
const LOOK_MS: i64 = 500;

impl Runner {
    /// Events of a run after `seq`, to its end: `complete`, `error`, `stopped`, or its process gone without a word. Rows come with them, for those who fold rows.
    pub fn watch(&self, run: &str, after: i64) -> mpsc::Receiver<Result<(Event, Option<Row>), JournalError>> {
        let (send, receive) = mpsc::channel(256);
        let (runner, run) = (self.clone(), run.to_owned());
        tokio::spawn(async move {
            // A watcher that went away ends this task; the run does not notice.
            let _ = runner.follow(&run, after, &send).await;
        });
        receive
    }

    async fn follow(&self, run: &str, after: i64, send: &mpsc::Sender<Result<(Event, Option<Row>), JournalError>>) -> Result<(), WatcherGone> {
        let (journal, clock) = (&self.inner.setup.journal, &self.inner.setup.clock);
        let subscribed = self.inner.hub.as_ref().and_then(|hub| hub.subscribe(run, clock.now()));
        let (so_far, mut deltas) = subscribed.map_or((Vec::new(), None), |(so_far, deltas)| (so_far, Some(deltas)));
        let mut seen = after;
        // Asked for before the rows are read, and kept while words flow: a row in between must not wait for the next look.
        let mut changed = journal.changed(run, LOOK_MS);
        let mut ended = self.pass_on(run, &mut seen, send).await?;
        for delta in so_far {
            send.send(Ok((delta, None))).await?;
        }
        while !ended {
            tokio::select! {
                delta = next(&mut deltas) => if let Some(delta) = delta {
                    send.send(Ok((delta, None))).await?;
                },
                () = &mut changed => {
                    changed = journal.changed(run, LOOK_MS);
                    ended = self.pass_on(run, &mut seen, send).await?;
                }
            }
        }
        Ok(())
    }

    /// Sends what is new; true when the stream ends with it.
    async fn pass_on(&self, run: &str, seen: &mut i64, send: &mpsc::Sender<Result<(Event, Option<Row>), JournalError>>) -> Result<bool, WatcherGone> {
        let (rows, left) = match self.news(run, *seen).await {
            Ok(news) => news,
            Err(error) => {
                send.send(Err(error)).await?;
                return Ok(true);
            }
        };
        // A stop that was resumed since is history, not the end.
        let ends = rows.last().is_some_and(|row| matches!(row.kind, Kind::Verdict | Kind::Stopped));
        for row in rows {
            *seen = row.seq;
            if let Some(event) = Event::of(&row) {
                send.send(Ok((event, Some(row)))).await?;
            }
        }
        Ok(ends || left)
    }

    /// Rows after `seen`; and whether nobody holds the run any more, so that none will follow.
    async fn news(&self, run: &str, seen: i64) -> Result<(Vec<Row>, bool), JournalError> {
        let journal = &self.inner.setup.journal;
        let rows = journal.rows(run, seen).await?;
        if !rows.is_empty() || journal.held(run).await? {
            return Ok((rows, false));
        }
        // What its holder wrote last may have come between the two looks.
        Ok((journal.rows(run, seen).await?, true))
    }
}

/// The watcher went away.
struct WatcherGone;

impl<T> From<mpsc::error::SendError<T>> for WatcherGone {
    fn from(_: mpsc::error::SendError<T>) -> Self {
        Self
    }
}

async fn next(deltas: &mut Option<broadcast::Receiver<Event>>) -> Option<Event> {
    match deltas {
        None => std::future::pending().await,
        Some(receiver) => match receiver.recv().await {
            Ok(event) => Some(event),
            Err(broadcast::error::RecvError::Lagged(_)) => None,
            Err(broadcast::error::RecvError::Closed) => {
                *deltas = None;
                None
            }
        },
    }
}
