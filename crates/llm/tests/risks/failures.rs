//! Every way a provider can fail, from the real socket to the typed failure a run decides by.

use crate::common::*;
use serde_json::json;
use std::time::{Duration, Instant};
use synod_config::{EndpointConfig, EndpointKind};
use synod_engine::{CallContext, Models};
use synod_llm::Cure;
use synod_testkit::server::{End, Fault, ModelServer, Say, Settings};
use synod_types::{FailureKind, Finish};

fn once(config: EndpointConfig) -> EndpointConfig {
    EndpointConfig { retries: 0, ..config }
}

#[tokio::test]
async fn statuses_become_typed_failures_on_every_wire() {
    let cases = [
        (Fault::Unauthorized, FailureKind::Auth, "TEST_KEY"),
        (Fault::Status(403, "Your account may not use this".to_owned()), FailureKind::Auth, "403"),
        (Fault::ModelGone, FailureKind::ModelGone, "the doctor lists"),
        (Fault::ContextTooLong, FailureKind::ContextTooLong, "less to read"),
        (Fault::Status(413, "too big".to_owned()), FailureKind::ContextTooLong, "413"),
        (Fault::RateLimited { retry_after: None }, FailureKind::RateLimited, "429"),
        (Fault::server_error(), FailureKind::Server, "500"),
        (Fault::Status(529, "Overloaded".to_owned()), FailureKind::Server, "Overloaded"),
        (Fault::Status(400, "the field foo is wrong".to_owned()), FailureKind::Server, "the field foo is wrong"),
        (Fault::Status(307, String::new()), FailureKind::Server, "307"),
    ];
    for (fault, kind, says) in cases {
        let server = ModelServer::start().await;
        server.script("m", fault.clone());
        for (name, config) in all(&server) {
            let failure = call(once(config), "m").await.expect_err("it fails");
            assert_eq!(failure.kind, kind, "{name}, {fault:?}: {failure}");
            assert!(failure.detail.contains("endpoint `it`") && failure.detail.contains(says), "{name}, {fault:?}: {}", failure.detail);
        }
    }
}

#[tokio::test]
async fn broken_replies_are_the_servers_fault() {
    for fault in [Fault::CutClean, Fault::CutDirty, Fault::NotTheApi] {
        let server = ModelServer::start().await;
        server.script("m", fault.clone());
        for (name, config) in all(&server) {
            let failure = call(config, "m").await.expect_err("it fails");
            assert_eq!(failure.kind, FailureKind::Server, "{name}, {fault:?}: {failure}");
        }
        assert_eq!(server.total(), 6, "{fault:?}: none of them is tried again");
    }
}

#[tokio::test]
async fn an_error_event_after_words_have_come_is_not_retried() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::text("Some words that do arrive before everything goes wrong here."));
    server.script("m", Fault::ErrorMidStream("Overloaded, try later".to_owned()));
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        let failure = call(endpoint(&server, kind), "m").await.expect_err("it fails");
        assert_eq!(failure.kind, FailureKind::Server, "{kind:?}: {failure}");
        assert!(failure.detail.contains("Overloaded, try later"), "{kind:?}: {}", failure.detail);
    }
    assert_eq!(server.total(), 3);
}

#[tokio::test]
async fn a_reply_with_nothing_in_it_is_a_reply_with_its_cost() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Empty);
    server.reply("blank", |_| Say::text(" \n"));
    for (name, config) in all(&server) {
        let reply =
            call(config.clone(), "m").await.unwrap_or_else(|failure| panic!("{name}: whether it will do is for the engine to say: {failure}"));
        assert_eq!((reply.text.as_str(), reply.finish), ("", Finish::Stop), "{name}");
        assert!(reply.usage.is_some_and(|usage| usage.input > 0), "{name}: it is billed: {reply:?}");
        assert_eq!(call(config, "blank").await.expect("a reply").text.trim(), "", "{name}");
    }
    assert_eq!(server.total(), 12, "an empty reply is not asked for again");
}

