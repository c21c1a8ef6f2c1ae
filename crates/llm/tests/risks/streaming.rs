//! What is shown while a reply arrives, and what the reply is when it has.

use crate::common::*;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use synod_config::{EndpointConfig, EndpointKind};
use synod_testkit::server::{Fault, ModelServer, Say};
use synod_types::{Finish, Message, Request, ToolCall, ToolDef, Usage};

const TEXT: &str = "Eins, zwei, drei: größer als gedacht, sagte die Waage 🙂 und schwieg. \"So\" \\ sei es.\nEnde.";

#[tokio::test]
async fn free_text_is_shown_as_it_grows_and_is_the_reply() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say { cached: 2, ..Say::text(TEXT) });
    for (name, config) in all(&server) {
        let streamed = config.stream;
        let (watcher, context) = watched();
        let reply = model(config, "m").call(&request("m"), &context).await.expect("answers");
        assert_eq!(reply.text, TEXT, "{name}");
        assert_eq!(watcher.text(), TEXT, "{name}");
        assert_eq!(watcher.pieces().len() > 2, streamed, "{name}: {:?}", watcher.pieces());
        assert_eq!(reply.finish, Finish::Stop, "{name}");
        let input = server.requests().last().expect("logged").input_tokens();
        let output = (TEXT.len() as u64).div_ceil(4);
        assert_eq!(reply.usage, Some(Usage { input, output, cached: 2, thinking: None }), "{name}: cached tokens are part of the input");
    }
}

#[tokio::test]
async fn words_are_shown_while_the_rest_is_still_to_come() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::text(TEXT));
    server.script("m", Fault::drip_ms(30));
    let (watcher, context) = watched();
    let model = model(endpoint(&server, EndpointKind::OpenAi), "m");
    let request = request("m");
    let call = model.call(&request, &context);
    tokio::pin!(call);
    let mut early = String::new();
    for _ in 0..200 {
        tokio::select! {
            reply = &mut call => panic!("whole before anything was shown: {reply:?}"),
            () = tokio::time::sleep(Duration::from_millis(5)) => early = watcher.text(),
        }
        if !early.is_empty() {
            break;
        }
    }
    assert!(!early.is_empty() && early.len() < TEXT.len() && TEXT.starts_with(&early), "{early:?}");
    assert_eq!(call.await.expect("whole").text, TEXT);
}

#[tokio::test]
async fn of_a_typed_reply_only_the_reasons_are_shown() {
    let server = ModelServer::start().await;
    let value = json!({ "reasons": TEXT, "choice": "K3" });
    let expected = value.to_string();
    server.reply("m", move |_| Say::json(&value));
    for (name, config) in all(&server) {
        let (watcher, context) = watched();
        let request = Request { schema: Some(ballot()), ..request("m") };
        let reply = model(config, "m").call(&request, &context).await.expect("answers");
        assert_eq!(reply.text, expected, "{name}");
        assert_eq!(watcher.text(), TEXT, "{name}");
    }
}

#[tokio::test]
async fn reasons_in_a_fenced_block_are_shown_too() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::text("Let me {think}.\n\n```json\n{\"reasons\": \"they weigh the same\", \"choice\": \"T9\"}\n```\n"));
    let config = EndpointConfig { schema: synod_config::SchemaMode::Prompt, ..endpoint(&server, EndpointKind::OpenAi) };
    let (watcher, context) = watched();
    let request = Request { schema: Some(ballot()), ..request("m") };
    model(config, "m").call(&request, &context).await.expect("answers");
    assert_eq!(watcher.text(), "they weigh the same");
}

#[tokio::test]
async fn conversations_and_tool_results_arrive_in_order() {
    let server = ModelServer::start().await;
    let calls = vec![
        ToolCall { id: "c1".to_owned(), name: "look".to_owned(), input: json!({ "path": "a" }) },
        ToolCall { id: "c2".to_owned(), name: "look".to_owned(), input: json!({ "path": "b" }) },
    ];
    let look = ToolDef {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        input: json!({ "type": "object", "properties": { "path": { "type": "string", "x-ids": "files" } } }),
    };
    let result = |id: &str, output: &str| Message::Tool { call_id: id.to_owned(), name: "look".to_owned(), output: output.to_owned() };
    let request = Request {
        messages: vec![
            Message::system("Rules."),
            Message::user("Look at both."),
            Message::Assistant { text: String::new(), tool_calls: calls, thinking: None },
            result("c1", "it is red"),
            result("c2", "it is blue"),
        ],
        tools: vec![look],
        ..request("m")
    };
    for (name, config) in all(&server) {
        let kind = config.kind;
        model(config, "m").call(&request, &context()).await.expect("answers");
        let ask = server.requests().last().expect("logged").clone();
        assert!(!ask.body.to_string().contains("x-ids"), "{name}: our own marks stay here");
        let roles: Vec<&str> = ask.messages.iter().map(|(role, _)| role.as_str()).collect();
        let want: &[&str] =
            if kind == EndpointKind::OpenAi { &["system", "user", "assistant", "tool", "tool"] } else { &["system", "user", "assistant", "tool"] };
        assert_eq!(roles, want, "{name}");
        let body = ask.body.to_string();
        assert!(body.find("it is red").expect("sent") < body.find("it is blue").expect("sent"), "{name}");
    }
}

#[tokio::test]
async fn tool_calls_come_back_with_their_input() {
    let server = ModelServer::start().await;
    server.reply("m", |_| {
        let mut say = Say::call("look", json!({ "path": "größe.txt", "depth": 2 }));
        say.calls.push(("look".to_owned(), json!({})));
        say.text = "I will look.".to_owned();
        say
    });
    let look = ToolDef { name: "look".to_owned(), description: "Looks.".to_owned(), input: json!({ "type": "object" }) };
    for (name, config) in all(&server) {
        let request = Request { tools: vec![look.clone()], ..request("m") };
        let reply = model(config, "m").call(&request, &context()).await.expect("answers");
        assert_eq!(reply.finish, Finish::ToolCalls, "{name}");
        assert_eq!(reply.text, "I will look.", "{name}");
        let inputs: Vec<_> = reply.tool_calls.iter().map(|call| (call.name.as_str(), call.input.clone())).collect();
        assert_eq!(inputs, [("look", json!({ "path": "größe.txt", "depth": 2 })), ("look", json!({}))], "{name}");
        assert_ne!(reply.tool_calls[0].id, reply.tool_calls[1].id, "{name}");
    }
}

#[tokio::test]
async fn what_the_provider_says_it_cost_is_kept() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say { cost: Some(0.00125), ..Say::text("Dear.") });
    for stream in [true, false] {
        let reply = call(EndpointConfig { stream, ..endpoint(&server, EndpointKind::OpenAi) }, "m").await.expect("answers");
        assert_eq!(reply.cost_usd, Some(0.00125), "stream {stream}");
    }
}

#[tokio::test]
async fn one_connection_serves_one_call_after_another() {
    let server = ModelServer::start().await;
    let registry = Arc::new(registry(endpoint(&server, EndpointKind::OpenAi)));
    for _ in 0..20 {
        open(&registry, "m").call(&request("m"), &context()).await.expect("answers");
    }
    assert_eq!(server.connections(), 1);
}
