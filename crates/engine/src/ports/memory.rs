//! A journal in memory: for replay, and for tests of the engine and of modes.

use crate::{Blobs, Commit, Commits, Journal, JournalError, JournalResult, Lease, Tail, Tellers};
use futures::future::BoxFuture;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use synod_types::*;
use tokio::sync::Notify;

#[derive(Default)]
pub struct MemoryJournal {
    inner: Mutex<Inner>,
    changed: Notify,
    tellers: Arc<Tellers>,
}

#[derive(Default)]
struct Inner {
    runs: HashMap<String, Run>,
    raws: HashMap<(String, String, i64), String>,
    blobs: HashMap<String, Vec<u8>>,
    inbox: Vec<(InboxItem, bool)>,
}

#[derive(Default)]
struct Run {
    rows: Vec<Row>,
    /// Which rows there are: none comes twice.
    known: HashSet<(String, Kind, i64)>,
    epoch: i64,
    held: bool,
}

impl MemoryJournal {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Puts rows of another journal here, as they are, with their raw replies: to replay them.
    pub fn load(&self, rows: Vec<Row>, raws: Vec<(String, i64, String)>) {
        let Some(run) = rows.first().map(|row| row.run.clone()) else { return };
        let mut inner = self.lock();
        for (key, attempt, raw) in raws {
            inner.raws.insert((run.clone(), key, attempt), raw);
        }
        let epoch = rows.last().map_or(0, |row| row.epoch);
        let known = rows.iter().map(|row| (row.key.clone(), row.kind, row.attempt)).collect();
        inner.runs.insert(run, Run { rows, known, epoch, held: false });
    }

    fn append_now(&self, lease: &Lease, rows: Vec<NewRow>) -> JournalResult<Tail> {
        let mut inner = self.lock();
        let Inner { runs, raws, .. } = &mut *inner;
        let run = runs.get_mut(&lease.run).ok_or_else(|| JournalError::NoSuchRun(lease.run.clone()))?;
        if run.epoch != lease.epoch || !run.held {
            return Err(JournalError::LeaseLost);
        }
        let names = || rows.iter().map(|row| (row.key.clone(), row.kind, row.attempt));
        let mut fresh = HashSet::with_capacity(rows.len());
        if let Some((key, kind, _)) = names().find(|name| run.known.contains(name) || !fresh.insert(name.clone())) {
            return Err(JournalError::Duplicate(format!("{} {key}", kind.as_str())));
        }
        run.known.extend(fresh);
        let mut sealed: Vec<Row> = Vec::with_capacity(rows.len());
        for mut row in rows {
            let previous = sealed.last().or(run.rows.last()).map_or([0; 32], |row| row.hash);
            let seq = (run.rows.len() + sealed.len()) as i64 + 1;
            if let Some(raw) = row.raw.take() {
                raws.insert((lease.run.clone(), row.key.clone(), row.attempt), raw);
            }
            sealed.push(row.seal(&lease.run, seq, lease.epoch, &previous));
        }
        let told: Vec<Commit> = sealed.iter().map(|row| Commit::Row(Arc::new(row.clone()))).collect();
        run.rows.extend(sealed);
        let tail = run.rows.last().map_or(Tail { seq: 0, head: [0; 32] }, |row| Tail { seq: row.seq, head: row.hash });
        // Under the lock, so that they are told in the order in which they were kept.
        told.iter().for_each(|commit| self.tellers.tell(&lease.run, commit));
        drop(inner);
        self.changed.notify_waiters();
        Ok(tail)
    }
}

fn done<'a, T: Send + 'a>(value: JournalResult<T>) -> BoxFuture<'a, JournalResult<T>> {
    Box::pin(std::future::ready(value))
}

impl Journal for MemoryJournal {
    fn begin<'a>(&'a self, header: &'a Header, at: Millis, blobs: Blobs, _: Option<Once>) -> BoxFuture<'a, JournalResult<Lease>> {
        let lease = Lease { run: header.run.clone(), epoch: 1 };
        {
            let mut inner = self.lock();
            inner.blobs.extend(blobs);
            inner.runs.insert(header.run.clone(), Run { epoch: 1, held: true, ..Run::default() });
        }
        done(self.append_now(&lease, vec![NewRow::new("", Kind::Header, at, header)]).map(|_| lease))
    }

