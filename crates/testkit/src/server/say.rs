//! A reply before it is put into a wire format, and the default one.

use super::ask::{Ask, tokens};
use super::fault::Fault;
use super::fill::{Dice, fill, sentence};
use serde_json::Value;

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
    /// What the provider's own search was for, and the title and address of what it found.
    pub search: Option<(String, Vec<(String, String)>)>,
    /// Applied on top of the reply.
    pub fault: Option<Fault>,
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
                let value = fill(schema, seed, words);
                Self::text(format!("{}\n\n```json\n{value:#}\n```\n", sentence(&mut Dice(seed), words)))
            }
            Some(schema) => Self::json(&fill(schema, seed, words)),
            None => Self::text(sentence(&mut Dice(seed), words)),
        }
    }

    pub(super) fn output_tokens(&self) -> u64 {
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
