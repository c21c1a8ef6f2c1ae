//! Protocols in the database: put there when first needed, however often that is tried, and never changed afterwards.

use crate::book::{Change, ClaimSettings, Claims, new_id};
use crate::error::{ClaimsResult, Refusal, Step, refuse};
use crate::{protocol, rows};
use futures::future::BoxFuture;
use serde_json::Value;
use sqlx::Row as _;
use synod_store::Transaction;
use synod_types::{Protocol, StoredProtocol};

async fn stored(tx: &mut Transaction<'_>, name: &str) -> Step<Option<(String, Protocol)>> {
    let row = sqlx::query("SELECT id, body FROM protocols WHERE name = $1").bind(name).fetch_optional(&mut *tx.conn).await?;
    Ok(row.map(|row| Ok::<_, sqlx::Error>((row.try_get(0)?, rows::protocol(&row)?))).transpose()?)
}

async fn put(tx: &mut Transaction<'_>, protocol: &Protocol, is_default: bool) -> Step<()> {
    let sql = "INSERT INTO protocols (id, name, body, is_default, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    let body = serde_json::to_string(protocol).unwrap_or_default();
    let insert = sqlx::query(sql).bind(new_id()).bind(&protocol.name).bind(body).bind(i64::from(is_default)).bind(tx.now);
    insert.execute(&mut *tx.conn).await?;
    Ok(())
}

/// A protocol by name; those that are built in are put into the database on the way.
pub async fn find(tx: &mut Transaction<'_>, name: &str) -> Step<Option<(String, Protocol)>> {
    if let Some(found) = stored(tx, name).await? {
        return Ok(Some(found));
    }
    let Some(built_in) = protocol::built_in().iter().find(|known| known.name == name) else { return Ok(None) };
    put(tx, built_in, built_in.name == protocol::DEFAULT).await?;
    stored(tx, name).await
}

/// The same, or the default protocol where there is none of that name.
pub async fn find_or_default(tx: &mut Transaction<'_>, name: &str, settings: &ClaimSettings) -> Step<(String, Protocol)> {
    for name in [name, &settings.default_protocol, protocol::DEFAULT] {
        if let Some(found) = find(tx, name).await? {
            return Ok(found);
        }
    }
    refuse(Refusal::ProtocolNotFound(name.to_owned()))
}

struct SeedAll;

impl Change<()> for SeedAll {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<()>> {
        Box::pin(async move {
            for protocol in protocol::built_in() {
                find(tx, &protocol.name).await?;
            }
            Ok(())
        })
    }
}

struct AddProtocol(Protocol);

impl Change<()> for AddProtocol {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<()>> {
        Box::pin(async move {
            put(tx, &self.0, false).await?;
            match stored(tx, &self.0.name).await? {
                Some((_, known)) if known == self.0 => Ok(()),
                _ => {
                    let want = "a name of its own: a protocol of this name is kept already and differs, and claims refer to it";
                    refuse(Refusal::invalid("name", self.0.name.clone(), want))
                }
            }
        })
    }
}

impl Claims {
    /// A user's own protocol, checked and kept. The same one again changes nothing.
    pub async fn add_protocol(&self, document: &Value) -> ClaimsResult<Protocol> {
        let protocol = protocol::read(document).map_err(Refusal::Invalid)?;
        self.change(AddProtocol(protocol.clone())).await?;
        Ok(protocol)
    }

    /// All protocols, by name, with how often each is used.
    pub async fn protocols(&self) -> ClaimsResult<Vec<StoredProtocol>> {
        let found = self.stored_protocols().await?;
        if protocol::built_in().iter().all(|known| found.iter().any(|stored| stored.protocol.name == known.name)) {
            return Ok(found);
        }
        self.change(SeedAll).await?;
        self.stored_protocols().await
    }

    async fn stored_protocols(&self) -> ClaimsResult<Vec<StoredProtocol>> {
        let mut conn = self.store.reading().await?;
        let sql = concat!(
            "SELECT p.id, p.body, p.is_default, p.created_at, (SELECT CAST(COUNT(*) AS BIGINT) FROM claims c WHERE c.protocol = p.name",
            " AND c.hidden_at IS NULL) AS claim_count, (SELECT MAX(c.created_at) FROM claims c WHERE c.protocol = p.name AND c.hidden_at IS NULL)",
            " AS last_used_at FROM protocols p ORDER BY p.name"
        );
        let read = |row: &sqlx::any::AnyRow| -> sqlx::Result<StoredProtocol> {
            Ok(StoredProtocol {
                id: row.try_get(0)?,
                protocol: rows::protocol(row)?,
                is_default: row.try_get::<i64, _>(2)? != 0,
                created_at: row.try_get(3)?,
                claim_count: row.try_get(4)?,
                last_used_at: row.try_get(5)?,
            })
        };
        Ok(sqlx::query(sql).fetch_all(&mut *conn).await?.iter().map(read).collect::<sqlx::Result<_>>()?)
    }

    /// A protocol by its name or id.
    pub async fn protocol(&self, given: &str) -> ClaimsResult<StoredProtocol> {
        let found = self.protocols().await?.into_iter().find(|stored| stored.id == given || stored.protocol.name == given);
        found.ok_or_else(|| Refusal::ProtocolNotFound(given.to_owned()).into())
    }
}
