//! Keys that an endpoint says back, however it writes them: nowhere in what is shown or kept.

use super::raw_server::{RawServer, body};
use crate::house::{Did, House};
use base64::Engine;
use serde_json::json;
use std::io::Write;

const KEY: &str = "sk-test/4f+9Zq7-hunter2";

#[test]
fn a_key_that_is_said_back_is_in_no_journal_and_on_no_screen() {
    let disguises: Vec<String> = vec![
        KEY.to_owned(),
        format!("prefix{KEY}suffix"),
        KEY.replace('/', "%2F").replace('+', "%2b"),
        KEY.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect(),
        KEY.replace('/', "\\/"),
        base64::engine::general_purpose::STANDARD.encode(KEY),
        base64::engine::general_purpose::URL_SAFE.encode(format!("Bearer {KEY}")),
        KEY.bytes().map(|byte| format!("{byte:02x}")).collect(),
    ];
    for error in [false, true] {
        for stream in [false, true] {
            let said = disguises.clone();
            let server = RawServer::start(move |_, out| {
                let text = format!("Your key is {}.", said.join(" or "));
                if error {
                    let told = json!({"error": {"message": text}}).to_string();
                    return write!(
                        out,
                        "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{told}",
                        told.len()
                    );
                }
                if stream {
                    // A few characters at a time.
                    let chars: Vec<char> = text.chars().collect();
                    let mut events: String = chars
                        .chunks(3)
                        .map(|piece| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": piece.iter().collect::<String>()}}]})))
                        .collect();
                    events.push_str("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
                    return out.write_all(&body("text/event-stream", &events));
                }
                let reply = json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]});
                out.write_all(&body("application/json", &reply.to_string()))
            });
            let house = House::bare();
            house.write("config/synod/synod.toml", &server.config("openai", stream).replace("stream =", "key_env = \"SECRET\"\nstream ="));
            let did = Did::run(house.command(&["ask", "--mode", "vote", "--models", "m,m,m", "--yes", "Tea?"]).env("SECRET", KEY));
            assert!(server.calls() > 0, "{}", did.err);
            let shown = house.synod(&["show", "last"]).out
                + &house.synod(&["watch", "last", "--json"]).out
                + &house.synod(&["export", "last", "--format", "html"]).out;
            house.sql("PRAGMA wal_checkpoint(TRUNCATE)");
            let kept = String::from_utf8_lossy(&std::fs::read(house.db()).expect("the database")).into_owned();
            for disguise in &disguises {
                let bare = disguise.trim_end_matches('=');
                for (place, text) in [("the terminal", &(did.out.clone() + &did.err)), ("what is shown", &shown), ("the database", &kept)] {
                    assert!(!text.contains(bare), "error: {error}, streamed: {stream}: {place} has {disguise}");
                }
            }
            assert!(kept.contains("[key]"), "error: {error}, streamed: {stream}: it was not even there: {}", did.err);
        }
    }
}
