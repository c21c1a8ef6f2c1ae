//! Models that stop at the n-th call until they are let go: a test does something while exactly that call is under way.

use futures::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use synod_engine::{CallContext, EndpointSlot, Model, Models};
use synod_types::{Failure, ModelCard, Problem, Reply, Request, Sending, Tier};
use tokio::sync::Semaphore;

#[derive(Clone)]
pub struct Turnstile {
    inner: Arc<dyn Models>,
    gate: Arc<Gate>,
}

struct Gate {
    at: u64,
    calls: AtomicU64,
    reached: Semaphore,
    open: Semaphore,
}

impl Turnstile {
    /// `at` counts calls from 1.
    pub fn new(inner: Arc<dyn Models>, at: u64) -> Self {
        let gate = Gate { at, calls: AtomicU64::new(0), reached: Semaphore::new(0), open: Semaphore::new(0) };
        Self { inner, gate: Arc::new(gate) }
    }

    /// Resolves when the chosen call is under way; never if there are fewer calls.
    pub async fn reached(&self) {
        // The gate is never closed, so a permit is the only thing that can come.
        drop(self.gate.reached.acquire().await);
    }

    pub fn let_go(&self) {
        self.gate.open.add_permits(1);
    }
}

struct GatedModel {
    inner: Arc<dyn Model>,
    gate: Arc<Gate>,
}

impl Model for GatedModel {
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
            if self.gate.calls.fetch_add(1, Ordering::SeqCst) + 1 == self.gate.at {
                self.gate.reached.add_permits(1);
                drop(self.gate.open.acquire().await);
            }
            self.inner.call(request, context).await
        })
    }
}

impl Models for Turnstile {
    fn resolve(&self, field: &str, name: &str) -> Result<ModelCard, Problem> {
        self.inner.resolve(field, name)
    }
    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem> {
        Ok(Arc::new(GatedModel { inner: self.inner.open(card)?, gate: self.gate.clone() }))
    }
    fn probe<'a>(&'a self, cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>> {
        self.inner.probe(cards)
    }
}
