//! Models whose replies come back in an order of the seed's choosing, so that no test passes by luck of arrival.

use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use synod_engine::{CallContext, EndpointSlot, Model, Models};
use synod_types::{Failure, ModelCard, Problem, Reply, Request, Sending, Tier, sha256_hex};

pub struct ShuffledModels {
    inner: Arc<dyn Models>,
    seed: u64,
}

impl ShuffledModels {
    pub fn new(inner: Arc<dyn Models>, seed: u64) -> Self {
        Self { inner, seed }
    }
}

struct Late {
    inner: Arc<dyn Model>,
    seed: u64,
}

impl Model for Late {
    fn slot(&self) -> BoxFuture<'_, EndpointSlot> {
        self.inner.slot()
    }
    fn sending(&self, request: &Request, tier: Tier) -> Sending {
        self.inner.sending(request, tier)
    }
    fn most_tokens(&self, request: &Request) -> u32 {
        self.inner.most_tokens(request)
    }
    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let reply = self.inner.call(request, context).await;
            let digest = sha256_hex(format!("{}/{}", self.seed, context.key));
            let dice = u64::from_str_radix(&digest[..8], 16).unwrap_or(0);
            for _ in 0..dice % 13 {
                tokio::task::yield_now().await;
            }
            if dice.is_multiple_of(3) {
                tokio::time::sleep(Duration::from_micros(dice / 3 % 900)).await;
            }
            reply
        })
    }
}

impl Models for ShuffledModels {
    fn resolve(&self, field: &str, name: &str) -> Result<ModelCard, Problem> {
        self.inner.resolve(field, name)
    }
    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem> {
        Ok(Arc::new(Late { inner: self.inner.open(card)?, seed: self.seed }))
    }
    fn probe<'a>(&'a self, cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>> {
        self.inner.probe(cards)
    }
}
