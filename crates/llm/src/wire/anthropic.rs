//! Anthropic's messages. A reply is a list of blocks, and a stream brings each of them in pieces: they are put together here, so that those a tool
//! loop must return go back exactly as they came.

use super::classify::Call;
use super::request::instructed;
use super::schema::{Dialect, adapted, strict};
use super::transport::{Format, Post, send};
use super::{Ask, Feed, Stop, WireReply};
use crate::endpoint::fault::Fault;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use synod_types::{Message, ToolCall, Usage};

/// More than this must be streamed.
const MOST_UNSTREAMED: u32 = 21_333;

pub(super) async fn attempt(client: &reqwest::Client, call: &Call<'_>, feed: &mut Feed<'_>) -> Result<WireReply, Fault> {
    let config = &call.endpoint.config;
    let stream = config.stream || call.shape.tokens > MOST_UNSTREAMED;
    let body = serde_json::to_vec(&body(call, stream));
    let post = Post { url: call.endpoint.address("messages"), body, stream };
    send(client, post, call, &mut Anthropic::new(!call.request.tools.is_empty()), feed).await
}

fn body(call: &Call<'_>, stream: bool) -> Value {
    let (request, shape, config) = (call.request, call.shape, &call.endpoint.config);
    let (mut system, mut messages): (Vec<&str>, Vec<Value>) = (Vec::new(), Vec::new());
    let last = request.messages.len().saturating_sub(1);
    for (at, message) in request.messages.iter().enumerate() {
        match message {
            Message::System { text } => system.push(text),
            Message::User { text } if at == last => messages.push(json!({ "role": "user", "content": instructed(Some(text), request, shape.ask) })),
            Message::User { text } => messages.push(json!({ "role": "user", "content": text })),
            Message::Assistant { text, tool_calls, thinking } => {
                let content = match thinking {
                    Some(blocks) if shape.thoughts => blocks.clone(),
                    _ => blocks(text, tool_calls),
                };
                messages.push(json!({ "role": "assistant", "content": content }));
            }
            Message::Tool { call_id, output, .. } => {
                let result = json!({ "type": "tool_result", "tool_use_id": call_id, "content": output });
                // The answers to one message's calls belong into one message.
                match messages
                    .last_mut()
                    .and_then(|last| last["content"].as_array_mut())
                    .filter(|parts| parts.first().is_some_and(|part| part["type"] == "tool_result"))
                {
                    Some(results) => results.push(result),
                    None => messages.push(json!({ "role": "user", "content": [result] })),
                }
            }
        }
    }
    if !matches!(request.messages.last(), Some(Message::User { .. })) {
        messages.extend(instructed(None, request, shape.ask).map(|text| json!({ "role": "user", "content": text })));
    }
    let mut body = Map::from_iter([("model".to_owned(), json!(request.model)), ("max_tokens".to_owned(), json!(shape.tokens))]);
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    set("system", (!system.is_empty()).then(|| json!(system.join("\n\n"))));
    set("stream", stream.then_some(json!(true)));
    set("temperature", shape.temperature.map(|temperature| json!(temperature)));
    let tool = |tool: &synod_types::ToolDef| json!({ "name": tool.name, "description": tool.description, "input_schema": adapted(&tool.input, Dialect::Plain) });
    let search = config.web_search.then(|| json!({ "type": "web_search_20250305", "name": "web_search" }));
    set("tools", (!request.tools.is_empty()).then(|| request.tools.iter().map(tool).chain(search).collect()));
    let (thinking, effort) = shape.anthropic_effort();
    set("thinking", thinking);
    let mut output = Map::new();
    if let Some(effort) = effort {
        output.insert("effort".to_owned(), json!(effort));
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| shape.ask == Ask::Native) {
        let schema = strict(adapted(&schema.schema, Dialect::Anthropic), false);
        output.insert("format".to_owned(), json!({ "type": "json_schema", "schema": schema }));
    }
    set("output_config", (!output.is_empty()).then_some(Value::Object(output)));
    set("messages", Some(Value::Array(messages)));
    Value::Object(body)
}

