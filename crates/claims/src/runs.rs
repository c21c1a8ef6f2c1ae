//! Which runs of built-in workers belong to which slots. A run is written down before it begins.

use crate::book::{Change, ClaimSettings, Claims};
use crate::error::{ClaimsResult, Step};
use futures::future::BoxFuture;
use sqlx::Row as _;
use synod_store::Transaction;

struct Assign {
    claim: String,
    slot: Option<String>,
    run: String,
}

impl Change<()> for Assign {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<()>> {
        Box::pin(async move {
            let sql = "INSERT INTO claim_runs (run, claim_id, slot_id, created_at) VALUES ($1, $2, $3, $4)";
            let insert = sqlx::query(sql).bind(&self.run).bind(&self.claim).bind(&self.slot).bind(tx.now);
            insert.execute(&mut *tx.conn).await?;
            Ok(())
        })
    }
}

/// What the runs for a claim have cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClaimSpent {
    pub runs: i64,
    /// The known part.
    pub usd: f64,
    /// Runs of which it is not known, or not yet.
    pub unknown: i64,
}

impl Claims {
    /// Writes down that a run, which is about to begin, is for this slot; without one, that it merges the claim's summaries.
    pub async fn assign_run(&self, claim: &str, slot: Option<&str>, run: &str) -> ClaimsResult<()> {
        self.change(Assign { claim: claim.to_owned(), slot: slot.map(str::to_owned), run: run.to_owned() }).await
    }

    /// The newest run for a slot, whether or not it came to begin.
    pub async fn last_run(&self, slot: &str) -> ClaimsResult<Option<String>> {
        let mut conn = self.store.reading().await?;
        let sql = "SELECT run FROM claim_runs WHERE slot_id = $1 ORDER BY created_at DESC, run DESC LIMIT 1";
        let row = sqlx::query(sql).bind(slot).fetch_optional(&mut *conn).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    pub async fn spent(&self, claim: &str) -> ClaimsResult<ClaimSpent> {
        let mut conn = self.store.reading().await?;
        let sql = concat!(
            "SELECT CAST(COUNT(*) AS BIGINT), COALESCE(SUM(r.spent_usd), 0.0), CAST(COUNT(*) - COUNT(r.spent_usd) AS BIGINT)",
            " FROM claim_runs c JOIN runs r ON r.id = c.run WHERE c.claim_id = $1"
        );
        let row = sqlx::query(sql).bind(claim).fetch_one(&mut *conn).await?;
        Ok(ClaimSpent { runs: row.try_get(0)?, usd: row.try_get(1)?, unknown: row.try_get(2)? })
    }
}
