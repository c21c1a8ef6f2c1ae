//! Numbers for those who ask: of days, of everything, and of the runs behind them.

use super::days::{EVERYBODY, portion, read};
use super::{ModelStats, Stats};
use crate::StoreError;
use crate::location::Engine;
use crate::sql::Statements;
use crate::store::Store;
use sqlx::{AssertSqlSafe, Row as _};
use synod_types::{DAY_MS, Millis};

/// Which numbers are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatsFilter {
    /// Whose runs. `None`: everybody's.
    pub principal: Option<String>,
    /// Days since the Unix epoch, from this one on.
    pub since_day: Option<i64>,
    pub mode: Option<String>,
    /// Rehearsals too.
    pub rehearsals: bool,
}

/// The numbers of one day in one mode.
#[derive(Clone, Debug, PartialEq)]
pub struct DayStats {
    pub day: i64,
    pub mode: String,
    pub stats: Stats,
}

/// What was used on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DayTotals {
    pub day: i64,
    pub runs: u64,
    pub unpriced: u64,
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub thinking: u64,
    pub usd: f64,
}

impl DayTotals {
    pub fn of(day: i64, stats: &Stats) -> Self {
        let sum = |of: fn(&ModelStats) -> u64| stats.models.values().map(of).sum();
        Self {
            day,
            runs: stats.runs,
            unpriced: stats.unpriced,
            calls: sum(|model| model.calls),
            tokens_in: sum(|model| model.tokens_in),
            tokens_out: sum(|model| model.tokens_out),
            thinking: sum(|model| model.thinking),
            usd: stats.models.values().map(|model| model.usd).sum(),
        }
    }
}

/// The numbers of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct StatsOfRun {
    pub run: String,
    pub mode: String,
    pub at: Millis,
    pub stats: Stats,
}

impl Store {
    /// The numbers of days, oldest first, with everything that has been written until now.
    pub async fn day_stats(&self, filter: &StatsFilter) -> Result<Vec<DayStats>, StoreError> {
        self.put_days_together().await?;
        let mut conn = self.reader().await?;
        let sql = concat!(
            "SELECT day, mode, body FROM day_stats WHERE principal = $1 AND day >= $2 AND ($3 = '' OR mode = $3) AND ($4 = 1 OR rehearsal = 0)",
            " ORDER BY day, mode, rehearsal"
        );
        let query = sqlx::query(sql).bind(filter.principal.as_deref().unwrap_or(EVERYBODY)).bind(filter.since_day.unwrap_or(i64::MIN));
        let query = query.bind(filter.mode.as_deref().unwrap_or_default()).bind(i64::from(filter.rehearsals));
        let rows = query.fetch_all(&mut *conn).await?;
        Ok(rows
            .iter()
            .map(|row| Ok(DayStats { day: row.try_get(0)?, mode: row.try_get(1)?, stats: read(row.try_get(2)?)? }))
            .collect::<sqlx::Result<_>>()?)
    }

