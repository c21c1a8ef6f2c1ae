//! Decisions between cards, and the people who are asked about them.

use crate::server::http::Request;
use crate::server::serving::Serving;
use serde_json::{Value, json};

fn card(id: &str, more: Value) -> Value {
    let mut card = json!({
        "id": id, "claims": [format!("Take {id}")], "plan": [{"action": "do it"}], "evidence": [
            {"type": "test", "pointer": "a.txt", "quality": 0.9}, {"type": "test", "pointer": "b.txt", "quality": 0.8}],
        "risks": [{"description": "late", "severity": "medium", "mitigation": "watch it", "residual_risk": 0.5}],
        "confidence": 0.8, "cost": 20, "reversibility": 0.9,
    });
    if let (Some(card), Value::Object(more)) = (card.as_object_mut(), more) {
        card.extend(more);
    }
    card
}

#[test]
fn cards_are_scored_by_arithmetic_alone() {
    let serving = Serving::bare();
    let cards = json!([
        card("A", json!({})),
        card("B", json!({"reversibility": 0.1})),
        card("C", json!({"cost": 100})),
        card(
            "J",
            json!({"evidence": [{"type": "test", "pointer": "a", "quality": 1.0}], "risks": [], "reversibility": 1, "cost": 0, "confidence": 1})
        ),
    ]);
    let scored = serving.post("/v1/collapse/score", &json!({"cards": cards})).is(200).json();
    let of = |id: &str, field: &str| {
        let entry = scored["scores"].as_array().expect("scores").iter().find(|entry| entry["id"] == id).expect("the card");
        entry[field].as_f64().expect("a number")
    };
    for (id, evidence, risk, intent, literal) in
        [("A", 0.85, 0.2, 10.0, 3.8), ("B", 0.85, 0.2, 7.6, 6.2), ("C", 0.85, 0.2, 8.4, 5.4), ("J", 1.0, 0.0, 14.0, 6.0)]
    {
        for (field, want) in [("E", evidence), ("R", risk), ("S_intent", intent), ("S_literal", literal)] {
            assert!((of(id, field) - want).abs() < 1e-9, "{id} {field}: {} is not {want}", of(id, field));
        }
    }
    let literal = serving.post("/v1/collapse/score", &json!({"cards": [card("A", json!({}))], "sign_mode": "literal"})).is(200).json();
    assert!((literal["scores"][0]["S"].as_f64().expect("a score") - 3.8).abs() < 1e-9);
    let wrong =
        serving.post("/v1/collapse/score", &json!({"cards": [card("A", json!({"confidence": 3, "colour": "red"}))]})).fails(422, "invalid_cards");
    assert_eq!(wrong["errors"].as_array().map(Vec::len), Some(2), "{wrong}");
    serving
        .post("/v1/collapse/score", &json!({"cards": [card("A", json!({})), card("B", json!({"cost_unit": "hours"}))]}))
        .fails(422, "mixed_cost_units");
    assert_eq!(serving.get("/v1/runs").json()["runs"], json!([]), "nothing is kept");
}

#[test]
fn a_decision_waits_for_a_person_and_goes_on_with_the_answer() {
    let serving = Serving::bare();
    // Nobody looks evidence up for a caller, so that it counts half.
    let sure = json!([{"type": "test", "pointer": "a.txt", "quality": 1.0}]);
    let waits = card(
        "H",
        json!({"evidence": sure, "invariant_violations": [{"invariant_id": "one-way", "description": "cannot be undone", "requires_approval": true}]}),
    );
    let receipt = |id: &str| json!({"position_id": id, "status": "PASS"});
    let body = json!({"objective": "Which way?", "cards": [waits], "receipts": [receipt("H")]});
    let run = serving.post("/v1/collapse", &body).is(202).json()["id"].as_str().expect("an id").to_owned();
    let waiting = serving.until(&run, &["waiting"]);
    assert!(waiting["waiting"][0]["key"].is_string() && waiting["loading"] == false, "{waiting}");
    let evidence = &waiting["stages"];
    assert!(evidence.to_string().contains("not looked up"), "{evidence}");
    let at = format!("/v1/runs/{run}/approvals");
    let approval = |position: &str, decision: &str| json!({"position_id": position, "subject": "one-way", "decision": decision, "note": "fine"});
    serving.post(&at, &approval("Z", "approve")).fails(409, "not_awaiting");
    serving.post(&at, &approval("H", "perhaps")).fails(400, "invalid");
    serving.post(&at, &approval("H", "approve")).is(202);
    let ended = serving.until(&run, &["complete"]);
    assert!(ended["verdict"]["data"]["experience"].is_null(), "what nobody looked up is not remembered: {ended}");
    serving.post(&at, &approval("H", "approve")).fails(409, "already_decided");
    serving.send(Request::get(&format!("/v1/collapse/{run}"))).is(200);
    serving.post("/v1/runs/01900000-0000-7000-8000-000000000000/approvals", &approval("H", "approve")).fails(404, "not_found");
    serving.post("/v1/collapse", &json!({"objective": "x"})).fails(400, "invalid");
    serving.post("/v1/collapse", &json!({"objective": "x", "cards": "/etc/passwd"})).fails(400, "invalid");
    serving
        .post("/v1/collapse", &json!({"objective": "x", "cards": [card("A", json!({})), card("B", json!({"cost_unit": "hours"}))]}))
        .fails(422, "mixed_cost_units");
}

#[test]
fn an_answer_from_the_command_line_resumes_in_the_server() {
    let serving = Serving::bare();
    // Nobody looks evidence up for a caller, so that it counts half.
    let sure = json!([{"type": "test", "pointer": "a.txt", "quality": 1.0}]);
    let waits = card(
        "H",
        json!({"evidence": sure, "invariant_violations": [{"invariant_id": "one-way", "description": "cannot be undone", "requires_approval": true}]}),
    );
    let body = json!({"objective": "Which way?", "cards": [waits], "receipts": [{"position_id": "H", "status": "PASS"}]});
    let run = serving.post("/v1/collapse", &body).is(202).json()["id"].as_str().expect("an id").to_owned();
    serving.until(&run, &["waiting"]);
    let args = ["approve", &run, "--position", "H", "--subject", "one-way", "--decision", "approve", "--no-resume"];
    serving.house.synod(&args).exits(0);
    serving.until(&run, &["complete"]);
}