fn blocks(text: &str, calls: &[ToolCall]) -> Value {
    // An empty text block is refused.
    let words = (!text.is_empty() || calls.is_empty()).then(|| json!({ "type": "text", "text": text }));
    let uses = calls.iter().map(|call| json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.input }));
    Value::Array(words.into_iter().chain(uses).collect())
}

#[derive(Default)]
pub(super) struct Anthropic {
    /// The blocks that are whole.
    blocks: Vec<Value>,
    /// Those that are arriving, by number, with the JSON of their input so far.
    open: BTreeMap<u64, (Value, String)>,
    usage: Map<String, Value>,
    /// A model that was offered tools wants its blocks back.
    keeps: bool,
    is_reply: bool,
}

impl Anthropic {
    pub fn new(keeps: bool) -> Self {
        Self { keeps, ..Self::default() }
    }
}

impl Format for Anthropic {
    fn read(&mut self, data: &[u8], call: &Call<'_>, heard: &mut WireReply, feed: &mut Feed<'_>) -> Result<bool, Fault> {
        let mut event: Value = serde_json::from_slice(data).map_err(|error| call.broken(&format!("a piece of the stream is not JSON: {error}")))?;
        // Some gateways leave the type of a whole message out.
        let whole = if event["content"].is_array() { "message" } else { "" };
        let kind = event["type"].as_str().unwrap_or(if event["error"].is_object() { "error" } else { whole });
        match kind {
            "error" => {
                let fault = call.event(&event["error"]);
                return Err(if heard.begun { fault.after_output() } else { fault });
            }
            "message" => {
                self.is_reply = true;
                self.count(&event["usage"]);
                heard.stop = event["stop_reason"].as_str().map(stop);
                for block in event["content"].as_array_mut().map(std::mem::take).unwrap_or_default() {
                    heard.say(block["text"].as_str().unwrap_or_default(), feed);
                    heard.called += input_bytes(&block);
                    self.close(block, heard);
                }
                return Ok(true);
            }
            "message_start" => {
                self.is_reply = true;
                self.count(&event["message"]["usage"]);
            }
            "content_block_start" => {
                (heard.begun, self.is_reply) = (true, true);
                let block = Some(event["content_block"].take()).filter(Value::is_object).unwrap_or_else(|| json!({}));
                heard.say(block["text"].as_str().unwrap_or_default(), feed);
                heard.called += input_bytes(&block);
                self.open.insert(number(&event), (block, String::new()));
            }
            "content_block_delta" => self.more(number(&event), &event["delta"], heard, feed),
            "content_block_stop" => {
                if let Some((block, input)) = self.open.remove(&number(&event)) {
                    self.whole(block, &input, heard);
                }
            }
            "message_delta" => {
                self.is_reply = true;
                self.count(&event["usage"]);
                heard.stop = event["delta"]["stop_reason"].as_str().map(stop).or(heard.stop.take());
            }
            "message_stop" => return Ok(true),
            // Pings, and whatever comes to be sent one day.
            _ => {}
        }
        Ok(false)
    }

    fn finish(&mut self, call: &Call<'_>, heard: &mut WireReply) -> Result<(), Fault> {
        if !self.is_reply {
            return Err(call.broken("the body is not a reply: it is no message"));
        }
        // What was never closed was there all the same.
        for (block, input) in std::mem::take(&mut self.open).into_values() {
            self.whole(block, &input, heard);
        }
        heard.usage = self.tokens();
        heard.carry = self.keeps.then(|| Value::Array(std::mem::take(&mut self.blocks)));
        Ok(())
    }
}

