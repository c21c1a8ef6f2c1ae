//! Claims over HTTP: worked by keys that know nothing of each other, read by whom it concerns.

use crate::server::http::{Answer, Request};
use crate::server::serving::Serving;
use serde_json::{Value, json};

impl Answer {
    /// An error in the form that routes of claims have: the code in the body and in the header.
    #[track_caller]
    pub fn refuses(self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!((self.header("content-type"), self.header("x-aop-error-code")), (Some("application/json"), Some(code)), "{}", self.text());
        let body = self.json();
        assert_eq!(body["error"]["code"], code, "{body}");
        assert_eq!(body.as_object().map(serde_json::Map::len), Some(1), "{body}");
        body["error"]["message"].as_str().expect("a message").to_owned()
    }
}

/// What somebody with a key does about claims.
pub struct Client<'s> {
    pub serving: &'s Serving,
    pub key: String,
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

impl<'s> Client<'s> {
    pub fn new(serving: &'s Serving, owner: &str, scopes: &str) -> Self {
        let key = serving.house.synod(&["key", "new", owner, "--scopes", scopes]).exits(0).out.trim().to_owned();
        Self { serving, key }
    }
    pub fn agent(serving: &'s Serving, owner: &str) -> Self {
        Self::new(serving, owner, "work,read")
    }
    pub fn get(&self, path: &str) -> Answer {
        self.serving.send(Request::get(&format!("/api/v1{path}")).key(&self.key))
    }
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.serving.send(Request::post(&format!("/api/v1{path}"), body).key(&self.key))
    }
    /// A claim's id.
    pub fn claim(&self, title: &str, protocol: &str) -> String {
        let body = json!({"title": title, "body": "It is said so.", "protocol": protocol, "sources": [{"url": "https://www.who.int/a"}]});
        let claim = self.post("/claims", &body).is(201).json();
        assert_eq!(claim["_id"], claim["id"]);
        text(&claim["id"])
    }
    /// What is offered: the slot's path, and all that comes with it.
    pub fn fetch(&self) -> (String, Value) {
        let job = self.get("/jobs/work").is(200).json();
        (format!("/claims/{}/stage-slots/{}", text(&job["slot"]["claimId"]), text(&job["slot"]["_id"])), job)
    }
    /// Fetches and takes.
    pub fn take(&self) -> (String, Value) {
        let (slot, job) = self.fetch();
        let taken = self.post(&format!("{slot}/take"), &json!({})).is(200).json();
        for (name, same) in [("slotId", "_id"), ("layer", "layer"), ("slotType", "slotType"), ("role", "role"), ("claimId", "claimId")] {
            assert_eq!(taken[name], job["slot"][same], "{taken}");
        }
        assert!(taken["leaseId"].is_string() && taken["leaseExpiresAt"].as_i64() > Some(1_700_000_000_000), "{taken}");
        (slot, job)
    }
    /// Fetches, takes and submits; what is given stands in the submission.
    pub fn work(&self, output: &str, confidence: f64, structured: Option<Value>) -> Value {
        let (slot, _) = self.take();
        let mut body = json!({"output": output, "confidence": confidence});
        if let Some(structured) = structured {
            body["structuredOutput"] = structured;
        }
        self.post(&format!("{slot}/done"), &body).is(200).json()
    }
}

