//! One request to one model, and its reply.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// What is sent to a model. Keys and addresses never enter it.
///
/// Everything but `hint` is part of the digest: a recorded outcome answers only the very same request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The provider's own id of the model.
    pub model: String,
    pub messages: Vec<Message>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<ReplySchema>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The words a reader sees. What a model may think before them comes on top, and is the wire's affair.
    pub max_tokens: u32,
    /// How hard the model is to think, where its user said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What a rehearsal voice may say here. Never sent to a provider.
    #[serde(skip)]
    pub hint: Option<Value>,
}

impl Request {
    /// The digest of what is asked: compared on replay, not part of a turn's key.
    pub fn digest(&self) -> String {
        crate::with_json(self, |json| crate::sha256_hex(json)).unwrap_or_default()
    }
}

words! {
    /// How hard a model thinks before it answers. Every provider spells it in its own way, and some know only a few of these.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Effort { None = "none", Minimal = "minimal", Low = "low", Medium = "medium", High = "high", Xhigh = "xhigh", Max = "max" }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What goes over the wire beside the request, as it was when it was sent: no part of the digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sending {
    /// The token limit that is sent: the words a reader sees, and room to think before them.
    pub tokens: u32,
    pub effort: Option<Effort>,
}

impl Sending {
    /// No room but for the words themselves.
    pub fn plain(request: &Request) -> Self {
        Self { tokens: request.max_tokens, effort: request.effort }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplySchema {
    /// A short name, letters and underscores.
    pub name: String,
    pub schema: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    System {
        #[serde(serialize_with = "crate::long_text")]
        text: String,
    },
    User {
        #[serde(serialize_with = "crate::long_text")]
        text: String,
    },
    Assistant {
        #[serde(serialize_with = "crate::long_text")]
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// What the provider wants to see again of how its model came to this, in the provider's own form.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<Value>,
    },
    Tool {
        call_id: String,
        name: String,
        output: String,
    },
}

impl Message {
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), tool_calls: Vec::new(), thinking: None }
    }
    pub fn text(&self) -> &str {
        match self {
            Self::System { text } | Self::User { text } | Self::Assistant { text, .. } => text,
            Self::Tool { output, .. } => output,
        }
    }
}

/// A tool a model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDef {
    pub name: String,
    pub description: String,
    /// JSON Schema of the input object.
    pub input: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub input: Value,
}

/// What came back from a model, before anybody has read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    #[serde(serialize_with = "crate::long_text")]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    pub finish: Finish,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Tokens that came beside the words and calls above, by our own count: thoughts, and what was cut.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen_tokens: u64,
    /// It went on beyond twice what it was allowed, and was cut there.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub overran: bool,
    /// What the provider itself says the call cost, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// What the provider looked up by itself on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// What must go back with the results of the tools that were called, in the provider's own form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Value>,
    /// What the provider refused of the request, and what was sent instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

impl Reply {
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tool_calls: Vec::new(),
            finish: Finish::Stop,
            usage: None,
            unseen_tokens: 0,
            overran: false,
            cost_usd: None,
            search: None,
            thinking: None,
            changed: Vec::new(),
        }
    }

    /// Tokens its model is known to have thought.
    pub fn thought(&self) -> u64 {
        self.usage.and_then(|usage| usage.thinking).unwrap_or(0)
    }

    /// Nothing to read, though its model was at work: it thought until its limit was spent, or to no end.
    pub fn starved(&self) -> bool {
        let nothing = self.text.trim().is_empty() && self.tool_calls.is_empty();
        nothing && !self.overran && self.finish != Finish::Refusal && (self.finish == Finish::Length || self.thought() > 0)
    }

    /// Cut at the limit, with less room for words than was promised because thinking took it.
    pub fn crowded(&self, max_tokens: u32) -> bool {
        let Some(Usage { output, thinking: Some(thinking), .. }) = self.usage else { return false };
        self.finish == Finish::Length && thinking > 0 && output.saturating_sub(thinking) < u64::from(max_tokens)
    }
}

/// A provider's own web search. What it searched for is not told by every provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Search {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    pub found: Vec<Source>,
}

