//! What follows when the last slot of a phase is done: the next phase, the next layer, a flag, or the end. Part of the same transaction.

use crate::book::{ClaimSettings, new_id};
use crate::error::{Refusal, Step, refuse};
use crate::held::HeldClaim;
use crate::votes::{self, GENERAL, Vote};
use crate::{points, record};
use synod_store::{Transaction, Undone};
use synod_types::*;

pub const LOW_CONFIDENCE: &str = "low_consensus_confidence";
pub const DELIBERATION_VERDICT: &str = "deliberation_verdict";

/// What a layer's submissions say about one field of their structured outputs.
pub fn votes_on(slots: &[Slot], field: &str) -> Vec<Vote> {
    let vote = |slot: &Slot| Vote {
        choice: slot.structured_output.as_ref().and_then(|output| output.get(field)?.as_str()).map(str::to_owned),
        consensus: slot.slot_type == SlotType::Consensus,
        confidence: slot.confidence,
        ordinal: slot.ordinal,
    };
    slots.iter().filter(|slot| slot.status == SlotStatus::Done).map(vote).collect()
}

/// Whether the phase has slots and all of them are submitted.
fn is_done(slots: &[Slot], phase: SlotType) -> bool {
    let of_phase: Vec<&Slot> = slots.iter().filter(|slot| slot.slot_type == phase).collect();
    !of_phase.is_empty() && of_phase.iter().all(|slot| slot.status == SlotStatus::Done)
}

fn mean(slots: &[Slot], threshold: f64) -> Option<votes::Gate> {
    let scores: Vec<f64> = slots.iter().filter(|slot| slot.slot_type == SlotType::Consensus).filter_map(|slot| slot.confidence).collect();
    votes::gate(&scores, threshold)
}

impl HeldClaim {
    /// Goes on if everything of the current phase is done. Safe to call at any time.
    pub async fn advance(&mut self, tx: &mut Transaction<'_>, settings: &ClaimSettings) -> Step<()> {
        if !self.is_active() {
            return Ok(());
        }
        let slots = self.slots(tx).await?;
        let phase = self.pipeline.current_phase;
        if !is_done(&slots, phase) {
            return Ok(());
        }
        if phase == SlotType::Work {
            self.pipeline.current_phase = SlotType::Consensus;
            self.save(tx).await?;
            return self.open_slots(tx, SlotType::Consensus).await;
        }
        let stage = self.stage()?;
        // Consensus slots are not taken without a confidence, so there is always one.
        let Some(gate) = mean(&slots, stage.consensus_threshold) else { return Ok(()) };
        let flagged = stage.effect == Some(StageEffect::Verdict) && votes::says_flag(&votes_on(&slots, "verdict"));
        if !gate.passed {
            return self.raise(tx, LOW_CONFIDENCE, gate.avg).await;
        }
        if flagged && settings.enforce_verdict_flag {
            return self.raise(tx, DELIBERATION_VERDICT, gate.avg).await;
        }
        self.pass(tx, settings, &slots, LayerOutcome::Passed, gate.avg).await
    }

    async fn raise(&mut self, tx: &mut Transaction<'_>, reason: &str, avg: f64) -> Step<()> {
        self.end_layer(tx, LayerOutcome::Flagged, avg, None).await?;
        let sql = concat!(
            "INSERT INTO claim_flags (id, claim_id, layer, attempt, reason, avg_confidence, threshold, created_at)",
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
        );
        let threshold = self.stage()?.consensus_threshold;
        let insert = sqlx::query(sql).bind(new_id()).bind(&self.claim.id).bind(i64::from(self.pipeline.current_layer));
        let insert = insert.bind(i64::from(self.pipeline.attempt)).bind(reason).bind(avg).bind(threshold).bind(tx.now);
        insert.execute(&mut *tx.conn).await?;
        self.pipeline.status = PipelineStatus::Flagged;
        self.save(tx).await
    }

