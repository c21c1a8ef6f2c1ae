//! Runs that exist: found, read, exported, checked, gone on with, ended, deleted.

use super::export::{ExportQuery, Format};
use super::paging;
use super::start::{self, Waiting};
use crate::caller::Caller;
use crate::errors::Code;
use crate::extract::{self, Named, Query};
use crate::fault::{Answer, Fault};
use crate::keeper;
use crate::state::Shared;
use crate::table::{JSON, Route};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{delete, get, post};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_app::{Deletion, ExportFormat, RunFilter, RunSummary};
use synod_engine::{Clock, LimitChanges, ResumeOutcome, SystemClock};
use synod_report::{Snapshot, View};
use synod_types::{Millis, Problem, Row, RunState, Scope, Status, Verdict};

/// Characters looked for in questions.
const LONGEST_TEXT: usize = 200;

pub fn routes() -> Vec<Route> {
    let named = |route: Route| route.faults(&[Code::Gone]);
    vec![
        Route::new("get", "/v1/runs", "Runs, newest first", get(list))
            .scope(Scope::Read)
            .query::<ListQuery>()
            .answers::<RunPage>(200, "A page of them"),
        named(Route::new("get", "/v1/runs/{id}", "A run as it is now: all that a client needs after a reload", get(show)))
            .scope(Scope::Read)
            .answers::<Snapshot>(200, "The run"),
        named(Route::new("get", "/v1/runs/{id}/verdict", "The verdict of a run that has ended", get(verdict)))
            .scope(Scope::Read)
            .answers::<Verdict>(200, "The verdict")
            .faults(&[Code::Conflict]),
        named(Route::new("get", "/v1/runs/{id}/export", "The run as one text that stands by itself", get(export)))
            .scope(Scope::Read)
            .query::<ExportQuery>()
            .texts(200, "The text", &["text/markdown", "text/html", JSON]),
        named(Route::new("get", "/v1/runs/{id}/verify", "Whether what is stored is still what was written", get(verify)))
            .scope(Scope::Read)
            .answers::<VerifyReport>(200, "What was found"),
        named(Route::new("post", "/v1/runs/{id}/resume", "Goes on with a run that stopped: only what is missing is asked", post(resume)))
            .scope(Scope::Run)
            .header("Prefer", "`respond-async` answers at once with 202.", json!({"type": "string"}))
            .body::<LimitsBody>()
            .answers::<Snapshot>(200, "The run, ended or stopped")
            .answers::<Snapshot>(202, "The run, under way")
            .faults(&[Code::UnderWay, Code::Ended, Code::OtherVersion, Code::ShuttingDown]),
        named(Route::new("post", "/v1/runs/{id}/cancel", "Stops a run; it can be resumed", post(cancel)))
            .scope(Scope::Run)
            .body::<NothingBody>()
            .answers::<Snapshot>(202, "The run; it stops within a few seconds")
            .faults(&[Code::Ended]),
        named(Route::new("post", "/v1/runs/{id}/conclude", "Lets a run come to its conclusion with what it has", post(conclude)))
            .scope(Scope::Run)
            .body::<NothingBody>()
            .answers::<Snapshot>(202, "The run; it concludes")
            .faults(&[Code::Ended]),
        named(Route::new("delete", "/v1/runs/{id}", "Deletes a run and everything that was kept of it", delete(remove)))
            .scope(Scope::Run)
            .nothing(204, "It is gone")
            .faults(&[Code::UnderWay, Code::HasForks]),
    ]
}

