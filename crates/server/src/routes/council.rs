//! One request for every mode, answered with its events: for clients that say what they want in one loose object.

use super::paging;
use super::request::RunBody;
use super::start::{self, Begun, IDEMPOTENCY, idempotency_key, once_of};
use crate::caller::Caller;
use crate::errors::Code;
use crate::extract;
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::stream;
use crate::table::Route;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use axum::routing::post;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use synod_app::{Base, ConversationChoice, PanelChoice, RunRequest};
use synod_engine::{Mode, ModeConfig, WatchEnd};
use synod_modes::MODES;
use synod_types::{Once, Problem, Scope, sha256_hex};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("post", "/api/council/stream", "Begins a run in a conversation and streams its events", post(council))
            .scope(Scope::Run)
            .header("Idempotency-Key", IDEMPOTENCY, idempotency_key())
            .body::<CouncilBody>()
            .texts(200, "Server-sent events, from `run_start` to `complete`, `error` or `stopped`", &["text/event-stream"])
            .faults(&[Code::OtherBody, Code::ShuttingDown, Code::UnderWay, Code::Gone, Code::TooManyStreams]),
    ]
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CouncilBody {
    /// What is put to the panel.
    #[schemars(length(min = 1))]
    question: String,
    /// One of `GET /v1/modes`; `council` if nothing is said.
    mode: Option<String>,
    /// The conversation it goes on with. Without one a new conversation begins.
    conversation_id: Option<String>,
    /// Models of the panel, here or in `modeConfig`.
    council_models: Option<Vec<String>>,
    /// The model that chairs, here or in `modeConfig`.
    chairman_model: Option<String>,
    /// Options of the mode by their own names or by those that `GET /v1/modes` lists under `requestNames`.
    mode_config: Option<Map<String, Value>>,
}

async fn council(State(server): State<Shared>, caller: Caller, headers: HeaderMap, request: Request) -> Answer<Response> {
    within_limits(&server, &caller, &headers).await?;
    let extract::Json(body) = extract::Json::<CouncilBody>::from_request(request, &server).await?;
    if body.question.trim().is_empty() {
        return Err(Fault::problem(Problem::new("question", "nothing", "text of at least 1 character")));
    }
    let mode = mode_of(body.mode.as_deref())?;
    let once = once_of(&headers, sha256_hex(format!("council\n{}", serde_json::to_string(&body).unwrap_or_default())))?;
    let conversation = body.conversation_id.clone();
    let (config, problems) =
        ModeConfig::read(mode, &body.mode_config.clone().unwrap_or_default(), body.council_models.clone(), body.chairman_model.clone());
    let (mut request, problems) = run_request(&caller, mode, body, &config, problems).map_err(|fault| named(fault, &config))?;
    // Whose conversation it is comes after what is wrong with the rest.
    let joined = match &conversation {
        Some(id) => server.conversation(&caller, id).await.map(|_| ConversationChoice::Join(id.clone())),
        None => Ok(ConversationChoice::New),
    };
    request.conversation = joined.as_ref().ok().cloned();
    if let Err(missing) = joined {
        server.app.prepare(request, problems, &mut synod_app::Notes::default()).await.map_err(|error| named(error.into(), &config))?;
        return Err(missing);
    }
    let place = stream::place(&server, &caller)?;
    let begun = start::begin_once(&server, &caller, once, request, problems).await.map_err(|fault| named(fault, &config))?;
    let (Begun::Now(run, _) | Begun::Before(run)) = begun;
    let mut response = stream::events(&server, place, &run, mode.id.to_owned(), 0, WatchEnd::Stop)?;
    if let Ok(place) = HeaderValue::from_str(&format!("/v1/runs/{run}")) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

/// Told before anything is read of the request. One that has begun its run already takes no second place.
async fn within_limits(server: &Shared, caller: &Caller, headers: &HeaderMap) -> Answer<()> {
    let Some(key) = caller.key() else { return Ok(()) };
    let before = match once_of(headers, String::new())? {
        Some(once @ Once { .. }) => server.app.repeat(caller.name(), &once).await?,
        None => None,
    };
    if before.is_none() {
        server.app.room_to_start(key).await??;
    }
    Ok(())
}

fn mode_of(given: Option<&str>) -> Answer<&'static Mode> {
    let given = given.unwrap_or(MODES[0].id);
    paging::listed_mode(Some(given)).map_err(|fault| {
        let shown: String = given.chars().take(100).collect();
        Fault { error: Some(format!("Unknown mode: {shown}")), ..fault }
    })?;
    Ok(MODES.iter().copied().find(|mode| mode.id == given).unwrap_or(MODES[0]))
}

fn run_request(caller: &Caller, mode: &Mode, body: CouncilBody, config: &ModeConfig, problems: Vec<Problem>) -> Answer<(RunRequest, Vec<Problem>)> {
    let question = match config.written_for.as_deref().filter(|other| other.trim() != body.question.trim()) {
        Some(other) => format!("{}\n\nIt was written in answer to this question: {}", body.question.trim(), other.trim()),
        None => body.question,
    };
    let options = config.options.iter().filter_map(|(name, value)| match value {
        synod_engine::OptionValue::Json(json) | synod_engine::OptionValue::Checked(json) => Some((name.clone(), json.value())),
        synod_engine::OptionValue::Text(_) => None,
    });
    let run = RunBody {
        mode: Some(mode.id.to_owned()),
        question: Some(question),
        content: config.content.clone(),
        models: config.panel.iter().flatten().cloned().collect(),
        chair: config.chair.clone(),
        roles: config.roles.iter().cloned().collect(),
        options: options.collect(),
        timeout_secs: config.timeout_secs,
        ..RunBody::default()
    };
    let (mut request, problems) = run.into_request(caller, Base::Nothing, problems)?;
    if config.panel.iter().any(Option::is_none) {
        request.panel = PanelChoice::Places(config.panel.clone());
    }
    Ok((request, problems))
}

/// The same fault under the names that the request used. What is wrong with the conversation comes after everything else.
fn named(fault: Fault, config: &ModeConfig) -> Fault {
    if fault.code != Code::Invalid || fault.problems.is_empty() {
        return fault;
    }
    let about_conversation = |problem: &Problem| problem.field == "conversation";
    let only_that = fault.problems.iter().all(about_conversation);
    let problems = fault.problems.into_iter().filter(|problem| only_that || !about_conversation(problem)).map(|problem| {
        let back = match problem.field.as_str() {
            "timeout_secs" => "timeout".to_owned(),
            "conversation" => "conversationId".to_owned(),
            field => field.to_owned(),
        };
        config.named(Problem { field: back, ..problem })
    });
    Fault::of(Code::Invalid, problems.collect())
}
