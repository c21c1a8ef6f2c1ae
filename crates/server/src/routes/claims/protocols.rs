//! Protocols: how claims are examined.

use super::claims;
use super::wire::{List, WithId};
use crate::claim_errors::ClaimCode;
use crate::extract::{Named, Query};
use crate::fault::Answer;
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::routing::get;
use schemars::JsonSchema;
use serde::Deserialize;
use synod_claims::ClaimSort;
use synod_types::{Claim, Scope, StoredProtocol};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/api/v1/protocols", "Protocols, with how often each is used", get(list))
            .scope(Scope::Read)
            .answers::<List<StoredProtocol>>(200, "All of them, by name"),
        Route::new("get", "/api/v1/protocols/{id}", "A protocol, by its id or name", get(show))
            .scope(Scope::Read)
            .answers::<WithId<StoredProtocol>>(200, "The protocol")
            .claim_faults(&[ClaimCode::ProtocolNotFound]),
        Route::new("get", "/api/v1/protocols/{id}/claims", "Claims under a protocol", get(claims))
            .scope(Scope::Read)
            .query::<ClaimsQuery>()
            .answers::<List<Claim>>(200, "A page of them")
            .claim_faults(&[ClaimCode::ProtocolNotFound, ClaimCode::InvalidSort]),
    ]
}

async fn list(State(server): State<Shared>) -> Answer<Json<List<StoredProtocol>>> {
    Ok(Json(List::whole(server.app.claims().protocols().await?)))
}

async fn show(State(server): State<Shared>, Named(id): Named) -> Answer<Json<WithId<StoredProtocol>>> {
    Ok(Json(server.app.claims().protocol(&id).await?.into()))
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ClaimsQuery {
    /// `latest` unless it is given.
    #[schemars(with = "Option<ClaimSort>")]
    sort: Option<String>,
    /// 20 unless it is given.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    domain: Option<String>,
    /// `nextCursor` of the page before; of the latest only.
    #[schemars(regex(pattern = r"^[0-9]{1,15}\..+$"))]
    cursor: Option<String>,
}

async fn claims(State(server): State<Shared>, Named(id): Named, Query(query): Query<ClaimsQuery>) -> Answer<Json<List<Claim>>> {
    let ClaimsQuery { sort, limit, domain, cursor } = query;
    claims::find(&server, claims::ListQuery { sort, limit, domain, cursor, protocol_id: Some(id), q: None }).await
}
