//! Deleting a run: everything that was kept of it goes, and a tombstone says that there was one.

use crate::StoreError;
use crate::lease::{self, Claim};
use crate::location::Engine;
use crate::sql;
use crate::store::Store;
use sqlx::Row as _;
use synod_types::Millis;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    Done,
    /// Somebody goes on with it.
    UnderWay,
    /// These were forked from it and take over what it said.
    Parent(Vec<String>),
    NoSuchRun,
}

/// A run that was there: its record ended with this row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    pub principal: String,
    pub deleted_at: Millis,
    pub seq: i64,
    pub head: String,
}

/// In an order that no reference forbids.
const TABLES: [&str; 11] = [
    // A file goes with the last run it is attached to.
    concat!(
        "DELETE FROM blobs WHERE counted = 1 AND sha256 IN (SELECT sha256 FROM attachments WHERE run = $1)",
        " AND sha256 NOT IN (SELECT sha256 FROM attachments WHERE run <> $1)"
    ),
    "DELETE FROM attachments WHERE run = $1",
    "DELETE FROM stages WHERE run_id = $1",
    "DELETE FROM messages WHERE run_id = $1",
    "DELETE FROM turns WHERE run = $1",
    "DELETE FROM costs WHERE run = $1",
    "DELETE FROM figures WHERE run = $1",
    "DELETE FROM experiences WHERE run = $1",
    "DELETE FROM inbox WHERE run = $1",
    "DELETE FROM raws WHERE run = $1",
    "DELETE FROM journal WHERE run = $1",
];

impl Store {
    /// Deletes a run that nobody goes on with and nothing was forked from.
    pub async fn delete_run(&self, run: &str, at: Millis) -> Result<Deletion, StoreError> {
        let (run, me, owners) = (run.to_owned(), self.owner().to_owned(), self.owners().map(std::path::Path::to_path_buf));
        let watchers = self.watchers().clone();
        self.write(move |desk| {
            Box::pin(async move {
                let engine = desk.engine();
                let mut transaction = sql::begin(desk.connection().await?, engine).await?;
                let sql = concat!(
                    "SELECT owner, state, (SELECT lease_until FROM owners WHERE owners.id = runs.owner), seq, head, epoch, principal",
                    " FROM runs WHERE id = $1"
                );
                let Some(row) = sqlx::query(sql).bind(&run).fetch_optional(&mut *transaction).await? else {
                    transaction.rollback().await?;
                    return Ok(Deletion::NoSuchRun);
                };
                let owner: Option<String> = row.try_get(0)?;
                let now = lease::now(&mut transaction, engine).await?;
                let owned = match owner {
                    None => false,
                    // Asked now: a run may have been taken since this was queued.
                    Some(owner) if owner == me => watchers.holds(&run),
                    Some(owner) => matches!(lease::claim(owners.as_deref(), &owner, row.try_get(2)?, now), Claim::Held { .. }),
                };
                if owned {
                    transaction.rollback().await?;
                    return Ok(Deletion::UnderWay);
                }
                let forks = sqlx::query("SELECT id FROM runs WHERE parent = $1 ORDER BY id").bind(&run).fetch_all(&mut *transaction).await?;
                if !forks.is_empty() {
                    let forks = forks.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?;
                    transaction.rollback().await?;
                    return Ok(Deletion::Parent(forks));
                }
                if engine == Engine::Postgres {
                    // Whoever attaches the same file at this moment has locked it, and is waited for before anything is counted.
                    let sql = "SELECT sha256 FROM blobs WHERE sha256 IN (SELECT sha256 FROM attachments WHERE run = $1) ORDER BY sha256 FOR UPDATE";
                    sqlx::query(sql).bind(&run).fetch_all(&mut *transaction).await?;
                }
                sqlx::query("DELETE FROM forks WHERE run = $1").bind(&run).execute(&mut *transaction).await?;
                // Guarded like an append: whoever took it in between keeps it.
                let epoch: i64 = row.try_get(5)?;
                let gone = sqlx::query("DELETE FROM runs WHERE id = $1 AND epoch = $2").bind(&run).bind(epoch).execute(&mut *transaction).await?;
                if gone.rows_affected() == 0 {
                    transaction.rollback().await?;
                    return Ok(Deletion::UnderWay);
                }
                for sql in TABLES {
                    sqlx::query(sql).bind(&run).execute(&mut *transaction).await?;
                }
                let insert = "INSERT INTO tombstones (run, principal, deleted_at, seq, head) VALUES ($1, $2, $3, $4, $5)";
                let insert = sqlx::query(insert).bind(&run).bind(row.try_get::<String, _>(6)?).bind(at).bind(row.try_get::<i64, _>(3)?);
                insert.bind(row.try_get::<&[u8], _>(4)?).execute(&mut *transaction).await?;
                transaction.commit().await?;
                Ok(Deletion::Done)
            })
        })
        .await
    }

    /// What is left of a run that was deleted.
    pub async fn tombstone(&self, run: &str) -> Result<Option<Tombstone>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = "SELECT principal, deleted_at, seq, head FROM tombstones WHERE run = $1";
        let row = sqlx::query(sql).bind(run).fetch_optional(&mut *conn).await?;
        row.map(|row| {
            let head: &[u8] = row.try_get(3)?;
            Ok(Tombstone { principal: row.try_get(0)?, deleted_at: row.try_get(1)?, seq: row.try_get(2)?, head: hex::encode(head) })
        })
        .transpose()
    }
}
