//! What people decide about a claim that fell short.

use crate::book::{Agent, Change, ClaimSettings, Claims, new_id};
use crate::error::{ClaimsResult, Refusal, Step, refuse};
use crate::held::HeldClaim;
use crate::record;
use futures::future::BoxFuture;
use sqlx::Row as _;
use synod_store::Transaction;
use synod_types::*;

/// Attempts at one layer before only a person's word carries it on.
pub const MOST_ATTEMPTS: u32 = 3;
const LONGEST_NOTE: usize = 4_000;

struct Clear {
    claim: String,
    flag: String,
    by: Agent,
    resolution: Resolution,
    note: Option<String>,
}

impl Clear {
    async fn mark(&self, tx: &mut Transaction<'_>) -> Step<()> {
        let row = sqlx::query("SELECT cleared_at FROM claim_flags WHERE id = $1 AND claim_id = $2");
        let Some(row) = row.bind(&self.flag).bind(&self.claim).fetch_optional(&mut *tx.conn).await? else {
            return refuse(Refusal::FlagNotFound(self.flag.clone()));
        };
        let sql = "UPDATE claim_flags SET cleared_at = $1, cleared_by = $2, resolution = $3, note = $4 WHERE id = $5 AND cleared_at IS NULL";
        let update = sqlx::query(sql).bind(tx.now).bind(&self.by.name).bind(self.resolution.as_str()).bind(&self.note).bind(&self.flag);
        if row.try_get::<Option<Millis>, _>(0)?.is_some() || update.execute(&mut *tx.conn).await?.rows_affected() == 0 {
            return refuse(Refusal::AlreadyCleared);
        }
        Ok(())
    }
}

impl Change<Pipeline> for Clear {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, settings: &'c ClaimSettings) -> BoxFuture<'c, Step<Pipeline>> {
        Box::pin(async move {
            let mut held = HeldClaim::take(tx, &self.claim).await?;
            self.mark(tx).await?;
            if held.pipeline.status != PipelineStatus::Flagged {
                return refuse(Refusal::AlreadyCleared);
            }
            let again = matches!(self.resolution, Resolution::RerunLayer | Resolution::RerunConsensus);
            if again && held.pipeline.attempt >= MOST_ATTEMPTS {
                return refuse(Refusal::AttemptsSpent(MOST_ATTEMPTS));
            }
            let slots = held.slots(tx).await?;
            held.pipeline.status = PipelineStatus::Active;
            match self.resolution {
                Resolution::RerunLayer => held.rerun(tx, false).await?,
                Resolution::RerunConsensus => held.rerun(tx, true).await?,
                Resolution::OverridePass => {
                    let avg = open_average(&held, tx).await?;
                    held.note(tx, &format!("Passed by {} against the mean: {}", self.by.name, self.note.as_deref().unwrap_or_default())).await?;
                    held.pass(tx, settings, &slots, LayerOutcome::Overridden, avg).await?;
                }
                Resolution::Close => {
                    let avg = held.overrule_layer(tx, LayerOutcome::Closed, None).await?;
                    record::write_closed(tx, &held, avg, self.note.as_deref().unwrap_or_default(), &self.by).await?;
                    held.complete(tx, Some(Recommendation::NeedsMoreEvidence)).await?;
                }
            }
            Ok(held.pipeline)
        })
    }
}

/// The mean with which the layer was flagged.
async fn open_average(held: &HeldClaim, tx: &mut Transaction<'_>) -> Step<f64> {
    let sql = "SELECT avg_confidence FROM claim_layers WHERE claim_id = $1 AND layer = $2 AND attempt = $3";
    let query = sqlx::query(sql).bind(&held.claim.id).bind(i64::from(held.pipeline.current_layer)).bind(i64::from(held.pipeline.attempt));
    Ok(query.fetch_one(&mut *tx.conn).await?.try_get(0)?)
}

