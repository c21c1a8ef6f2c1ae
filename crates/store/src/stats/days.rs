//! Days and months: where numbers are kept, and how news of runs is put into them, each run once.

use super::Stats;
use super::reading::DayTotals;
use crate::batch::rows_of;
use crate::error::{Class, class};
use crate::location::Engine;
use crate::project::{Projection, project};
use crate::sql::{self, Conn, Statements, Table};
use sqlx::Row as _;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet};
use synod_types::{day_of, month_of};

static RUN_STATS: Table = Table { name: "run_stats", columns: &["run", "principal", "mode", "rehearsal", "day", "at", "body"], amounts: &[] };
static STATS_NEWS: Table = Table { name: "stats_news", columns: &["id", "run", "news", "day", "mode", "rehearsal"], amounts: &[] };
static DAY_STATS: Table = Table {
    name: "day_stats",
    columns: &["principal", "day", "mode", "rehearsal", "body", "runs", "unpriced", "calls", "tokens_in", "tokens_out", "thinking", "usd"],
    amounts: &[],
};
static MONTH_STATS: Table = Table { name: "month_stats", columns: &["principal", "day", "mode", "rehearsal", "body"], amounts: &[] };

/// So much news is put into days at once, and so many journals are read for it; between two portions others may write.
const PORTION: i64 = 100;
const JOURNALS: usize = 10;
/// Under this name a day has the numbers of everybody.
pub(crate) const EVERYBODY: &str = "";

/// Writes the numbers of runs beside their projections. `true`: some were written before.
pub(crate) async fn write(conn: &mut Conn<'_>, statements: &mut Statements, due: &[(&Projection, bool)]) -> sqlx::Result<()> {
    keep(conn, statements, &due.iter().map(|(of, _)| *of).collect::<Vec<_>>()).await?;
    sql::insert_all(conn, statements, &STATS_NEWS, due, |values, (of, again)| {
        let id = uuid::Uuid::now_v7().to_string();
        values.text(&id).text(&of.run).text(if *again { "changed" } else { "added" });
        values.int(day_of(of.began)).text(&of.mode).int(i64::from(of.rehearsal));
    })
    .await
}

async fn keep(conn: &mut Conn<'_>, statements: &mut Statements, runs: &[&Projection]) -> sqlx::Result<()> {
    sql::insert_all(conn, statements, &RUN_STATS, runs, |values, of| {
        let body = sql::storable(&serde_json::to_string(&Stats::of(of)).unwrap_or_default());
        values.text(&of.run).text(&of.principal).text(&of.mode).int(i64::from(of.rehearsal)).int(day_of(of.began)).int(of.began).text(&body);
    })
    .await
}

/// A run that is about to be deleted: its day is put together again without it.
pub(crate) async fn forget(conn: &mut AnyConnection, run: &str) -> sqlx::Result<()> {
    let sql =
        "INSERT INTO stats_news (id, run, news, day, mode, rehearsal) SELECT $1, run, 'changed', day, mode, rehearsal FROM run_stats WHERE run = $2";
    sqlx::query(sql).bind(uuid::Uuid::now_v7().to_string()).bind(run).execute(&mut *conn).await?;
    sqlx::query("DELETE FROM run_stats WHERE run = $1").bind(run).execute(conn).await?;
    Ok(())
}

/// Day, mode and rehearsal.
type Place = (i64, String, i64);

/// One portion of the news. `true`: there may be more.
pub(super) async fn portion(conn: &mut AnyConnection, statements: &mut Statements) -> sqlx::Result<bool> {
    let mut transaction = sql::begin(conn, statements.engine()).await?;
    match put_together(&mut transaction, statements).await {
        Ok(more) => transaction.commit().await.map(|()| more),
        Err(error) => {
            transaction.rollback().await?;
            // A run was written or deleted at the same moment.
            if class(&error) == Class::Again { Ok(true) } else { Err(error) }
        }
    }
}

