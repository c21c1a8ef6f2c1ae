//! SQL texts that depend on how many rows they carry, and the values bound to them.
//!
//! Made of constants only, never of data. Placeholders are `?` on SQLite, where a numbered one costs a search per bound value, and `$n` on
//! PostgreSQL.

use crate::location::Engine;
use sqlx::any::AnyArguments;
use sqlx::error::ErrorKind;
use sqlx::{AnyConnection, Arguments, AssertSqlSafe, Connection, Row as _, Transaction};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A table as rows are put into it.
#[derive(Debug)]
pub(crate) struct Table {
    pub name: &'static str,
    pub columns: &'static [&'static str],
    /// Amounts that may be unknown. `Any` binds a NULL among doubles under another type, so that a cached statement of PostgreSQL would
    /// misread the next value: -1 is bound instead and becomes NULL in the statement.
    pub amounts: &'static [&'static str],
}

/// Most rows in one statement. Measured: beyond it, texts that are seldom the same cost more to prepare than they save.
const WIDEST: usize = 64;
/// Up to here any number of rows has its own prepared statement, above only its multiples.
const STEP: usize = 8;

/// Bytes after which a statement takes no further row: values are copied on their way.
const HEAVIEST: usize = 1024 * 1024;

/// How many of `rows` the next statement carries: few distinct numbers, so that prepared statements are found again, and seldom more
/// than two statements.
fn portion(rows: usize) -> usize {
    match rows {
        WIDEST.. => WIDEST,
        STEP..WIDEST => rows - rows % STEP,
        _ => rows,
    }
}

/// Texts already made, by shape and number of rows.
pub(crate) struct Statements {
    engine: Engine,
    made: HashMap<(&'static str, usize), Arc<String>>,
}

impl Statements {
    pub fn new(engine: Engine) -> Self {
        Self { engine, made: HashMap::new() }
    }

    pub fn engine(&self) -> Engine {
        self.engine
    }

    pub fn insert(&mut self, table: &'static Table, rows: usize) -> Arc<String> {
        let engine = self.engine;
        self.made
            .entry((table.name, rows))
            .or_insert_with(|| {
                let mut text = format!("{} {} ({}) VALUES ", insert_into(engine), table.name, table.columns.join(", "));
                let amounts: Vec<bool> = table.columns.iter().map(|column| table.amounts.contains(column)).collect();
                push_tuples(&mut text, engine, rows, &amounts);
                Arc::new(text)
            })
            .clone()
    }

    /// Gives runs up: id, epoch and owner of each.
    pub fn release(&mut self, runs: usize) -> Arc<String> {
        let (set, guard) = ("owner = NULL", "runs.id = v.column1 AND runs.epoch = v.column2 AND runs.owner = v.column3");
        self.update("release", set, guard, &[false; 3], runs)
    }

    /// Writes what a projection says of runs themselves: id, state, status and what was spent.
    pub fn conclude(&mut self, runs: usize) -> Arc<String> {
        let set = "state = v.column2, status = v.column3, spent_usd = v.column4";
        self.update("conclude", set, "runs.id = v.column1", &[false, false, false, true], runs)
    }

    /// The one conditional update that guards every append: fence, chain tail and lock. Returns the runs it let through.
    pub fn advance(&mut self, runs: usize) -> Arc<String> {
        self.update("advance", ADVANCED, UNTOUCHED, &[false; 6], runs)
    }

    /// The same where the rows change the run's state.
    pub fn advance_to_state(&mut self, runs: usize) -> Arc<String> {
        self.update("advance to state", &format!("{ADVANCED}, state = v.column7"), UNTOUCHED, &[false; 7], runs)
    }

