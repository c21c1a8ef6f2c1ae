//! A reply before it is put into a wire format, and the default one.

use super::ask::{Ask, tokens};
use super::fault::Fault;
use super::fill::{fill, sentence};
use serde_json::Value;
use synod_math::Rng;

#[derive(Clone, Debug, Default)]
pub struct Say {
    pub text: String,
    /// Tool name and input.
    pub calls: Vec<(String, Value)>,
    pub end: End,
    /// How much of the input a prefix cache is said to have served.
    pub cached: u64,
    /// What the provider itself says the call cost (OpenRouter's `usage.cost`).
    pub cost: Option<f64>,
    /// What is said of the tokens, instead of the truth, in the wire's own words.
    pub lie: Option<Value>,
    /// What the provider's own search was for, and the title and address of what it found.
    pub search: Option<(String, Vec<(String, String)>)>,
    /// What the model thinks before it says anything.
    pub thinking: Thinking,
    /// Applied on top of the reply.
    pub fault: Option<Fault>,
}

/// Tokens spent on thought, and how a provider lets it be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    pub tokens: u64,
    pub form: Form,
    /// The provider says that it stopped by itself though its limit was spent.
    pub denies: bool,
}

impl Thinking {
    pub fn of(tokens: u64, form: Form) -> Self {
        Self { tokens, form, denies: false }
    }

    /// What was thought, as long as its tokens say.
    pub(super) fn text(self) -> String {
        "hm, ".repeat(usize::try_from(self.tokens).unwrap_or(0))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Nowhere, and counted apart in the usage.
    #[default]
    Hidden,
    /// Under a name of its own (Anthropic: a block, Gemini: a part), and counted apart.
    Field(&'static str),
    /// The same, and not counted apart.
    Uncounted(&'static str),
    /// In the text, inside `<think>`.
    Tags,
    /// In the text, with the closing tag only.
    LoneTag,
    /// As parts of a list of contents.
    List,
    /// Left out of the completion's count, and in the total only.
    Excluded,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    Stop,
    Length,
    ToolCalls,
    Refusal,
    /// The provider's moderation cut in: a finish reason, no refusal text.
    Filtered,
}

impl Say {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }
    pub fn call(name: impl Into<String>, input: Value) -> Self {
        Self { calls: vec![(name.into(), input)], end: End::ToolCalls, ..Self::default() }
    }
    pub fn fault(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// What the server says when nobody wrote a script: the first tool once, then the schema filled in, else a short sentence.
    pub fn by_default(ask: &Ask, words: usize) -> Self {
        let seed = ask.seed();
        if let Some(tool) = ask.tools.first()
            && !ask.messages.iter().any(|(role, _)| role == "tool")
        {
            return Self::call(&tool.name, fill(&tool.input, seed, words));
        }
        match &ask.schema {
            Some(schema) if ask.schema_in_prompt => {
                let value = filled(ask, schema, words);
                Self::text(format!("{}\n\n```json\n{value:#}\n```\n", sentence(&mut Rng::new(seed), words)))
            }
            Some(schema) => Self::json(&filled(ask, schema, words)),
            None => Self::text(sentence(&mut Rng::new(seed), words)),
        }
    }

    /// As a provider gives it that counts thought against the limit: cut, or with nothing to read at all.
    pub(super) fn within(mut self, ask: &Ask) -> Self {
        let Thinking { tokens: thought, form, denies } = self.thinking;
        let limit = ask.max_tokens.unwrap_or(u64::MAX);
        if thought > 0 && thought + self.said_tokens() > limit {
            self.thinking.tokens = thought.min(limit);
            let left = usize::try_from((limit - self.thinking.tokens) * 4).unwrap_or(usize::MAX).min(self.text.len());
            let left = (0..=left).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
            self.text.truncate(left);
            self.calls.clear();
            self.end = if denies { End::Stop } else { End::Length };
        }
        let cut_short = self.end == End::Length && self.text.is_empty();
        match form {
            Form::Tags if self.thinking.tokens > 0 => {
                let close = if cut_short { "" } else { "</think>\n\n" };
                self.text = format!("<think>{}{close}{}", self.thinking.text(), self.text);
            }
            Form::LoneTag if self.thinking.tokens > 0 => self.text = format!("{}</think>\n\n{}", self.thinking.text(), self.text),
            _ => {}
        }
        self
    }

    /// Billed: what was said and what was thought.
    pub(super) fn output_tokens(&self) -> u64 {
        match self.thinking.form {
            // It is in the text already.
            Form::Tags | Form::LoneTag => self.said_tokens(),
            _ if self.thinking.tokens > 0 && self.text.is_empty() && self.calls.is_empty() => self.thinking.tokens,
            _ => self.said_tokens() + self.thinking.tokens,
        }
    }

    /// What the provider counts apart, if it does.
    pub(super) fn thought_tokens(&self) -> Option<u64> {
        match self.thinking.form {
            Form::Hidden | Form::Field(_) if self.thinking.tokens > 0 => Some(self.thinking.tokens),
            _ => None,
        }
    }

    /// The name and the text of a field of its own.
    pub(super) fn thought_field(&self) -> Option<(&'static str, String)> {
        match self.thinking.form {
            Form::Field(name) | Form::Uncounted(name) if self.thinking.tokens > 0 => Some((name, self.thinking.text())),
            _ => None,
        }
    }

    fn said_tokens(&self) -> u64 {
        tokens(self.text.len() + self.calls.iter().map(|(name, input)| name.len() + input.to_string().len()).sum::<usize>())
    }

    /// The text in pieces, as a stream would bring it: cut after a space once a piece has `size` bytes.
    pub(super) fn pieces(&self, size: usize) -> Vec<&str> {
        let mut pieces = Vec::new();
        let mut rest = self.text.as_str();
        while rest.len() > size {
            let mut at = size;
            while at < rest.len() && !(rest.is_char_boundary(at) && rest.as_bytes()[at - 1] == b' ') {
                at += 1;
                // A long word is cut anyway, or text without spaces would come as one piece.
                if at >= 2 * size && rest.is_char_boundary(at) {
                    break;
                }
            }
            let (piece, tail) = rest.split_at(at);
            pieces.push(piece);
            rest = tail;
        }
        if !rest.is_empty() {
            pieces.push(rest);
        }
        pieces
    }
}

/// The schema filled in. What it wants copied is copied from the content that was sent, and a whole work is as long as any other text here.
fn filled(ask: &Ask, schema: &Value, words: usize) -> Value {
    let content = ask.messages.iter().rev().find_map(|(_, text)| Some(text.split_once("<content")?.1.split_once('>')?.1.split_once("</content>")?.0));
    let mut value = fill(schema, ask.seed(), words);
    suit(&mut value, schema, &|wanted| match wanted {
        wanted if wanted.contains("word for word") => content.map(|content| content.trim().to_owned()),
        wanted if wanted.contains("whole work") => Some(sentence(&mut Rng::new(ask.seed()), words)),
        _ => None,
    });
    value
}

/// Puts words where a description asks for some of a kind.
fn suit(value: &mut Value, schema: &Value, words: &impl Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(wanted) = schema["description"].as_str().and_then(words) {
                *text = wanted;
            }
        }
        Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| suit(field, &schema["properties"][name], words)),
        Value::Array(items) => items.iter_mut().for_each(|item| suit(item, &schema["items"], words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
