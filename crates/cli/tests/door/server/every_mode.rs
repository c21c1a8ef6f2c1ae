//! Every mode is begun, watched, read, exported and checked over HTTP, in an empty home.

use crate::server::serving::{Serving, rehearsal};
use synod_engine::Mode;

every_mode!(every_mode_can_be_begun_watched_and_read);
fn every_mode_can_be_begun_watched_and_read(mode: &Mode) {
    let serving = Serving::bare();
    let id = mode.id;
    let listed = serving.get("/v1/modes").is(200).json();
    let listed = listed["modes"].as_array().expect("modes").iter().find(|listed| listed["id"] == id);
    assert_eq!(listed, Some(&serving.get(&format!("/v1/modes/{id}")).is(200).json()));
    let run = serving.begin(&rehearsal(id));
    let events = serving.events(&run, 0);
    let numbers: Vec<i64> = events.iter().filter_map(|event| event.id).collect();
    assert!(numbers.windows(2).all(|two| two[0] < two[1]), "{id}: {numbers:?}");
    assert_eq!(events.first().map(|event| event.kind.as_str()), Some("run_start"), "{id}");
    assert_eq!(events.last().map(|event| event.kind.as_str()), Some("complete"), "{id}");
    for event in &events {
        let data = &event.data;
        assert!(data["type"] == event.kind.as_str() && data["run"] == run.as_str() && data["seq"].as_i64() == event.id, "{id}: {data}");
        if event.kind.starts_with("phase_") {
            assert!(data["data"]["mode"] == *id && data["data"]["phase"].is_string(), "{id}: {data}");
        }
        if event.kind == "exhibit" {
            assert!(data["data"]["stage_type"].is_string(), "{id}: {data}");
        }
    }
    // What is read afterwards says the same as what was seen.
    let now = serving.get(&format!("/v1/runs/{run}")).is(200).json();
    let verdict = serving.get(&format!("/v1/runs/{run}/verdict")).is(200).json();
    assert_eq!(now["verdict"], verdict, "{id}");
    assert_eq!(events.last().map(|event| &event.data["data"]), Some(&verdict), "{id}");
    assert!(now["state"] == "complete" && now["loading"] == false && now["current_stage"].is_null() && now["error"].is_null(), "{id}: {now}");
    let shown: std::collections::BTreeSet<&str> = events.iter().filter_map(|event| event.data["data"]["stage_type"].as_str()).collect();
    let stages: std::collections::BTreeSet<&str> = now["stages"].as_object().expect("stages").keys().map(String::as_str).collect();
    assert_eq!(stages, shown, "{id}");
    let checked = serving.get(&format!("/v1/runs/{run}/verify")).is(200).json();
    assert!(checked["intact"] == true && checked["receipt"] == true, "{id}: {checked}");
    for (format, kind, holds) in [("md", "text/markdown", "# "), ("html", "text/html", "<!doctype html"), ("json", "application/json", "\"rows\"")] {
        let export = serving.get(&format!("/v1/runs/{run}/export?format={format}")).is(200);
        assert!(export.header("content-type").is_some_and(|given| given.starts_with(kind)), "{id} {format}");
        assert!(export.text().to_lowercase().contains(holds), "{id} {format}: {}", &export.text()[..200.min(export.text().len())]);
    }
    let listed = serving.get("/v1/runs?limit=200").is(200).json();
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn runs_are_listed_by_page_and_by_what_is_asked_for() {
    let serving = Serving::bare();
    for n in 0..5 {
        let mut body = rehearsal(if n == 0 { "vote" } else { "council" });
        body["question"] = format!("Is 100% of number_{n} enough?").into();
        serving.post("/v1/runs", &body).is(201);
    }
    let mut seen = Vec::new();
    let mut path = "/v1/runs?limit=2".to_owned();
    loop {
        let page = serving.get(&path).is(200).json();
        seen.extend(page["runs"].as_array().expect("runs").iter().map(|run| run["question"].as_str().expect("a question").to_owned()));
        match page["next"].as_str() {
            Some(next) => path = format!("/v1/runs?limit=2&after={next}"),
            None => break,
        }
    }
    let want: Vec<String> = (0..5).rev().map(|n| format!("Is 100% of number_{n} enough?")).collect();
    assert_eq!(seen, want, "newest first, each once");
    let count = |query: &str| serving.get(&format!("/v1/runs?{query}")).is(200).json()["runs"].as_array().map(Vec::len);
    assert_eq!(count("mode=vote"), Some(1));
    assert_eq!(count("state=complete&status=full"), Some(5));
    assert_eq!(count("state=running"), Some(0));
    assert_eq!(count("text=NUMBER_3"), Some(1), "whatever its case, and _ is a letter");
    assert_eq!(count("text=100%25"), Some(5));
    assert_eq!(count("text=1__%25"), Some(0));
    let mut body = rehearsal("vote");
    body["question"] = "Où est l'École ?".into();
    serving.post("/v1/runs", &body).is(201);
    assert_eq!(count("text=%C3%A9COLE"), Some(1));
    serving.get("/v1/runs?mode=vot").fails(400, "invalid");
    assert_eq!((count("since=0&until=1"), count("since=1000")), (Some(0), Some(6)));
    serving.get("/v1/runs?limit=0").fails(400, "invalid");
    serving.get("/v1/runs?after=x").fails(400, "invalid");
    serving.get("/v1/runs?colour=red").fails(400, "invalid");
    serving.get("/v1/runs?state=asleep").fails(400, "invalid");
}

#[test]
fn what_is_asked_is_quoted_and_what_was_used_is_told() {
    let serving = Serving::with(
        "[models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = { input = 1.0, output = 2.0 }\n[panels.two]\nseats = [\"m\", \"x/b\"]\n",
        &[],
    );
    let body = serde_json::json!({"mode": "vote", "question": "Tea?", "models": ["m", "m", "m"]});
    let quote = serving.post("/v1/quote", &body).is(200).json();
    assert!(quote["calls"]["min"].as_u64().is_some_and(|calls| calls >= 3) && quote["usd"]["max"].as_f64().is_some_and(|usd| usd > 0.0), "{quote}");
    assert_eq!(serving.get("/v1/runs").json()["runs"].as_array().map(Vec::len), Some(0), "a quote begins nothing");
    serving.post("/v1/runs", &body).is(201);
    let usage = serving.get("/v1/usage").is(200).json();
    let day = &usage["days"][0];
    assert!(
        day["model"] == "m" && day["runs"] == 1 && day["calls"].as_u64().is_some_and(|calls| calls >= 3) && day["usd"].as_f64() > Some(0.0),
        "{usage}"
    );
    let panels = serving.get("/v1/panels").is(200).json();
    assert_eq!(panels["panels"][0], serde_json::json!({"name": "two", "seats": ["m", "x/b"], "chair": null, "light": null}));
    assert!(serving.get("/v1/personas").is(200).json()["personas"].as_array().is_some_and(|personas| personas.len() > 5));
    let metrics = serving.get("/metrics").is(200).text();
    for line in [
        "synod_runs{state=\"complete\"} 1",
        "synod_calls_total{endpoint=\"x\"}",
        "synod_usd_micros_total",
        "synod_journal_batch_rows_bucket",
        "synod_streams 0",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
}
