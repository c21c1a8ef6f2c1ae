//! Streams: every event once, whoever comes late, leaves early or comes back.

use crate::server::http::{Event, Request};
use crate::server::serving::{Serving, council};
use std::time::{Duration, Instant};
use synod_testkit::server::{ANY, Fault};

fn numbers(events: &[Event]) -> Vec<i64> {
    events.iter().filter_map(|event| event.id).collect()
}

#[test]
fn a_stream_that_was_cut_goes_on_where_it_was_and_a_second_viewer_sees_the_same() {
    let serving = Serving::new();
    serving.house.server.script(ANY, Fault::latency_ms(150));
    let run = serving.begin(&council());
    let path = format!("/v1/runs/{run}/events");
    let addr = serving.addr;
    let whole = std::thread::spawn({
        let path = path.clone();
        move || Request::get(&path).open(addr).events()
    });
    // Cut after every third event, with and without words in between.
    let (mut pieces, mut last): (Vec<Event>, Option<i64>) = (Vec::new(), None);
    loop {
        let request = last.map_or(Request::get(&path), |last| Request::get(&path).header("last-event-id", &last.to_string()));
        let mut stream = request.open(addr);
        if stream.status == 204 {
            break;
        }
        assert_eq!(stream.status, 200);
        let mut seen = 0;
        while seen < 3 {
            let Some(event) = stream.event() else { break };
            if event.id.is_some() {
                (last, seen) = (event.id, seen + 1);
                pieces.push(event);
            }
        }
    }
    let whole = whole.join().expect("the first viewer ends");
    let rows: Vec<&Event> = whole.iter().filter(|event| event.id.is_some()).collect();
    assert_eq!(pieces.iter().collect::<Vec<_>>(), rows, "every event exactly once, and the same for both");
    assert_eq!(serving.events(&run, 0).iter().filter(|event| event.id.is_some()).collect::<Vec<_>>(), rows, "and the same again from the record");
}

#[test]
fn a_client_that_leaves_stops_nothing_and_the_end_is_answered_with_nothing() {
    let serving = Serving::new();
    serving.house.server.script(ANY, Fault::latency_ms(200));
    let run = serving.begin(&council());
    let mut stream = Request::get(&format!("/v1/runs/{run}/events")).open(serving.addr);
    stream.event().expect("the first event");
    drop(stream);
    let ended = serving.until(&run, &["complete"]);
    let last = ended["seq"].as_i64().expect("a number");
    assert_eq!(ended["status"], "full");
    // Also a caller who waits for the whole answer and goes away.
    let socket = std::net::TcpStream::connect(serving.addr).expect("it listens");
    std::io::Write::write_all(&mut &socket, &Request::post("/v1/runs", &council()).bytes(serving.addr)).expect("sent");
    std::thread::sleep(Duration::from_millis(300));
    drop(socket);
    let second = serving.get("/v1/runs?limit=1").json()["runs"][0]["id"].as_str().expect("a run").to_owned();
    assert_ne!(second, run);
    serving.until(&second, &["complete"]);
    serving.get(&format!("/v1/runs/{run}/events?after={}", last + 5)).fails(400, "invalid");
    for place in [format!("?after={last}"), format!("?after={last}&follow=1")] {
        assert_eq!(serving.get(&format!("/v1/runs/{run}/events{place}")).is(204).body.len(), 0);
    }
    assert_eq!(numbers(&serving.events(&run, last - 1)), [last]);
}

#[test]
fn the_first_byte_comes_at_once_and_words_come_while_they_are_said() {
    let serving = Serving::new();
    serving.house.server.script(ANY, Fault::drip_ms(150));
    let run = serving.begin(&council());
    let since = Instant::now();
    let mut stream = Request::get(&format!("/v1/runs/{run}/events")).open(serving.addr);
    let header = |name: &str| stream.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    assert_eq!(header("content-type").as_deref(), Some("text/event-stream"));
    assert_eq!(header("x-accel-buffering").as_deref(), Some("no"));
    assert_eq!(header("cache-control").as_deref(), Some("no-store"));
    stream.event().expect("run_start");
    assert!(since.elapsed() < Duration::from_millis(300), "{:?}", since.elapsed());
    let events = stream.events();
    let deltas: Vec<&Event> = events.iter().filter(|event| event.kind == "turn_delta").collect();
    assert!(
        !deltas.is_empty() && deltas.iter().all(|delta| delta.id.is_none() && delta.data["data"]["offset"].is_u64() && delta.data["seq"].is_null())
    );
}

