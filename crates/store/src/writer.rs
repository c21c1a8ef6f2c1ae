//! The one writer of a process. It commits whatever has queued as soon as it is free; there is no timer.
//!
//! It keeps the tail of every run it holds, so that an append needs no read. What it remembers is a guess that the conditional update
//! checks: losing it costs one read, never a wrong row.

use crate::batch::{self, Group, Item, Release, Unwritten};
use crate::error::{Class, StoreError, plain};
use crate::file::{DatabaseFile, GONE};
use crate::owner::Owner;
use crate::project::Fold;
use crate::watch::Watchers;
use crate::writer_connection::WriterConnection;
use futures::future::BoxFuture;
use sqlx::Row as _;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use synod_engine::{Commit, JournalError, JournalResult, Lease, Tail};
use synod_types::Millis;
use synod_types::RunState;
use tokio::sync::{mpsc, oneshot};

/// Bounds the memory of a batch and how long its first append waits for the last.
const ROWS_IN_A_BATCH: usize = 4096;
/// Deadlocks and serialisation failures are the server's way of asking to try again.
const TRIES: usize = 4;
/// Bytes of folds kept of runs under way; past it their rows are read back when they end.
const FOLDS_BYTES: usize = 64 << 20;

pub(crate) type Job = Box<dyn for<'c> FnOnce(&'c mut WriterConnection) -> BoxFuture<'c, ()> + Send>;

pub(crate) enum Command {
    Write(Item),
    Take(String, oneshot::Sender<JournalResult<Lease>>),
    /// Says that this process lives.
    Renew(oneshot::Sender<JournalResult<()>>),
    Release(Lease, oneshot::Sender<JournalResult<()>>),
    /// Anything else that writes.
    Run(Job),
    Close(oneshot::Sender<()>),
}

/// A run this process may append to.
pub(crate) struct LeasedRun {
    pub epoch: i64,
    /// `None` after a commit whose outcome nobody knows: read again.
    pub tail: Option<Tail>,
    pub state: RunState,
    /// Its rows so far. Of runs begun here, as long as memory allows.
    pub fold: Option<Box<Fold>>,
}

pub(crate) struct Writer {
    pub desk: WriterConnection,
    /// `None` on PostgreSQL.
    pub file: Option<DatabaseFile>,
    pub owner: Owner,
    /// Where the lock files are; `None` on PostgreSQL.
    pub owners: Option<PathBuf>,
    pub lease_ms: Millis,
    /// When the lease was last renewed.
    pub kept: Option<Instant>,
    pub held: HashMap<String, LeasedRun>,
    /// Of all folds in `held`.
    pub weight: usize,
    pub watchers: Arc<Watchers>,
}

/// What goes into one transaction.
#[derive(Default)]
struct Work {
    groups: Vec<Group>,
    releases: Vec<Release>,
    tries: usize,
}

