//! The one writer of a process. It commits whatever has queued as soon as it is free; there is no timer.
//!
//! It keeps the tail of every run it holds, so that an append needs no read. What it remembers is a guess that the conditional update
//! checks: losing it costs one read, never a wrong row.

use crate::batch::{self, Group, Item};
use crate::error::{Class, StoreError, class, plain};
use crate::location::Engine;
use crate::owner::Owner;
use crate::runs::RunState;
use crate::sql::Statements;
use crate::store::Connector;
use crate::watch::Watchers;
use futures::future::BoxFuture;
use sqlx::AnyConnection;
use sqlx::{Connection, Row as _};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use synod_engine::{JournalError, JournalResult, Lease, Tail};
use synod_types::Millis;
use tokio::sync::{mpsc, oneshot};

/// Bounds the memory of a batch and how long its first append waits for the last.
const ROWS_IN_A_BATCH: usize = 4096;
/// Deadlocks and serialisation failures are the server's way of asking to try again.
const TRIES: usize = 4;

pub(crate) type Job = Box<dyn for<'c> FnOnce(&'c mut Desk) -> BoxFuture<'c, ()> + Send>;

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

/// The connection that writes, and the texts made for it.
pub(crate) struct Desk {
    connector: Connector,
    connection: Option<AnyConnection>,
    pub statements: Statements,
}

impl Desk {
    pub fn new(connector: Connector, connection: AnyConnection) -> Self {
        let statements = Statements::new(connector.engine());
        Self { connector, connection: Some(connection), statements }
    }

    pub fn engine(&self) -> Engine {
        self.connector.engine()
    }

    /// The connection, made anew if the last one broke.
    pub async fn parts(&mut self) -> sqlx::Result<(&mut AnyConnection, &mut Statements)> {
        if self.connection.is_none() {
            self.connection = Some(self.connector.connect().await?);
        }
        let connection = self.connection.as_mut().ok_or(sqlx::Error::WorkerCrashed)?;
        Ok((connection, &mut self.statements))
    }

    pub async fn connection(&mut self) -> sqlx::Result<&mut AnyConnection> {
        Ok(self.parts().await?.0)
    }

    /// Says what an error means, and lets go of a connection that is of no more use.
    pub fn judge(&mut self, error: &sqlx::Error) -> Class {
        let class = class(error);
        if class == Class::Broken {
            self.connection = None;
        }
        class
    }
}

/// A run this process may append to.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    pub epoch: i64,
    /// `None` after a commit whose outcome nobody knows: read again.
    pub tail: Option<Tail>,
    pub state: RunState,
}

pub(crate) struct Writer {
    pub desk: Desk,
    pub owner: Owner,
    /// Where the lock files are; `None` on PostgreSQL.
    pub owners: Option<PathBuf>,
    pub lease_ms: Millis,
    /// When the lease was last renewed.
    pub kept: Option<Instant>,
    pub held: HashMap<String, Held>,
    pub watchers: Arc<Watchers>,
}