    fn update(&mut self, name: &'static str, set: &str, guard: &str, amounts: &[bool], runs: usize) -> Arc<String> {
        let engine = self.engine;
        let make = || match engine {
            Engine::Sqlite => {
                let mut text = format!("UPDATE runs SET {set} WHERE {guard}");
                for (n, amount) in (1..).zip(amounts) {
                    let value = if *amount { format!("NULLIF(?{n}, -1.0)") } else { format!("?{n}") };
                    text = text.replace(&format!("v.column{n}"), &value);
                }
                Arc::new(text)
            }
            Engine::Postgres => {
                let mut text = format!("UPDATE runs SET {set} FROM (VALUES ");
                push_tuples(&mut text, engine, runs, amounts);
                text.push_str(&format!(") AS v WHERE {guard} RETURNING id"));
                Arc::new(text)
            }
        };
        self.made.entry((name, runs)).or_insert_with(make).clone()
    }
}

const ADVANCED: &str = "seq = runs.seq + v.column2, head = v.column3, updated_at = v.column4";
const UNTOUCHED: &str = "runs.id = v.column1 AND runs.epoch = v.column5 AND runs.head = v.column6";

/// A statement that fails half way is rolled back with its transaction: SQLite need not prepare to undo it alone.
fn insert_into(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "INSERT OR FAIL INTO",
        Engine::Postgres => "INSERT INTO",
    }
}

fn push_tuples(text: &mut String, engine: Engine, rows: usize, amounts: &[bool]) {
    let mut n = 0;
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for (i, amount) in amounts.iter().enumerate() {
            n += 1;
            let value = match engine {
                Engine::Sqlite => "?".to_owned(),
                Engine::Postgres => format!("${n}"),
            };
            text.push_str(if i == 0 { "" } else { ", " });
            if *amount {
                text.push_str(&format!("NULLIF({value}, -1.0)"));
            } else {
                text.push_str(&value);
            }
        }
        text.push(')');
    }
}

/// Values in the order of a statement's placeholders, on their way to a connection.
pub(crate) struct Values<'a>(&'a mut dyn Bind);

trait Bind {
    fn bind(&mut self, value: Value<'_>);
}

#[derive(Clone, Copy)]
enum Value<'v> {
    Text(Option<&'v str>),
    Int(Option<i64>),
    Real(f64),
    Bytes(&'v [u8]),
}

impl Values<'_> {
    pub fn text(&mut self, value: &str) -> &mut Self {
        self.some_text(Some(value))
    }
    pub fn some_text(&mut self, value: Option<&str>) -> &mut Self {
        self.0.bind(Value::Text(value));
        self
    }
    pub fn int(&mut self, value: i64) -> &mut Self {
        self.some_int(Some(value))
    }
    pub fn some_int(&mut self, value: Option<i64>) -> &mut Self {
        self.0.bind(Value::Int(value));
        self
    }
    pub fn real(&mut self, value: f64) -> &mut Self {
        self.0.bind(Value::Real(value));
        self
    }
    /// For a column of `Table::amounts`. Negative and undefined amounts are unknown too.
    pub fn amount(&mut self, value: Option<f64>) -> &mut Self {
        self.real(value.filter(|value| value.is_finite() && *value >= 0.0).unwrap_or(-1.0))
    }
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.0.bind(Value::Bytes(value));
        self
    }
}

/// Collected for a statement that is sent with them.
#[derive(Default)]
struct Sent {
    arguments: AnyArguments,
    /// Bytes of text.
    weight: usize,
}

impl Bind for Sent {
    fn bind(&mut self, value: Value<'_>) {
        let added = match value {
            Value::Text(text) => {
                self.weight += text.map_or(0, str::len);
                self.arguments.add(text)
            }
            Value::Int(int) => self.arguments.add(int),
            Value::Real(real) => self.arguments.add(real),
            Value::Bytes(bytes) => self.arguments.add(bytes),
        };
        added.expect("text, numbers and bytes always encode");
    }
}

