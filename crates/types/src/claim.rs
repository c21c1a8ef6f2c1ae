//! Claims and the layers they pass: what is claimed, by which protocol it is examined, who filled which slot, and what came of it.

use crate::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The domain of a claim that no layer has classified yet.
pub const CALIBRATING: &str = "calibrating";

/// How claims are examined: layers in ascending order, each with work slots, consensus slots and a threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Protocol {
    pub name: String,
    pub description: String,
    /// What one agent may not do twice.
    #[serde(default)]
    pub exclusivity: Exclusivity,
    /// Who counts as one agent.
    #[serde(default)]
    pub exclusivity_scope: ExclusivityScope,
    /// How long a taken slot stays with its agent.
    #[serde(default = "lease_secs")]
    #[schemars(range(min = 1, max = 86400))]
    pub lease_secs: u32,
    #[schemars(length(min = 1, max = 20))]
    pub stages: Vec<ProtocolStage>,
}

fn lease_secs() -> u32 {
    300
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exclusivity {
    /// One slot a layer: nobody scores their own work.
    #[default]
    Layer,
    /// One work slot and one consensus slot a layer.
    LayerAndType,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExclusivityScope {
    #[default]
    Key,
    /// All keys of one owner count as one agent.
    Owner,
}

/// One layer of a protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProtocolStage {
    #[schemars(range(max = 99))]
    pub layer: u32,
    pub name: String,
    /// What the layer is to achieve: agents are told, and consensus seats score against it.
    pub goal: String,
    #[serde(default)]
    pub worker_slots: Vec<RoleCount>,
    #[schemars(range(min = 1, max = 20))]
    pub consensus_count: u32,
    /// The least mean of the consensus seats' confidences that passes.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub consensus_threshold: f64,
    /// A JSON Schema of what agents give beside their prose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// What passing the layer does beside opening the next. The last layer always writes the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<StageEffect>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleCount {
    pub role: String,
    #[schemars(range(min = 1, max = 20))]
    pub count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageEffect {
    /// The voted `domain` becomes the claim's.
    Domain,
    /// A voted `verdict` of `flag` is passed on as a warning, or raises a flag where the server is told to.
    Verdict,
    /// The voted `protocol` takes over.
    Route,
}

impl Protocol {
    pub fn stage(&self, layer: u32) -> Option<&ProtocolStage> {
        self.stages.iter().find(|stage| stage.layer == layer)
    }

    pub fn first(&self) -> Option<&ProtocolStage> {
        self.stages.iter().min_by_key(|stage| stage.layer)
    }

    /// The smallest layer above this one.
    pub fn after(&self, layer: u32) -> Option<&ProtocolStage> {
        self.stages.iter().filter(|stage| stage.layer > layer).min_by_key(|stage| stage.layer)
    }

    pub fn slots(&self) -> u32 {
        self.stages.iter().map(|stage| stage.works() + stage.consensus_count).sum()
    }

    /// Distinct agents that the widest layer needs.
    pub fn agents(&self) -> u32 {
        let needs = |stage: &ProtocolStage| match self.exclusivity {
            Exclusivity::Layer => stage.works() + stage.consensus_count,
            Exclusivity::LayerAndType => stage.works().max(stage.consensus_count),
        };
        self.stages.iter().map(needs).max().unwrap_or(0)
    }
}

impl ProtocolStage {
    pub fn works(&self) -> u32 {
        self.worker_slots.iter().map(|slots| slots.count).sum()
    }

    /// A stage without work opens straight in consensus.
    pub fn first_phase(&self) -> SlotType {
        if self.worker_slots.is_empty() { SlotType::Consensus } else { SlotType::Work }
    }
}

/// A protocol as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredProtocol {
    pub id: String,
    #[serde(flatten)]
    pub protocol: Protocol,
    pub is_default: bool,
    pub created_at: Millis,
    pub claim_count: i64,
    pub last_used_at: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    pub id: String,
    pub title: String,
    pub body: String,
    /// `calibrating` until a layer has classified it.
    pub domain: String,
    /// The protocol's name.
    pub protocol: String,
    pub sources: Vec<ClaimSource>,
    pub author_id: String,
    pub author_name: String,
    pub author_type: AuthorType,
    pub author_model: Option<String>,
    pub comment_count: i64,
    pub hidden: bool,
    /// Worked by built-in voices only: nobody thought about it.
    pub rehearsal: bool,
    pub created_at: Millis,
    pub updated_at: Millis,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimSource {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

words! {
    pub enum AuthorType { Human = "human", Ai = "ai" }
}

words! {
    #[derive(PartialOrd, Ord)]
    pub enum SlotType { Work = "work", Consensus = "consensus" }
}

words! {
    pub enum SlotStatus {
        Open = "open",
        Taken = "taken",
        Done = "done",
        /// Of an attempt that a person sent back.
        Superseded = "superseded",
    }
}

words! {
    pub enum PipelineStatus { Active = "active", Flagged = "flagged", Complete = "complete" }
}

/// Where a claim is in its protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pipeline {
    pub claim_id: String,
    pub protocol_id: String,
    pub current_layer: u32,
    pub current_phase: SlotType,
    pub status: PipelineStatus,
    /// Counted from 1 in each layer.
    pub attempt: u32,
    pub completed_at: Option<Millis>,
    /// SHA-256 over what was submitted, once complete.
    pub output_hash: Option<String>,
    /// The same, with structured outputs, attempts and the recommendation.
    pub output_hash_v2: Option<String>,
    pub version: i64,
    pub updated_at: Millis,
}

/// A place for one agent in one phase of one layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    pub id: String,
    pub claim_id: String,
    pub layer: u32,
    pub attempt: u32,
    pub slot_type: SlotType,
    pub ordinal: u32,
    pub role: String,
    pub status: SlotStatus,
    pub agent_id: Option<String>,
    pub owner: Option<String>,
    pub agent_name: Option<String>,
    pub agent_model: Option<String>,
    pub output: Option<String>,
    pub structured_output: Option<Value>,
    /// 0 to 1. Of a work slot it may be null, and never counts.
    pub confidence: Option<f64>,
    /// What is missing from it, or to be known about it.
    pub notice: Option<String>,
    pub output_signature: Option<String>,
    pub signing_address: Option<String>,
    pub signature: Option<SignatureState>,
    pub taken_at: Option<Millis>,
    pub lease_expires_at: Option<Millis>,
    pub done_at: Option<Millis>,
    pub created_at: Millis,
    /// Taken over from the attempt before, unchanged.
    pub copied: bool,
    /// The run of a built-in worker that filled it.
    pub run: Option<String>,
    /// Its phase is open, and only its author and reviewers see what it says.
    #[serde(default)]
    pub withheld: bool,
}

words! {
    pub enum SignatureState {
        Verified = "verified",
        /// Only an address is known, so nothing could be checked.
        Unverified = "unverified",
    }
}

/// Something a person must decide before the claim goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimFlag {
    pub id: String,
    pub claim_id: String,
    pub layer: u32,
    pub attempt: u32,
    /// `low_consensus_confidence` or `deliberation_verdict`.
    pub reason: String,
    pub avg_confidence: f64,
    pub threshold: f64,
    pub created_at: Millis,
    pub cleared_at: Option<Millis>,
    pub cleared_by: Option<String>,
    pub resolution: Option<Resolution>,
    pub note: Option<String>,
}

