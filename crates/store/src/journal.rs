//! The engine's `Journal` on this store.

use crate::StoreError;
use crate::batch::{self, Item, NewRun};
use crate::location::Engine;
use crate::sql;
use crate::store::Store;
use crate::writer::Command;
use futures::future::BoxFuture;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};
use std::collections::BTreeMap;
use std::time::Duration;
use synod_engine::{Blobs, Commits, Journal, JournalError, JournalResult, Lease, Tail};
use synod_types::{Header, InboxItem, InboxKind, Kind, Millis, NewRow, Once, Row, RunState};
use tokio::time::Instant;

/// How often an owner looks for messages that other processes left for its run.
const HEARTBEAT: Millis = 1000;

impl Journal for Store {
    fn begin<'a>(&'a self, header: &'a Header, at: Millis, blobs: Blobs, once: Option<Once>) -> BoxFuture<'a, JournalResult<Lease>> {
        let run = header.run.clone();
        let new = NewRun::of(header, at, blobs, self.owner(), once);
        let rows = vec![NewRow::new("", Kind::Header, at, header)];
        let item = |reply| Item { run: run.clone(), epoch: 1, rows, create: Some(Box::new(new)), reply };
        let created = self.send(|reply| Command::Write(item(reply)));
        Box::pin(async move { created.await.map(|_| Lease { run, epoch: 1 }) })
    }

    fn append(&self, lease: &Lease, rows: Vec<NewRow>) -> BoxFuture<'static, JournalResult<Tail>> {
        self.send(|reply| Command::Write(Item { run: lease.run.clone(), epoch: lease.epoch, rows, create: None, reply }))
    }

    fn rows<'a>(&'a self, run: &'a str, after: i64) -> BoxFuture<'a, JournalResult<Vec<Row>>> {
        Box::pin(async move {
            let mut conn = self.reader().await.map_err(storage)?;
            let rows = batch::rows_of(&mut conn, run, after).await.map_err(storage)?;
            if rows.is_empty()
                && sqlx::query("SELECT 1 FROM runs WHERE id = $1").bind(run).fetch_optional(&mut *conn).await.map_err(storage)?.is_none()
            {
                return Err(JournalError::NoSuchRun(run.to_owned()));
            }
            Ok(rows)
        })
    }

    fn page<'a>(&'a self, run: &'a str, after: i64, most: usize) -> BoxFuture<'a, JournalResult<Vec<Row>>> {
        Box::pin(async move {
            let mut conn = self.reader().await.map_err(storage)?;
            batch::page_of(&mut conn, run, after, most).await.map_err(storage)
        })
    }

    fn raw<'a>(&'a self, run: &'a str, key: &'a str, attempt: i64) -> BoxFuture<'a, JournalResult<Option<String>>> {
        Box::pin(async move {
            let mut conn = self.reader().await.map_err(storage)?;
            let query = sqlx::query("SELECT body FROM raws WHERE run = $1 AND key = $2 AND try = $3").bind(run).bind(key).bind(attempt);
            let row = query.fetch_optional(&mut *conn).await.map_err(storage)?;
            row.map(|row| row.try_get(0)).transpose().map_err(storage)
        })
    }

    fn blob<'a>(&'a self, sha256: &'a str) -> BoxFuture<'a, JournalResult<Option<Vec<u8>>>> {
        Box::pin(async move {
            let mut conn = self.reader().await.map_err(storage)?;
            let row = sqlx::query("SELECT body FROM blobs WHERE sha256 = $1").bind(sha256).fetch_optional(&mut *conn).await.map_err(storage)?;
            row.map(|row| row.try_get(0)).transpose().map_err(storage)
        })
    }

    fn take<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<Lease>> {
        self.send(|reply| Command::Take(run.to_owned(), reply))
    }

    fn heartbeat(&self) -> BoxFuture<'_, JournalResult<Vec<InboxItem>>> {
        Box::pin(async move {
            self.send(Command::Renew).await?;
            let mut heard = self.heard().lock().await;
            let taken = self.watchers().newly_taken();
            let news = self.news(&mut heard, &taken).await;
            if news.is_err() {
                for run in &taken {
                    self.watchers().taken(run);
                }
            }
            news.map_err(storage)
        })
    }

    fn held<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<bool>> {
        Box::pin(async move { Ok(self.run(run).await?.state == RunState::Running) })
    }

    fn release<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, JournalResult<()>> {
        self.send(|reply| Command::Release(lease.clone(), reply))
    }

    fn post(&self, item: InboxItem) -> BoxFuture<'_, JournalResult<()>> {
        Box::pin(async move {
            let run = item.run.clone();
            let key = item.key.clone();
            let posted = self.write(move |desk| {
                Box::pin(async move {
                    let engine = desk.engine();
                    post(desk.connection().await?, engine, &item).await
                })
            });
            match posted.await? {
                PostOutcome::Kept => {
                    self.watchers().notify(&run);
                    Ok(())
                }
                PostOutcome::NoSuchRun => Err(JournalError::NoSuchRun(run)),
                PostOutcome::Answered => Err(JournalError::Duplicate(format!("an answer to {key}"))),
            }
        })
    }

    fn inbox<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<Vec<InboxItem>>> {
        Box::pin(async move {
            let mut conn = self.reader().await.map_err(storage)?;
            let query = sqlx::query("SELECT run, key, kind, body, author, at FROM inbox WHERE run = $1 ORDER BY n").bind(run);
            let rows = query.fetch_all(&mut *conn).await.map_err(storage)?;
            rows.iter().map(read_item).collect::<sqlx::Result<_>>().map_err(storage)
        })
    }

    fn commits(&self, run: &str) -> Option<Commits> {
        Some(self.watchers().tellers.listen(run))
    }

    fn holds(&self, run: &str) -> bool {
        self.watchers().holds(run)
    }

    fn changed<'a>(&'a self, run: &'a str, within_ms: Millis) -> BoxFuture<'a, ()> {
        let news = self.watchers().subscribe(run);
        // Whoever holds the run makes every append to it; only the inbox can change behind its back.
        let every = if self.watchers().holds(run) { HEARTBEAT } else { self.settings().poll_ms.max(1) };
        Box::pin(async move {
            let until = Instant::now() + millis(within_ms);
            tokio::select! {
                () = news => {}
                () = self.look(run, every, until) => {}
            }
            self.watchers().tidy(run);
        })
    }
}

