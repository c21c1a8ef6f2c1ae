//! One frame of a stream, or a whole reply: the same fields under `delta` or `message`. Text is borrowed from the bytes where it can be.
//!
//! What is not ours to know is skipped, and where text is expected anything else counts as none: a reply must not be lost over it.

use super::super::WireReply;
use super::presence::Presence;
use genai::chat::StopReason;
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
    usage: Option<Value>,
    #[serde(default)]
    pub error: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow, default)]
    delta: Option<Message<'a>>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(borrow, default, deserialize_with = "text")]
    finish_reason: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Content<'a>,
    #[serde(borrow, default, deserialize_with = "text")]
    refusal: Cow<'a, str>,
    /// What the model thought is not read, only that it did: there are three names for it, and some send two of them at once.
    #[serde(default)]
    reasoning: Presence,
    #[serde(default)]
    reasoning_content: Presence,
    #[serde(default)]
    reasoning_details: Presence,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    /// What a search of the provider's own found, as marks on the text.
    #[serde(default)]
    annotations: Option<Value>,
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
        self.choice.as_ref().and_then(|choice| choice.delta.as_ref().or(choice.message.as_ref()))
    }

    pub fn text(&self) -> &str {
        self.message().map_or("", |message| &message.content.text)
    }

    /// Whether there is anything in it that is billed as output.
    pub fn has_output(&self) -> bool {
        self.message().is_some_and(|message| {
            let thought = [&message.reasoning, &message.reasoning_content, &message.reasoning_details].iter().any(|field| field.0);
            let called = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
            message.content.any || thought || called || !message.refusal.is_empty()
        })
    }

    pub fn add_to(self, heard: &mut WireReply) {
        heard.begun |= self.has_output();
        if let Some(message) = self.message() {
            heard.text.push_str(&message.content.text);
            heard.extras.refusal.push_str(&message.refusal);
            for mark in message.annotations.as_ref().and_then(Value::as_array).into_iter().flatten() {
                heard.extras.found(&mark["url_citation"]["title"], &mark["url_citation"]["url"]);
            }
        }
        if let Some(usage) = &self.usage {
            heard.usage = tokens(usage).or(heard.usage);
            heard.extras.cost_usd = usage["cost"].as_f64().or(heard.extras.cost_usd);
        }
        let Some(choice) = self.choice else { return };
        if !choice.finish_reason.is_empty() {
            heard.stop = Some(StopReason::from(choice.finish_reason.into_owned()));
        }
        for call in choice.delta.or(choice.message).and_then(|message| message.tool_calls).into_iter().flatten() {
            add_call(call, &mut heard.tool_calls);
        }
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

/// `None` when the provider said nothing: unknown is not zero.
fn tokens(usage: &Value) -> Option<Usage> {
    let (input, output) = (usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64());
    if input.is_none() && output.is_none() {
        return None;
    }
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
    Some(Usage { input: input.unwrap_or(0), output: output.unwrap_or(0), cached: cached.unwrap_or(0) })
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
    /// Something was there, text or not.
    any: bool,
}

impl<'a> From<Cow<'a, str>> for Content<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self { any: !text.is_empty(), text }
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
        let (mut all, mut any) = (String::new(), false);
        while let Some(part) = items.next_element::<Part<'de>>()? {
            let is_text = part.kind == "text";
            any |= !is_text || !part.text.is_empty();
            if is_text {
                all.push_str(&part.text);
            }
        }
        Ok(Content { text: Cow::Owned(all), any })
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
