//! Built-in voices for trying, showing and testing everything offline. They think nothing, cost nothing, and say that they are a rehearsal.
//!
//! One character per seat. What a voice says depends on the run's seed and the turn's key, never on the prompt's text; only the words
//! that a prompt's `rehearse` hint allows may quote the topic. A typed reply is always a valid instance of the schema asked for, or an
//! honest failure. Refuses to pretend: no delays, no invented errors.

mod dice;
mod hint;
mod instance;
mod number;
mod phrase;
mod schema;
mod speech;
mod voices;

use dice::Dice;
use futures::future::{BoxFuture, FutureExt};
use instance::Filler;
use serde_json::{Value, json};
use synod_engine::schema::mismatches;
use synod_engine::{CallContext, Deltas, Model};
use synod_types::{Failure, FailureKind, Finish, Message, Reply, ReplySchema, Request, ToolCall, ToolDef, Usage, seat_of};

/// How often a schema is tried with other throws. One is enough but for overlapping alternatives and conditions that throws decide.
const ATTEMPTS: u32 = 16;
const CHUNK_WORDS: usize = 12;

/// The endpoint of rehearsals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rehearsal;

impl Rehearsal {
    pub fn new() -> Self {
        Self
    }

    /// The voices' names in seat order. A seat speaks with the voice of its index, whatever it is called.
    pub fn voices() -> impl Iterator<Item = &'static str> + Clone {
        voices::VOICES.iter().map(|voice| voice.id)
    }
}

impl Model for Rehearsal {
    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        let reply = reply(request, context.seed, &context.key);
        if let (Ok(reply), Some(deltas)) = (&reply, &context.deltas) {
            stream(&reply.text, deltas.as_ref());
        }
        std::future::ready(reply).boxed()
    }
}

fn reply(request: &Request, seed: u64, key: &str) -> Result<Reply, Failure> {
    let turn = Turn { seed, key, hint: request.hint.as_ref() };
    let input = request.messages.iter().map(|message| tokens(message.text())).sum();
    if let Some(call) = turn.tool_call(request)? {
        let usage = Usage { input, output: tokens(&call.input.to_string()), ..Usage::default() };
        return Ok(Reply { tool_calls: vec![call], finish: Finish::ToolCalls, usage: Some(usage), ..Reply::text("") });
    }
    let text = match &request.schema {
        Some(schema) => turn.instance(schema, turn.hint)?.to_string(),
        None => {
            let seat = seat_of(key).unwrap_or(0);
            speech::speak(voices::of(seat), seat, turn.hint, request.max_tokens, &mut Dice::new(seed, key, 0))
        }
    };
    let usage = Usage { input, output: tokens(&text), ..Usage::default() };
    Ok(Reply { usage: Some(usage), ..Reply::text(text) })
}

/// What fixes a voice's words.
struct Turn<'a> {
    seed: u64,
    key: &'a str,
    hint: Option<&'a Value>,
}

impl Turn<'_> {
    fn instance(&self, schema: &ReplySchema, hint: Option<&Value>) -> Result<Value, Failure> {
        let cannot =
            |why: String| Failure::new(FailureKind::Unreadable, format!("the rehearsal voices cannot fill the schema {}: {why}", schema.name));
        let seat = seat_of(self.key).unwrap_or(0);
        let mut wrong = String::new();
        for attempt in 0..ATTEMPTS {
            let mut filler = Filler::new(&schema.schema, voices::of(seat), seat, self.hint, Dice::new(self.seed, self.key, attempt));
            let value = filler.fill(hint);
            match mismatches(&schema.schema, &value).first() {
                None => {
                    for field in filler.unfit_hints() {
                        tracing::warn!(key = self.key, field, "a rehearsal hint does not fit its field's schema and was passed over");
                    }
                    return Ok(value);
                }
                Some(problem) => wrong = problem.to_string(),
            }
        }
        Err(cannot(wrong))
    }

    /// The call the hint asks for, once: as soon as a tool has answered, the voice speaks.
    fn tool_call(&self, request: &Request) -> Result<Option<ToolCall>, Failure> {
        let answered = request.messages.iter().any(|message| matches!(message, Message::Tool { .. }));
        let Some(wanted) = self.hint.and_then(|hint| hint.get("tool")).filter(|_| !answered) else { return Ok(None) };
        let name = wanted.get("name").and_then(Value::as_str);
        let Some(tool) = request.tools.iter().find(|tool| name.is_none_or(|name| name == tool.name)) else { return Ok(None) };
        let input = self.tool_input(tool, wanted.get("input"))?;
        let id = format!("rehearsal-{}", seat_of(self.key).unwrap_or(0));
        Ok(Some(ToolCall { id, name: tool.name.clone(), input }))
    }

    fn tool_input(&self, tool: &ToolDef, hint: Option<&Value>) -> Result<Value, Failure> {
        let schema = ReplySchema { name: tool.name.clone(), schema: tool.input.clone() };
        let nothing = json!({});
        self.instance(&schema, hint.or(Some(&nothing)))
    }
}

/// A word is about four thirds of a token; what has few spaces, as JSON, is counted by its letters.
fn tokens(text: &str) -> u64 {
    // Every prompt is counted: by its bytes, which is what makes a rehearsal quick.
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let (words, _) =
        text.bytes().fold((0_u64, true), |(words, after_space), byte| (words + u64::from(after_space && !is_space(byte)), is_space(byte)));
    (words * 4).div_ceil(3).max(text.len() as u64 / 4)
}

fn stream(text: &str, deltas: &dyn Deltas) {
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.match_indices(' ').nth(CHUNK_WORDS - 1).map_or(rest.len(), |(at, space)| at + space.len());
        deltas.push(&rest[..end]);
        rest = &rest[end..];
    }
}

#[cfg(test)]
mod instance_tests;
#[cfg(test)]
#[path = "rehearsal_tests.rs"]
mod tests;
