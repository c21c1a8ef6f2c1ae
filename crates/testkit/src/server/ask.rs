//! A request as it arrived, read from whichever wire format it came in.

use serde_json::Value;
use std::collections::BTreeMap;

/// Which provider's protocol a request speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    OpenAi,
    Anthropic,
    Gemini,
}

#[derive(Clone, Debug)]
pub struct Ask {
    /// 1 for the first request the server got.
    pub number: u64,
    pub wire: Wire,
    pub path: String,
    pub model: String,
    /// Role (`system`, `user`, `assistant`, `tool`) and text, in order; system text comes first whatever the protocol.
    pub messages: Vec<(String, String)>,
    /// The schema asked for natively, or the one found in a fenced block of the last message.
    pub schema: Option<Value>,
    /// True when the schema came from the prompt: the reply is then prose and one fenced block.
    pub schema_in_prompt: bool,
    pub tools: Vec<AskTool>,
    pub max_tokens: Option<u64>,
    pub stream: bool,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

#[derive(Clone, Debug)]
pub struct AskTool {
    pub name: String,
    pub input: Value,
}

impl Ask {
    /// Everything that was said so far, in one string.
    pub fn text(&self) -> String {
        let mut all = String::new();
        for (_, text) in &self.messages {
            all.push_str(text);
            all.push('\n');
        }
        all
    }

    pub fn last(&self) -> &str {
        self.messages.last().map_or("", |(_, text)| text)
    }

    /// The number a default reply is derived from: the same model and messages give the same reply, on any machine.
    pub fn seed(&self) -> u64 {
        let mut hash = hash(0xcbf2_9ce4_8422_2325, self.model.as_bytes());
        for (role, text) in &self.messages {
            hash = self::hash(self::hash(hash, role.as_bytes()), text.as_bytes());
        }
        hash
    }

    /// A rough count, the same for every model: a token is four characters.
    pub fn input_tokens(&self) -> u64 {
        tokens(self.messages.iter().map(|(_, text)| text.len()).sum())
    }

    /// The schema in the last fenced block of the last message, if there is one.
    pub(super) fn find_schema_in_prompt(&mut self) {
        if self.schema.is_some() {
            return;
        }
        let fence = "```";
        let blocks: Vec<&str> = self.last().split(fence).skip(1).step_by(2).collect();
        let found = blocks.iter().rev().find_map(|block| {
            let block = block.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
            let value: Value = serde_json::from_str(block).ok()?;
            (value.get("type").is_some() || value.get("$ref").is_some()).then_some(value)
        });
        self.schema_in_prompt = found.is_some();
        self.schema = found;
    }
}

pub(super) fn tokens(chars: usize) -> u64 {
    (chars as u64).div_ceil(4).max(1)
}

/// FNV-1a.
fn hash(mut state: u64, bytes: &[u8]) -> u64 {
    for byte in bytes {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    state
}
