//! Models behind OpenAI's, Anthropic's and Gemini's wire formats, through genai.
//!
//! One try of one call is made here and read into our words: text, tool calls, finish, usage, or a typed fault. Tries, limits and clocks are
//! `endpoint`'s. Refuses to interpret: what a reply means, whether it fits its schema, and whether an empty one will do, is for the engine.

mod beside;
mod classify;
mod reasons;
pub(crate) mod request;
mod schema;

use crate::config::EndpointKind;
use crate::endpoint::Endpoint;
use crate::endpoint::fault::{Again, Fault};
use crate::scrub::Secret;
use beside::{Beside, Sink};
use classify::Call;
use futures::StreamExt;
use futures::future::BoxFuture;
use genai::chat::{ChatStreamEvent, ContentPart, StopReason};
use reasons::Reasons;
use request::Ask;
use std::sync::Arc;
use std::time::Duration;
use synod_engine::{CallContext, Deltas, Model, Standing};
use synod_types::{Failure, Finish, Reply, Request, ToolCall, Usage};

pub(crate) struct WireModel {
    pub endpoint: Arc<Endpoint>,
    pub client: genai::Client,
    pub key: Option<Secret>,
}

impl Model for WireModel {
    fn place(&self) -> BoxFuture<'_, Standing> {
        Box::pin(self.endpoint.place())
    }

    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move { self.endpoint.call(context, || self.attempt(request, context)).await })
    }
}

impl WireModel {
    async fn attempt(&self, request: &Request, context: &CallContext) -> Result<Reply, Fault> {
        let config = &self.endpoint.config;
        let idle = Duration::from_millis(u64::try_from(context.idle_ms).unwrap_or(0));
        let call = Call { endpoint: &self.endpoint, model: &request.model, key: self.key.as_ref(), idle };
        let ask = request::ask(request, config);
        let target = request::target(config, &request.model, self.key.as_ref());
        let chat = request::chat(request, ask);
        let mut options = request::options(request, config, ask, idle, self.endpoint.takes_temperature(&request.model));
        let heard = if config.stream {
            let sink = (config.kind != EndpointKind::Anthropic).then(|| Arc::new(Sink::default()));
            if let Some(sink) = &sink {
                options = options.with_raw_frame_sink_arc(sink.clone());
            }
            let stream = self.client.exec_chat_stream(target, chat, Some(&options)).await.map_err(|error| call.fault(&error))?;
            let mut heard = listen(stream.stream, Feed::new(context.deltas.as_deref(), ask), &call, request.max_tokens, sink.as_deref()).await?;
            if let Some(sink) = sink {
                heard.beside = sink.take();
            }
            heard
        } else {
            let heard = match self.client.exec_chat(target, chat, Some(&options)).await {
                Ok(response) => whole(response),
                Err(error) => blocked(&error).ok_or_else(|| call.fault(&error))?,
            };
            Feed::new(context.deltas.as_deref(), ask).push(&heard.text);
            heard
        };
        read(heard, request, ask, &call)
    }
}

/// A reply in pieces we know.
#[derive(Default)]
struct Heard {
    text: String,
    tool_calls: Vec<genai::chat::ToolCall>,
    stop: Option<StopReason>,
    usage: Option<genai::chat::Usage>,
    beside: Beside,
}

/// Where streamed text goes: all of a free text, only the reasons of a typed one, and nowhere when nobody watches.
struct Feed<'a> {
    deltas: Option<&'a dyn Deltas>,
    reasons: Option<Reasons>,
    buffer: String,
}

impl<'a> Feed<'a> {
    fn new(deltas: Option<&'a dyn Deltas>, ask: Ask) -> Self {
        let reasons = (deltas.is_some() && ask != Ask::Free).then(Reasons::new);
        Self { deltas, reasons, buffer: String::new() }
    }

    fn push(&mut self, piece: &str) {
        let Some(deltas) = self.deltas else { return };
        match &mut self.reasons {
            None => {
                if !piece.is_empty() {
                    deltas.push(piece);
                }
            }
            Some(reasons) => {
                self.buffer.clear();
                reasons.feed(piece, &mut self.buffer);
                if !self.buffer.is_empty() {
                    deltas.push(&self.buffer);
                }
            }
        }
    }
}

/// Shows a reply that is whole already, as far as it may be shown.
pub(crate) fn show(text: &str, request: &Request, context: &CallContext) {
    let ask = if request.schema.is_some() { Ask::Native } else { Ask::Free };
    Feed::new(context.deltas.as_deref(), ask).push(text);
}

/// Far more than any tokeniser makes of one token: beyond it a provider ignores the limit, and memory is ours.
fn most_bytes(max_tokens: u32) -> usize {
    (max_tokens as usize).saturating_mul(32).max(1 << 20)
}

