//! Signing in by a code: one key for one approval, nothing for anybody else, and no way to try codes.

use crate::server::claims::{Client, text};
use crate::server::http::{Answer, Request};
use crate::server::serving::Serving;
use serde_json::{Value, json};

fn begin(serving: &Serving, body: &Value) -> (String, String) {
    let codes = serving.post("/api/v1/auth/device-code", body).is(200).json();
    assert_eq!((&codes["expiresIn"], &codes["interval"]), (&json!(900), &json!(5)));
    assert_eq!(codes["verificationUri"], json!(format!("http://{}/device", serving.addr)));
    (text(&codes["deviceCode"]), text(&codes["userCode"]))
}

fn poll(serving: &Serving, device: &str) -> Answer {
    serving.post("/api/v1/auth/token", &json!({"deviceCode": device}))
}

#[test]
fn an_agent_signs_in_once_somebody_has_approved_it() {
    let serving = Serving::bare();
    let (device, code) = begin(&serving, &json!({"scopes": ["claim:new", "admin"], "agentName": "scout", "agentModel": "m-1", "avatarUrl": "x"}));
    assert!(code.len() == 9 && code[..4].bytes().all(|b| b.is_ascii_uppercase()) && code[5..].bytes().all(|b| b.is_ascii_digit()), "{code}");
    assert_eq!(poll(&serving, &device).is(202).json(), json!({"status": "pending"}));
    assert!(serving.get("/device").is(200).text().contains("synod key approve CODE"));
    let approved = serving.house.synod(&["key", "approve", &code.to_lowercase(), "--owner", "ada", "--json"]).exits(0).json();
    assert_eq!((&approved["agent"], &approved["owner"], &approved["model"]), (&json!("scout"), &json!("ada"), &json!("m-1")));
    assert!(serving.house.synod(&["key", "approve", &code]).exits(2).err.contains("approved already"));
    let signed_in = poll(&serving, &device).is(200).json();
    assert_eq!((&signed_in["status"], &signed_in["scopes"]), (&json!("approved"), &json!(["read", "work"])));
    poll(&serving, &device).refuses(410, "consumed_token");
    poll(&serving, "nope").refuses(404, "invalid_device_code");
    serving.post("/api/v1/auth/token", &json!({})).refuses(400, "invalid_payload");
    assert!(serving.house.synod(&["key", "approve", &code]).exits(2).err.contains("handed out"));
    serving.house.synod(&["key", "approve", "BCDF-9999"]).exits(2);
    serving.house.synod(&["key", "approve", "nonsense"]).exits(2);
    let keys = serving.house.synod(&["key", "list", "--json"]).exits(0).json();
    let key = &keys["keys"][0];
    assert_eq!((&key["owner"], &key["scopes"], &key["limits"]["requests_per_minute"]), (&json!("ada"), &json!(["read", "work"]), &json!(60)));
    // Neither the key nor the code is kept as it is.
    let file = std::fs::read(serving.house.db()).expect("a database");
    let secret = text(&signed_in["apiKey"]);
    for hidden in [&secret, &device] {
        assert!(!file.windows(hidden.len()).any(|bytes| bytes == hidden.as_bytes()));
    }
    // What it said of itself stands by what it does; the owner counts its points.
    let scout = Client { serving: &serving, key: secret };
    let claim = scout.claim("Tea is better", "prism-v1");
    let shown = scout.get(&format!("/claims/{claim}")).is(200).json();
    assert_eq!((&shown["authorName"], &shown["authorModel"], &shown["authorType"]), (&json!("scout"), &json!("m-1"), &json!("ai")));
    scout.take();
    let slots = scout.get(&format!("/claims/{claim}/slots")).is(200).json();
    let mine = slots["items"].as_array().expect("slots").iter().find(|slot| slot["status"] == "taken").expect("one is taken");
    assert_eq!((&mine["agentName"], &mine["agentModel"], &mine["owner"]), (&json!("scout"), &json!("m-1"), &json!("ada")));
    assert_eq!(scout.get("/agent/balance").is(200).json()["owner"], "ada");
}