/// Which runs to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ListQuery {
    mode: Option<String>,
    state: Option<RunState>,
    /// The verdict's status.
    status: Option<Status>,
    /// Begun at this time or later: milliseconds since 1970.
    since: Option<Millis>,
    /// Begun before this time.
    until: Option<Millis>,
    /// Stands in the question, whatever its case.
    text: Option<String>,
    /// At most so many, up to 200.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// `next` of the page before.
    #[schemars(regex(pattern = r"^[0-9]{1,15}\..+$"))]
    after: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RunPage {
    runs: Vec<ListedRun>,
    /// Give it as `after` for the next page; null on the last.
    next: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedRun {
    id: String,
    mode: String,
    state: RunState,
    status: Option<String>,
    /// Its first 500 characters.
    question: String,
    created_at: Millis,
    updated_at: Millis,
    /// Null: unknown.
    spent_usd: Option<f64>,
    rehearsal: bool,
    parent: Option<String>,
    conversation: Option<String>,
    /// The key that began it; `local`: the user of the server's machine.
    principal: String,
    /// Keys of questions to a person that nobody has answered.
    waiting: Vec<String>,
}

impl From<RunSummary> for ListedRun {
    fn from(run: RunSummary) -> Self {
        Self {
            id: run.id,
            mode: run.mode,
            state: run.state,
            status: run.status,
            question: run.question,
            created_at: run.created_at,
            updated_at: run.updated_at,
            spent_usd: run.spent_usd,
            rehearsal: run.rehearsal,
            parent: run.parent,
            conversation: run.conversation,
            principal: run.principal,
            waiting: run.waiting.into_iter().map(|question| question.key).collect(),
        }
    }
}

async fn list(State(server): State<Shared>, caller: Caller, Query(query): Query<ListQuery>) -> Answer<Json<RunPage>> {
    let limit = paging::size(query.limit)?;
    paging::known_mode(query.mode.as_deref())?;
    if query.text.as_ref().is_some_and(|text| text.chars().count() > LONGEST_TEXT) {
        return Err(Fault::problem(Problem::new("text", "a long text", format!("at most {LONGEST_TEXT} characters"))));
    }
    let before = query.after.as_deref().map(paging::cursor).transpose()?;
    let filter = RunFilter {
        states: query.state.into_iter().collect(),
        mode: query.mode,
        status: query.status.map(|status| status.as_str().to_owned()),
        since: query.since,
        until: query.until,
        text: query.text.filter(|text| !text.is_empty()),
        principal: caller.only(),
        before,
        // One more than asked for tells whether there is another page.
        limit: Some(limit + 1),
        ..RunFilter::default()
    };
    let mut runs = server.app.summaries(&filter).await?;
    let more = runs.len() > limit;
    runs.truncate(limit);
    let next = runs.last().filter(|_| more).map(|run| paging::next((run.created_at, &run.id)));
    Ok(Json(RunPage { runs: runs.into_iter().map(ListedRun::from).collect(), next }))
}

/// The run as a client needs it.
pub async fn snapshot(server: &Shared, run: &str) -> Answer<Snapshot> {
    let summary = server.app.run(run).await?;
    let rows = server.app.rows(run).await?;
    Ok(snapshot_of(&summary, &rows))
}

/// The same of a run that this process has just begun.
pub async fn snapshot_here(server: &Shared, run: &str) -> Answer<Snapshot> {
    let view = View::of(&server.app.rows(run).await?);
    Ok(Snapshot::of(&view, view.state, SystemClock.now()))
}

fn snapshot_of(run: &RunSummary, rows: &[Row]) -> Snapshot {
    let mut snapshot = Snapshot::of(&View::of(rows), run.state, SystemClock.now());
    // What was answered and not yet read by the run is no longer asked.
    snapshot.waiting.retain(|question| run.waiting.iter().any(|open| open.key == question.key));
    snapshot
}

async fn show(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Json<Snapshot>> {
    let run = server.run(&caller, &id).await?;
    let rows = server.app.rows(&id).await?;
    Ok(Json(snapshot_of(&run, &rows)))
}

async fn verdict(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Json<Verdict>> {
    let run = server.run(&caller, &id).await?;
    let rows = server.app.rows(&id).await?;
    let verdict = View::of(&rows).verdict;
    verdict.map(Json).ok_or_else(|| Fault::new(Code::Conflict, format!("run {id} has no verdict yet: it is {}", run.state.as_str())))
}

async fn export(State(server): State<Shared>, caller: Caller, Named(id): Named, Query(query): Query<ExportQuery>) -> Answer<Response> {
    server.run(&caller, &id).await?;
    let format = match query.format {
        Format::Md => ExportFormat::Markdown,
        Format::Html => ExportFormat::Html,
        Format::Json => ExportFormat::Json,
    };
    Ok(query.format.response(server.app.export(&id, format).await?))
}

#[derive(Debug, Serialize, JsonSchema)]
struct VerifyReport {
    run: String,
    /// Nothing was altered.
    intact: bool,
    rows: usize,
    /// The end of the chain, made again from the rows.
    head: String,
    /// A verdict's receipt could be compared.
    receipt: bool,
    raws_intact: usize,
    /// Dropped under the retention; the chain still has their hash.
    raws_expired: usize,
    /// What is not as it was written.
    faults: Vec<Value>,
}

async fn verify(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Json<VerifyReport>> {
    server.run(&caller, &id).await?;
    let found = server.app.verify(&id).await?;
    Ok(Json(VerifyReport {
        intact: found.intact(),
        rows: found.rows,
        head: found.head,
        receipt: found.receipt,
        raws_intact: found.raws_intact,
        raws_expired: found.raws_expired,
        faults: found.faults.iter().map(|fault| serde_json::to_value(fault).unwrap_or_default()).collect(),
        run: found.run,
    }))
}

/// Limits that change when a run goes on.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct LimitsBody {
    /// The new total for the run.
    budget_usd: Option<f64>,
    deadline_secs: Option<f64>,
    timeout_secs: Option<f64>,
}

async fn resume(
    State(server): State<Shared>,
    caller: Caller,
    Named(id): Named,
    headers: HeaderMap,
    extract::Json(body): extract::Json<LimitsBody>,
) -> Answer<Response> {
    let wait = Waiting::asked(&headers)?;
    let run = server.run(&caller, &id).await?;
    server.still_open()?;
    if run.state == RunState::Running {
        return Err(Fault::new(Code::UnderWay, format!("run {id} is under way")));
    }
    if run.state.ended() {
        return Err(Fault::new(Code::Ended, format!("run {id} has ended")));
    }
    let turn = server.starting(caller.name());
    let mine = match caller.key() {
        Some(key) => {
            let mine = turn.lock().await;
            server.app.room_to_go_on(key).await??;
            Some(mine)
        }
        None => None,
    };
    let changes = LimitChanges { budget_usd: body.budget_usd, deadline_secs: body.deadline_secs, timeout_secs: body.timeout_secs };
    let outcome = server.app.runner(&id).await?.resume(&id, changes).await?;
    drop(mine);
    let ended = match outcome {
        ResumeOutcome::Running(handle) => wait.until(keeper::follow(handle)).await,
        ResumeOutcome::Ended(_) => true,
    };
    start::answer(&server, if ended { StatusCode::OK } else { StatusCode::ACCEPTED }, &id).await
}

/// Nothing is said.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NothingBody {}

async fn cancel(State(server): State<Shared>, caller: Caller, Named(id): Named, _: extract::Json<NothingBody>) -> Answer<Response> {
    end(&server, &caller, &id, false).await
}

async fn conclude(State(server): State<Shared>, caller: Caller, Named(id): Named, _: extract::Json<NothingBody>) -> Answer<Response> {
    end(&server, &caller, &id, true).await
}

async fn end(server: &Shared, caller: &Caller, id: &str, conclude: bool) -> Answer<Response> {
    let run = server.run(caller, id).await?;
    if run.state.ended() {
        return Err(Fault::new(Code::Ended, format!("run {id} has ended")));
    }
    // One that has stopped need not be stopped.
    if conclude || run.state != RunState::Stopped {
        server.app.reader()?.cancel(id, conclude, &caller.owner()).await?;
    }
    // One that nobody holds comes to its conclusion only if somebody goes on with it.
    if conclude && matches!(run.state, RunState::Stopped | RunState::Waiting) {
        server.still_open()?;
        if let ResumeOutcome::Running(handle) = server.app.runner(id).await?.resume(id, LimitChanges::default()).await? {
            keeper::follow(handle);
        }
    }
    start::answer(server, StatusCode::ACCEPTED, id).await
}

async fn remove(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<StatusCode> {
    server.run(&caller, &id).await?;
    match server.app.delete_run(&id).await? {
        Deletion::Done => {
            tracing::info!(run = id, who = caller.name(), "deleted");
            Ok(StatusCode::NO_CONTENT)
        }
        Deletion::UnderWay => Err(Fault::new(Code::UnderWay, format!("run {id} is under way"))),
        Deletion::Parent(forks) => {
            let mut seen = Vec::new();
            for fork in &forks {
                if server.run(&caller, fork).await.is_ok() {
                    seen.push(fork.as_str());
                }
            }
            let others = if seen.len() < forks.len() { " and by others" } else { "" };
            Err(Fault::new(Code::HasForks, format!("forked from it: {}{others}", seen.join(", "))))
        }
        Deletion::NoSuchRun => Err(Fault::no_run(&id)),
    }
}
