//! Taking a slot, keeping it, submitting it, giving it back. One of these wins; the others are told.

use crate::advance::or_refuse;
use crate::book::{Agent, Change, ClaimSettings, Claims, new_id, text};
use crate::error::{ClaimsResult, Refusal, Step, refuse};
use crate::held::HeldClaim;
use crate::rows::{self, SlotRow};
use crate::signing::SigningKey;
use futures::future::BoxFuture;
use serde_json::Value;
use sqlx::Row as _;
use synod_store::Transaction;
use synod_types::*;

/// How often a lease can be extended.
const EXTENSIONS: i64 = 3;
/// Characters of a submission's prose.
const LONGEST_OUTPUT: usize = 50_000;
/// Bytes of its structured part.
const LARGEST_STRUCTURE: usize = 65_536;

/// A slot that is now somebody's, for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    pub slot: Slot,
    pub lease_id: String,
    pub expires_at: Millis,
}

/// What an agent submits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submission {
    pub output: String,
    pub confidence: Option<f64>,
    pub structured_output: Option<Value>,
    pub output_signature: Option<String>,
    pub agent_model: Option<String>,
    /// Of the take it was made under; without one the agent's present lease counts.
    pub lease_id: Option<String>,
    /// Something readers of the slot should know.
    pub notice: Option<String>,
    /// Something readers of the claim should know.
    pub claim_notice: Option<String>,
    pub run: Option<String>,
}

async fn find_slot(tx: &mut Transaction<'_>, claim: &str, id: &str) -> Step<SlotRow> {
    let row = sqlx::query("SELECT * FROM claim_slots WHERE id = $1 AND claim_id = $2").bind(id).bind(claim).fetch_optional(&mut *tx.conn).await?;
    match row {
        Some(row) => Ok(rows::slot(&row)?),
        None => refuse(Refusal::SlotNotFound(id.to_owned())),
    }
}

/// What names an agent among those that exclude each other.
pub(crate) fn exclusive_key(row: &SlotRow, agent: &Agent) -> String {
    format!("{}:{}", row.exclusive_group, if row.by_owner { &agent.owner } else { &agent.id })
}

struct Take {
    claim: String,
    slot: String,
    agent: Agent,
}

impl Change<Lease> for Take {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<Lease>> {
        Box::pin(async move {
            let held = HeldClaim::take(tx, &self.claim).await?;
            held.expire(tx).await?;
            let row = find_slot(tx, &self.claim, &self.slot).await?;
            held.check_active(&row.slot)?;
            let agent = &self.agent;
            let (lease_id, expires_at) = (new_id(), tx.now + Millis::from(held.protocol.lease_secs) * 1000);
            let sql = concat!(
                "UPDATE claim_slots SET status = 'taken', exclusive_key = $1, agent_id = $2, owner = $3, agent_name = $4, agent_model = $5,",
                " lease_id = $6, taken_at = $7, lease_expires_at = $8, lease_extended = 0, worker = $9,",
                " expired_agent = NULLIF(expired_agent, $2)",
                " WHERE id = $10 AND status = 'open'"
            );
            let update = sqlx::query(sql).bind(exclusive_key(&row, agent)).bind(&agent.id).bind(&agent.owner).bind(&agent.name);
            let update = update.bind(&agent.model).bind(&lease_id).bind(tx.now).bind(expires_at).bind(&agent.worker).bind(&self.slot);
            let has_another = || Refusal::SlotConflict("you have a slot in this layer already; one agent has one".into());
            if or_refuse(update.execute(&mut *tx.conn).await, has_another)?.rows_affected() == 0 {
                return refuse(Refusal::SlotConflict("another agent has this slot".into()));
            }
            let SlotRow { slot, .. } = find_slot(tx, &self.claim, &self.slot).await?;
            Ok(Lease { slot, lease_id, expires_at })
        })
    }
}

struct Submit {
    claim: String,
    slot: String,
    agent: Agent,
    what: Submission,
}