    /// Everything there ever was, by mode, and what was used each day, oldest first. `since_day` is not looked at.
    pub async fn whole_stats(&self, filter: &StatsFilter) -> Result<(Vec<(String, Stats)>, Vec<DayTotals>), StoreError> {
        self.put_days_together().await?;
        let mut conn = self.reader().await?;
        let bind = |sql| {
            let query = sqlx::query::<sqlx::Any>(sql).bind(filter.principal.as_deref().unwrap_or(EVERYBODY));
            query.bind(filter.mode.as_deref().unwrap_or_default()).bind(i64::from(filter.rehearsals))
        };
        let sql = "SELECT mode, body FROM month_stats WHERE principal = $1 AND ($2 = '' OR mode = $2) AND ($3 = 1 OR rehearsal = 0)";
        let rows = bind(sql).fetch_all(&mut *conn).await?;
        let modes = rows.iter().map(|row| Ok((row.try_get(0)?, read(row.try_get(1)?)?))).collect::<sqlx::Result<_>>()?;
        let sql = concat!(
            "SELECT day, CAST(SUM(runs) AS BIGINT), CAST(SUM(unpriced) AS BIGINT), CAST(SUM(calls) AS BIGINT), CAST(SUM(tokens_in) AS BIGINT),",
            " CAST(SUM(tokens_out) AS BIGINT), CAST(SUM(thinking) AS BIGINT), SUM(usd) FROM day_stats",
            " WHERE principal = $1 AND ($2 = '' OR mode = $2) AND ($3 = 1 OR rehearsal = 0) GROUP BY day ORDER BY day"
        );
        let rows = bind(sql).fetch_all(&mut *conn).await?;
        let whole = |row: &sqlx::any::AnyRow, at: usize| row.try_get::<i64, _>(at).map(|n| u64::try_from(n).unwrap_or(0));
        let day = |row: &sqlx::any::AnyRow| {
            Ok(DayTotals {
                day: row.try_get(0)?,
                runs: whole(row, 1)?,
                unpriced: whole(row, 2)?,
                calls: whole(row, 3)?,
                tokens_in: whole(row, 4)?,
                tokens_out: whole(row, 5)?,
                thinking: whole(row, 6)?,
                usd: row.try_get(7)?,
            })
        };
        Ok((modes, rows.iter().map(day).collect::<sqlx::Result<_>>()?))
    }

    /// The newest runs behind the numbers, at most so many of them, begun before `before`.
    pub async fn run_stats(&self, filter: &StatsFilter, before: Option<(Millis, String)>, limit: u32) -> Result<Vec<StatsOfRun>, StoreError> {
        let mut conn = self.reader().await?;
        // Only what is asked for stands in the text, so that an index serves it.
        let mut text = "SELECT run, mode, at, body FROM run_stats WHERE (at < $1 OR at = $1 AND run < $2)".to_owned();
        let named = [("mode", &filter.mode), ("principal", &filter.principal)];
        let given: Vec<(&str, &String)> = named.into_iter().filter_map(|(column, value)| Some((column, value.as_ref()?))).collect();
        for (n, (column, _)) in (4..).zip(&given) {
            text.push_str(&format!(" AND {column} = ${n}"));
        }
        if let Some(day) = filter.since_day {
            text.push_str(&format!(" AND at >= {}", day.saturating_mul(DAY_MS)));
        }
        if !filter.rehearsals {
            text.push_str(" AND rehearsal = 0");
        }
        text.push_str(" ORDER BY at DESC, run DESC LIMIT $3");
        let (at, run) = before.unwrap_or((Millis::MAX, String::new()));
        let query = sqlx::query(AssertSqlSafe(text)).bind(at).bind(run).bind(i64::from(limit));
        let query = given.into_iter().fold(query, |query, (_, value)| query.bind(value));
        let rows = query.fetch_all(&mut *conn).await?;
        let one = |row: &sqlx::any::AnyRow| {
            Ok(StatsOfRun { run: row.try_get(0)?, mode: row.try_get(1)?, at: row.try_get(2)?, stats: read(row.try_get(3)?)? })
        };
        Ok(rows.iter().map(one).collect::<sqlx::Result<_>>()?)
    }

    pub(crate) async fn put_days_together(&self) -> Result<(), StoreError> {
        loop {
            let mut conn = self.reader().await?;
            if sqlx::query("SELECT id FROM stats_news LIMIT 1").fetch_optional(&mut *conn).await?.is_none() {
                return Ok(());
            }
            let more = match self.engine() {
                // A connection of its own: whoever counts holds up nobody who writes.
                Engine::Postgres => portion(&mut conn, &mut Statements::new(Engine::Postgres)).await?,
                Engine::Sqlite => {
                    drop(conn);
                    self.write(|desk| {
                        Box::pin(async move {
                            let (conn, statements) = desk.any_parts().await?;
                            portion(conn, statements).await
                        })
                    })
                    .await?
                }
            };
            if !more {
                return Ok(());
            }
        }
    }
}
