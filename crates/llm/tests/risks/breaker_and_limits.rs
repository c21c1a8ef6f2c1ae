//! What all runs of a process share per endpoint: places, pace, and the breaker.

use crate::common::*;
use futures::FutureExt;
use futures::future::join_all;
use std::time::{Duration, Instant};
use synod_config::{EndpointConfig, EndpointKind};
use synod_engine::{CallContext, Models};
use synod_testkit::server::{Fault, ModelServer};
use synod_types::FailureKind;

#[tokio::test]
async fn no_more_calls_are_in_flight_than_allowed_whoever_opened_them() {
    let server = ModelServer::start().await;
    server.script("m", Fault::latency_ms(30));
    let registry = registry(EndpointConfig { concurrency: 3, ..endpoint(&server, EndpointKind::OpenAi) });
    let models: Vec<_> = (0..4).map(|_| open(&registry, "m")).collect();
    let (request, context) = (request("m"), context());
    let replies = join_all((0..12).map(|i| turn(&*models[i % 4], &request, &context))).await;
    assert!(replies.iter().all(Result::is_ok));
    assert_eq!((server.most_in_flight(), server.total()), (3, 12));
}

#[tokio::test]
async fn a_place_is_to_be_had_when_the_one_before_is_given_back_and_not_earlier() {
    let server = ModelServer::start().await;
    let registry = registry(EndpointConfig { concurrency: 1, ..endpoint(&server, EndpointKind::OpenAi) });
    let (first, second) = (open(&registry, "m"), open(&registry, "n"));
    let place = first.slot().await;
    let mut waiting = second.slot();
    assert!(tokio::time::timeout(Duration::from_millis(50), &mut waiting).await.is_err(), "one place, and it is taken");
    // A run that gives up waiting leaves nothing behind.
    drop(waiting);
    let waiting = second.slot();
    drop(place);
    let place = waiting.now_or_never().expect("free at once");
    drop(place);
    assert_eq!(server.total(), 0, "a place sends nothing");
}

#[tokio::test]
async fn a_call_waits_for_no_place_and_its_retries_keep_the_one_they_have() {
    let server = ModelServer::start().await;
    server.script_next("m", 2, Fault::server_error());
    let registry = registry(EndpointConfig { concurrency: 1, ..endpoint(&server, EndpointKind::OpenAi) });
    let model = open(&registry, "m");
    let place = model.slot().await;
    let mut next = model.slot();
    let request = request("m");
    let within = CallContext { total_ms: 5_000, ..context() };
    let mut call = model.call(&request, &within);
    tokio::select! {
        biased;
        _ = &mut next => panic!("a retry gave its place away"),
        reply = &mut call => drop(reply.expect("the third try answers")),
    }
    assert_eq!(server.total(), 3);
    drop(place);
    next.now_or_never().expect("free when the call is over");
}

#[tokio::test]
async fn the_doctor_waits_for_a_place_like_everybody() {
    let server = ModelServer::start().await;
    let registry = registry(EndpointConfig { concurrency: 1, ..endpoint(&server, EndpointKind::OpenAi) });
    let card = registry.resolve("seats", "it/m").expect("resolves");
    let place = open(&registry, "m").slot().await;
    let mut check = Box::pin(registry.check(&card));
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut check).await.is_err(), "the only place is taken");
    assert_eq!(server.total(), 0);
    drop(place);
    let line = check.await;
    assert!(line.ok && line.latency_ms < 100, "waiting for a place is not the model's slowness: {line:?}");
}

#[tokio::test]
async fn waiting_for_a_place_counts_against_no_timeout() {
    let server = ModelServer::start().await;
    server.script("m", Fault::latency_ms(60));
    let registry = registry(EndpointConfig { concurrency: 1, ..endpoint(&server, EndpointKind::OpenAi) });
    let model = open(&registry, "m");
    let context = CallContext { idle_ms: 150, total_ms: 150, ..context() };
    let request = request("m");
    let start = Instant::now();
    let replies = join_all((0..5).map(|_| turn(&*model, &request, &context))).await;
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    assert!(start.elapsed() >= Duration::from_millis(300), "the last one waited longer than a call may take");
}