impl Writer {
    pub async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Command>) {
        let (mut items, mut releases): (Vec<Item>, Vec<Release>) = Default::default();
        while let Some(first) = queue.recv().await {
            // Whoever is just about to append gets into the same transaction: fewer, larger batches for the price of one turn of the scheduler.
            if self.desk.blocks() {
                std::thread::yield_now()
            } else {
                tokio::task::yield_now().await
            }
            let mut next = Some(first);
            let mut rows = 0;
            while let Some(command) = next.take() {
                match command {
                    // A run given up and written to again: out of order only if both went into one transaction.
                    Command::Write(item) if !releases.iter().any(|release| release.lease.run == item.run) => {
                        rows += item.rows.len();
                        items.push(item);
                    }
                    Command::Release(lease, reply) => releases.push(Release { lease, owner: self.owner.id.clone(), reply }),
                    other => {
                        // What was asked for first is done first.
                        self.commit(std::mem::take(&mut items), std::mem::take(&mut releases)).await;
                        rows = 0;
                        if let Command::Close(done) = other {
                            self.close().await;
                            // Whoever asked may have gone; closed is closed.
                            let _ = done.send(());
                            return;
                        }
                        self.carry_out(other).await;
                    }
                }
                if rows < ROWS_IN_A_BATCH {
                    next = queue.try_recv().ok();
                }
            }
            self.commit(std::mem::take(&mut items), std::mem::take(&mut releases)).await;
        }
        self.close().await;
    }

    async fn close(mut self) {
        self.retire().await;
        self.desk.close().await;
    }

    async fn carry_out(&mut self, command: Command) {
        // A caller that no longer waits for the outcome does not undo it.
        match command {
            Command::Take(run, reply) => {
                let _ = reply.send(self.take(&run).await);
            }
            Command::Renew(reply) => {
                let _ = reply.send(self.renew().await);
            }
            Command::Run(job) => job(&mut self.desk).await,
            Command::Write(item) => self.commit(vec![item], Vec::new()).await,
            Command::Release(lease, reply) => {
                let owner = self.owner.id.clone();
                self.commit(Vec::new(), vec![Release { lease, owner, reply }]).await;
            }
            Command::Close(_) => {}
        }
    }

    /// Writes what has queued. Splits the batch when a row of it is refused, so that one run's mistake is its own.
    async fn commit(&mut self, items: Vec<Item>, releases: Vec<Release>) {
        if !items.is_empty() && self.file.as_ref().is_some_and(|file| !file.is_there()) {
            let error = JournalError::Storage(GONE.into());
            for item in items {
                let _ = item.reply.send(Err(error.clone()));
            }
            return fail(Work { releases, ..Work::default() }, &error);
        }
        if items.iter().any(|item| item.create.is_some())
            && let Err(error) = self.keep().await
        {
            let error = JournalError::from(StoreError::from(error));
            for item in items {
                let _ = item.reply.send(Err(error.clone()));
            }
            return fail(Work { releases, ..Work::default() }, &error);
        }
        let mut queue = VecDeque::from([Work { groups: self.gather(items).await, releases, tries: 1 }]);
        while let Some(mut work) = queue.pop_front() {
            if work.groups.is_empty() && work.releases.is_empty() {
                continue;
            }
            for group in &mut work.groups {
                self.prepare(group);
            }
            let began = Instant::now();
            let Unwritten { error, begun } = match self.project(&mut work.groups).await {
                Err(error) => Unwritten { error, begun: false },
                Ok(()) => match batch::write(&mut self.desk, &work.groups, &work.releases).await {
                    Err(unwritten) => unwritten,
                    Ok(refused) => {
                        metrics::histogram!("synod_journal_batch_seconds").record(began.elapsed().as_secs_f64());
                        metrics::histogram!("synod_journal_batch_rows")
                            .record(work.groups.iter().map(|group| group.rows().count()).sum::<usize>() as f64);
                        self.settle(work, &refused);
                        continue;
                    }
                },
            };
            let class = match self.desk.judge(&error) {
                // An idle connection the server has dropped: a new one will do.
                Class::Broken if !begun => Class::Again,
                class => class,
            };
            for group in &work.groups {
                self.put_back(group, begun && matches!(class, Class::Broken | Class::Other));
            }
            match class {
                Class::Again if work.tries < TRIES => queue.push_front(Work { tries: work.tries + 1, ..work }),
                Class::Constraint if work.groups.len() > 1 || work.groups.iter().any(|group| group.items.len() > 1) => {
                    for (place, part) in split(work).into_iter().enumerate() {
                        queue.insert(place, part);
                    }
                }
                Class::Constraint if !work.groups.is_empty() => {
                    let answer = match self.desk.connection().await {
                        Ok(connection) => batch::refusal(connection, &work.groups[0], &error).await,
                        Err(error) => JournalError::Storage(plain(&error)),
                    };
                    queue.push_front(Work { releases: std::mem::take(&mut work.releases), groups: Vec::new(), tries: 1 });
                    fail(work, &answer);
                }
                Class::Again | Class::Constraint | Class::Broken | Class::Other => fail(work, &JournalError::Storage(plain(&error))),
            }
        }
    }

    /// Chains a group behind its run's tail.
    fn prepare(&mut self, group: &mut Group) {
        match self.held.get(&group.run) {
            Some(LeasedRun { tail: Some(tail), state, .. }) if group.create.is_none() => group.chain_from(*tail, *state),
            _ => group.chain_from(group.start, RunState::Running),
        }
    }

    /// What runs come to that stop or end with these groups. Where their fold was not kept their rows are read back: nobody else may have added
    /// to them, then the group is refused.
    async fn project(&mut self, groups: &mut [Group]) -> sqlx::Result<()> {
        for group in groups.iter_mut().filter(|group| group.projection.is_none() && group.projects()) {
            let kept = self.held.get_mut(&group.run).and_then(|held| held.fold.take());
            self.weight -= kept.as_ref().map_or(0, |fold| fold.weight);
            let mut fold = match kept {
                Some(fold) => fold,
                None => {
                    let mut fold = Box::new(Fold::new(&group.run));
                    if group.create.is_none() {
                        let rows = batch::rows_of(self.desk.connection().await?, &group.run, 0).await?;
                        rows.iter().for_each(|row| fold.take(row));
                    }
                    fold
                }
            };
            let again = fold.stored;
            group.rows().for_each(|row| fold.take(row));
            group.projection = Some(Box::new((fold.end(), again)));
        }
        Ok(())
    }

    /// After a transaction that failed. `uncertain`: nobody knows whether the rows are there.
    fn put_back(&mut self, group: &Group, uncertain: bool) {
        let Some(held) = self.held.get_mut(&group.run) else { return };
        if uncertain {
            held.tail = None;
            self.weight -= held.fold.take().map_or(0, |fold| fold.weight);
        }
    }

    /// Sorts items by run, in the order they came, each chained behind the tail of its run. Stale leases are answered here.
    async fn gather(&mut self, items: Vec<Item>) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut index: HashMap<String, usize> = HashMap::new();
        for item in items {
            if item.create.is_none() && !index.contains_key(&item.run) {
                let held = self.recall(&item.run, item.epoch).await;
                if let Err(error) = held {
                    let _ = item.reply.send(Err(error));
                    continue;
                }
            }
            let at = match index.get(&item.run) {
                Some(at) => *at,
                None => {
                    let mut group = Group::new(item.run.clone(), item.epoch, None);
                    if item.create.is_none()
                        && let Some(&LeasedRun { tail: Some(tail), state, .. }) = self.held.get(&item.run)
                    {
                        group.chain_from(tail, state);
                    }
                    groups.push(group);
                    index.insert(item.run.clone(), groups.len() - 1);
                    groups.len() - 1
                }
            };
            let group = &mut groups[at];
            if group.epoch != item.epoch {
                let _ = item.reply.send(Err(JournalError::LeaseLost));
                continue;
            }
            if item.create.is_some() && !group.items.is_empty() {
                let _ = item.reply.send(Err(JournalError::Duplicate(format!("run {}", item.run))));
                continue;
            }
            group.create = group.create.take().or(item.create);
            group.push(item.rows, item.reply);
        }
        groups
    }

    /// Makes sure that the run's tail is known and that the epoch is this store's.
    async fn recall(&mut self, run: &str, epoch: i64) -> JournalResult<()> {
        if let Some(held) = self.held.get(run)
            && held.tail.is_some()
        {
            return if held.epoch == epoch { Ok(()) } else { Err(JournalError::LeaseLost) };
        }
        let found = async {
            let connection = self.desk.connection().await?;
            let sql = "SELECT seq, head, epoch, owner, state FROM runs WHERE id = $1";
            let Some(row) = sqlx::query(sql).bind(run).fetch_optional(connection).await? else { return Ok(None) };
            let owner: Option<String> = row.try_get(3)?;
            Ok(Some((read_tail(&row)?, row.try_get::<i64, _>(2)?, owner, read_state(&row, 4)?)))
        };
        let found: sqlx::Result<_> = found.await;
        match found {
            Err(error) => {
                self.desk.judge(&error);
                Err(StoreError::from(error).into())
            }
            Ok(None) => Err(JournalError::NoSuchRun(run.to_owned())),
            Ok(Some((tail, stored, owner, state))) if stored == epoch && owner.as_deref() == Some(self.owner.id.as_str()) => {
                self.held.insert(run.to_owned(), LeasedRun { epoch, tail: Some(tail), state, fold: None });
                Ok(())
            }
            Ok(Some(_)) => {
                self.forget(run);
                Err(JournalError::LeaseLost)
            }
        }
    }

    /// Answers everybody after a transaction.
    fn settle(&mut self, work: Work, refused: &HashSet<String>) {
        for group in work.groups {
            if refused.contains(&group.run) {
                self.forget(&group.run);
                fail(Work { groups: vec![group], ..Work::default() }, &JournalError::LeaseLost);
            } else {
                self.remember(group);
            }
        }
        for release in work.releases {
            if self.held.get(&release.lease.run).is_some_and(|held| held.epoch == release.lease.epoch) {
                self.forget(&release.lease.run);
            }
            // No row changed: somebody has taken the run meanwhile, and it is given up all the same.
            let _ = release.reply.send(Ok(()));
        }
    }

    fn remember(&mut self, group: Group) {
        let before = self.held.remove(&group.run).and_then(|held| held.fold);
        let mut fold = if group.create.is_some() { Some(Box::new(Fold::new(&group.run))) } else { before };
        self.weight -= fold.as_ref().map_or(0, |fold| fold.weight);
        // What was projected is of no more use: a run that goes on after a stop is read back when it ends.
        fold = fold.filter(|_| group.projection.is_none());
        let mut tail = group.start;
        let mut answers = Vec::with_capacity(group.items.len());
        let told = self.watchers.tellers.anybody(&group.run);
        for item in group.items {
            if let Some(last) = item.rows.last() {
                tail = Tail { seq: last.seq, head: last.hash };
            }
            if told {
                item.rows.iter().for_each(|row| self.watchers.tellers.tell(&group.run, &Commit::Row(Arc::new(row.clone()))));
            }
            if let Some(fold) = &mut fold {
                item.rows.iter().for_each(|row| fold.take(row));
            }
            answers.push((item.reply, tail));
        }
        let fold = fold.filter(|fold| self.weight + fold.weight <= FOLDS_BYTES);
        self.weight += fold.as_ref().map_or(0, |fold| fold.weight);
        if group.create.is_some() {
            self.watchers.hold(&group.run);
        }
        self.watchers.notify(&group.run);
        self.held.insert(group.run, LeasedRun { epoch: group.epoch, tail: Some(group.end), state: group.state, fold });
        // Last, so that nobody is woken later for news that came before.
        for (reply, tail) in answers {
            let _ = reply.send(Ok(tail));
        }
    }

    pub fn forget(&mut self, run: &str) {
        if let Some(held) = self.held.remove(run) {
            self.weight -= held.fold.map_or(0, |fold| fold.weight);
        }
        self.watchers.let_go(run);
    }
}