    fn append(&self, lease: &Lease, rows: Vec<NewRow>) -> BoxFuture<'static, JournalResult<Tail>> {
        done(self.append_now(lease, rows))
    }

    fn rows<'a>(&'a self, run: &'a str, after: i64) -> BoxFuture<'a, JournalResult<Vec<Row>>> {
        let inner = self.lock();
        let rows = inner.runs.get(run).map(|run| run.rows.iter().skip(after.max(0) as usize).cloned().collect());
        done(rows.ok_or_else(|| JournalError::NoSuchRun(run.to_owned())))
    }

    fn raw<'a>(&'a self, run: &'a str, key: &'a str, attempt: i64) -> BoxFuture<'a, JournalResult<Option<String>>> {
        done(Ok(self.lock().raws.get(&(run.to_owned(), key.to_owned(), attempt)).cloned()))
    }

    fn blob<'a>(&'a self, sha256: &'a str) -> BoxFuture<'a, JournalResult<Option<Vec<u8>>>> {
        done(Ok(self.lock().blobs.get(sha256).cloned()))
    }

    fn take<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<Lease>> {
        let mut inner = self.lock();
        done(match inner.runs.get_mut(run) {
            None => Err(JournalError::NoSuchRun(run.to_owned())),
            Some(state) if state.held => Err(JournalError::Held { owner: "this process".into(), wait_ms: None }),
            Some(state) => {
                state.epoch += 1;
                state.held = true;
                Ok(Lease { run: run.to_owned(), epoch: state.epoch })
            }
        })
    }

    fn heartbeat(&self) -> BoxFuture<'_, JournalResult<Vec<InboxItem>>> {
        let mut inner = self.lock();
        let Inner { runs, inbox, .. } = &mut *inner;
        let fresh = inbox.iter_mut().filter(|(item, handed)| !handed && runs.get(&item.run).is_some_and(|run| run.held));
        done(Ok(fresh
            .map(|(item, handed)| {
                *handed = true;
                item.clone()
            })
            .collect()))
    }

    fn held<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<bool>> {
        done(self.lock().runs.get(run).map(|run| run.held).ok_or_else(|| JournalError::NoSuchRun(run.to_owned())))
    }

    fn release<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, JournalResult<()>> {
        if let Some(run) = self.lock().runs.get_mut(&lease.run)
            && run.epoch == lease.epoch
        {
            run.held = false;
        }
        self.tellers.tell(&lease.run, &Commit::Left);
        done(Ok(()))
    }

    fn post(&self, item: InboxItem) -> BoxFuture<'_, JournalResult<()>> {
        let mut inner = self.lock();
        let answered = |(other, _): &(InboxItem, bool)| {
            item.kind == InboxKind::Answer && other.kind == InboxKind::Answer && other.run == item.run && other.key == item.key
        };
        if inner.inbox.iter().any(answered) {
            return done(Err(JournalError::Duplicate(format!("an answer to {}", item.key))));
        }
        inner.inbox.push((item, false));
        drop(inner);
        self.changed.notify_waiters();
        done(Ok(()))
    }

    fn inbox<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<Vec<InboxItem>>> {
        done(Ok(self.lock().inbox.iter().filter(|(item, _)| item.run == run).map(|(item, _)| item.clone()).collect()))
    }

    fn commits(&self, run: &str) -> Option<Commits> {
        Some(self.tellers.listen(run))
    }

    fn holds(&self, run: &str) -> bool {
        self.lock().runs.get(run).is_some_and(|run| run.held)
    }

    fn changed<'a>(&'a self, _run: &'a str, within_ms: Millis) -> BoxFuture<'a, ()> {
        let mut news = Box::pin(self.changed.notified());
        // From this call on, not from the first poll.
        news.as_mut().enable();
        Box::pin(async move {
            let within = Duration::from_millis(within_ms.max(0) as u64);
            // Nothing new in time is an answer too.
            let _ = tokio::time::timeout(within, news).await;
        })
    }
}
