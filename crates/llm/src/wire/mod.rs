//! Models behind OpenAI's, Anthropic's and Gemini's wire formats.
//!
//! One try of one call is made here and read into our words: text, tool calls, finish, usage, or a typed fault. What a model thought is counted
//! and never taken for its answer. Tries, limits and clocks are `endpoint`'s. Refuses to interpret: what a reply means, whether it fits its
//! schema, and whether an empty one will do, is for the engine.

mod anthropic;
mod classify;
mod events;
mod extras;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzed;
mod gemini;
mod mend;
mod openai;
mod overrun;
mod reasons;
pub(crate) mod request;
mod schema;
mod shape;
mod think;
mod transport;

use crate::endpoint::Endpoint;
use crate::endpoint::fault::Fault;
use crate::learned::Learned;
use crate::scrub::{Held, Secret, Secrets};
use classify::{Call, Mended};
use extras::ReplyExtras;
use futures::future::BoxFuture;
use reasons::Reasons;
use request::Ask;
use serde_json::Value;
use shape::Shape;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use synod_config::EndpointKind;
use synod_engine::{CallContext, Deltas, EndpointSlot, Model};
use synod_types::{Failure, Finish, Reply, Request, Search, Sending, Tier, ToolCall, Usage};
use think::{Piece, Tags};

pub(crate) struct WireModel {
    pub endpoint: Arc<Endpoint>,
    pub http: reqwest::Client,
    pub key: Option<Secret>,
    /// What no reply may say back.
    pub secrets: Secrets,
    pub learned: Arc<Learned>,
    /// Room to think, where the user said how much.
    pub thinking_tokens: Option<u32>,
}

impl Model for WireModel {
    fn slot(&self) -> BoxFuture<'_, EndpointSlot> {
        Box::pin(self.endpoint.slot())
    }

    fn sending(&self, request: &Request, tier: Tier) -> Sending {
        let config = &self.endpoint.config;
        let habits = self.learned.habits(&config.base_url, &request.model);
        shape::sending(request, tier, config, &habits, self.thinking_tokens)
    }

    fn most_tokens(&self, request: &Request) -> u32 {
        let habits = self.learned.habits(&self.endpoint.config.base_url, &request.model);
        let beside = habits.context.map(|context| shape::beside_prompt(request, context));
        habits.most_tokens.into_iter().chain(beside).min().unwrap_or(u32::MAX)
    }

    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let mended = Mutex::new(Mended::default());
            let mut reply = self.endpoint.call(context, || self.attempt(request, context, &mended)).await?;
            reply.changed = mended.into_inner().unwrap_or_else(PoisonError::into_inner).changed;
            Ok(reply)
        })
    }
}

impl WireModel {
    async fn attempt(&self, request: &Request, context: &CallContext, mended: &Mutex<Mended>) -> Result<Reply, Fault> {
        let config = &self.endpoint.config;
        let habits = self.learned.habits(&config.base_url, &request.model);
        let most = mended.lock().unwrap_or_else(PoisonError::into_inner).most;
        let shape = Shape::of(request, context.sending, config, &habits, most);
        let span = |ms: i64| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        let idle = span(context.idle_ms);
        let quiet = if shape::thinks(config, request, &habits) { idle.max(span(context.total_ms)) } else { idle };
        let call = Call {
            endpoint: &self.endpoint,
            key: self.key.as_ref(),
            secrets: &self.secrets,
            idle,
            quiet,
            request,
            shape: &shape,
            learned: &self.learned,
            mended,
        };
        let mut feed = Feed::new(context.deltas.as_deref(), shape.ask, self.secrets.clone());
        let heard = match config.kind {
            EndpointKind::Anthropic => anthropic::attempt(&self.http, &call, &mut feed).await?,
            EndpointKind::Gemini => gemini::attempt(&self.http, &call, &mut feed).await?,
            EndpointKind::OpenAi | EndpointKind::Rehearsal | EndpointKind::Cassette => openai::attempt(&self.http, &call, &mut feed).await?,
        };
        let mut reply = read(heard, &call)?;
        self.secrets.hide_in(&mut reply);
        self.learn(&reply, &call);
        Ok(reply)
    }

