//! Weighted collapse without models: no person is asked for tactics, a panel that did not sit is absent, and what was recorded counts for what it is.

use crate::collapse::{card, with};
use serde_json::{Value, json};
use std::sync::Arc;
use synod_modes::collapse::MODE;
use synod_report::{Style, View};
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::*;

fn pass(ids: &[&str]) -> Value {
    ids.iter().map(|id| json!({"position_id": id, "status": "PASS"})).collect()
}

async fn decided(options: Value) -> (Verdict, Vec<Row>) {
    let mut given = with(order(&MODE, 3), options);
    given.panel.models.clear();
    let rig = Rig::new(Arc::new(Voices::default()));
    let (run, ending) = rig.run(&given).await;
    (verdict(ending), rig.rows(&run).await)
}

fn first_line(verdict: &Verdict) -> &str {
    verdict.answer.as_ref().and_then(|answer| answer.text.lines().next()).unwrap_or_default()
}

#[tokio::test]
async fn a_clear_lead_is_taken_although_the_two_trade_off_and_the_trade_offs_are_listed() {
    // 9.20 against 4.70, the second far cheaper.
    let cheap = json!({"cost": 10, "evidence": [{"type": "test", "pointer": "x", "quality": 0.3}]});
    let cards = json!([card("proven", json!({"cost": 60})), card("cheap", cheap)]);
    let (verdict, rows) = decided(json!({"cards": cards, "receipts": pass(&["proven", "cheap"])})).await;
    let decision = verdict.decision.as_ref().expect("a decision");
    assert_eq!(
        (&decision["position"], &decision["status"], &decision["rung"]),
        (&json!("proven"), &json!("ACCEPTED"), &json!("threshold")),
        "{decision}"
    );
    assert_eq!((&decision["positions"][1]["score"], &decision["positions"][0]["score"]), (&json!(9.2), &json!(4.7)));
    assert_eq!((&decision["consensus"], &decision["conflict_type"]), (&Value::Null, &Value::Null));
    let text = &verdict.answer.as_ref().expect("a report").text;
    assert!(text.contains("## Trade-offs accepted") && text.contains("cheap is better on cost: 0.10 against 0.60. Mitigation:"), "{text}");
    assert!(!rows.iter().any(|row| row.kind == Kind::Waiting), "nobody is asked");
}

#[tokio::test]
async fn a_near_tie_takes_the_least_risk_then_the_ladder_and_says_that_a_panel_would_settle_it() {
    let calm = json!({"cost": 100, "risks": [{"severity": "low", "description": "Late.", "mitigation": "Begin.", "residual_risk": 0.5}]});
    for (second, winner) in [(json!({"cost": 100}), "a"), (calm, "c")] {
        let cards = json!([card("a", json!({})), card("c", second)]);
        let (verdict, rows) = decided(json!({"cards": cards, "receipts": pass(&["a", "c"])})).await;
        let decision = verdict.decision.as_ref().expect("a decision");
        assert_eq!(
            (&decision["position"], &decision["status"], &decision["rung"]),
            (&json!(winner), &json!("SAFE_FALLBACK"), &json!("safe_fallback")),
            "{decision}"
        );
        assert_eq!((&decision["consensus"], &decision["delta_c"], &decision["near_tie"]), (&Value::Null, &Value::Null, &json!(true)));
        let text = &verdict.answer.as_ref().expect("a report").text;
        assert!(text.contains("A panel would settle it") && text.contains("a scores 10.00 with risk 0.20"), "{text}");
        assert!(!text.contains("consensus"), "a panel that did not sit has no figure: {text}");
        assert!(!rows.iter().filter_map(|row| row.read::<Shown>().ok()).any(|shown| shown.stage == "panel_result"), "it is absent");
    }
}

