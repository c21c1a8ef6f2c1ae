//! Token counts for quotes and reservations. One vocabulary serves for all providers: an estimate, made safe by the margin on top.

use synod_types::{Message, Reply, Request, ToolCall};

pub fn count(text: &str) -> u64 {
    tiktoken::get_encoding("o200k_base").map_or(text.len() as u64 / 3, |encoding| encoding.count(text) as u64)
}

/// By bytes: for what nobody pays. The vocabulary takes longer to load than most commands take.
pub fn roughly(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

/// The input of a request: all that is sent. Its words, what goes back of tools and thoughts, its schema and tools, and a few tokens of
/// framing each.
pub fn of_request(request: &Request) -> u64 {
    let words: u64 = request.messages.iter().map(of_message).sum();
    let schema = request.schema.as_ref().map_or(0, |schema| count(&schema.schema.to_string()));
    let tools: u64 = request.tools.iter().map(|tool| count(&tool.name) + count(&tool.description) + count(&tool.input.to_string()) + 8).sum();
    words + schema + tools
}

/// The words of a request, without what a provider may or may not count: its schema, its tools, the frames, thoughts of its own.
pub fn of_words(request: &Request) -> u64 {
    let calls = |message: &Message| match message {
        Message::Assistant { tool_calls, .. } => tool_calls.iter().map(|call| count(&call.input.to_string())).sum(),
        Message::System { .. } | Message::User { .. } | Message::Tool { .. } => 0,
    };
    request.messages.iter().map(|message| count(message.text()) + calls(message)).sum()
}

fn of_message(message: &Message) -> u64 {
    let beside = match message {
        Message::System { .. } | Message::User { .. } => 0,
        // Either goes back, the provider's own form or ours.
        Message::Assistant { tool_calls, thinking, .. } => of_calls(tool_calls).max(thinking.as_ref().map_or(0, |blocks| count(&blocks.to_string()))),
        Message::Tool { call_id, name, .. } => count(call_id) + count(name),
    };
    count(message.text()) + beside + 4
}

fn of_calls(calls: &[ToolCall]) -> u64 {
    calls.iter().map(|call| count(&call.id) + count(&call.name) + count(&call.input.to_string()) + 8).sum()
}

/// The output of a reply: all that came, shown or not.
pub fn of_reply(reply: &Reply) -> u64 {
    let calls: u64 = reply.tool_calls.iter().map(|call| count(&call.name) + count(&call.input.to_string())).sum();
    (count(&reply.text) + calls).saturating_add(reply.unseen_tokens)
}