impl Writer {
    pub async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Command>) {
        let mut items = Vec::new();
        while let Some(first) = queue.recv().await {
            let mut next = Some(first);
            let mut rows = 0;
            while let Some(command) = next.take() {
                match command {
                    Command::Write(item) => {
                        rows += item.rows.len();
                        items.push(item);
                    }
                    other => {
                        // What was asked for first is done first: a release must not overtake an append.
                        self.commit(std::mem::take(&mut items)).await;
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
            self.commit(std::mem::take(&mut items)).await;
        }
        self.close().await;
    }

    async fn close(mut self) {
        self.retire().await;
        if let Some(connection) = self.desk.connection
            && let Err(error) = connection.close().await
        {
            tracing::debug!(%error, "closing the write connection");
        }
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
            Command::Release(lease, reply) => {
                let _ = reply.send(self.release(&lease).await);
            }
            Command::Run(job) => job(&mut self.desk).await,
            Command::Write(item) => self.commit(vec![item]).await,
            Command::Close(_) => {}
        }
    }

    /// Writes what has queued. Splits the batch when a row of it is refused, so that one run's mistake is its own.
    async fn commit(&mut self, items: Vec<Item>) {
        if items.is_empty() {
            return;
        }
        if items.iter().any(|item| item.create.is_some())
            && let Err(error) = self.keep().await
        {
            let error = JournalError::from(StoreError::from(error));
            for item in items {
                let _ = item.reply.send(Err(error.clone()));
            }
            return;
        }
        let mut work = VecDeque::from([(self.gather(items).await, 1)]);
        while let Some((mut groups, tries)) = work.pop_front() {
            for group in &mut groups {
                match self.held.get(&group.run) {
                    Some(Held { tail: Some(tail), state, .. }) if group.create.is_none() => group.chain_from(*tail, *state),
                    _ => group.chain_from(group.start, RunState::Running),
                }
            }
            if groups.is_empty() {
                continue;
            }
            let error = match self.desk.parts().await {
                Err(error) => error,
                Ok((connection, statements)) => match batch::write(connection, statements, &groups).await {
                    Err(error) => error,
                    Ok(refused) => {
                        for group in groups {
                            let lost = refused.contains(&group.run);
                            self.settle(group, lost);
                        }
                        continue;
                    }
                },
            };
            match self.desk.judge(&error) {
                Class::Again if tries < TRIES => work.push_front((groups, tries + 1)),
                Class::Constraint if groups.len() > 1 => {
                    for group in groups.into_iter().rev() {
                        work.push_front((vec![group], 1));
                    }
                }
                Class::Constraint if groups[0].items.len() > 1 => {
                    let mut whole = groups.remove(0);
                    let mut parts = Vec::new();
                    for item in whole.items {
                        parts.push(Group::of(whole.run.clone(), whole.epoch, whole.create.take(), item));
                    }
                    for part in parts.into_iter().rev() {
                        work.push_front((vec![part], 1));
                    }
                }
                Class::Constraint => {
                    let answer = match self.desk.connection().await {
                        Ok(connection) => batch::refusal(connection, &groups[0], &error).await,
                        Err(error) => JournalError::Storage(plain(&error)),
                    };
                    fail(groups, &answer);
                }
                Class::Broken => {
                    for group in &groups {
                        if let Some(held) = self.held.get_mut(&group.run) {
                            held.tail = None;
                        }
                    }
                    fail(groups, &JournalError::Storage(plain(&error)));
                }
                Class::Again | Class::Other => fail(groups, &JournalError::Storage(plain(&error))),
            }
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
            let at = *index.entry(item.run.clone()).or_insert_with(|| {
                let mut group = Group::new(item.run.clone(), item.epoch, None);
                if item.create.is_none()
                    && let Some(Held { tail: Some(tail), state, .. }) = self.held.get(&item.run)
                {
                    group.chain_from(*tail, *state);
                }
                groups.push(group);
                groups.len() - 1
            });
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
                self.held.insert(run.to_owned(), Held { epoch, tail: Some(tail), state });
                Ok(())
            }
            Ok(Some(_)) => {
                self.forget(run);
                Err(JournalError::LeaseLost)
            }
        }
    }

    /// Answers everybody in a group after its transaction.
    fn settle(&mut self, group: Group, lost: bool) {
        if lost {
            self.forget(&group.run);
            fail(vec![group], &JournalError::LeaseLost);
            return;
        }
        self.held.insert(group.run.clone(), Held { epoch: group.epoch, tail: Some(group.end), state: group.state });
        if group.create.is_some() {
            self.watchers.hold(&group.run);
        }
        let mut tail = group.start;
        for item in group.items {
            if let Some(last) = item.rows.last() {
                tail = Tail { seq: last.seq, head: last.hash };
            }
            let _ = item.reply.send(Ok(tail));
        }
        self.watchers.notify(&group.run);
    }

    pub fn forget(&mut self, run: &str) {
        self.held.remove(run);
        self.watchers.let_go(run);
    }
}

fn fail(groups: Vec<Group>, error: &JournalError) {
    for item in groups.into_iter().flat_map(|group| group.items) {
        let _ = item.reply.send(Err(error.clone()));
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
