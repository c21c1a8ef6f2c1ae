//! Sign-ins that wait for somebody to approve them: a code for the program that asks, kept by its hash, and one for the person who approves.
//!
//! A row goes from pending to approved to consumed, each by one conditional update. A consumed row stays: it says what the program called itself
//! that has the key.

use crate::StoreError;
use crate::access::insert_key;
use crate::sql::storable;
use crate::store::Store;
use crate::transaction::{Transaction, Undone};
use sqlx::Row as _;
use synod_types::{AccessKey, Millis};

/// Rows that wait at once, those that ran out among them.
const MOST: i64 = 1_000;

/// A program that asks to be let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRequest {
    pub user_code: String,
    pub agent_name: String,
    pub agent_model: Option<String>,
    /// Whose key it will be, once somebody has said so.
    pub owner: Option<String>,
}

impl DeviceRequest {
    /// Whose key it becomes: the owner that was named, else the program itself.
    pub fn owner(&self) -> &str {
        self.owner.as_deref().unwrap_or(&self.agent_name)
    }
}

/// Why a code leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceProblem {
    Unknown,
    Expired,
    /// Approved before.
    Approved,
    /// Its key was handed out.
    Consumed,
    /// So many wait already that there is no room for another.
    Full,
}

/// What a program that asked again is told.
#[derive(Clone, Debug, PartialEq)]
pub enum SignedIn {
    Pending,
    /// The key is in the database now.
    Key(AccessKey),
}

type Step<T> = Result<T, Undone<DeviceProblem>>;

fn refuse<T>(problem: DeviceProblem) -> Step<T> {
    Err(Undone::Refused(problem))
}

impl Store {
    /// Keeps a request until it is approved or its time is over. False: the short code is taken, try another.
    pub async fn add_device(&self, hash: &str, request: DeviceRequest, lasts_ms: Millis) -> Result<Result<bool, DeviceProblem>, StoreError> {
        let hash = hash.to_owned();
        self.transaction(move |tx| {
            let (hash, request) = (hash.clone(), request.clone());
            Box::pin(async move {
                make_room(tx).await?;
                let sql = concat!(
                    "INSERT INTO device_codes (device_sha256, user_code, agent_name, agent_model, scopes, status, created_at, expires_at)",
                    " VALUES ($1, $2, $3, $4, 'read work', 'pending', $5, $6) ON CONFLICT DO NOTHING"
                );
                let insert = sqlx::query(sql).bind(&hash).bind(&request.user_code).bind(storable(&request.agent_name));
                let insert = insert.bind(request.agent_model.as_deref().map(storable)).bind(tx.now).bind(tx.now + lasts_ms);
                Ok(insert.execute(&mut *tx.conn).await?.rows_affected() > 0)
            })
        })
        .await
    }

    /// Approves what waits under a short code.
    pub async fn approve_device(&self, code: &str, owner: Option<&str>, by: &str) -> Result<Result<DeviceRequest, DeviceProblem>, StoreError> {
        let (code, owner, by) = (code.to_owned(), owner.map(storable), by.to_owned());
        self.transaction(move |tx| {
            let (code, owner, by) = (code.clone(), owner.clone(), by.clone());
            Box::pin(async move {
                let sql = concat!(
                    "UPDATE device_codes SET status = 'approved', owner = $1, approved_by = $2",
                    " WHERE user_code = $3 AND status = 'pending' AND expires_at > $4"
                );
                let update = sqlx::query(sql).bind(&owner).bind(&by).bind(&code).bind(tx.now);
                let approved = update.execute(&mut *tx.conn).await?.rows_affected() > 0;
                let row = sqlx::query("SELECT * FROM device_codes WHERE user_code = $1").bind(&code).fetch_optional(&mut *tx.conn).await?;
                match row {
                    None => refuse(DeviceProblem::Unknown),
                    Some(row) if approved => Ok(read(&row)?),
                    Some(row) => match row.try_get::<String, _>("status")?.as_str() {
                        "consumed" => refuse(DeviceProblem::Consumed),
                        _ if row.try_get::<Millis, _>("expires_at")? <= tx.now => refuse(DeviceProblem::Expired),
                        _ => refuse(DeviceProblem::Approved),
                    },
                }
            })
        })
        .await
    }

    /// Makes the key of a request that was approved, once: of two who ask at the same moment one gets it. `key` lacks only its owner.
    pub async fn sign_in(&self, hash: &str, key: AccessKey, secret_hash: &str) -> Result<Result<SignedIn, DeviceProblem>, StoreError> {
        let (hash, secret_hash) = (hash.to_owned(), secret_hash.to_owned());
        self.transaction(move |tx| {
            let (hash, secret_hash, key) = (hash.clone(), secret_hash.clone(), key.clone());
            Box::pin(async move {
                let sql = concat!(
                    "UPDATE device_codes SET status = 'consumed', key_id = $1",
                    " WHERE device_sha256 = $2 AND status = 'approved' AND expires_at > $3"
                );
                let update = sqlx::query(sql).bind(&key.id).bind(&hash).bind(tx.now);
                let consumed = update.execute(&mut *tx.conn).await?.rows_affected() > 0;
                let row = sqlx::query("SELECT * FROM device_codes WHERE device_sha256 = $1").bind(&hash).fetch_optional(&mut *tx.conn).await?;
                let Some(row) = row else { return refuse(DeviceProblem::Unknown) };
                if consumed {
                    let key = AccessKey { owner: read(&row)?.owner().to_owned(), created_at: tx.now, ..key };
                    insert_key(tx.conn, &key, &secret_hash).await?;
                    return Ok(SignedIn::Key(key));
                }
                match row.try_get::<String, _>("status")?.as_str() {
                    "consumed" => refuse(DeviceProblem::Consumed),
                    _ if row.try_get::<Millis, _>("expires_at")? <= tx.now => refuse(DeviceProblem::Expired),
                    _ => Ok(SignedIn::Pending),
                }
            })
        })
        .await
    }

    /// What the program said of itself that this key was made for.
    pub async fn device_of(&self, key: &str) -> Result<Option<DeviceRequest>, StoreError> {
        let mut conn = self.reader().await?;
        let row = sqlx::query("SELECT * FROM device_codes WHERE key_id = $1").bind(key).fetch_optional(&mut *conn).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }
}

/// Those that ran out give way, the oldest first.
async fn make_room(tx: &mut Transaction<'_>) -> Step<()> {
    let sql = "SELECT CAST(COUNT(*) AS BIGINT) FROM device_codes WHERE status <> 'consumed'";
    let waiting: i64 = sqlx::query(sql).fetch_one(&mut *tx.conn).await?.try_get(0)?;
    if waiting < MOST {
        return Ok(());
    }
    let sql = concat!(
        "DELETE FROM device_codes WHERE device_sha256 IN (SELECT device_sha256 FROM device_codes",
        " WHERE status <> 'consumed' AND expires_at <= $1 ORDER BY expires_at LIMIT $2)"
    );
    let delete = sqlx::query(sql).bind(tx.now).bind(waiting - MOST + 1);
    let freed = i64::try_from(delete.execute(&mut *tx.conn).await?.rows_affected()).unwrap_or(i64::MAX);
    if waiting - freed < MOST { Ok(()) } else { refuse(DeviceProblem::Full) }
}

fn read(row: &sqlx::any::AnyRow) -> sqlx::Result<DeviceRequest> {
    Ok(DeviceRequest {
        user_code: row.try_get("user_code")?,
        agent_name: row.try_get("agent_name")?,
        agent_model: row.try_get("agent_model")?,
        owner: row.try_get("owner")?,
    })
}
