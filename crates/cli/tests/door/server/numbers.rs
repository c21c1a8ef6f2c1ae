//! Numbers over HTTP and in the terminal: whose runs, which of them, and the runs behind each.

use crate::server::http::Request;
use crate::server::serving::{Serving, rehearsal};
use serde_json::{Value, json};
use synod_modes::MODES;

#[test]
fn numbers_count_what_was_run_and_name_the_runs_behind_them() {
    let serving = Serving::bare();
    let mut runs = Vec::new();
    for mode in MODES {
        runs.push((mode.id, serving.post("/v1/runs", &rehearsal(mode.id)).is(201).json()["id"].as_str().expect("an id").to_owned()));
    }
    assert_eq!(serving.get("/v1/analytics").is(200).json()["runs"], 0, "voices are no models");
    for range in ["7d", "30d", "90d", "all"] {
        let numbers = serving.get(&format!("/v1/analytics?rehearsals=true&range={range}")).is(200).json();
        assert_eq!((numbers["runs"].as_u64(), numbers["range"].as_str()), (Some(MODES.len() as u64), Some(range)));
        assert_eq!(numbers["days"].as_array().map(Vec::len), Some(1));
    }
    let numbers = serving.get("/v1/analytics?rehearsals=true").is(200).json();
    for (mode, run) in &runs {
        let entry = numbers["modes"].as_array().expect("modes").iter().find(|entry| entry["mode"] == *mode).unwrap_or_else(|| panic!("{mode}"));
        assert_eq!(entry["run_ids"], json!([run]), "{mode}");
        let figures = entry["figures"].as_array().expect("figures");
        assert!(mode.contains("council") || !figures.is_empty(), "{mode} has no figures");
        for figure in figures {
            assert!(
                figure["n"].as_u64() >= Some(1) && figure["runs"] == 1 && figure["run_ids"] == json!([run]) && figure["what"].is_string(),
                "{mode}: {figure}"
            );
            let name = figure["name"].as_str().expect("a name");
            let behind = serving.get(&format!("/v1/analytics/runs?rehearsals=true&mode={mode}&figure={name}")).is(200).json();
            assert_eq!(behind["runs"][0]["run"].as_str(), Some(run.as_str()), "{mode} {name}: {behind}");
        }
    }
    for entry in numbers["models"].as_array().expect("models") {
        let all = &entry["all"];
        assert!(all["turns"].as_u64() > Some(0) && all["response"]["n"].as_u64() > Some(0) && all["usd"] == 0.0, "{entry}");
        assert!(all["wins"]["value"].as_f64().is_none_or(|value| (0.0..=1.0).contains(&value)), "{entry}");
        assert!(entry["modes"].as_object().is_some_and(|modes| !modes.is_empty()), "{entry}");
    }
    let vote = serving.get("/v1/analytics?rehearsals=true&mode=vote").is(200).json();
    assert_eq!((vote["runs"].as_u64(), vote["modes"].as_array().map(Vec::len)), (Some(1), Some(1)));
    let name = numbers["models"][0]["model"].as_str().expect("a model");
    let one = serving.get(&format!("/v1/analytics?rehearsals=true&model={name}")).is(200).json();
    assert_eq!(one["models"].as_array().map(Vec::len), Some(1));
    // The terminal says the same.
    let told = serving.house.synod(&["stats", "--rehearsals", "--json"]).exits(0).out;
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told, serving.get("/v1/analytics?rehearsals=true").is(200).json());
    let page = serving.house.synod(&["stats", "--rehearsals"]).exits(0).out;
    for mode in MODES {
        let run = &runs.iter().find(|(id, _)| *id == mode.id).expect("a run").1;
        assert!(page.contains(&format!("\n{}: 1 run ({}) (", mode.id, &run[run.len() - 8..])), "{}\n{page}", mode.id);
    }
    assert!(page.contains("margin") && page.contains("n 1, 1 run") && page.contains("half of"), "{page}");
    // A deleted run counts no more.
    Request::new("DELETE", &format!("/v1/runs/{}", runs[0].1)).send(serving.addr).is(204);
    assert_eq!(serving.get("/v1/analytics?rehearsals=true").json()["runs"], MODES.len() - 1);
    for query in ["range=8d", "mode=jurry", "rehearsals=maybe", "colour=red"] {
        serving.get(&format!("/v1/analytics?{query}")).fails(400, "invalid");
    }
    for query in ["label=x", "limit=0", "after=x"] {
        serving.get(&format!("/v1/analytics/runs?{query}")).fails(400, "invalid");
    }
    serving.house.synod(&["stats", "--range", "8d"]).exits(2);
    serving.house.synod(&["stats", "--mode", "jurry"]).exits(2);
}

#[test]
fn a_key_sees_its_own_numbers() {
    let serving = Serving::keyed();
    let (ada, bob, admin) = (serving.key(&[]), serving.key(&[]), serving.key(&["--scopes", "admin"]));
    for _ in 0..3 {
        Request::post("/v1/runs", &rehearsal("vote")).key(&ada).send(serving.addr).is(201);
    }
    Request::post("/v1/runs", &rehearsal("vote")).key(&bob).send(serving.addr).is(201);
    let runs = |key: &str| Request::get("/v1/analytics?rehearsals=true").key(key).send(serving.addr).is(200).json()["runs"].as_u64();
    assert_eq!((runs(&ada), runs(&bob), runs(&admin)), (Some(3), Some(1), Some(4)));
    let page = Request::get("/v1/analytics/runs?rehearsals=true&limit=2").key(&ada).send(serving.addr).is(200).json();
    let next = page["next"].as_str().expect("another page");
    let rest = Request::get(&format!("/v1/analytics/runs?rehearsals=true&limit=2&after={next}")).key(&ada).send(serving.addr).is(200).json();
    assert_eq!((page["runs"].as_array().map(Vec::len), rest["runs"].as_array().map(Vec::len)), (Some(2), Some(1)));
}