impl Submit {
    /// What can be said without a look at the database.
    fn check(&self) -> Result<(), Refusal> {
        text("output", &self.what.output, LONGEST_OUTPUT)?;
        if let Some(confidence) = self.what.confidence
            && !(0.0..=1.0).contains(&confidence)
        {
            return Err(Refusal::invalid("confidence", confidence.to_string(), "a number from 0 to 1"));
        }
        match &self.what.structured_output {
            Some(given) if !given.is_object() => Err(Refusal::invalid("structuredOutput", "something else", "an object")),
            Some(given) if given.to_string().len() > LARGEST_STRUCTURE => {
                Err(Refusal::invalid("structuredOutput", "too much", format!("at most {LARGEST_STRUCTURE} bytes")))
            }
            _ => Ok(()),
        }
    }

    /// Whose the slot is and whether it still is: the first thing that is wrong, in the order in which an agent can do something about it.
    fn check_lease(&self, row: &SlotRow, now: Millis) -> Step<()> {
        let mine = row.slot.agent_id.as_deref() == Some(&self.agent.id);
        match row.slot.status {
            _ if !mine && row.expired_agent.as_deref() == Some(&self.agent.id) => refuse(Refusal::LeaseExpired),
            _ if !mine => refuse(Refusal::Forbidden),
            SlotStatus::Done | SlotStatus::Superseded => refuse(Refusal::SlotDone),
            SlotStatus::Open => refuse(Refusal::LeaseExpired),
            SlotStatus::Taken => {
                let other = self.what.lease_id.is_some() && self.what.lease_id != row.lease_id;
                if other || row.slot.lease_expires_at.is_none_or(|until| until <= now) { refuse(Refusal::LeaseExpired) } else { Ok(()) }
            }
        }
    }

    fn check_against(&self, stage: &ProtocolStage, slot: &Slot) -> Result<(), Refusal> {
        if slot.slot_type == SlotType::Consensus && self.what.confidence.is_none() {
            return Err(Refusal::invalid("confidence", "nothing", "a number from 0 to 1: the layer passes or not by it"));
        }
        let (Some(given), Some(schema)) = (&self.what.structured_output, &stage.output_schema) else { return Ok(()) };
        let problems: Vec<Problem> = synod_engine::schema::mismatches(schema, given)
            .into_iter()
            .map(|problem| Problem { field: format!("structuredOutput.{}", problem.field), ..problem })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(Refusal::Invalid(problems)) }
    }

    /// The address it is signed under, and whether the signature could be checked.
    async fn check_signature(&self, tx: &mut Transaction<'_>) -> Step<(Option<String>, Option<SignatureState>)> {
        let row = sqlx::query("SELECT address, public_key FROM signing_keys WHERE agent_id = $1");
        let row = row.bind(&self.agent.id).fetch_optional(&mut *tx.conn).await?;
        let Some(signature) = &self.what.output_signature else { return Ok((None, None)) };
        let Some(row) = row else { return Ok((None, Some(SignatureState::Unverified))) };
        let address: String = row.try_get(0)?;
        let key = row.try_get::<Option<String>, _>(1)?.as_deref().and_then(SigningKey::from_pem);
        match key {
            None => Ok((Some(address), Some(SignatureState::Unverified))),
            Some(key) if key.signed(&self.slot, &self.what.output, signature) => Ok((Some(address), Some(SignatureState::Verified))),
            Some(_) => refuse(Refusal::BadSignature),
        }
    }
}

