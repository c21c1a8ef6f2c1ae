//! The server seen from the outside, byte by byte: what clients of the real providers rely on.

use super::{Fault, ModelServer, Say};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends one request and returns status line and head, and the body as it came (chunk sizes included).
async fn post(server: &ModelServer, path: &str, body: &Value) -> (String, String) {
    let mut stream = TcpStream::connect(server.address()).await.expect("connects");
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-test: yes\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).await.expect("sends");
    let mut bytes = Vec::new();
    // A dirty cut ends in an error; what came before it is what matters.
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8(bytes).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a whole head");
    (head.to_owned(), body.to_owned())
}

fn chat(model: &str, stream: bool) -> Value {
    json!({ "model": model, "stream": stream, "stream_options": { "include_usage": true }, "messages": [{ "role": "user", "content": "Why?" }] })
}

#[tokio::test]
async fn openai_replies_whole_and_streamed_say_the_same() {
    let server = ModelServer::start().await;
    let (head, whole) = post(&server, "/v1/chat/completions", &chat("m", false)).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let whole: Value = serde_json::from_str(&whole).expect("JSON");
    let text = whole["choices"][0]["message"]["content"].as_str().expect("text");
    let (_, streamed) = post(&server, "/v1/chat/completions", &chat("m", true)).await;
    let mut joined = String::new();
    for frame in streamed.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|frame| *frame != "[DONE]") {
        let frame: Value = serde_json::from_str(frame).expect("a JSON frame");
        joined.push_str(frame.pointer("/choices/0/delta/content").and_then(Value::as_str).unwrap_or_default());
    }
    assert_eq!(joined, text);
    assert!(streamed.trim_end().ends_with("data: [DONE]"));
    assert!(streamed.contains("\"prompt_tokens\":1"));
    assert_eq!(server.total(), 2);
    assert_eq!(server.of_model("m"), 2);
    assert_eq!(server.requests()[1].headers["x-test"], "yes");
}

#[tokio::test]
async fn anthropic_and_gemini_streams_carry_their_end_markers() {
    let server = ModelServer::start().await;
    let body = json!({ "model": "c", "max_tokens": 9, "stream": true, "messages": [{ "role": "user", "content": "Why?" }] });
    let (_, stream) = post(&server, "/v1/messages", &body).await;
    assert!(stream.contains("event: message_start") && stream.contains("event: message_stop"), "{stream}");
    let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": "Why?" }] }], "generationConfig": { "maxOutputTokens": 9 } });
    let (_, stream) = post(&server, "/v1beta/models/g:streamGenerateContent?alt=sse", &body).await;
    assert!(stream.contains("\"finishReason\":\"STOP\""), "{stream}");
    assert_eq!(server.requests().iter().map(|ask| (ask.model.as_str(), ask.max_tokens)).collect::<Vec<_>>(), [("c", Some(9)), ("g", Some(9))]);
}

#[tokio::test]
async fn queued_faults_are_used_up_in_order_and_then_it_behaves() {
    let server = ModelServer::start().await;
    server.script_next("m", 1, Fault::rate_limited("3"));
    server.script_next("m", 1, Fault::server_error());
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let (head, _) = post(&server, "/v1/chat/completions", &chat("m", false)).await;
        statuses.push(head.split(' ').nth(1).expect("a status").to_owned());
        if statuses.len() == 1 {
            assert!(head.contains("retry-after: 3"), "{head}");
        }
    }
    assert_eq!(statuses, ["429", "500", "200"]);
}

#[tokio::test]
async fn cut_streams_end_without_the_marker() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::text("one two three four five six seven eight nine ten eleven twelve"));
    server.script_next("m", 1, Fault::CutClean);
    server.script_next("m", 1, Fault::CutDirty);
    for _ in 0..2 {
        let (_, stream) = post(&server, "/v1/chat/completions", &chat("m", true)).await;
        assert!(stream.contains("one two") && !stream.contains("[DONE]"), "{stream}");
    }
}

#[tokio::test]
async fn a_hanging_request_is_in_flight_until_its_client_leaves() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Hang);
    let body = chat("m", true);
    let waiting = tokio::time::timeout(Duration::from_millis(50), post(&server, "/v1/chat/completions", &body)).await;
    assert!(waiting.is_err(), "it must not answer");
    for _ in 0..100 {
        if server.in_flight() == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!((server.in_flight(), server.most_in_flight()), (0, 1));
}

#[tokio::test]
async fn a_schema_in_the_prompt_is_answered_with_prose_and_one_block() {
    let server = ModelServer::start().await;
    let schema = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer", "minimum": 4, "maximum": 4 } } });
    let prompt = format!("Answer.\n\nUse this schema:\n```json\n{schema}\n```\n");
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": prompt }] });
    let (_, reply) = post(&server, "/v1/chat/completions", &body).await;
    let reply: Value = serde_json::from_str(&reply).expect("JSON");
    let text = reply["choices"][0]["message"]["content"].as_str().expect("text");
    let block = text.split("```json").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    assert_eq!(serde_json::from_str::<Value>(block).expect("JSON"), json!({ "n": 4 }));
}

#[tokio::test]
async fn the_first_tool_is_called_once_and_then_the_question_is_answered() {
    let server = ModelServer::start().await;
    let tools = json!([{ "type": "function", "function": { "name": "look", "parameters": { "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] } } }]);
    let mut body = json!({ "model": "m", "tools": tools, "messages": [{ "role": "user", "content": "Look." }] });
    let (_, reply) = post(&server, "/v1/chat/completions", &body).await;
    let reply: Value = serde_json::from_str(&reply).expect("JSON");
    assert_eq!(reply["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(reply["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "look");
    body["messages"] = json!([{ "role": "user", "content": "Look." }, { "role": "tool", "tool_call_id": "call_1_0", "content": "seen" }]);
    let (_, reply) = post(&server, "/v1/chat/completions", &body).await;
    let reply: Value = serde_json::from_str(&reply).expect("JSON");
    assert!(reply["choices"][0]["message"]["content"].is_string(), "{reply}");
}
