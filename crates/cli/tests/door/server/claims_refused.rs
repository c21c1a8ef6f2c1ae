//! Every way a request about claims is refused: its status, its code in the body and in the header, and never a 500.

use crate::server::claims::{Client, text};
use crate::server::http::Request;
use crate::server::serving::Serving;
use serde_json::{Value, json};

const PUBLIC_KEY: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAtKvs5V6FsMuT8ITx2yToGoH7W4hucSd7l82RIq8HY9I=\n-----END PUBLIC KEY-----\n";

#[test]
fn what_is_wrong_with_a_request_has_a_code() {
    let serving = Serving::with("[claims]\nclaims_per_minute = 1000\ncomments_per_minute = 1000\n", &[]);
    let ada = Client::agent(&serving, "ada");
    let claim = ada.claim("Tea is better", "prism-v1");
    // Keys.
    serving.send(Request::get("/api/v1/claims").key("synod_0000")).refuses(401, "invalid_api_key");
    serving.send(Request::get("/api/v1/claims").header("authorization", "Basic YTpi")).refuses(401, "invalid_api_key");
    serving.post("/api/v1/claims", &json!({})).refuses(401, "missing_token");
    // Paths and methods.
    for path in ["", "/", "/nothing", "/claims/x/y", "/jobs/claims", "/claims/x/votes"] {
        ada.get(path).refuses(404, "not_found");
    }
    let other = serving.send(Request::new("PUT", "/api/v1/claims").key(&ada.key));
    assert!(other.header("allow").is_some_and(|allow| allow.contains("GET") && allow.contains("POST")));
    other.refuses(405, "method_not_allowed");
    serving.send(Request::new("DELETE", "/api/v1/comments/x").key(&ada.key)).refuses(410, "endpoint_deprecated");
    ada.get("/claims/%00").refuses(404, "not_found");
    ada.post("/claims/%FF/stage-slots/x/take", &json!({})).refuses(404, "not_found");
    // Whoever calls by another name, or from a page of another site.
    serving.send(Request::get("/api/v1/claims").header("host", "evil.example")).refuses(421, "wrong_host");
    let foreign = Request::post("/api/v1/claims", &json!({})).key(&ada.key).header("origin", "https://evil.example");
    serving.send(foreign).refuses(403, "foreign_origin");
    // Bodies.
    let body = |kind: &str, bytes: &[u8]| serving.send(Request::new("POST", "/api/v1/claims").key(&ada.key).header("content-type", kind).body(bytes));
    body("text/plain", b"{}").refuses(415, "invalid_content_type");
    body("application/json", b"{").refuses(400, "invalid_json");
    body("application/json", b"\xff\xfe").refuses(400, "invalid_json");
    body("application/json", b"[1]").refuses(400, "invalid_payload");
    body("application/json", b"").refuses(400, "invalid_payload");
    body("application/json", &vec![b' '; 10 * 1024 * 1024 + 1]).refuses(413, "too_large");
    let with = |name: &str, value: Value| {
        let mut body = json!({"title": "T", "body": "B"});
        body[name] = value;
        ada.post("/claims", &body)
    };
    let wrong: [(&str, Value); 12] = [
        ("title", json!("a\0b")),
        ("title", json!("t".repeat(301))),
        ("title", json!(" ")),
        ("title", json!(3)),
        ("body", json!("b".repeat(20_001))),
        ("protocol", json!("a\0")),
        ("authorModel", json!("m".repeat(201))),
        ("authorModel", json!("m\0")),
        ("sources", json!([{"url": "ftp://a.example"}])),
        ("sources", json!([{"url": "https://a.example/\0"}])),
        ("sources", json!(vec![json!({"url": "https://a.example"}); 21])),
        ("x\0", json!(1)),
    ];
    for (name, value) in wrong {
        let message = with(name, value).refuses(400, "invalid_payload");
        assert!(message.contains(name.trim_end_matches('\0')), "{name}: {message}");
    }
    with("protocol", json!("nope")).refuses(404, "protocol_not_found");
    // Parameters.
    ada.get("/claims?sort=best").refuses(400, "invalid_sort");
    ada.get("/protocols/prism-v1/claims?sort=best").refuses(400, "invalid_sort");
    ada.get(&format!("/claims/{claim}/comments?sort=best")).refuses(400, "invalid_sort");
    for query in ["limit=0", "limit=501", "limit=x", "q=", "q=%00", "cursor=x", "sort=top&cursor=1.a", "colour=red"] {
        ada.get(&format!("/claims?{query}")).refuses(400, "invalid_payload");
    }
    ada.get(&format!("/claims?q={}", "q".repeat(501))).refuses(400, "invalid_payload");
    for layer in ["x", "-1", "100", "1.5", ""] {
        ada.get(&format!("/jobs/work?layer={layer}")).refuses(400, "invalid_layer");
        ada.get(&format!("/jobs/peek?layer={layer}")).refuses(400, "invalid_layer");
    }
    ada.get("/jobs/work?type=play").refuses(400, "invalid_payload");
    ada.get("/leaderboard?limit=101").refuses(400, "invalid_payload");
    // What is not there.
    ada.get("/claims?protocolId=nope").refuses(404, "protocol_not_found");
    ada.get("/protocols/nope").refuses(404, "protocol_not_found");
    ada.get("/protocols/nope/claims").refuses(404, "protocol_not_found");
    for path in ["", "/pipeline", "/slots", "/comments", "/consensus", "/consensus/history", "/export"] {
        ada.get(&format!("/claims/nope{path}")).refuses(404, "claim_not_found");
    }
    ada.get(&format!("/claims/{claim}/consensus")).refuses(404, "consensus_not_found");
    ada.post(&format!("/claims/{claim}/comments"), &json!({"body": "x", "parentCommentId": "nope"})).refuses(404, "comment_not_found");
    ada.get("/jobs/work?layer=9").refuses(404, "no_slots");
    ada.get("/jobs/peek?role=king").refuses(404, "no_slots");
    ada.get("/jobs/slots").refuses(404, "no_slots");
    ada.post(&format!("/claims/{claim}/stage-slots/nope/take"), &json!({})).refuses(404, "slot_not_found");
    ada.post("/claims/nope/stage-slots/nope/take", &json!({})).refuses(404, "claim_not_found");
    // Said twice.
    ada.post("/claims", &json!({"title": "Tea is better", "body": "It is said so."})).refuses(409, "duplicate_spam");
    let comment = json!({"body": "Green."});
    ada.post(&format!("/claims/{claim}/comments"), &comment).is(201);
    ada.post(&format!("/claims/{claim}/comments"), &comment).refuses(409, "duplicate_spam");
    ada.post(&format!("/claims/{claim}/comments"), &json!({"body": "x", "commentType": "song"})).refuses(400, "invalid_payload");
    for confidence in [json!(0.72), json!(101), json!(-1), json!("high")] {
        let record = json!({"summary": "s", "keyPoints": [], "confidence": confidence});
        ada.post(&format!("/claims/{claim}/consensus"), &record).refuses(400, "invalid_payload");
    }
    for key in [json!({}), json!({"signingKeyAddress": "0x12"}), json!({"publicKey": "PEM"}), json!({"publicKey": "k".repeat(5000)})] {
        ada.post("/agent/signing-key", &key).refuses(400, "invalid_payload");
    }
    // Each code has its page.
    for code in ["slot_conflict", "no_slots", "internal_error", "claim_create_limited"] {
        assert!(serving.get(&format!("/errors/{code}")).is(200).text().starts_with(&format!("# {code}")));
    }
}

