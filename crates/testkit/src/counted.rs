//! Models that remember what they were asked, by the turn's key.

use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use synod_engine::{CallContext, EndpointSlot, Model, Models};
use synod_types::{Failure, ModelCard, Problem, Reply, Request, Sending, Tier};

type Seen = Arc<Mutex<Vec<(String, Request)>>>;

pub struct CountedModels {
    inner: Arc<dyn Models>,
    seen: Seen,
}

impl CountedModels {
    pub fn new(inner: Arc<dyn Models>) -> Self {
        Self { inner, seen: Seen::default() }
    }

    /// Every call made, in order: key and request.
    pub fn requests(&self) -> Vec<(String, Request)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls made, by key.
    pub fn calls(&self) -> BTreeMap<String, u32> {
        let mut calls = BTreeMap::new();
        for (key, _) in self.requests() {
            *calls.entry(key).or_default() += 1;
        }
        calls
    }

    pub fn total(&self) -> usize {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

struct Listening {
    inner: Arc<dyn Model>,
    seen: Seen,
}

impl Model for Listening {
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
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push((context.key.clone(), request.clone()));
        self.inner.call(request, context)
    }
}

impl Models for CountedModels {
    fn resolve(&self, field: &str, name: &str) -> Result<ModelCard, Problem> {
        self.inner.resolve(field, name)
    }
    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem> {
        Ok(Arc::new(Listening { inner: self.inner.open(card)?, seen: self.seen.clone() }))
    }
    fn probe<'a>(&'a self, cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>> {
        self.inner.probe(cards)
    }
}