impl Search {
    /// The name it goes by among the tools of a turn.
    pub const TOOL: &str = "web_search";
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    pub title: String,
    pub url: String,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.title.is_empty() { write!(f, "<{}>", self.url) } else { write!(f, "{} <{}>", self.title, self.url) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Stop,
    /// Cut at the token limit.
    Length,
    ToolCalls,
    /// The provider's own signal that the model declined.
    Refusal,
    Other,
}

/// Tokens of one call. `cached` is the part of `input` that a prefix cache served, `thinking` the part of `output` that nobody reads: as the
/// provider counts it, else by its share of the text. `None`: unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    #[serde(default)]
    pub cached: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<u64>,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // Counts are what providers say: a nonsensical one must not make the sum small.
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.thinking = self.thinking.into_iter().chain(other.thinking).reduce(u64::saturating_add);
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// USD per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    pub output: f64,
}

impl Price {
    pub const FREE: Price = Price { input: 0.0, cached_input: Some(0.0), output: 0.0 };

    pub fn cost(&self, usage: Usage) -> f64 {
        let cached = usage.cached.min(usage.input);
        let fresh = (usage.input - cached) as f64;
        (fresh * self.input + cached as f64 * self.cached_input.unwrap_or(self.input) + usage.output as f64 * self.output) / 1e6
    }

    /// The most a call can cost: the counted input with a quarter on top, and every token it may write.
    pub fn worst(&self, input_tokens: u64, max_tokens: u32) -> f64 {
        (input_tokens as f64 * 1.25 * self.input + f64::from(max_tokens) * self.output) / 1e6
    }
}

words! {
    #[derive(Default)]
    pub enum Tier {
        #[default]
        Heavy = "heavy",
        Light = "light",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str, finish: Finish, output: u64, thinking: Option<u64>) -> Reply {
        Reply { finish, usage: Some(Usage { input: 1, output, cached: 0, thinking }), ..Reply::text(text) }
    }

    #[test]
    fn a_reply_is_starved_when_there_is_nothing_to_read_and_its_model_was_at_work() {
        assert!(reply("", Finish::Length, 500, None).starved());
        assert!(reply(" \n", Finish::Stop, 500, Some(500)).starved(), "stopped by itself, it says");
        assert!(!reply("", Finish::Stop, 0, None).starved(), "just empty");
        assert!(!reply("", Finish::Refusal, 500, Some(500)).starved());
        assert!(!reply("Yes.", Finish::Length, 500, Some(490)).starved());
        let call = ToolCall { id: "1".into(), name: "look".into(), input: Value::Null };
        assert!(!Reply { tool_calls: vec![call], ..reply("", Finish::Length, 500, Some(490)) }.starved());
    }

    #[test]
    fn a_cut_reply_is_crowded_only_when_thought_took_the_room_for_words() {
        assert!(reply("Because", Finish::Length, 1_000, Some(900)).crowded(400));
        assert!(!reply("Because", Finish::Length, 1_000, Some(500)).crowded(400), "it had its room and used it up");
        assert!(!reply("Because", Finish::Length, 1_000, None).crowded(4_000), "nobody knows");
        assert!(!reply("Because.", Finish::Stop, 1_000, Some(900)).crowded(400), "it is whole");
    }

    #[test]
    fn an_effort_that_is_not_set_leaves_the_digest_alone_and_sums_keep_what_is_known() {
        let mut request = Request {
            model: "m".into(),
            messages: vec![Message::assistant("a")],
            schema: None,
            tools: Vec::new(),
            temperature: None,
            max_tokens: 5,
            effort: None,
            hint: None,
        };
        assert_eq!(
            serde_json::to_string(&request).unwrap_or_default(),
            r#"{"model":"m","messages":[{"role":"assistant","text":"a"}],"max_tokens":5}"#
        );
        let before = request.digest();
        request.effort = Some(Effort::High);
        assert_ne!(request.digest(), before);

        let mut sum = Usage::default();
        sum += Usage { output: 10, ..Usage::default() };
        assert_eq!(sum.thinking, None);
        sum += Usage { output: 10, thinking: Some(4), ..Usage::default() };
        assert_eq!((sum.output, sum.thinking), (20, Some(4)));
    }
}