/// A batch that was refused as a whole, in smaller parts: by run, then by call. Releases come last.
fn split(work: Work) -> Vec<Work> {
    let by_run = work.groups.len() > 1;
    let mut parts: Vec<Work> = Vec::new();
    for mut group in work.groups {
        if by_run {
            parts.push(Work { groups: vec![group], releases: Vec::new(), tries: 1 });
            continue;
        }
        for item in group.items {
            let part = Group::of(group.run.clone(), group.epoch, group.create.take(), item);
            parts.push(Work { groups: vec![part], releases: Vec::new(), tries: 1 });
        }
    }
    parts.push(Work { groups: Vec::new(), releases: work.releases, tries: 1 });
    parts
}

fn fail(work: Work, error: &JournalError) {
    for item in work.groups.into_iter().flat_map(|group| group.items) {
        let _ = item.reply.send(Err(error.clone()));
    }
    for release in work.releases {
        let _ = release.reply.send(Err(error.clone()));
    }
}

/// Columns 0 and 1: seq and head.
pub(crate) fn read_tail(row: &sqlx::any::AnyRow) -> sqlx::Result<Tail> {
    let head: &[u8] = row.try_get(1)?;
    let head = head.try_into().map_err(|_| sqlx::Error::Decode("the run's head is not 32 bytes long".into()))?;
    Ok(Tail { seq: row.try_get(0)?, head })
}

pub(crate) fn read_state(row: &sqlx::any::AnyRow, column: usize) -> sqlx::Result<RunState> {
    let state: &str = row.try_get(column)?;
    RunState::parse(state).ok_or_else(|| sqlx::Error::Decode(format!("{state:?} is no state of a run").into()))
}
