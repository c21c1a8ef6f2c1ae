//! Deleting a run: everything that was kept of it goes, and a tombstone says that there was one.

use crate::StoreError;
use crate::lease::{self, Claim};
use crate::location::Engine;
use crate::store::Store;
use crate::{sql, stats};
use sqlx::AnyConnection;
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

/// What came of deleting a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationDeletion {
    Done {
        deleted: Vec<String>,
        /// Runs of it that stay, because others were forked from them.
        kept: Vec<String>,
        /// Runs that are still there and hold words of it: those kept, and what was forked from them.
        frozen_in: Vec<String>,
    },
    /// Somebody goes on with this run of it.
    UnderWay(String),
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
const TABLES: [&str; 7] = [
    // A file goes with the last run it is attached to.
    concat!(
        "DELETE FROM blobs WHERE counted = 1 AND sha256 IN (SELECT sha256 FROM attachments WHERE run = $1)",
        " AND sha256 NOT IN (SELECT sha256 FROM attachments WHERE run <> $1)"
    ),
    "DELETE FROM attachments WHERE run = $1",
    "DELETE FROM messages WHERE run_id = $1",
    "DELETE FROM experiences WHERE run = $1",
    "DELETE FROM inbox WHERE run = $1",
    "DELETE FROM raws WHERE run = $1",
    "DELETE FROM journal WHERE run = $1",
];

/// A run as it is before it goes.
struct Found {
    epoch: i64,
    seq: i64,
    head: Vec<u8>,
    principal: String,
    under_way: bool,
}

/// What tells whether somebody goes on with a run.
#[derive(Clone)]
struct Holders {
    me: String,
    owners: Option<std::path::PathBuf>,
    watchers: std::sync::Arc<crate::watch::Watchers>,
}

impl Holders {
    fn of(store: &Store) -> Self {
        Self { me: store.owner().to_owned(), owners: store.owners().map(std::path::Path::to_path_buf), watchers: store.watchers().clone() }
    }

    async fn find(&self, conn: &mut AnyConnection, engine: Engine, run: &str) -> sqlx::Result<Option<Found>> {
        let sql = concat!(
            "SELECT owner, (SELECT lease_until FROM owners WHERE owners.id = runs.owner), seq, head, epoch, principal",
            " FROM runs WHERE id = $1"
        );
        let Some(row) = sqlx::query(sql).bind(run).fetch_optional(&mut *conn).await? else { return Ok(None) };
        let owner: Option<String> = row.try_get(0)?;
        let now = lease::now(conn, engine).await?;
        let under_way = match owner {
            None => false,
            // Asked now: a run may have been taken since this was queued.
            Some(owner) if owner == self.me => self.watchers.holds(run),
            Some(owner) => matches!(lease::claim(self.owners.as_deref(), &owner, row.try_get(1)?, now), Claim::Held { .. }),
        };
        let head: &[u8] = row.try_get(3)?;
        Ok(Some(Found { epoch: row.try_get(4)?, seq: row.try_get(2)?, head: head.to_vec(), principal: row.try_get(5)?, under_way }))
    }
}

async fn forks_of(conn: &mut AnyConnection, run: &str) -> sqlx::Result<Vec<String>> {
    let forks = sqlx::query("SELECT id FROM runs WHERE parent = $1 ORDER BY id").bind(run).fetch_all(conn).await?;
    forks.iter().map(|row| row.try_get(0)).collect()
}

/// Takes everything of a run away and leaves a tombstone. `false`: somebody has taken it meanwhile.
async fn erase(conn: &mut AnyConnection, engine: Engine, run: &str, found: &Found, at: Millis) -> sqlx::Result<bool> {
    if engine == Engine::Postgres {
        // Whoever attaches the same file at this moment has locked it, and is waited for before anything is counted.
        let sql = "SELECT sha256 FROM blobs WHERE sha256 IN (SELECT sha256 FROM attachments WHERE run = $1) ORDER BY sha256 FOR UPDATE";
        sqlx::query(sql).bind(run).fetch_all(&mut *conn).await?;
    }
    sqlx::query("DELETE FROM forks WHERE run = $1").bind(run).execute(&mut *conn).await?;
    // Guarded like an append: whoever took it in between keeps it.
    let gone = sqlx::query("DELETE FROM runs WHERE id = $1 AND epoch = $2").bind(run).bind(found.epoch).execute(&mut *conn).await?;
    if gone.rows_affected() == 0 {
        return Ok(false);
    }
    stats::forget(conn, run).await?;
    for sql in TABLES {
        sqlx::query(sql).bind(run).execute(&mut *conn).await?;
    }
    let insert = "INSERT INTO tombstones (run, principal, deleted_at, seq, head) VALUES ($1, $2, $3, $4, $5)";
    let insert = sqlx::query(insert).bind(run).bind(&found.principal).bind(at).bind(found.seq);
    insert.bind(&found.head).execute(conn).await?;
    Ok(true)
}

