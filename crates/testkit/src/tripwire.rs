//! A journal that gives out at a chosen row: it refuses everything from then on, or the whole process dies.
//!
//! Owns the moment, never the rows: what reaches the journal behind it is what a real failure at that moment would have left there.

use futures::future::BoxFuture;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use synod_engine::{Blobs, Commits, Journal, JournalError, JournalResult, Lease, Tail};
use synod_types::{Header, InboxItem, Millis, NewRow, Once, Row, plain_words};

plain_words! {
    /// When, around the append that holds the chosen row.
    pub enum Moment {
        /// Nothing of that append reaches the journal.
        Before = "before",
        /// It is committed, and whoever appended has not been told.
        After = "after",
        /// They have been told, and may have begun to act on it.
        Acknowledged = "acknowledged",
    }
}

/// What happens then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Every append and heartbeat fails as if the disk were full.
    Refuse,
    /// SIGKILL to this very process.
    Kill,
}

pub struct Tripwire {
    inner: Arc<dyn Journal>,
    row: u64,
    moment: Moment,
    act: Act,
    /// Rows handed in so far, the header's included.
    rows: Mutex<u64>,
    tripped: Arc<AtomicBool>,
    heartbeats: AtomicU64,
    /// How often somebody looked into the journal.
    looks: AtomicU64,
    appends: AtomicU64,
}

impl Tripwire {
    /// `row` counts from 1, which is the header's; 0 is never reached.
    pub fn new(inner: Arc<dyn Journal>, row: u64, moment: Moment, act: Act) -> Self {
        Self {
            inner,
            row,
            moment,
            act,
            rows: Mutex::new(0),
            tripped: Arc::default(),
            heartbeats: AtomicU64::new(0),
            looks: AtomicU64::new(0),
            appends: AtomicU64::new(0),
        }
    }

    /// How often rows were read, or asked after.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::SeqCst)
    }

    /// In how many appends its rows came, the header's apart.
    pub fn appends(&self) -> u64 {
        self.appends.load(Ordering::SeqCst)
    }

    /// Whether it gave out.
    pub fn tripped(&self) -> bool {
        self.tripped.load(Ordering::SeqCst)
    }

    /// Whether the chosen row was handed in, so that it gave out or is about to.
    pub fn reached(&self) -> bool {
        *self.rows.lock().unwrap_or_else(PoisonError::into_inner) >= self.row
    }

    /// How often the leases were kept.
    pub fn heartbeats(&self) -> u64 {
        self.heartbeats.load(Ordering::SeqCst)
    }

    fn trip(&self) {
        trip(self.act, &self.tripped);
    }

    /// Counts rows in; true when the chosen one is among them.
    fn crosses(rows: &mut u64, more: usize, row: u64) -> bool {
        let before = *rows;
        *rows += more as u64;
        before < row && row <= *rows
    }
}

fn trip(act: Act, tripped: &AtomicBool) {
    tripped.store(true, Ordering::SeqCst);
    if act == Act::Kill {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).expect("a process may kill itself");
        // The signal is on its way to every thread; nothing may go on meanwhile.
        loop {
            std::thread::park();
        }
    }
}

fn refusal<T>() -> JournalResult<T> {
    Err(JournalError::Storage("the disk is full (tripwire)".into()))
}

impl Journal for Tripwire {
    fn begin<'a>(&'a self, header: &'a Header, at: Millis, blobs: Blobs, once: Option<Once>) -> BoxFuture<'a, JournalResult<Lease>> {
        Box::pin(async move {
            if self.tripped() {
                return refusal();
            }
            let crosses = Self::crosses(&mut self.rows.lock().unwrap_or_else(PoisonError::into_inner), 1, self.row);
            if crosses && self.moment == Moment::Before {
                self.trip();
                return refusal();
            }
            let lease = self.inner.begin(header, at, blobs, once).await?;
            if crosses {
                self.trip();
                if self.moment == Moment::After {
                    return refusal();
                }
            }
            Ok(lease)
        })
    }

    fn append(&self, lease: &Lease, rows: Vec<NewRow>) -> BoxFuture<'static, JournalResult<Tail>> {
        self.appends.fetch_add(1, Ordering::SeqCst);
        // Held while the inner journal queues the rows, so that counting and queueing keep one order.
        let mut count = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if self.tripped() {
            return Box::pin(std::future::ready(refusal()));
        }
        if !Self::crosses(&mut count, rows.len(), self.row) {
            return self.inner.append(lease, rows);
        }
        let (act, tripped) = (self.act, self.tripped.clone());
        match self.moment {
            Moment::Before => {
                self.trip();
                Box::pin(std::future::ready(refusal()))
            }
            Moment::After => {
                let append = self.inner.append(lease, rows);
                if act == Act::Refuse {
                    self.trip();
                }
                // Driven at once: the caller may be in no hurry to await it.
                let committed = tokio::spawn(async move {
                    let tail = append.await?;
                    trip(act, &tripped);
                    Ok::<Tail, JournalError>(tail)
                });
                Box::pin(async move {
                    match committed.await {
                        Ok(Ok(_)) => refusal(),
                        Ok(Err(error)) => Err(error),
                        Err(error) => Err(JournalError::Storage(error.to_string())),
                    }
                })
            }
            Moment::Acknowledged => {
                let append = self.inner.append(lease, rows);
                let pause = Duration::from_micros(self.row % 5 * 500);
                Box::pin(async move {
                    let tail = append.await?;
                    match act {
                        Act::Refuse => trip(act, &tripped),
                        // A little later, and not always the same: what follows may have got some way.
                        Act::Kill => drop(tokio::spawn(async move {
                            tokio::time::sleep(pause).await;
                            trip(act, &tripped);
                        })),
                    }
                    Ok(tail)
                })
            }
        }
    }

    fn rows<'a>(&'a self, run: &'a str, after: i64) -> BoxFuture<'a, JournalResult<Vec<Row>>> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        self.inner.rows(run, after)
    }
    fn raw<'a>(&'a self, run: &'a str, key: &'a str, attempt: i64) -> BoxFuture<'a, JournalResult<Option<String>>> {
        self.inner.raw(run, key, attempt)
    }
    fn blob<'a>(&'a self, sha256: &'a str) -> BoxFuture<'a, JournalResult<Option<Vec<u8>>>> {
        self.inner.blob(sha256)
    }
    fn take<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<Lease>> {
        self.inner.take(run)
    }
    fn heartbeat(&self) -> BoxFuture<'_, JournalResult<Vec<InboxItem>>> {
        self.heartbeats.fetch_add(1, Ordering::SeqCst);
        if self.tripped() { Box::pin(std::future::ready(refusal())) } else { self.inner.heartbeat() }
    }
    fn held<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<bool>> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        self.inner.held(run)
    }
    fn release<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, JournalResult<()>> {
        self.inner.release(lease)
    }
    fn post(&self, item: InboxItem) -> BoxFuture<'_, JournalResult<()>> {
        self.inner.post(item)
    }
    fn inbox<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<Vec<InboxItem>>> {
        self.inner.inbox(run)
    }
    fn changed<'a>(&'a self, run: &'a str, within_ms: Millis) -> BoxFuture<'a, ()> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        self.inner.changed(run, within_ms)
    }
    fn commits(&self, run: &str) -> Option<Commits> {
        self.inner.commits(run)
    }
    fn holds(&self, run: &str) -> bool {
        self.inner.holds(run)
    }
}
