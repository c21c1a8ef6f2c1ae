//! What the engine needs of models: resolve a name, make a call. Implementations live in `llm` and `testkit`.

use futures::future::BoxFuture;
use std::sync::Arc;
use synod_types::{Failure, Millis, ModelCard, Problem, Reply, Request, Sending, Tier};

/// Everything a call needs beside the request itself. None of it is part of the digest.
pub struct CallContext {
    pub run: String,
    /// The turn's key: with `seed` it fixes what a rehearsal voice says.
    pub key: String,
    pub seed: u64,
    /// The longest silence allowed between two bytes of the provider.
    pub idle_ms: Millis,
    /// The longest a call may take in all, retries included.
    pub total_ms: Millis,
    /// The limit and the effort that were recorded with what is asked.
    pub sending: Sending,
    /// Receives text as it arrives. `None`: nobody watches.
    pub deltas: Option<Arc<dyn Deltas>>,
}

/// Where streamed text goes. Called on the task that makes the call; must not block.
pub trait Deltas: Send + Sync {
    fn push(&self, text: &str);
    /// A transport retry begins: what was shown so far is void.
    fn restart(&self);
}

/// A slot at an endpoint, held until dropped. What it is made of is the endpoint's affair.
pub type EndpointSlot = Box<dyn std::any::Any + Send>;

/// One endpoint's way of answering. Retries of 429, 5xx and refused connections happen inside a call.
pub trait Model: Send + Sync {
    /// Waits for a slot at the endpoint: its concurrency limit and its pace. Nothing has been sent or recorded yet, so a run that closes or
    /// stops meanwhile simply gives up waiting. The slot is held over `call`, which waits for none.
    fn slot(&self) -> BoxFuture<'_, EndpointSlot> {
        Box::pin(std::future::ready(Box::new(()) as EndpointSlot))
    }

    /// What will be sent beside the request: its token limit with room to think, and the effort. Asked before anything is recorded or reserved.
    fn sending(&self, request: &Request, tier: Tier) -> Sending {
        let _ = tier;
        Sending::plain(request)
    }

    /// The most tokens that make sense to send with it, as far as that is known.
    fn most_tokens(&self, request: &Request) -> u32 {
        let _ = request;
        u32::MAX
    }

    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>>;
}

/// The models a process knows.
pub trait Models: Send + Sync {
    /// What a name stands for: `opus`, or `endpoint/model-id`. The field says where the name was given.
    fn resolve(&self, field: &str, name: &str) -> Result<ModelCard, Problem>;

    /// Addresses and keys are read here, afresh for every run, and never recorded.
    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem>;

    /// Tries each card's endpoint once, in parallel, one second at most. Costs nothing.
    fn probe<'a>(&'a self, cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>>;
}
