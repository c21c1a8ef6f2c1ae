//! Recordings: what was asked is compared, not trusted; what was said comes back without the endpoint.

use crate::common::*;
use std::path::Path;
use synod_engine::{CallContext, Models};
use synod_llm::{Config, EndpointConfig, EndpointKind, Registry};
use synod_testkit::server::{Fault, ModelServer, Say};
use synod_types::{FailureKind, Message, Request};

fn tape(path: &Path, record: Option<(&ModelServer, &str)>) -> Registry {
    let mut config = Config::default();
    if let Some((server, name)) = record {
        config.endpoints.insert(name.to_owned(), EndpointConfig { retries: 0, ..endpoint(server, EndpointKind::OpenAi) });
    }
    let cassette = EndpointConfig {
        path: Some(path.to_path_buf()),
        record: record.map(|(_, name)| name.to_owned()),
        ..EndpointConfig::new(EndpointKind::Cassette, "")
    };
    config.endpoints.insert("it".to_owned(), cassette);
    Registry::with_env(config, env(&[("TEST_KEY", KEY)]))
}

#[tokio::test]
async fn a_recording_plays_back_without_its_endpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    // The same question gets another answer each time.
    server.reply("m", |ask| Say::text(format!("answer {}", ask.number)));
    server.script("bad", Fault::Unauthorized);
    let recorded = {
        let registry = tape(&path, Some((&server, "real")));
        let (first, second) =
            (open(&registry, "m").call(&request("m"), &context()).await, open(&registry, "m").call(&request("m"), &context()).await);
        [first, second, open(&registry, "bad").call(&request("bad"), &context()).await]
    };
    assert_ne!(recorded[0], recorded[1]);
    server.stop().await;

    for run in ["first run", "second run"] {
        let registry = tape(&path, None);
        let context = CallContext { run: run.to_owned(), ..context() };
        let (first, second) = (open(&registry, "m").call(&request("m"), &context).await, open(&registry, "m").call(&request("m"), &context).await);
        assert_eq!([first, second, open(&registry, "bad").call(&request("bad"), &context).await], recorded, "{run}");
    }
}

#[tokio::test]
async fn a_changed_request_fails_and_says_what_differs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    open(&tape(&path, Some((&server, "real"))), "m").call(&request("m"), &context()).await.expect("answers");

    let registry = tape(&path, None);
    let mut reworded = request("m");
    reworded.messages[1] = Message::user("Which is lighter?");
    let cases = [
        (reworded, "messages[1] from character 9", "Which is heavier?"),
        (Request { max_tokens: 99, ..request("m") }, "max_tokens: recorded 321, now 99", ""),
        (Request { temperature: None, ..request("m") }, "temperature", "Some(0.5)"),
        (Request { schema: Some(ballot()), ..request("m") }, "schema", ""),
        (request("n"), "model: recorded \"m\", now \"n\"", ""),
    ];
    for (request, says, also) in cases {
        let failure = open(&registry, "m").call(&request, &context()).await.expect_err("not on the tape");
        assert_eq!(failure.kind, FailureKind::Server);
        assert!(failure.detail.contains(says) && failure.detail.contains(also), "{}", failure.detail);
    }
}

#[tokio::test]
async fn the_nth_time_must_have_been_recorded_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    open(&tape(&path, Some((&server, "real"))), "m").call(&request("m"), &context()).await.expect("answers");
    let registry = tape(&path, None);
    open(&registry, "m").call(&request("m"), &context()).await.expect("recorded once");
    let failure = open(&registry, "m").call(&request("m"), &context()).await.expect_err("and only once");
    assert!(failure.detail.contains("recorded 1 times"), "{}", failure.detail);
}

#[tokio::test]
async fn keys_stay_off_the_tape() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::text(format!("Your key is {KEY}, and mine is sk-abcdefghijklmnopqrst")));
    let registry = tape(&path, Some((&server, "real")));
    open(&registry, "m").call(&request("m"), &context()).await.expect("answers");
    let written = std::fs::read_to_string(&path).expect("a file");
    assert!(written.contains("Your key is [key]"), "{written}");
    assert!(!written.contains(KEY) && !written.contains("sk-abc"), "{written}");
    assert_eq!(written.lines().count(), 1);
}

#[tokio::test]
async fn a_played_reply_is_shown_like_a_live_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    let typed = Request { schema: Some(ballot()), ..request("m") };
    let live = open(&tape(&path, Some((&server, "real"))), "m").call(&typed, &context()).await.expect("answers");
    let (watcher, context) = watched();
    let played = open(&tape(&path, None), "m").call(&typed, &context).await.expect("plays");
    assert_eq!(played, live);
    let value: serde_json::Value = serde_json::from_str(&live.text).expect("JSON");
    assert_eq!(watcher.text(), value["reasons"].as_str().expect("reasons"));
}

#[tokio::test]
async fn a_missing_recording_is_a_problem_before_any_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let registry = tape(&folder.path().join("none.jsonl"), None);
    let card = registry.resolve("seats", "it/m").expect("resolves");
    let problem = registry.open(&card).err().expect("nothing to play");
    assert_eq!(problem.field, "endpoints.it.path");
    assert!(problem.got.contains("none.jsonl"), "{problem}");
}