#[test]
fn an_error_says_so_at_the_top_and_a_stop_ends_a_stream_unless_it_is_to_be_followed() {
    let serving = Serving::new();
    serving.house.server.script(ANY, Fault::Unauthorized);
    let run = serving.begin(&council());
    let events = serving.events(&run, 0);
    let last = events.last().expect("an end");
    assert!(last.kind == "error" && last.data["message"].as_str().is_some_and(|message| !message.is_empty()), "{last:?}");
    assert_eq!(serving.until(&run, &["lost"])["error"], last.data["message"]);

    serving.house.server.behave();
    serving.house.server.script(ANY, Fault::Hang);
    let run = serving.begin(&council());
    let path = format!("/v1/runs/{run}/events");
    let addr = serving.addr;
    let follower = std::thread::spawn({
        let path = format!("{path}?follow=1");
        move || Request::get(&path).open(addr).events()
    });
    let mut plain = Request::get(&path).open(addr);
    plain.event().expect("run_start");
    std::thread::sleep(Duration::from_millis(300));
    serving.post(&format!("/v1/runs/{run}/cancel"), &serde_json::json!({})).is(202);
    assert_eq!(plain.events().last().map(|event| event.kind.clone()).as_deref(), Some("stopped"));
    let stopped = serving.until(&run, &["stopped"]);
    let at = stopped["seq"].as_i64().expect("a number");
    assert_eq!(serving.get(&format!("{path}?after={at}")).is(204).body.len(), 0);
    serving.house.server.behave();
    serving.send(Request::post(&format!("/v1/runs/{run}/resume"), &serde_json::json!({})).soon()).is(202);
    let followed = follower.join().expect("it ends with the run");
    let kinds: Vec<&str> =
        followed.iter().map(|event| event.kind.as_str()).filter(|kind| ["stopped", "resumed", "complete"].contains(kind)).collect();
    assert_eq!(kinds, ["stopped", "resumed", "complete"]);
    let numbers = numbers(&followed);
    assert!(numbers.windows(2).all(|two| two[0] < two[1]), "{numbers:?}");
}

#[test]
fn the_streams_of_a_revoked_key_end_and_no_key_takes_all_places() {
    let serving = Serving::with("[server]\nmax_streams = 8\n", &[]);
    let key = serving.key(&[]);
    serving.house.server.script(ANY, Fault::Hang);
    let run = serving.send(Request::post("/v1/runs", &council()).soon().key(&key)).is(202).json()["id"].as_str().expect("an id").to_owned();
    let path = format!("/v1/runs/{run}/events");
    let mut open: Vec<_> = (0..2).map(|_| Request::get(&path).key(&key).open(serving.addr)).collect();
    serving.send(Request::get(&path).key(&key)).fails(503, "too_many_streams");
    assert_eq!(Request::get(&path).open(serving.addr).status, 200, "others have places left");
    let id = serving.house.synod(&["key", "list", "--json"]).json()["keys"][0]["id"].as_str().expect("an id").to_owned();
    serving.house.synod(&["key", "revoke", &id]).exits(0);
    let since = Instant::now();
    for stream in &mut open {
        stream.events();
    }
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
}

#[test]
fn words_go_on_after_a_stop_that_was_followed() {
    let serving = Serving::new();
    serving.house.server.script(ANY, Fault::Hang);
    let run = serving.begin(&council());
    let (addr, path) = (serving.addr, format!("/v1/runs/{run}/events?follow=1"));
    let follower = std::thread::spawn(move || Request::get(&path).open(addr).events());
    std::thread::sleep(Duration::from_millis(200));
    serving.post(&format!("/v1/runs/{run}/cancel"), &serde_json::json!({})).is(202);
    serving.until(&run, &["stopped"]);
    serving.post(&format!("/v1/runs/{run}/cancel"), &serde_json::json!({})).is(202);
    serving.house.server.behave();
    serving.house.server.script(ANY, Fault::drip_ms(150));
    serving.send(Request::post(&format!("/v1/runs/{run}/resume"), &serde_json::json!({})).soon()).is(202);
    let followed = follower.join().expect("it ends with the run");
    assert_eq!(followed.iter().filter(|event| event.kind == "stopped").count(), 1, "stopped twice is stopped once");
    let resumed = followed.iter().position(|event| event.kind == "resumed").expect("it went on");
    assert!(followed[resumed..].iter().any(|event| event.kind == "turn_delta"), "words come again");
}

#[test]
fn callers_who_hang_up_leave_no_run_behind_that_nobody_drives() {
    let serving = Serving::new();
    let bytes = Request::post("/v1/runs", &council()).bytes(serving.addr);
    for n in 0..120_u64 {
        let mut socket = std::net::TcpStream::connect(serving.addr).expect("it listens");
        std::io::Write::write_all(&mut socket, &bytes).expect("sent");
        std::thread::sleep(Duration::from_micros(n * 60));
        drop(socket);
    }
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let listed = serving.get("/v1/runs?limit=200").is(200).json();
        let runs = listed["runs"].as_array().expect("runs");
        if runs.iter().all(|run| run["state"] == "complete") && !runs.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "{listed}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn there_are_only_so_many_streams() {
    let serving = Serving::with("[server]\nmax_streams = 2\n", &[]);
    serving.house.server.script(ANY, Fault::Hang);
    let run = serving.begin(&council());
    let path = format!("/v1/runs/{run}/events");
    let open: Vec<_> = (0..2).map(|_| Request::get(&path).open(serving.addr)).collect();
    let refused = serving.get(&path);
    assert!(refused.header("retry-after").is_some());
    refused.fails(503, "too_many_streams");
    drop(open);
    let until = Instant::now() + Duration::from_secs(5);
    while Request::get(&path).open(serving.addr).status != 200 {
        assert!(Instant::now() < until, "a stream that was closed gives its place back");
        std::thread::sleep(Duration::from_millis(50));
    }
}
