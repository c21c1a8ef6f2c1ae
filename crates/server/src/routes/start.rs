//! Beginning runs: a question, a fork, a round more; and what one would take.

use super::request::{Asked, NEW, RunBody, RunForm};
use crate::caller::Caller;
use crate::errors::Code;
use crate::extract::Named;
use crate::fault::{Answer, Fault};
use crate::keeper;
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use std::time::Duration;
use synod_app::{AppError, Base, Notes, PreparedRun, RunRequest};
use synod_engine::Ending;
use synod_report::Snapshot;
use synod_types::{Once, Problem, Quote, Scope, StopReason};
use tokio::task::JoinHandle;

const PREFER: &str = "`respond-async` answers at once with 202; `wait=10` waits at most so many seconds. Without it the answer comes when the run has ended or stopped, or after five minutes.";
pub const IDEMPOTENCY: &str = "A repeated request with the same key and body within 24 hours is answered with the run that the first one began.";
/// Nobody waits longer for an answer; the run goes on.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// Characters of an idempotency key.
const LONGEST_KEY: usize = 200;

/// What an idempotency key may be.
pub fn idempotency_key() -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"})
}

pub fn routes() -> Vec<Route> {
    let started = |route: Route| {
        route
            .scope(Scope::Run)
            .header("Prefer", PREFER, json!({"type": "string"}))
            .header("Idempotency-Key", IDEMPOTENCY, idempotency_key())
            .answers::<Snapshot>(200, "The run that an earlier request with this idempotency key began")
            .answers::<Snapshot>(201, "The run, ended or stopped")
            .answers::<Snapshot>(202, "The run, under way")
            .faults(&[Code::OtherBody, Code::ShuttingDown, Code::UnderWay, Code::Gone])
    };
    vec![
        started(Route::new("post", "/v1/runs", "Begins a run", post(start)).body::<RunBody>().form::<RunForm>()),
        started(
            Route::new("post", "/v1/runs/{id}/fork", "Begins a run that takes over what this one said, with what is changed", post(fork))
                .body::<RunBody>(),
        ),
        started(
            Route::new("post", "/v1/runs/{id}/continue", "Begins a run that goes one round further than this one", post(go_further))
                .body::<RunBody>(),
        ),
        Route::new("post", "/v1/quote", "What a run would take: calls, tokens, dollars. Nothing is begun", post(quote))
            .scope(Scope::Run)
            .body::<RunBody>()
            .form::<RunForm>()
            .answers::<Quote>(200, "The quote"),
    ]
}

async fn start(State(server): State<Shared>, caller: Caller, headers: HeaderMap, asked: Asked) -> Answer<Response> {
    begin(&server, &caller, &headers, "runs", Base::Nothing, asked).await
}

async fn fork(State(server): State<Shared>, caller: Caller, Named(id): Named, headers: HeaderMap, asked: Asked) -> Answer<Response> {
    let parent = server.run(&caller, &id).await?;
    begin(&server, &caller, &headers, &format!("fork {id}"), Base::Fork(parent.id), asked).await
}

async fn go_further(State(server): State<Shared>, caller: Caller, Named(id): Named, headers: HeaderMap, asked: Asked) -> Answer<Response> {
    let parent = server.run(&caller, &id).await?;
    begin(&server, &caller, &headers, &format!("continue {id}"), Base::Continue(parent.id), asked).await
}

async fn quote(State(server): State<Shared>, caller: Caller, Asked { body, problems }: Asked) -> Answer<Json<Quote>> {
    visible(&server, &caller, &body).await?;
    let request = body.into_request(&caller, Base::Nothing, problems)?;
    let prepared = server.app.prepare(request.0, request.1, &mut Notes::default()).await?;
    Ok(Json(prepared.quote()))
}

async fn begin(server: &Shared, caller: &Caller, headers: &HeaderMap, place: &str, base: Base, Asked { body, problems }: Asked) -> Answer<Response> {
    visible(server, caller, &body).await?;
    let (wait, once) = (Waiting::asked(headers)?, once_of(headers, body.digest(place))?);
    let (request, problems) = body.into_request(caller, base, problems)?;
    begin_request(server, caller, once, request, problems, wait).await
}

/// A conversation that is named must be one that the caller may see.
async fn visible(server: &Shared, caller: &Caller, body: &RunBody) -> Answer<()> {
    match body.conversation.as_deref().filter(|id| *id != NEW) {
        Some(id) => server.conversation(caller, id).await.map(|_| ()),
        None => Ok(()),
    }
}

/// Begins a run, unless the same request has begun one already.
pub async fn begin_request(
    server: &Shared,
    caller: &Caller,
    once: Option<Once>,
    request: RunRequest,
    problems: Vec<Problem>,
    wait: Waiting,
) -> Answer<Response> {
    match begin_once(server, caller, once, request, problems).await? {
        Begun::Before(run) => answer(server, StatusCode::OK, &run).await,
        Begun::Now(run, ending) => {
            let ended = wait.until(ending).await;
            let status = if ended { StatusCode::CREATED } else { StatusCode::ACCEPTED };
            // Its rows say how it stands: it is held here.
            placed(status, &run, super::runs::snapshot_here(server, &run).await?)
        }
    }
}

