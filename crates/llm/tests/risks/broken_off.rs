//! Replies that end badly after a good status: what a provider broke off is no reply, and what it has begun to say is paid for and not asked
//! for twice. Every answer is the very bytes of it, on a real socket.

use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use synod_config::{EndpointConfig, EndpointKind};
use synod_types::{Failure, FailureKind, Finish, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const SSE: &str = "text/event-stream";
const JSON: &str = "application/json";

/// Reads one request, by the length it gives.
async fn read_request(socket: &mut TcpStream) {
    let (mut asked, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let n = socket.read(&mut buffer).await.expect("reads");
        asked.extend_from_slice(&buffer[..n]);
        let text = String::from_utf8_lossy(&asked).to_ascii_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).and_then(|n| n.trim().parse::<usize>().ok());
        if body.len() >= length.expect("a length") {
            return;
        }
    }
}

/// Asks a server that gives these answers in turn, and the last one from then on; also says how often it was asked.
async fn asked(kind: EndpointKind, stream: bool, answers: &[String]) -> (Result<Reply, Failure>, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let (count, answers) = (Arc::new(AtomicUsize::new(0)), answers.to_vec());
    let counted = count.clone();
    let server = tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.expect("a caller");
            read_request(&mut socket).await;
            let number = counted.fetch_add(1, Ordering::SeqCst);
            let answer = answers.get(number).or(answers.last()).expect("an answer");
            socket.write_all(answer.as_bytes()).await.expect("writes");
        }
    });
    let config = EndpointConfig { stream, retries: 3, backoff_ms: 1, breaker_failures: 0, ..EndpointConfig::new(kind, url) };
    let reply = call(config, "m").await;
    server.abort();
    (reply, count.load(Ordering::SeqCst))
}

fn ok(kind: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
}

/// A stream of these frames.
fn frames(frames: &[&str]) -> String {
    ok(SSE, &frames.iter().map(|frame| format!("data: {frame}\n\n")).collect::<String>())
}

/// The same for Anthropic, which names its events as its frames do.
fn events(frames: &[&str]) -> String {
    let event = |frame: &&str| {
        let parsed: serde_json::Value = serde_json::from_str(frame).expect("JSON");
        format!("event: {}\ndata: {frame}\n\n", parsed["type"].as_str().expect("a type"))
    };
    ok(SSE, &frames.iter().map(event).collect::<String>())
}

/// A reply of three words that ends for this reason, on every wire, streamed and whole.
fn ended(reason: &str) -> Vec<(EndpointKind, bool, String)> {
    let text = r#"{"choices":[{"delta":{"content":"Three small words"}}]}"#;
    let openai = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
    let openai_whole = format!(r#"{{"choices":[{{"message":{{"content":"Three small words"}},"finish_reason":"{reason}"}}]}}"#);
    let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Three small words"}}"#;
    let end = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":3}}}}"#);
    let anthropic_whole = format!(
        r#"{{"model":"m","content":[{{"type":"text","text":"Three small words"}}],"stop_reason":"{reason}","usage":{{"input_tokens":1,"output_tokens":3}}}}"#
    );
    let gemini = format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"Three small words"}}]}},"finishReason":"{reason}"}}]}}"#);
    vec![
        (EndpointKind::OpenAi, true, frames(&[text, &openai, "[DONE]"])),
        (EndpointKind::OpenAi, true, frames(&[text, &openai])),
        (EndpointKind::OpenAi, false, ok(JSON, &openai_whole)),
        (EndpointKind::Anthropic, true, events(&[start, delta, &end, r#"{"type":"message_stop"}"#])),
        (EndpointKind::Anthropic, false, ok(JSON, &anthropic_whole)),
        (EndpointKind::Gemini, true, frames(&[&gemini])),
        (EndpointKind::Gemini, false, ok(JSON, &gemini)),
    ]
}

#[tokio::test]
async fn a_reply_the_provider_broke_off_is_no_reply() {
    for reason in ["error", "abort", "insufficient_system_resource", "cancelled"] {
        for (kind, stream, answer) in ended(reason) {
            let (reply, count) = asked(kind, stream, &[answer]).await;
            let failure = reply.expect_err("half a reply");
            assert_eq!((failure.kind, count), (FailureKind::Server, 1), "{kind:?}, stream {stream}: {failure}");
            assert!(failure.detail.contains(&format!("broke off: {reason}")), "{kind:?}, stream {stream}: {}", failure.detail);
        }
    }
}

#[tokio::test]
async fn a_reason_nobody_knows_does_not_lose_the_reply() {
    for (kind, stream, answer) in ended("eos_token") {
        let reply = asked(kind, stream, &[answer]).await.0.unwrap_or_else(|failure| panic!("{kind:?}, stream {stream}: {failure}"));
        assert_eq!((reply.text.as_str(), reply.finish), ("Three small words", Finish::Other), "{kind:?}, stream {stream}");
    }
}

/// Each one way to begin an answer.
const BEGINNINGS: &[&str] = &[
    r#"{"choices":[{"delta":{"content":"Some words"}}]}"#,
    r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}]}"#,
    r#"{"choices":[{"delta":{"content":"","reasoning_content":"hm"}}]}"#,
    r#"{"choices":[{"delta":{"content":"","reasoning":"hm"}}]}"#,
    r#"{"choices":[{"delta":{"content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}}]}"#,
    r#"{"choices":[{"delta":{"content":null,"refusal":"I would rather"}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":""}}]}}]}"#,
];

