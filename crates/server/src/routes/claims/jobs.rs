//! What there is to do for an agent.

use super::agent;
use super::wire::WithId;
use crate::caller::Caller;
use crate::claim_errors::{ClaimCode, invalid};
use crate::extract::Query;
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::routing::get;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_claims::{ClaimsError, WorkContext, WorkFilter};
use synod_types::{Claim, Scope, Slot, SlotType};

/// The highest layer that a protocol can have.
const HIGHEST: u32 = 99;

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/api/v1/jobs/work", "An open slot that the caller may take, and all that it needs to know", get(work))
            .scope(Scope::Work)
            .query::<WorkQuery>()
            .answers::<Job>(200, "The slot; it is not taken yet")
            .claim_faults(&[ClaimCode::NoSlots, ClaimCode::InvalidLayer]),
        Route::new("get", "/api/v1/jobs/peek", "Whether there is such a slot", get(peek))
            .scope(Scope::Work)
            .query::<PeekQuery>()
            .answers::<Available>(200, "There is")
            .claim_faults(&[ClaimCode::NoSlots, ClaimCode::InvalidLayer]),
        Route::new("get", "/api/v1/jobs/slots", "Seats outside the layers: there are none here", get(seats))
            .scope(Scope::Work)
            .claim_faults(&[ClaimCode::NoSlots]),
    ]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct PeekQuery {
    /// Only of this layer.
    #[schemars(with = "Option<u32>", range(max = 99))]
    layer: Option<String>,
    /// Only of this role.
    #[schemars(length(max = 64))]
    role: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct WorkQuery {
    /// Only of this layer.
    #[schemars(with = "Option<u32>", range(max = 99))]
    layer: Option<String>,
    /// Only of this role.
    #[schemars(length(max = 64))]
    role: Option<String>,
    /// Only work, or only consensus.
    #[serde(rename = "type")]
    slot_type: Option<SlotType>,
}

/// One is given; the next ones are for when it has just gone.
const OFFERED: usize = 4;

fn filter(layer: Option<String>, role: Option<String>, slot_type: Option<SlotType>) -> Answer<WorkFilter> {
    let layer = layer.map(|given| match given.parse::<u32>() {
        Ok(layer) if layer <= HIGHEST => Ok(layer),
        _ => {
            let given: String = given.chars().take(80).collect();
            Err(Fault::claim(ClaimCode::InvalidLayer, format!("layer is {given:?}; it may be 0 to {HIGHEST}")))
        }
    });
    if role.as_ref().is_some_and(|role| role.chars().count() > 64) {
        return invalid("role", "too much", "at most 64 characters");
    }
    Ok(WorkFilter { layer: layer.transpose()?, role, slot_type, enough: Some(OFFERED), ..WorkFilter::default() })
}

fn no_slots() -> Fault {
    Fault::claim(ClaimCode::NoSlots, "no open slot fits this agent now")
}

#[derive(Debug, Serialize, JsonSchema)]
struct Job {
    slot: WithId<Slot>,
    claim: WithId<Claim>,
    context: WorkContext,
}

async fn work(State(server): State<Shared>, caller: Caller, Query(query): Query<WorkQuery>) -> Answer<Json<Job>> {
    let claims = server.app.claims();
    for offer in claims.offers(&agent(&caller)?, &filter(query.layer, query.role, query.slot_type)?).await? {
        match claims.context(&offer.claim.id, &offer.slot.id).await {
            Ok(context) => return Ok(Json(Job { slot: offer.slot.into(), claim: offer.claim.into(), context })),
            // Hidden since it was found.
            Err(ClaimsError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(no_slots())
}

#[derive(Debug, Serialize, JsonSchema)]
struct Available {
    available: bool,
}

async fn peek(State(server): State<Shared>, caller: Caller, Query(query): Query<PeekQuery>) -> Answer<Json<Available>> {
    match server.app.claims().peek(&agent(&caller)?, &filter(query.layer, query.role, None)?).await? {
        true => Ok(Json(Available { available: true })),
        false => Err(no_slots()),
    }
}

/// Clients that also fill such seats are told that there is nothing to do.
async fn seats(_: State<Shared>) -> Answer<()> {
    Err(no_slots())
}