/// A run that a request asked for.
pub enum Begun {
    Now(String, JoinHandle<Ending>),
    /// An earlier request with the same idempotency key has begun it.
    Before(String),
}

pub async fn begin_once(server: &Shared, caller: &Caller, once: Option<Once>, request: RunRequest, problems: Vec<Problem>) -> Answer<Begun> {
    server.still_open()?;
    // A request that is wrong is no repetition, whatever is left of it.
    if let Some(once) = once.as_ref().filter(|_| problems.is_empty())
        && let Some(again) = repeated(server, caller, once).await?
    {
        return Ok(Begun::Before(again));
    }
    let mut notes = Notes::default();
    let mut prepared = server.app.prepare(request, problems, &mut notes).await?;
    if let Some(once) = once.clone() {
        prepared.only_once(once);
    }
    match launch(server, caller, prepared).await {
        // The same request came twice at once, and the other was quicker.
        Err(fault) if fault.problems.iter().any(|problem| problem.field == "idempotency_key") => {
            let again = match &once {
                Some(once) => repeated(server, caller, once).await?,
                None => None,
            };
            again.map(Begun::Before).ok_or(fault)
        }
        launched => launched.map(|(run, ending)| Begun::Now(run, ending)),
    }
}

/// Within the limits of the caller's key; a request that is wrong never gets here and takes no place.
async fn launch(server: &Shared, caller: &Caller, prepared: PreparedRun) -> Answer<(String, JoinHandle<Ending>)> {
    let turn = server.starting(caller.name());
    let mine = match caller.key() {
        Some(key) => {
            prepared.priced_for(&key.limits)?;
            let mine = turn.lock().await;
            server.app.room_to_start(key).await??;
            Some(mine)
        }
        None => None,
    };
    server.still_open()?;
    let mode = prepared.header().mode.clone();
    let (_, handle) = prepared.start(&server.app).await.map_err(|error: AppError| Fault::from(error))?;
    drop(mine);
    let run = handle.run.clone();
    tracing::info!(run, mode, who = caller.name(), "begun");
    Ok((run, keeper::follow(handle)))
}

async fn repeated(server: &Shared, caller: &Caller, once: &Once) -> Answer<Option<String>> {
    let Some(repeat) = server.app.repeat(caller.name(), once).await? else { return Ok(None) };
    if repeat.body_sha256 != once.body_sha256 {
        return Err(Fault::new(Code::OtherBody, format!("the key {:?} began run {} with another request", once.key, repeat.run)));
    }
    server.run(caller, &repeat.run).await?;
    Ok(Some(repeat.run))
}

/// The run as it is now, and where it is found.
pub async fn answer(server: &Shared, status: StatusCode, run: &str) -> Answer<Response> {
    placed(status, run, super::runs::snapshot(server, run).await?)
}

fn placed(status: StatusCode, run: &str, snapshot: Snapshot) -> Answer<Response> {
    let mut response = (status, Json(snapshot)).into_response();
    if let Ok(place) = HeaderValue::from_str(&format!("/v1/runs/{run}")) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

pub fn once_of(headers: &HeaderMap, body_sha256: String) -> Answer<Option<Once>> {
    let Some(given) = headers.get("idempotency-key") else { return Ok(None) };
    match given.to_str() {
        Ok(key) if !key.trim().is_empty() && key.len() <= LONGEST_KEY => Ok(Some(Once { key: key.trim().to_owned(), body_sha256 })),
        _ => Err(Fault::problem(Problem::new("Idempotency-Key", "nothing, or too much", format!("1 to {LONGEST_KEY} visible characters")))),
    }
}

/// How long a caller waits for the end.
pub struct Waiting(Option<Duration>);

impl Waiting {
    pub const NOT: Self = Self(Some(Duration::ZERO));

    /// RFC 7240. What is not understood is not obeyed.
    pub fn asked(headers: &HeaderMap) -> Answer<Self> {
        let preferred = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
        let mut wait = None;
        for preference in preferred.map(str::trim) {
            if preference.eq_ignore_ascii_case("respond-async") {
                wait.get_or_insert(Duration::ZERO);
            } else if let Some(secs) = preference.strip_prefix("wait=") {
                let secs: u32 =
                    secs.parse().map_err(|_| Fault::problem(Problem::new("Prefer", preference, "wait= and a whole number of seconds")))?;
                wait = Some(Duration::from_secs(u64::from(secs)));
            }
        }
        Ok(Self(wait))
    }

    /// True when the run has ended in that time. It goes on whether or not anybody waits.
    pub async fn until(self, ending: JoinHandle<Ending>) -> bool {
        // Whoever does not wait is answered in one way, however quick the run is.
        if self.0 == Some(Duration::ZERO) {
            return false;
        }
        match tokio::time::timeout(self.0.unwrap_or(LONGEST_WAIT), ending).await {
            // One that is handed over has neither ended nor stopped.
            Ok(Ok(Ending::Stopped(stopped))) => stopped.reason != StopReason::HandedOver,
            Ok(Ok(Ending::Verdict(_))) => true,
            Ok(Err(_)) | Err(_) => false,
        }
    }
}
