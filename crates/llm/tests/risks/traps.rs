//! What client libraries are known to do behind one's back, each tried on a real socket: ours must not.

use crate::common::*;
use serde_json::{Value, json};
use synod_config::{EndpointConfig, EndpointKind};
use synod_testkit::server::{Fault, ModelServer, Say};
use synod_types::FailureKind;

/// Model ids are rewritten: a last word such as `high` becomes a reasoning effort, and `ns::` is cut off.
#[tokio::test]
async fn model_ids_arrive_exactly_as_given_and_nothing_is_read_into_them() {
    let ids = ["local-model-high", "ns::weird", "a::b::c-low", "org/model:8b-max", "plain", "qwen3:8b", "claude-opus-9-zero", "-none"];
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        for stream in [true, false] {
            let server = ModelServer::start().await;
            for id in ids {
                call(EndpointConfig { stream, ..endpoint(&server, kind) }, id).await.expect("answers");
            }
            for (ask, id) in server.requests().iter().zip(ids) {
                assert_eq!(ask.model, id, "{kind:?} stream {stream}");
                for effort in ["reasoning_effort", "thinking", "output_config"] {
                    assert_eq!(ask.body.get(effort), None, "{id} on {kind:?} must not turn into an effort: {}", ask.body);
                }
                assert_eq!(ask.body.pointer("/generationConfig/thinkingConfig"), None, "{id} on {kind:?}: {}", ask.body);
            }
        }
    }
}

/// A stream that is cut cleanly ends without an error and without `End` (with one, for Gemini).
#[tokio::test]
async fn a_cleanly_cut_stream_is_a_failed_call() {
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        let server = ModelServer::start().await;
        server.reply("m", |_| Say::text("A long reply of many words that will not be heard to its end by anybody."));
        server.script("m", Fault::CutClean);
        let failure = call(endpoint(&server, kind), "m").await.expect_err("half a reply is none");
        assert_eq!(failure.kind, FailureKind::Server, "{kind:?}: {failure}");
        assert_eq!(server.total(), 1, "{kind:?}: it may have been billed and must not be asked again");
    }
}

#[tokio::test]
async fn a_connection_lost_in_mid_stream_is_a_failed_call() {
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        let server = ModelServer::start().await;
        server.reply("m", |_| Say::text("A long reply of many words that will not be heard to its end by anybody."));
        server.script("m", Fault::CutDirty);
        let failure = call(endpoint(&server, kind), "m").await.expect_err("half a reply is none");
        assert_eq!(failure.kind, FailureKind::Server, "{kind:?}: {failure}");
        assert_eq!(server.total(), 1, "{kind:?}");
    }
}

/// On a stream, HTTP errors come inside the stream, after `Start`, and hide their status.
#[tokio::test]
async fn the_status_and_retry_after_of_a_stream_are_seen() {
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        let server = ModelServer::start().await;
        server.script("m", Fault::rate_limited("3600"));
        let failure = call(endpoint(&server, kind), "m").await.expect_err("limited");
        assert_eq!(failure.kind, FailureKind::RateLimited, "{kind:?}");
        assert!(failure.detail.contains("429") && failure.detail.contains("3600 s"), "{}", failure.detail);
    }
}

#[tokio::test]
async fn a_providers_own_search_is_offered_beside_other_tools_where_it_is_allowed() {
    let found = |ask: &std::sync::Arc<synod_testkit::server::Ask>| {
        let body = &ask.body;
        let named = body["tools"].as_array().into_iter().flatten();
        body.get("web_search_options").is_some()
            || named.clone().any(|tool| tool["type"] == "web_search_20250305" || tool.get("googleSearch").is_some())
    };
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        let server = ModelServer::start().await;
        let tool = synod_types::ToolDef { name: "look".into(), description: "Looks.".into(), input: json!({"type": "object", "properties": {}}) };
        for (web_search, tools) in [(true, vec![tool.clone()]), (true, Vec::new()), (false, vec![tool])] {
            let config = EndpointConfig { web_search, ..endpoint(&server, kind) };
            model(config, "m").call(&synod_types::Request { tools, ..request("m") }, &context()).await.expect("answers");
        }
        assert_eq!(server.requests().iter().map(found).collect::<Vec<_>>(), [true, false, false], "{kind:?}");
    }
}

#[tokio::test]
async fn what_a_providers_own_search_found_comes_with_the_reply() {
    let tool = synod_types::ToolDef { name: "look".into(), description: "Looks.".into(), input: json!({"type": "object", "properties": {}}) };
    let source = |title: &str, url: &str| synod_types::Source { title: title.into(), url: url.into() };
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        for stream in [true, false] {
            let server = ModelServer::start().await;
            server.reply("m", |_| Say {
                search: Some((
                    "tide tables".into(),
                    vec![("Tides".into(), "https://tides.test/a".into()), ("Tides again".into(), "https://tides.test/a".into())],
                )),
                ..Say::text("High water is at six.")
            });
            let config = EndpointConfig { web_search: true, stream, ..endpoint(&server, kind) };
            let asking = synod_types::Request { tools: vec![tool.clone()], ..request("m") };
            let reply = model(config, "m").call(&asking, &context()).await.expect("answers");
            assert_eq!(reply.text, "High water is at six.", "{kind:?}, stream {stream}");
            let search = reply.search.expect("what was found");
            assert_eq!(search.found, [source("Tides", "https://tides.test/a")], "{kind:?}, stream {stream}: an address once");
            let told = if kind == EndpointKind::OpenAi { vec![] } else { vec!["tide tables".to_owned()] };
            assert_eq!(search.queries, told, "{kind:?}, stream {stream}");
        }
    }
}

