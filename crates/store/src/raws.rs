//! The retention of raw replies. The journal keeps their SHA-256, so that one which is gone is known as expired, not as altered.

use crate::StoreError;
use crate::store::Store;
use synod_types::{DAY_MS, Millis};

impl Store {
    /// Drops the raw replies of runs untouched for longer than the retention. Returns how many. Without a retention nothing expires.
    pub async fn expire_raws(&self, now: Millis) -> Result<u64, StoreError> {
        let Some(days) = self.settings().raw_retention_days else { return Ok(0) };
        let before = now.saturating_sub(Millis::from(days) * DAY_MS);
        self.write(move |desk| {
            Box::pin(async move {
                // A run that still goes on may have to read its replies again, however old the first of them is.
                let sql = "DELETE FROM raws WHERE at < $1 AND run IN (SELECT id FROM runs WHERE updated_at < $1)";
                Ok(sqlx::query(sql).bind(before).execute(desk.connection().await?).await?.rows_affected())
            })
        })
        .await
    }
}