    /// The layer passes, by its mean or by a person's word: its effect happens, and the next layer opens.
    pub async fn pass(&mut self, tx: &mut Transaction<'_>, settings: &ClaimSettings, slots: &[Slot], outcome: LayerOutcome, avg: f64) -> Step<()> {
        let stage = self.stage()?.clone();
        let next = self.protocol.after(stage.layer).map(|stage| stage.layer);
        let mut route = None;
        let effect = match stage.effect {
            None => None,
            Some(StageEffect::Domain) => {
                let voted = votes::domain_of(&votes_on(slots, "domain"));
                if voted.is_none() {
                    self.note(tx, "No submission named a domain, so the claim is filed under general.").await?;
                }
                let domain = voted.unwrap_or_else(|| GENERAL.to_owned());
                self.set_domain(tx, &domain).await?;
                Some(format!("domain: {domain}"))
            }
            Some(StageEffect::Verdict) => {
                let flagged = votes::says_flag(&votes_on(slots, "verdict"));
                if flagged {
                    self.note(tx, "The deliberation would have a person look at this claim before a verdict is written.").await?;
                }
                flagged.then(|| "the deliberation says flag".to_owned())
            }
            Some(StageEffect::Route) => {
                // The classifiers choose; whoever scores them only says whether to believe it.
                let work: Vec<Slot> = slots.iter().filter(|slot| slot.slot_type == SlotType::Work).cloned().collect();
                let (protocol, domain) = self.route(tx, settings, &work).await?;
                let effect = format!("protocol: {protocol}, domain: {domain}");
                route = Some((protocol, domain));
                Some(effect)
            }
        };
        match outcome {
            LayerOutcome::Overridden => {
                self.overrule_layer(tx, outcome, effect.as_deref()).await?;
            }
            _ => self.end_layer(tx, outcome, avg, effect.as_deref()).await?,
        }
        if settings.points {
            points::settle(tx, self, slots, next.is_none() && route.is_none()).await?;
        }
        if let Some((protocol, domain)) = route {
            return self.move_to(tx, &protocol, &domain, settings).await;
        }
        match next {
            Some(layer) => self.enter(tx, layer).await,
            None => {
                let recommendation = record::write(tx, self, slots, avg).await?;
                self.complete(tx, recommendation).await
            }
        }
    }

    /// The voted protocol, if it is one that can be routed to, and the voted domain.
    async fn route(&self, tx: &mut Transaction<'_>, settings: &ClaimSettings, work: &[Slot]) -> Step<(String, String)> {
        let mut known = Vec::new();
        let routes = |protocol: &Protocol| protocol.stages.iter().any(|stage| stage.effect == Some(StageEffect::Route));
        for vote in votes_on(work, "protocol").iter().filter_map(|vote| vote.choice.as_deref().map(str::trim).map(str::to_owned)) {
            if let Some((_, protocol)) = crate::seeds::find(tx, &vote).await?
                && !routes(&protocol)
            {
                known.push(vote);
            }
        }
        let voted = votes::majority(&votes_on(work, "protocol"), |choice| known.iter().any(|known| known == choice));
        let protocol = match voted {
            Some(protocol) => protocol,
            None => {
                let (_, protocol) = crate::seeds::find_or_default(tx, &settings.default_protocol, settings).await?;
                // A default that routes would bring the claim back to where it is.
                let name = if routes(&protocol) { crate::protocol::DEFAULT.to_owned() } else { protocol.name };
                self.note(tx, &format!("No submission named a protocol that is known, so {name} was taken.")).await?;
                name
            }
        };
        let domain = votes::domain_of(&votes_on(work, "domain")).unwrap_or_else(|| GENERAL.to_owned());
        Ok((protocol, domain))
    }

    /// The end: what was submitted is hashed, and nothing more is taken.
    pub async fn complete(&mut self, tx: &mut Transaction<'_>, recommendation: Option<Recommendation>) -> Step<()> {
        let slots: Vec<Slot> = crate::rows::slots_of(tx.conn, &self.claim.id).await?.into_iter().map(|row| row.slot).collect();
        self.pipeline.output_hash = Some(crate::signing::output_hash_v1(&slots));
        self.pipeline.output_hash_v2 = Some(crate::signing::output_hash_v2(&self.claim.id, &self.protocol.name, &slots, recommendation));
        self.pipeline.status = PipelineStatus::Complete;
        self.pipeline.completed_at = Some(tx.now);
        self.save(tx).await
    }

    /// Refuses unless slots of this layer, phase and attempt are worked now.
    pub fn check_active(&self, slot: &Slot) -> Step<()> {
        let pipeline = &self.pipeline;
        let why = match pipeline.status {
            PipelineStatus::Flagged => "the claim waits for a person to review it",
            PipelineStatus::Complete => "the claim is complete",
            PipelineStatus::Active if slot.layer != pipeline.current_layer => "the claim is at another layer",
            PipelineStatus::Active if slot.attempt != pipeline.attempt => "the layer is being worked anew",
            PipelineStatus::Active if slot.slot_type != pipeline.current_phase => "the layer is in its other phase",
            PipelineStatus::Active => return Ok(()),
        };
        refuse(Refusal::SlotNotActive(why.to_owned()))
    }
}

/// A unique index said no.
pub fn is_taken(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(error) if error.is_unique_violation())
}

/// What a refused row means, if the index was the reason.
pub fn or_refuse<T>(done: sqlx::Result<T>, refusal: impl FnOnce() -> Refusal) -> Step<T> {
    match done {
        Err(error) if is_taken(&error) => Err(Undone::Refused(refusal())),
        other => Ok(other?),
    }
}