#[tokio::test]
async fn a_refusal_is_the_providers_own_signal() {
    let server = ModelServer::start().await;
    server.script("refuses", Fault::Refusal);
    server.reply("filtered", |_| Say { end: End::Filtered, ..Say::text("The first half of") });
    for (name, config) in all(&server) {
        let reply = call(config.clone(), "refuses").await.expect("a refusal is a reply");
        assert_eq!(reply.finish, Finish::Refusal, "{name}");
        assert!(reply.text.contains("can't help"), "{name}: {reply:?}");
        assert!(reply.usage.is_some(), "{name}: it is billed");
        let reply = call(config, "filtered").await.expect("a reply");
        assert_eq!(reply.finish, Finish::Refusal, "{name}");
    }
}

#[tokio::test]
async fn words_like_a_refusal_are_no_refusal() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::text(r#"I'm sorry, I can't help with that. "refusal": "yes""#));
    for (name, config) in all(&server) {
        assert_eq!(call(config, "m").await.expect("a reply").finish, Finish::Stop, "{name}");
    }
}

#[tokio::test]
async fn a_reply_cut_at_its_limit_says_so_and_leaves_the_rest_to_the_engine() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Truncated);
    server.reply("silent", |_| Say { end: End::Length, ..Say::default() });
    for (name, config) in all(&server) {
        let reply = call(config.clone(), "m").await.expect("half a reply");
        assert_eq!(reply.finish, Finish::Length, "{name}");
        assert!(!reply.text.is_empty(), "{name}");
        // A model that thought until its limit has said nothing at all.
        assert_eq!(call(config, "silent").await.expect("a reply").finish, Finish::Length, "{name}");
    }
}

#[tokio::test]
async fn a_reply_far_beyond_its_limit_is_cut_and_counted_whole() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Oversized(1_200_000));
    for (name, config) in all(&server) {
        let reply = call(config, "m").await.expect("what came before the cut");
        assert!(reply.overran && reply.finish == Finish::Length && reply.text.len() < 1_200_000, "{name}: {} bytes", reply.text.len());
        assert!(reply.unseen_tokens + synod_engine::tokens::count(&reply.text) > 2 * 321, "{name}");
    }
}

#[tokio::test]
async fn silence_is_a_timeout_after_the_idle_time() {
    for fault in [Fault::Hang, Fault::Stall] {
        let server = ModelServer::start().await;
        server.reply("m", |_| Say::text("Some words that do arrive before it falls silent for good."));
        server.script("m", fault.clone());
        for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
            let start = Instant::now();
            let context = CallContext { idle_ms: 80, ..context() };
            let failure = model(endpoint(&server, kind), "m").call(&request("m"), &context).await.expect_err("silent");
            assert_eq!(failure.kind, FailureKind::Timeout, "{kind:?}, {fault:?}: {failure}");
            assert!(start.elapsed() >= Duration::from_millis(80) && start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        }
        assert_eq!(server.total(), 3, "{fault:?}: a timed-out call may have been billed and is not tried again");
    }
}

#[tokio::test]
async fn a_slow_but_steady_stream_outlives_the_idle_time() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::text("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"));
    server.script("m", Fault::drip_ms(40));
    let context = CallContext { idle_ms: 300, ..context() };
    let start = Instant::now();
    let reply = model(endpoint(&server, EndpointKind::OpenAi), "m").call(&request("m"), &context).await.expect("whole");
    assert!(start.elapsed() > Duration::from_millis(300), "{:?}", start.elapsed());
    assert!(reply.text.ends_with("fifteen"));
}

#[tokio::test]
async fn the_total_time_ends_a_call_however_busy_it_is() {
    let server = ModelServer::start().await;
    server.reply("m", |_| Say::text("word ".repeat(400)));
    server.script("m", Fault::drip_ms(30));
    server.script("whole", Fault::Hang);
    let context = CallContext { total_ms: 150, ..context() };
    let registry = registry(endpoint(&server, EndpointKind::OpenAi));
    let failure = open(&registry, "m").call(&request("m"), &context).await.expect_err("late");
    assert_eq!(failure.kind, FailureKind::Timeout, "{failure}");
    let unstreamed = EndpointConfig { stream: false, ..endpoint(&server, EndpointKind::OpenAi) };
    let failure = model(unstreamed, "whole").call(&request("whole"), &context).await.expect_err("late");
    assert_eq!(failure.kind, FailureKind::Timeout, "{failure}");
    assert_eq!(server.total(), 2);
}

