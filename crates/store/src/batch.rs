//! One transaction of the writer: what has queued for any number of runs, guarded run by run, inserted together.

use crate::location::Engine;
use crate::project::{Message, Projection};
use crate::projections;
use crate::sql::{self, Conn, Statements, Table, Values, storable};
use crate::stages::Raws;
use crate::writer_connection::WriterConnection;
use futures::TryStreamExt;
use sqlx::AnyConnection;
use sqlx::Row as _;
use sqlx::any::AnyRow;
use std::collections::HashSet;
use synod_engine::{Blobs, JournalError, JournalResult, Lease, Tail};
use synod_types::{Hash, Header, Kind, LOCAL, Millis, NewRow, Once, Row, RunState, Title};
use tokio::sync::oneshot;

pub(crate) const NO_HASH: Hash = [0; 32];

static JOURNAL: Table =
    Table { name: "journal", columns: &["run", "seq", "epoch", "key", "kind", "try", "at", "digest", "body", "hash"], amounts: &[] };
static RUNS: Table = Table {
    name: "runs",
    columns: &[
        "id",
        "mode",
        "state",
        "question",
        "seq",
        "head",
        "epoch",
        "owner",
        "created_at",
        "updated_at",
        "parent",
        "conversation",
        "rehearsal",
        "principal",
    ],
    amounts: &[],
};
static RAWS: Table = Table { name: "raws", columns: &["run", "key", "try", "at", "body"], amounts: &[] };

/// What one call of `append` or `create` wants written, all or none.
pub(crate) struct Item {
    pub run: String,
    pub epoch: i64,
    pub rows: Vec<NewRow>,
    pub create: Option<Box<NewRun>>,
    pub reply: oneshot::Sender<JournalResult<Tail>>,
}

/// A run given up, once everything queued before is written.
pub(crate) struct Release {
    pub lease: Lease,
    pub owner: String,
    pub reply: oneshot::Sender<JournalResult<()>>,
}

/// A run's row in `runs`, written with its header.
pub(crate) struct NewRun {
    pub mode: String,
    /// How its question begins.
    pub opening: String,
    /// Its question, where it belongs to a conversation.
    pub question: Option<Message>,
    pub parent: Option<String>,
    pub conversation: Option<String>,
    pub principal: String,
    pub rehearsal: bool,
    pub at: Millis,
    pub blobs: Blobs,
    pub owner: String,
    pub once: Option<Once>,
}

impl NewRun {
    pub fn of(header: &Header, at: Millis, blobs: Blobs, owner: &str, once: Option<Once>) -> Self {
        let opening: String = header.question.text.chars().take(500).collect();
        Self {
            mode: header.mode.clone(),
            opening: storable(&opening),
            question: Message::question(header, at),
            parent: header.parent.clone(),
            conversation: header.conversation.clone(),
            principal: header.principal.clone().unwrap_or_else(|| LOCAL.to_owned()),
            rehearsal: header.rehearsal(),
            at,
            blobs,
            owner: owner.to_owned(),
            once,
        }
    }
}

/// An item's rows with their place in the chain.
pub(crate) struct SealedAppend {
    pub rows: Vec<Row>,
    pub raws: Vec<Raw>,
    pub reply: oneshot::Sender<JournalResult<Tail>>,
}

pub(crate) struct Raw {
    pub key: String,
    pub attempt: i64,
    pub at: Millis,
    pub body: String,
}

/// The items of one run in a batch.
pub(crate) struct Group {
    pub run: String,
    pub epoch: i64,
    pub create: Option<Box<NewRun>>,
    pub items: Vec<SealedAppend>,
    pub start: Tail,
    pub end: Tail,
    pub state: RunState,
    /// The state before these rows.
    state_before: RunState,
    /// What the run comes to with these rows, where that is due, and whether something was stored for it before.
    pub projection: Option<Box<(Projection, bool)>>,
    /// The rows' numbers and hashes follow from `start`.
    chained: bool,
}

impl Group {
    pub fn new(run: String, epoch: i64, create: Option<Box<NewRun>>) -> Self {
        let start = Tail { seq: 0, head: NO_HASH };
        let state = RunState::Running;
        Self { run, epoch, create, items: Vec::new(), start, end: start, state, state_before: state, projection: None, chained: true }
    }