#[test]
fn a_claim_is_worked_to_its_end_by_nine_keys() {
    let serving = Serving::bare();
    let agents: Vec<Client> = (1..=9).map(|n| Client::agent(&serving, &format!("owner {n}"))).collect();
    let claim = agents[0].claim("Tea: better than coffee? \u{1f375}", "prism-v1");
    let mut seen = Vec::new();
    for turn in 0..34 {
        // In turn, nobody gets a second slot of a layer.
        let agent = &agents[turn % 9];
        agent.get("/jobs/peek").is(200);
        let (slot, job) = agent.take();
        let stage = text(&job["context"]["stageName"]);
        assert_eq!((&job["claim"]["_id"], &job["claim"]["id"]), (&json!(claim), &json!(claim)));
        let consensus = job["slot"]["slotType"] == "consensus";
        assert_eq!(consensus && stage != "synthesis", !job["context"]["currentLayerWorkOutputs"].as_array().expect("a list").is_empty(), "{job}");
        assert_eq!(job["context"]["priorLayers"].as_array().map(Vec::len), job["slot"]["layer"].as_u64().map(|layer| layer as usize - 1));
        let mut body = json!({"output": format!("Turn {turn}."), "confidence": 0.8, "agentModel": "m"});
        match stage.as_str() {
            "classification" => body["structuredOutput"] = json!({"domain": "Food / Drink"}),
            "synthesis" => body["structuredOutput"] = json!({"summary": "It is.", "recommendation": "accept"}),
            _ => {}
        }
        let done = agent.post(&format!("{slot}/done"), &body).is(200).json();
        assert_eq!(done["ok"], true);
        assert!(done["layer"].is_number() && done["phase"].is_string() && done["status"].is_string(), "{done}");
        seen.push(stage);
    }
    seen.dedup();
    assert_eq!(seen, ["framing", "classification", "evidence", "critique", "defense", "deliberation", "synthesis"]);
    agents[3].get("/jobs/work").refuses(404, "no_slots");

    let whole = serving.get(&format!("/api/v1/claims/{claim}/pipeline")).is(200).json();
    assert_eq!((&whole["state"]["status"], &whole["claim"]["domain"]), (&json!("complete"), &json!("food-drink")));
    assert_eq!((whole["slots"].as_array().map(Vec::len), whole["layers"].as_array().map(Vec::len)), (Some(34), Some(7)));
    assert_eq!((&whole["flags"], &whole["notices"]), (&json!([]), &json!([])));
    assert!(text(&whole["state"]["outputHash"]).starts_with("0x"));
    for (name, list) in [("slots", &whole["slots"]), ("record", &json!([whole["record"]])), ("protocol", &json!([whole["protocol"]]))] {
        for item in list.as_array().expect(name) {
            assert!(item["id"].is_string() && item["id"] == item["_id"], "{name}: {item}");
        }
    }
    let record = serving.get(&format!("/api/v1/claims/{claim}/consensus")).is(200).json();
    assert_eq!((&record["recommendation"], &record["confidence"], &record["summary"]), (&json!("accept"), &json!(80), &json!("It is.")));
    assert_eq!(record, whole["record"]);
    let history = serving.get(&format!("/api/v1/claims/{claim}/consensus/history")).is(200).json();
    assert_eq!((history["items"].as_array().map(Vec::len), &history["nextCursor"]), (Some(1), &Value::Null));

    // The same as texts, under a file's name.
    for (format, kind, ending) in [("md", "text/markdown; charset=utf-8", "md"), ("html", "text/html; charset=utf-8", "html")] {
        let text = serving.get(&format!("/api/v1/claims/{claim}/export?format={format}")).is(200);
        assert_eq!(text.header("content-type"), Some(kind));
        assert_eq!(text.header("content-disposition"), Some(format!("attachment; filename=\"aop-tea-better-than-coffee.{ending}\"").as_str()));
        assert!(text.text().contains("Turn 3.") && text.text().contains("It is."), "{}", text.text());
    }
    assert!(serving.get(&format!("/api/v1/claims/{claim}/export")).is(200).header("content-type").is_some_and(|kind| kind.contains("markdown")));
    assert_eq!(serving.get(&format!("/api/v1/claims/{claim}/export?format=json")).is(200).json(), whole);
    serving.get(&format!("/api/v1/claims/{claim}/export?format=pdf")).refuses(400, "invalid_payload");
}

#[test]
fn nobody_sees_what_others_say_in_a_phase_that_is_open() {
    let serving = Serving::bare();
    let (ada, bo, cy) = (Client::agent(&serving, "ada"), Client::agent(&serving, "bo"), Client::new(&serving, "cy", "review"));
    let claim = ada.claim("Tea is better", "prism-v1");
    ada.work("The secret word is oolong.", 0.9, Some(json!({"note": "oolong"})));
    let paths = ["/pipeline", "/slots", "/export", "/export?format=json", "/export?format=html"];
    let of = |client: &Client, path: &str| client.get(&format!("/claims/{claim}{path}")).is(200).text();
    for path in paths {
        assert!(of(&ada, path).contains("oolong"), "its author sees it: {path}");
        assert!(of(&cy, path).contains("oolong"), "a reviewer sees it: {path}");
        assert!(!of(&bo, path).contains("oolong"), "another agent does not: {path}");
        assert!(!serving.get(&format!("/api/v1/claims/{claim}{path}")).is(200).text().contains("oolong"), "nor does whoever has no key: {path}");
    }
    let slots = bo.get(&format!("/claims/{claim}/slots")).json();
    let done: Vec<&Value> = slots["items"].as_array().expect("slots").iter().filter(|slot| slot["status"] == "done").collect();
    assert!(done.len() == 1 && done[0]["withheld"] == true && done[0]["output"].is_null() && done[0]["confidence"].is_null(), "{slots}");
    let (_, job) = bo.fetch();
    assert!(!job.to_string().contains("oolong"), "{job}");
    // The phase ends, and everybody sees what was said in it.
    bo.work("Mine.", 0.9, None);
    assert!(of(&bo, "/pipeline").contains("oolong"));
    let dee = Client::agent(&serving, "dee");
    assert!(dee.fetch().1["context"]["currentLayerWorkOutputs"].to_string().contains("oolong"));
    // Whoever worked in a layer does not score it.
    ada.get("/jobs/work").refuses(404, "no_slots");
}

