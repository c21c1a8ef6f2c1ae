//! A claim locked for a change: whoever holds it is alone with it until the transaction ends, on both databases.

use crate::book::{ClaimSettings, new_id};
use crate::error::{Refusal, Step, refuse};
use crate::{rows, seeds};
use sqlx::Row as _;
use synod_store::Transaction;
use synod_types::*;

/// A locked claim.
pub struct HeldClaim {
    pub claim: Claim,
    pub pipeline: Pipeline,
    pub protocol: Protocol,
}

impl HeldClaim {
    /// Locks a claim, gives back the slots whose leases have run out, and reads where it is. One that is hidden is not there.
    pub async fn take(tx: &mut Transaction<'_>, id: &str) -> Step<Self> {
        let held = Self::lock(tx, id).await?;
        if held.claim.hidden {
            return refuse(Refusal::ClaimNotFound(id.to_owned()));
        }
        Ok(held)
    }

    /// The same also for one that is hidden.
    pub async fn lock(tx: &mut Transaction<'_>, id: &str) -> Step<Self> {
        // An update that changes nothing else locks the row: `FOR UPDATE` for both databases.
        let sql = "UPDATE claim_pipelines SET version = version + 1 WHERE claim_id = $1 RETURNING *";
        let Some(row) = sqlx::query(sql).bind(id).fetch_optional(&mut *tx.conn).await? else {
            return refuse(Refusal::ClaimNotFound(id.to_owned()));
        };
        // Somebody else may have held it for a while.
        tx.look_at_clock().await?;
        let pipeline = rows::pipeline(&row)?;
        let claim = sqlx::query("SELECT * FROM claims WHERE id = $1").bind(id).fetch_one(&mut *tx.conn).await?;
        let protocol = sqlx::query("SELECT body FROM protocols WHERE id = $1").bind(&pipeline.protocol_id).fetch_one(&mut *tx.conn).await?;
        Ok(Self { claim: rows::claim(&claim)?, protocol: rows::protocol(&protocol)?, pipeline })
    }

    /// Makes a claim's pipeline at the first stage of its protocol, with the slots of the first phase open.
    pub async fn begin(tx: &mut Transaction<'_>, claim: Claim, protocol_id: String, protocol: Protocol) -> Step<Self> {
        let Some(first) = protocol.first() else { return refuse(Refusal::ProtocolNotFound(protocol.name)) };
        let pipeline = Pipeline {
            claim_id: claim.id.clone(),
            protocol_id,
            current_layer: first.layer,
            current_phase: first.first_phase(),
            status: PipelineStatus::Active,
            attempt: 1,
            completed_at: None,
            output_hash: None,
            output_hash_v2: None,
            version: 0,
            updated_at: tx.now,
        };
        let sql = concat!(
            "INSERT INTO claim_pipelines (claim_id, protocol_id, layer, phase, status, attempt, version, updated_at)",
            " VALUES ($1, $2, $3, $4, $5, 1, 0, $6)"
        );
        let insert = sqlx::query(sql).bind(&claim.id).bind(&pipeline.protocol_id).bind(i64::from(first.layer));
        insert.bind(pipeline.current_phase.as_str()).bind(pipeline.status.as_str()).bind(tx.now).execute(&mut *tx.conn).await?;
        let held = Self { claim, pipeline, protocol };
        held.open_slots(tx, held.pipeline.current_phase).await?;
        Ok(held)
    }

    pub fn stage(&self) -> Step<&ProtocolStage> {
        let layer = self.pipeline.current_layer;
        self.protocol.stage(layer).ok_or_else(|| sqlx::Error::Decode(format!("protocol {} has no layer {layer}", self.protocol.name).into()).into())
    }

    pub fn is_active(&self) -> bool {
        self.pipeline.status == PipelineStatus::Active
    }