    /// A part of a group that was refused as a whole.
    pub fn of(run: String, epoch: i64, create: Option<Box<NewRun>>, item: SealedAppend) -> Self {
        Self { items: vec![item], chained: false, ..Self::new(run, epoch, create) }
    }

    pub fn push(&mut self, rows: Vec<NewRow>, reply: oneshot::Sender<JournalResult<Tail>>) {
        let mut sealed = SealedAppend { rows: Vec::with_capacity(rows.len()), raws: Vec::new(), reply };
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
        if moved {
            self.projection = None;
        }
        if !moved && self.state_before == state {
            return;
        }
        self.chained = true;
        (self.state, self.state_before) = (state, state);
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
    pub fn projects(&self) -> bool {
        self.rows().any(is_milestone)
    }
}

/// Why a batch was not written.
pub(crate) struct Unwritten {
    pub error: sqlx::Error,
    /// `false`: the transaction had not even begun, so there is nothing to be uncertain about.
    pub begun: bool,
}

/// Writes the groups in one transaction. Returns the runs that were refused because somebody else has taken them.
pub(crate) async fn write(desk: &mut WriterConnection, groups: &[Group], released: &[Release]) -> Result<HashSet<String>, Unwritten> {
    let unbegun = |error: sqlx::Error| Unwritten { error, begun: false };
    let engine = desk.engine();
    let (mut conn, statements) = desk.parts().await.map_err(unbegun)?;
    match &mut conn {
        Conn::File(file) => {
            file.execute_batch("BEGIN IMMEDIATE").map_err(|error| unbegun(sql::file_error(error)))?;
            let written = write_in(&mut conn, statements, groups, released).await;
            let Conn::File(file) = conn else { return written.map_err(unbegun) };
            let committed = written.and_then(|refused| file.execute_batch("COMMIT").map(|()| refused).map_err(sql::file_error));
            if committed.is_err()
                && let Err(error) = file.execute_batch("ROLLBACK")
            {
                // Some errors end the transaction themselves.
                tracing::debug!(%error, "rollback");
            }
            committed.map_err(|error| Unwritten { error, begun: true })
        }
        Conn::Any(conn) => {
            let mut transaction = sql::begin(conn, engine).await.map_err(unbegun)?;
            match write_in(&mut Conn::Any(&mut transaction), statements, groups, released).await {
                Ok(refused) => transaction.commit().await.map(|()| refused).map_err(|error| Unwritten { error, begun: true }),
                Err(error) => {
                    // The first error is the one to report; a rollback that fails shows at the next statement.
                    if let Err(error) = transaction.rollback().await {
                        tracing::debug!(%error, "rollback");
                    }
                    Err(Unwritten { error, begun: true })
                }
            }
        }
    }
}

fn bind_row(values: &mut Values<'_>, row: &&Row) {
    values.text(&row.run).int(row.seq).int(row.epoch).text(&row.key).text(row.kind.as_str()).int(row.attempt).int(row.at);
    values.some_text(row.digest.as_deref()).text(&row.body).bytes(&row.hash);
}

fn bind_raw(values: &mut Values<'_>, (run, raw): &(&str, &Raw)) {
    values.text(run).text(&raw.key).int(raw.attempt).int(raw.at).text(&raw.body);
}

async fn write_in(conn: &mut Conn<'_>, statements: &mut Statements, groups: &[Group], released: &[Release]) -> sqlx::Result<HashSet<String>> {
    create(conn, statements, groups).await?;
    let refused = advance(conn, statements, groups).await?;
    let written: Vec<&Group> = groups.iter().filter(|group| !refused.contains(&group.run)).collect();
    let rows: Vec<&Row> = written.iter().flat_map(|group| group.rows()).collect();
    sql::insert_all(conn, statements, &JOURNAL, &rows, bind_row).await?;
    let raws: Vec<(&str, &Raw)> =
        written.iter().flat_map(|group| group.items.iter().flat_map(|item| &item.raws).map(|raw| (group.run.as_str(), raw))).collect();
    sql::insert_all(conn, statements, &RAWS, &raws, bind_raw).await?;
    let mut due = Vec::new();
    for group in written {
        for row in group.rows().filter(|row| row.kind == Kind::Title) {
            if let Ok(title) = row.read::<Title>() {
                retitle(conn, &group.run, &title.title, row.at).await?;
            }
        }
        due.extend(group.projection.iter().map(|due| (&due.0, due.1)));
    }
    projections::write(conn, statements, &due).await?;
    sql::update_all(
        conn,
        statements,
        Statements::release,
        released,
        |release| release.lease.run.as_str(),
        |values, release| {
            values.text(&release.lease.run).int(release.lease.epoch).text(&release.owner);
        },
    )
    .await?;
    Ok(refused)
}

/// The conditional update of every run that is not new. Returns those it did not find as they should be.
async fn advance(conn: &mut Conn<'_>, statements: &mut Statements, groups: &[Group]) -> sqlx::Result<HashSet<String>> {
    // In one order for all processes, so that two batches with runs in common cannot wait for each other.
    let mut old: Vec<&Group> = groups.iter().filter(|group| group.create.is_none()).collect();
    old.sort_by(|a, b| a.run.cmp(&b.run));
    // SQLite writes the entry of every index anew that has a column which is set, changed or not. One statement for all keeps PostgreSQL's order.
    let (changed, unchanged): (Vec<&Group>, Vec<&Group>) =
        old.into_iter().partition(|group| statements.engine() == Engine::Postgres || group.state != group.state_before);
    let bind = |values: &mut Values<'_>, group: &&Group| {
        values.text(&group.run).int(group.end.seq - group.start.seq).bytes(&group.end.head).int(group.updated_at());
        values.int(group.epoch).bytes(&group.start.head);
    };
    let with_state = |values: &mut Values<'_>, group: &&Group| {
        bind(values, group);
        values.text(group.state.as_str());
    };
    let mut refused = sql::update_all(conn, statements, Statements::advance_to_state, &changed, run_of, with_state).await?;
    refused.extend(sql::update_all(conn, statements, Statements::advance, &unchanged, run_of, bind).await?);
    Ok(refused.into_iter().map(str::to_owned).collect())
}