#[test]
fn without_a_key_this_machine_only_reads() {
    let serving = Serving::bare();
    let ada = Client::agent(&serving, "ada");
    let claim = ada.claim("Tea is better", "prism-v1");
    let (slot, _) = ada.fetch();
    let reads = ["", "/pipeline", "/slots", "/comments", "/consensus/history", "/export"].map(|rest| format!("/claims/{claim}{rest}"));
    let reads: Vec<String> =
        reads.into_iter().chain(["/claims", "/protocols", "/protocols/prism-v1/claims", "/leaderboard"].map(str::to_owned)).collect();
    for path in &reads {
        serving.get(&format!("/api/v1{path}")).is(200);
    }
    let slot_of = |rest: &str| format!("{slot}/{rest}");
    let posts = ["take", "done", "heartbeat"].map(slot_of).into_iter();
    let posts: Vec<String> = posts
        .chain(["/claims", "/slots/release-stale", "/agent/signing-key", "/auth/approve"].map(str::to_owned))
        .chain(["/comments", "/consensus", "/hide", "/flags/x/clear"].map(|rest| format!("/claims/{claim}{rest}")))
        .collect();
    for path in &posts {
        let refused = serving.post(&format!("/api/v1{path}"), &json!({"output": "x"}));
        assert!(refused.header("www-authenticate").is_some(), "{path}");
        refused.refuses(401, "missing_token");
    }
    for path in ["/jobs/work", "/jobs/peek", "/jobs/slots", "/flags", "/agent/balance"] {
        serving.get(&format!("/api/v1{path}")).refuses(401, "missing_token");
    }
    // Who reads or runs does not work; who works reads.
    let (reader, runner) = (Client::new(&serving, "rae", "read"), Client::new(&serving, "ron", "run"));
    for path in &reads {
        reader.get(path).is(200);
        ada.get(path).is(200);
        runner.get(path).refuses(403, "missing_scope");
    }
    for path in &posts {
        reader.post(path, &json!({})).refuses(403, "missing_scope");
    }
    ada.get("/flags").refuses(403, "missing_scope");
    // Where everybody needs a key, that goes for reading too.
    let mut serving = serving;
    serving.terminate();
    serving.again(&["--require-key"]);
    for path in &reads {
        serving.get(&format!("/api/v1{path}")).refuses(401, "missing_token");
    }
}

#[test]
fn a_hidden_claim_is_there_for_reviewers_only() {
    let serving = Serving::bare();
    let (ada, cy) = (Client::agent(&serving, "ada"), Client::new(&serving, "cy", "review"));
    let claim = ada.claim("Tea is better", "prism-v1");
    let (slot, _) = ada.take();
    let hide = format!("/claims/{claim}/hide");
    ada.post(&hide, &json!({"reason": "spam"})).refuses(403, "missing_scope");
    cy.post(&hide, &json!({})).refuses(400, "invalid_payload");
    cy.post(&hide, &json!({"reason": "dull"})).refuses(400, "invalid_payload");
    cy.post("/claims/nope/hide", &json!({"reason": "spam"})).refuses(404, "claim_not_found");
    assert_eq!(cy.post(&hide, &json!({"reason": "spam"})).is(200).json()["hidden"], true);
    for path in ["", "/pipeline", "/slots", "/comments", "/consensus", "/consensus/history", "/export"] {
        ada.get(&format!("/claims/{claim}{path}")).refuses(404, "claim_not_found");
    }
    for (rest, body) in [("take", json!({})), ("done", json!({"output": "x"})), ("heartbeat", json!({}))] {
        ada.post(&format!("{slot}/{rest}"), &body).refuses(404, "claim_not_found");
    }
    ada.post(&format!("/claims/{claim}/comments"), &json!({"body": "x"})).refuses(404, "claim_not_found");
    ada.get("/jobs/work").refuses(404, "no_slots");
    assert_eq!(ada.get("/claims").is(200).json()["items"], json!([]));
    assert_eq!(ada.get("/claims?q=tea").is(200).json()["items"], json!([]));
    cy.get(&format!("/claims/{claim}/pipeline")).is(200);
    assert_eq!(cy.post(&hide, &json!({"hidden": false})).is(200).json()["hidden"], false);
    ada.post(&format!("{slot}/done"), &json!({"output": "x"})).is(200);
}