impl Store {
    /// Deletes a run that nobody goes on with and nothing was forked from.
    pub async fn delete_run(&self, run: &str, at: Millis) -> Result<Deletion, StoreError> {
        let (run, holders) = (run.to_owned(), Holders::of(self));
        self.write(move |desk| {
            Box::pin(async move {
                let engine = desk.engine();
                let mut transaction = sql::begin(desk.connection().await?, engine).await?;
                let deletion = match holders.find(&mut transaction, engine, &run).await? {
                    None => Deletion::NoSuchRun,
                    Some(found) if found.under_way => Deletion::UnderWay,
                    Some(found) => match forks_of(&mut transaction, &run).await? {
                        forks if !forks.is_empty() => Deletion::Parent(forks),
                        _ if erase(&mut transaction, engine, &run, &found, at).await? => Deletion::Done,
                        _ => Deletion::UnderWay,
                    },
                };
                match deletion {
                    Deletion::Done => transaction.commit().await?,
                    Deletion::UnderWay | Deletion::Parent(_) | Deletion::NoSuchRun => transaction.rollback().await?,
                }
                Ok(deletion)
            })
        })
        .await
    }

    /// Deletes a conversation with its messages and its runs. Those that others were forked from stay, as runs of no conversation.
    pub async fn delete_conversation(&self, id: &str, at: Millis) -> Result<ConversationDeletion, StoreError> {
        let (given, holders) = (id.to_owned(), Holders::of(self));
        let deleted = self.write(move |desk| {
            Box::pin(async move {
                let engine = desk.engine();
                let mut transaction = sql::begin(desk.connection().await?, engine).await?;
                let deletion = take_apart(&mut transaction, engine, &holders, &given, at).await?;
                match &deletion {
                    Some(ConversationDeletion::Done { .. }) => transaction.commit().await?,
                    Some(ConversationDeletion::UnderWay(_)) | None => transaction.rollback().await?,
                }
                Ok(deletion)
            })
        });
        deleted.await?.ok_or_else(|| StoreError::NoSuchConversation(id.to_owned()))
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

/// `None`: there is no such conversation.
async fn take_apart(conn: &mut AnyConnection, engine: Engine, holders: &Holders, id: &str, at: Millis) -> sqlx::Result<Option<ConversationDeletion>> {
    if sqlx::query("SELECT id FROM conversations WHERE id = $1").bind(id).fetch_optional(&mut *conn).await?.is_none() {
        return Ok(None);
    }
    let rows = sqlx::query("SELECT id FROM runs WHERE conversation = $1 ORDER BY created_at DESC, id DESC").bind(id).fetch_all(&mut *conn).await?;
    let mut kept: Vec<(String, Found)> = Vec::new();
    for row in rows {
        let run: String = row.try_get(0)?;
        match holders.find(conn, engine, &run).await? {
            Some(found) if found.under_way => return Ok(Some(ConversationDeletion::UnderWay(run))),
            Some(found) => kept.push((run, found)),
            None => {}
        }
    }
    // What was forked goes before its parent, so a parent may go in a later pass.
    let mut deleted = Vec::new();
    loop {
        let before = deleted.len();
        for (run, found) in std::mem::take(&mut kept) {
            if !forks_of(conn, &run).await?.is_empty() {
                kept.push((run, found));
            } else if erase(conn, engine, &run, &found, at).await? {
                deleted.push(run);
            } else {
                return Ok(Some(ConversationDeletion::UnderWay(run)));
            }
        }
        if deleted.len() == before {
            break;
        }
    }
    let kept: Vec<String> = kept.into_iter().map(|(run, _)| run).collect();
    let mut frozen_in = kept.clone();
    let mut next = 0;
    while let Some(run) = frozen_in.get(next).cloned() {
        next += 1;
        let forks = forks_of(conn, &run).await?;
        frozen_in.extend(forks.into_iter().filter(|fork| !kept.contains(fork)));
    }
    for sql in [
        "DELETE FROM messages WHERE conversation_id = $1",
        "UPDATE runs SET conversation = NULL WHERE conversation = $1",
        "DELETE FROM conversations WHERE id = $1",
    ] {
        sqlx::query(sql).bind(id).execute(&mut *conn).await?;
    }
    Ok(Some(ConversationDeletion::Done { deleted, kept, frozen_in }))
}
