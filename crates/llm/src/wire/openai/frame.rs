//! One frame of a stream, or a whole reply: the same fields under `delta` or `message`. Text is borrowed from the bytes where it can be.
//!
//! What is not ours to know is skipped, and where text is expected anything else counts as none: a reply must not be lost over it. What few
//! frames have is boxed: a frame is made for every token, and moved whole from step to step while it is read.

use super::super::{Stop, WireReply};
use super::thoughts::Thoughts;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use synod_types::{ToolCall, Usage};

#[derive(Deserialize)]
pub(super) struct Frame<'a> {
    /// We ask for one choice.
    #[serde(borrow, default, rename = "choices", deserialize_with = "first")]
    pub choice: Option<Choice<'a>>,
    #[serde(default)]
    usage: Option<Box<Value>>,
    #[serde(default)]
    pub error: Option<Box<Value>>,
}

#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow, default)]
    delta: Option<Message<'a>>,
    #[serde(borrow, default)]
    message: Option<Box<Message<'a>>>,
    #[serde(borrow, default, deserialize_with = "text")]
    finish_reason: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Content<'a>,
    #[serde(borrow, default, deserialize_with = "text")]
    refusal: Cow<'a, str>,
    /// What the model thought: there are three names for it, and some send two of them at once.
    #[serde(borrow, default, deserialize_with = "text")]
    reasoning: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    reasoning_content: Cow<'a, str>,
    #[serde(default)]
    reasoning_details: Option<Box<Value>>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    /// What a search of the provider's own found, as marks on the text.
    #[serde(default)]
    annotations: Option<Box<Value>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    index: Option<usize>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    name: Option<String>,
    /// Text that is JSON when it is whole; some servers send the object itself.
    #[serde(default)]
    arguments: Option<Value>,
}

impl<'a> Frame<'a> {
    fn message(&self) -> Option<&Message<'a>> {
        self.choice.as_ref().and_then(|choice| choice.delta.as_ref().or(choice.message.as_deref()))
    }

    pub fn text(&self) -> &str {
        self.message().map_or("", |message| &message.content.text)
    }

    /// Whether there is anything in it that is billed as output.
    pub fn has_output(&self) -> bool {
        self.message().is_some_and(|message| {
            let called = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
            message.content.any || message.thought() > 0 || called || !message.refusal.is_empty()
        })
    }

    /// All but the text, which was said already.
    pub fn add_to(self, heard: &mut WireReply, thoughts: &mut Thoughts) {
        heard.begun |= self.has_output();
        if let Some(message) = self.message() {
            heard.think(message.thought());
            thoughts.text("reasoning", &message.reasoning);
            thoughts.text("reasoning_content", &message.reasoning_content);
            thoughts.details(message.details());
            thoughts.part(&message.content.thought);
            heard.extras.refusal.push_str(&message.refusal);
            for mark in message.annotations.as_deref().and_then(Value::as_array).into_iter().flatten() {
                heard.extras.found(&mark["url_citation"]["title"], &mark["url_citation"]["url"]);
            }
        }
        if let Some(usage) = self.usage.as_deref() {
            heard.usage = tokens(usage).or(heard.usage);
            heard.extras.cost_usd = usage["cost"].as_f64().or(heard.extras.cost_usd);
        }
        let Some(choice) = self.choice else { return };
        if !choice.finish_reason.is_empty() {
            heard.stop = Some(stop(&choice.finish_reason));
        }
        for call in choice.delta.or_else(|| choice.message.map(|message| *message)).and_then(|message| message.tool_calls).into_iter().flatten() {
            if let Some(function) = &call.function {
                let input = function.arguments.as_ref().map_or(0, |input| input.as_str().map_or_else(|| input.to_string().len(), str::len));
                heard.called += function.name.as_ref().map_or(0, String::len) + input;
            }
            add_call(call, &mut heard.tool_calls);
        }
    }
}

