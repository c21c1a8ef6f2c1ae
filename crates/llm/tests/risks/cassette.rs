//! Recordings: what was asked is compared, not trusted; what was said comes back without the endpoint.

use crate::common::*;
use futures::FutureExt;
use std::path::Path;
use synod_config::{Config, EndpointConfig, EndpointKind};
use synod_engine::{CallContext, Models};
use synod_llm::Registry;
use synod_testkit::server::{Fault, ModelServer, Say};
use synod_types::{FailureKind, Message, Reply, Request};

fn tape(path: &Path, record: Option<(&ModelServer, &str)>) -> Registry {
    tape_with_key(path, record, KEY)
}

fn tape_with_key(path: &Path, record: Option<(&ModelServer, &str)>, key: &str) -> Registry {
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
    Registry::with_env(config, env(&[("TEST_KEY", key)]))
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

/// Asks, then asks about the answer, as the stages of a council do.
async fn two_stages(registry: &Registry) -> [Reply; 2] {
    let first = open(registry, "m").call(&request("m"), &context()).await.expect("answers");
    let mut about = request("m");
    about.messages.push(Message::user(format!("Review this: {}", first.text)));
    let second = open(registry, "m").call(&about, &context()).await.unwrap_or_else(|failure| panic!("{}", failure.detail));
    [first, second]
}

#[tokio::test]
async fn ordinary_words_are_recorded_as_they_were_said() {
    let said = "Use risk-prioritization and task-decomposition-first; Bearer authentication; ollamas run on ollama.";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    server.reply("m", move |_| Say::text(said));
    let recorded = two_stages(&tape_with_key(&path, Some((&server, "real")), "ollama")).await;
    assert_eq!(recorded[0].text, said);
    server.stop().await;
    assert_eq!(two_stages(&tape(&path, None)).await, recorded);
}

#[tokio::test]
async fn a_council_that_was_told_a_key_plays_back_too() {
    for (key, said) in [
        (KEY, format!("Your key is {KEY}\nsk-abcdefghijklmnopqrst")),
        ("assistant", "The assistant speaks".to_owned()),
        ("messages", "Two messages".to_owned()),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies.jsonl");
        let server = ModelServer::start().await;
        let answer = said.clone();
        server.reply("m", move |_| Say::text(answer.clone()));
        let recorded = two_stages(&tape_with_key(&path, Some((&server, "real")), key)).await;
        let written = std::fs::read_to_string(&path).expect("a file");
        assert!(written.contains("[key]") && !written.contains(&said) && !written.contains("sk-abc"), "{written}");
        server.stop().await;
        assert_eq!(two_stages(&tape(&path, None)).await, recorded);
    }
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

#[tokio::test]
async fn planning_leaves_the_file_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    let model = open(&tape(&path, Some((&server, "real"))), "m");
    assert!(!path.exists(), "opened only when there is something to record");
    drop(model);
    std::fs::write(&path, "mine\n").expect("writes");
    drop(open(&tape(&path, Some((&server, "real"))), "m"));
    assert_eq!(std::fs::read_to_string(&path).expect("reads"), "mine\n");
}

#[tokio::test]
async fn recording_again_adds_and_the_newer_reply_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    server.reply("m", |ask| Say::text(format!("answer {}", ask.number)));
    let old = open(&tape(&path, Some((&server, "real"))), "m").call(&request("m"), &context()).await.expect("answers");
    let kept = open(&tape(&path, Some((&server, "real"))), "kept").call(&request("kept"), &context()).await.expect("answers");
    // A person has been at it, and left no end of line.
    let written = std::fs::read_to_string(&path).expect("reads");
    std::fs::write(&path, written.trim_end()).expect("writes");
    let new = open(&tape(&path, Some((&server, "real"))), "m").call(&request("m"), &context()).await.expect("answers");
    assert_ne!(old, new);
    assert_eq!(std::fs::read_to_string(&path).expect("reads").lines().count(), 3, "nothing recorded is lost");
    let registry = tape(&path, None);
    assert_eq!(open(&registry, "m").call(&request("m"), &context()).await, Ok(new));
    assert_eq!(open(&registry, "kept").call(&request("kept"), &context()).await, Ok(kept));
}

#[tokio::test]
async fn what_is_no_recording_is_never_written_to_and_nothing_is_paid() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "my notes").expect("writes");
    let server = ModelServer::start().await;
    let model = open(&tape(&path, Some((&server, "real"))), "m");
    for _ in 0..2 {
        let failure = model.call(&request("m"), &context()).await.expect_err("not a tape");
        assert_eq!(failure.kind, FailureKind::Server);
        assert!(failure.detail.contains("notes.txt") && failure.detail.contains("line 1"), "{}", failure.detail);
        assert!(failure.detail.contains("endpoints.it.path"), "what to do next: {}", failure.detail);
    }
    assert_eq!(std::fs::read_to_string(&path).expect("reads"), "my notes");
    assert_eq!(server.total(), 0);
    // Mended, it records.
    std::fs::write(&path, "").expect("writes");
    model.call(&request("m"), &context()).await.expect("an empty file is an empty recording");
}

#[tokio::test]
async fn a_place_that_cannot_hold_a_recording_is_a_problem_before_any_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ModelServer::start().await;
    for path in [folder.path().join("nowhere/replies.jsonl"), folder.path().to_path_buf()] {
        let registry = tape(&path, Some((&server, "real")));
        let card = registry.resolve("seats", "it/m").expect("resolves");
        let problem = registry.open(&card).err().expect("nothing can be recorded there");
        assert_eq!(problem.field, "endpoints.it.path");
        let registry = tape(&path, None);
        assert!(registry.open(&card).is_err(), "nor played");
    }
}

#[tokio::test]
async fn a_recording_takes_its_place_at_the_endpoint_it_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("replies.jsonl");
    let server = ModelServer::start().await;
    let mut config = Config::default();
    config.endpoints.insert("real".to_owned(), EndpointConfig { concurrency: 1, ..endpoint(&server, EndpointKind::OpenAi) });
    let recording = EndpointConfig { path: Some(path.clone()), record: Some("real".to_owned()), ..EndpointConfig::new(EndpointKind::Cassette, "") };
    config.endpoints.insert("it".to_owned(), recording);
    let registry = Registry::with_env(config, env(&[("TEST_KEY", KEY)]));
    let (first, second) = (open(&registry, "m"), open(&registry, "n"));
    let place = first.slot().await;
    assert!(second.slot().now_or_never().is_none(), "the endpoint has one place");
    drop(place);
    turn(&*second, &request("n"), &context()).await.expect("answers");
    // On playback nobody waits for anybody.
    let registry = tape(&path, None);
    let (first, second) = (open(&registry, "n"), open(&registry, "n"));
    let _place = first.slot().await;
    second.slot().now_or_never().expect("no limit");
}