#[tokio::test]
async fn nobody_at_the_address_is_a_server_failure_that_says_so() {
    let server = ModelServer::start().await;
    let gone = once(endpoint(&server, EndpointKind::OpenAi));
    server.stop().await;
    for stream in [true, false] {
        let failure = call(EndpointConfig { stream, ..gone.clone() }, "m").await.expect_err("refused");
        assert_eq!(failure.kind, FailureKind::Server);
        assert!(failure.detail.contains("cannot be reached"), "{}", failure.detail);
    }
}

#[tokio::test]
async fn keys_never_reach_a_detail() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Status(401, format!("Incorrect API key provided: {KEY}; did you mean sk-abcdefghijklmnopqrst?")));
    for (name, config) in all(&server) {
        let failure = call(config, "m").await.expect_err("refused");
        assert!(!failure.detail.contains(KEY) && !failure.detail.contains("sk-abc"), "{name}: {}", failure.detail);
        assert!(failure.detail.contains("[key]"), "{name}: {}", failure.detail);
    }
}

#[tokio::test]
async fn a_long_error_is_cut_short() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Status(400, "x".repeat(10_000)));
    let failure = call(endpoint(&server, EndpointKind::OpenAi), "m").await.expect_err("refused");
    assert!(failure.detail.len() < 600, "{} bytes", failure.detail.len());
}

#[tokio::test]
async fn a_model_that_takes_no_temperature_is_asked_without_one() {
    let server = ModelServer::start().await;
    server.reply("m", |ask| match ask.body.get("temperature") {
        Some(_) => Say::fault(Fault::Status(400, "Unsupported parameter: 'temperature' is not supported with this model".to_owned())),
        None => Say::text("Fine."),
    });
    let registry = registry(endpoint(&server, EndpointKind::OpenAi));
    for _ in 0..2 {
        let reply = open(&registry, "m").call(&request("m"), &context()).await.expect("answers");
        assert_eq!(reply.text, "Fine.");
    }
    assert_eq!(server.total(), 3, "it is learned once");
}

#[tokio::test]
async fn a_model_that_takes_no_temperature_loses_none_of_the_calls_already_under_way() {
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        // Nobody has an answer before all have asked.
        let settings = Settings { latency: Duration::from_millis(100), ..Settings::default() };
        let server = ModelServer::start_with(settings).await.expect("a port");
        server.reply("m", |ask| match ask.body.get("temperature").or(ask.body.pointer("/generationConfig/temperature")) {
            Some(_) => Say::fault(Fault::Status(400, "Unsupported parameter: 'temperature' is not supported with this model".to_owned())),
            None => Say::text("Fine."),
        });
        let registry = registry(endpoint(&server, kind));
        let (model, request, context) = (open(&registry, "m"), request("m"), context());
        let (a, b, c) = tokio::join!(model.call(&request, &context), model.call(&request, &context), model.call(&request, &context));
        for reply in [a, b, c] {
            assert_eq!(reply.unwrap_or_else(|failure| panic!("{kind:?}: {failure}")).text, "Fine.", "{kind:?}");
        }
        assert_eq!(server.total(), 6, "{kind:?}: each is mended once");
    }
}

#[tokio::test]
async fn a_word_about_temperature_mends_nothing_where_none_was_sent() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Status(400, "the temperature is not to my liking".to_owned()));
    let bare = synod_types::Request { temperature: None, ..request("m") };
    model(endpoint(&server, EndpointKind::OpenAi), "m").call(&bare, &context()).await.expect_err("refused");
    assert_eq!(server.total(), 1);
}

#[tokio::test]
async fn a_missing_key_is_a_problem_that_names_the_variable() {
    let server = ModelServer::start().await;
    let config = EndpointConfig { key_env: Some("NOT_SET".to_owned()), ..endpoint(&server, EndpointKind::OpenAi) };
    let problem = registry(config).resolve("--models", "it/m").expect_err("no key");
    assert_eq!((problem.field.as_str(), problem.code), ("endpoints.it.key_env", synod_types::ProblemCode::NoKey));
    assert!(problem.got.contains("NOT_SET"), "{problem}");
}