fn collected(bind: impl FnOnce(&mut Values<'_>)) -> AnyArguments {
    let mut sent = Sent::default();
    bind(&mut Values(&mut sent));
    sent.arguments
}

/// Bound at once.
struct Bound<'s, 'c> {
    statement: &'s mut rusqlite::Statement<'c>,
    next: usize,
    outcome: rusqlite::Result<()>,
}

impl Bind for Bound<'_, '_> {
    fn bind(&mut self, value: Value<'_>) {
        self.next += 1;
        if self.outcome.is_ok() {
            self.outcome = match value {
                Value::Text(text) => self.statement.raw_bind_parameter(self.next, text),
                Value::Int(int) => self.statement.raw_bind_parameter(self.next, int),
                Value::Real(real) => self.statement.raw_bind_parameter(self.next, real),
                Value::Bytes(bytes) => self.statement.raw_bind_parameter(self.next, bytes),
            };
        }
    }
}

fn bind_all(statement: &mut rusqlite::Statement<'_>, bind: impl FnOnce(&mut Values<'_>)) -> rusqlite::Result<()> {
    let mut bound = Bound { statement, next: 0, outcome: Ok(()) };
    bind(&mut Values(&mut bound));
    bound.outcome
}

/// Binds values to a prepared statement and does something with it.
fn bound<R>(
    statement: rusqlite::Result<rusqlite::CachedStatement<'_>>,
    bind: impl FnOnce(&mut Values<'_>),
    then: impl FnOnce(&mut rusqlite::CachedStatement<'_>) -> rusqlite::Result<R>,
) -> sqlx::Result<R> {
    let mut statement = statement.map_err(file_error)?;
    bind_all(&mut statement, bind).and_then(|()| then(&mut statement)).map_err(file_error)
}

/// A connection as the writer uses it inside a transaction.
pub(crate) enum Conn<'c> {
    /// Through sqlx: PostgreSQL, and what is seldom written to SQLite.
    Any(&'c mut AnyConnection),
    /// SQLite itself, on the writer's own thread: every statement through sqlx is a trip to another thread, and every text five allocations.
    File(&'c mut rusqlite::Connection),
}

impl Conn<'_> {
    /// Runs one statement. Its placeholders are `$1`, `$2` and so on, in this order. Returns how many rows it changed.
    pub async fn execute(&mut self, text: &'static str, bind: impl FnOnce(&mut Values<'_>)) -> sqlx::Result<u64> {
        match self {
            Self::Any(conn) => Ok(sqlx::query_with(text, collected(bind)).execute(&mut **conn).await?.rows_affected()),
            Self::File(file) => bound(file.prepare_cached(text), bind, |statement| statement.raw_execute()).map(|changed| changed as u64),
        }
    }

    /// Whether a statement finds anything.
    pub async fn finds(&mut self, text: &'static str, bind: impl FnOnce(&mut Values<'_>)) -> sqlx::Result<bool> {
        match self {
            Self::Any(conn) => Ok(sqlx::query_with(text, collected(bind)).fetch_optional(&mut **conn).await?.is_some()),
            Self::File(file) => bound(file.prepare_cached(text), bind, |statement| statement.raw_query().next().map(|row| row.is_some())),
        }
    }
}

