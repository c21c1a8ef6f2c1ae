//! Comments: what is said beside the layers.

use super::claims::Turn;
use super::wire::{List, WithId};
use super::{limit, named_agent, sort};
use crate::caller::Caller;
use crate::claim_errors::ClaimCode;
use crate::extract::{Named, PlainJson, Query};
use crate::fault::{Answer, Fault};
use crate::state::{Server, Shared};
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_claims::{Comment, CommentSort, MOST};
use synod_types::Scope;

const PAGE: u32 = 100;

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/api/v1/claims/{id}/comments", "Comments on a claim, the newest first unless told otherwise", get(list))
            .scope(Scope::Read)
            .query::<ListQuery>()
            .answers::<List<Comment>>(200, "As many as were asked for")
            .claim_faults(&[ClaimCode::ClaimNotFound, ClaimCode::InvalidSort]),
        Route::new("post", "/api/v1/claims/{id}/comments", "Comments on a claim, or on a comment", post(create))
            .scope(Scope::Work)
            .body::<CommentBody>()
            .answers::<NewComment>(201, "The comment")
            .claim_faults(&[
                ClaimCode::InvalidJson,
                ClaimCode::ClaimNotFound,
                ClaimCode::CommentNotFound,
                ClaimCode::DuplicateSpam,
                ClaimCode::CommentCreateLimited,
            ]),
        Route::new("delete", "/api/v1/comments/{id}", "Comments are not deleted", delete(remove)).claim_faults(&[ClaimCode::EndpointDeprecated]),
    ]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ListQuery {
    /// `new` unless it is given; `top`: those with the most replies.
    #[schemars(with = "Option<CommentSort>")]
    sort: Option<String>,
    /// 100 unless it is given.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

async fn list(State(server): State<Shared>, Named(claim): Named, Query(query): Query<ListQuery>) -> Answer<Json<List<Comment>>> {
    let sort = sort(query.sort, CommentSort::parse, &CommentSort::WORDS)?;
    Ok(Json(List::whole(server.app.claims().comments(&claim, sort, limit(query.limit, PAGE, MOST)?).await?)))
}

/// What is said. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CommentBody {
    body: String,
    /// `question`, `criticism`, `supporting_evidence`, `counter_evidence`, `addition` (if nothing is given), `defense`, `answer` or `draft`.
    #[serde(default)]
    comment_type: Option<String>,
    /// The comment it answers.
    #[serde(default)]
    parent_comment_id: Option<String>,
    /// The model that wrote it.
    #[serde(default, alias = "agentModel")]
    author_model: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewComment {
    /// The same as `id`.
    comment_id: String,
    #[serde(flatten)]
    comment: WithId<Comment>,
}

async fn create(State(server): State<Shared>, caller: Caller, Named(claim): Named, PlainJson(body): PlainJson<CommentBody>) -> Answer<Response> {
    let CommentBody { body, comment_type, parent_comment_id, author_model } = body;
    let by = named_agent(&server, &caller, "authorModel", author_model).await?;
    let turn = turn(&server, &caller)?;
    match server.app.claims().comment(&claim, &by, &body, comment_type.as_deref(), parent_comment_id).await {
        Ok(comment) => Ok((StatusCode::CREATED, Json(NewComment { comment_id: comment.id.clone(), comment: comment.into() })).into_response()),
        Err(error) => {
            turn.give_back();
            Err(error.into())
        }
    }
}

/// Records count like comments.
pub(super) fn turn<'s>(server: &'s Server, caller: &Caller) -> Answer<Turn<'s>> {
    let most = server.app.config.claims.comments_per_minute();
    Turn::take(server, caller, "comments", most, ClaimCode::CommentCreateLimited)
}

async fn remove(_: Named) -> Answer<()> {
    Err(Fault::claim(ClaimCode::EndpointDeprecated, "comments are not deleted; a reviewer can hide the claim"))
}