pub(crate) fn read(body: &str) -> sqlx::Result<Stats> {
    serde_json::from_str(body).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Puts a portion of the news into the days, each run once: what a day was put together of is marked in the same transaction. `true`: there may be
/// more.
async fn put_together(conn: &mut AnyConnection, statements: &mut Statements) -> sqlx::Result<bool> {
    if statements.engine() == Engine::Postgres {
        // One at a time, of all servers. Writers of runs never touch this table.
        sqlx::query("LOCK TABLE day_stats IN EXCLUSIVE MODE").execute(&mut *conn).await?;
    }
    let sql = "SELECT id, run, news, day, mode, rehearsal FROM stats_news ORDER BY day, mode, rehearsal, id LIMIT $1";
    let mut news = sqlx::query(sql).bind(PORTION).fetch_all(&mut *conn).await?;
    let more = news.len() as i64 == PORTION;
    let unread: Vec<usize> = (0..news.len()).filter(|at| news[*at].try_get::<&str, _>(2).is_ok_and(|news| news == "unread")).collect();
    let rest = unread.get(JOURNALS).copied();
    news.truncate(rest.unwrap_or(news.len()));
    let mut anew: BTreeSet<Place> = BTreeSet::new();
    let mut added: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    for row in &news {
        let (run, place): (String, Place) = (row.try_get(1)?, (row.try_get(3)?, row.try_get(4)?, row.try_get(5)?));
        match row.try_get::<&str, _>(2)? {
            "added" => added.entry(place).or_default().push(run),
            "unread" => {
                if count_from_journal(conn, statements, &run).await? {
                    added.entry(place).or_default().push(run);
                }
            }
            _ => {
                anew.insert(place);
            }
        }
    }
    for (place, runs) in added.iter().filter(|(place, _)| !anew.contains(*place)) {
        let mut rows = Vec::new();
        for run in runs {
            let sql = "UPDATE run_stats SET counted = 1 WHERE run = $1 AND counted = 0 RETURNING principal, body";
            rows.extend(sqlx::query(sql).bind(run).fetch_all(&mut *conn).await?);
        }
        let sums = sums(&rows)?;
        add(conn, statements, &DAY_STATS, place, &sums).await?;
        add(conn, statements, &MONTH_STATS, &place_of_month(place), &sums).await?;
    }
    for place in &anew {
        clear(conn, &DAY_STATS, place).await?;
        let sql = "UPDATE run_stats SET counted = 1 WHERE day = $1 AND mode = $2 AND rehearsal = $3 RETURNING principal, body";
        let rows = sqlx::query(sql).bind(place.0).bind(&place.1).bind(place.2).fetch_all(&mut *conn).await?;
        add(conn, statements, &DAY_STATS, place, &sums(&rows)?).await?;
    }
    for month in anew.iter().map(place_of_month).collect::<BTreeSet<Place>>() {
        clear(conn, &MONTH_STATS, &month).await?;
        let sql = "SELECT principal, body FROM day_stats WHERE day >= $1 AND day < $2 AND mode = $3 AND rehearsal = $4";
        let days = month_of(month.0);
        let rows = sqlx::query(sql).bind(days.start).bind(days.end).bind(&month.1).bind(month.2).fetch_all(&mut *conn).await?;
        let mut sums: BTreeMap<String, Stats> = BTreeMap::new();
        for row in &rows {
            sums.entry(row.try_get(0)?).or_default().add(&read(row.try_get(1)?)?);
        }
        add(conn, statements, &MONTH_STATS, &month, &sums).await?;
    }
    for row in &news {
        sqlx::query("DELETE FROM stats_news WHERE id = $1").bind(row.try_get::<&str, _>(0)?).execute(&mut *conn).await?;
    }
    Ok(more || rest.is_some())
}

/// A month has the number of its first day.
fn place_of_month((day, mode, rehearsal): &Place) -> Place {
    (month_of(*day).start, mode.clone(), *rehearsal)
}

/// Runs put together: those of each principal, and everybody's.
fn sums(runs: &[sqlx::any::AnyRow]) -> sqlx::Result<BTreeMap<String, Stats>> {
    let mut sums: BTreeMap<String, Stats> = BTreeMap::new();
    for row in runs {
        let stats = read(row.try_get(1)?)?;
        for principal in [row.try_get(0)?, EVERYBODY] {
            sums.entry(principal.to_owned()).or_default().add(&stats);
        }
    }
    Ok(sums)
}

async fn clear(conn: &mut AnyConnection, table: &Table, place: &Place) -> sqlx::Result<()> {
    let sql = format!("DELETE FROM {} WHERE day = $1 AND mode = $2 AND rehearsal = $3", table.name);
    sqlx::query(AssertSqlSafe(sql)).bind(place.0).bind(&place.1).bind(place.2).execute(conn).await?;
    Ok(())
}

/// Puts sums to what a day or a month has already.
async fn add(
    conn: &mut AnyConnection,
    statements: &mut Statements,
    table: &'static Table,
    place: &Place,
    sums: &BTreeMap<String, Stats>,
) -> sqlx::Result<()> {
    for (principal, sum) in sums {
        let mut sum = sum.clone();
        let which = "WHERE principal = $1 AND day = $2 AND mode = $3 AND rehearsal = $4";
        let bind = |sql: String| sqlx::query::<sqlx::Any>(AssertSqlSafe(sql)).bind(principal).bind(place.0).bind(&place.1).bind(place.2);
        if let Some(before) = bind(format!("SELECT body FROM {} {which}", table.name)).fetch_optional(&mut *conn).await? {
            sum.add(&read(before.try_get(0)?)?);
            bind(format!("DELETE FROM {} {which}", table.name)).execute(&mut *conn).await?;
        }
        let (body, totals) = (serde_json::to_string(&sum).unwrap_or_default(), DayTotals::of(place.0, &sum));
        sql::insert_all(&mut Conn::Any(conn), statements, table, &[body], |values, body| {
            values.text(principal).int(place.0).text(&place.1).int(place.2).text(body);
            if table.name == DAY_STATS.name {
                let counts = [totals.runs, totals.unpriced, totals.calls, totals.tokens_in, totals.tokens_out, totals.thinking];
                counts.into_iter().fold(values, |values, count| values.int(i64::try_from(count).unwrap_or(i64::MAX))).real(totals.usd);
            }
        })
        .await?;
    }
    Ok(())
}

/// A run from before numbers were kept. `false`: there is nothing to count, or it was counted meanwhile.
async fn count_from_journal(conn: &mut AnyConnection, statements: &mut Statements, run: &str) -> sqlx::Result<bool> {
    let known = sqlx::query("SELECT run FROM run_stats WHERE run = $1").bind(run).fetch_optional(&mut *conn).await?.is_some();
    let rows = if known { Vec::new() } else { rows_of(conn, run, 0).await? };
    if rows.is_empty() {
        return Ok(false);
    }
    keep(&mut Conn::Any(conn), statements, &[&project(&rows)]).await?;
    Ok(true)
}
