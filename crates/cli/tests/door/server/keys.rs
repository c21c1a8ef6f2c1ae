//! Who may come in, and whose runs are whose.

use crate::server::http::Request;
use crate::server::serving::{Serving, council, rehearsal};
use serde_json::{Value, json};
use synod_testkit::server::{ANY, Fault};

/// Every route that names a run, and a request that would do something there.
fn on_a_run(run: &str) -> Vec<Request> {
    let at = |rest: &str| format!("/v1/runs/{run}{rest}");
    let nothing = json!({});
    let approval = json!({"position_id": "a", "subject": "risk 1", "decision": "approve"});
    let mut all: Vec<Request> = ["", "/events", "/verdict", "/export", "/verify"].iter().map(|rest| Request::get(&at(rest))).collect();
    all.push(Request::get(&format!("/v1/collapse/{run}")));
    all.extend(["/resume", "/cancel", "/conclude", "/fork", "/continue"].iter().map(|rest| Request::post(&at(rest), &nothing)));
    all.push(Request::post(&at("/answers"), &json!({"answer": "yes"})));
    all.push(Request::post(&at("/approvals"), &approval));
    all.push(Request::post(&format!("/v1/collapse/{run}/approvals"), &approval));
    all.push(Request::new("DELETE", &at("")));
    all
}

#[test]
fn the_run_of_another_key_is_not_there_on_any_route() {
    let serving = Serving::bare();
    let (mine, theirs) = (serving.key(&[]), serving.key(&[]));
    let run = serving.send(Request::post("/v1/runs", &rehearsal("vote")).key(&mine)).is(201).json()["id"].as_str().expect("an id").to_owned();
    let local = serving.post("/v1/runs", &rehearsal("vote")).is(201).json()["id"].as_str().expect("an id").to_owned();
    let unknown = "01900000-0000-7000-8000-000000000000";
    for request in on_a_run(&run).into_iter().chain(on_a_run(&local)) {
        serving.send(request.key(&theirs)).fails(404, "not_found");
    }
    // Word for word what is said of one that never was.
    for (here, nowhere) in on_a_run(&run).into_iter().zip(on_a_run(unknown)) {
        let (here, nowhere) = (serving.send(here.key(&theirs)).text(), serving.send(nowhere.key(&theirs)).text());
        assert_eq!(here.replace(&run, "RUN"), nowhere.replace(unknown, "RUN"));
    }
    let listed = |key: Option<&str>| -> Vec<Value> {
        let request = key.map_or(Request::get("/v1/runs"), |key| Request::get("/v1/runs").key(key));
        serving.send(request).is(200).json()["runs"].as_array().expect("runs").clone()
    };
    assert_eq!(listed(Some(&theirs)).len(), 0);
    assert_eq!(listed(Some(&mine)).iter().map(|run| run["id"].clone()).collect::<Vec<_>>(), [json!(run)]);
    assert_eq!(listed(None).len(), 2, "the user of the machine sees everybody's");
    let admin = serving.key(&["--scopes", "admin"]);
    assert_eq!(listed(Some(&admin)).len(), 2);
    serving.send(Request::get(&format!("/v1/runs/{local}")).key(&admin)).is(200);
    // Usage is one's own too.
    let usage = |key: &str| serving.send(Request::get("/v1/usage").key(key)).is(200).json();
    assert_eq!(usage(&theirs)["days"], json!([]));
    assert_eq!(usage(&mine)["days"][0]["runs"], 1);
}

#[test]
fn a_key_opens_what_its_scopes_say_until_it_is_revoked() {
    let serving = Serving::bare();
    let (reader, runner, reviewer) = (serving.key(&["--scopes", "read"]), serving.key(&["--scopes", "run"]), serving.key(&["--scopes", "review"]));
    serving.send(Request::post("/v1/runs", &rehearsal("vote")).key(&reader)).fails(403, "forbidden");
    serving.send(Request::get("/v1/runs").key(&reader)).is(200);
    serving.send(Request::get("/v1/runs").key(&runner)).fails(403, "forbidden");
    serving.send(Request::get("/metrics").key(&reader)).fails(403, "forbidden");
    serving.send(Request::post("/v1/runs", &rehearsal("vote")).key(&runner)).is(201);
    serving.send(Request::get("/v1/modes").key(&reviewer)).fails(403, "forbidden");
    for wrong in ["synod_0000", "", &reader[..reader.len() - 1], "x y z"] {
        let refused = serving.send(Request::get("/v1/runs").key(wrong));
        assert!(refused.header("www-authenticate").is_some());
        refused.fails(401, "unauthorized");
    }
    serving.send(Request::get("/v1/runs").header("authorization", "Basic YTpi")).fails(401, "unauthorized");
    let keys = serving.house.synod(&["key", "list", "--json"]).exits(0).json();
    let of = |scope: &str| keys["keys"].as_array().expect("keys").iter().find(|key| key["scopes"] == json!([scope])).expect("a key").clone();
    let id = of("read")["id"].as_str().expect("an id").to_owned();
    assert!(!serving.house.synod(&["key", "list"]).out.contains(&reader), "the key itself is shown once");
    assert!(!std::fs::read(serving.house.db()).is_ok_and(|file| file.windows(reader.len()).any(|bytes| bytes == reader.as_bytes())));
    serving.house.synod(&["key", "revoke", &id]).exits(0);
    serving.send(Request::get("/v1/runs").key(&reader)).fails(401, "unauthorized");
    serving.house.synod(&["key", "revoke", &id]).exits(2);
    // What a proxy passes on was not sent by this machine's user.
    for name in ["x-forwarded-for", "forwarded", "via", "x-real-ip"] {
        serving.send(Request::get("/v1/runs").header(name, "8.8.8.8")).fails(401, "unauthorized");
    }
    serving.house.synod(&["key", "new", "ada", "--scopes", "reed"]).exits(2);
}

