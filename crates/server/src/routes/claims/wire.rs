//! Claims and what belongs to them as clients read them: whatever has an `id` has it as `_id` too.

use schemars::JsonSchema;
use serde::Serialize;
use synod_claims::Comment;
use synod_types::{Claim, ClaimFlag, ClaimNotice, ClaimView, ConsensusRecord, LayerResult, Pipeline, Protocol, Slot, StoredProtocol};

/// Something with an id.
pub trait Identified {
    fn id(&self) -> &str;
}

macro_rules! identified {
    ($($kind:ty),+) => { $(impl Identified for $kind {
        fn id(&self) -> &str {
            &self.id
        }
    })+ };
}

identified!(Claim, ClaimFlag, Comment, ConsensusRecord, Slot, StoredProtocol);

/// With its id under both names that clients look for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}WithId")]
pub struct WithId<T> {
    /// The same as `id`.
    #[serde(rename = "_id")]
    same_id: String,
    #[serde(flatten)]
    of: T,
}

impl<T: Identified> From<T> for WithId<T> {
    fn from(of: T) -> Self {
        Self { same_id: of.id().to_owned(), of }
    }
}

/// A list, or a part of one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}List")]
pub struct List<T> {
    pub items: Vec<WithId<T>>,
    /// Give it as `cursor` for the next page; null on the last.
    pub next_cursor: Option<String>,
}

impl<T: Identified> List<T> {
    /// All of it.
    pub fn whole(items: Vec<T>) -> Self {
        Self { items: with_ids(items), next_cursor: None }
    }
}

pub fn with_ids<T: Identified>(items: Vec<T>) -> Vec<WithId<T>> {
    items.into_iter().map(WithId::from).collect()
}

/// A claim's protocol, as the claim began under it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClaimProtocol {
    id: String,
    #[serde(rename = "_id")]
    same_id: String,
    #[serde(flatten)]
    protocol: Protocol,
}

/// Everything about a claim that the caller may see.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WholeClaim {
    claim: WithId<Claim>,
    /// Where it is in its protocol.
    state: Pipeline,
    protocol: ClaimProtocol,
    flags: Vec<WithId<ClaimFlag>>,
    /// What others submitted to a phase that is still open is withheld.
    slots: Vec<WithId<Slot>>,
    /// How each attempt at each layer ended.
    layers: Vec<LayerResult>,
    record: Option<WithId<ConsensusRecord>>,
    notices: Vec<ClaimNotice>,
}

impl From<ClaimView> for WholeClaim {
    fn from(view: ClaimView) -> Self {
        let ClaimView { claim, protocol, pipeline, layers, slots, flags, record, notices } = view;
        let id = pipeline.protocol_id.clone();
        Self {
            claim: claim.into(),
            protocol: ClaimProtocol { same_id: id.clone(), id, protocol },
            state: pipeline,
            flags: with_ids(flags),
            slots: with_ids(slots),
            layers,
            record: record.map(WithId::from),
            notices,
        }
    }
}