impl Store {
    /// Messages after number `heard` for runs this store owns, and all for those `taken` since.
    async fn news(&self, heard: &mut i64, taken: &[String]) -> sqlx::Result<Vec<InboxItem>> {
        let mut conn = self.reader().await?;
        let mut news: BTreeMap<i64, InboxItem> = BTreeMap::new();
        let mut keep = |rows: Vec<AnyRow>| -> sqlx::Result<()> {
            for row in rows {
                news.insert(row.try_get(6)?, read_item(&row)?);
            }
            Ok(())
        };
        for run in taken {
            let query = sqlx::query("SELECT run, key, kind, body, author, at, n FROM inbox WHERE run = $1").bind(run);
            keep(query.fetch_all(&mut *conn).await?)?;
        }
        let last: i64 = sqlx::query("SELECT n FROM posts").fetch_one(&mut *conn).await?.try_get(0)?;
        if last > *heard {
            let sql = concat!(
                "SELECT i.run, i.key, i.kind, i.body, i.author, i.at, i.n FROM inbox i JOIN runs r ON r.id = i.run",
                " WHERE i.n > $1 AND i.n <= $2 AND r.owner = $3"
            );
            keep(sqlx::query(sql).bind(*heard).bind(last).bind(self.owner()).fetch_all(&mut *conn).await?)?;
            *heard = last;
        }
        Ok(news.into_values().collect())
    }

    /// Returns when the run's journal or inbox has grown, or at `until`.
    async fn look(&self, run: &str, every: Millis, until: Instant) {
        // Nothing to compare with at the only look there would be: save both.
        let mut last = if Instant::now() + millis(every) < until { self.extent(run).await } else { None };
        loop {
            let next = Instant::now() + millis(every);
            if next >= until {
                return tokio::time::sleep_until(until).await;
            }
            tokio::time::sleep_until(next).await;
            let now = self.extent(run).await;
            if last.is_some() && now.is_some() && now != last {
                return;
            }
            last = now.or(last);
        }
    }

    /// How many rows the run has in its journal and its inbox. `None`: cannot be read now.
    async fn extent(&self, run: &str) -> Option<(i64, i64)> {
        let read = async {
            let sql = "SELECT seq, (SELECT COUNT(*) FROM inbox WHERE inbox.run = runs.id) FROM runs WHERE id = $1";
            let mut conn = self.reader().await?;
            let row = sqlx::query(sql).bind(run).fetch_optional(&mut *conn).await?;
            row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
        };
        let read: sqlx::Result<_> = read.await;
        read.unwrap_or_else(|error| {
            tracing::debug!(%error, run, "cannot look for changes");
            None
        })
    }
}

fn millis(ms: Millis) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

fn storage(error: sqlx::Error) -> JournalError {
    StoreError::from(error).into()
}

enum PostOutcome {
    Kept,
    NoSuchRun,
    /// The first answer stands.
    Answered,
}

async fn post(conn: &mut AnyConnection, engine: Engine, item: &InboxItem) -> sqlx::Result<PostOutcome> {
    let mut transaction = sql::begin(conn, engine).await?;
    sqlx::query("UPDATE posts SET n = n + 1").execute(&mut *transaction).await?;
    let sql = concat!(
        "INSERT INTO inbox (n, run, key, kind, body, author, at)",
        " SELECT (SELECT n FROM posts), id, $2, $3, $4, $5, $6 FROM runs WHERE id = $1 ON CONFLICT DO NOTHING"
    );
    let insert = sqlx::query(sql).bind(&item.run).bind(&item.key).bind(item.kind.as_str()).bind(&item.body).bind(&item.by).bind(item.at);
    if insert.execute(&mut *transaction).await?.rows_affected() > 0 {
        return transaction.commit().await.map(|()| PostOutcome::Kept);
    }
    let known = sqlx::query("SELECT id FROM runs WHERE id = $1").bind(&item.run).fetch_optional(&mut *transaction).await?.is_some();
    // Now, not whenever the connection is next used: others wait for the counter.
    transaction.rollback().await?;
    Ok(if known { PostOutcome::Answered } else { PostOutcome::NoSuchRun })
}

fn read_item(row: &AnyRow) -> sqlx::Result<InboxItem> {
    let kind: &str = row.try_get(2)?;
    Ok(InboxItem {
        run: row.try_get(0)?,
        key: row.try_get(1)?,
        kind: InboxKind::parse(kind).ok_or_else(|| sqlx::Error::Decode(format!("{kind:?} is no kind of message").into()))?,
        body: row.try_get(3)?,
        by: row.try_get(4)?,
        at: row.try_get(5)?,
    })
}
