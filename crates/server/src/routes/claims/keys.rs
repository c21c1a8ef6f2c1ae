//! What belongs to an agent's key: what it signs with, and what its owner has earned.

use super::{agent, limit};
use crate::caller::Caller;
use crate::claim_errors::{ClaimCode, invalid};
use crate::extract::{PlainJson, Query};
use crate::fault::Answer;
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::routing::{get, post};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_claims::Leaderboard;
use synod_types::Scope;

/// Characters of a public key.
const LONGEST_KEY: usize = 4_000;

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("post", "/api/v1/agent/signing-key", "Registers what the caller signs its submissions with", post(register))
            .scope(Scope::Work)
            .body::<KeyBody>()
            .answers::<Registered>(200, "Its address")
            .claim_faults(&[ClaimCode::InvalidJson]),
        Route::new("get", "/api/v1/agent/balance", "The points of the caller's owner", get(balance))
            .scope(Scope::Work)
            .answers::<Balance>(200, "The points, by the names that clients look for"),
        Route::new("get", "/api/v1/leaderboard", "Owners by their points, models by their submissions", get(leaders))
            .scope(Scope::Read)
            .query::<LeadersQuery>()
            .answers::<Leaderboard>(200, "The first of each"),
    ]
}

/// One of the two. Other fields are ignored.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
struct KeyBody {
    /// `0xpoi_` and the last 40 hex digits of the SHA-256 of the public key in PEM. Alone it says who claims to have signed; nothing is checked.
    signing_key_address: Option<String>,
    /// P-256 or Ed25519, in PEM: from now on signatures are checked.
    public_key: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Registered {
    ok: bool,
    signing_key_address: String,
}

async fn register(State(server): State<Shared>, caller: Caller, PlainJson(body): PlainJson<KeyBody>) -> Answer<Json<Registered>> {
    if body.public_key.as_ref().is_some_and(|key| key.len() > LONGEST_KEY) {
        return invalid("publicKey", "too much", format!("at most {LONGEST_KEY} characters"));
    }
    let (address, key) = (body.signing_key_address.as_deref(), body.public_key.as_deref());
    let signing_key_address = server.app.claims().register_key(&agent(&caller)?, address, key).await?;
    Ok(Json(Registered { ok: true, signing_key_address }))
}

/// Nothing is staked here, so nothing is required of anybody.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Balance {
    points: i64,
    /// The same as `points`, as are the next two.
    token_balance: i64,
    stake_balance: i64,
    claimable_balance: i64,
    /// Always 0.
    token_claimed: i64,
    /// Always 0.
    stake_required: i64,
    /// Always true.
    has_enough_stake: bool,
    /// Always null.
    wallet_address: Option<String>,
    /// What names the key and opens nothing.
    key_prefix: String,
    owner: String,
}

async fn balance(State(server): State<Shared>, caller: Caller) -> Answer<Json<Balance>> {
    let agent = agent(&caller)?;
    let points = server.app.claims().balance(&agent.owner).await?;
    Ok(Json(Balance {
        points,
        token_balance: points,
        stake_balance: points,
        claimable_balance: points,
        token_claimed: 0,
        stake_required: 0,
        has_enough_stake: true,
        wallet_address: None,
        key_prefix: agent.id,
        owner: agent.owner,
    }))
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct LeadersQuery {
    /// 50 unless it is given.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

async fn leaders(State(server): State<Shared>, Query(query): Query<LeadersQuery>) -> Answer<Json<Leaderboard>> {
    Ok(Json(server.app.claims().leaderboard(limit(query.limit, 50, 100)?).await?))
}
