//! Models behind OpenAI's, Anthropic's and Gemini's wire formats: the first spoken directly, the others through genai.
//!
//! One try of one call is made here and read into our words: text, tool calls, finish, usage, or a typed fault. Tries, limits and clocks are
//! `endpoint`'s. Refuses to interpret: what a reply means, whether it fits its schema, and whether an empty one will do, is for the engine.

mod classify;
mod extras;
mod openai;
mod reasons;
pub(crate) mod request;
mod schema;
mod through_genai;

use crate::endpoint::Endpoint;
use crate::endpoint::fault::Fault;
use crate::scrub::Secret;
use classify::Call;
use extras::ReplyExtras;
use futures::future::BoxFuture;
use genai::chat::StopReason;
use reasons::Reasons;
use request::Ask;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use synod_config::EndpointKind;
use synod_engine::{CallContext, Deltas, EndpointSlot, Model};
use synod_types::{Failure, Finish, Reply, Request, Search, ToolCall, Usage};
use through_genai::Format;

pub(crate) struct WireModel {
    pub endpoint: Arc<Endpoint>,
    pub http: reqwest::Client,
    pub library: genai::Client,
    pub key: Option<Secret>,
}

impl Model for WireModel {
    fn slot(&self) -> BoxFuture<'_, EndpointSlot> {
        Box::pin(self.endpoint.slot())
    }

    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move { self.endpoint.call(context, || self.attempt(request, context)).await })
    }
}

impl WireModel {
    async fn attempt(&self, request: &Request, context: &CallContext) -> Result<Reply, Fault> {
        let config = &self.endpoint.config;
        let idle = Duration::from_millis(u64::try_from(context.idle_ms).unwrap_or(0));
        let with_temperature = request.temperature.is_some() && self.endpoint.takes_temperature(&request.model);
        let call = Call { endpoint: &self.endpoint, model: &request.model, key: self.key.as_ref(), idle, with_temperature };
        let ask = request::ask(request, config);
        let feed = Feed::new(context.deltas.as_deref(), ask);
        let heard = match config.kind {
            EndpointKind::Anthropic => through_genai::attempt(&self.library, Format::Anthropic, request, ask, &call, feed).await?,
            EndpointKind::Gemini => through_genai::attempt(&self.library, Format::Gemini, request, ask, &call, feed).await?,
            EndpointKind::OpenAi | EndpointKind::Rehearsal | EndpointKind::Cassette => openai::attempt(&self.http, request, ask, &call, feed).await?,
        };
        read(heard, request, ask, &call)
    }
}

/// A reply in pieces we know.
#[derive(Default)]
struct WireReply {
    text: String,
    /// Something has come that is billed: words, thoughts, a refusal or a call, shown or not.
    begun: bool,
    /// An input that came as text is still text, until `with_tool_inputs`.
    tool_calls: Vec<ToolCall>,
    stop: Option<StopReason>,
    usage: Option<Usage>,
    extras: ReplyExtras,
}

impl WireReply {
    /// Reads the inputs of tools that came as text. What is no JSON stays the text it is.
    fn with_tool_inputs(mut self) -> Self {
        for call in &mut self.tool_calls {
            let Value::String(text) = &call.input else { continue };
            // A tool without parameters is often called with nothing at all.
            let text = if text.trim().is_empty() { "{}" } else { text };
            if let Ok(input) = serde_json::from_str(text) {
                call.input = input;
            }
        }
        self
    }
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

fn too_much(call: &Call<'_>, max_tokens: u32) -> Fault {
    call.broken(&format!("sent more than {} bytes for a limit of {max_tokens} tokens", most_bytes(max_tokens)))
}

/// Reasons that are no end but a failure on the provider's side. Any other unknown one is a dialect, and its reply is whole.
const BROKE_OFF: &[&str] = &["error", "abort", "insufficient_system_resource", "cancelled"];

fn read(heard: WireReply, request: &Request, ask: Ask, call: &Call<'_>) -> Result<Reply, Fault> {
    let WireReply { text, tool_calls, stop, usage, extras, begun: _ } = heard;
    if text.len() > most_bytes(request.max_tokens) {
        return Err(too_much(call, request.max_tokens));
    }
    if let Some(StopReason::Other(reason)) = &stop
        && BROKE_OFF.iter().any(|known| reason.eq_ignore_ascii_case(known))
    {
        return Err(call.broken(&format!("broke off: {reason}")));
    }
    let refused = !extras.refusal.is_empty() || matches!(stop, Some(StopReason::ContentFilter(_)));
    let finish = match stop {
        _ if refused => Finish::Refusal,
        Some(StopReason::MaxTokens(_)) => Finish::Length,
        _ if !tool_calls.is_empty() => Finish::ToolCalls,
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) | None => Finish::Stop,
        Some(StopReason::ToolCall(_) | StopReason::ContentFilter(_) | StopReason::Other(_)) => Finish::Other,
    };
    let text = match finish {
        Finish::Refusal if text.is_empty() => extras.refusal,
        _ => text,
    };
    let text = match &request.schema {
        Some(schema) if ask == Ask::Native && call.endpoint.config.kind == EndpointKind::OpenAi => match schema::narrowed(&text, &schema.schema) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(narrowed) => narrowed,
        },
        _ => text,
    };
    let search = Some(extras.search).filter(|search| *search != Search::default());
    Ok(Reply { text, tool_calls: with_own_ids(tool_calls), finish, usage, cost_usd: extras.cost_usd, search })
}

/// Gemini names no calls; genai numbers them anew in every frame of a stream, so that two calls may have come with one id.
fn with_own_ids(calls: Vec<ToolCall>) -> Vec<ToolCall> {
    let mut named: Vec<ToolCall> = Vec::with_capacity(calls.len());
    for mut call in calls {
        if named.iter().any(|other| other.id == call.id) {
            call.id = format!("{}.{}", call.id, named.len());
        }
        named.push(call);
    }
    named
}