    /// Gives back slots whose leases have run out.
    pub async fn expire(&self, tx: &mut Transaction<'_>) -> Step<u64> {
        let sql = concat!(
            "UPDATE claim_slots SET status = 'open', exclusive_key = NULL, expired_agent = agent_id, agent_id = NULL, owner = NULL,",
            " agent_name = NULL, agent_model = NULL, lease_id = NULL, taken_at = NULL, lease_expires_at = NULL, lease_extended = 0, worker = NULL",
            " WHERE claim_id = $1 AND status = 'taken' AND lease_expires_at <= $2"
        );
        Ok(sqlx::query(sql).bind(&self.claim.id).bind(tx.now).execute(&mut *tx.conn).await?.rows_affected())
    }

    /// The slots of the layer and attempt that the claim is at.
    pub async fn slots(&self, tx: &mut Transaction<'_>) -> Step<Vec<Slot>> {
        let found = rows::slots_of_attempt(tx.conn, &self.claim.id, self.pipeline.current_layer, self.pipeline.attempt).await?;
        Ok(found.into_iter().map(|row| row.slot).collect())
    }

    /// Opens a phase of the current layer. A second opening of the same phase fails at the index.
    pub async fn open_slots(&self, tx: &mut Transaction<'_>, phase: SlotType) -> Step<()> {
        let stage = self.stage()?;
        let consensus = [RoleCount { role: "consensus".into(), count: stage.consensus_count }];
        let roles: &[RoleCount] = match phase {
            SlotType::Work => &stage.worker_slots,
            SlotType::Consensus => &consensus,
        };
        let mut ordinal = 0;
        for RoleCount { role, count } in roles {
            for _ in 0..*count {
                ordinal += 1;
                self.insert_slot(tx, phase, ordinal, role).await?;
            }
        }
        Ok(())
    }

    async fn insert_slot(&self, tx: &mut Transaction<'_>, phase: SlotType, ordinal: i64, role: &str) -> Step<()> {
        let sql = concat!(
            "INSERT INTO claim_slots (id, claim_id, protocol_id, layer, attempt, slot_type, ordinal, role, status, exclusive_group, by_owner,",
            " created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'open', $9, $10, $11)"
        );
        let pipeline = &self.pipeline;
        let by_owner = self.protocol.exclusivity_scope == ExclusivityScope::Owner;
        let insert = sqlx::query(sql).bind(new_id()).bind(&self.claim.id).bind(&pipeline.protocol_id).bind(i64::from(pipeline.current_layer));
        let insert = insert.bind(i64::from(pipeline.attempt)).bind(phase.as_str()).bind(ordinal).bind(role).bind(self.group(phase));
        insert.bind(i64::from(by_owner)).bind(tx.now).execute(&mut *tx.conn).await?;
        Ok(())
    }

    /// What one agent may have one slot of.
    pub fn group(&self, phase: SlotType) -> String {
        let (layer, attempt) = (self.pipeline.current_layer, self.pipeline.attempt);
        match self.protocol.exclusivity {
            Exclusivity::Layer => format!("{layer}/{attempt}"),
            Exclusivity::LayerAndType => format!("{layer}/{attempt}/{}", phase.as_str()),
        }
    }

    /// Writes down where the claim is now.
    pub async fn save(&self, tx: &mut Transaction<'_>) -> Step<()> {
        let sql = concat!(
            "UPDATE claim_pipelines SET protocol_id = $1, layer = $2, phase = $3, status = $4, attempt = $5, completed_at = $6, output_hash = $7,",
            " output_hash_v2 = $8, updated_at = $9 WHERE claim_id = $10"
        );
        let pipeline = &self.pipeline;
        let update = sqlx::query(sql).bind(&pipeline.protocol_id).bind(i64::from(pipeline.current_layer)).bind(pipeline.current_phase.as_str());
        let update = update.bind(pipeline.status.as_str()).bind(i64::from(pipeline.attempt)).bind(pipeline.completed_at);
        let update = update.bind(&pipeline.output_hash).bind(&pipeline.output_hash_v2).bind(tx.now).bind(&pipeline.claim_id);
        update.execute(&mut *tx.conn).await?;
        Ok(())
    }

