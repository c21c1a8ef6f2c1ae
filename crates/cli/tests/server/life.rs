//! The server dies, or is told to stop, under many running deliberations: the next start goes on with all of them, and pays for nothing twice.

use crate::http::Request;
use crate::serving::{Serving, council};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use synod_testkit::server::{ANY, Fault};

const MANY: usize = 200;

fn finished(serving: &Serving, runs: &[String]) {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let listed = serving.get("/v1/runs?limit=200").is(200).json();
        let open = listed["runs"].as_array().expect("runs").iter().filter(|run| run["state"] != "complete").count();
        if open == 0 {
            assert_eq!(listed["runs"].as_array().map(Vec::len), Some(runs.len()));
            return;
        }
        assert!(Instant::now() < until, "{open} have not ended: {}", listed["runs"][0]);
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Every call that came back stands in the journal once; the model server saw no more than the journals say were sent.
fn nothing_paid_twice(serving: &Serving, runs: &[String]) {
    let mut sent = 0;
    let mut reasked = 0;
    for run in runs {
        let export: Value = serving.get(&format!("/v1/runs/{run}/export?format=json")).is(200).json();
        let mut replies: BTreeMap<String, u32> = BTreeMap::new();
        for row in export["rows"].as_array().expect("rows") {
            match row["kind"].as_str() {
                Some("asked") => sent += 1,
                Some("replied") => *replies.entry(row["key"].as_str().expect("a key").to_owned()).or_default() += 1,
                _ => {}
            }
        }
        assert!(replies.values().all(|count| *count == 1), "{run}: {replies:?}");
        reasked += export["verdict"]["receipt"]["calls"]["reasked"].as_u64().expect("a count");
        let checked = serving.get(&format!("/v1/runs/{run}/verify")).is(200).json();
        assert_eq!(checked["intact"], true, "{checked}");
    }
    let calls = serving.house.server.total();
    assert!(calls <= sent, "{calls} calls, and the journals know of {sent}");
    assert!(sent >= MANY as u64 * 7 && sent <= MANY as u64 * 7 + reasked, "{sent} sent, {reasked} of them again");
}

fn begin_many(serving: &Serving) -> Vec<String> {
    serving.house.server.script(ANY, Fault::latency_ms(1500));
    let addr = serving.addr;
    let many: Vec<_> = (0..8)
        .map(|_| {
            std::thread::spawn(move || -> Vec<String> {
                let begin = |_| Request::post("/v1/runs", &council()).soon().send(addr).is(202).json()["id"].as_str().expect("an id").to_owned();
                (0..MANY / 8).map(begin).collect()
            })
        })
        .collect();
    many.into_iter().flat_map(|some| some.join().expect("begun")).collect()
}

#[test]
fn killed_under_two_hundred_runs_the_next_start_ends_them_all() {
    let mut serving = Serving::new();
    let runs = begin_many(&serving);
    // In the middle of the first answers, and again in the middle of the ballots.
    for pause in [900, 1700] {
        std::thread::sleep(Duration::from_millis(pause));
        serving.kill();
        serving.again(&[]);
    }
    finished(&serving, &runs);
    nothing_paid_twice(&serving, &runs);
}

#[test]
fn told_to_stop_under_two_hundred_runs_it_lets_go_of_them_and_the_next_start_ends_them_all() {
    let mut serving = Serving::new();
    let runs = begin_many(&serving);
    std::thread::sleep(Duration::from_millis(900));
    let follower = Request::get(&format!("/v1/runs/{}/events", runs[0])).open(serving.addr);
    let took = serving.terminate();
    assert!(took < Duration::from_secs(12), "{took:?}");
    let mut follower = follower;
    let seen = follower.events();
    assert!(seen.iter().all(|event| event.kind != "stopped"), "a run that is handed over has not stopped");
    let calls = serving.house.server.total();
    serving.again(&[]);
    finished(&serving, &runs);
    nothing_paid_twice(&serving, &runs);
    // Turns under way had time to come back: nothing was asked again.
    let reasked: u64 =
        runs.iter().map(|run| serving.get(&format!("/v1/runs/{run}/verdict")).json()["receipt"]["calls"]["reasked"].as_u64().expect("a count")).sum();
    assert_eq!(reasked, 0);
    assert!(calls >= MANY as u64, "{calls}");
    // The stream goes on where it was.
    let last = seen.iter().filter_map(|event| event.id).max().expect("a number");
    let rest = serving.events(&runs[0], last);
    let whole: Vec<i64> = serving.events(&runs[0], 0).iter().filter_map(|event| event.id).collect();
    let both: Vec<i64> = seen.iter().chain(&rest).filter_map(|event| event.id).collect();
    assert_eq!(both, whole);
    assert_eq!(rest.last().map(|event| event.kind.as_str()), Some("complete"));
}

#[test]
fn a_run_whose_endpoint_is_not_there_is_left_and_that_is_said_once() {
    let mut serving = Serving::new();
    serving.house.server.script(ANY, Fault::Hang);
    let left = serving.begin(&council());
    std::thread::sleep(Duration::from_millis(200));
    serving.kill();
    serving.house.write("config/synod/synod.toml", "");
    serving.again(&[]);
    std::thread::sleep(Duration::from_millis(2500));
    let now = serving.get(&format!("/v1/runs/{left}")).is(200).json();
    assert_eq!(now["state"], "interrupted", "{now}");
    let log = std::fs::read_to_string(serving.house.path("server.log")).expect("a log");
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("left alone") && line.contains(&left)).collect();
    assert_eq!(lines.len(), 1, "said once: {lines:?}");
}