fn run_of<'g>(group: &'g &Group) -> &'g str {
    &group.run
}

/// The rows in `runs` of new runs, with the files and the question that belong to them.
async fn create(conn: &mut Conn<'_>, statements: &mut Statements, groups: &[Group]) -> sqlx::Result<()> {
    let new: Vec<(&Group, &NewRun)> = groups.iter().filter_map(|group| Some((group, group.create.as_deref()?))).collect();
    for (group, new) in &new {
        for (sha256, body) in &new.blobs {
            let sql = "INSERT INTO blobs (sha256, body, counted) VALUES ($1, $2, 1) ON CONFLICT (sha256) DO UPDATE SET counted = blobs.counted";
            // The update changes nothing: it keeps whoever deletes another run from taking the file away meanwhile.
            conn.execute(sql, |values| {
                values.text(sha256).bytes(body);
            })
            .await?;
            let sql = "INSERT INTO attachments (run, sha256) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            conn.execute(sql, |values| {
                values.text(&group.run).text(sha256);
            })
            .await?;
        }
    }
    sql::insert_all(conn, statements, &RUNS, &new, |values, (group, new)| {
        values.text(&group.run).text(&new.mode).text(group.state.as_str()).text(&new.opening).int(group.end.seq);
        values.bytes(&group.end.head).int(group.epoch).text(&new.owner).int(new.at).int(new.at).some_text(new.parent.as_deref());
        values.some_text(new.conversation.as_deref()).int(i64::from(new.rehearsal)).text(&new.principal);
    })
    .await?;
    for (group, new) in &new {
        let of = new.principal.as_str();
        if let Some(parent) = &new.parent {
            // Refused by its reference if the parent was deleted meanwhile.
            let sql = "INSERT INTO forks (run, parent) VALUES ($1, $2)";
            conn.execute(sql, |values| {
                values.text(&group.run).text(parent);
            })
            .await?;
        }
        if let Some(once) = &new.once {
            // What was kept longer than it counts makes room; one that still counts refuses this run.
            let sql = "DELETE FROM repeats WHERE principal = $1 AND key = $2 AND at <= $3";
            conn.execute(sql, |values| {
                values.text(of).text(&once.key).int(new.at - crate::access::REPEATS_MS);
            })
            .await?;
            let sql = "INSERT INTO repeats (principal, key, body_sha256, run, at) VALUES ($1, $2, $3, $4, $5)";
            let bind = |values: &mut Values<'_>| {
                values.text(of).text(&once.key).text(&once.body_sha256).text(&group.run).int(new.at);
            };
            conn.execute(sql, bind).await?;
        }
        if of != LOCAL {
            let sql = "INSERT INTO starts (run, principal, at) VALUES ($1, $2, $3)";
            conn.execute(sql, |values| {
                values.text(&group.run).text(of).int(new.at);
            })
            .await?;
        }
    }
    for (group, new) in &new {
        if let (Some(conversation), Some(question)) = (&new.conversation, &new.question) {
            projections::add_messages(conn, statements, &[(group.run.as_str(), conversation.as_str(), question)]).await?;
            let sql = "UPDATE conversations SET updated_at = $1 WHERE id = $2";
            conn.execute(sql, |values| {
                values.int(new.at).text(conversation);
            })
            .await?;
        }
    }
    Ok(())
}

