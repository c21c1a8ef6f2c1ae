//! One transaction of the writer: what has queued for any number of runs, guarded run by run, inserted together.

use crate::project::{Message, Raws, project};
use crate::projections;
use crate::runs::RunState;
use crate::sql::{self, Statements, Table, Values, storable};
use sqlx::Row as _;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use std::collections::HashSet;
use synod_engine::{JournalError, JournalResult, Tail};
use synod_types::{Hash, Header, Kind, Millis, NewRow, Row, Warned, sha256_hex};
use tokio::sync::oneshot;

pub(crate) const NO_HASH: Hash = [0; 32];

static JOURNAL: Table = Table {
    name: "journal",
    columns: &["run", "seq", "epoch", "key", "kind", "try", "at", "digest", "body", "hash"],
    amounts: &[],
};
static RAWS: Table = Table { name: "raws", columns: &["run", "key", "try", "at", "sha256", "body"], amounts: &[] };

/// What one call of `append` or `create` wants written, all or none.
pub(crate) struct Item {
    pub run: String,
    pub epoch: i64,
    pub rows: Vec<NewRow>,
    pub create: Option<NewRun>,
    pub reply: oneshot::Sender<JournalResult<Tail>>,
}

/// A run's row in `runs`, written with its header.
pub(crate) struct NewRun {
    pub header: Header,
    pub at: Millis,
    pub blobs: Vec<(String, Vec<u8>)>,
    pub owner: String,
}

/// An item's rows with their place in the chain.
pub(crate) struct Sealed {
    pub rows: Vec<Row>,
    pub raws: Vec<Raw>,
    pub reply: oneshot::Sender<JournalResult<Tail>>,
}

pub(crate) struct Raw {
    key: String,
    attempt: i64,
    at: Millis,
    body: String,
}

/// The items of one run in a batch.
pub(crate) struct Group {
    pub run: String,
    pub epoch: i64,
    pub create: Option<NewRun>,
    pub items: Vec<Sealed>,
    pub start: Tail,
    pub end: Tail,
    pub state: RunState,
    /// The rows' numbers and hashes follow from `start`.
    chained: bool,
}

impl Group {
    pub fn new(run: String, epoch: i64, create: Option<NewRun>) -> Self {
        let start = Tail { seq: 0, head: NO_HASH };
        Self { run, epoch, create, items: Vec::new(), start, end: start, state: RunState::Running, chained: true }
    }

    /// A part of a group that was refused as a whole.
    pub fn of(run: String, epoch: i64, create: Option<NewRun>, item: Sealed) -> Self {
        Self { items: vec![item], chained: false, ..Self::new(run, epoch, create) }
    }

    pub fn push(&mut self, rows: Vec<NewRow>, reply: oneshot::Sender<JournalResult<Tail>>) {
        let mut sealed = Sealed { rows: Vec::with_capacity(rows.len()), raws: Vec::new(), reply };
        for mut row in rows {
            if let Some(body) = row.raw.take() {
                sealed.raws.push(Raw { key: row.key.clone(), attempt: row.attempt, at: row.at, body });
            }
            let row = row.seal(&self.run, self.end.seq + 1, self.epoch, &self.end.head);
            self.end = Tail { seq: row.seq, head: row.hash };
            self.state = self.state.after(row.kind, &row.body);
            sealed.rows.push(row);
        }
        self.items.push(sealed);
    }

    /// Moves the whole group behind `start`: numbers, hashes and the state follow from it.
    pub fn chain_from(&mut self, start: Tail, state: RunState) {
        let moved = !self.chained || self.start != start;
        self.chained = true;
        self.state = state;
        self.start = start;
        self.end = start;
        for row in self.items.iter_mut().flat_map(|item| &mut item.rows) {
            self.state = self.state.after(row.kind, &row.body);
            if moved {
                row.seq = self.end.seq + 1;
                row.hash = row.link(&self.end.head);
            }
            self.end = Tail { seq: row.seq, head: row.hash };
        }
    }

    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.items.iter().flat_map(|item| &item.rows)
    }

    fn updated_at(&self) -> Millis {
        self.rows().map(|row| row.at).max().unwrap_or_default()
    }

    /// Stopped and ended runs are read into their projections in the same transaction.
    fn projects(&self) -> bool {
        self.rows().any(|row| matches!(row.kind, Kind::Stopped | Kind::Verdict))
    }
}

