//! What was used, by day and model: read from the costs of runs, which are written when a run stops or ends.

use crate::StoreError;
use crate::store::Store;
use serde::Serialize;
use sqlx::Row as _;
use synod_types::Millis;

/// One model's part of one day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DayUsage {
    /// Days since the Unix epoch, UTC.
    pub day: i64,
    pub model: String,
    pub runs: i64,
    pub calls: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    /// The known part.
    pub usd: f64,
    /// Runs whose part of it is unknown.
    pub unpriced_runs: i64,
}

impl Store {
    /// Of one principal, or of everybody; newest day first.
    pub async fn usage(&self, principal: Option<&str>, since: Millis, until: Millis) -> Result<Vec<DayUsage>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = concat!(
            "SELECT r.created_at / 86400000, c.model, CAST(COUNT(*) AS BIGINT), CAST(SUM(c.calls) AS BIGINT),",
            " CAST(SUM(c.tokens_in) AS BIGINT), CAST(SUM(c.tokens_out) AS BIGINT), SUM(COALESCE(c.usd, 0.0)),",
            " CAST(SUM(CASE WHEN c.usd IS NULL THEN 1 ELSE 0 END) AS BIGINT)",
            " FROM costs c JOIN runs r ON r.id = c.run",
            " WHERE r.created_at >= $1 AND r.created_at < $2 AND ($3 = '' OR r.principal = $3)",
            " GROUP BY 1, 2 ORDER BY 1 DESC, 2"
        );
        let query = sqlx::query(sql).bind(since).bind(until).bind(principal.unwrap_or_default());
        let rows = query.fetch_all(&mut *conn).await?;
        rows.iter()
            .map(|row| {
                Ok(DayUsage {
                    day: row.try_get(0)?,
                    model: row.try_get(1)?,
                    runs: row.try_get(2)?,
                    calls: row.try_get(3)?,
                    tokens_in: row.try_get(4)?,
                    tokens_out: row.try_get(5)?,
                    usd: row.try_get(6)?,
                    unpriced_runs: row.try_get(7)?,
                })
            })
            .collect()
    }
}