async fn listen(
    mut stream: genai::chat::ChatStream,
    mut feed: Feed<'_>,
    call: &Call<'_>,
    max_tokens: u32,
    sink: Option<&Sink>,
) -> Result<Heard, Fault> {
    let mut heard = Heard::default();
    while let Some(event) = stream.next().await {
        match event {
            Ok(ChatStreamEvent::Chunk(chunk)) => {
                feed.push(&chunk.content);
                if heard.text.is_empty() {
                    heard.text = chunk.content;
                } else {
                    heard.text.push_str(&chunk.content);
                }
                if heard.text.len() > most_bytes(max_tokens) {
                    return Err(too_much(call, max_tokens));
                }
            }
            Ok(ChatStreamEvent::End(end)) => {
                heard.stop = end.captured_stop_reason;
                heard.usage = end.captured_usage;
                heard.tool_calls = end.captured_content.map(|content| content.into_tool_calls()).unwrap_or_default();
                // Gemini's adapter ends a cut stream as if it were whole; only the missing reason tells.
                if heard.stop.is_none() && call.endpoint.config.kind == EndpointKind::Gemini && !sink.is_some_and(Sink::has_refusal) {
                    break;
                }
                return Ok(heard);
            }
            Ok(
                ChatStreamEvent::Start
                | ChatStreamEvent::ReasoningChunk(_)
                | ChatStreamEvent::ThoughtSignatureChunk(_)
                | ChatStreamEvent::ToolCallChunk(_)
                | ChatStreamEvent::Heartbeat,
            ) => {}
            Err(_) if sink.is_some_and(Sink::has_refusal) => return Ok(heard),
            Err(error) => {
                let mut fault = call.fault(&error);
                // Once words have come, the call is being billed.
                if !heard.text.is_empty() {
                    fault.again = Again::Never;
                }
                return Err(fault);
            }
        }
    }
    Err(call.broken("the stream ended before the reply did"))
}

fn too_much(call: &Call<'_>, max_tokens: u32) -> Fault {
    call.broken(&format!("sent more than {} bytes for a limit of {max_tokens} tokens", most_bytes(max_tokens)))
}

fn whole(response: genai::chat::ChatResponse) -> Heard {
    let mut heard = Heard { stop: response.stop_reason, usage: Some(response.usage), ..Heard::default() };
    if let Some(body) = &response.captured_raw_body {
        heard.beside.read(body);
    }
    for part in response.content.into_parts() {
        match part {
            ContentPart::Text(text) if heard.text.is_empty() => heard.text = text,
            ContentPart::Text(text) => heard.text.push_str(&text),
            ContentPart::ToolCall(call) => heard.tool_calls.push(call),
            _ => {}
        }
    }
    heard
}

/// Gemini answers a blocked prompt with a body that is no reply; the reason is in it.
fn blocked(error: &genai::Error) -> Option<Heard> {
    let genai::Error::ChatResponseGeneration { response_body, .. } = error else { return None };
    let mut heard = Heard::default();
    heard.beside.read(response_body);
    (!heard.beside.refusal.is_empty()).then_some(heard)
}

fn read(heard: Heard, request: &Request, ask: Ask, call: &Call<'_>) -> Result<Reply, Fault> {
    let Heard { text, tool_calls, stop, usage, beside } = heard;
    if text.len() > most_bytes(request.max_tokens) {
        return Err(too_much(call, request.max_tokens));
    }
    let refused = !beside.refusal.is_empty() || matches!(stop, Some(StopReason::ContentFilter(_)));
    let finish = match stop {
        _ if refused => Finish::Refusal,
        Some(StopReason::MaxTokens(_)) => Finish::Length,
        _ if !tool_calls.is_empty() => Finish::ToolCalls,
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) | None => Finish::Stop,
        Some(StopReason::ToolCall(_) | StopReason::ContentFilter(_) | StopReason::Other(_)) => Finish::Other,
    };
    let text = match finish {
        Finish::Refusal if text.is_empty() => beside.refusal,
        _ => text,
    };
    let text = match &request.schema {
        Some(schema) if ask == Ask::Native && call.endpoint.config.kind == EndpointKind::OpenAi => match schema::narrowed(&text, &schema.schema) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(narrowed) => narrowed,
        },
        _ => text,
    };
    Ok(Reply { text, tool_calls: with_own_ids(tool_calls), finish, usage: usage.and_then(|usage| tokens(&usage)), cost_usd: beside.cost_usd })
}

/// Gemini names no calls; genai numbers them anew in every frame of a stream, so that two calls may have come with one id.
fn with_own_ids(calls: Vec<genai::chat::ToolCall>) -> Vec<ToolCall> {
    let mut named: Vec<ToolCall> = Vec::with_capacity(calls.len());
    for call in calls {
        let taken = named.iter().any(|other| other.id == call.call_id);
        let id = if taken { format!("{}.{}", call.call_id, named.len()) } else { call.call_id };
        named.push(ToolCall { id, name: call.fn_name, input: call.fn_arguments });
    }
    named
}

/// `None` when the provider said nothing: unknown is not zero.
fn tokens(usage: &genai::chat::Usage) -> Option<Usage> {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
    let (input, output) = (count(usage.prompt_tokens), count(usage.completion_tokens));
    if input.is_none() && output.is_none() {
        return None;
    }
    let cached = usage.prompt_tokens_details.as_ref().and_then(|details| count(details.cached_tokens));
    Some(Usage { input: input.unwrap_or(0), output: output.unwrap_or(0), cached: cached.unwrap_or(0) })
}
