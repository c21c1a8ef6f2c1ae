//! Our request in genai's words, and the headers every provider wants.
//!
//! One of genai's habits is worked around here: it reads a reasoning effort out of a model id's last word and cuts a namespace off its front.
//! So it is given a name that has neither, and the exact id goes out in the body (Gemini: in the address).

use super::schema::{Dialect, adapted};
use super::through_genai::Format;
use crate::scrub::Secret;
use genai::adapter::AdapterKind;
use genai::chat::{ChatMessage, ChatOptions, ChatRequest, ChatRole, ContentPart, JsonSpec, MessageContent, Tool, ToolResponse};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use serde_json::{Value, json};
use std::time::Duration;
use synod_config::{EndpointConfig, EndpointKind, SchemaMode};
use synod_types::{Message, ReplySchema, Request};

const ANTHROPIC_VERSION: &str = "2023-06-01";

/// How the reply's schema is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Free,
    Native,
    InPrompt,
}

pub(super) fn ask(request: &Request, config: &EndpointConfig) -> Ask {
    match &request.schema {
        None => Ask::Free,
        Some(_) if config.schema == SchemaMode::Prompt => Ask::InPrompt,
        Some(schema) if Dialect::of(config.kind).can_say(&schema.schema) => Ask::Native,
        Some(_) => Ask::InPrompt,
    }
}

/// Address, headers and model, all explicit: nothing is looked up in genai's tables or the environment.
pub(super) fn target(format: Format, config: &EndpointConfig, model: &str, key: Option<&Secret>) -> ServiceTarget {
    let (adapter, path) = match format {
        Format::Anthropic => (AdapterKind::Anthropic, "messages".to_owned()),
        Format::Gemini if config.stream => (AdapterKind::Gemini, format!("models/{model}:streamGenerateContent?alt=sse")),
        Format::Gemini => (AdapterKind::Gemini, format!("models/{model}:generateContent")),
    };
    let url = format!("{}{path}", config.base_url);
    let headers = Headers::from(headers(config.kind, key));
    ServiceTarget {
        endpoint: Endpoint::from_owned(config.base_url.as_str()),
        auth: AuthData::RequestOverride { url, headers },
        model: ModelIden::new(adapter, format!("_::{model}-")),
    }
}

/// What a provider wants to see beside the body.
pub(crate) fn headers(kind: EndpointKind, key: Option<&Secret>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if let Some(key) = key {
        headers.push(match kind {
            EndpointKind::Anthropic => ("x-api-key".to_owned(), key.expose().to_owned()),
            EndpointKind::Gemini => ("x-goog-api-key".to_owned(), key.expose().to_owned()),
            EndpointKind::OpenAi | EndpointKind::Rehearsal | EndpointKind::Cassette => {
                ("authorization".to_owned(), format!("Bearer {}", key.expose()))
            }
        });
    }
    if kind == EndpointKind::Anthropic {
        headers.push(("anthropic-version".to_owned(), ANTHROPIC_VERSION.to_owned()));
    }
    headers
}

/// `streamed`: how long a stream may be silent.
pub(super) fn options(
    format: Format,
    request: &Request,
    config: &EndpointConfig,
    ask: Ask,
    streamed: Option<Duration>,
    with_temperature: bool,
) -> ChatOptions {
    let mut options = ChatOptions::default().with_max_tokens(request.max_tokens);
    if let Some(temperature) = request.temperature.filter(|_| with_temperature) {
        options = options.with_temperature(temperature);
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| ask == Ask::Native) {
        options = options.with_response_format(JsonSpec::new(schema.name.clone(), adapted(&schema.schema, Dialect::of(config.kind))));
    }
    if let Some(idle) = streamed {
        options = options.with_stream_header_timeout(idle).with_stream_read_timeout(idle).with_capture_usage(true);
        if !request.tools.is_empty() {
            options = options.with_capture_tool_calls(true);
        }
    }
    match format {
        Format::Anthropic => options.with_extra_body(json!({ "model": request.model })),
        // A blocked prompt and what a search found are only in the raw body.
        Format::Gemini => options.with_capture_raw_body(streamed.is_none()),
    }
}

pub(super) fn chat(request: &Request, ask: Ask, web_search: bool) -> ChatRequest {
    let mut chat = ChatRequest::default();
    for message in &request.messages {
        match message {
            Message::System { text } if chat.system.is_none() && chat.messages.is_empty() => chat.system = Some(text.clone()),
            Message::System { text } => chat.messages.push(ChatMessage::system(text.as_str())),
            Message::User { text } => chat.messages.push(ChatMessage::user(text.as_str())),
            Message::Assistant { text, tool_calls } => {
                let mut parts = Vec::with_capacity(1 + tool_calls.len());
                // An empty text block is refused by some.
                if !text.is_empty() || tool_calls.is_empty() {
                    parts.push(ContentPart::Text(text.clone()));
                }
                parts.extend(tool_calls.iter().map(|call| {
                    ContentPart::ToolCall(genai::chat::ToolCall {
                        call_id: call.id.clone(),
                        fn_name: call.name.clone(),
                        fn_arguments: call.input.clone(),
                        thought_signatures: None,
                    })
                }));
                chat.messages.push(ChatMessage::assistant(MessageContent::from_parts(parts)));
            }
            Message::Tool { call_id, name, output } => {
                let response = ContentPart::ToolResponse(ToolResponse::new(call_id, output).with_fn_name(name));
                // The answers to one message's calls belong into one message.
                match chat.messages.last_mut() {
                    Some(last) if matches!(last.role, ChatRole::Tool) => last.content.push(response),
                    _ => chat.messages.push(ChatMessage::tool(MessageContent::from_parts(vec![response]))),
                }
            }
        }
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| ask == Ask::InPrompt) {
        instruct(&mut chat, schema);
    }
    if !request.tools.is_empty() {
        let tool = |tool: &synod_types::ToolDef| {
            Tool::new(tool.name.as_str()).with_description(tool.description.as_str()).with_schema(adapted(&tool.input, Dialect::Plain))
        };
        chat.tools = Some(request.tools.iter().map(tool).chain(web_search.then(Tool::new_web_search)).collect());
    }
    chat
}

/// Says in the last user message what a schema would have said.
fn instruct(chat: &mut ChatRequest, schema: &ReplySchema) {
    let text = instruction(&schema.schema);
    match chat.messages.last_mut() {
        Some(last) if matches!(last.role, ChatRole::User) => {
            let whole = format!("{}\n\n{text}", last.content.joined_texts().unwrap_or_default());
            last.content = MessageContent::from_text(whole);
        }
        _ => chat.messages.push(ChatMessage::user(text)),
    }
}

pub(super) fn instruction(schema: &Value) -> String {
    let schema = adapted(schema, Dialect::Plain);
    format!(
        "Form of the reply: think in plain prose first if that helps. Then end with exactly one fenced code block, marked json, that \
         holds one JSON object with its fields in the order of this JSON Schema. Write nothing after the block.\n\n```json\n{schema}\n```"
    )
}
