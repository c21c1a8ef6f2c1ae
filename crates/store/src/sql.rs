//! SQL texts that depend on how many rows they carry, and the values bound to them.
//!
//! Made of constants only, never of data. Placeholders are `?` on SQLite, where a numbered one costs a search per bound value, and `$n` on
//! PostgreSQL.

use crate::location::Engine;
use futures::TryStreamExt;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{AnyConnection, Arguments, AssertSqlSafe, Connection, Either, Executor, Transaction};
use std::collections::HashMap;
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
        self.update("release", set, guard, "", &[false; 3], runs)
    }

    /// Writes what a projection says of runs themselves: id, state, status and what was spent.
    pub fn conclude(&mut self, runs: usize) -> Arc<String> {
        let set = "state = v.column2, status = v.column3, spent_usd = v.column4";
        self.update("conclude", set, "runs.id = v.column1", "", &[false, false, false, true], runs)
    }

    /// The one conditional update that guards every append: fence, chain tail and lock. Returns the runs it let through.
    pub fn advance(&mut self, runs: usize) -> Arc<String> {
        let set = "seq = runs.seq + v.column2, head = v.column3, state = v.column4, updated_at = v.column5";
        let guard = "runs.id = v.column1 AND runs.epoch = v.column6 AND runs.head = v.column7";
        self.update("advance", set, guard, " RETURNING id", &[false; 7], runs)
    }

    /// SQLite only: a whole transaction for one run in one text, because every statement is a trip to the connection's thread. Each part is
    /// done only if the one before it changed something, the first only if the run is as it should be.
    pub fn small(&mut self, journal: &Table, rows: usize, raws_table: &Table, raws: usize) -> Arc<String> {
        let make = || {
            let mut text = String::from(
                "BEGIN IMMEDIATE; UPDATE runs SET seq = seq + ?, head = ?, state = ?, updated_at = ? WHERE id = ? AND epoch = ? AND head = ?",
            );
            for (table, rows) in [(journal, rows), (raws_table, raws)].into_iter().filter(|(_, rows)| *rows > 0) {
                text.push_str(&format!("; INSERT OR FAIL INTO {} ({}) SELECT * FROM (VALUES ", table.name, table.columns.join(", ")));
                push_tuples(&mut text, Engine::Sqlite, rows, &vec![false; table.columns.len()]);
                text.push_str(") WHERE changes() > 0");
            }
            text.push_str("; COMMIT");
            Arc::new(text)
        };
        self.made.entry(("small", rows * 100 + raws)).or_insert_with(make).clone()
    }

    fn update(&mut self, name: &'static str, set: &str, guard: &str, returning: &str, amounts: &[bool], runs: usize) -> Arc<String> {
        let engine = self.engine;
        let make = || {
            let mut text = format!("UPDATE runs SET {set} FROM (VALUES ");
            push_tuples(&mut text, engine, runs, amounts);
            text.push_str(&format!(") AS v WHERE {guard}{returning}"));
            Arc::new(text)
        };
        self.made.entry((name, runs)).or_insert_with(make).clone()
    }
}

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

/// Values in the order of a statement's placeholders.
#[derive(Default)]
pub(crate) struct Values {
    arguments: AnyArguments,
    /// Bytes of text.
    weight: usize,
}

impl Values {
    pub fn for_placeholders(n: usize) -> Self {
        let mut arguments = AnyArguments::default();
        arguments.reserve(n, 0);
        Self { arguments, weight: 0 }
    }
    fn add<'t, T: sqlx::Encode<'t, sqlx::Any> + sqlx::Type<sqlx::Any>>(&mut self, value: T) -> &mut Self {
        self.arguments.add(value).expect("text, numbers and bytes always encode");
        self
    }
    pub fn text(&mut self, value: &str) -> &mut Self {
        self.weight += value.len();
        self.add(value)
    }
    pub fn some_text(&mut self, value: Option<&str>) -> &mut Self {
        self.weight += value.map_or(0, str::len);
        self.add(value)
    }
    pub fn int(&mut self, value: i64) -> &mut Self {
        self.add(value)
    }
    pub fn some_int(&mut self, value: Option<i64>) -> &mut Self {
        self.add(value)
    }
    pub fn real(&mut self, value: f64) -> &mut Self {
        self.add(value)
    }
    /// For a column of `Table::amounts`. Negative and undefined amounts are unknown too.
    pub fn amount(&mut self, value: Option<f64>) -> &mut Self {
        self.add(value.filter(|value| value.is_finite() && *value >= 0.0).unwrap_or(-1.0))
    }
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.add(value)
    }
}

/// Puts all of `items` into a table, in as few statements as is cheapest.
pub(crate) async fn insert_all<T>(
    conn: &mut AnyConnection,
    statements: &mut Statements,
    table: &'static Table,
    items: &[T],
    bind: impl Fn(&mut Values, &T),
) -> sqlx::Result<()> {
    let mut rest = items;
    while !rest.is_empty() {
        let most = portion(rest.len());
        let mut values = Values::for_placeholders(most * table.columns.len());
        let mut bound = 0;
        while bound < most && values.weight < HEAVIEST {
            bind(&mut values, &rest[bound]);
            bound += 1;
        }
        sqlx::query_with(AssertSqlSafe(statements.insert(table, bound)), values.arguments).execute(&mut *conn).await?;
        rest = &rest[bound..];
    }
    Ok(())
}

/// Runs one of the updates of `Statements` for all of `items`. Returns the rows it gives back.
pub(crate) async fn update_all<T>(
    conn: &mut AnyConnection,
    statements: &mut Statements,
    text: impl Fn(&mut Statements, usize) -> Arc<String>,
    items: &[T],
    bind: impl Fn(&mut Values, &T),
) -> sqlx::Result<Vec<AnyRow>> {
    let mut out = Vec::new();
    let mut rest = items;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(portion(rest.len()));
        let mut values = Values::default();
        for item in now {
            bind(&mut values, item);
        }
        let query = sqlx::query_with(AssertSqlSafe(text(statements, now.len())), values.arguments);
        out.extend(query.fetch_all(&mut *conn).await?);
        rest = later;
    }
    Ok(out)
}

/// Runs a text of several statements. Returns how many rows the second one changed: the first is `BEGIN`.
pub(crate) async fn script(conn: &mut AnyConnection, text: Arc<String>, values: Values) -> sqlx::Result<u64> {
    let outcome = async {
        let mut results = conn.fetch_many(sqlx::query_with(AssertSqlSafe(text), values.arguments));
        let (mut n, mut changed) = (0, 0);
        while let Some(result) = results.try_next().await? {
            if let Either::Left(done) = result {
                n += 1;
                if n == 2 {
                    changed = done.rows_affected();
                }
            }
        }
        Ok(changed)
    };
    let outcome: sqlx::Result<u64> = outcome.await;
    if outcome.is_err()
        && let Err(error) = conn.execute("ROLLBACK").await
    {
        // Some errors end the transaction themselves.
        tracing::debug!(%error, "rollback");
    }
    outcome
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
