//! The client module: under Node's own test runner, against a running server, over a connection that is cut.

use crate::server::serving::{Serving, rehearsal};
use serde_json::json;
use std::process::Command;
use synod_modes::MODES;
use synod_report::{Snapshot, View};
use synod_types::{Kind, Row};

/// The row that an event was made of: what is told beside its body does no harm there.
fn row(event: &crate::server::http::Event) -> Option<Row> {
    let kind = match event.kind.as_str() {
        "run_start" => Kind::Header,
        "phase_start" => Kind::Phase,
        "phase_complete" => Kind::PhaseEnd,
        "turn_start" => Kind::Asked,
        "turn_complete" => Kind::Said,
        "turn_failed" => Kind::Failed,
        "exhibit" => Kind::Shown,
        "waiting" => Kind::Waiting,
        "warning" if event.data["data"]["reason"].is_string() => Kind::Closing,
        "warning" => Kind::Warning,
        "stopped" => Kind::Stopped,
        "resumed" => Kind::Resumed,
        "title_complete" => Kind::Title,
        "complete" | "error" => Kind::Verdict,
        _ => return None,
    };
    let data = &event.data;
    Some(Row {
        run: data["run"].as_str()?.to_owned(),
        seq: data["seq"].as_i64()?,
        epoch: 1,
        key: data["data"]["key"].as_str().unwrap_or_default().to_owned(),
        kind,
        attempt: 0,
        at: data["at"].as_i64()?,
        digest: None,
        body: data["data"].to_string(),
        hash: [0; 32],
    })
}

#[test]
fn the_module_folds_events_as_the_server_does_and_survives_cuts_and_reloads() {
    let serving = Serving::bare();
    let folder = serving.house.path("client");
    std::fs::create_dir_all(&folder).expect("a folder");
    let module = serving.get("/client.js").is(200);
    assert_eq!(module.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert!(module.text().lines().count() < 200 && !module.text().contains("import "), "short, and without dependencies");
    std::fs::write(folder.join("client.mjs"), module.text()).expect("the module");
    std::fs::write(folder.join("client.test.mjs"), include_str!("client.test.mjs")).expect("its test");
    // Every event of a run in every mode, and what the server's own fold makes of it after each.
    let mut recorded = Vec::new();
    for mode in MODES {
        let mut body = rehearsal(mode.id);
        body["conversation"] = json!("new");
        let run = serving.begin(&body);
        let events: Vec<_> = serving.events(&run, 0).into_iter().filter(|event| event.id.is_some()).collect();
        let mut view = View::default();
        let mut states = Vec::new();
        for event in &events {
            let row = row(event).unwrap_or_else(|| panic!("{event:?}"));
            view.push(&row);
            states.push(Snapshot::of(&view, view.state, row.at));
        }
        let whole = serving.get(&format!("/v1/runs/{run}")).is(200).json();
        let last = serde_json::to_value(states.last().expect("events")).expect("JSON");
        for field in ["stages", "verdict", "title", "question", "elapsed_ms", "error", "mode", "conversation", "message"] {
            assert_eq!(last[field], whole[field], "{}: {field}", mode.id);
        }
        recorded.push(json!({"mode": mode.id, "events": events.iter().map(|event| &event.data).collect::<Vec<_>>(), "states": states}));
    }
    std::fs::write(folder.join("recorded.json"), json!(recorded).to_string()).expect("the recording");
    let node =
        Command::new("node").args(["--test", "client.test.mjs"]).current_dir(&folder).env("SYNOD_BASE", format!("http://{}", serving.addr)).output();
    let node = node.expect("Node.js is there: scripts/test installs it");
    let said = String::from_utf8_lossy(&node.stdout);
    assert!(node.status.success(), "{said}{}", String::from_utf8_lossy(&node.stderr));
    assert!(said.contains("# fail 0") && !said.contains("# tests 0"), "{said}");
}
