//! Flags: what people decide about claims that fell short.

use super::agent;
use super::wire::List;
use crate::caller::Caller;
use crate::claim_errors::ClaimCode;
use crate::extract::{NamedPair, PlainJson};
use crate::fault::Answer;
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::routing::{get, post};
use schemars::JsonSchema;
use serde::Deserialize;
use synod_types::{ClaimFlag, Pipeline, Resolution, Scope};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/api/v1/flags", "Flags that wait for a person, the oldest first", get(open))
            .scope(Scope::Review)
            .answers::<List<ClaimFlag>>(200, "At most 500 of them"),
        Route::new("post", "/api/v1/claims/{id}/flags/{flag}/clear", "Decides about a flag; the claim goes on", post(clear))
            .scope(Scope::Review)
            .body::<ClearBody>()
            .answers::<Pipeline>(200, "Where the claim is now")
            .claim_faults(&[
                ClaimCode::InvalidJson,
                ClaimCode::ClaimNotFound,
                ClaimCode::FlagNotFound,
                ClaimCode::AlreadyCleared,
                ClaimCode::AttemptsSpent,
            ]),
    ]
}

async fn open(State(server): State<Shared>) -> Answer<Json<List<ClaimFlag>>> {
    Ok(Json(List::whole(server.app.claims().open_flags().await?)))
}

/// What is decided. Other fields are ignored.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ClearBody {
    resolution: Resolution,
    /// Why. `override_pass` and `close` need one.
    note: Option<String>,
}

async fn clear(
    State(server): State<Shared>,
    caller: Caller,
    NamedPair(claim, flag): NamedPair,
    PlainJson(body): PlainJson<ClearBody>,
) -> Answer<Json<Pipeline>> {
    let by = agent(&caller)?;
    Ok(Json(server.app.claims().clear(&claim, &flag, &by, body.resolution, body.note.as_deref()).await?))
}
