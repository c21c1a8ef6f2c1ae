//! Gemini's generateContent. A reply is a list of parts, and a stream brings more of them with each event; those a tool loop must return, signatures
//! and all, go back exactly as they came.

use super::classify::Call;
use super::request::instructed;
use super::schema::{Dialect, adapted};
use super::transport::{Format, Post, send};
use super::{Ask, Feed, Stop, WireReply};
use crate::endpoint::fault::Fault;
use serde_json::{Map, Value, json};
use synod_types::{Message, ToolCall, Usage};
use url::Url;

/// Older models name no calls: they are numbered, and the number is ours alone.
const OUR_ID: &str = "call_";

pub(super) async fn attempt(client: &reqwest::Client, call: &Call<'_>, feed: &mut Feed<'_>) -> Result<WireReply, Fault> {
    let config = &call.endpoint.config;
    let method = if config.stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
    // The id is part of the address, and must not end its path.
    let model = call.request.model.replace('%', "%25").replace('?', "%3F").replace('#', "%23");
    let url = Url::parse(&format!("{}models/{model}:{method}", config.base_url));
    let post = Post { url, body: serde_json::to_vec(&body(call)), stream: config.stream };
    send(client, post, call, &mut Gemini::new(!call.request.tools.is_empty()), feed).await
}

fn body(call: &Call<'_>) -> Value {
    let (request, shape) = (call.request, call.shape);
    let (mut system, mut contents): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    let last = request.messages.len().saturating_sub(1);
    let user = |text: Value| json!({ "role": "user", "parts": [{ "text": text }] });
    for (at, message) in request.messages.iter().enumerate() {
        match message {
            Message::System { text } => system.push(json!({ "text": text })),
            Message::User { text } if at == last => contents.push(user(json!(instructed(Some(text), request, shape.ask)))),
            Message::User { text } => contents.push(user(json!(text))),
            Message::Assistant { text, tool_calls, thinking } => {
                let parts = match thinking {
                    Some(parts) if shape.thoughts => parts.clone(),
                    _ => parts(text, tool_calls),
                };
                contents.push(json!({ "role": "model", "parts": parts }));
            }
            Message::Tool { name, output, call_id } => {
                let mut result = json!({ "functionResponse": { "name": name, "response": { "result": output } } });
                if !call_id.starts_with(OUR_ID) {
                    result["functionResponse"]["id"] = json!(call_id);
                }
                // The answers to one message's calls belong into one message.
                match contents
                    .last_mut()
                    .and_then(|last| last["parts"].as_array_mut())
                    .filter(|parts| parts.first().is_some_and(|part| part.get("functionResponse").is_some()))
                {
                    Some(results) => results.push(result),
                    None => contents.push(json!({ "role": "user", "parts": [result] })),
                }
            }
        }
    }
    if !matches!(request.messages.last(), Some(Message::User { .. })) {
        contents.extend(instructed(None, request, shape.ask).map(|text| user(json!(text))));
    }
    let mut generation = Map::from_iter([("maxOutputTokens".to_owned(), json!(shape.tokens))]);
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            generation.insert(name.to_owned(), value);
        }
    };
    set("temperature", shape.temperature.map(|temperature| json!(temperature)));
    set("thinkingConfig", shape.gemini_effort(&request.model));
    if let Some(schema) = request.schema.as_ref().filter(|_| shape.ask == Ask::Native) {
        set("responseMimeType", Some(json!("application/json")));
        set("responseJsonSchema", Some(adapted(&schema.schema, Dialect::Gemini)));
    }
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert("systemInstruction".to_owned(), json!({ "parts": system }));
    }
    body.insert("contents".to_owned(), Value::Array(contents));
    if !request.tools.is_empty() {
        let tool = |tool: &synod_types::ToolDef| json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": adapted(&tool.input, Dialect::Plain) });
        let declared = json!({ "functionDeclarations": request.tools.iter().map(tool).collect::<Vec<_>>() });
        let search = call.endpoint.config.web_search.then(|| json!({ "googleSearch": {} }));
        body.insert("tools".to_owned(), [declared].into_iter().chain(search).collect());
    }
    body.insert("generationConfig".to_owned(), Value::Object(generation));
    Value::Object(body)
}

fn parts(text: &str, calls: &[ToolCall]) -> Value {
    let words = (!text.is_empty() || calls.is_empty()).then(|| json!({ "text": text }));
    let calls = calls.iter().map(|call| json!({ "functionCall": { "name": call.name, "args": call.input } }));
    Value::Array(words.into_iter().chain(calls).collect())
}

#[derive(Default)]
pub(super) struct Gemini {
    parts: Vec<Value>,
    /// A model that was offered tools wants its parts back.
    keeps: bool,
    is_reply: bool,
}

impl Gemini {
    pub fn new(keeps: bool) -> Self {
        Self { keeps, ..Self::default() }
    }
}