#[test]
fn what_a_slot_refuses_has_a_code() {
    let serving = Serving::bare();
    let (ada, bo) = (Client::agent(&serving, "ada"), Client::agent(&serving, "bo"));
    ada.claim("Tea is better", "prism-v1");
    let (slot, job) = ada.take();
    let other = job["slot"]["_id"].clone();
    bo.post(&format!("{slot}/take"), &json!({})).refuses(409, "slot_conflict");
    // The other slot of the layer is not for whoever has one.
    let open = bo.get(&format!("/claims/{}/slots", text(&job["claim"]["id"]))).is(200).json();
    let second = open["items"].as_array().expect("slots").iter().find(|slot| slot["_id"] != other).map(|slot| text(&slot["_id"])).expect("two slots");
    let second = format!("/claims/{}/stage-slots/{second}", text(&job["claim"]["id"]));
    ada.post(&format!("{second}/take"), &json!({})).refuses(409, "slot_conflict");
    bo.post(&format!("{slot}/done"), &json!({"output": "x"})).refuses(403, "forbidden");
    bo.post(&format!("{slot}/heartbeat"), &json!({})).refuses(403, "forbidden");
    let wrong = [
        json!({}),
        json!({"output": ""}),
        json!({"output": "x", "confidence": 1.2}),
        json!({"output": "x", "confidence": "high"}),
        json!({"output": "x", "structuredOutput": [1]}),
        json!({"output": "x", "structuredOutput": {"a": {"b": "\0"}}}),
        json!({"output": "x".repeat(50_001)}),
        json!({"output": "x", "structuredOutput": {"a": "x".repeat(70_000)}}),
        json!({"output": "x", "outputSignature": "x".repeat(2_000)}),
        json!({"output": "a\0b"}),
    ];
    for body in wrong {
        ada.post(&format!("{slot}/done"), &body).refuses(400, "invalid_payload");
    }
    ada.post(&format!("{slot}/done"), &json!({"output": "x", "leaseId": "another"})).refuses(409, "lease_expired");
    ada.post("/agent/signing-key", &json!({"publicKey": PUBLIC_KEY})).is(200);
    ada.post(&format!("{slot}/done"), &json!({"output": "x", "outputSignature": "bm9uZQ=="})).refuses(400, "bad_signature");
    for _ in 0..3 {
        ada.post(&format!("{slot}/heartbeat"), &json!({})).is(200);
    }
    ada.post(&format!("{slot}/heartbeat"), &json!({})).refuses(409, "slot_conflict");
    // Time passes.
    serving.house.sql("UPDATE claim_slots SET lease_expires_at = 1 WHERE status = 'taken'");
    ada.post(&format!("{slot}/done"), &json!({"output": "x"})).refuses(409, "lease_expired");
    bo.post(&format!("{slot}/take"), &json!({})).is(200);
    ada.post(&format!("{slot}/done"), &json!({"output": "x"})).refuses(409, "lease_expired");
    bo.post(&format!("{slot}/done"), &json!({"output": "x"})).is(200);
    bo.post(&format!("{slot}/done"), &json!({"output": "x"})).refuses(400, "slot_done_failed");
    // Of those who take one slot at the same moment one gets it.
    let agents: Vec<Client> = (0..8).map(|n| Client::agent(&serving, &format!("agent {n}"))).collect();
    let taken: Vec<u16> = std::thread::scope(|scope| {
        let many: Vec<_> = agents.iter().map(|agent| scope.spawn(|| agent.post(&format!("{second}/take"), &json!({})).status)).collect();
        many.into_iter().map(|one| one.join().expect("answered")).collect()
    });
    assert_eq!((taken.iter().filter(|status| **status == 200).count(), taken.iter().filter(|status| **status == 409).count()), (1, 7), "{taken:?}");
    // The consensus seats come next, and need a number.
    let winner = &agents[taken.iter().position(|status| *status == 200).expect("one has it")];
    winner.post(&format!("{second}/done"), &json!({"output": "x"})).is(200);
    let (seat, _) = agents.iter().find(|agent| agent.key != winner.key).expect("another").take();
    let scorer = agents.iter().find(|agent| agent.key != winner.key).expect("another");
    let message = scorer.post(&format!("{seat}/done"), &json!({"output": "x"})).refuses(400, "invalid_payload");
    assert!(message.contains("confidence"), "{message}");
}