/// Writes the groups in one transaction. Returns the runs that were refused because somebody else has taken them.
pub(crate) async fn write(conn: &mut AnyConnection, statements: &mut Statements, groups: &[Group]) -> sqlx::Result<HashSet<String>> {
    let mut transaction = sql::begin(conn, statements.engine()).await?;
    let written = write_in(&mut transaction, statements, groups).await;
    match written {
        Ok(refused) => transaction.commit().await.map(|()| refused),
        Err(error) => {
            // The first error is the one to report; a rollback that fails shows at the next statement.
            if let Err(error) = transaction.rollback().await {
                tracing::debug!(%error, "rollback");
            }
            Err(error)
        }
    }
}

async fn write_in(conn: &mut AnyConnection, statements: &mut Statements, groups: &[Group]) -> sqlx::Result<HashSet<String>> {
    for group in groups {
        if let Some(new) = &group.create {
            create(conn, new, group).await?;
        }
    }
    let refused = advance(conn, statements, groups).await?;
    let written: Vec<&Group> = groups.iter().filter(|group| !refused.contains(&group.run)).collect();
    let rows: Vec<&Row> = written.iter().flat_map(|group| group.rows()).collect();
    sql::insert_all(conn, statements, &JOURNAL, &rows, |values, row| {
        values.text(&row.run).int(row.seq).int(row.epoch).text(&row.key).text(row.kind.as_str()).int(row.attempt).int(row.at);
        values.some_text(row.digest.as_deref()).text(&row.body).bytes(&row.hash);
    })
    .await?;
    let raws: Vec<(&str, &Raw)> =
        written.iter().flat_map(|group| group.items.iter().flat_map(|item| &item.raws).map(|raw| (group.run.as_str(), raw))).collect();
    sql::insert_all(conn, statements, &RAWS, &raws, |values, (run, raw)| {
        values.text(run).text(&raw.key).int(raw.attempt).int(raw.at).text(&sha256_hex(&raw.body)).text(&raw.body);
    })
    .await?;
    for group in written {
        for row in group.rows().filter(|row| row.kind == Kind::Title) {
            if let Ok(title) = row.read::<Warned>() {
                retitle(conn, &group.run, &title.text, row.at).await?;
            }
        }
        if group.projects() {
            let rows = rows_of(conn, &group.run, 0).await?;
            let raws = raws_of(conn, &group.run).await?;
            let first = rows.iter().filter(|row| matches!(row.kind, Kind::Stopped | Kind::Verdict)).count() == 1;
            projections::write(conn, statements, &project(&rows, &raws), first).await?;
        }
    }
    Ok(refused)
}

/// The conditional update of every run that is not new. Returns those it did not find as they should be.
async fn advance(conn: &mut AnyConnection, statements: &mut Statements, groups: &[Group]) -> sqlx::Result<HashSet<String>> {
    // In one order for all processes, so that two batches with runs in common cannot wait for each other.
    let mut old: Vec<&Group> = groups.iter().filter(|group| group.create.is_none()).collect();
    old.sort_by(|a, b| a.run.cmp(&b.run));
    let mut refused: HashSet<String> = old.iter().map(|group| group.run.clone()).collect();
    let mut rest = old.as_slice();
    while !rest.is_empty() {
        let (now, later) = rest.split_at(sql::portion(rest.len()));
        let mut values = Values::default();
        for group in now {
            values.text(&group.run).int(group.end.seq - group.start.seq).bytes(&group.end.head).text(group.state.as_str());
            values.int(group.updated_at()).int(group.epoch).bytes(&group.start.head);
        }
        for row in sql::fetch_all(conn, statements.advance(now.len()), values).await? {
            refused.remove(row.try_get::<&str, _>(0)?);
        }
        rest = later;
    }
    Ok(refused)
}

