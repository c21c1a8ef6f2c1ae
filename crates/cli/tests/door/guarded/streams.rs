//! Streams without end, without a finish, or in odd lines: a failed turn at worst, and memory is ours.

use super::raw_server::{RawServer, body, for_ever, open_end};
use crate::house::{Did, House};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Command;

const KINDS: [&str; 3] = ["openai", "anthropic", "gemini"];

/// What never ends in each wire format: a name, whether it is streamed, the head and what is repeated.
fn endless(kind: &str) -> Vec<(&'static str, bool, String, String)> {
    let events = || open_end("200 OK", "text/event-stream");
    let whole = || open_end("200 OK", "application/json");
    let word = "x".repeat(2000);
    let event = |value: Value| format!("data: {value}\n\n");
    let (refusal, call, text) = match kind {
        "openai" => (
            event(json!({"choices": [{"delta": {"refusal": word}}]})),
            event(json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": word}}]}}]})),
            event(json!({"choices": [{"delta": {"content": word}}]})),
        ),
        "anthropic" => (
            event(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "redacted_thinking", "data": word}})),
            event(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": word}})),
            event(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}})),
        ),
        _ => (
            event(json!({"promptFeedback": {"blockReason": word}})),
            event(json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": word}}}]}}]})),
            event(json!({"candidates": [{"content": {"parts": [{"text": word}]}}]})),
        ),
    };
    vec![
        ("refusals", true, events(), refusal),
        ("calls", true, events(), call),
        ("words", true, events(), text),
        ("one event", true, format!("{}data: \"", events()), word.clone()),
        ("comments", true, events(), format!(": {word}\n\n")),
        ("a body", false, format!("{}{{\"choices\":\"", whole()), word.clone()),
        ("a list", false, format!("{}[", whole()), "[],".repeat(700)),
        ("an error", false, open_end("500 Oops", "application/json"), word.clone()),
        ("a refused key", true, open_end("401 No", "text/plain"), word.clone()),
        ("a header", false, "HTTP/1.1 200 OK\r\nx: ".to_owned(), word),
    ]
}

#[test]
fn what_never_ends_is_a_failed_turn_in_a_gibibyte() {
    for kind in KINDS {
        for (name, stream, head, piece) in endless(kind) {
            let server = RawServer::start(move |_, out| {
                out.write_all(head.as_bytes())?;
                for_ever(out, &piece)
            });
            let house = House::bare();
            house.write("config/synod/synod.toml", &server.config(kind, stream).replace("stream =", "key_env = \"K\"\nstream ="));
            let plain = house.command(&["ask", "--mode", "vote", "--models", "m,m,m", "--yes", "--json", "-q", "Tea?"]);
            let words: Vec<String> = plain.get_args().map(|arg| format!("'{}'", arg.to_str().expect("text"))).collect();
            let mut command = Command::new("bash");
            command
                .args(["-c", &format!("ulimit -v 1048576; exec {} {}", env!("CARGO_BIN_EXE_synod"), words.join(" "))])
                .current_dir(house.path("work"));
            command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("K", "a-key-of-some-length-1");
            let did = Did::run(&mut command);
            assert_eq!(did.code, 3, "{kind}, {name}: {}\n{}", did.out, did.err);
            let verdict = did.json();
            assert!(
                verdict["status"] != "full" && verdict["missing"].as_array().is_some_and(|missing| missing.len() >= 3),
                "{kind}, {name}: {verdict}"
            );
        }
    }
}

/// An OpenAI stream of these lines, ended as it is.
fn streamed(lines: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> Did {
    let server = RawServer::start(move |_, out| {
        let lines = lines();
        out.write_all(open_end("200 OK", "text/event-stream").as_bytes())?;
        // In pieces, so that characters and line ends are cut in two.
        for piece in lines.chunks(7) {
            out.write_all(piece)?;
            out.flush()?;
        }
        Ok(())
    });
    let house = House::bare();
    house.write("config/synod/synod.toml", &server.config("openai", true));
    house.synod(&["ask", "--models", "m,m,m", "--chair", "m", "--yes", "--json", "-q", "Tea?"])
}

fn said(text: &str, end: &str) -> String {
    format!("data: {}{end}{end}", json!({"choices": [{"delta": {"content": text}}]}))
}

#[test]
fn a_stream_without_a_finish_is_broken_off() {
    for ending in ["", "data: [DONE]\n\n", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n"] {
        let server = RawServer::start(move |_, out| out.write_all(&body("text/event-stream", &(said("Half an ans", "\n") + ending))));
        let house = House::bare();
        house.write("config/synod/synod.toml", &server.config("openai", true));
        let did = house.synod(&["ask", "--mode", "vote", "--models", "m,m,m", "--yes", "--json", "-q", "Tea?"]).exits(3);
        assert!(did.out.contains("the stream ended before the reply did"), "{ending:?}: {}", did.out);
    }
}

#[test]
fn marks_and_line_ends_are_read_as_the_standard_says() {
    let text = "Grüße: 你好 🫖";
    for end in ["\n", "\r\n", "\r"] {
        for mark in [&b"\xef\xbb\xbf"[..], b""] {
            let did = streamed(move || {
                let finish = format!("data: {}{end}{end}", json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}));
                [mark, said(text, end).as_bytes(), finish.as_bytes(), format!("data: [DONE]{end}{end}").as_bytes()].concat()
            });
            assert_eq!(did.json()["answer"]["text"], text, "{end:?}: {}", did.out);
        }
    }
}
