//! Conversations over HTTP: made, found, named, exported, deleted, and nobody else's.

use crate::server::http::Request;
use crate::server::serving::{Serving, rehearsal};
use serde_json::{Value, json};

fn patch(path: &str, body: &Value) -> Request {
    Request::new("PATCH", path)
        .header("content-type", "application/json")
        .header("content-length", &body.to_string().len().to_string())
        .body(body.to_string())
}

#[test]
fn a_conversation_is_made_named_gone_on_with_exported_and_deleted() {
    let serving = Serving::bare();
    let made = serving.post("/v1/conversations", &json!({})).is(201);
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(made.header("location"), Some(format!("/v1/conversations/{id}").as_str()));
    assert_eq!((made.json()["mode"].clone(), made.json()["messages"].clone()), (Value::Null, json!(0)));
    // Its first message fixes its mode and gives it a title.
    let mut body = rehearsal("vote");
    body["conversation"] = json!(id);
    let first = serving.post("/v1/runs", &body).is(201).json();
    let talk = serving.get(&format!("/v1/conversations/{id}")).is(200).json();
    assert_eq!((talk["mode"].as_str(), talk["title"].as_str()), (Some("vote"), first["title"].as_str()));
    body["mode"] = json!("council");
    let problem = serving.post("/v1/runs", &body).fails(400, "invalid");
    assert_eq!(problem["errors"][0]["field"], "conversation");
    // A name stays.
    let path = format!("/v1/conversations/{id}");
    assert_eq!(patch(&path, &json!({"title": "  Cron,\n or not "})).send(serving.addr).is(200).json()["title"], "Cron, or not");
    for wrong in [json!({"title": "  "}), json!({}), json!({"title": 7}), json!({"title": "x".repeat(201)})] {
        patch(&path, &wrong).send(serving.addr).fails(400, "invalid");
    }
    body["mode"] = json!("vote");
    serving.post("/v1/runs", &body).is(201);
    assert_eq!(serving.get(&path).is(200).json()["title"], "Cron, or not");
    // Exported whole.
    let export = serving.get(&format!("{path}/export")).is(200);
    let text = export.text();
    assert_eq!(export.header("content-disposition"), Some("attachment; filename=\"cron-or-not.md\""));
    assert!(text.starts_with("# Cron, or not\n") && text.matches("\n## Should a small team").count() == 2, "{}", &text[..300]);
    let answer = first["verdict"]["answer"]["text"].as_str().expect("an answer");
    assert!(text.contains(answer.lines().next().expect("a line")), "the answers are in it");
    let json = serving.get(&format!("{path}/export?format=json")).is(200).json();
    assert!(json["messages"].as_array().is_some_and(|messages| messages.len() == 4) && json["messages"][1]["stages"].is_array(), "{json}");
    // A fork in another mode is no part of it, and keeps its parent.
    let run = first["id"].as_str().expect("an id");
    let fork = serving.post(&format!("/v1/runs/{run}/fork"), &json!({"mode": "council"})).is(201).json()["id"].as_str().expect("an id").to_owned();
    let gone = Request::new("DELETE", &path).send(serving.addr).is(200).json();
    assert_eq!((gone["kept"].clone(), gone["frozen_in"].clone()), (json!([run]), json!([run, fork])));
    assert_eq!(gone["deleted"].as_array().map(Vec::len), Some(1));
    serving.get(&path).fails(404, "not_found");
    serving.get(&format!("/v1/runs/{}", gone["deleted"][0].as_str().expect("a run"))).fails(410, "gone");
    assert_eq!(serving.get(&format!("/v1/runs/{run}/verify")).is(200).json()["intact"], true);
    Request::new("DELETE", &path).send(serving.addr).fails(404, "not_found");
}

#[test]
fn conversations_come_by_page_and_only_to_those_they_belong_to() {
    let serving = Serving::keyed();
    let (ada, bob) = (serving.key(&["--scopes", "read,run"]), serving.key(&["--scopes", "read,run"]));
    let mut ids = Vec::new();
    for n in 0..5 {
        let made =
            Request::post("/v1/conversations", &json!({"title": format!("Number {n}"), "mode": "council"})).key(&ada).send(serving.addr).is(201);
        ids.push(made.json()["id"].as_str().expect("an id").to_owned());
        std::thread::sleep(std::time::Duration::from_millis(3));
    }
    let (mut seen, mut path) = (Vec::new(), "/v1/conversations?limit=2".to_owned());
    loop {
        let page = Request::get(&path).key(&ada).send(serving.addr).is(200).json();
        seen.extend(page["conversations"].as_array().expect("a page").iter().map(|each| each["id"].as_str().expect("an id").to_owned()));
        match page["next"].as_str() {
            Some(next) => path = format!("/v1/conversations?limit=2&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ids.iter().rev().cloned().collect::<Vec<_>>());
    let of_bob = Request::get("/v1/conversations").key(&bob).send(serving.addr).is(200).json();
    assert_eq!(of_bob["conversations"], json!([]));
    let path = format!("/v1/conversations/{}", ids[0]);
    for request in
        [Request::get(&path), Request::get(&format!("{path}/export")), patch(&path, &json!({"title": "mine"})), Request::new("DELETE", &path)]
    {
        request.key(&bob).send(serving.addr).fails(404, "not_found");
    }
    let mut body = rehearsal("council");
    body["conversation"] = json!(ids[0]);
    Request::post("/v1/runs", &body).key(&bob).send(serving.addr).fails(404, "not_found");
    for query in ["limit=0", "limit=201", "after=x", "mode=jurry", "colour=red"] {
        Request::get(&format!("/v1/conversations?{query}")).key(&ada).send(serving.addr).fails(400, "invalid");
    }
    Request::post("/v1/conversations", &json!({"mode": "jurry"})).key(&ada).send(serving.addr).fails(400, "invalid");
    let reader = serving.key(&["--scopes", "read"]);
    Request::post("/v1/conversations", &json!({})).key(&reader).send(serving.addr).fails(403, "forbidden");
}

#[test]
fn one_with_a_run_under_way_is_not_deleted_and_two_first_messages_agree_on_a_mode() {
    let serving = Serving::new();
    serving.house.server.script(synod_testkit::server::ANY, synod_testkit::server::Fault::latency_ms(700));
    let id = serving.post("/v1/conversations", &json!({"title": "A race"})).is(201).json()["id"].as_str().expect("an id").to_owned();
    let ask = |mode: &str| json!({"mode": mode, "question": "Tea?", "models": ["x/a", "x/b", "x/c"], "conversation": id});
    let both: Vec<u16> = std::thread::scope(|threads| {
        let ask = |mode: &'static str| {
            let (body, addr) = (ask(mode), serving.addr);
            threads.spawn(move || Request::post("/v1/runs", &body).soon().send(addr).status)
        };
        let both = [ask("vote"), ask("council")];
        both.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    let begun = both.iter().filter(|status| **status == 202).count();
    assert_eq!((begun, both.iter().filter(|status| **status == 400).count()), (1, 1), "{both:?}");
    Request::new("DELETE", &format!("/v1/conversations/{id}")).send(serving.addr).fails(409, "under_way");
    let run = serving.get("/v1/runs").json()["runs"][0]["id"].as_str().expect("a run").to_owned();
    serving.until(&run, &["complete"]);
    assert_eq!(serving.get(&format!("/v1/conversations/{id}")).json()["title"], "A race", "it was named");
    let gone = Request::new("DELETE", &format!("/v1/conversations/{id}")).send(serving.addr).is(200).json();
    assert_eq!(gone["deleted"], json!([run]));
}