#[tokio::test]
async fn the_pace_is_kept_and_a_panel_may_start_at_once() {
    let server = ModelServer::start().await;
    // 300 a minute: 30 at once, then one every 200 ms.
    let registry = registry(EndpointConfig { requests_per_minute: Some(300), concurrency: 100, ..endpoint(&server, EndpointKind::OpenAi) });
    let model = open(&registry, "m");
    let (request, context) = (request("m"), context());
    let start = Instant::now();
    let replies = join_all((0..33).map(|_| turn(&*model, &request, &context))).await;
    assert!(replies.iter().all(Result::is_ok));
    assert!(start.elapsed() >= Duration::from_millis(590), "{:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test]
async fn it_is_the_place_that_is_paced_not_the_call() {
    let server = ModelServer::start().await;
    let registry = registry(EndpointConfig { requests_per_minute: Some(300), ..endpoint(&server, EndpointKind::OpenAi) });
    let model = open(&registry, "m");
    let start = Instant::now();
    for _ in 0..31 {
        drop(model.slot().await);
    }
    assert!(start.elapsed() >= Duration::from_millis(190), "{:?}", start.elapsed());
    let place = model.slot().await;
    let start = Instant::now();
    model.call(&request("m"), &context()).await.expect("answers");
    assert!(start.elapsed() < Duration::from_millis(190), "its place was paced already: {:?}", start.elapsed());
    drop(place);
}

#[tokio::test]
async fn every_retry_is_a_request_and_paced_like_one() {
    let server = ModelServer::start().await;
    server.script_next("m", 2, Fault::server_error());
    // 590 a minute: 59 at once, then one about every 100 ms.
    let registry = registry(EndpointConfig { requests_per_minute: Some(590), ..endpoint(&server, EndpointKind::OpenAi) });
    let model = open(&registry, "m");
    for _ in 0..59 {
        drop(model.slot().await);
    }
    let start = Instant::now();
    model.call(&request("m"), &context()).await.expect("the third try answers");
    assert!(start.elapsed() >= Duration::from_millis(180), "{:?}", start.elapsed());
    // A pace that does not fit into the call's time ends the call with the provider's last word.
    server.script("m", Fault::server_error());
    let failure = model.call(&request("m"), &CallContext { total_ms: 40, ..context() }).await.expect_err("no time for another try");
    assert_eq!((failure.kind, server.total()), (FailureKind::Server, 4), "{failure}");
}

fn fragile(server: &ModelServer) -> EndpointConfig {
    EndpointConfig { retries: 0, breaker_failures: 3, breaker_ms: 150, ..endpoint(server, EndpointKind::OpenAi) }
}

#[tokio::test]
async fn an_endpoint_that_keeps_failing_is_left_alone_and_then_tried_once() {
    let server = ModelServer::start().await;
    server.script("m", Fault::server_error());
    let registry = registry(fragile(&server));
    let model = open(&registry, "m");
    for _ in 0..3 {
        model.call(&request("m"), &context()).await.expect_err("fails");
    }
    let failure = open(&registry, "other").call(&request("other"), &context()).await.expect_err("left alone");
    assert_eq!(failure.kind, FailureKind::Server);
    assert!(failure.detail.contains("left alone") && failure.detail.contains("3 calls in a row"), "{}", failure.detail);
    assert_eq!(server.total(), 3, "nothing is sent while it is left alone");

    tokio::time::sleep(Duration::from_millis(160)).await;
    let (request, context) = (request("m"), context());
    join_all((0..4).map(|_| model.call(&request, &context))).await.into_iter().for_each(|reply| drop(reply.expect_err("still failing")));
    assert_eq!(server.total(), 4, "one call tries for all");

    tokio::time::sleep(Duration::from_millis(160)).await;
    server.behave();
    model.call(&request, &context).await.expect("it is back");
    model.call(&request, &context).await.expect("and stays");
    assert_eq!(server.total(), 6);
}

#[tokio::test]
async fn failures_with_an_answer_in_between_do_not_add_up() {
    let server = ModelServer::start().await;
    server.script("bad", Fault::server_error());
    let registry = registry(fragile(&server));
    for _ in 0..4 {
        for _ in 0..2 {
            open(&registry, "bad").call(&request("bad"), &context()).await.expect_err("fails");
        }
        open(&registry, "good").call(&request("good"), &context()).await.expect("answers");
    }
    assert_eq!(server.total(), 12);
}

#[tokio::test]
async fn a_refused_key_is_an_answer_and_opens_nothing() {
    let server = ModelServer::start().await;
    server.script("m", Fault::Unauthorized);
    let registry = registry(fragile(&server));
    for _ in 0..6 {
        let failure = open(&registry, "m").call(&request("m"), &context()).await.expect_err("refused");
        assert_eq!(failure.kind, FailureKind::Auth);
    }
    assert_eq!(server.total(), 6);
}

#[tokio::test]
async fn a_trial_that_is_dropped_leaves_room_for_the_next() {
    let server = ModelServer::start().await;
    server.script("m", Fault::server_error());
    let registry = registry(fragile(&server));
    let model = open(&registry, "m");
    for _ in 0..3 {
        model.call(&request("m"), &context()).await.expect_err("fails");
    }
    tokio::time::sleep(Duration::from_millis(160)).await;
    server.script("m", Fault::Hang);
    let (request, context) = (request("m"), context());
    let dropped = tokio::time::timeout(Duration::from_millis(50), model.call(&request, &context)).await;
    assert!(dropped.is_err(), "the trial hangs and is given up by its run");
    server.behave();
    model.call(&request, &context).await.expect("the next one may try");
}