impl Format for Gemini {
    fn read(&mut self, data: &[u8], call: &Call<'_>, heard: &mut WireReply, feed: &mut Feed<'_>) -> Result<bool, Fault> {
        let mut event: Value = serde_json::from_slice(data).map_err(|error| call.broken(&format!("a piece of the stream is not JSON: {error}")))?;
        if event.get("error").is_some() || event.get(0).is_some_and(|first| first.get("error").is_some()) {
            let fault = call.event(&event);
            return Err(if heard.begun { fault.after_output() } else { fault });
        }
        if let Some(reason) = event["promptFeedback"]["blockReason"].as_str() {
            self.is_reply = true;
            heard.extras.refusal = format!("the prompt was blocked ({reason})");
            heard.stop = Some(Stop::Filtered);
        }
        if let Some(usage) = tokens(&event["usageMetadata"]) {
            heard.usage = Some(usage);
        }
        let Some(candidate) = event.pointer_mut("/candidates/0").filter(|candidate| candidate.is_object()) else { return Ok(false) };
        self.is_reply = true;
        let grounding = &candidate["groundingMetadata"];
        grounding["webSearchQueries"].as_array().into_iter().flatten().for_each(|query| heard.extras.sought(query));
        for chunk in grounding["groundingChunks"].as_array().into_iter().flatten() {
            heard.extras.found(&chunk["web"]["title"], &chunk["web"]["uri"]);
        }
        if let Some(reason) = candidate["finishReason"].as_str() {
            heard.stop = Some(stop(reason));
        }
        // A reply that was all thought has no parts at all.
        let parts = candidate.pointer_mut("/content/parts").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
        for part in parts {
            let text = part["text"].as_str().unwrap_or_default();
            if part["thought"] == true {
                heard.think(text.len());
            } else {
                heard.say(text, feed);
            }
            if let Some(function) = part.get("functionCall") {
                heard.begun = true;
                let name = |field: &str| function[field].as_str().unwrap_or_default().to_owned();
                let id = Some(name("id")).filter(|id| !id.is_empty()).unwrap_or_else(|| format!("{OUR_ID}{}", heard.tool_calls.len()));
                let input = function.get("args").filter(|args| !args.is_null()).cloned().unwrap_or_else(|| json!({}));
                heard.called += input.to_string().len();
                heard.tool_calls.push(ToolCall { id, name: name("name"), input });
            }
            if self.keeps {
                self.keep(part);
            }
        }
        Ok(false)
    }

    fn finish(&mut self, call: &Call<'_>, heard: &mut WireReply) -> Result<(), Fault> {
        if !self.is_reply {
            return Err(call.broken("the body is not a reply: it has no candidates"));
        }
        heard.carry = self.keeps.then(|| Value::Array(std::mem::take(&mut self.parts)));
        Ok(())
    }
}

impl Gemini {
    /// Pieces of one text are one part; what carries a signature stays as it is.
    fn keep(&mut self, part: Value) {
        let plain = |part: &Value| {
            part.as_object().is_some_and(|fields| fields.contains_key("text") && fields.keys().all(|name| name == "text" || name == "thought"))
        };
        if plain(&part) && part["text"] == "" {
            return;
        }
        if let (Some(last), true) = (self.parts.last_mut(), plain(&part))
            && plain(last)
            && last["thought"] == part["thought"]
            && let (Value::String(text), Some(more)) = (&mut last["text"], part["text"].as_str())
        {
            text.push_str(more);
            return;
        }
        self.parts.push(part);
    }
}

/// Thought is counted apart from the candidates, and billed with them. `None` when the provider said nothing: unknown is not zero.
fn tokens(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage[name].as_u64();
    let (input, said, thinking) = (count("promptTokenCount"), count("candidatesTokenCount"), count("thoughtsTokenCount"));
    if input.is_none() && said.is_none() && thinking.is_none() {
        return None;
    }
    let input = input.unwrap_or(0);
    // Some gateways have thought inside the candidates, and the total right.
    let beside = input.saturating_add(count("toolUsePromptTokenCount").unwrap_or(0));
    let total = count("totalTokenCount").map(|total| total.saturating_sub(beside)).filter(|total| *total > 0);
    let output = total.unwrap_or_else(|| said.unwrap_or(0).saturating_add(thinking.unwrap_or(0)));
    let thinking = thinking.map(|thinking| thinking.min(output));
    Some(Usage { input, output, cached: count("cachedContentTokenCount").unwrap_or(0), thinking })
}

fn stop(reason: &str) -> Stop {
    match reason {
        "STOP" => Stop::Done,
        "MAX_TOKENS" => Stop::Length,
        "SAFETY" | "RECITATION" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII" | "IMAGE_SAFETY" | "LANGUAGE" => Stop::Filtered,
        other => Stop::Other(other.to_owned()),
    }
}
