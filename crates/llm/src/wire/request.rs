//! What every wire format shares: how a reply's schema is asked for, and the headers every provider wants.

use super::schema::{Dialect, adapted};
use crate::scrub::Secret;
use serde_json::Value;
use std::borrow::Cow;
use synod_config::{EndpointConfig, EndpointKind, SchemaMode};
use synod_engine::schema::block_fields;
use synod_types::Request;

const ANTHROPIC_VERSION: &str = "2023-06-01";

/// How the reply's schema is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Free,
    Native,
    InPrompt,
}

pub(super) fn ask(request: &Request, config: &EndpointConfig) -> Ask {
    match &request.schema {
        None => Ask::Free,
        Some(_) if config.schema == SchemaMode::Prompt => Ask::InPrompt,
        Some(schema) if Dialect::of(config.kind).can_say(&schema.schema) => Ask::Native,
        Some(_) => Ask::InPrompt,
    }
}

/// What a provider wants to see beside the body.
pub(crate) fn headers(kind: EndpointKind, key: Option<&Secret>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if let Some(key) = key {
        headers.push(match kind {
            EndpointKind::Anthropic => ("x-api-key".to_owned(), key.expose().to_owned()),
            EndpointKind::Gemini => ("x-goog-api-key".to_owned(), key.expose().to_owned()),
            EndpointKind::OpenAi | EndpointKind::Rehearsal | EndpointKind::Cassette => {
                ("authorization".to_owned(), format!("Bearer {}", key.expose()))
            }
        });
    }
    if kind == EndpointKind::Anthropic {
        headers.push(("anthropic-version".to_owned(), ANTHROPIC_VERSION.to_owned()));
    }
    headers
}

/// The text of the last user message, with what a schema would have said. `None` for the text: it is a message of its own.
pub(super) fn instructed<'a>(text: Option<&'a str>, request: &Request, ask: Ask) -> Option<Cow<'a, str>> {
    let schema = request.schema.as_ref().filter(|_| ask == Ask::InPrompt);
    match (text, schema) {
        (Some(text), Some(schema)) => Some(Cow::Owned(format!("{text}\n\n{}", instruction(&schema.schema)))),
        (None, Some(schema)) => Some(Cow::Owned(instruction(&schema.schema))),
        (Some(text), None) => Some(Cow::Borrowed(text)),
        (None, None) => None,
    }
}

fn instruction(schema: &Value) -> String {
    let blocks: String = block_fields(schema).iter().map(|name| block_instruction(name)).collect();
    let schema = adapted(schema, Dialect::Plain);
    format!(
        "Form of the reply: think in plain prose first if that helps. {blocks}Then end with exactly one fenced code block, marked json, that \
         holds one JSON object with its fields in the order of this JSON Schema. Write nothing after the block.\n\n```json\n{schema}\n```"
    )
}

/// A whole document inside a JSON string costs escapes, and one that is missed costs the reply.
fn block_instruction(name: &str) -> String {
    format!(
        "Write the text of {name} before the JSON, as it is and without escapes, between a line that is only <<<{name} and a line that is \
         only {name}>>>, and leave {name} empty in the JSON. "
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_documents_are_asked_for_outside_the_json() {
        let field = |block: bool| json!({ "type": "string", "x-block": block });
        let schema = |block| json!({ "type": "object", "properties": { "reasons": { "type": "string" }, "work": field(block) } });
        let told = instruction(&schema(true));
        assert!(told.contains("<<<work") && told.contains("work>>>") && !told.contains("<<<reasons") && !told.contains("x-block"), "{told}");
        assert!(!instruction(&schema(false)).contains("<<<"));
    }
}