#[tokio::test]
async fn what_is_traded_away_comes_with_what_the_card_does_about_it() {
    let plan = json!([{"action": "Build it in two stages, with a budget for each."}, {"action": "Keep the old one for a month to go back to."}]);
    let rival = json!({"cost": 10, "reversibility": 1.0, "confidence": 0.1, "evidence": [{"type": "test", "pointer": "x", "quality": 0.3}]});
    let cards = json!([card("proven", json!({"cost": 60, "reversibility": 0.7, "plan": plan})), card("cheap", rival)]);
    let (verdict, _) = decided(json!({"cards": cards, "receipts": pass(&["proven", "cheap"])})).await;
    let text = &verdict.answer.as_ref().expect("a report").text;
    for line in [
        "cheap is better on cost: 0.10 against 0.60. Mitigation: on the card: Build it in two stages, with a budget for each.",
        "cheap is better on reversibility: 1.00 against 0.70. Mitigation: on the card: Keep the old one for a month to go back to.",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[tokio::test]
async fn below_the_threshold_agrees_with_the_score() {
    let weak = |quality: f64| json!({"evidence": [{"type": "test", "pointer": "x", "quality": quality}]});
    // 5.5 alone, and 5.5 against 1.5: nobody can revise, nobody can rate.
    for cards in [json!([card("a", weak(0.4))]), json!([card("a", weak(0.4)), card("b", weak(0.0))])] {
        let ids: Vec<&str> = ["a", "b"].into_iter().take(cards.as_array().map_or(0, Vec::len)).collect();
        let (verdict, _) = decided(json!({"cards": cards, "receipts": pass(&ids)})).await;
        let decision = verdict.decision.expect("a decision");
        assert_eq!(
            (&decision["position"], &decision["status"], &decision["below_threshold"]),
            (&json!("a"), &json!("SAFE_FALLBACK"), &json!(true)),
            "{decision}"
        );
        assert_eq!(decision["conditions"], json!(["evidence 0.40 is below 0.60: bring more or better proof"]));
        let action = verdict.action.expect("what to do");
        assert!(action.ends_with(" On one condition: evidence 0.40 is below 0.60: bring more or better proof."), "{action}");
    }
    // Both above it, and called close all the same.
    let (verdict, _) = decided(json!({"cards": [card("a", json!({})), card("c", json!({"cost": 100}))], "receipts": pass(&["a", "c"])})).await;
    assert_eq!(verdict.decision.expect("a decision")["below_threshold"], false);
}

#[tokio::test]
async fn a_card_nobody_verified_says_so_in_the_first_line() {
    let (verdict, _) = decided(json!({"cards": [card("a", json!({}))]})).await;
    let decision = verdict.decision.as_ref().expect("a decision");
    assert_eq!((&decision["position"], &decision["verified"], &decision["memory_reason"]), (&json!("a"), &json!(false), &json!("unverified")));
    assert!(first_line(&verdict).contains("unverified"), "{}", first_line(&verdict));
    assert!(verdict.action.as_deref().is_some_and(|action| action.contains("unverified")), "{:?}", verdict.action);
    let (verdict, _) = decided(json!({"cards": [card("a", json!({}))], "receipts": pass(&["a"])})).await;
    assert_eq!(verdict.decision.as_ref().expect("a decision")["verified"], true);
    assert!(!first_line(&verdict).contains("unverified"), "{}", first_line(&verdict));
}

/// Five seats, enough for a quorum: all but one for the first.
fn recorded(first: f64, second: f64, dissenter: Value) -> Value {
    let seats = ["minimalist", "skeptic", "verifier", "risk_compliance"];
    let mut panel: Vec<Value> =
        seats.iter().map(|seat| json!({"agent": seat, "position_scores": {"a": first, "b": second}, "confidence": 0.9})).collect();
    panel.push(dissenter);
    json!(panel)
}

#[tokio::test]
async fn whoever_was_recorded_against_the_decision_is_in_its_dissent() {
    let against = json!({"agent": "user_value", "position_scores": {"a": 0.5, "b": 0.9}, "rationale": {"b": "Users wait for it."}, "recommendation": "b",
        "concerns": [{"concern": "Users wait.", "resolution": "A preview in May."}], "confidence": 0.9});
    let cards = json!([card("a", json!({})), card("b", json!({"cost": 40}))]);
    let (verdict, rows) = decided(json!({"cards": cards, "receipts": pass(&["a", "b"]), "panel": recorded(0.9, 0.6, against)})).await;
    assert_eq!(verdict.decision.as_ref().expect("a decision")["position"], "a");
    let told = serde_json::to_value(&verdict.dissent).expect("JSON");
    assert_eq!(told, json!([{"label": "user value", "text": "would take b, rated 0.90 against 0.50 for a: Users wait for it."}]));
    let view = View::of(&rows);
    let narrow = Style { width: 80, colour: false, unicode: true };
    for page in [synod_report::show(&view, narrow, false), synod_report::markdown(&view), synod_report::html(&view)] {
        assert!(page.contains("user value"), "{page}");
    }
    let text = &verdict.answer.as_ref().expect("a report").text;
    assert!(text.contains("user value would have taken b: Users wait for it. Mitigation: A preview in May."), "{text}");
    assert!(text.contains("user value: Users wait. Resolution: A preview in May."), "{text}");
    // Settings that nobody changed are not printed one by one.
    assert!(text.contains("settings: the defaults") && !text.contains("seat weights"), "{text}");
}

#[tokio::test]
async fn a_dominated_winner_of_the_panel_comes_with_a_warning_that_names_who_dominates_it() {
    let cards = json!([card("a", json!({"cost": 40})), card("b", json!({}))]);
    let agrees = json!({"agent": "user_value", "position_scores": {"a": 0.9, "b": 0.6}, "confidence": 0.9});
    let (verdict, _) = decided(json!({"cards": cards, "receipts": pass(&["a", "b"]), "panel": recorded(0.9, 0.6, agrees)})).await;
    let decision = verdict.decision.as_ref().expect("a decision");
    assert_eq!((&decision["position"], &decision["dominated_by"], &decision["dominated"]), (&json!("a"), &json!(["b"]), &json!(["a"])), "{decision}");
    let want = "a is taken although b is at least as good in everything and better in cost.";
    assert!(verdict.warnings.iter().any(|warning| warning == want), "{:?}", verdict.warnings);
}

#[tokio::test]
async fn a_panel_without_a_quorum_is_shown_and_agrees_on_nothing() {
    let cards = json!([card("a", json!({})), card("b", json!({"cost": 40}))]);
    let panel = json!([{"agent": "minimalist", "position_scores": {"a": 0.2, "b": 0.9}, "confidence": 0.9}]);
    let (verdict, rows) = decided(json!({"cards": cards, "receipts": pass(&["a", "b"]), "panel": panel})).await;
    let decision = verdict.decision.as_ref().expect("a decision");
    assert_eq!((&decision["status"], &decision["consensus"]), (&json!("SAFE_FALLBACK"), &Value::Null), "{decision}");
    let shown =
        rows.iter().filter_map(|row| row.read::<Shown>().ok()).find(|shown| shown.stage == "panel_result").expect("what was recorded is shown");
    let data = shown.exhibit.row().expect("its row");
    assert_eq!((&data["quorum"], &data["consensus"]), (&json!(false), &json!({})));
    // What is said first agrees with the reasons: no panel was called, and none is said to be missing altogether.
    let text = &verdict.answer.as_ref().expect("a report").text;
    assert!(first_line(&verdict).contains("since too little of a panel is recorded"), "{text}");
    assert!(text.contains("A panel would have been called (scores too close); of its seats minimalist is recorded, which is no quorum."), "{text}");
    for contradiction in ["The panel was called", "no panel sat", "nobody sat on one"] {
        assert!(!text.contains(contradiction), "{contradiction}: {text}");
    }
}

#[tokio::test]
async fn what_a_receipt_says_is_read_in_every_medium() {
    let receipt = json!({"position_id": "a", "verification_id": "V-17", "status": "PASS",
        "checks_performed": [{"check": "The restore was tried.", "status": "PASS", "evidence": "The drill of May took an hour."},
            {"check": "The peak is covered.", "status": "PENDING", "evidence": "Two times the peak.", "remediation": "Try four times the peak."}],
        "invariant_compliance": {"total": 1, "compliant": 0, "violated": 1, "not_applicable": 0,
            "violations": [{"invariant": "INV-9", "severity": "low", "description": "Logs are kept a day longer.", "remediation": "Shorten the retention.", "blocking": false}]}});
    let (_, rows) = decided(json!({"cards": [card("a", json!({}))], "receipts": [receipt]})).await;
    let view = View::of(&rows);
    let wide = Style { width: 100_000, colour: false, unicode: true };
    for (medium, page) in
        [("terminal", synod_report::show(&view, wide, false)), ("markdown", synod_report::markdown(&view)), ("html", synod_report::html(&view))]
    {
        for part in ["V-17", "The drill of May took an hour.", "Try four times the peak.", "INV-9", "Shorten the retention."] {
            assert!(page.contains(part), "{medium} hides {part}");
        }
    }
}
