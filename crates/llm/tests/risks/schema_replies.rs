//! Schemas on their way to a provider and replies on their way back.

use crate::common::*;
use serde_json::{Value, json};
use synod_config::SchemaMode;
use synod_config::{EndpointConfig, EndpointKind};
use synod_testkit::server::{Fault, ModelServer};
use synod_types::Request;

fn rich() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Ballot", "type": "object", "additionalProperties": false,
        "required": ["reasons", "ranking", "confidence", "rounds"],
        "properties": {
            "reasons": { "type": "string", "minLength": 3, "description": "Why." },
            "ranking": { "type": "array", "x-permutation": "labels", "items": { "type": "string", "enum": ["A", "B", "C"] }, "minItems": 3, "maxItems": 3, "uniqueItems": true },
            "confidence": { "type": "number", "minimum": 0, "maximum": 1, "default": 0.5, "format": "double" },
            "rounds": { "type": "integer", "format": "uint32", "minimum": 1, "maximum": 9 },
            "to": { "$ref": "#/$defs/Label" }
        },
        "$defs": { "Label": { "type": "string", "enum": ["A", "B", "C"], "x-ids": "labels" } }
    })
}

fn keywords(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                found.push(name.clone());
                keywords(inner, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keywords(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn what_a_provider_rejects_is_not_sent_to_it() {
    let nobody = ["x-permutation", "x-ids", "uniqueItems", "format", "default", "$schema", "title", "minLength"];
    let cases = [
        (EndpointKind::OpenAi, &[][..], &["minimum", "maxItems", "$ref", "additionalProperties"][..]),
        (EndpointKind::Anthropic, &["minimum", "maximum", "minItems", "maxItems"][..], &["$ref", "additionalProperties"][..]),
        (EndpointKind::Gemini, &[][..], &["minimum", "maxItems", "$ref"][..]),
    ];
    for (kind, rejected, kept) in cases {
        let server = ModelServer::start().await;
        model(endpoint(&server, kind), "m").call(&with_schema(request("m"), rich()), &context()).await.expect("answers");
        let sent = server.requests()[0].schema.clone().expect("a schema was sent");
        let mut found = Vec::new();
        keywords(&sent, &mut found);
        for keyword in nobody.iter().chain(rejected) {
            assert!(!found.contains(&(*keyword).to_owned()), "{kind:?} got {keyword}: {sent}");
        }
        for keyword in kept {
            assert!(found.contains(&(*keyword).to_owned()), "{kind:?} lost {keyword}: {sent}");
        }
        let order: Vec<&String> = sent["properties"].as_object().expect("an object").keys().collect();
        assert_eq!(order, ["reasons", "ranking", "confidence", "rounds", "to"], "{kind:?}: reasons come first, and the order is kept");
        let told = sent["properties"]["ranking"]["description"].as_str().unwrap_or_default().to_owned();
        assert!(told.contains("each item once"), "{kind:?}: what cannot be demanded is said: {sent}");
    }
}

#[tokio::test]
async fn the_default_reply_fits_the_schema_on_every_wire() {
    let server = ModelServer::start().await;
    for (name, config) in all(&server) {
        let reply = model(config, "m").call(&with_schema(request("m"), rich()), &context()).await.expect("answers");
        let value: Value = serde_json::from_str(&reply.text).expect("JSON");
        let mut ranking: Vec<&str> = value["ranking"].as_array().expect("a ranking").iter().filter_map(Value::as_str).collect();
        ranking.sort_unstable();
        assert_eq!(ranking, ["A", "B", "C"], "{name}: {value}");
        assert!(["A", "B", "C"].contains(&value["to"].as_str().unwrap_or("A")), "{name}: {value}");
    }
}

#[tokio::test]
async fn a_schema_by_prompt_is_said_and_not_sent() {
    let server = ModelServer::start().await;
    for (name, config) in all(&server) {
        let config = EndpointConfig { schema: SchemaMode::Prompt, ..config };
        let request = Request { schema: Some(ballot()), ..request("m") };
        let reply = model(config, "m").call(&request, &context()).await.expect("answers");
        let ask = server.requests().last().expect("logged").clone();
        assert!(ask.schema_in_prompt, "{name}");
        for field in ["response_format", "output_config"] {
            assert_eq!(ask.body.get(field), None, "{name}");
        }
        assert_eq!(ask.body.pointer("/generationConfig/responseJsonSchema"), None, "{name}");
        assert!(ask.last().starts_with("Which is heavier?\n\n"), "{name}: the task comes first: {}", ask.last());
        assert_eq!(ask.messages[0].1, "You weigh things.", "{name}: the stable part stays as it is");
        assert!(reply.text.contains("```json"), "{name}: {}", reply.text);
    }
}

#[tokio::test]
async fn what_strict_mode_cannot_say_goes_by_prompt() {
    let server = ModelServer::start().await;
    let map = json!({ "type": "object", "required": ["scores"], "properties": { "scores": { "type": "object", "additionalProperties": { "type": "integer" } } } });
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic] {
        model(endpoint(&server, kind), "m").call(&with_schema(request("m"), map.clone()), &context()).await.expect("answers");
        assert!(server.requests().last().expect("logged").schema_in_prompt, "{kind:?}");
    }
    model(endpoint(&server, EndpointKind::Gemini), "m").call(&with_schema(request("m"), map), &context()).await.expect("answers");
    assert!(!server.requests().last().expect("logged").schema_in_prompt);
}

#[tokio::test]
async fn garbage_is_handed_on_as_it_came() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Garbage);
    for (name, config) in all(&server) {
        let request = Request { schema: Some(ballot()), ..request("m") };
        let reply = model(config, "m").call(&request, &context()).await.expect("a reply is a reply");
        assert!(reply.text.ends_with("\"choice"), "{name}: reading it is the engine's part: {}", reply.text);
    }
}

#[tokio::test]
async fn the_rehearsal_hint_is_never_sent() {
    let server = ModelServer::start().await;
    for (name, config) in all(&server) {
        let request = Request { hint: Some(json!({ "choice": "only-for-rehearsal" })), ..request("m") };
        model(config, "m").call(&request, &context()).await.expect("answers");
        assert!(!server.requests().last().expect("logged").body.to_string().contains("only-for-rehearsal"), "{name}");
    }
}