#[test]
fn slots_are_kept_given_back_and_flags_decided() {
    let serving = Serving::with("[claims]\nclaims_per_minute = 20\n", &[]);
    let (ada, cy) = (Client::agent(&serving, "ada"), Client::new(&serving, "cy", "review"));
    let claim = ada.claim("Tea is better", "prism-v1-solo");
    // Given back by a request without a body, and by one with an empty object.
    let (slot, _) = ada.take();
    let extended = ada.post(&format!("{slot}/heartbeat"), &json!({})).is(200).json();
    assert!(extended["leaseExpiresAt"].is_number(), "{extended}");
    let release = || Request::new("POST", "/api/v1/slots/release-stale").key(&ada.key);
    assert_eq!(serving.send(release()).is(200).json()["released"], 1);
    assert_eq!(serving.send(release().header("content-type", "application/json").body("{}")).is(200).json()["released"], 0);
    ada.post(&format!("{slot}/done"), &json!({"output": "x"})).refuses(403, "forbidden");
    // A layer that falls short waits for a person.
    ada.work("Framed.", 0.9, None);
    let (slot, _) = ada.fetch();
    assert_eq!(ada.work("Not good.", 0.2, None)["status"], "flagged");
    ada.post(&format!("{slot}/take"), &json!({})).refuses(409, "slot_not_active");
    let flags = cy.get("/flags").is(200).json();
    let flag = &flags["items"][0];
    assert_eq!((&flag["claimId"], &flag["_id"], &flag["avgConfidence"]), (&json!(claim), &flag["id"], &json!(0.2)), "{flags}");
    let clear = format!("/claims/{claim}/flags/{}/clear", text(&flag["id"]));
    ada.post(&clear, &json!({})).refuses(403, "missing_scope");
    cy.post(&clear, &json!({"resolution": "wave_through"})).refuses(400, "invalid_payload");
    cy.post(&clear, &json!({"resolution": "override_pass"})).refuses(400, "invalid_payload");
    cy.post(&format!("/claims/{claim}/flags/nope/clear"), &json!({})).refuses(404, "flag_not_found");
    let now = cy.post(&clear, &json!({})).is(200).json();
    assert_eq!((&now["status"], &now["attempt"], &now["currentLayer"]), (&json!("active"), &json!(2), &json!(1)), "{now}");
    cy.post(&clear, &json!({})).refuses(409, "already_cleared");
    assert_eq!(cy.get("/flags").is(200).json()["items"], json!([]));
    let (_, job) = ada.fetch();
    assert_eq!(job["context"]["previousAttempts"][0]["avgConfidence"], 0.2, "{job}");
    // Twice more, and only a person's word carries it on.
    let flagged = || {
        ada.work("Framed.", 0.9, None);
        assert_eq!(ada.work("Not good.", 0.2, None)["status"], "flagged");
        format!("/claims/{claim}/flags/{}/clear", text(&cy.get("/flags").is(200).json()["items"][0]["id"]))
    };
    cy.post(&flagged(), &json!({"resolution": "rerun_layer", "note": "Look again."})).is(200);
    let last = flagged();
    cy.post(&last, &json!({})).refuses(409, "attempts_spent");
    let passed = cy.post(&last, &json!({"resolution": "override_pass", "note": "Good enough."})).is(200).json();
    assert_eq!((&passed["status"], &passed["currentLayer"]), (&json!("active"), &json!(2)), "{passed}");
}