#[tokio::test]
async fn the_probe_names_what_is_refused_and_nothing_else() {
    let server = ModelServer::start().await;
    let gone = ModelServer::start().await;
    let mut config = synod_config::Config::default();
    config.endpoints.insert("here".to_owned(), EndpointConfig { key_env: None, ..endpoint(&server, EndpointKind::OpenAi) });
    config.endpoints.insert("gone".to_owned(), EndpointConfig { key_env: None, ..endpoint(&gone, EndpointKind::OpenAi) });
    gone.stop().await;
    let registry = synod_llm::Registry::with_env(config, env(&[]));
    let cards: Vec<_> =
        ["here/a", "gone/b", "gone/c", "rehearsal/d"].iter().map(|name| registry.resolve("--models", name).expect("resolves")).collect();
    let problems = registry.probe(&cards.iter().collect::<Vec<_>>()).await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].field, "endpoints.gone.base_url");
    assert!(problems[0].got.contains("gone/b, gone/c"), "{}", problems[0]);
    assert_eq!(server.total(), 0, "nothing is asked");
}

#[tokio::test]
async fn the_doctor_says_what_works_and_what_does_not() {
    let server = ModelServer::start().await;
    server.list_models(&["good", "other"]);
    server.script("bad", Fault::Unauthorized);
    server.reply("loose", |_| Say::json(&json!({ "something": "else" })));
    server.script("mute", Fault::Empty);
    let registry = registry(endpoint(&server, EndpointKind::OpenAi));
    let card = |id: &str| registry.resolve("seats", &format!("it/{id}")).expect("resolves");
    let good = registry.check(&card("good")).await;
    assert!(good.ok && good.streams && good.schema_kept && good.first_words_ms.is_some(), "{good:?}");
    assert_eq!((good.listed, good.schema.as_str()), (Some(true), "native"));
    let bad = registry.check(&card("bad")).await;
    assert!(!bad.ok && bad.problem.as_deref().is_some_and(|problem| problem.contains("TEST_KEY")), "{bad:?}");
    assert_eq!((bad.listed, bad.instead), (Some(false), vec!["good".to_owned(), "other".to_owned()]));
    server.script("goood", Fault::ModelGone);
    let gone = registry.check(&card("goood")).await;
    assert_eq!(gone.cure, Some(Cure::Model { endpoint: "it".to_owned(), id: "good".to_owned() }), "{gone:?}");
    let loose = registry.check(&card("loose")).await;
    assert!(!loose.ok && loose.problem.as_deref().is_some_and(|problem| problem.contains("schema = \"prompt\"")), "{loose:?}");
    let mute = registry.check(&card("mute")).await;
    assert!(!mute.ok && mute.problem.as_deref().is_some_and(|problem| problem.contains("empty")), "{mute:?}");
}

#[tokio::test]
async fn the_doctor_finds_the_address_the_key_and_the_silence() {
    let server = ModelServer::start().await;
    let key = EndpointConfig { key_env: None, ..endpoint(&server, EndpointKind::OpenAi) };
    let at = |base_url: String| EndpointConfig { base_url, ..key.clone() };
    let check = async |config: EndpointConfig| {
        let registry = registry(config);
        let card = registry.resolve("seats", "it/test-model").expect("resolves");
        registry.check(&card).await.cure
    };
    let root = format!("http://{}/", server.address());
    assert_eq!(check(at(root)).await, Some(Cure::Address { endpoint: "it".to_owned(), base_url: server.url() }));
    server.want_key("another");
    assert_eq!(check(endpoint(&server, EndpointKind::OpenAi)).await, Some(Cure::Key { variable: "TEST_KEY".to_owned() }));
    let address = server.address().to_string();
    server.stop().await;
    assert_eq!(check(at(format!("http://{address}/v1/"))).await, Some(Cure::Start { endpoint: "it".to_owned(), address }));
}
