//! Servers that almost speak OpenAI's format: what they send instead, byte for byte, and that nothing of it is lost or believed too soon.

use crate::common::*;
use serde_json::json;
use synod_config::EndpointKind;
use synod_types::{Failure, FailureKind, Finish, Reply, Usage};

async fn answered(stream: bool, content: &str, body: &str) -> (Result<Reply, Failure>, String) {
    answered_with(EndpointKind::OpenAi, stream, content, body).await
}

#[tokio::test]
async fn typed_parts_comments_and_foreign_line_ends_are_read_and_thoughts_are_not_said() {
    let body = ": PROCESSING\r\n\r\n\
        data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"hm\"}]}]}}]}\r\n\r\n\
        event: message\r\ndata: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"So \"},{\"type\":\"text\",\"text\":\"it\"}]}}]}\r\n\r\n\
        data:{\"choices\":[{\"delta\":{\"content\":\" is\\u00e4.\",\"reasoning_content\":\"hm\"},\"finish_reason\":null}],\"usage\":null}\r\n\r\n\
        data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\r\n\r\n\
        data: [DONE]";
    let (reply, shown) = answered(true, SSE, body).await;
    let reply = reply.expect("a reply");
    assert_eq!((reply.text.as_str(), shown.as_str(), reply.finish), ("So it isä.", "So it isä.", Finish::Stop));
    assert_eq!(reply.usage, Some(Usage { input: 7, output: 3, cached: 0, thinking: Some(1) }));
}

#[tokio::test]
async fn fields_of_unforeseen_types_do_not_lose_a_reply() {
    let body = "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":null,\"refusal\":false,\"tool_calls\":null},\"finish_reason\":\"\"}]}\n\n\
        data: {\"choices\":null}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"Yes.\",\"refusal\":{}},\"finish_reason\":\"eos\",\"logprobs\":[1]}],\"usage\":{\"prompt_tokens\":\"many\"}}\n\n\
        data: [DONE]\n\n";
    let reply = answered(true, SSE, body).await.0.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.finish, reply.usage), ("Yes.", Finish::Other, None));
}

#[tokio::test]
async fn a_stream_that_says_why_it_ends_needs_no_farewell_and_one_that_does_not_is_cut() {
    let words = "data: {\"choices\":[{\"delta\":{\"content\":\"Half or whole\"}}]}\n\n";
    let finish = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n";
    let reply = answered(true, SSE, &format!("{words}{finish}")).await.0.expect("whole");
    assert_eq!((reply.text.as_str(), reply.finish), ("Half or whole", Finish::Length));
    for cut in [words, "", "data: {\"choices\":[{\"del"] {
        let failure = answered(true, SSE, cut).await.0.expect_err("cut");
        assert_eq!(failure.kind, FailureKind::Server, "{cut}");
    }
}

#[tokio::test]
async fn a_whole_reply_to_a_request_for_a_stream_is_taken() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":"All at once."},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":1}}}"#;
    for stream in [true, false] {
        let (reply, shown) = answered(stream, "application/json", body).await;
        let reply = reply.expect("a reply");
        assert_eq!((reply.text.as_str(), shown.as_str()), ("All at once.", "All at once."), "stream {stream}");
        assert_eq!(reply.usage, Some(Usage { input: 2, output: 4, cached: 1, thinking: None }));
    }
}

#[tokio::test]
async fn an_error_under_a_good_status_is_an_error() {
    let body = r#"{"error":{"message":"Provider returned an error","code":502}}"#;
    for (stream, kind, body) in
        [(true, SSE, format!("data: {body}\n\n")), (true, "application/json", body.to_owned()), (false, "application/json", body.to_owned())]
    {
        let failure = answered(stream, kind, &body).await.0.expect_err("an error");
        assert_eq!(failure.kind, FailureKind::Server, "{body}");
        assert!(failure.detail.contains("Provider returned an error"), "{}", failure.detail);
    }
    let failure = answered(false, "application/json", r#"{"detail":"hello"}"#).await.0.expect_err("no reply");
    assert!(failure.detail.contains("no choices"), "{}", failure.detail);
}

#[tokio::test]
async fn tool_calls_come_whole_however_they_are_numbered() {
    let first = r#"{"id":"a","type":"function","function":{"name":"look","arguments":"{\"path\":"}}"#;
    let more = r#"{"function":{"arguments":"\"x\"}"}}"#;
    let second = r#"{"id":"b","function":{"name":"look","arguments":""}}"#;
    let third = r#"{"id":"c","function":{"name":"look","arguments":{"path":"y"}}}"#;
    let body: String =
        [first, more, second, third].iter().map(|call| format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\n")).collect();
    let reply =
        answered(true, SSE, &format!("{body}data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"tool_calls\"}}]}}\n\ndata: [DONE]\n\n"))
            .await
            .0
            .expect("a reply");
    let calls: Vec<_> = reply.tool_calls.iter().map(|call| (call.id.as_str(), call.input.clone())).collect();
    assert_eq!(calls, [("a", json!({ "path": "x" })), ("b", json!({})), ("c", json!({ "path": "y" }))]);
    assert_eq!(reply.finish, Finish::ToolCalls);
}

#[tokio::test]
async fn a_line_without_end_is_given_up() {
    let body = format!("data: {}", "x".repeat((1 << 20) * 16 + 10));
    let failure = answered(true, SSE, &body).await.0.expect_err("too much");
    assert!(failure.detail.contains("sent more than 16777216 bytes"), "{}", failure.detail);
}