impl Change<Pipeline> for Submit {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, settings: &'c ClaimSettings) -> BoxFuture<'c, Step<Pipeline>> {
        Box::pin(async move {
            let mut held = HeldClaim::take(tx, &self.claim).await?;
            let row = find_slot(tx, &self.claim, &self.slot).await?;
            self.check_lease(&row, tx.now)?;
            held.check_active(&row.slot)?;
            if let Err(refusal) = self.check_against(held.stage()?, &row.slot) {
                return refuse(refusal);
            }
            let (address, signature) = self.check_signature(tx).await?;
            let what = &self.what;
            let missing = (what.confidence.is_none()).then(|| "No confidence was given.".to_owned());
            let notices: Vec<String> = missing.into_iter().chain(what.notice.clone()).collect();
            let sql = concat!(
                "UPDATE claim_slots SET status = 'done', output = $1, structured_output = $2, confidence = NULLIF($3, -1.0), notice = $4,",
                " output_signature = $5, signing_address = $6, signature = $7, agent_model = COALESCE($8, agent_model), done_at = $9, run = $10,",
                " lease_expires_at = NULL WHERE id = $11 AND status = 'taken' AND lease_id = $12"
            );
            let update = sqlx::query(sql).bind(synod_store::storable(&what.output)).bind(what.structured_output.as_ref().map(storable_json));
            // A NULL among doubles would be bound under another type.
            let update = update.bind(what.confidence.unwrap_or(-1.0)).bind((!notices.is_empty()).then(|| notices.join(" ")));
            let update =
                update.bind(what.output_signature.as_deref().map(synod_store::storable)).bind(address).bind(signature.map(SignatureState::as_str));
            let update = update.bind(what.agent_model.as_deref().map(synod_store::storable)).bind(tx.now).bind(&what.run).bind(&self.slot);
            if update.bind(&row.lease_id).execute(&mut *tx.conn).await?.rows_affected() == 0 {
                return refuse(Refusal::LeaseExpired);
            }
            if let Some(notice) = &what.claim_notice {
                held.note(tx, notice).await?;
            }
            held.advance(tx, settings).await?;
            Ok(held.pipeline)
        })
    }
}

/// PostgreSQL's text has no NUL, not even one that JSON spells as an escape would be read back as one.
fn storable_json(value: &Value) -> String {
    value.to_string().replace("\\u0000", "\\ufffd")
}

struct Extend {
    claim: String,
    slot: String,
    agent: Agent,
    lease_id: Option<String>,
}

impl Change<Millis> for Extend {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<Millis>> {
        Box::pin(async move {
            let held = HeldClaim::take(tx, &self.claim).await?;
            let row = find_slot(tx, &self.claim, &self.slot).await?;
            let lease_id = self.lease_id.clone();
            let what = Submission { lease_id, ..Submission::default() };
            Submit { claim: self.claim.clone(), slot: self.slot.clone(), agent: self.agent.clone(), what }.check_lease(&row, tx.now)?;
            held.check_active(&row.slot)?;
            if row.lease_extended >= EXTENSIONS {
                return refuse(Refusal::SlotConflict(format!("the lease was extended {EXTENSIONS} times already; submit before it runs out")));
            }
            let until = tx.now + Millis::from(held.protocol.lease_secs) * 1000;
            let sql = "UPDATE claim_slots SET lease_expires_at = $1, lease_extended = lease_extended + 1 WHERE id = $2 AND lease_id = $3";
            sqlx::query(sql).bind(until).bind(&self.slot).bind(&row.lease_id).execute(&mut *tx.conn).await?;
            Ok(until)
        })
    }
}

/// Gives back slots of one claim: those of an agent, or those of a process that is gone.
struct GiveBack {
    claim: String,
    agent: Option<String>,
    worker: Option<String>,
    slot: Option<String>,
}

impl Change<u64> for GiveBack {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<u64>> {
        Box::pin(async move {
            HeldClaim::lock(tx, &self.claim).await?;
            let sql = concat!(
                "UPDATE claim_slots SET status = 'open', exclusive_key = NULL, agent_id = NULL, owner = NULL, agent_name = NULL, agent_model = NULL,",
                " lease_id = NULL, taken_at = NULL, lease_expires_at = NULL, lease_extended = 0, worker = NULL",
                " WHERE claim_id = $1 AND status = 'taken' AND ($2 = '' OR agent_id = $2) AND ($3 = '' OR worker = $3) AND ($4 = '' OR id = $4)"
            );
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let update = sqlx::query(sql).bind(&self.claim).bind(text(&self.agent)).bind(text(&self.worker)).bind(text(&self.slot));
            Ok(update.execute(&mut *tx.conn).await?.rows_affected())
        })
    }
}

/// Gives back what has run out, and goes on where a phase is done.
struct Tidy {
    claim: String,
}

impl Change<u64> for Tidy {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, settings: &'c ClaimSettings) -> BoxFuture<'c, Step<u64>> {
        Box::pin(async move {
            let mut held = HeldClaim::lock(tx, &self.claim).await?;
            let expired = held.expire(tx).await?;
            held.advance(tx, settings).await?;
            Ok(expired)
        })
    }
}