#[test]
fn without_a_key_nobody_is_let_in_who_is_not_of_this_machine() {
    let house = crate::house::House::bare();
    let did = house.synod(&["serve", "--addr", "0.0.0.0:0"]).exits(2);
    assert!(did.err.contains("synod key new"), "{}", did.err);
    let serving = Serving::bare();
    let key = serving.key(&[]);
    let serving = {
        let mut serving = serving;
        serving.terminate();
        serving.again(&["--require-key"]);
        serving
    };
    serving.get("/v1/runs").fails(401, "unauthorized");
    serving.get("/metrics").fails(401, "unauthorized");
    serving.post("/v1/runs", &rehearsal("vote")).fails(401, "unauthorized");
    serving.send(Request::get("/v1/runs").key(&key)).is(200);
    serving.get("/healthz").is(200);
    serving.get("/readyz").is(200);
    // A proxy on the same machine makes everybody look local: with one, everybody needs a key.
    for behind in ["trusted_proxies = [\"127.0.0.1\"]", "public_url = \"https://synod.example\"", "require_key = true"] {
        let house = crate::house::House::bare();
        house.write("config/synod/synod.toml", &format!("[server]\n{behind}\n"));
        house.synod(&["serve", "--addr", "127.0.0.1:0"]).exits(2);
    }
    // And nobody but the user says who may call.
    let house = crate::house::House::bare();
    house.write("work/synod.toml", "[server]\naddr = \"127.0.0.1:0\"\n");
    assert!(house.synod(&["serve"]).exits(2).err.contains("trusted"));
}

#[test]
fn the_same_request_twice_begins_one_run() {
    let serving = Serving::new();
    let key = serving.key(&[]);
    serving.house.server.script(ANY, Fault::latency_ms(100));
    let request = || Request::post("/v1/runs", &council()).header("idempotency-key", "abc");
    let first = serving.send(request().soon()).is(202).json();
    let again = serving.send(request().soon()).is(200).json();
    assert_eq!(again["id"], first["id"]);
    // Written otherwise, it says the same.
    let spaced = serde_json::to_string_pretty(&council()).expect("JSON");
    let spaced = Request::new("POST", "/v1/runs").header("content-type", "application/json").header("idempotency-key", "abc").body(spaced);
    assert_eq!(serving.send(spaced).is(200).json()["id"], first["id"]);
    let mut other = council();
    other["seed"] = json!(8);
    serving.send(Request::post("/v1/runs", &other).header("idempotency-key", "abc")).fails(422, "other_body");
    // What is wrong with a body is told, though the rest of it was sent before.
    let mut wrong = council();
    wrong["colour"] = json!("red");
    serving.send(Request::post("/v1/runs", &wrong).header("idempotency-key", "abc")).fails(400, "invalid");
    // Another key's idempotency keys are its own.
    let theirs = serving.send(request().soon().key(&key)).is(202).json();
    assert_ne!(theirs["id"], first["id"]);
    // Ten at once begin one run.
    let addr = serving.addr;
    let many: Vec<_> = (0..10)
        .map(|_| std::thread::spawn(move || Request::post("/v1/runs", &council()).header("idempotency-key", "def").soon().send(addr)))
        .collect();
    let answers: Vec<_> = many.into_iter().map(|one| one.join().expect("answered")).collect();
    let ids: std::collections::BTreeSet<String> = answers.iter().map(|answer| answer.json()["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    assert_eq!(answers.iter().filter(|answer| answer.status == 202).count(), 1);
    // A request that is wrong keeps no place under its key.
    let wrong = json!({"mode": "no_such_mode", "question": "x"});
    serving.send(Request::post("/v1/runs", &wrong).header("idempotency-key", "ghi")).fails(400, "invalid");
    serving.send(Request::post("/v1/runs", &council()).header("idempotency-key", "ghi").soon()).is(202);
}