async fn create(conn: &mut AnyConnection, new: &NewRun, group: &Group) -> sqlx::Result<()> {
    for (sha256, body) in &new.blobs {
        let sql = "INSERT INTO blobs (sha256, body) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING";
        sqlx::query(sql).bind(sha256).bind(body).execute(&mut *conn).await?;
    }
    let header = &new.header;
    let sql = concat!(
        "INSERT INTO runs (id, mode, state, question, seq, head, epoch, owner, created_at, updated_at, parent, conversation, rehearsal)",
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12)"
    );
    let opening: String = header.question.text.chars().take(500).collect();
    sqlx::query(sql)
        .bind(&header.run)
        .bind(&header.mode)
        .bind(group.state.as_str())
        .bind(storable(&opening))
        .bind(group.end.seq)
        .bind(group.end.head.as_slice())
        .bind(group.epoch)
        .bind(&new.owner)
        .bind(new.at)
        .bind(header.parent.as_deref())
        .bind(header.conversation.as_deref())
        .bind(i64::from(header.rehearsal()))
        .execute(&mut *conn)
        .await?;
    if let (Some(conversation), Some(question)) = (&header.conversation, Message::question(header, new.at)) {
        projections::add_message(conn, &header.run, Some(conversation), &question).await?;
        let sql = "UPDATE conversations SET updated_at = $1 WHERE id = $2";
        sqlx::query(sql).bind(new.at).bind(conversation).execute(conn).await?;
    }
    Ok(())
}

async fn retitle(conn: &mut AnyConnection, run: &str, title: &str, at: Millis) -> sqlx::Result<()> {
    let sql = "UPDATE conversations SET title = $1, updated_at = $2 WHERE id = (SELECT conversation FROM runs WHERE id = $3)";
    sqlx::query(sql).bind(storable(title)).bind(at).bind(run).execute(conn).await?;
    Ok(())
}

pub(crate) async fn rows_of(conn: &mut AnyConnection, run: &str, after: i64) -> sqlx::Result<Vec<Row>> {
    let sql = "SELECT seq, epoch, key, kind, try, at, digest, body, hash FROM journal WHERE run = $1 AND seq > $2 ORDER BY seq";
    let rows = sqlx::query(sql).bind(run).bind(after).fetch_all(conn).await?;
    rows.iter().map(|row| read_row(run, row)).collect()
}

/// A journal row as stored. Fails on what no writer of ours would have put there.
pub(crate) fn read_row(run: &str, row: &AnyRow) -> sqlx::Result<Row> {
    let kind: &str = row.try_get(3)?;
    let hash: &[u8] = row.try_get(8)?;
    Ok(Row {
        run: run.to_owned(),
        seq: row.try_get(0)?,
        epoch: row.try_get(1)?,
        key: row.try_get(2)?,
        kind: Kind::parse(kind).ok_or_else(|| sqlx::Error::Decode(format!("{kind:?} is no kind of journal row").into()))?,
        attempt: row.try_get(4)?,
        at: row.try_get(5)?,
        digest: row.try_get(6)?,
        body: row.try_get(7)?,
        hash: hash.try_into().map_err(|_| sqlx::Error::Decode("a hash that is not 32 bytes long".into()))?,
    })
}

pub(crate) async fn raws_of(conn: &mut AnyConnection, run: &str) -> sqlx::Result<Raws> {
    let rows = sqlx::query("SELECT key, try, body FROM raws WHERE run = $1").bind(run).fetch_all(conn).await?;
    rows.iter().map(|row| Ok(((row.try_get(0)?, row.try_get(1)?), row.try_get(2)?))).collect()
}

/// What a refused item is told: which of its rows is there already, or what else it broke.
pub(crate) async fn refusal(conn: &mut AnyConnection, group: &Group, error: &sqlx::Error) -> JournalError {
    if error.as_database_error().is_some_and(|error| error.is_foreign_key_violation()) {
        let conversation = group.create.as_ref().and_then(|new| new.header.conversation.clone()).unwrap_or_default();
        return JournalError::Storage(format!("no conversation {conversation:?}"));
    }
    if group.create.is_some() {
        return JournalError::Duplicate(format!("run {}", group.run));
    }
    let mut seen = HashSet::new();
    for row in group.rows() {
        let sql = "SELECT seq FROM journal WHERE run = $1 AND key = $2 AND kind = $3 AND try = $4";
        let found = sqlx::query(sql).bind(&row.run).bind(&row.key).bind(row.kind.as_str()).bind(row.attempt).fetch_optional(&mut *conn).await;
        if matches!(found, Ok(Some(_))) || !seen.insert((&row.key, row.kind, row.attempt)) {
            let name = if row.key.is_empty() { "this run's" } else { &row.key };
            return JournalError::Duplicate(format!("{name} {} (try {})", row.kind.as_str(), row.attempt));
        }
    }
    JournalError::Storage(crate::error::plain(error))
}
