//! The rehearsal voices under any name, and a script that may speak in their place.

use futures::future::BoxFuture;
use std::sync::Arc;
use synod_engine::{CallContext, Model, Models};
use synod_llm::rehearsal::Rehearsal;
use synod_types::{Failure, ModelCard, Price, Problem, Reply, Request, Tier};

/// What a model says instead of its voice; `None` leaves it to the voice.
pub type Script = Arc<dyn Fn(&ModelCard, &Request, &CallContext) -> Option<Result<Reply, Failure>> + Send + Sync>;

#[derive(Clone)]
pub struct Voices {
    price: Price,
    script: Script,
    timed: bool,
}

impl Default for Voices {
    fn default() -> Self {
        Self { price: Price::FREE, script: Arc::new(|_, _, _| None), timed: false }
    }
}

impl Voices {
    pub fn priced(mut self, price: Price) -> Self {
        self.price = price;
        self
    }
    /// As real models, of which the journal keeps how long they took.
    pub fn timed(mut self) -> Self {
        self.timed = true;
        self
    }
    pub fn scripted(mut self, script: impl Fn(&ModelCard, &Request, &CallContext) -> Option<Result<Reply, Failure>> + Send + Sync + 'static) -> Self {
        self.script = Arc::new(script);
        self
    }
}

struct Voice {
    card: ModelCard,
    script: Script,
}

impl Model for Voice {
    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        match (self.script)(&self.card, request, context) {
            Some(reply) => Box::pin(std::future::ready(reply)),
            None => Box::pin(async move { Rehearsal::new().call(request, context).await }),
        }
    }
}

impl Models for Voices {
    fn resolve(&self, _field: &str, name: &str) -> Result<ModelCard, Problem> {
        let name = name.to_owned();
        Ok(ModelCard {
            id: name.clone(),
            name,
            endpoint: "rehearsal".into(),
            tier: Tier::Heavy,
            price: Some(self.price),
            effort: None,
            rehearsal: !self.timed,
        })
    }
    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem> {
        Ok(Arc::new(Voice { card: card.clone(), script: self.script.clone() }))
    }
    fn probe<'a>(&'a self, _cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}
