//! Conversations: questions that follow each other, in one mode.

use super::paging;
use crate::caller::Caller;
use crate::errors::Code;
use crate::extract::{self, Named, Query};
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::table::{JSON, Route};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use synod_app::{ConversationDeletion, ConversationFilter, ConversationSummary, StageRow, StoredMessage};
use synod_types::{Millis, Problem, Scope};

/// Characters of a name.
const LONGEST_TITLE: usize = 200;

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("post", "/v1/conversations", "An empty conversation; runs join it by its id", post(create))
            .scope(Scope::Run)
            .body::<NewBody>()
            .answers::<Conversation>(201, "The conversation"),
        Route::new("get", "/v1/conversations", "Conversations, those with the newest message first", get(list))
            .scope(Scope::Read)
            .query::<ListQuery>()
            .answers::<ConversationPage>(200, "A page of them"),
        Route::new("get", "/v1/conversations/{id}", "A conversation with its messages, oldest first", get(show))
            .scope(Scope::Read)
            .query::<ShowQuery>()
            .answers::<WholeConversation>(200, "The conversation"),
        Route::new("patch", "/v1/conversations/{id}", "Gives a conversation a name; no title takes its place", patch(rename))
            .scope(Scope::Run)
            .body::<RenameBody>()
            .answers::<Conversation>(200, "The conversation"),
        Route::new("delete", "/v1/conversations/{id}", "Deletes a conversation, its messages and its runs", delete(remove))
            .scope(Scope::Run)
            .answers::<Deleted>(200, "What went, and what still holds words of it")
            .faults(&[Code::UnderWay]),
        Route::new("get", "/v1/conversations/{id}/export", "The whole conversation as one text", get(export))
            .scope(Scope::Read)
            .query::<ExportQuery>()
            .texts(200, "The text", &["text/markdown", JSON]),
        Route::new("get", "/v1/runs/{id}/stages", "The rows that a run has shown, read from its journal", get(stages))
            .scope(Scope::Read)
            .answers::<StagePage>(200, "The rows, in the order in which they were shown")
            .faults(&[Code::Gone]),
    ]
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NewBody {
    /// A name; without one its first message gives it a title.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// The mode of its messages; without one the first message fixes it.
    mode: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RenameBody {
    #[schemars(length(min = 1, max = 200))]
    title: String,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ListQuery {
    mode: Option<String>,
    /// At most so many, up to 200.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// `next` of the page before.
    #[schemars(regex(pattern = r"^[0-9]{1,15}\..+$"))]
    after: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ShowQuery {
    /// With the rows that each answer's run has shown.
    stages: Option<bool>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ExportQuery {
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Md,
    Json,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Conversation {
    id: String,
    /// Null until the first message fixes it.
    mode: Option<String>,
    title: String,
    created_at: Millis,
    /// When its last message came.
    updated_at: Millis,
    /// How many messages it has.
    messages: i64,
    /// The key it belongs to; `local`: the user of the server's machine.
    principal: String,
}

impl From<ConversationSummary> for Conversation {
    fn from(of: ConversationSummary) -> Self {
        let ConversationSummary { id, mode, title, principal, created_at, updated_at, messages, .. } = of;
        Self { id, mode, title, created_at, updated_at, messages, principal }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct ConversationPage {
    conversations: Vec<Conversation>,
    /// Give it as `after` for the next page; null on the last.
    next: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WholeConversation {
    id: String,
    mode: Option<String>,
    title: String,
    created_at: Millis,
    updated_at: Millis,
    principal: String,
    messages: Vec<Message>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Message {
    id: String,
    /// `user` or `assistant`.
    role: String,
    content: String,
    /// The run that it asked for, or that answered it.
    run: String,
    /// Null for a question, and for a verdict without an answer.
    answer_kind: Option<String>,
    created_at: Millis,
    /// Of an answer, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<Vec<Stage>>,
}

/// A row of what a run has shown.
#[derive(Debug, Serialize, JsonSchema)]
struct Stage {
    id: String,
    /// The answer it led to; null as long as there is none.
    message_id: Option<String>,
    stage_type: String,
    /// Rows of one stage type have one number.
    stage_order: i64,
    /// Null where it was computed.
    model: Option<String>,
    role: Option<String>,
    content: String,
    parsed_data: Option<Value>,
    response_time_ms: Option<Millis>,
    created_at: Millis,
}

impl From<StageRow> for Stage {
    fn from(row: StageRow) -> Self {
        Self {
            id: row.id,
            message_id: row.message_id,
            stage_type: row.stage_type,
            stage_order: row.stage_order,
            model: row.model,
            role: row.role,
            content: row.content,
            parsed_data: row.parsed_data.and_then(|data| serde_json::from_str(&data).ok()),
            response_time_ms: row.response_time_ms,
            created_at: row.created_at,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct StagePage {
    stages: Vec<Stage>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Deleted {
    /// Runs that are gone.
    deleted: Vec<String>,
    /// Runs that stay, because others were forked from them.
    kept: Vec<String>,
    /// Runs whose records still hold words of the conversation: those kept, and what was forked from them.
    frozen_in: Vec<String>,
}

fn title_of(given: &str) -> Answer<String> {
    let title = given.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() || title.chars().count() > LONGEST_TITLE || title.chars().any(char::is_control) {
        let got: String = given.chars().take(40).collect();
        return Err(Fault::problem(Problem::new("title", format!("{got:?}"), format!("1 to {LONGEST_TITLE} characters, on one line"))));
    }
    Ok(title)
}

async fn create(State(server): State<Shared>, caller: Caller, extract::Json(body): extract::Json<NewBody>) -> Answer<Response> {
    paging::listed_mode(body.mode.as_deref())?;
    let title = body.title.as_deref().map(title_of).transpose()?;
    let made = server.app.create_conversation(body.mode, title, caller.principal()).await?;
    let place = format!("/v1/conversations/{}", made.id);
    let mut response = (StatusCode::CREATED, Json(Conversation::from(made))).into_response();
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

async fn list(State(server): State<Shared>, caller: Caller, Query(query): Query<ListQuery>) -> Answer<Json<ConversationPage>> {
    paging::known_mode(query.mode.as_deref())?;
    let limit = paging::size(query.limit)?;
    let before = query.after.as_deref().map(paging::cursor).transpose()?;
    // One more than asked for tells whether there is another page.
    let filter = ConversationFilter { principal: caller.only(), mode: query.mode, before, limit: Some(limit as u32 + 1) };
    let mut found = server.app.conversations(&filter).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|last| paging::next((last.updated_at, &last.id)));
    Ok(Json(ConversationPage { conversations: found.into_iter().map(Conversation::from).collect(), next }))
}

async fn show(State(server): State<Shared>, caller: Caller, Named(id): Named, Query(query): Query<ShowQuery>) -> Answer<Json<WholeConversation>> {
    let conversation = server.conversation(&caller, &id).await?;
    Ok(Json(whole(&server, conversation, query.stages.unwrap_or(false)).await?))
}

async fn whole(server: &Shared, of: ConversationSummary, with_stages: bool) -> Answer<WholeConversation> {
    let mut messages = Vec::new();
    for StoredMessage { id, role, content, run, answer_kind, created_at } in server.app.messages(&of.id).await? {
        let stages = match with_stages && role == "assistant" {
            true => Some(server.app.stages(&run).await?.into_iter().map(Stage::from).collect()),
            false => None,
        };
        messages.push(Message { id, role, content, run, answer_kind, created_at, stages });
    }
    let ConversationSummary { id, mode, title, principal, created_at, updated_at, .. } = of;
    Ok(WholeConversation { id, mode, title, created_at, updated_at, principal, messages })
}

async fn rename(
    State(server): State<Shared>,
    caller: Caller,
    Named(id): Named,
    extract::Json(body): extract::Json<RenameBody>,
) -> Answer<Json<Conversation>> {
    server.conversation(&caller, &id).await?;
    server.app.rename_conversation(&id, &title_of(&body.title)?).await?;
    Ok(Json(server.conversation(&caller, &id).await?.into()))
}

async fn remove(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Json<Deleted>> {
    server.conversation(&caller, &id).await?;
    match server.app.delete_conversation(&id).await? {
        ConversationDeletion::UnderWay(run) => Err(Fault::new(Code::UnderWay, format!("run {run} of it is under way"))),
        ConversationDeletion::Done { deleted, kept, frozen_in } => {
            tracing::info!(conversation = id, runs = deleted.len(), who = caller.name(), "deleted");
            let mut seen = Vec::new();
            for run in frozen_in {
                // What somebody else forked is not this caller's to know.
                if server.run(&caller, &run).await.is_ok() {
                    seen.push(run);
                }
            }
            Ok(Json(Deleted { deleted, kept, frozen_in: seen }))
        }
    }
}

async fn export(State(server): State<Shared>, caller: Caller, Named(id): Named, Query(query): Query<ExportQuery>) -> Answer<Response> {
    let conversation = server.conversation(&caller, &id).await?;
    let name = file_name(&conversation.title);
    let (kind, ending, text) = match query.format {
        Format::Md => ("text/markdown; charset=utf-8", "md", server.app.export_conversation(&id).await?),
        Format::Json => (JSON, "json", serde_json::to_string(&whole(&server, conversation, true).await?).unwrap_or_default()),
    };
    let mut response = ([(header::CONTENT_TYPE, kind)], text).into_response();
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{name}.{ending}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

/// A title as the name of a file: small ASCII letters, digits and dashes.
fn file_name(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_lowercase();
    if name.is_empty() { "conversation".to_owned() } else { name }
}

async fn stages(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Json<StagePage>> {
    server.run(&caller, &id).await?;
    Ok(Json(StagePage { stages: server.app.stages(&id).await?.into_iter().map(Stage::from).collect() }))
}
