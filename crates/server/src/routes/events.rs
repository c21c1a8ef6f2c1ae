//! A run as it goes on.

use crate::caller::Caller;
use crate::errors::Code;
use crate::extract::{Named, Query};
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::stream;
use crate::table::Route;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use schemars::JsonSchema;
use serde::Deserialize;
use synod_engine::WatchEnd;
use synod_types::{Problem, RunState, Scope};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/v1/runs/{id}/events", "The run's events, as they come", get(events))
            .scope(Scope::Read)
            .query::<EventsQuery>()
            .header(
                "Last-Event-ID",
                "The number of the last event seen; a browser sends it by itself. It counts before `after`.",
                serde_json::json!({"type": "string", "pattern": "^[0-9]{1,15}$"}),
            )
            .texts(200, "Server-sent events: `id` is the row's number, `event` its type, `data` JSON", &["text/event-stream"])
            .nothing(204, "The run has ended, or stopped, and everything was seen")
            .faults(&[Code::Gone, Code::TooManyStreams]),
    ]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct EventsQuery {
    /// Only events after this number.
    #[schemars(range(min = 0))]
    after: Option<i64>,
    /// 1: stay through stops, until the run ends.
    #[schemars(range(min = 0, max = 1))]
    follow: Option<u8>,
}

async fn events(
    State(server): State<Shared>,
    caller: Caller,
    Named(id): Named,
    headers: HeaderMap,
    Query(query): Query<EventsQuery>,
) -> Answer<Response> {
    let run = server.run(&caller, &id).await?;
    let after = seen(&headers, query.after)?;
    if after > run.seq {
        return Err(Fault::problem(Problem::new("after", after.to_string(), format!("the number of an event of this run; its last is {}", run.seq))));
    }
    let follow = match query.follow {
        None | Some(0) => false,
        Some(1) => true,
        Some(other) => return Err(Fault::problem(Problem::new("follow", other.to_string(), "0 or 1"))),
    };
    let over = match run.state {
        RunState::Complete | RunState::Lost => true,
        RunState::Stopped | RunState::Waiting => !follow,
        RunState::Running | RunState::Interrupted => false,
    };
    if over && after >= run.seq {
        // A browser would otherwise come back for ever.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    stream::events(&server, stream::place(&server, &caller)?, &id, run.mode, after, if follow { WatchEnd::Verdict } else { WatchEnd::Stop })
}

/// How far the caller has come. A browser that comes back says so in its header, and its address is still the first one.
fn seen(headers: &HeaderMap, after: Option<i64>) -> Answer<i64> {
    let wrong = |field: &str, got: String| Fault::problem(Problem::new(field, got, "the number of an event"));
    if let Some(after) = after.filter(|after| *after < 0) {
        return Err(wrong("after", after.to_string()));
    }
    if let Some(last) = headers.get("last-event-id") {
        let last = last.to_str().unwrap_or_default();
        return last.trim().parse().ok().filter(|seq| *seq >= 0).ok_or_else(|| wrong("Last-Event-ID", last.to_owned()));
    }
    Ok(after.unwrap_or(0))
}
