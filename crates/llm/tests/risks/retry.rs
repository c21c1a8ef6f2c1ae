//! What is tried again, how often, after which pause; and what never is, because it may have been billed.

use crate::common::*;
use std::time::{Duration, Instant};
use synod_config::{EndpointConfig, EndpointKind};
use synod_engine::CallContext;
use synod_testkit::server::{Fault, ModelServer};
use synod_types::FailureKind;

#[tokio::test]
async fn server_errors_and_limits_are_tried_again_until_it_answers() {
    for fault in [Fault::server_error(), Fault::Status(529, "Overloaded".to_owned()), Fault::RateLimited { retry_after: None }] {
        let server = ModelServer::start().await;
        for (name, config) in all(&server) {
            let before = server.total();
            server.script_next("m", 2, fault.clone());
            call(config, "m").await.expect("the third try answers");
            assert_eq!(server.total() - before, 3, "{name}, {fault:?}");
        }
    }
}

#[tokio::test]
async fn tries_are_counted_and_given_up() {
    let server = ModelServer::start().await;
    server.script("m", Fault::server_error());
    let failure = call(EndpointConfig { retries: 2, ..endpoint(&server, EndpointKind::OpenAi) }, "m").await.expect_err("never answers");
    assert_eq!(server.total(), 3);
    assert!(failure.detail.contains("tried 3 times"), "{}", failure.detail);
    let failure = call(EndpointConfig { retries: 0, ..endpoint(&server, EndpointKind::OpenAi) }, "m").await.expect_err("never answers");
    assert_eq!(server.total(), 4);
    assert!(!failure.detail.contains("tried"), "{}", failure.detail);
}

#[tokio::test]
async fn retry_after_is_honoured() {
    let server = ModelServer::start().await;
    for (name, config) in all(&server) {
        server.script_next("m", 1, Fault::rate_limited("0.2"));
        let start = Instant::now();
        call(config, "m").await.expect("answers");
        assert!(start.elapsed() >= Duration::from_millis(200), "{name}: came back after {:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(2), "{name}: came back after {:?}", start.elapsed());
    }
}

#[tokio::test]
async fn a_wait_longer_than_the_call_may_take_is_not_begun() {
    let server = ModelServer::start().await;
    server.script("m", Fault::rate_limited("3600"));
    let start = Instant::now();
    let failure = call(endpoint(&server, EndpointKind::OpenAi), "m").await.expect_err("limited");
    assert_eq!((failure.kind, server.total()), (FailureKind::RateLimited, 1));
    assert!(failure.detail.contains("asks to wait 3600 s"), "{}", failure.detail);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_wait_of_ages_is_no_reason_to_fall_over() {
    let ages = ["99999999999", "18446744073709551615", "1e30", "inf", "Fri, 31 Dec 9999 23:59:59 GMT"];
    for asked in ages {
        let server = ModelServer::start().await;
        server.script("m", Fault::rate_limited(asked));
        let failure = call(endpoint(&server, EndpointKind::OpenAi), "m").await.expect_err("limited");
        assert_eq!((failure.kind, server.total()), (FailureKind::RateLimited, 1), "{asked}");
        assert!(failure.detail.contains("asks to wait a day or more"), "{asked}: {}", failure.detail);
    }
}

#[tokio::test]
async fn a_used_up_quota_is_not_waited_for() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Status(429, "insufficient_quota: check your plan and billing".to_owned()));
    let failure = call(endpoint(&server, EndpointKind::OpenAi), "m").await.expect_err("limited");
    assert_eq!((failure.kind, server.total()), (FailureKind::RateLimited, 1));
}

#[tokio::test]
async fn nothing_else_is_tried_again() {
    let faults = [
        Fault::Unauthorized,
        Fault::ModelGone,
        Fault::ContextTooLong,
        Fault::Status(400, "no".to_owned()),
        Fault::Status(408, "too slow".to_owned()),
        Fault::Empty,
        Fault::Refusal,
        Fault::Truncated,
        Fault::CutClean,
        Fault::CutDirty,
        Fault::NotTheApi,
    ];
    for fault in faults {
        let server = ModelServer::start().await;
        server.script("m", fault.clone());
        // Refusals and cut replies are replies; whatever comes, it comes once.
        let _ = call(endpoint(&server, EndpointKind::OpenAi), "m").await;
        assert_eq!(server.total(), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn a_timeout_is_never_tried_again() {
    for fault in [Fault::Hang, Fault::Stall] {
        let server = ModelServer::start().await;
        server.script("m", fault);
        let context = CallContext { idle_ms: 60, ..context() };
        let failure = model(endpoint(&server, EndpointKind::OpenAi), "m").call(&request("m"), &context).await.expect_err("silent");
        assert_eq!((failure.kind, server.total()), (FailureKind::Timeout, 1));
    }
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_until_somebody_listens() {
    let server = ModelServer::start().await;
    let config = EndpointConfig { retries: 10, backoff_ms: 40, ..endpoint(&server, EndpointKind::OpenAi) };
    let port = server.address().port();
    server.stop().await;
    let waiting = tokio::spawn(call(config, "m"));
    tokio::time::sleep(Duration::from_millis(60)).await;
    let back = ModelServer::start_with(synod_testkit::server::Settings { port, ..Default::default() }).await.expect("the port is still free");
    waiting.await.expect("no panic").expect("answers at last");
    assert_eq!(back.total(), 1);
}

#[tokio::test]
async fn all_tries_together_stay_within_the_total_time() {
    let server = ModelServer::start().await;
    server.script("m", Fault::server_error());
    let config = EndpointConfig { retries: 20, backoff_ms: 50, ..endpoint(&server, EndpointKind::OpenAi) };
    let context = CallContext { total_ms: 300, ..context() };
    let start = Instant::now();
    let failure = model(config, "m").call(&request("m"), &context).await.expect_err("never answers");
    assert_eq!(failure.kind, FailureKind::Server, "the last word is the provider's: {failure}");
    // Twenty tries, each waiting twice as long as the last, would take hours.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(server.total() >= 2);
}

#[tokio::test]
async fn an_overload_before_the_first_word_is_tried_again() {
    let server = ModelServer::start().await;
    // An empty reply streams no words before its error.
    server.reply("m", |ask| match ask.number {
        1 => synod_testkit::server::Say::fault(Fault::ErrorMidStream("overloaded_error".to_owned())),
        _ => synod_testkit::server::Say::text("Here now."),
    });
    let reply = call(endpoint(&server, EndpointKind::Anthropic), "m").await.expect("answers");
    assert_eq!((reply.text.as_str(), server.total()), ("Here now.", 2));
}

#[tokio::test]
async fn a_retry_tells_the_watcher_that_what_was_shown_is_void() {
    let server = ModelServer::start().await;
    server.script_next("m", 2, Fault::server_error());
    let (watcher, context) = watched();
    let reply = model(endpoint(&server, EndpointKind::OpenAi), "m").call(&request("m"), &context).await.expect("answers");
    let pieces = watcher.pieces();
    assert_eq!(&pieces[..2], [RESTART, RESTART]);
    assert_eq!(pieces[2..].concat(), reply.text);
}
