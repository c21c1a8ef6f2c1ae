//! How much one caller may do: counted in the database, so that neither a restart nor a deletion gives anything back.

use crate::server::http::Request;
use crate::server::serving::{Serving, council, rehearsal};
use serde_json::json;
use synod_testkit::server::{ANY, Fault};

#[test]
fn a_guest_begins_three_runs_a_minute_and_wrong_requests_take_no_place() {
    let serving = Serving::bare();
    let key = serving.key(&["--guest"]);
    for _ in 0..5 {
        serving.send(Request::post("/v1/runs", &json!({"mode": "nothing", "question": "x", "rehearse": true})).key(&key)).fails(400, "invalid");
    }
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.push(serving.send(Request::post("/v1/runs", &rehearsal("vote")).key(&key)).is(201).json()["id"].as_str().expect("an id").to_owned());
    }
    let refused = serving.send(Request::post("/v1/runs", &rehearsal("vote")).key(&key));
    let wait: u64 = refused.header("retry-after").and_then(|wait| wait.parse().ok()).expect("how long");
    assert!((1..=61).contains(&wait), "{wait}");
    refused.fails(429, "limited");
    for run in &runs {
        serving.send(Request::new("DELETE", &format!("/v1/runs/{run}")).key(&key)).is(204);
    }
    serving.send(Request::post("/v1/runs", &rehearsal("vote")).key(&key)).fails(429, "limited");
    let mut serving = serving;
    serving.terminate();
    serving.again(&[]);
    serving.send(Request::post("/v1/runs", &rehearsal("vote")).key(&key)).fails(429, "limited");
    // Others are not concerned.
    serving.post("/v1/runs", &rehearsal("vote")).is(201);
}

#[test]
fn so_many_runs_at_once_and_so_many_requests_a_minute() {
    let serving = Serving::new();
    let key = serving.key(&["--concurrent-runs", "2"]);
    serving.house.server.script(ANY, Fault::Hang);
    let addr = serving.addr;
    let begin = |key: &str| Request::post("/v1/runs", &council()).soon().key(key).send(addr);
    // Five at the same moment: two get a place.
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let many: Vec<_> = (0..5).map(|_| scope.spawn(|| begin(&key).status)).collect();
        many.into_iter().map(|one| one.join().expect("answered")).collect()
    });
    assert_eq!(
        (answers.iter().filter(|status| **status == 202).count(), answers.iter().filter(|status| **status == 429).count()),
        (2, 3),
        "{answers:?}"
    );
    let runs = serving.send(Request::get("/v1/runs").key(&key)).json()["runs"].clone();
    let first = runs[0]["id"].as_str().expect("a run");
    serving.send(Request::post(&format!("/v1/runs/{first}/cancel"), &json!({})).key(&key)).is(202);
    serving.until(first, &["stopped"]);
    begin(&key).is(202);
    // Going on counts as much as beginning.
    serving.send(Request::post(&format!("/v1/runs/{first}/resume"), &json!({})).soon().key(&key)).fails(429, "limited");

    let hasty = serving.key(&["--requests-per-minute", "3"]);
    let statuses: Vec<u16> = (0..5).map(|_| serving.send(Request::get("/v1/modes/vote").key(&hasty)).status).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    // Guessing keys is limited by address.
    let statuses: Vec<u16> = (0..70).map(|n| serving.send(Request::get("/v1/runs").key(&format!("synod_{n}"))).status).collect();
    assert!(statuses[..50].iter().all(|status| *status == 401) && statuses[69] == 429, "{statuses:?}");
}

