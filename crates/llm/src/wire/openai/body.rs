//! The request as it goes out. Only fields that every server of this kind knows, and what one is known to want.

use super::super::request::{Ask, instruction};
use super::super::schema::{Dialect, adapted, bound};
use genai::chat::{JsonSchemaDialect, sanitize_json_schema};
use serde::Serialize;
use serde_json::{Value, json};
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
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Cow<'a, str>,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Value>,
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
    pub fn of(request: &'a Request, config: &EndpointConfig, ask: Ask, with_temperature: bool) -> Self {
        let mut messages: Vec<WireMessage<'a>> = request.messages.iter().map(said).collect();
        if let Some(schema) = request.schema.as_ref().filter(|_| ask == Ask::InPrompt) {
            let text = instruction(&schema.schema);
            match messages.last_mut() {
                Some(WireMessage::User { content }) => *content = Cow::Owned(format!("{content}\n\n{text}")),
                _ => messages.push(WireMessage::User { content: Cow::Owned(text) }),
            }
        }
        let tool = |tool: &synod_types::ToolDef| {
            let parameters = adapted(&tool.input, Dialect::Plain);
            json!({ "type": "function", "function": { "name": tool.name, "description": tool.description, "parameters": parameters, "strict": false } })
        };
        let response_format = request.schema.as_ref().filter(|_| ask == Ask::Native).map(|schema| {
            let mut schema_sent = sanitize_json_schema(&adapted(&schema.schema, Dialect::OpenAi), JsonSchemaDialect::OpenAiStrict);
            if let Some(limit) = config.text_limit {
                bound(&mut schema_sent, limit);
            }
            Format { json_schema: Strict { name: &schema.name, strict: true, schema: schema_sent } }
        });
        let renamed = limit_is_renamed(&request.model);
        Self {
            model: &request.model,
            stream: config.stream,
            stream_options: config.stream.then(|| json!({ "include_usage": true })),
            tools: request.tools.iter().map(tool).collect(),
            web_search_options: (config.web_search && !request.tools.is_empty()).then(|| json!({})),
            messages,
            response_format,
            temperature: request.temperature.filter(|_| with_temperature),
            max_tokens: (!renamed).then_some(request.max_tokens),
            max_completion_tokens: renamed.then_some(request.max_tokens),
            usage: config.base_url.contains("://openrouter.ai/").then(|| json!({ "include": true })),
        }
    }

    pub fn bytes(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }
}

fn said(message: &Message) -> WireMessage<'_> {
    match message {
        Message::System { text } => WireMessage::System { content: text },
        Message::User { text } => WireMessage::User { content: Cow::Borrowed(text) },
        Message::Assistant { text, tool_calls } => {
            let call = |call: &synod_types::ToolCall| json!({ "type": "function", "id": call.id, "function": { "name": call.name, "arguments": call.input.to_string() } });
            WireMessage::Assistant { content: text, tool_calls: tool_calls.iter().map(call).collect() }
        }
        Message::Tool { call_id, output, .. } => WireMessage::Tool { content: output, tool_call_id: call_id },
    }
}

/// OpenAI's models that think take their limit under another name only: `o1`, `o3-mini`, …, and `gpt-5` and later.
fn limit_is_renamed(model: &str) -> bool {
    let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse::<u32>().ok());
    match (model.strip_prefix("gpt-"), model.strip_prefix('o')) {
        (Some(rest), _) => number(rest).is_some_and(|generation| generation >= 5),
        (None, Some(rest)) => number(rest).is_some(),
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::limit_is_renamed;

    #[test]
    fn the_limit_has_its_newer_name_where_the_older_is_refused() {
        let renamed: Vec<&str> =
            ["gpt-4o", "gpt-5", "gpt-5.6-mini", "gpt-12", "gpt-oss-120b", "o1", "o4-mini", "olmo-7b", "openchat", "openai/gpt-5", "gpt-", "o"]
                .into_iter()
                .filter(|model| limit_is_renamed(model))
                .collect();
        assert_eq!(renamed, ["gpt-5", "gpt-5.6-mini", "gpt-12", "o1", "o4-mini"]);
    }
}
