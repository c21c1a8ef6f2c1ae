//! Runs that nobody goes on with although they could: their process died, or a person has answered them. And how many runs there are of each state.

use crate::StoreError;
use crate::store::Store;
use sqlx::Row as _;
use synod_types::{Millis, RunState};

impl Store {
    /// Runs whose process is gone without a word, and waiting ones whose question was answered while nobody held them; the oldest first.
    pub async fn orphans(&self) -> Result<Vec<String>, StoreError> {
        let mut conn = self.reader().await?;
        let now = crate::lease::now(&mut conn, self.engine()).await?;
        let sql = concat!(
            "SELECT id, owner, (SELECT lease_until FROM owners WHERE owners.id = runs.owner), state FROM runs",
            // The first condition is that of the index.
            " WHERE state IN ('running', 'waiting') AND (state = 'running' OR owner IS NULL AND EXISTS (SELECT 1 FROM inbox i",
            " WHERE i.run = runs.id AND i.kind = 'answer'",
            " AND NOT EXISTS (SELECT 1 FROM journal a WHERE a.run = i.run AND a.key = i.key AND a.kind = 'answered')))",
            " ORDER BY created_at, id"
        );
        let mut orphans = Vec::new();
        for row in sqlx::query(sql).fetch_all(&mut *conn).await? {
            let owner: Option<String> = row.try_get(1)?;
            if owner.is_none_or(|owner| self.is_gone(&owner, row.try_get(2).unwrap_or_default(), now)) {
                orphans.push(row.try_get(0)?);
            }
        }
        Ok(orphans)
    }

    fn is_gone(&self, owner: &str, lease_until: Option<Millis>, now: Millis) -> bool {
        owner != self.owner() && matches!(crate::lease::claim(self.owners(), owner, lease_until, now), crate::lease::Claim::Free)
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let mut conn = self.reader().await?;
        sqlx::query("SELECT 1").fetch_one(&mut *conn).await?;
        Ok(())
    }

    /// How many runs there are of each state as it is stored: one whose process is gone still counts as running.
    pub async fn runs_by_state(&self) -> Result<Vec<(RunState, i64)>, StoreError> {
        let mut conn = self.reader().await?;
        let rows = sqlx::query("SELECT 0, CAST(COUNT(*) AS BIGINT), state FROM runs GROUP BY state ORDER BY state").fetch_all(&mut *conn).await?;
        rows.iter().map(|row| Ok((crate::writer::read_state(row, 2)?, row.try_get(1)?))).collect()
    }
}