    /// Remembers the most this model was seen to think at this effort. One that starved without a word on it used up all it had.
    fn learn(&self, reply: &Reply, call: &Call<'_>) {
        let spent = if reply.starved() { reply.usage.map_or(call.shape.tokens.into(), |usage| usage.output) } else { 0 };
        let thought = u32::try_from(reply.thought().max(spent)).unwrap_or(u32::MAX);
        if reply.overran {
            self.learned.change(&self.endpoint.config.base_url, &call.request.model, |habits| habits.overran = true);
        }
        if thought > 0 {
            let effort = call.shape.effort;
            self.learned.change(&self.endpoint.config.base_url, &call.request.model, |habits| habits.saw(effort, thought));
        }
    }
}

/// Why a provider says it stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    Done,
    Length,
    Tools,
    Filtered,
    Other(String),
}

/// A reply in pieces we know.
#[derive(Default)]
struct WireReply {
    text: String,
    /// Bytes that the model thought.
    thought: usize,
    /// Bytes of calls and their inputs, whatever becomes of them.
    called: usize,
    /// How often the text was replaced.
    replaced: u32,
    tags: Tags,
    /// Something has come that is billed: words, thoughts, a refusal or a call, shown or not.
    begun: bool,
    /// An input that came as text is still text, until `with_tool_inputs`.
    tool_calls: Vec<ToolCall>,
    stop: Option<Stop>,
    usage: Option<Usage>,
    /// Tokens of what was cut, by our own count.
    unseen_tokens: u64,
    overran: bool,
    /// What must go back with the tools' results, in the provider's own form.
    carry: Option<Value>,
    extras: ReplyExtras,
}

impl WireReply {
    /// Takes a piece of the text, and shows what of it are words.
    fn say(&mut self, piece: &str, feed: &mut Feed<'_>) {
        self.begun |= !piece.is_empty();
        match self.tags.push(piece) {
            Piece::Words(words) => {
                feed.push(&words);
                if self.text.is_empty() { self.text = words.into_owned() } else { self.text.push_str(&words) }
            }
            Piece::Instead(rest) => {
                self.thought += self.text.len() + piece.len() - rest.len().min(piece.len());
                feed.restart();
                feed.push(&rest);
                (self.text, self.replaced) = (rest, self.replaced + 1);
            }
        }
    }

    fn think(&mut self, bytes: usize) {
        self.begun |= bytes > 0;
        self.thought += bytes;
    }

    fn end(&mut self, feed: &mut Feed<'_>) {
        let rest = self.tags.end();
        feed.push(&rest);
        feed.end();
        self.text.push_str(&rest);
        self.thought += std::mem::take(&mut self.tags.thought);
        self.read_tool_inputs();
        if self.stop == Some(Stop::Length) {
            // An input that was cut is no input.
            self.tool_calls.retain(|call| !call.input.is_string());
        }
        self.count_thinking();
    }

    /// Reads the inputs of tools that came as text. What is no JSON stays the text it is.
    fn read_tool_inputs(&mut self) {
        for call in &mut self.tool_calls {
            let Value::String(text) = &call.input else { continue };
            // A tool without parameters is often called with nothing at all.
            let text = if text.trim().is_empty() { "{}" } else { text };
            if let Ok(input) = serde_json::from_str(text) {
                call.input = input;
            }
        }
    }

    /// Where the provider does not count thought apart, its share of the bytes is its share of the tokens.
    fn count_thinking(&mut self) {
        let Some(usage) = self.usage.as_mut().filter(|usage| usage.thinking.is_none() && self.thought > 0) else { return };
        let said = self.text.len() + self.tool_calls.iter().map(|call| call.name.len() + call.input.to_string().len()).sum::<usize>();
        let share = self.thought as f64 / (self.thought + said) as f64;
        usage.thinking = Some((usage.output as f64 * share).round() as u64);
    }
}

/// Where streamed text goes: all of a free text, only the reasons of a typed one, and nowhere when nobody watches.
struct Feed<'a> {
    deltas: Option<&'a dyn Deltas>,
    reasons: Option<Reasons>,
    buffer: String,
    held: Held,
}

