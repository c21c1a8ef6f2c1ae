//! Anthropic's messages, in and out.

use super::ask::{Ask, AskTool, Wire};
use super::frames::{Frames, event, quoted};
use super::openai::text_of;
use super::say::{End, Say};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn read(number: u64, path: &str, headers: BTreeMap<String, String>, body: Value) -> Ask {
    let mut messages = Vec::new();
    let system = text_of(&body["system"]);
    if !system.is_empty() {
        messages.push(("system".to_owned(), system));
    }
    for message in body["messages"].as_array().into_iter().flatten() {
        let content = &message["content"];
        let is_result = content.as_array().is_some_and(|parts| parts.iter().any(|part| part["type"] == "tool_result"));
        let role = if is_result { "tool" } else { message["role"].as_str().unwrap_or("user") };
        messages.push((role.to_owned(), text_of(content)));
    }
    let tools = body["tools"].as_array().map_or(Vec::new(), |tools| {
        tools.iter().map(|tool| AskTool { name: tool["name"].as_str().unwrap_or_default().to_owned(), input: tool["input_schema"].clone() }).collect()
    });
    Ask {
        number,
        wire: Wire::Anthropic,
        path: path.to_owned(),
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        messages,
        schema: body.pointer("/output_config/format/schema").or(body.pointer("/output_format/schema")).cloned(),
        schema_in_prompt: false,
        tools,
        max_tokens: body["max_tokens"].as_u64(),
        stream: body["stream"].as_bool().unwrap_or(false),
        headers,
        body,
    }
}

fn stop(end: End) -> &'static str {
    match end {
        End::Stop => "end_turn",
        End::Length => "max_tokens",
        End::ToolCalls => "tool_use",
        End::Refusal | End::Filtered => "refusal",
    }
}

/// Anthropic counts the cached part apart from `input_tokens`.
fn usage(ask: &Ask, say: &Say, output: u64) -> Value {
    if let Some(lie) = &say.lie {
        return lie.clone();
    }
    let cached = say.cached.min(ask.input_tokens());
    let mut usage = json!({
        "input_tokens": ask.input_tokens() - cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached, "output_tokens": output
    });
    if let Some(thought) = say.thought_tokens() {
        usage["output_tokens_details"] = json!({ "thinking_tokens": thought });
    }
    usage
}

fn uses(ask: &Ask, say: &Say) -> Vec<Value> {
    let tool_use = |(i, (name, input)): (usize, &(String, Value))| json!({ "type": "tool_use", "id": format!("toolu_{:x}_{i}", ask.seed()), "name": name, "input": input });
    say.calls.iter().enumerate().map(tool_use).collect()
}

/// A thought, with the signature that must come back, and one that is hidden.
fn thought(say: &Say) -> Vec<Value> {
    let Some((_, text)) = say.thought_field() else { return Vec::new() };
    vec![json!({ "type": "thinking", "thinking": text, "signature": "sig-1" }), json!({ "type": "redacted_thinking", "data": "xyz" })]
}

/// The search and its results are blocks of their own, before the text.
fn searched(say: &Say) -> Vec<Value> {
    let Some((query, found)) = &say.search else { return Vec::new() };
    let result = |(title, url): &(String, String)| json!({ "type": "web_search_result", "title": title, "url": url, "encrypted_content": "x", "page_age": null });
    let results: Vec<Value> = found.iter().map(result).collect();
    vec![
        json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": query } }),
        json!({ "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": results }),
    ]
}

pub fn whole(ask: &Ask, say: &Say) -> Value {
    let mut content = thought(say);
    content.extend(searched(say));
    if !say.text.is_empty() {
        content.push(json!({ "type": "text", "text": say.text }));
    }
    content.extend(uses(ask, say));
    json!({
        "id": format!("msg_{}", ask.number), "type": "message", "role": "assistant", "model": ask.model, "content": content,
        "stop_reason": stop(say.end), "stop_sequence": null, "usage": usage(ask, say, say.output_tokens()),
    })
}

pub fn frames(ask: &Ask, say: &Say, piece: usize) -> Frames {
    let mut frames = Frames::default();
    let message = json!({
        "id": format!("msg_{}", ask.number), "type": "message", "role": "assistant", "model": ask.model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage(ask, say, 1),
    });
    frames.open.push(event("message_start", &json!({ "type": "message_start", "message": message })));
    frames.open.push(event("ping", &json!({ "type": "ping" })));
    let mut index = 0;
    for mut block in thought(say).into_iter().chain(searched(say)) {
        let input = (block["type"] == "server_tool_use").then(|| block["input"].take());
        let pieces = (block["type"] == "thinking").then(|| (block["thinking"].take(), block["signature"].take()));
        if pieces.is_some() {
            block["thinking"] = json!("");
        }
        frames.content.push(event("content_block_start", &json!({ "type": "content_block_start", "index": index, "content_block": block })));
        if let Some((thinking, signature)) = pieces {
            for delta in [json!({ "type": "thinking_delta", "thinking": thinking }), json!({ "type": "signature_delta", "signature": signature })] {
                frames.content.push(event("content_block_delta", &json!({ "type": "content_block_delta", "index": index, "delta": delta })));
            }
        }
        if let Some(input) = input {
            let delta = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
            frames.content.push(event("content_block_delta", &json!({ "type": "content_block_delta", "index": index, "delta": delta })));
        }
        frames.content.push(event("content_block_stop", &json!({ "type": "content_block_stop", "index": index })));
        index += 1;
    }
    if !say.text.is_empty() {
        let block = json!({ "type": "content_block_start", "index": index, "content_block": { "type": "text", "text": "" } });
        frames.content.push(event("content_block_start", &block));
        for text in say.pieces(piece) {
            frames.content.push(format!(
                "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"text_delta\",\"text\":{}}}}}\n\n",
                quoted(text)
            ));
        }
        frames.close.push(event("content_block_stop", &json!({ "type": "content_block_stop", "index": index })));
        index += 1;
    }
    // Blocks follow one another: a tool's block opens only when the text's is closed.
    if !say.calls.is_empty() {
        frames.content.append(&mut frames.close);
    }
    for call in uses(ask, say) {
        let mut block = call.clone();
        block["input"] = json!({});
        frames.content.push(event("content_block_start", &json!({ "type": "content_block_start", "index": index, "content_block": block })));
        let delta = json!({ "type": "input_json_delta", "partial_json": call["input"].to_string() });
        frames.content.push(event("content_block_delta", &json!({ "type": "content_block_delta", "index": index, "delta": delta })));
        frames.content.push(event("content_block_stop", &json!({ "type": "content_block_stop", "index": index })));
        index += 1;
    }
    let end = json!({
        "type": "message_delta", "delta": { "stop_reason": stop(say.end), "stop_sequence": null }, "usage": usage(ask, say, say.output_tokens())
    });
    frames.close.push(event("message_delta", &end));
    frames.close.push(event("message_stop", &json!({ "type": "message_stop" })));
    frames
}

pub fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

pub fn error_frame(message: &str) -> String {
    event("error", &error(529, message))
}

pub fn models(ids: &[String]) -> Value {
    let data: Vec<Value> =
        ids.iter().map(|id| json!({ "id": id, "type": "model", "display_name": id, "created_at": "2026-01-01T00:00:00Z" })).collect();
    json!({ "data": data, "has_more": false, "first_id": ids.first(), "last_id": ids.last() })
}
