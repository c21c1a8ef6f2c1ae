//! Gemini's generateContent and streamGenerateContent, in and out. The model is in the path.

use super::ask::{Ask, AskTool, Wire};
use super::frames::{Frames, data};
use super::openai::text_of;
use super::say::{End, Say};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The model and the method in `…/models/MODEL:METHOD`.
pub fn split(path: &str) -> Option<(&str, &str)> {
    let (model, method) = path.split_once("/models/")?.1.rsplit_once(':')?;
    matches!(method, "generateContent" | "streamGenerateContent").then_some((model, method))
}

pub fn read(number: u64, path: &str, headers: BTreeMap<String, String>, body: Value) -> Ask {
    let (model, method) = split(path).unwrap_or_default();
    let mut messages = Vec::new();
    let system = text_of(&body["systemInstruction"]["parts"]);
    if !system.is_empty() {
        messages.push(("system".to_owned(), system));
    }
    for content in body["contents"].as_array().into_iter().flatten() {
        let parts = &content["parts"];
        let is_result = parts.as_array().is_some_and(|parts| parts.iter().any(|part| part.get("functionResponse").is_some()));
        let role = match content["role"].as_str() {
            _ if is_result => "tool",
            Some("model") => "assistant",
            _ => "user",
        };
        messages.push((role.to_owned(), text_of(parts)));
    }
    let tools = body["tools"].as_array().into_iter().flatten().flat_map(|tool| tool["functionDeclarations"].as_array().into_iter().flatten());
    let tools = tools.map(|tool| AskTool {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        input: tool.get("parametersJsonSchema").or(tool.get("parameters")).cloned().unwrap_or_default(),
    });
    let generation = &body["generationConfig"];
    Ask {
        number,
        wire: Wire::Gemini,
        path: path.to_owned(),
        model: model.to_owned(),
        messages,
        schema: generation.get("responseJsonSchema").or(generation.get("responseSchema")).cloned(),
        schema_in_prompt: false,
        tools: tools.collect(),
        max_tokens: generation["maxOutputTokens"].as_u64(),
        stream: method == "streamGenerateContent",
        headers,
        body,
    }
}

fn finish(end: End) -> &'static str {
    match end {
        End::Stop | End::ToolCalls => "STOP",
        End::Length => "MAX_TOKENS",
        End::Refusal | End::Filtered => "SAFETY",
    }
}

fn usage(ask: &Ask, say: &Say) -> Value {
    if let Some(lie) = &say.lie {
        return lie.clone();
    }
    let (input, output) = (ask.input_tokens(), say.output_tokens());
    let thought = say.thought_tokens().unwrap_or(0).min(output);
    let mut usage = json!({ "promptTokenCount": input, "totalTokenCount": input + output, "cachedContentTokenCount": say.cached });
    // Thought is counted apart, and where nothing was said that count is missing.
    if output > thought {
        usage["candidatesTokenCount"] = json!(output - thought);
    }
    if thought > 0 {
        usage["thoughtsTokenCount"] = json!(thought);
    }
    usage
}

fn chunk(ask: &Ask, say: &Say, parts: Vec<Value>, finish: Option<&str>) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    // A limit that was spent on thought leaves no parts at all.
    if parts_missing(say) {
        candidate["content"] = json!({ "role": "model" });
    }
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
        if let Some((query, found)) = &say.search {
            let chunks: Vec<Value> = found.iter().map(|(title, url)| json!({ "web": { "title": title, "uri": url } })).collect();
            candidate["groundingMetadata"] = json!({ "webSearchQueries": [query], "groundingChunks": chunks });
        }
    }
    json!({ "candidates": [candidate], "usageMetadata": usage(ask, say), "modelVersion": ask.model, "responseId": format!("r{}", ask.number) })
}

fn parts_missing(say: &Say) -> bool {
    say.thinking.tokens > 0 && say.text.is_empty() && say.calls.is_empty()
}

fn call_parts(say: &Say) -> impl Iterator<Item = Value> {
    let signed = say.thinking.tokens > 0;
    say.calls.iter().map(move |(name, input)| {
        let mut part = json!({ "functionCall": { "name": name, "args": input } });
        if signed {
            part["thoughtSignature"] = json!("sig-1");
        }
        part
    })
}

pub fn whole(ask: &Ask, say: &Say) -> Value {
    let mut parts: Vec<Value> = say.thought_field().map(|(_, text)| json!({ "text": text, "thought": true })).into_iter().collect();
    if !say.text.is_empty() {
        parts.push(json!({ "text": say.text }));
    }
    parts.extend(call_parts(say));
    chunk(ask, say, parts, Some(finish(say.end)))
}

pub fn frames(ask: &Ask, say: &Say, piece: usize) -> Frames {
    let mut frames = Frames::default();
    if let Some((_, text)) = say.thought_field() {
        frames.content.push(data(&chunk(ask, say, vec![json!({ "text": text, "thought": true })], None)));
    }
    for text in say.pieces(piece) {
        frames.content.push(data(&chunk(ask, say, vec![json!({ "text": text })], None)));
    }
    for part in call_parts(say) {
        frames.content.push(data(&chunk(ask, say, vec![part], None)));
    }
    frames.close.push(data(&chunk(ask, say, vec![json!({ "text": "" })], Some(finish(say.end)))));
    frames
}

pub fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        400..=499 => "INVALID_ARGUMENT",
        _ => "INTERNAL",
    };
    json!({ "error": { "code": status, "message": message, "status": kind } })
}

pub fn error_frame(message: &str) -> String {
    data(&error(500, message))
}

pub fn models(ids: &[String]) -> Value {
    let models: Vec<Value> = ids.iter().map(|id| json!({ "name": format!("models/{id}"), "displayName": id })).collect();
    json!({ "models": models })
}
