//! Records: what came of a claim, by its last layer, or as an agent sees it.

use super::comments::turn;
use super::named_agent;
use super::wire::{List, WithId};
use crate::caller::Caller;
use crate::claim_errors::ClaimCode;
use crate::extract::{Named, PlainJson};
use crate::fault::Answer;
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_claims::RecordDraft;
use synod_types::{ConsensusRecord, Scope};

pub fn routes() -> Vec<Route> {
    let path = "/api/v1/claims/{id}/consensus";
    vec![
        Route::new("get", path, "The record of a claim", get(show))
            .scope(Scope::Read)
            .answers::<WithId<ConsensusRecord>>(200, "The one that counts: the pipeline's newest, else the newest")
            .claim_faults(&[ClaimCode::ClaimNotFound, ClaimCode::ConsensusNotFound]),
        Route::new("post", path, "A record as an agent sees it; it decides nothing", post(create))
            .scope(Scope::Work)
            .body::<RecordBody>()
            .answers::<NewRecord>(201, "The record")
            .claim_faults(&[ClaimCode::InvalidJson, ClaimCode::ClaimNotFound, ClaimCode::CommentCreateLimited]),
        Route::new("get", "/api/v1/claims/{id}/consensus/history", "All records of a claim, the newest first", get(history))
            .scope(Scope::Read)
            .answers::<List<ConsensusRecord>>(200, "At most 500 of them")
            .claim_faults(&[ClaimCode::ClaimNotFound]),
    ]
}

async fn show(State(server): State<Shared>, Named(claim): Named) -> Answer<Json<WithId<ConsensusRecord>>> {
    Ok(Json(server.app.claims().record(&claim).await?.into()))
}

async fn history(State(server): State<Shared>, Named(claim): Named) -> Answer<Json<List<ConsensusRecord>>> {
    Ok(Json(List::whole(server.app.claims().records(&claim).await?)))
}

/// What an agent finds. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecordBody {
    summary: String,
    key_points: Vec<String>,
    #[serde(default)]
    dissent: Option<Vec<String>>,
    #[serde(default)]
    open_questions: Option<Vec<String>>,
    /// A whole number from 0 to 100.
    confidence: f64,
    /// The model that wrote it.
    #[serde(default)]
    agent_model: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewRecord {
    /// The same as `id`.
    consensus_id: String,
    #[serde(flatten)]
    record: WithId<ConsensusRecord>,
}

async fn create(State(server): State<Shared>, caller: Caller, Named(claim): Named, PlainJson(body): PlainJson<RecordBody>) -> Answer<Response> {
    let RecordBody { summary, key_points, dissent, open_questions, confidence, agent_model } = body;
    let by = named_agent(&server, &caller, "agentModel", agent_model).await?;
    let (dissent, open_questions) = (dissent.unwrap_or_default(), open_questions.unwrap_or_default());
    let turn = turn(&server, &caller)?;
    match server.app.claims().add_record(&claim, &by, RecordDraft { summary, key_points, dissent, open_questions, confidence }).await {
        Ok(record) => Ok((StatusCode::CREATED, Json(NewRecord { consensus_id: record.id.clone(), record: record.into() })).into_response()),
        Err(error) => {
            turn.give_back();
            Err(error.into())
        }
    }
}