impl<'a> Feed<'a> {
    fn new(deltas: Option<&'a dyn Deltas>, ask: Ask, secrets: Secrets) -> Self {
        let reasons = (deltas.is_some() && ask != Ask::Free).then(Reasons::new);
        Self { deltas, reasons, buffer: String::new(), held: Held::new(secrets) }
    }

    fn push(&mut self, piece: &str) {
        let Some(deltas) = self.deltas else { return };
        let words = match &mut self.reasons {
            None => piece,
            Some(reasons) => {
                self.buffer.clear();
                reasons.feed(piece, &mut self.buffer);
                &self.buffer
            }
        };
        let words = self.held.push(words);
        if !words.is_empty() {
            deltas.push(&words);
        }
    }

    /// All was said.
    fn end(&mut self) {
        let rest = self.held.end();
        if let Some(deltas) = self.deltas.filter(|_| !rest.is_empty()) {
            deltas.push(&rest);
        }
    }

    /// What was shown so far was not the answer.
    fn restart(&mut self) {
        if let Some(deltas) = self.deltas {
            deltas.restart();
            self.held.end();
            self.reasons = self.reasons.as_ref().map(|_| Reasons::new());
        }
    }
}

/// Shows a reply that is whole already, as far as it may be shown.
pub(crate) fn show(text: &str, request: &Request, context: &CallContext) {
    let ask = if request.schema.is_some() { Ask::Native } else { Ask::Free };
    Feed::new(context.deltas.as_deref(), ask, Secrets::default()).push(text);
}

/// Reasons that are no end but a failure on the provider's side. Any other unknown one is a dialect, and its reply is whole.
const BROKE_OFF: &[&str] = &["error", "abort", "insufficient_system_resource", "cancelled"];

fn read(heard: WireReply, call: &Call<'_>) -> Result<Reply, Fault> {
    let WireReply { text, thought, called, tool_calls, stop, usage, unseen_tokens, overran, carry, extras, .. } = heard;
    // What nobody will read word by word is about four bytes a token: thoughts, calls that were dropped, a refusal beside words.
    let kept: usize = tool_calls.iter().map(|call| call.name.len() + call.input.to_string().len()).sum();
    let refusal = if text.is_empty() { 0 } else { extras.refusal.len() };
    let unseen_tokens = unseen_tokens.saturating_add((thought + called.saturating_sub(kept) + refusal) as u64 / 4);
    if let Some(Stop::Other(reason)) = &stop
        && BROKE_OFF.iter().any(|known| reason.eq_ignore_ascii_case(known))
    {
        return Err(call.broken(&format!("broke off: {reason}")));
    }
    let refused = !extras.refusal.is_empty() || stop == Some(Stop::Filtered);
    let finish = match stop {
        _ if refused => Finish::Refusal,
        Some(Stop::Length) => Finish::Length,
        _ if !tool_calls.is_empty() => Finish::ToolCalls,
        Some(Stop::Done) | None => Finish::Stop,
        Some(Stop::Tools | Stop::Filtered | Stop::Other(_)) => Finish::Other,
    };
    let text = match finish {
        Finish::Refusal if text.is_empty() => extras.refusal,
        _ => text,
    };
    let text = match &call.request.schema {
        Some(schema) if call.shape.ask == Ask::Native && call.endpoint.config.kind == EndpointKind::OpenAi => {
            match schema::narrowed(&text, &schema.schema) {
                std::borrow::Cow::Borrowed(_) => text,
                std::borrow::Cow::Owned(narrowed) => narrowed,
            }
        }
        _ => text,
    };
    let search = Some(extras.search).filter(|search| *search != Search::default());
    // Blocks that go back as they came have the ids they came with.
    let tool_calls = if call.endpoint.config.kind == EndpointKind::Anthropic { tool_calls } else { with_own_ids(tool_calls) };
    // Nothing goes back where no tool's result does.
    let thinking = carry.filter(|_| !tool_calls.is_empty());
    Ok(Reply { text, tool_calls, finish, usage, unseen_tokens, overran, cost_usd: extras.cost_usd, search, thinking, changed: Vec::new() })
}

/// Gemini names no calls, and some servers give two the same id.
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