/// Puts all of `items` into a table, in as few statements as is cheapest.
pub(crate) async fn insert_all<T>(
    conn: &mut Conn<'_>,
    statements: &mut Statements,
    table: &'static Table,
    items: &[T],
    bind: impl Fn(&mut Values<'_>, &T),
) -> sqlx::Result<()> {
    let conn = match conn {
        Conn::File(file) => return insert_each(file, &statements.insert(table, 1), items, bind).map_err(file_error),
        Conn::Any(conn) => conn,
    };
    let mut rest = items;
    while !rest.is_empty() {
        let most = portion(rest.len());
        let mut bound = 0;
        let mut sent = Sent::default();
        sent.arguments.reserve(most * table.columns.len(), 0);
        while bound < most && sent.weight < HEAVIEST {
            bind(&mut Values(&mut sent), &rest[bound]);
            bound += 1;
        }
        sqlx::query_with(AssertSqlSafe(statements.insert(table, bound)), sent.arguments).execute(&mut **conn).await?;
        rest = &rest[bound..];
    }
    Ok(())
}

/// Where a statement is no trip, one that is prepared once and carries one row is cheapest.
fn insert_each<T>(file: &rusqlite::Connection, text: &str, items: &[T], bind: impl Fn(&mut Values<'_>, &T)) -> rusqlite::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    let mut statement = file.prepare_cached(text)?;
    for item in items {
        bind_all(&mut statement, |values| bind(values, item))?;
        statement.raw_execute()?;
    }
    Ok(())
}

/// Runs one of the updates of `Statements` for all of `items`, whose runs are the first values bound. Returns the runs it did not change.
pub(crate) async fn update_all<'t, T>(
    conn: &mut Conn<'_>,
    statements: &mut Statements,
    text: impl Fn(&mut Statements, usize) -> Arc<String>,
    items: &'t [T],
    run: impl Fn(&'t T) -> &'t str,
    bind: impl Fn(&mut Values<'_>, &T),
) -> sqlx::Result<HashSet<&'t str>> {
    let mut unchanged: HashSet<&str> = HashSet::new();
    match (conn, statements.engine()) {
        (Conn::File(file), _) => {
            if items.is_empty() {
                return Ok(unchanged);
            }
            let mut statement = file.prepare_cached(&text(statements, 1)).map_err(file_error)?;
            for item in items {
                let changed = bind_all(&mut statement, |values| bind(values, item)).and_then(|()| statement.raw_execute());
                if changed.map_err(file_error)? == 0 {
                    unchanged.insert(run(item));
                }
            }
        }
        (Conn::Any(conn), Engine::Sqlite) => {
            for item in items {
                let query = sqlx::query_with(AssertSqlSafe(text(statements, 1)), collected(|values| bind(values, item)));
                if query.execute(&mut **conn).await?.rows_affected() == 0 {
                    unchanged.insert(run(item));
                }
            }
        }
        (Conn::Any(conn), Engine::Postgres) => {
            unchanged.extend(items.iter().map(&run));
            let mut rest = items;
            while !rest.is_empty() {
                let (now, later) = rest.split_at(portion(rest.len()));
                let arguments = collected(|values| now.iter().for_each(|item| bind(values, item)));
                let query = sqlx::query_with(AssertSqlSafe(text(statements, now.len())), arguments);
                for row in query.fetch_all(&mut **conn).await? {
                    unchanged.remove(row.try_get::<&str, _>(0)?);
                }
                rest = later;
            }
        }
    }
    Ok(unchanged)
}

/// What SQLite itself said, in the form in which sqlx passes it on.
pub(crate) fn file_error(error: rusqlite::Error) -> sqlx::Error {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => {
            sqlx::Error::Database(Box::new(FileError { message: message.unwrap_or_else(|| code.to_string()), code: code.extended_code }))
        }
        other => sqlx::Error::Encode(other.to_string().into()),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct FileError {
    message: String,
    /// SQLite's extended code.
    code: i32,
}

impl sqlx::error::DatabaseError for FileError {
    fn message(&self) -> &str {
        &self.message
    }
    fn code(&self) -> Option<Cow<'_, str>> {
        Some(self.code.to_string().into())
    }
    fn kind(&self) -> ErrorKind {
        use rusqlite::ffi;
        match self.code {
            ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY => ErrorKind::UniqueViolation,
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => ErrorKind::ForeignKeyViolation,
            ffi::SQLITE_CONSTRAINT_NOTNULL => ErrorKind::NotNullViolation,
            ffi::SQLITE_CONSTRAINT_CHECK => ErrorKind::CheckViolation,
            _ => ErrorKind::Other,
        }
    }
    fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self
    }
    fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
        self
    }
    fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
        self
    }
}

/// A transaction that means to write. On SQLite it takes the write lock at once: one that has to upgrade later can only fail.
pub(crate) async fn begin(conn: &mut AnyConnection, engine: Engine) -> sqlx::Result<Transaction<'_, sqlx::Any>> {
    conn.begin_with(match engine {
        Engine::Sqlite => "BEGIN IMMEDIATE",
        Engine::Postgres => "BEGIN",
    })
    .await
}

/// Text as both engines can store it: PostgreSQL has no NUL in text.
pub fn storable(text: &str) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.to_owned() }
}
