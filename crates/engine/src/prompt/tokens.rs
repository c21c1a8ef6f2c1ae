//! Token counts for quotes and reservations. One vocabulary serves for all providers: an estimate, made safe by the margin on top.

use synod_types::{Message, Request};

pub fn count(text: &str) -> u64 {
    tiktoken::get_encoding("o200k_base").map_or(text.len() as u64 / 3, |encoding| encoding.count(text) as u64)
}

/// The input of a request: its words, its schema and tools, and a few tokens of framing a message.
pub fn of_request(request: &Request) -> u64 {
    let words: u64 = request.messages.iter().map(|message: &Message| count(message.text()) + 4).sum();
    let schema = request.schema.as_ref().map_or(0, |schema| count(&schema.schema.to_string()));
    let tools: u64 = request.tools.iter().map(|tool| count(&tool.description) + count(&tool.input.to_string()) + 8).sum();
    words + schema + tools
}
