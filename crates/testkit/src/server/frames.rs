//! A streamed reply as the pieces it goes out in.

use serde_json::Value;

/// Server-sent events, ready to send. `close` holds the provider's end marker: a stream without it was cut.
#[derive(Default)]
pub struct Frames {
    pub open: Vec<String>,
    pub content: Vec<String>,
    pub close: Vec<String>,
}

/// One event without a name.
pub fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// One event with a name, which Anthropic repeats as the body's `type`.
pub fn event(name: &str, value: &Value) -> String {
    format!("event: {name}\ndata: {value}\n\n")
}

/// A JSON string literal.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
