//! OpenAI's chat completions, in and out.

use super::ask::{Ask, AskTool, Wire};
use super::frames::{Frames, data, quoted};
use super::say::{End, Form, Say};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn read(number: u64, path: &str, headers: BTreeMap<String, String>, body: Value) -> Ask {
    let messages = body["messages"].as_array().map_or(Vec::new(), |messages| {
        messages.iter().map(|message| (message["role"].as_str().unwrap_or("user").to_owned(), text_of(&message["content"]))).collect()
    });
    let tools = body["tools"].as_array().map_or(Vec::new(), |tools| {
        let function = |tool: &Value| AskTool {
            name: tool["function"]["name"].as_str().unwrap_or_default().to_owned(),
            input: tool["function"]["parameters"].clone(),
        };
        tools.iter().map(function).collect()
    });
    Ask {
        number,
        wire: Wire::OpenAi,
        path: path.to_owned(),
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        messages,
        schema: body.pointer("/response_format/json_schema/schema").cloned(),
        schema_in_prompt: false,
        tools,
        max_tokens: body["max_tokens"].as_u64().or(body["max_completion_tokens"].as_u64()),
        stream: body["stream"].as_bool().unwrap_or(false),
        headers,
        body,
    }
}

/// Content is a string, or an array of typed parts.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str().or(part["content"].as_str())).collect(),
        _ => String::new(),
    }
}

fn finish(end: End) -> &'static str {
    match end {
        End::Stop | End::Refusal => "stop",
        End::Length => "length",
        End::ToolCalls => "tool_calls",
        End::Filtered => "content_filter",
    }
}

fn usage(ask: &Ask, say: &Say) -> Value {
    if let Some(lie) = &say.lie {
        return lie.clone();
    }
    let (input, output) = (ask.input_tokens(), say.output_tokens());
    let mut usage = json!({
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        "prompt_tokens_details": { "cached_tokens": say.cached }
    });
    if let Some(thought) = say.thought_tokens() {
        usage["completion_tokens_details"] = json!({ "reasoning_tokens": thought });
    }
    if say.thinking.form == Form::Excluded {
        usage["completion_tokens"] = json!(output - say.thinking.tokens);
    }
    if let Some(cost) = say.cost {
        usage["cost"] = json!(cost);
    }
    usage
}

fn calls(ask: &Ask, say: &Say) -> Vec<Value> {
    let call = |(i, (name, input)): (usize, &(String, Value))| json!({ "index": i, "id": format!("call_{:x}_{i}", ask.seed()), "type": "function", "function": { "name": name, "arguments": input.to_string() } });
    say.calls.iter().enumerate().map(call).collect()
}

/// OpenAI does not say what it searched for.
fn annotations(say: &Say) -> Option<Value> {
    let mark = |(title, url): &(String, String)| json!({ "type": "url_citation", "url_citation": { "start_index": 0, "end_index": 1, "title": title, "url": url } });
    say.search.as_ref().map(|(_, found)| found.iter().map(mark).collect())
}

pub fn whole(ask: &Ask, say: &Say) -> Value {
    let refused = say.end == End::Refusal;
    let mut message = json!({
        "role": "assistant",
        "content": if say.text.is_empty() || refused { Value::Null } else { json!(say.text) },
        "refusal": if refused { json!(say.text) } else { Value::Null },
    });
    if !say.calls.is_empty() {
        message["tool_calls"] = Value::Array(calls(ask, say));
    }
    if let Some(annotations) = annotations(say) {
        message["annotations"] = annotations;
    }
    if let Some((name, thought)) = say.thought_field() {
        message[name] = thought_value(name, &thought);
    }
    if say.thinking.form == Form::List && !refused {
        message["content"] = json!([thinking_part(say), { "type": "text", "text": say.text }]);
    }
    json!({
        "id": format!("chatcmpl-{}", ask.number), "object": "chat.completion", "created": 0, "model": ask.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish(say.end) }],
        "usage": usage(ask, say),
    })
}

/// OpenRouter's details are a list; any other field is a text.
fn thought_value(name: &str, thought: &str) -> Value {
    match name {
        "reasoning_details" => json!([{ "type": "reasoning.text", "text": thought, "index": 0, "signature": "sig" }]),
        _ => json!(thought),
    }
}

/// Mistral's.
fn thinking_part(say: &Say) -> Value {
    json!({ "type": "thinking", "thinking": [{ "type": "text", "text": say.thinking.text() }] })
}

pub fn frames(ask: &Ask, say: &Say, piece: usize) -> Frames {
    let head =
        format!("data: {{\"id\":\"chatcmpl-{}\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":{},", ask.number, quoted(&ask.model));
    let chunk = |delta: &str, finish: &str| format!("{head}\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n");
    let field = if say.end == End::Refusal { "refusal" } else { "content" };
    let mut frames = Frames { open: vec![chunk("{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}", "null")], ..Frames::default() };
    if let Some((name, thought)) = say.thought_field() {
        frames.content.push(chunk(&json!({ name: thought_value(name, &thought) }).to_string(), "null"));
    }
    if say.thinking.form == Form::List && say.thinking.tokens > 0 {
        frames.content.push(chunk(&json!({ "content": [thinking_part(say)] }).to_string(), "null"));
    }
    for text in say.pieces(piece) {
        frames.content.push(chunk(&format!("{{\"{field}\":{}}}", quoted(text)), "null"));
    }
    if let Some(annotations) = annotations(say) {
        frames.content.push(chunk(&json!({ "annotations": annotations }).to_string(), "null"));
    }
    for call in calls(ask, say) {
        // The name first and the arguments in two halves, as the real thing does it.
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        let half = (arguments.len() / 2..=arguments.len()).find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
        let mut opening = call.clone();
        opening["function"]["arguments"] = json!("");
        frames.content.push(chunk(&json!({ "tool_calls": [opening] }).to_string(), "null"));
        for part in [&arguments[..half], &arguments[half..]] {
            let delta = json!({ "tool_calls": [{ "index": call["index"], "function": { "arguments": part } }] });
            frames.content.push(chunk(&delta.to_string(), "null"));
        }
    }
    frames.close.push(chunk("{}", &quoted(finish(say.end))));
    if ask.body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true)) {
        frames.close.push(format!("{head}\"choices\":[],\"usage\":{}}}\n\n", usage(ask, say)));
    }
    frames.close.push("data: [DONE]\n\n".to_owned());
    frames
}

pub fn error(status: u16, message: &str) -> Value {
    let (kind, code) = match status {
        401 | 403 => ("invalid_request_error", "invalid_api_key"),
        404 => ("invalid_request_error", "model_not_found"),
        429 => ("requests", "rate_limit_exceeded"),
        400 if message.contains("context") => ("invalid_request_error", "context_length_exceeded"),
        400..=499 => ("invalid_request_error", "bad_request"),
        _ => ("server_error", "server_error"),
    };
    json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
}

pub fn error_frame(message: &str) -> String {
    data(&error(500, message))
}

pub fn models(ids: &[String]) -> Value {
    let data: Vec<Value> = ids.iter().map(|id| json!({ "id": id, "object": "model", "created": 0, "owned_by": "testkit" })).collect();
    json!({ "object": "list", "data": data })
}