#[test]
fn a_daily_allowance_stops_runs_as_a_budget_does_and_no_deletion_gives_it_back() {
    let priced = "[models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = { input = 1.0, output = 2.0 }\n";
    let serving = Serving::with(priced, &[]);
    // Three seats: the second wave of the council finds no room.
    let key = serving.key(&["--calls-per-day", "3"]);
    let body = json!({"mode": "council", "question": "Tea?", "models": ["m", "m", "m"], "chair": "m", "seed": 7});
    let stopped = serving.send(Request::post("/v1/runs", &body).key(&key)).is(201).json();
    assert!(stopped["state"] == "stopped" && stopped["stopped"]["reason"] == "budget", "{stopped}");
    assert!(stopped["stopped"]["detail"].as_str().is_some_and(|detail| detail.contains("3 calls")), "{stopped}");
    assert_eq!(serving.house.server.total(), 3, "not one call more");
    let usage = || serving.send(Request::get("/v1/usage").key(&key)).is(200).json();
    assert_eq!(usage()["today"]["calls"], 3);
    serving.send(Request::post("/v1/runs", &body).key(&key)).fails(429, "limited");
    let run = stopped["id"].as_str().expect("an id");
    serving.send(Request::post(&format!("/v1/runs/{run}/resume"), &json!({})).key(&key)).fails(429, "limited");
    serving.send(Request::new("DELETE", &format!("/v1/runs/{run}")).key(&key)).is(204);
    assert_eq!(usage()["today"]["calls"], 3);

    // Of a wave that has not room for all, those who were not asked any more are not counted either.
    let key = serving.key(&["--calls-per-day", "5"]);
    let before = serving.house.server.total();
    let stopped = serving.send(Request::post("/v1/runs", &body).key(&key)).is(201).json();
    let made = serving.house.server.total() - before;
    assert!(stopped["stopped"]["reason"] == "budget" && (3..=5).contains(&made), "{made} calls: {stopped}");
    assert_eq!(serving.send(Request::get("/v1/usage").key(&key)).is(200).json()["today"]["calls"], made);

    // Dollars: a call is counted at its worst before it is made, and at its real cost when it has come back.
    let rich = serving.key(&["--usd-per-day", "1"]);
    serving.send(Request::post("/v1/runs", &body).key(&rich)).is(201);
    let spent = serving.send(Request::get("/v1/usage").key(&rich)).json();
    let (today, days) = (spent["today"]["usd"].as_f64().expect("a sum"), spent["days"][0]["usd"].as_f64().expect("a sum"));
    assert!(today > 0.0 && (today - days).abs() < 1e-9, "{spent}");
    let poor = serving.key(&["--usd-per-day", "0.000001"]);
    let before = serving.house.server.total();
    let stopped = serving.send(Request::post("/v1/runs", &body).key(&poor)).is(201).json();
    assert!(stopped["stopped"]["reason"] == "budget" && serving.house.server.total() == before, "{stopped}");
    let unpriced = json!({"mode": "vote", "question": "Tea?", "models": ["m", "m", "x/b"]});
    let refused = serving.send(Request::post("/v1/runs", &unpriced).key(&rich)).fails(400, "invalid");
    assert!(refused["errors"][0]["code"] == "no_price" && refused["errors"][0]["got"].as_str().is_some_and(|got| got.contains("x/b")), "{refused}");
}

#[test]
fn a_deleted_run_leaves_a_stone_and_nothing_else() {
    let serving = Serving::new();
    let mut body = council();
    body["files"] = json!([{"name": "notes.txt", "text": "a secret in a file"}]);
    body["question"] = json!("What is the secret of the question?");
    let run = serving.post("/v1/runs", &body).is(201).json()["id"].as_str().expect("an id").to_owned();
    let again = serving.post("/v1/runs", &body).is(201).json()["id"].as_str().expect("an id").to_owned();
    let fork = serving.post(&format!("/v1/runs/{run}/fork"), &json!({"seed": 9})).is(201).json()["id"].as_str().expect("an id").to_owned();
    let refused = serving.send(Request::new("DELETE", &format!("/v1/runs/{run}"))).fails(409, "has_forks");
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains(&fork)), "{refused}");
    for id in [&fork, &run] {
        serving.send(Request::new("DELETE", &format!("/v1/runs/{id}"))).is(204);
    }
    let stone = serving.get(&format!("/v1/runs/{run}")).fails(410, "gone");
    assert!(stone["detail"].as_str().is_some_and(|detail| detail.contains("row ")), "{stone}");
    serving.send(Request::new("DELETE", &format!("/v1/runs/{run}"))).fails(410, "gone");
    // The file stays with the run that still has it, and goes with that.
    assert_eq!(serving.get(&format!("/v1/runs/{again}/verify")).is(200).json()["intact"], true);
    serving.send(Request::new("DELETE", &format!("/v1/runs/{again}"))).is(204);
    serving.house.server.script(ANY, Fault::Hang);
    let running = serving.begin(&council());
    serving.send(Request::new("DELETE", &format!("/v1/runs/{running}"))).fails(409, "under_way");
    let mut serving = serving;
    serving.kill();
    let left = |table: &str| serving.house.count(&format!("SELECT COUNT(*) FROM {table} WHERE run <> '{running}'"));
    for table in ["journal", "raws", "inbox", "experiences", "run_stats", "attachments"] {
        assert_eq!(left(table), 0, "{table}");
    }
    assert_eq!(serving.house.count("SELECT COUNT(*) FROM blobs"), 0);
    assert_eq!(serving.house.count("SELECT COUNT(*) FROM tombstones"), 3);
    serving.house.sql("VACUUM");
    let file = std::fs::read(serving.house.db()).expect("the database");
    for secret in ["a secret in a file", "the secret of the question"] {
        assert!(!file.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{secret:?} is still in the file");
    }
}