#[test]
fn claims_are_found_in_pages_by_domain_protocol_and_words() {
    let serving = Serving::with("[claims]\nclaims_per_minute = 100\n", &[]);
    let ada = Client::agent(&serving, "ada");
    let claims: Vec<String> = (0..5).map(|n| ada.claim(&format!("Tea number {n}"), if n == 0 { "lens-v1" } else { "prism-v1" })).collect();
    let ids = |path: &str| -> (Vec<String>, Value) {
        let page = ada.get(path).is(200).json();
        (page["items"].as_array().expect("items").iter().map(|claim| text(&claim["_id"])).collect(), page["nextCursor"].clone())
    };
    let newest: Vec<String> = claims.iter().rev().cloned().collect();
    assert_eq!(ids("/claims"), (newest.clone(), Value::Null));
    let (first, next) = ids("/claims?limit=2");
    let (second, last) = ids(&format!("/claims?limit=3&cursor={}", text(&next)));
    assert_eq!(([first, second].concat(), last), (newest, Value::Null));
    assert_eq!(ids("/claims?protocolId=lens-v1").0, claims[..1]);
    let protocol = ada.get("/protocols/lens-v1").is(200).json();
    assert_eq!((&protocol["claimCount"], &protocol["_id"]), (&json!(1), &protocol["id"]));
    let by_id = text(&protocol["id"]);
    assert_eq!(ids(&format!("/protocols/{by_id}/claims?sort=top")).0, claims[..1]);
    let names: Vec<String> = ada.get("/protocols").is(200).json()["items"].as_array().expect("items").iter().map(|one| text(&one["name"])).collect();
    assert_eq!(names, ["lens-v1", "meta-v1", "prism-v1", "prism-v1-solo"]);
    assert_eq!(ids("/claims?q=NUMBER+3").0, claims[3..4]);
    assert_eq!(ids("/claims?q=tea&protocolId=lens-v1").0, claims[..1]);
    assert_eq!((ids("/claims?q=cocoa").0.len(), ids("/claims?domain=cooking").0.len(), ids("/claims?sort=random&limit=500").0.len()), (0, 0, 5));
    // Comments bring a claim to the top.
    let comments = format!("/claims/{}/comments", claims[1]);
    let first = ada.post(&comments, &json!({"body": "Which tea?", "commentType": "question", "authorModel": "m"})).is(201).json();
    assert_eq!((&first["commentId"], &first["_id"], &first["authorModel"]), (&first["id"], &first["id"], &json!("m")));
    let reply = json!({"body": "Green.", "parentCommentId": first["id"], "commentType": "supporting-evidence"});
    assert_eq!(ada.post(&comments, &reply).is(201).json()["commentType"], "supporting_evidence");
    assert_eq!(ids("/claims?sort=top&limit=1").0, claims[1..2]);
    let said = |sort: &str| text(&ada.get(&format!("{comments}?sort={sort}&limit=1")).is(200).json()["items"][0]["body"]);
    assert_eq!((said("new"), said("old"), said("top")), ("Green.".into(), "Which tea?".into(), "Which tea?".into()));
    // A record of an agent's own stands until the pipeline writes one.
    let consensus = format!("/claims/{}/consensus", claims[1]);
    let record = json!({"summary": "Tea.", "keyPoints": ["Warm"], "dissent": ["Cold"], "openQuestions": ["Milk?"], "confidence": 72});
    let written = ada.post(&consensus, &record).is(201).json();
    assert_eq!((&written["consensusId"], &written["byPipeline"], &written["confidence"]), (&written["_id"], &json!(false), &json!(72)));
    assert_eq!(ada.get(&consensus).is(200).json()["summary"], "Tea.");
    // What belongs to the key.
    let address = format!("0xpoi_{}", "a1".repeat(20));
    let registered = ada.post("/agent/signing-key", &json!({"signingKeyAddress": address})).is(200).json();
    assert_eq!(registered["signingKeyAddress"], json!(address));
    let balance = ada.get("/agent/balance").is(200).json();
    assert_eq!((&balance["stakeBalance"], &balance["hasEnoughStake"], &balance["owner"]), (&json!(0), &json!(true), &json!("ada")));
    assert!(!ada.key.contains(&text(&balance["keyPrefix"])), "{balance}");
    let board = ada.get("/leaderboard?limit=100").is(200).json();
    assert!(board["users"].is_array() && board["models"].is_array(), "{board}");
}
