//! Keys that an endpoint says back, however it writes them: nowhere in what is shown, watched or kept.

use super::raw_server::{RawServer, body, open_end};
use crate::house::{House, SECRET};
use crate::server::serving::Serving;
use base64::Engine;
use serde_json::json;
use std::io::Write;
use std::time::Duration;

fn disguises() -> Vec<String> {
    vec![
        SECRET.to_owned(),
        format!("prefix{SECRET}suffix"),
        SECRET.replace('/', "%2F").replace('+', "%2b"),
        SECRET.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect(),
        SECRET.replace('/', "\\/"),
        base64::engine::general_purpose::STANDARD.encode(SECRET),
        base64::engine::general_purpose::URL_SAFE.encode(format!("Bearer {SECRET}")),
        SECRET.bytes().map(|byte| format!("{byte:02x}")).collect(),
    ]
}

/// An endpoint that says its key back, in an error or in a reply, a few characters at a time where it streams.
fn telltale(error: bool, stream: bool) -> (RawServer, House) {
    let server = RawServer::start(move |_, out| {
        let text = format!("Your key is {}.", disguises().join(" or "));
        if error {
            let told = json!({"error": {"message": text}}).to_string();
            return write!(
                out,
                "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{told}",
                told.len()
            );
        }
        if stream {
            out.write_all(open_end("200 OK", "text/event-stream").as_bytes())?;
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(3) {
                let piece: String = piece.iter().collect();
                write!(out, "data: {}\n\n", json!({"choices": [{"delta": {"content": piece}}]}))?;
                std::thread::sleep(Duration::from_millis(4));
            }
            return write!(out, "data: {}\n\ndata: [DONE]\n\n", json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}));
        }
        let reply = json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]});
        out.write_all(&body("application/json", &reply.to_string()))
    });
    let house = House::bare();
    house.write("config/synod/synod.toml", &server.config("openai", stream).replace("stream =", "key_env = \"SECRET\"\nstream ="));
    (server, house)
}

#[track_caller]
fn has_none(place: &str, text: &str) {
    for disguise in disguises() {
        assert!(!text.contains(disguise.trim_end_matches('=')), "{place} has {disguise}");
    }
}

#[test]
fn a_key_that_is_said_back_is_in_no_journal_and_on_no_screen() {
    for (error, stream) in [(false, false), (false, true), (true, false), (true, true)] {
        let (server, house) = telltale(error, stream);
        let did = house.synod(&["ask", "--mode", "vote", "--models", "m,m,m", "--yes", "Tea?"]);
        assert!(server.calls() > 0, "{}", did.err);
        let shown = house.synod(&["show", "last"]).out
            + &house.synod(&["watch", "last", "--json"]).out
            + &house.synod(&["export", "last", "--format", "html"]).out;
        house.sql("PRAGMA wal_checkpoint(TRUNCATE)");
        let kept = String::from_utf8_lossy(&std::fs::read(house.db()).expect("the database")).into_owned();
        for (place, text) in [("the terminal", &(did.out.clone() + &did.err)), ("what is shown", &shown), ("the database", &kept)] {
            has_none(&format!("error: {error}, streamed: {stream}: {place}"), text);
        }
        assert!(kept.contains("[key]"), "error: {error}, streamed: {stream}: it was not even there: {}", did.err);
    }
}

#[test]
fn whoever_watches_a_server_hears_no_key_while_it_is_said() {
    let (server, house) = telltale(false, true);
    let serving = Serving::start(house, &[]);
    let run = serving.begin(&json!({"question": "Tea?", "mode": "vote", "models": ["m", "m", "m"], "seed": 7}));
    let events = serving.events(&run, 0);
    let mut said: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for event in events.iter().filter(|event| event.kind == "turn_delta") {
        let (turn, text) = (event.data["data"]["key"].to_string(), event.data["data"]["text"].as_str().expect("words"));
        said.entry(turn).or_default().push_str(text);
    }
    assert!(server.calls() > 0 && !said.is_empty(), "nobody said anything");
    for (turn, text) in &said {
        assert!(text.contains("Your key is") && text.contains("[key]"), "{turn}: {text}");
        has_none(turn, text);
    }
}