const ERRORS: &[&str] = &[
    r#"{"error":{"message":"Rate limit reached","type":"rate_limit_error"}}"#,
    r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#,
    r#"{"error":{"message":"Slow down","code":429}}"#,
    r#"{"error":{"message":"Bad key","code":401}}"#,
    r#"{"error":{"message":"temperature is not supported","code":400}}"#,
];

#[tokio::test]
async fn an_error_after_any_output_is_paid_for_and_not_tried_again() {
    for begun in BEGINNINGS {
        for error in ERRORS {
            let (reply, count) = asked(EndpointKind::OpenAi, true, &[frames(&[begun, error])]).await;
            let failure = reply.expect_err("an error");
            assert_eq!((failure.kind, count), (FailureKind::Server, 1), "{begun} {error}: {failure}");
            assert!(!failure.kind.turned_away());
        }
    }
    // Words and error at once are no different, nor is it when nobody asked for a stream.
    let both = r#"{"error":{"message":"Slow down","code":429},"choices":[{"message":{"content":"Some words"},"finish_reason":"error"}]}"#;
    for (stream, answer) in [(true, frames(&[both])), (true, ok(JSON, both)), (false, ok(JSON, both))] {
        let (reply, count) = asked(EndpointKind::OpenAi, stream, &[answer]).await;
        assert_eq!((reply.expect_err("an error").kind, count), (FailureKind::Server, 1), "stream {stream}");
    }
}

#[tokio::test]
async fn an_error_after_thoughts_or_tool_calls_is_paid_for_on_the_other_wires_too() {
    let text = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let said = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Some words"}}"#;
    let thinking = r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#;
    let thought = r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#;
    let tool = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"look","input":{}}}"#;
    let error = r#"{"type":"error","error":{"type":"rate_limit_error","message":"This would exceed your rate limit"}}"#;
    for begun in [vec![text, said], vec![thinking, thought], vec![tool]] {
        let (reply, count) = asked(EndpointKind::Anthropic, true, &[events(&[begun.as_slice(), &[error]].concat())]).await;
        let failure = reply.expect_err("an error");
        assert_eq!((failure.kind, count), (FailureKind::Server, 1), "{begun:?}: {failure}");
    }
    let error = r#"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}"#;
    for part in [r#"{"text":"Some words"}"#, r#"{"text":"hm","thought":true}"#, r#"{"functionCall":{"name":"look","args":{}}}"#] {
        let begun = format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#);
        let (reply, count) = asked(EndpointKind::Gemini, true, &[frames(&[&begun, error])]).await;
        let failure = reply.expect_err("an error");
        assert_eq!((failure.kind, count), (FailureKind::Server, 1), "{part}: {failure}");
    }
}

/// A status that came inside a body, as often and as finally as the status itself.
#[tokio::test]
async fn a_status_inside_a_good_body_is_taken_as_that_status() {
    let cases = [
        (502, "Provider returned an error", FailureKind::Server, 4),
        (503, "No provider is free", FailureKind::Server, 4),
        (429, "Slow down", FailureKind::RateLimited, 4),
        (429, "insufficient_quota", FailureKind::RateLimited, 1),
        (401, "No such user", FailureKind::Auth, 1),
        (402, "Out of credits", FailureKind::Auth, 1),
        (404, "No endpoints found", FailureKind::ModelGone, 1),
        (400, "This is beyond the maximum context length", FailureKind::ContextTooLong, 1),
        (400, "A field is wrong", FailureKind::Server, 1),
        (408, "Too slow", FailureKind::Timeout, 1),
    ];
    for (code, message, kind, tries) in cases {
        // The role alone is no output.
        let role = r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#;
        let body = format!(r#"{{"error":{{"message":"{message}","code":{code}}}}}"#);
        for (stream, answer) in [(true, frames(&[role, &body])), (true, ok(JSON, &body)), (false, ok(JSON, &body))] {
            let (reply, count) = asked(EndpointKind::OpenAi, stream, &[answer]).await;
            let failure = reply.expect_err("an error");
            assert_eq!((failure.kind, count), (kind, tries), "{code} {message}, stream {stream}: {failure}");
            assert!(failure.detail.contains(message), "{}", failure.detail);
        }
    }
    let whole = r#"{"choices":[{"message":{"content":"Here."},"finish_reason":"stop"}]}"#;
    let answers = [ok(JSON, r#"{"error":{"message":"Provider returned an error","code":502}}"#), ok(JSON, whole)];
    let (reply, count) = asked(EndpointKind::OpenAi, false, &answers).await;
    assert_eq!((reply.expect("the second try answers").text.as_str(), count), ("Here.", 2));
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_however_it_is_spelled() {
    for words in ["Rate limit exceeded", "rate_limit_exceeded"] {
        let (reply, count) = asked(EndpointKind::OpenAi, true, &[frames(&[&format!(r#"{{"error":{{"message":"{words}"}}}}"#)])]).await;
        assert_eq!((reply.expect_err("limited").kind, count), (FailureKind::RateLimited, 4), "{words}");
    }
}