/// A schema reaches a local server, because the OpenAI format is spoken to it and not Ollama's own.
#[tokio::test]
async fn the_schema_reaches_every_provider() {
    for (name, config) in all(&ModelServer::start().await) {
        let server = ModelServer::start().await;
        let config = EndpointConfig { base_url: endpoint(&server, config.kind).base_url, ..config };
        let request = synod_types::Request { schema: Some(ballot()), ..request("m") };
        let reply = model(config, "m").call(&request, &context()).await.expect("answers");
        let schema = server.requests()[0].schema.clone().expect("a schema was sent");
        assert_eq!(schema["properties"]["choice"]["enum"], json!(["K3", "T9"]), "{name}");
        let value: Value = serde_json::from_str(&reply.text).expect("JSON");
        assert!(value["reasons"].is_string(), "{name}: {value}");
    }
}

/// OpenAI's strict mode makes every property required.
#[tokio::test]
async fn an_optional_property_may_still_be_left_out() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::json(&json!({ "reasons": "so", "note": null })));
    let schema =
        json!({ "type": "object", "required": ["reasons"], "properties": { "reasons": { "type": "string" }, "note": { "type": "string" } } });
    let request = with_schema(request("m"), schema);
    let reply = model(endpoint(&server, EndpointKind::OpenAi), "m").call(&request, &context()).await.expect("answers");
    let sent = server.requests()[0].schema.clone().expect("a schema was sent");
    assert_eq!(sent["required"], json!(["reasons", "note"]), "strict mode insists");
    assert_eq!(sent["properties"]["note"]["type"], json!(["string", "null"]), "so it may be null");
    assert_eq!(reply.text, r#"{"reasons":"so"}"#, "and what was null was left out");
}

/// Extra body fields are merged for every provider: each gets only what it knows.
#[tokio::test]
async fn no_provider_gets_fields_it_does_not_know() {
    for (kind, known) in [
        (EndpointKind::OpenAi, &["model", "stream", "stream_options", "messages", "temperature", "max_tokens"][..]),
        (EndpointKind::Anthropic, &["model", "stream", "system", "messages", "temperature", "max_tokens"][..]),
        (EndpointKind::Gemini, &["systemInstruction", "contents", "generationConfig"][..]),
    ] {
        let server = ModelServer::start().await;
        call(endpoint(&server, kind), "m").await.expect("answers");
        let body = &server.requests()[0].body;
        let unknown: Vec<&String> = body.as_object().expect("an object").keys().filter(|key| !known.contains(&key.as_str())).collect();
        assert!(unknown.is_empty(), "{kind:?} got {unknown:?}");
    }
}

/// A newer OpenAI model would lose its prefix cache to a field that is only sent when no cache wish is stated.
#[tokio::test]
async fn the_prefix_cache_is_left_to_the_provider() {
    for id in ["gpt-6-luna", "gpt-5.6", "gpt-4o"] {
        let server = ModelServer::start().await;
        call(endpoint(&server, EndpointKind::OpenAi), id).await.expect("answers");
        let body = &server.requests()[0].body;
        for field in ["prompt_cache_options", "prompt_cache_retention", "prompt_cache_key"] {
            assert_eq!(body.get(field), None, "{id}: {body}");
        }
    }
}

/// Anthropic requests default to 64,000 tokens.
#[tokio::test]
async fn the_token_limit_is_always_ours() {
    let server = ModelServer::start().await;
    for (name, config) in all(&server) {
        call(config, "m").await.expect("answers");
        assert_eq!(server.requests().last().expect("logged").max_tokens, Some(321), "{name}");
    }
    // Some of OpenAI's models take it under another name only.
    call(endpoint(&server, EndpointKind::OpenAi), "gpt-6-luna").await.expect("answers");
    let ask = server.requests().last().expect("logged").clone();
    assert_eq!((ask.body.get("max_completion_tokens"), ask.body.get("max_tokens")), (Some(&json!(321)), None));
}

#[tokio::test]
async fn without_a_key_no_key_is_sent() {
    let server = ModelServer::start().await;
    for (name, config) in all(&server) {
        call(EndpointConfig { key_env: None, ..config }, "m").await.expect("answers");
        let ask = server.requests().last().expect("logged").clone();
        for header in ["authorization", "x-api-key", "x-goog-api-key"] {
            assert_eq!(ask.headers.get(header), None, "{name}");
        }
    }
}

#[tokio::test]
async fn each_provider_gets_the_key_in_its_own_header() {
    let server = ModelServer::start().await;
    let want = [
        ("openai", "authorization", format!("Bearer {KEY}")),
        ("anthropic", "x-api-key", KEY.to_owned()),
        ("gemini", "x-goog-api-key", KEY.to_owned()),
    ];
    for (name, config) in all(&server) {
        call(config.clone(), "m").await.expect("answers");
        let ask = server.requests().last().expect("logged").clone();
        let (_, header, value) = want.iter().find(|(kind, _, _)| *kind == config.kind.as_str()).expect("known");
        assert_eq!(ask.headers.get(*header), Some(value), "{name}");
        assert!(!ask.path.contains(KEY) && !ask.body.to_string().contains(KEY), "{name}: a key belongs in a header");
    }
}