impl Message<'_> {
    fn details(&self) -> &[Value] {
        self.reasoning_details.as_deref().and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Bytes of thought, counted once under whichever name.
    fn thought(&self) -> usize {
        let text = |detail: &Value| ["text", "summary", "data"].iter().filter_map(|name| detail[name].as_str()).map(str::len).sum::<usize>();
        let details = self.details().iter().map(text).sum();
        self.content.thought.len() + self.reasoning.len().max(self.reasoning_content.len()).max(details)
    }
}

fn stop(reason: &str) -> Stop {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "stop_sequence" | "end_turn" => Stop::Done,
        "length" | "max_tokens" | "model_length" => Stop::Length,
        "tool_calls" | "function_call" | "tool_use" => Stop::Tools,
        "content_filter" | "safety" => Stop::Filtered,
        _ => Stop::Other(reason.to_owned()),
    }
}

/// Calls arrive in pieces, told apart by their number; where a server gives none, an id begins a new one.
fn add_call(piece: Call, calls: &mut Vec<ToolCall>) {
    let last = calls.len().saturating_sub(1);
    let at = match piece.index {
        Some(index) => index.min(calls.len()),
        None if piece.id.is_some() => calls.len(),
        None => last,
    };
    if at == calls.len() {
        let id = piece.id.clone().unwrap_or_else(|| format!("call_{at}"));
        calls.push(ToolCall { id, name: String::new(), input: Value::String(String::new()) });
    }
    let (Some(call), Some(function)) = (calls.get_mut(at), piece.function) else { return };
    if let Some(name) = function.name.filter(|name| !name.is_empty()) {
        call.name = name;
    }
    match (&mut call.input, function.arguments) {
        (Value::String(so_far), Some(Value::String(more))) => so_far.push_str(&more),
        (input, Some(whole @ Value::Object(_))) => *input = whole,
        _ => {}
    }
}

/// `None` when the provider said nothing: unknown is not zero. Some leave thought out of the completion and have it in the total only.
fn tokens(usage: &Value) -> Option<Usage> {
    let (input, output) = (usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64());
    if input.is_none() && output.is_none() {
        return None;
    }
    let input = input.unwrap_or(0);
    let beyond = usage["total_tokens"].as_u64().map_or(0, |total| total.saturating_sub(input));
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0);
    let output = output.unwrap_or(0).max(beyond);
    let thinking = usage["completion_tokens_details"]["reasoning_tokens"].as_u64().or(usage["reasoning_tokens"].as_u64());
    Some(Usage { input, output, cached, thinking: thinking.map(|thinking| thinking.min(output)) })
}

/// The first of a list, without a list.
fn first<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    struct First<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for First<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of choices")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            let first = items.next_element()?;
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok(first)
        }
        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }

    deserializer.deserialize_any(First(PhantomData))
}

/// A text; of a list of typed parts, its text parts, and not what the model thought; else nothing.
#[derive(Default)]
struct Content<'a> {
    text: Cow<'a, str>,
    /// Parts of the list that were thought.
    thought: String,
    /// Something was there, text or not.
    any: bool,
}

impl<'a> From<Cow<'a, str>> for Content<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self { any: !text.is_empty(), thought: String::new(), text }
    }
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
    Content::deserialize(deserializer).map(|content| content.text)
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor(PhantomData))
    }
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default, rename = "type", deserialize_with = "text")]
    kind: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    text: Cow<'a, str>,
    /// A text, or a list of parts with one.
    #[serde(borrow, default, deserialize_with = "text")]
    thinking: Cow<'a, str>,
}

struct ContentVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for ContentVisitor<'a> {
    type Value = Content<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::from(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::from(Cow::Owned(text.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let (mut all, mut thought, mut any) = (String::new(), String::new(), false);
        while let Some(part) = items.next_element::<Part<'de>>()? {
            let is_text = part.kind == "text";
            any |= !is_text || !part.text.is_empty();
            match part.kind.as_ref() {
                "text" => all.push_str(&part.text),
                "thinking" => thought.push_str(&part.thinking),
                _ => {}
            }
        }
        Ok(Content { text: Cow::Owned(all), thought, any })
    }
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Content::default())
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::default())
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Content::default())
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Content::default())
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Content::default())
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Content::default())
    }
}