async fn retitle(conn: &mut Conn<'_>, run: &str, title: &str, at: Millis) -> sqlx::Result<()> {
    let sql = "UPDATE conversations SET title = $1, updated_at = $2 WHERE id = (SELECT conversation FROM runs WHERE id = $3) AND renamed = 0";
    conn.execute(sql, |values| {
        values.text(&storable(title)).int(at).text(run);
    })
    .await?;
    Ok(())
}

pub(crate) async fn rows_of(conn: &mut AnyConnection, run: &str, after: i64) -> sqlx::Result<Vec<Row>> {
    let sql = "SELECT seq, epoch, key, kind, try, at, digest, body, hash FROM journal WHERE run = $1 AND seq > $2";
    let mut found = sqlx::query(sql).bind(run).bind(after).fetch(conn);
    let mut rows = Vec::new();
    while let Some(row) = found.try_next().await? {
        rows.push(read_row(run, &row)?);
    }
    // Sorted here: an engine would carry the bodies through its sorter.
    rows.sort_by_key(|row| row.seq);
    Ok(rows)
}

/// The first of those rows.
pub(crate) async fn page_of(conn: &mut AnyConnection, run: &str, after: i64, most: usize) -> sqlx::Result<Vec<Row>> {
    let sql = "SELECT seq, epoch, key, kind, try, at, digest, body, hash FROM journal WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    let rows = sqlx::query(sql).bind(run).bind(after).bind(i64::try_from(most).unwrap_or(i64::MAX)).fetch_all(conn).await?;
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

pub(crate) async fn raws_of(conn: &mut AnyConnection, run: &str) -> sqlx::Result<Vec<Raw>> {
    let rows = sqlx::query("SELECT key, try, at, body FROM raws WHERE run = $1").bind(run).fetch_all(conn).await?;
    let read = |row: &AnyRow| Ok(Raw { key: row.try_get(0)?, attempt: row.try_get(1)?, at: row.try_get(2)?, body: row.try_get(3)? });
    rows.iter().map(read).collect()
}

pub(crate) fn by_turn<'a>(raws: impl IntoIterator<Item = &'a Raw>) -> Raws<'a> {
    raws.into_iter().map(|raw| ((raw.key.as_str(), raw.attempt), raw.body.as_str())).collect()
}

/// Projections are due after these.
fn is_milestone(row: &Row) -> bool {
    matches!(row.kind, Kind::Stopped | Kind::Verdict)
}

/// What a refused item is told: which of its rows is there already, or what else it broke.
pub(crate) async fn refusal(conn: &mut AnyConnection, group: &Group, error: &sqlx::Error) -> JournalError {
    if error.as_database_error().is_some_and(|error| error.is_foreign_key_violation()) {
        if let Some(parent) = group.create.as_ref().and_then(|new| new.parent.as_ref()) {
            let found = sqlx::query("SELECT id FROM runs WHERE id = $1").bind(parent).fetch_optional(&mut *conn).await;
            if matches!(found, Ok(None)) {
                return JournalError::NoSuchRun(parent.clone());
            }
        }
        let conversation = group.create.as_ref().and_then(|new| new.conversation.clone()).unwrap_or_default();
        return JournalError::Storage(format!("no conversation {conversation:?}"));
    }
    if let Some(new) = &group.create {
        if let Some(once) = &new.once {
            let sql = "SELECT run FROM repeats WHERE principal = $1 AND key = $2";
            let found = sqlx::query(sql).bind(&new.principal).bind(&once.key).fetch_optional(&mut *conn).await;
            if matches!(found, Ok(Some(_))) {
                return JournalError::Repeated;
            }
        }
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
