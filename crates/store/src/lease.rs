//! Taking, keeping and giving up runs.
//!
//! A run is taken at once when nobody owns it or its owner's process is gone, else when the owner's lease has run out. Taking raises the
//! epoch, and the old owner's next append finds no row to update. A process has one lease for all its runs: keeping it costs one statement.

use crate::error::StoreError;
use crate::location::Engine;
use crate::owner::{Life, life};
use crate::sql;
use crate::writer::{LeasedRun, Writer, read_state, read_tail};
use sqlx::{AnyConnection, Row as _};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use synod_engine::{JournalError, JournalResult, Lease};
use synod_types::Millis;

/// The clock that leases are measured by: the database's, which on SQLite is this machine's.
pub(crate) async fn now(conn: &mut AnyConnection, engine: Engine) -> sqlx::Result<Millis> {
    match engine {
        // The same clock without a trip to the connection's thread.
        Engine::Sqlite => Ok(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| Millis::try_from(since.as_millis()).unwrap_or(0))),
        Engine::Postgres => {
            let sql = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
            sqlx::query(sql).fetch_one(conn).await?.try_get(0)
        }
    }
}

/// Whether a run can be taken from its owner.
pub(crate) enum Claim {
    Free,
    /// Alive, or not known to be dead; then the lease has this long to go.
    Held {
        wait_ms: Option<Millis>,
    },
}

/// `lease_until`: `None` when the owner has signed off.
pub(crate) fn claim(owners: Option<&Path>, owner: &str, lease_until: Option<Millis>, now: Millis) -> Claim {
    let life = life(owners, owner);
    match lease_until {
        Some(until) if until > now && life != Life::Gone => {
            // A living owner renews: there is nothing to wait for.
            Claim::Held { wait_ms: (life == Life::Unknown).then_some(until - now) }
        }
        _ => Claim::Free,
    }
}

impl Writer {
    pub async fn take(&mut self, run: &str) -> JournalResult<Lease> {
        let taken = self.try_take(run).await;
        match taken {
            Err(error) => {
                self.desk.judge(&error);
                Err(StoreError::from(error).into())
            }
            Ok(Ok((epoch, held))) => {
                self.forget(run);
                self.held.insert(run.to_owned(), held);
                self.watchers.hold(run);
                self.watchers.taken(run);
                Ok(Lease { run: run.to_owned(), epoch })
            }
            Ok(Err(refusal)) => Err(refusal),
        }
    }

    async fn try_take(&mut self, run: &str) -> sqlx::Result<Result<(i64, LeasedRun), JournalError>> {
        self.keep().await?;
        let holding = self.held.get(run).map(|held| held.epoch);
        let (me, owners) = (self.owner.id.clone(), self.owners.clone());
        let engine = self.desk.engine();
        let mut transaction = sql::begin(self.desk.connection().await?, engine).await?;
        let sql = "SELECT seq, head, epoch, owner, state, (SELECT lease_until FROM owners WHERE owners.id = runs.owner) FROM runs WHERE id = $1";
        let Some(row) = sqlx::query(sql).bind(run).fetch_optional(&mut *transaction).await? else {
            transaction.rollback().await?;
            return Ok(Err(JournalError::NoSuchRun(run.to_owned())));
        };
        let (tail, state) = (read_tail(&row)?, read_state(&row, 4)?);
        let epoch: i64 = row.try_get(2)?;
        let owner: Option<String> = row.try_get(3)?;
        let now = now(&mut transaction, engine).await?;
        if let Some(owner) = owner {
            let wait = if owner == me {
                // This store itself: free only if it has let go of the run without being able to say so.
                (holding == Some(epoch)).then_some(None)
            } else {
                match claim(owners.as_deref(), &owner, row.try_get(5)?, now) {
                    Claim::Free => None,
                    Claim::Held { wait_ms } => Some(wait_ms),
                }
            };
            if let Some(wait_ms) = wait {
                transaction.rollback().await?;
                return Ok(Err(JournalError::Held { owner, wait_ms }));
            }
        }
        let update = sqlx::query("UPDATE runs SET epoch = $1, owner = $2 WHERE id = $3 AND epoch = $4").bind(epoch + 1).bind(&me);
        if update.bind(run).bind(epoch).execute(&mut *transaction).await?.rows_affected() == 0 {
            // PostgreSQL: somebody took it between the two statements.
            transaction.rollback().await?;
            return Ok(Err(JournalError::Held { owner: "another process".into(), wait_ms: Some(self.lease_ms) }));
        }
        transaction.commit().await?;
        Ok(Ok((epoch + 1, LeasedRun { epoch: epoch + 1, tail: Some(tail), state, fold: None })))
    }

    /// Renews this process's lease if a third of it is gone.
    pub async fn keep(&mut self) -> sqlx::Result<()> {
        let fresh = Duration::from_millis(u64::try_from(self.lease_ms / 3).unwrap_or(0));
        if self.kept.is_some_and(|at| at.elapsed() < fresh) {
            return Ok(());
        }
        if self.kept.is_none() {
            self.sweep().await?;
        }
        let sql = match self.desk.engine() {
            Engine::Sqlite => concat!(
                "INSERT INTO owners (id, lease_until) VALUES ($1, CAST(unixepoch('subsec') * 1000 AS BIGINT) + $2)",
                " ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until"
            ),
            Engine::Postgres => concat!(
                "INSERT INTO owners (id, lease_until) VALUES ($1, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + $2)",
                " ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until"
            ),
        };
        let began = Instant::now();
        let query = sqlx::query(sql).bind(self.owner.id.as_str()).bind(self.lease_ms);
        if let Err(error) = query.execute(self.desk.connection().await?).await {
            self.desk.judge(&error);
            return Err(error);
        }
        self.kept = Some(began);
        Ok(())
    }

    /// Forgets processes that died long ago. Their runs are free with or without a row.
    async fn sweep(&mut self) -> sqlx::Result<()> {
        let engine = self.desk.engine();
        let swept = async {
            let conn = self.desk.connection().await?;
            let long_ago = now(conn, engine).await? - 24 * 60 * 60 * 1000;
            sqlx::query("DELETE FROM owners WHERE lease_until < $1").bind(long_ago).execute(conn).await
        };
        if let Err(error) = swept.await {
            self.desk.judge(&error);
            return Err(error);
        }
        Ok(())
    }

    pub async fn renew(&mut self) -> JournalResult<()> {
        self.keep().await.map_err(|error| StoreError::from(error).into())
    }

    /// Signs off: what this process still owns is free at once, also for those who cannot see its lock file.
    pub async fn retire(&mut self) {
        if self.kept.is_none() {
            return;
        }
        let left = async {
            let delete = sqlx::query("DELETE FROM owners WHERE id = $1").bind(self.owner.id.as_str());
            delete.execute(self.desk.connection().await?).await
        };
        if let Err(error) = left.await {
            tracing::debug!(%error, "the lease runs out by itself");
        }
    }
}
