//! The request as it goes out. Only fields that every server of this kind knows, and what one is known to want.

use super::super::request::{Ask, instructed};
use super::super::schema::{Dialect, adapted, bound, strict};
use super::super::shape::Shape;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use synod_config::EndpointConfig;
use synod_types::{Message, Request};

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    web_search_options: Option<Value>,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    /// OpenRouter says what a call cost when it is asked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Value>,
    /// How hard to think, in this server's words.
    #[serde(flatten)]
    effort: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum WireMessage<'a> {
    System {
        #[serde(serialize_with = "synod_types::long_text")]
        content: &'a str,
    },
    User {
        #[serde(serialize_with = "synod_types::long_text")]
        content: Cow<'a, str>,
    },
    Assistant {
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Value>,
        /// What the model thought, under the names it came by.
        #[serde(flatten)]
        thinking: Map<String, Value>,
    },
    Tool {
        content: &'a str,
        tool_call_id: &'a str,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "json_schema")]
struct Format<'a> {
    json_schema: Strict<'a>,
}

#[derive(Serialize)]
struct Strict<'a> {
    name: &'a str,
    strict: bool,
    schema: Value,
}

impl<'a> Body<'a> {
    pub fn of(request: &'a Request, config: &EndpointConfig, shape: &Shape) -> Self {
        let mut messages: Vec<WireMessage<'a>> = request.messages.iter().map(|message| said(message, shape.thoughts)).collect();
        match (messages.last_mut(), request.messages.last()) {
            (Some(WireMessage::User { content }), Some(Message::User { text })) => {
                if let Some(text) = instructed(Some(text), request, shape.ask) {
                    *content = text;
                }
            }
            _ => messages.extend(instructed(None, request, shape.ask).map(|content| WireMessage::User { content })),
        }
        let tool = |tool: &synod_types::ToolDef| {
            let parameters = adapted(&tool.input, Dialect::Plain);
            json!({ "type": "function", "function": { "name": tool.name, "description": tool.description, "parameters": parameters, "strict": false } })
        };
        let response_format = request.schema.as_ref().filter(|_| shape.ask == Ask::Native).map(|schema| {
            let mut schema_sent = strict(adapted(&schema.schema, Dialect::OpenAi), true);
            if let Some(limit) = config.text_limit {
                bound(&mut schema_sent, limit);
            }
            Format { json_schema: Strict { name: &schema.name, strict: true, schema: schema_sent } }
        });
        Self {
            model: &request.model,
            stream: config.stream,
            stream_options: (config.stream && shape.stream_options).then(|| json!({ "include_usage": true })),
            tools: request.tools.iter().map(tool).collect(),
            web_search_options: (config.web_search && !request.tools.is_empty()).then(|| json!({})),
            messages,
            response_format,
            temperature: shape.temperature,
            max_tokens: (!shape.renamed).then_some(shape.openai_limit(config)),
            max_completion_tokens: shape.renamed.then_some(shape.openai_limit(config)),
            usage: config.base_url.contains("://openrouter.ai/").then(|| json!({ "include": true })),
            effort: shape.openai_effort(config).into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }

    pub fn bytes(&self) -> serde_json::Result<Vec<u8>> {
        synod_types::with_json(self, <[u8]>::to_vec)
    }
}

fn said(message: &Message, thoughts: bool) -> WireMessage<'_> {
    match message {
        Message::System { text } => WireMessage::System { content: text },
        Message::User { text } => WireMessage::User { content: Cow::Borrowed(text) },
        Message::Assistant { text, tool_calls, thinking } => {
            let call = |call: &synod_types::ToolCall| json!({ "type": "function", "id": call.id, "function": { "name": call.name, "arguments": call.input.to_string() } });
            let thinking = thinking.as_ref().filter(|_| thoughts).and_then(Value::as_object).cloned().unwrap_or_default();
            // Some put what was thought and what was said into one list.
            let content = (!thinking.contains_key("content")).then_some(text.as_str());
            WireMessage::Assistant { content, tool_calls: tool_calls.iter().map(call).collect(), thinking }
        }
        Message::Tool { call_id, output, .. } => WireMessage::Tool { content: output, tool_call_id: call_id },
    }
}
