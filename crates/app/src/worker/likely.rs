//! What working a claim to its end is likely to take, before it is begun.

use super::{WorkOrder, slot_run};
use crate::app::App;
use crate::error::AppResult;
use crate::prepare::Notes;

/// Tokens of what other agents said, which a slot reads on average.
const CONTEXT: u64 = 4_000;
/// Slots of a protocol that is not known yet: those of the default one.
const SLOTS: u32 = 34;

impl App {
    /// US dollars, and tokens of models whose price is unknown.
    pub async fn likely_of_claim(&self, order: &WorkOrder, title: &str, body: &str, protocol: Option<&str>) -> AppResult<(f64, u64)> {
        if order.rehearse {
            return Ok((0.0, 0));
        }
        let models = self.crew(order, &mut Notes::default()).await?;
        let slots = f64::from(self.slots_of(protocol).await?) / models.len().max(1) as f64;
        let (mut usd, mut tokens) = (0.0, 0.0);
        for model in &models {
            let prepared = self.prepare(slot_run::trial(title, body, model), Vec::new(), &mut Notes::default()).await?;
            let quote = prepared.quote();
            match prepared.header().card(0).and_then(|card| card.price) {
                Some(price) => usd += slots * (quote.likely_usd.unwrap_or(0.0) + CONTEXT as f64 * price.input / 1e6),
                None => tokens += slots * (quote.unpriced_tokens + CONTEXT) as f64,
            }
        }
        Ok((usd, tokens.round() as u64))
    }

    async fn slots_of(&self, protocol: Option<&str>) -> AppResult<u32> {
        let known = self.claims().protocols().await?;
        let found = known.iter().map(|stored| &stored.protocol).find(|known| protocol == Some(known.name.as_str()));
        let of = |protocol: &synod_types::Protocol| {
            protocol.stages.iter().map(|stage| stage.consensus_count + stage.worker_slots.iter().map(|role| role.count).sum::<u32>()).sum()
        };
        Ok(found.map_or(SLOTS, of))
    }
}