impl Anthropic {
    fn more(&mut self, number: u64, delta: &Value, heard: &mut WireReply, feed: &mut Feed<'_>) {
        let (block, input) = self.open.entry(number).or_insert_with(|| (json!({}), String::new()));
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => {
                heard.say(text("text"), feed);
                grow(block, "text", text("text"), self.keeps);
            }
            "thinking_delta" => {
                heard.think(text("thinking").len());
                grow(block, "thinking", text("thinking"), self.keeps);
            }
            "signature_delta" => grow(block, "signature", text("signature"), self.keeps),
            "input_json_delta" => {
                heard.called += text("partial_json").len();
                input.push_str(text("partial_json"));
            }
            _ => {}
        }
    }

    /// A block whose pieces have all come. One that was cut has no input that could be used, and must not go back as a text.
    fn whole(&mut self, mut block: Value, input: &str, heard: &mut WireReply) {
        match serde_json::from_str::<Value>(input) {
            Ok(input) if input.is_object() => block["input"] = input,
            _ if input.trim().is_empty() => {}
            _ => return,
        }
        self.close(block, heard);
    }

    /// A block is whole.
    fn close(&mut self, block: Value, heard: &mut WireReply) {
        match block["type"].as_str().unwrap_or_default() {
            "tool_use" => {
                heard.begun = true;
                let name = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
                heard.tool_calls.push(ToolCall { id: name("id"), name: name("name"), input: block["input"].clone() });
            }
            "server_tool_use" => heard.extras.sought(&block["input"]["query"]),
            // In place of a list there is an object when the search failed.
            "web_search_tool_result" => {
                block["content"].as_array().into_iter().flatten().for_each(|result| heard.extras.found(&result["title"], &result["url"]));
            }
            // Streamed ones were counted as they came.
            "thinking" if heard.thought == 0 => heard.think(block["thinking"].as_str().map_or(0, str::len)),
            "redacted_thinking" => heard.think(block["data"].as_str().map_or(0, str::len)),
            _ => {}
        }
        self.blocks.push(block);
    }

    /// Later counts replace earlier ones: the last is of the whole.
    fn count(&mut self, usage: &Value) {
        for (name, value) in usage.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            self.usage.insert(name.clone(), value.clone());
        }
    }

    /// `None` when the provider said nothing: unknown is not zero. What a cache served or took is counted apart from the rest of the input.
    fn tokens(&self) -> Option<Usage> {
        let count = |name: &str| self.usage.get(name).and_then(Value::as_u64);
        let (input, output) = (count("input_tokens"), count("output_tokens"));
        if input.is_none() && output.is_none() {
            return None;
        }
        let cached = count("cache_read_input_tokens").unwrap_or(0);
        let input = input.unwrap_or(0).saturating_add(cached).saturating_add(count("cache_creation_input_tokens").unwrap_or(0));
        let output = output.unwrap_or(0);
        let thinking = self.usage.get("output_tokens_details").and_then(|details| details["thinking_tokens"].as_u64());
        Some(Usage { input, output, cached, thinking: thinking.map(|thinking: u64| thinking.min(output)) })
    }
}

/// What a block that came whole holds for a tool.
fn input_bytes(block: &Value) -> usize {
    block.get("input").filter(|input| !input.is_null()).map_or(0, |input| input.to_string().len())
}

/// Which block an event is about.
fn number(event: &Value) -> u64 {
    event["index"].as_u64().unwrap_or(0)
}

fn grow(block: &mut Value, field: &str, more: &str, keeps: bool) {
    if !keeps {
        return;
    }
    match &mut block[field] {
        Value::String(text) => text.push_str(more),
        other => *other = json!(more),
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" => Stop::Done,
        // A turn that was paused in the middle of its searches is a part of an answer.
        "max_tokens" | "model_context_window_exceeded" | "pause_turn" => Stop::Length,
        "tool_use" => Stop::Tools,
        "refusal" => Stop::Filtered,
        other => Stop::Other(other.to_owned()),
    }
}