#[test]
fn so_many_claims_comments_and_requests_a_minute() {
    let serving = Serving::with("[claims]\ncomments_per_minute = 2\n", &[]);
    let ada = Client::agent(&serving, "ada");
    // What is refused takes no place.
    for _ in 0..3 {
        ada.post("/claims", &json!({"title": "", "body": "x"})).refuses(400, "invalid_payload");
    }
    let claim = ada.claim("Tea is better", "prism-v1");
    let limited = ada.post("/claims", &json!({"title": "Another", "body": "x"}));
    assert_eq!(limited.header("retry-after"), Some("60"));
    limited.refuses(429, "claim_create_limited");
    for n in 0..2 {
        ada.post(&format!("/claims/{claim}/comments"), &json!({"body": format!("Number {n}")})).is(201);
    }
    let limited = ada.post(&format!("/claims/{claim}/comments"), &json!({"body": "Number 3"}));
    assert_eq!(limited.header("retry-after"), Some("60"));
    limited.refuses(429, "comment_create_limited");
    // An admin's key is a person's, and not counted.
    let admin = Client::new(&serving, "ops", "admin");
    for n in 0..3 {
        let claim = admin.post("/claims", &json!({"title": format!("Claim {n}"), "body": "x"})).is(201).json();
        assert_eq!(claim["authorType"], "human");
    }
    let hasty = serving.key(&["--scopes", "work", "--requests-per-minute", "2"]);
    let ask = || serving.send(Request::get("/api/v1/jobs/peek").key(&hasty));
    ask().is(200);
    ask().is(200);
    let limited = ask();
    assert_eq!(limited.header("retry-after"), Some("60"));
    limited.refuses(429, "auth_rate_limited");
}