    /// Goes to a stage, and opens its first phase.
    pub async fn enter(&mut self, tx: &mut Transaction<'_>, layer: u32) -> Step<()> {
        self.pipeline.current_layer = layer;
        self.pipeline.attempt = 1;
        self.pipeline.current_phase = self.stage()?.first_phase();
        self.save(tx).await?;
        self.open_slots(tx, self.pipeline.current_phase).await
    }

    /// Puts the claim under another protocol.
    pub async fn move_to(&mut self, tx: &mut Transaction<'_>, protocol: &str, domain: &str, settings: &ClaimSettings) -> Step<()> {
        let (id, protocol) = seeds::find_or_default(tx, protocol, settings).await?;
        self.set_domain(tx, domain).await?;
        let sql = "UPDATE claims SET protocol = $1, updated_at = $2 WHERE id = $3";
        sqlx::query(sql).bind(&protocol.name).bind(tx.now).bind(&self.claim.id).execute(&mut *tx.conn).await?;
        self.claim.protocol.clone_from(&protocol.name);
        self.pipeline.protocol_id = id;
        self.protocol = protocol;
        let Some(first) = self.protocol.first().map(|stage| stage.layer) else { return Ok(()) };
        self.enter(tx, first).await
    }

    pub async fn set_domain(&mut self, tx: &mut Transaction<'_>, domain: &str) -> Step<()> {
        let sql = "UPDATE claims SET domain = $1, updated_at = $2 WHERE id = $3";
        sqlx::query(sql).bind(domain).bind(tx.now).bind(&self.claim.id).execute(&mut *tx.conn).await?;
        domain.clone_into(&mut self.claim.domain);
        Ok(())
    }

    /// Something that readers should know, once for each attempt at a layer.
    pub async fn note(&self, tx: &mut Transaction<'_>, text: &str) -> Step<()> {
        let sql = concat!(
            "INSERT INTO claim_notices (id, claim_id, layer, attempt, text, at) SELECT $1, $2, $3, $4, $5, $6",
            " WHERE NOT EXISTS (SELECT 1 FROM claim_notices WHERE claim_id = $2 AND layer = $3 AND attempt = $4 AND text = $5)"
        );
        let insert = sqlx::query(sql).bind(new_id()).bind(&self.claim.id).bind(i64::from(self.pipeline.current_layer));
        insert.bind(i64::from(self.pipeline.attempt)).bind(text).bind(tx.now).execute(&mut *tx.conn).await?;
        Ok(())
    }

    /// How this attempt at the layer ended. A second ending fails at the index, and everything done with it.
    pub async fn end_layer(&self, tx: &mut Transaction<'_>, outcome: LayerOutcome, avg: f64, effect: Option<&str>) -> Step<()> {
        let stage = self.stage()?;
        let sql = concat!(
            "INSERT INTO claim_layers (claim_id, layer, attempt, stage_name, outcome, avg_confidence, threshold, effect, at)",
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        );
        let insert = sqlx::query(sql).bind(&self.claim.id).bind(i64::from(stage.layer)).bind(i64::from(self.pipeline.attempt)).bind(&stage.name);
        let insert = insert.bind(outcome.as_str()).bind(avg).bind(stage.consensus_threshold).bind(effect).bind(tx.now);
        insert.execute(&mut *tx.conn).await?;
        Ok(())
    }

    /// A person decided about an attempt that had ended flagged.
    pub async fn overrule_layer(&self, tx: &mut Transaction<'_>, outcome: LayerOutcome, effect: Option<&str>) -> Step<f64> {
        let sql = concat!(
            "UPDATE claim_layers SET outcome = $1, effect = $2 WHERE claim_id = $3 AND layer = $4 AND attempt = $5 AND outcome = 'flagged'",
            " RETURNING avg_confidence"
        );
        let update = sqlx::query(sql).bind(outcome.as_str()).bind(effect).bind(&self.claim.id).bind(i64::from(self.pipeline.current_layer));
        let row = update.bind(i64::from(self.pipeline.attempt)).fetch_one(&mut *tx.conn).await?;
        Ok(row.try_get(0)?)
    }
}
