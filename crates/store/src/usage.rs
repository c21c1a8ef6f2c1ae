//! What was used, by day and model: read from the numbers of runs, which are written when a run stops or ends.

use crate::StoreError;
use crate::runs::RunSummary;
use crate::stats::{EVERYBODY, ModelStats, Stats, read};
use crate::store::Store;
use serde::Serialize;
use sqlx::Row as _;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use synod_types::{DAY_MS, Millis, day_of};

/// One model's part of one day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DayUsage {
    /// Days since the Unix epoch, UTC.
    pub day: i64,
    pub model: String,
    pub runs: u64,
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// The known part.
    pub usd: f64,
    /// Runs whose part of it is unknown.
    pub unpriced_runs: u64,
}

impl Store {
    /// Of one principal, or of everybody; newest day first. Runs count by when they began.
    pub async fn usage(&self, principal: Option<&str>, since: Millis, until: Millis) -> Result<Vec<DayUsage>, StoreError> {
        self.put_days_together().await?;
        let mut days: BTreeMap<(Reverse<i64>, String), ModelStats> = BTreeMap::new();
        let mut add = |day: i64, stats: Stats| {
            for (model, used) in stats.models.into_iter().filter(|(_, used)| used.calls > 0) {
                days.entry((Reverse(day), model)).or_default().add(&used);
            }
        };
        // Whole days are put together already; of the first and the last only some runs may be wanted.
        let first = day_of(since) + i64::from(since.rem_euclid(DAY_MS) > 0);
        let last = day_of(until).max(first);
        let mut conn = self.reader().await?;
        let sql = "SELECT day, body FROM day_stats WHERE principal = $1 AND day >= $2 AND day < $3";
        for row in sqlx::query(sql).bind(principal.unwrap_or(EVERYBODY)).bind(first).bind(last).fetch_all(&mut *conn).await? {
            add(row.try_get(0)?, read(row.try_get(1)?)?);
        }
        let sql = "SELECT day, body FROM run_stats WHERE at >= $1 AND at < $2 AND (day < $3 OR day >= $4) AND ($5 = '' OR principal = $5)";
        let query = sqlx::query(sql).bind(since).bind(until).bind(first).bind(last).bind(principal.unwrap_or(EVERYBODY));
        for row in query.fetch_all(&mut *conn).await? {
            add(row.try_get(0)?, read(row.try_get(1)?)?);
        }
        let usage = |((Reverse(day), model), used): ((Reverse<i64>, String), ModelStats)| {
            let ModelStats { runs, calls, tokens_in, tokens_out, usd, unpriced_runs, .. } = used;
            DayUsage { day, model, runs, calls, tokens_in, tokens_out, usd, unpriced_runs }
        };
        Ok(days.into_iter().map(usage).collect())
    }

    /// Models some of whose cost in a run is unknown.
    pub async fn unpriced(&self, run: &RunSummary) -> Result<Vec<String>, StoreError> {
        // Of one that goes on, its numbers are those of its last stop.
        let kept = match run.state.ended() {
            true => sqlx::query("SELECT body FROM run_stats WHERE run = $1").bind(&run.id).fetch_optional(&mut *self.reader().await?).await?,
            false => None,
        };
        let stats = match kept {
            Some(row) => read(row.try_get(0)?)?,
            None => Stats::of(&self.projection(&run.id).await?),
        };
        Ok(stats.models.into_iter().filter(|(_, model)| model.unpriced_runs > 0).map(|(name, _)| name).collect())
    }
}
