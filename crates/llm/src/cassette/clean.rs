//! What is put on a tape, without keys: every text that a person or a model wrote. The shape of an entry (roles, digests, field names) is
//! left alone, so that no key, whatever it is, makes a recording that cannot be read.

use super::tape::{Entry, Outcome};
use crate::scrub::{Secret, without_keys};
use serde_json::Value;
use synod_types::{Message, ToolCall};

pub(super) fn clean(entry: &mut Entry, key: Option<&Secret>) {
    for message in &mut entry.request.messages {
        match message {
            Message::System { text } | Message::User { text } => clean_text(text, key),
            Message::Assistant { text, tool_calls, thinking } => {
                clean_text(text, key);
                clean_calls(tool_calls, key);
                thinking.iter_mut().for_each(|thinking| clean_value(thinking, key));
            }
            Message::Tool { call_id, name, output } => [call_id, name, output].into_iter().for_each(|text| clean_text(text, key)),
        }
    }
    if let Some(schema) = &mut entry.request.schema {
        clean_value(&mut schema.schema, key);
    }
    for tool in &mut entry.request.tools {
        clean_text(&mut tool.description, key);
        clean_value(&mut tool.input, key);
    }
    match &mut entry.outcome {
        Outcome::Reply(reply) => {
            clean_text(&mut reply.text, key);
            clean_calls(&mut reply.tool_calls, key);
            reply.thinking.iter_mut().for_each(|thinking| clean_value(thinking, key));
            reply.changed.iter_mut().for_each(|change| clean_text(change, key));
        }
        Outcome::Failure(failure) => clean_text(&mut failure.detail, key),
    }
}

fn clean_text(text: &mut String, key: Option<&Secret>) {
    *text = without_keys(text, key);
}

fn clean_calls(calls: &mut [ToolCall], key: Option<&Secret>) {
    for call in calls {
        clean_text(&mut call.id, key);
        clean_text(&mut call.name, key);
        clean_value(&mut call.input, key);
    }
}

fn clean_value(value: &mut Value, key: Option<&Secret>) {
    match value {
        Value::String(text) => clean_text(text, key),
        Value::Array(items) => items.iter_mut().for_each(|item| clean_value(item, key)),
        Value::Object(members) => {
            for (mut name, mut member) in std::mem::take(members) {
                clean_text(&mut name, key);
                clean_value(&mut member, key);
                members.insert(name, member);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