impl Claims {
    /// Makes a slot this agent's, for as long as its protocol says.
    pub async fn take(&self, claim: &str, slot: &str, agent: &Agent) -> ClaimsResult<Lease> {
        self.change(Take { claim: claim.to_owned(), slot: slot.to_owned(), agent: agent.clone() }).await
    }

    /// Submits a slot. If it was the last of its phase, the claim goes on in the same moment.
    pub async fn submit(&self, claim: &str, slot: &str, agent: &Agent, what: Submission) -> ClaimsResult<Pipeline> {
        let submit = Submit { claim: claim.to_owned(), slot: slot.to_owned(), agent: agent.clone(), what };
        submit.check()?;
        self.change(submit).await
    }

    /// Extends a lease. Returns until when.
    pub async fn heartbeat(&self, claim: &str, slot: &str, agent: &Agent, lease_id: Option<String>) -> ClaimsResult<Millis> {
        self.change(Extend { claim: claim.to_owned(), slot: slot.to_owned(), agent: agent.clone(), lease_id }).await
    }

    /// Gives back one slot that this agent has taken.
    pub async fn release(&self, claim: &str, slot: &str, agent: &Agent) -> ClaimsResult<u64> {
        let (agent, slot) = (Some(agent.id.clone()), Some(slot.to_owned()));
        self.change(GiveBack { claim: claim.to_owned(), agent, worker: None, slot }).await
    }

    /// Gives back everything this agent has taken.
    pub async fn release_all(&self, agent: &Agent) -> ClaimsResult<u64> {
        let mut released = 0;
        for claim in self.claims_where("agent_id = $1 AND status = 'taken'", &agent.id).await? {
            released += self.change(GiveBack { claim, agent: Some(agent.id.clone()), worker: None, slot: None }).await?;
        }
        Ok(released)
    }

    /// Gives back what built-in workers have taken whose processes are gone.
    pub async fn release_dead_workers(&self) -> ClaimsResult<u64> {
        let mut conn = self.store.reading().await?;
        let sql = "SELECT DISTINCT claim_id, worker FROM claim_slots WHERE status = 'taken' AND worker IS NOT NULL";
        let taken = sqlx::query(sql).fetch_all(&mut *conn).await?;
        drop(conn);
        let mut released = 0;
        for row in taken {
            let (claim, worker): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            if self.store.is_owner_gone(&worker).await? {
                released += self.change(GiveBack { claim, agent: None, worker: Some(worker), slot: None }).await?;
            }
        }
        Ok(released)
    }

    async fn claims_where(&self, condition: &str, value: &str) -> ClaimsResult<Vec<String>> {
        let mut conn = self.store.reading().await?;
        let sql = sqlx::AssertSqlSafe(format!("SELECT DISTINCT claim_id FROM claim_slots WHERE {condition}"));
        let found = sqlx::query(sql).bind(value).fetch_all(&mut *conn).await?;
        Ok(found.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?)
    }

    /// Gives back what has run out, and goes on where that was forgotten: nothing depends on it, it only tidies. Returns how many were freed.
    pub async fn sweep(&self) -> ClaimsResult<u64> {
        // Before the connection, because it may need one too: those who hold one and want another would wait for each other.
        let now = self.store.now().await?;
        let mut conn = self.store.reading().await?;
        let sql = concat!(
            "SELECT DISTINCT claim_id FROM claim_slots WHERE status = 'taken' AND lease_expires_at <= $1",
            " UNION SELECT claim_id FROM claim_pipelines p WHERE p.status = 'active' AND NOT EXISTS (SELECT 1 FROM claim_slots s",
            " WHERE s.claim_id = p.claim_id AND s.layer = p.layer AND s.attempt = p.attempt AND s.status IN ('open', 'taken'))"
        );
        let found = sqlx::query(sql).bind(now).fetch_all(&mut *conn).await?;
        drop(conn);
        let mut freed = 0;
        for row in found {
            freed += self.change(Tidy { claim: row.try_get(0)? }).await?;
        }
        Ok(freed)
    }
}