#[test]
fn of_all_who_ask_at_once_one_gets_the_key() {
    let serving = Serving::bare();
    let admin = Client::new(&serving, "ops", "admin");
    let (device, code) = begin(&serving, &json!({"agentName": "scout"}));
    let agent = Client::agent(&serving, "ada");
    agent.post("/auth/approve", &json!({"userCode": code})).refuses(403, "missing_scope");
    let approved = admin.post("/auth/approve", &json!({"userCode": code})).is(200).json();
    assert_eq!(approved["owner"], "scout", "without an owner it goes by its own name");
    admin.post("/auth/approve", &json!({"userCode": code})).refuses(409, "already_approved");
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let many: Vec<_> = (0..8).map(|_| scope.spawn(|| poll(&serving, &device))).collect();
        many.into_iter().map(|one| one.join().expect("answered")).collect()
    });
    let (got, late): (Vec<Answer>, Vec<Answer>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(got.len(), 1);
    for answer in late {
        answer.refuses(410, "consumed_token");
    }
    assert_eq!(serving.house.count("SELECT COUNT(*) FROM access_keys WHERE owner = 'scout'"), 1);
    serving.send(Request::get("/api/v1/claims").key(&text(&got[0].json()["apiKey"]))).is(200);
}

#[test]
fn codes_run_out_and_so_does_the_room_for_them() {
    let serving = Serving::bare();
    let admin = Client::new(&serving, "ops", "admin");
    let ((pending, code), (approved, second)) = (begin(&serving, &json!({})), begin(&serving, &json!({})));
    admin.post("/auth/approve", &json!({"userCode": second, "owner": "ada"})).is(200);
    serving.house.sql("UPDATE device_codes SET expires_at = 1");
    for device in [&pending, &approved] {
        poll(&serving, device).refuses(410, "expired_token");
    }
    admin.post("/auth/approve", &json!({"userCode": code})).refuses(410, "expired_token");
    assert!(serving.house.synod(&["key", "approve", &code]).exits(2).err.contains("run out"));
    // A thousand wait: those that have run out give way, the oldest first.
    serving.house.sql(concat!(
        "INSERT INTO device_codes (device_sha256, user_code, agent_name, scopes, status, created_at, expires_at)",
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 998)",
        " SELECT 'hash ' || i, 'code ' || i, 'x', '', 'pending', 0, 9000000000000 FROM n"
    ));
    begin(&serving, &json!({}));
    begin(&serving, &json!({}));
    assert_eq!(serving.house.count("SELECT COUNT(*) FROM device_codes"), 1000);
    let full = serving.post("/api/v1/auth/device-code", &json!({}));
    assert_eq!(full.header("retry-after"), Some("60"));
    full.refuses(429, "auth_rate_limited");
    poll(&serving, &pending).refuses(404, "invalid_device_code");
}

#[test]
fn codes_cannot_be_tried_out() {
    let serving = Serving::bare();
    let admin = Client::new(&serving, "ops", "admin");
    let (device, code) = begin(&serving, &json!({}));
    for wrong in [json!({"agentName": "a\0"}), json!({"agentName": "a".repeat(201)}), json!({"agentModel": 3})] {
        serving.post("/api/v1/auth/device-code", &wrong).refuses(400, "invalid_payload");
    }
    for n in 0..10 {
        admin.post("/auth/approve", &json!({"userCode": format!("BCDF-{}", 2222 + n)})).refuses(404, "invalid_device_code");
    }
    admin.post("/auth/approve", &json!({"userCode": code})).refuses(429, "auth_rate_limited");
    // Whoever asks too fast is told so, by the code that clients go on after.
    for _ in 0..20 {
        poll(&serving, &device).is(202);
    }
    let slow = poll(&serving, &device);
    assert_eq!(slow.header("retry-after"), Some("60"));
    slow.refuses(429, "slow_down");
    for _ in 0..39 {
        poll(&serving, "another");
    }
    poll(&serving, "yet another").refuses(429, "slow_down");
    for _ in 0..20 {
        serving.post("/api/v1/auth/device-code", &json!({}));
    }
    serving.post("/api/v1/auth/device-code", &json!({})).refuses(429, "auth_rate_limited");
}
