//! Keys of a server, what each has used of its limits, and which of its requests began which run.

use crate::StoreError;
use crate::sql::storable;
use crate::store::Store;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};
use synod_types::{AccessKey, DAY_MS, KeyLimits, Millis, RunState};

/// How long a repeated request finds the run that the first one began.
pub(crate) const REPEATS_MS: Millis = DAY_MS;

/// The run a request began, and what the request said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    pub run: String,
    pub body_sha256: String,
}

/// What a key has used of its daily allowance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    pub calls: i64,
    pub usd: f64,
}

impl Store {
    /// Keeps a key, by the SHA-256 of it.
    pub async fn add_key(&self, key: AccessKey, hash: String) -> Result<(), StoreError> {
        self.write(move |desk| Box::pin(async move { insert_key(desk.connection().await?, &key, &hash).await })).await
    }

    /// Newest first.
    pub async fn keys(&self) -> Result<Vec<AccessKey>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = "SELECT id, owner, scopes, limits, created_at, revoked_at FROM access_keys ORDER BY created_at DESC, id";
        sqlx::query(sql).fetch_all(&mut *conn).await?.iter().map(read_key).collect()
    }

    /// The key with this hash, unless it was revoked.
    pub async fn key_by_hash(&self, hash: &str) -> Result<Option<AccessKey>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = "SELECT id, owner, scopes, limits, created_at, revoked_at FROM access_keys WHERE hash = $1 AND revoked_at IS NULL";
        sqlx::query(sql).bind(hash).fetch_optional(&mut *conn).await?.as_ref().map(read_key).transpose()
    }

    /// The key of this id, also one that was revoked.
    pub async fn key(&self, id: &str) -> Result<Option<AccessKey>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = "SELECT id, owner, scopes, limits, created_at, revoked_at FROM access_keys WHERE id = $1";
        sqlx::query(sql).bind(id).fetch_optional(&mut *conn).await?.as_ref().map(read_key).transpose()
    }

    /// From now on the key opens nothing. False: no such key, or revoked before.
    pub async fn revoke_key(&self, id: &str, at: Millis) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(move |desk| {
            Box::pin(async move {
                let sql = "UPDATE access_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
                Ok(sqlx::query(sql).bind(at).bind(&id).execute(desk.connection().await?).await?.rows_affected() > 0)
            })
        })
        .await
    }

    /// The run that this request began within the last day.
    pub async fn repeat(&self, principal: &str, key: &str, now: Millis) -> Result<Option<Repeat>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = "SELECT run, body_sha256 FROM repeats WHERE principal = $1 AND key = $2 AND at > $3";
        let row = sqlx::query(sql).bind(principal).bind(key).bind(now - REPEATS_MS).fetch_optional(&mut *conn).await?;
        row.map(|row| Ok(Repeat { run: row.try_get(0)?, body_sha256: row.try_get(1)? })).transpose()
    }

    /// When the principal's newest runs since then were begun, oldest first.
    pub async fn starts(&self, principal: &str, since: Millis) -> Result<Vec<Millis>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = "SELECT at FROM starts WHERE principal = $1 AND at > $2 ORDER BY at";
        let rows = sqlx::query(sql).bind(principal).bind(since).fetch_all(&mut *conn).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// How many of the principal's runs are under way.
    pub async fn under_way(&self, principal: &str) -> Result<usize, StoreError> {
        let filter = crate::RunFilter { states: vec![RunState::Running], principal: Some(principal.to_owned()), ..Default::default() };
        Ok(self.runs(&filter).await?.len())
    }

    /// Counts a call that is about to be made, at its worst cost. False: the day's allowance has no room for it, and nothing is counted.
    pub async fn reserve(&self, principal: &str, day: i64, usd: f64, limits: KeyLimits) -> Result<bool, StoreError> {
        let principal = principal.to_owned();
        self.write(move |desk| {
            Box::pin(async move {
                let conn = desk.connection().await?;
                let sql = "INSERT INTO allowances (principal, day, calls, usd) VALUES ($1, $2, 0, 0.0) ON CONFLICT DO NOTHING";
                sqlx::query(sql).bind(&principal).bind(day).execute(&mut *conn).await?;
                let sql = concat!(
                    "UPDATE allowances SET calls = calls + 1, usd = usd + $1",
                    " WHERE principal = $2 AND day = $3 AND calls < $4 AND usd + $1 <= $5"
                );
                let calls = limits.calls_per_day.map_or(i64::MAX, i64::from);
                // Rounding must not refuse what fits exactly.
                let most = limits.usd_per_day.map_or(f64::MAX, |usd| usd + 1e-9);
                let update = sqlx::query(sql).bind(usd).bind(&principal).bind(day).bind(calls).bind(most);
                Ok(update.execute(conn).await?.rows_affected() > 0)
            })
        })
        .await
    }

    /// Corrects what a call was counted with once it is known what it cost, or that it was not made.
    pub async fn settle(&self, principal: &str, day: i64, by_calls: i64, by_usd: f64) -> Result<(), StoreError> {
        let principal = principal.to_owned();
        self.write(move |desk| {
            Box::pin(async move {
                let sql = "UPDATE allowances SET calls = calls + $1, usd = usd + $2 WHERE principal = $3 AND day = $4";
                sqlx::query(sql).bind(by_calls).bind(by_usd).bind(&principal).bind(day).execute(desk.connection().await?).await.map(drop)
            })
        })
        .await
    }

    pub async fn used(&self, principal: &str, day: i64) -> Result<Used, StoreError> {
        let mut conn = self.reader().await?;
        let sql = "SELECT calls, usd FROM allowances WHERE principal = $1 AND day = $2";
        let row = sqlx::query(sql).bind(principal).bind(day).fetch_optional(&mut *conn).await?;
        row.map_or(Ok(Used::default()), |row| Ok(Used { calls: row.try_get(0)?, usd: row.try_get(1)? }))
    }

    /// Forgets what no limit looks back to any more.
    pub async fn tidy_access(&self, now: Millis) -> Result<(), StoreError> {
        self.write(move |desk| {
            Box::pin(async move {
                for sql in ["DELETE FROM starts WHERE at < $1", "DELETE FROM repeats WHERE at < $1"] {
                    sqlx::query(sql).bind(now - REPEATS_MS).execute(desk.connection().await?).await?;
                }
                Ok(())
            })
        })
        .await
    }
}

pub(crate) async fn insert_key(conn: &mut AnyConnection, key: &AccessKey, hash: &str) -> sqlx::Result<()> {
    let sql = "INSERT INTO access_keys (id, hash, owner, scopes, limits, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    let (scopes, limits) = (json(&key.scopes), json(&key.limits));
    let insert = sqlx::query(sql).bind(&key.id).bind(hash).bind(storable(&key.owner)).bind(scopes).bind(limits).bind(key.created_at);
    insert.execute(conn).await.map(drop)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn read_key(row: &AnyRow) -> Result<AccessKey, StoreError> {
    let unreadable = |error: serde_json::Error| StoreError::Storage(format!("a key cannot be read: {error}"));
    Ok(AccessKey {
        id: row.try_get(0)?,
        owner: row.try_get(1)?,
        scopes: serde_json::from_str(row.try_get(2)?).map_err(unreadable)?,
        limits: serde_json::from_str(row.try_get(3)?).map_err(unreadable)?,
        created_at: row.try_get(4)?,
        revoked_at: row.try_get(5)?,
    })
}
