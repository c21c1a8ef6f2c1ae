//! Signing keys of agents.

use crate::book::{Agent, Change, ClaimSettings, Claims};
use crate::error::{ClaimsResult, Refusal, Step};
use crate::signing::{SigningKey, address_of, is_address};
use futures::future::BoxFuture;
use synod_store::Transaction;

struct Register {
    agent: String,
    address: String,
    public_key: Option<String>,
}

impl Change<()> for Register {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<()>> {
        Box::pin(async move {
            let sql = concat!(
                "INSERT INTO signing_keys (agent_id, address, public_key, created_at) VALUES ($1, $2, $3, $4)",
                " ON CONFLICT (agent_id) DO UPDATE SET address = excluded.address, public_key = excluded.public_key, created_at = excluded.created_at"
            );
            let insert = sqlx::query(sql).bind(&self.agent).bind(&self.address).bind(&self.public_key).bind(tx.now);
            insert.execute(&mut *tx.conn).await?;
            Ok(())
        })
    }
}

impl Claims {
    /// Registers what an agent signs with: a public key, whose signatures are checked from now on, or only its address, which says who
    /// claims to have signed. Returns the address.
    pub async fn register_key(&self, agent: &Agent, address: Option<&str>, public_key: Option<&str>) -> ClaimsResult<String> {
        let address = match (address, public_key) {
            (_, Some(pem)) if SigningKey::from_pem(pem).is_none() => {
                return Err(Refusal::invalid("publicKey", "something else", "a P-256 or Ed25519 public key in PEM").into());
            }
            (Some(address), Some(pem)) if address != address_of(pem) => {
                return Err(Refusal::invalid("signingKeyAddress", address, format!("the address of the key: {}", address_of(pem))).into());
            }
            (_, Some(pem)) => address_of(pem),
            (Some(address), None) if is_address(address) => address.to_owned(),
            (Some(address), None) => {
                let shown: String = address.chars().take(80).collect();
                return Err(Refusal::invalid("signingKeyAddress", shown, "0xpoi_ and 40 hex digits").into());
            }
            (None, None) => return Err(Refusal::invalid("signingKeyAddress", "nothing", "an address, or publicKey").into()),
        };
        let public_key = public_key.map(str::to_owned);
        self.change(Register { agent: agent.id.clone(), address: address.clone(), public_key }).await?;
        Ok(address)
    }
}