words! {
    /// What a person decides about a flag.
    #[derive(Default)]
    pub enum Resolution {
        /// The layer is worked anew from its first phase.
        #[default]
        RerunLayer = "rerun_layer",
        /// The work stays, other agents score it anew.
        RerunConsensus = "rerun_consensus",
        /// It passes all the same; the note says why.
        OverridePass = "override_pass",
        /// It ends here, with `needs-more-evidence`.
        Close = "close",
    }
}

impl Resolution {
    /// To overrule a mean, or to end a claim, takes a reason.
    pub fn needs_note(self) -> bool {
        matches!(self, Self::OverridePass | Self::Close)
    }
}

/// How an attempt at a layer ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayerResult {
    pub layer: u32,
    pub stage_name: String,
    pub attempt: u32,
    pub outcome: LayerOutcome,
    pub avg_confidence: f64,
    pub threshold: f64,
    /// What its effect was, in a sentence.
    pub effect: Option<String>,
    pub at: Millis,
}

words! {
    pub enum LayerOutcome { Passed = "passed", Flagged = "flagged", Overridden = "overridden", Closed = "closed" }
}

words! {
    #[derive(PartialOrd, Ord)]
    pub enum Recommendation {
        Accept = "accept",
        AcceptWithCaveats = "accept-with-caveats",
        Reject = "reject",
        NeedsMoreEvidence = "needs-more-evidence",
    }
}

/// What came of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsensusRecord {
    pub id: String,
    pub claim_id: String,
    pub summary: String,
    /// The seats' own summaries, as they came.
    pub summaries: Vec<String>,
    pub key_points: Vec<String>,
    pub dissent: Vec<String>,
    pub open_questions: Vec<String>,
    /// 0 to 100.
    pub confidence: u32,
    /// Null where the protocol asks for none.
    pub recommendation: Option<Recommendation>,
    /// Accept and reject had equal weight.
    pub split_verdict: bool,
    /// The summary was made of the seats' by a model; else they are joined.
    pub merged: bool,
    /// Written by the pipeline; else by an agent of its own accord, which decides nothing.
    pub by_pipeline: bool,
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
    pub agent_model: Option<String>,
    pub created_at: Millis,
}

/// Something readers of a claim should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimNotice {
    pub layer: u32,
    pub attempt: u32,
    pub text: String,
    pub at: Millis,
}

/// A claim with everything that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimView {
    pub claim: Claim,
    pub protocol: Protocol,
    pub pipeline: Pipeline,
    pub layers: Vec<LayerResult>,
    pub slots: Vec<Slot>,
    pub flags: Vec<ClaimFlag>,
    pub record: Option<ConsensusRecord>,
    pub notices: Vec<ClaimNotice>,
}

impl ClaimView {
    /// The flag that waits for a person.
    pub fn open_flag(&self) -> Option<&ClaimFlag> {
        self.flags.iter().find(|flag| flag.cleared_at.is_none())
    }
}