impl HeldClaim {
    /// Another attempt at the layer. What the last one said stays readable and counts for nothing; `keep_work` takes its work over as it is.
    async fn rerun(&mut self, tx: &mut Transaction<'_>, keep_work: bool) -> Step<()> {
        let (layer, before) = (self.pipeline.current_layer, self.pipeline.attempt);
        let sql = concat!(
            "UPDATE claim_slots SET status = 'superseded', exclusive_key = NULL WHERE claim_id = $1 AND layer = $2 AND attempt = $3",
            " AND status <> 'superseded'"
        );
        sqlx::query(sql).bind(&self.claim.id).bind(i64::from(layer)).bind(i64::from(before)).execute(&mut *tx.conn).await?;
        self.pipeline.attempt += 1;
        let has_work = self.stage()?.first_phase() == SlotType::Work;
        if keep_work && has_work {
            self.copy_work(tx, before).await?;
        }
        self.pipeline.current_phase = if keep_work { SlotType::Consensus } else { self.stage()?.first_phase() };
        self.save(tx).await?;
        self.open_slots(tx, self.pipeline.current_phase).await
    }

    /// The done work of the attempt before, as rows of this one. Whoever wrote it is kept from scoring it, as before.
    async fn copy_work(&self, tx: &mut Transaction<'_>, before: u32) -> Step<()> {
        let old = crate::rows::slots_of_attempt(tx.conn, &self.claim.id, self.pipeline.current_layer, before).await?;
        let sql = concat!(
            "INSERT INTO claim_slots (id, claim_id, protocol_id, layer, attempt, slot_type, ordinal, role, status, exclusive_group, by_owner,",
            " exclusive_key, agent_id, owner, agent_name, agent_model, output, structured_output, confidence, notice, output_signature,",
            " signing_address, signature, taken_at, done_at, run, copied, created_at)",
            " SELECT $1, claim_id, protocol_id, layer, $2, slot_type, ordinal, role, 'done', $3, by_owner,",
            " $3 || ':' || CASE by_owner WHEN 1 THEN owner ELSE agent_id END, agent_id, owner, agent_name, agent_model, output,",
            " structured_output, confidence, notice, output_signature, signing_address, signature, taken_at, done_at, run, 1, $4",
            " FROM claim_slots WHERE id = $5"
        );
        for row in old.iter().filter(|row| row.slot.slot_type == SlotType::Work) {
            let insert = sqlx::query(sql).bind(new_id()).bind(i64::from(self.pipeline.attempt)).bind(self.group(SlotType::Work));
            insert.bind(tx.now).bind(&row.slot.id).execute(&mut *tx.conn).await?;
        }
        Ok(())
    }
}

impl Claims {
    /// Clears a flag. A layer that passes against its mean, or a claim that is closed, needs a note.
    pub async fn clear(&self, claim: &str, flag: &str, by: &Agent, resolution: Resolution, note: Option<&str>) -> ClaimsResult<Pipeline> {
        let note = match note.map(str::trim).filter(|note| !note.is_empty()) {
            Some(note) => Some(crate::book::text("note", note, LONGEST_NOTE)?),
            None if resolution.needs_note() => {
                return Err(Refusal::invalid("note", "nothing", format!("why: {} needs a note", resolution.as_str())).into());
            }
            None => None,
        };
        self.change(Clear { claim: claim.to_owned(), flag: flag.to_owned(), by: by.clone(), resolution, note }).await
    }

    /// Flags that wait for a person, the oldest first.
    pub async fn open_flags(&self) -> ClaimsResult<Vec<ClaimFlag>> {
        let mut conn = self.store.reading().await?;
        let sql = concat!(
            "SELECT f.* FROM claim_flags f JOIN claims c ON c.id = f.claim_id WHERE f.cleared_at IS NULL AND c.hidden_at IS NULL",
            " ORDER BY f.created_at, f.id LIMIT 500"
        );
        Ok(sqlx::query(sql).fetch_all(&mut *conn).await?.iter().map(crate::rows::flag).collect::<sqlx::Result<_>>()?)
    }
}
