//! Slots: taken, kept, submitted, given back.

use super::{agent, name, named_agent};
use crate::caller::Caller;
use crate::claim_errors::{ClaimCode, invalid};
use crate::extract::{NamedPair, PlainJson};
use crate::fault::Answer;
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::routing::post;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use synod_claims::Submission;
use synod_types::{Millis, Pipeline, PipelineStatus, Scope, SlotType};

/// Characters of a signature.
const LONGEST_SIGNATURE: usize = 1_000;

pub fn routes() -> Vec<Route> {
    let slot = |path, summary, handler| {
        let faults = [ClaimCode::InvalidJson, ClaimCode::ClaimNotFound, ClaimCode::SlotNotFound, ClaimCode::SlotConflict, ClaimCode::SlotNotActive];
        Route::new("post", path, summary, handler).scope(Scope::Work).claim_faults(&faults)
    };
    vec![
        slot("/api/v1/claims/{id}/stage-slots/{slot}/take", "Makes an open slot the caller's, for a while", post(take))
            .body::<TakeBody>()
            .answers::<Taken>(200, "The slot and its lease"),
        slot("/api/v1/claims/{id}/stage-slots/{slot}/done", "Submits a slot; the last of its phase carries the claim on", post(done))
            .body::<DoneBody>()
            .answers::<Done>(200, "Where the claim is now")
            .claim_faults(&[ClaimCode::Forbidden, ClaimCode::SlotDone, ClaimCode::LeaseExpired, ClaimCode::BadSignature]),
        slot("/api/v1/claims/{id}/stage-slots/{slot}/heartbeat", "Extends the caller's lease on a slot, three times at most", post(heartbeat))
            .body::<HeartbeatBody>()
            .answers::<Extended>(200, "Until when it lasts now")
            .claim_faults(&[ClaimCode::Forbidden, ClaimCode::SlotDone, ClaimCode::LeaseExpired]),
        Route::new("post", "/api/v1/slots/release-stale", "Gives back every slot that the caller has taken", post(release))
            .scope(Scope::Work)
            .body::<ReleaseBody>()
            .answers::<Released>(200, "How many there were")
            .claim_faults(&[ClaimCode::InvalidJson]),
    ]
}

/// Nothing is needed. Other fields are ignored.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
struct TakeBody {
    /// The model that will do the work.
    agent_model: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Taken {
    slot_id: String,
    layer: u32,
    slot_type: SlotType,
    role: String,
    claim_id: String,
    /// Send it with what belongs to this take, and a later take is not mistaken for it.
    lease_id: String,
    lease_expires_at: Millis,
}

async fn take(
    State(server): State<Shared>,
    caller: Caller,
    NamedPair(claim, slot): NamedPair,
    PlainJson(body): PlainJson<TakeBody>,
) -> Answer<Json<Taken>> {
    let agent = named_agent(&server, &caller, "agentModel", body.agent_model).await?;
    let lease = server.app.claims().take(&claim, &slot, &agent).await?;
    let slot = lease.slot;
    Ok(Json(Taken {
        slot_id: slot.id,
        layer: slot.layer,
        slot_type: slot.slot_type,
        role: slot.role,
        claim_id: slot.claim_id,
        lease_id: lease.lease_id,
        lease_expires_at: lease.expires_at,
    }))
}

/// What an agent submits. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DoneBody {
    output: String,
    /// 0 to 1. Consensus slots need one.
    #[serde(default)]
    confidence: Option<f64>,
    /// What the layer asks for beside the prose.
    #[serde(default)]
    structured_output: Option<Map<String, Value>>,
    /// Over the SHA-256, as hex, of the slot's id, a colon and the output.
    #[serde(default)]
    output_signature: Option<String>,
    #[serde(default)]
    agent_model: Option<String>,
    /// Of the take it belongs to.
    #[serde(default)]
    lease_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Done {
    ok: bool,
    claim_id: String,
    layer: u32,
    phase: SlotType,
    status: PipelineStatus,
    attempt: u32,
}

impl From<Pipeline> for Done {
    fn from(now: Pipeline) -> Self {
        Self { ok: true, claim_id: now.claim_id, layer: now.current_layer, phase: now.current_phase, status: now.status, attempt: now.attempt }
    }
}

async fn done(
    State(server): State<Shared>,
    caller: Caller,
    NamedPair(claim, slot): NamedPair,
    PlainJson(body): PlainJson<DoneBody>,
) -> Answer<Json<Done>> {
    if body.output_signature.as_ref().is_some_and(|signature| signature.len() > LONGEST_SIGNATURE) {
        return invalid("outputSignature", "too much", format!("at most {LONGEST_SIGNATURE} characters"));
    }
    let what = Submission {
        output: body.output,
        confidence: body.confidence,
        structured_output: body.structured_output.map(Value::Object),
        output_signature: body.output_signature,
        agent_model: name("agentModel", body.agent_model)?,
        lease_id: body.lease_id,
        ..Submission::default()
    };
    Ok(Json(server.app.claims().submit(&claim, &slot, &agent(&caller)?, what).await?.into()))
}

/// Which lease. Other fields are ignored.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
struct HeartbeatBody {
    /// Of the take; without it the caller's present lease is extended.
    lease_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Extended {
    ok: bool,
    lease_expires_at: Millis,
}

async fn heartbeat(
    State(server): State<Shared>,
    caller: Caller,
    NamedPair(claim, slot): NamedPair,
    PlainJson(body): PlainJson<HeartbeatBody>,
) -> Answer<Json<Extended>> {
    let lease_expires_at = server.app.claims().heartbeat(&claim, &slot, &agent(&caller)?, body.lease_id).await?;
    Ok(Json(Extended { ok: true, lease_expires_at }))
}

/// Nothing is needed, not even a body.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ReleaseBody {}

#[derive(Debug, Serialize, JsonSchema)]
struct Released {
    ok: bool,
    released: u64,
}

async fn release(State(server): State<Shared>, caller: Caller, PlainJson(ReleaseBody {}): PlainJson<ReleaseBody>) -> Answer<Json<Released>> {
    Ok(Json(Released { ok: true, released: server.app.claims().release_all(&agent(&caller)?).await? }))
}
