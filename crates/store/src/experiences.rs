//! What decisions taught: records that verdicts carry, kept so that later runs can be given some of them.

use crate::StoreError;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::Row as _;
use synod_types::Millis;

/// One decision's record. What it holds is the mode's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperienceRow {
    pub run: String,
    pub mode: String,
    pub body: Value,
    pub at: Millis,
}

impl Store {
    /// The newest records, newest first.
    pub async fn experiences(&self, limit: u32) -> Result<Vec<ExperienceRow>, StoreError> {
        self.experiences_of(None, limit).await
    }

    /// The same of one principal's runs. `None`: everybody's.
    pub async fn experiences_of(&self, principal: Option<&str>, limit: u32) -> Result<Vec<ExperienceRow>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = concat!(
            "SELECT e.run, e.mode, e.body, e.created_at FROM experiences e JOIN runs r ON r.id = e.run",
            " WHERE ($1 = '' OR r.principal = $1) ORDER BY e.created_at DESC, e.run DESC LIMIT $2"
        );
        let rows = sqlx::query(sql).bind(principal.unwrap_or_default()).bind(i64::from(limit)).fetch_all(&mut *conn).await?;
        rows.iter().map(read).collect()
    }

    /// The record of one run; `None` if its decision was not remembered.
    pub async fn experience(&self, run: &str) -> Result<Option<ExperienceRow>, StoreError> {
        let mut conn = self.reader().await?;
        let row = sqlx::query("SELECT run, mode, body, created_at FROM experiences WHERE run = $1").bind(run).fetch_optional(&mut *conn).await?;
        row.as_ref().map(read).transpose()
    }
}

fn read(row: &sqlx::any::AnyRow) -> Result<ExperienceRow, StoreError> {
    let body: String = row.try_get(2)?;
    let body = serde_json::from_str(&body).map_err(|error| StoreError::Storage(format!("an experience record cannot be read: {error}")))?;
    Ok(ExperienceRow { run: row.try_get(0)?, mode: row.try_get(1)?, body, at: row.try_get(3)? })
}
