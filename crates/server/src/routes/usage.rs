//! What was used, and how much of a key's limits is left.

use crate::caller::Caller;
use crate::extract::Query;
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::routing::get;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Clock, SystemClock};
use synod_types::{DAY_MS, KeyLimits, Millis, Problem, Scope, date};

/// Looked at if nothing is said.
const DAYS: Millis = 30;

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/v1/usage", "What was used, by day and model, and what is left today", get(usage))
            .scope(Scope::Read)
            .query::<UsageQuery>()
            .answers::<Usage>(200, "The usage of the caller's key; an admin key sees everybody's"),
    ]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct UsageQuery {
    /// Runs begun at this time or later: milliseconds since 1970. Else: 30 days ago.
    since: Option<Millis>,
    /// Runs begun before this time. Else: now.
    until: Option<Millis>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Usage {
    /// Whose: a key, or `local` for the user of the server's machine. Null: everybody's.
    principal: Option<String>,
    /// What counts against the daily limits of the caller's key; null for one without.
    today: Option<Today>,
    limits: KeyLimits,
    /// Of runs that have stopped or ended, newest day first.
    days: Vec<Day>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Today {
    calls: i64,
    usd: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Day {
    /// UTC, as `2026-03-01`.
    date: String,
    model: String,
    runs: u64,
    calls: u64,
    tokens_in: u64,
    tokens_out: u64,
    /// The known part.
    usd: f64,
    /// Runs whose part of it is unknown.
    unpriced_runs: u64,
}

async fn usage(State(server): State<Shared>, caller: Caller, Query(query): Query<UsageQuery>) -> Answer<Json<Usage>> {
    let until = query.until.unwrap_or_else(|| SystemClock.now() + 1);
    let since = query.since.unwrap_or_else(|| until.saturating_sub(DAYS * DAY_MS));
    if since > until {
        return Err(Fault::problem(Problem::new("since", since.to_string(), format!("a time before until, which is {until}"))));
    }
    let principal = caller.only();
    let days = server.app.usage(principal.as_deref(), since, until).await?;
    let limits = caller.key().map(|key| key.limits).unwrap_or_default();
    let used = server.app.used_today(caller.name()).await?;
    Ok(Json(Usage {
        principal,
        today: (limits.calls_per_day.is_some() || limits.usd_per_day.is_some()).then_some(Today { calls: used.calls, usd: used.usd }),
        limits,
        days: days
            .into_iter()
            .map(|day| Day {
                date: date(day.day.saturating_mul(DAY_MS)),
                model: day.model,
                runs: day.runs,
                calls: day.calls,
                tokens_in: day.tokens_in,
                tokens_out: day.tokens_out,
                usd: day.usd,
                unpriced_runs: day.unpriced_runs,
            })
            .collect(),
    }))
}
