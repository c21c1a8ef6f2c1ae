//! Weighted collapse with seats: who may judge whom, how often authors revise, when experts and people are asked, and what never matters.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{CallContext, Ending, LimitChanges, Model, OptionValue, RunSpec};
use synod_llm::rehearsal::Rehearsal;
use synod_modes::collapse::MODE;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, stopped, verdict};
use synod_testkit::voices::Voices;
use synod_types::*;

/// The prompt behind a turn: `panel/minimalist/rate@0`.
pub fn prompt_of(key: &str) -> &str {
    key.trim_end_matches("/repair").rsplit('/').next().and_then(|last| last.split('@').next()).unwrap_or(key)
}

/// Voices whose replies to some prompts are changed.
pub fn changed(change: impl Fn(&str, &CallContext, &mut Value) + Send + Sync + 'static) -> Voices {
    Voices::default().scripted(move |_, request, context| {
        let reply = futures::FutureExt::now_or_never(Rehearsal::new().call(request, context))?.ok()?;
        let mut value: Value = serde_json::from_str(&reply.text).ok()?;
        change(prompt_of(&context.key), context, &mut value);
        Some(Ok(Reply::text(value.to_string())))
    })
}

pub fn with(mut order: RunSpec, options: Value) -> RunSpec {
    order.options = options.as_object().expect("options").iter().map(|(name, value)| (name.clone(), OptionValue::json(value.clone()))).collect();
    order
}

/// A reply to the authors' form of a card that scores below the threshold, with nothing in particular to be asked of it.
fn middling(value: &mut Value) {
    value["evidence"] = json!([{"type": "test", "pointer": "x", "quality": 0.6}]);
    value["risks"] = json!([{"severity": "high", "description": "Late.", "mitigation": "Begin.", "residual_risk": 0.5}]);
    value["cost"] = json!(60);
    value["reversibility"] = json!(0.5);
    value["confidence"] = json!(0.7);
}

/// Every score a seat gives, set to what a function says of the position.
pub fn rated(value: &mut Value, score: impl Fn(&str) -> f64) {
    let scores = value["scores"].as_object_mut().expect("scores");
    scores.iter_mut().for_each(|(id, rated)| rated["score"] = json!(score(id)));
}

/// The triggers of all revisions of a run.
async fn triggers(rig: &Rig, run: &str) -> Vec<String> {
    let mut out = Vec::new();
    for row in rig.rows(run).await {
        if let Ok(Body::Shown(shown)) = row.body()
            && let ("revision", Some(data)) = (shown.stage.as_str(), &shown.exhibit.row())
        {
            out.extend(data["triggers"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
        }
    }
    out
}

pub fn card(id: &str, more: Value) -> Value {
    let mut card = json!({
        "id": id, "claims": [format!("{id} is the way.")], "plan": [{"action": "Do it."}], "confidence": 0.8, "cost": 20, "reversibility": 0.9,
        "evidence": [{"type": "test", "pointer": "x", "quality": 0.9}, {"type": "test", "pointer": "y", "quality": 0.8}],
        "risks": [{"severity": "medium", "description": "Late.", "mitigation": "Begin.", "residual_risk": 0.5}],
    });
    card.as_object_mut().expect("a card").extend(more.as_object().expect("fields").clone());
    card
}

#[tokio::test]
async fn no_seat_verifies_doubts_or_rates_a_card_of_its_own() {
    let mut rated = 0;
    for seed in 0..30 {
        let counted = Arc::new(CountedModels::new(Arc::new(Voices::default())));
        let rig = Rig::new(counted.clone());
        let (run, ending) = rig.run(&order(&MODE, seed)).await;
        let verdict = verdict(ending);
        let rows = rig.rows(&run).await;
        let mut wrote: Vec<(String, SeatIx)> = Vec::new();
        for row in &rows {
            if let Ok(Body::Shown(shown)) = row.body()
                && let ("position_card" | "hybrid_card", Some(seat), Some(data)) = (shown.stage.as_str(), shown.exhibit.seat, &shown.exhibit.row())
            {
                wrote.push((data["positionId"].as_str().expect("an id").to_owned(), seat));
            }
        }
        for (key, request) in counted.requests() {
            let seat = seat_of(&key).expect("a seat");
            let (own, text) = (wrote.iter().filter(|(_, author)| *author == seat), request.messages.last().expect("a message").text());
            if ["verify", "doubt", "rate"].contains(&prompt_of(&key)) {
                for (id, _) in own {
                    assert!(!text.contains(&format!("<draft label=\"{id}\">")), "seed {seed}: {key} shows the seat its own card");
                }
            }
            rated += usize::from(prompt_of(&key) == "rate");
            assert!(!text.contains("\nm0") && !text.contains("m1 "), "seed {seed}: {key} names an author");
        }
        assert!(!verdict.warnings.iter().any(|warning| warning.contains("of its own")), "{:?}", verdict.warnings);
    }
    assert!(rated > 0, "the panel was never called");
}

#[tokio::test]
async fn one_seat_alone_judges_itself_and_the_report_says_so() {
    let mut alone = order(&MODE, 4);
    alone.panel.models.truncate(1);
    let (_, ending) = Rig::new(Arc::new(Voices::default())).run(&alone).await;
    let verdict = verdict(ending);
    assert!(verdict.warnings.iter().any(|warning| warning.contains("it wrote itself")), "{:?}", verdict.warnings);
}

#[tokio::test]
async fn a_card_that_is_never_verified_is_revised_three_times_and_then_a_person_is_told() {
    let models = changed(|prompt, _, value| {
        if prompt == "verify" {
            value["status"] = json!("FAIL");
        }
    });
    let rig = Rig::new(Arc::new(models));
    let (run, ending) = rig.run(&order(&MODE, 1)).await;
    let verdict = verdict(ending);
    let decision = verdict.decision.expect("a decision");
    assert_eq!((verdict.status, &decision["rung"], &decision["reflexions"]), (Status::Escalated, &json!("no_viable_position"), &json!(3)));
    let revised = rig.rows(&run).await.iter().filter(|row| row.kind == Kind::Said && prompt_of(&row.key) == "revise").count();
    assert_eq!(revised, 9, "three authors, three times each");
}

#[tokio::test]
async fn a_verifier_that_cannot_be_read_never_passes_a_card() {
    let mute = Voices::default()
        .scripted(|_, _, context| (prompt_of(&context.key) == "verify").then(|| Err(Failure::new(FailureKind::Server, "the provider is down"))));
    let (_, ending) = Rig::new(Arc::new(mute)).run(&order(&MODE, 1)).await;
    let verdict = verdict(ending);
    let decision = verdict.decision.expect("a decision");
    assert!(decision["position"].is_null(), "{decision}");
    assert!(decision["positions"].as_array().expect("positions").iter().all(|place| place["state"] == "held"), "{decision}");
}

#[tokio::test]
async fn experts_who_disagree_are_asked_to_align_once_and_then_the_panel_is_called() {
    let models = changed(|prompt, context, value| match prompt {
        "verify" => value["status"] = json!("PASS"),
        // Cards below the threshold, with nothing else to be asked of them.
        "author" | "revise" => {
            value["evidence"] = json!([{"type": "test", "pointer": "x", "quality": 0.6}]);
            value["risks"] = json!([{"severity": "high", "description": "Late.", "mitigation": "Begin.", "residual_risk": 0.5}]);
            value["cost"] = json!(context.key.bytes().map(u64::from).sum::<u64>() % 3 * 10 + 60);
            value["reversibility"] = json!(0.5);
        }
        "doubt" => value["risks"] = json!([]),
        "rate" if context.key.contains("/experts/") => {
            let score = if context.key.contains("backend") { 0.9 } else { 0.5 };
            value["scores"].as_object_mut().expect("scores").values_mut().for_each(|rated| rated["score"] = json!(score));
        }
        _ => {}
    });
    let rig = Rig::new(Arc::new(models));
    let experts = with(order(&MODE, 2), json!({"experts": ["backend", "security"]}));
    let (run, ending) = rig.run(&experts).await;
    let decision = verdict(ending).decision.expect("a decision");
    assert_eq!(decision["reflexions"], 1, "they are asked once: {decision}");
    assert!(decision["consensus"].is_f64(), "the panel was called: {decision}");
    let rows = rig.rows(&run).await;
    assert!(rows.iter().any(|row| row.key.starts_with("panel/domain_expert backend/")), "experts share a seat of the panel");
}

#[tokio::test]
async fn each_trigger_asks_for_its_own_mending() {
    // What the authors write, and what they are asked for. The first version's cost is what later ones are held to.
    type Change = fn(&str, &mut Value);
    let table: [(&str, Change); 4] = [
        ("evidence_quality", |_, value| value["evidence"] = json!([{"type": "test", "pointer": "x", "quality": 0.5}])),
        ("evidence_quality", |_, value| {
            value["evidence"] = json!([{"type": "test", "pointer": "gone.txt", "quality": 0.9}, {"type": "test", "pointer": "x", "quality": 1.0}])
        }),
        ("skeptic_score", |_, value| {
            value["risks"] = json!([{"severity": "critical", "description": "Late.", "mitigation": "Begin.", "residual_risk": 0.3}]);
            value["reversibility"] = json!(0.31);
            value["confidence"] = json!(0.1);
            value["cost"] = json!(100);
        }),
        ("cost_overrun", |prompt, value| value["cost"] = json!(if prompt == "author" { 20 } else { 41 })),
    ];
    for (trigger, change) in table {
        let models = changed(move |prompt, _, value| match prompt {
            "verify" => value["status"] = json!("PASS"),
            "author" | "revise" => {
                middling(value);
                change(prompt, value);
            }
            "doubt" => value["risks"] = json!([]),
            _ => {}
        });
        let rig = Rig::new(Arc::new(models));
        let (run, _) = rig.run(&with(order(&MODE, 2), json!({"authors": 1}))).await;
        let found = triggers(&rig, &run).await;
        assert!(found.iter().any(|found| found == trigger), "{trigger}: {found:?}");
        let others: Vec<&String> = found.iter().filter(|found| *found != trigger && *found != "below_threshold").collect();
        assert!(others.is_empty(), "{trigger}: {found:?}");
    }
}

#[tokio::test]
async fn experts_who_stay_apart_are_settled_by_the_panel_whatever_else_is_wanting() {
    let models = changed(|prompt, context, value| match prompt {
        "verify" => value["status"] = json!("PASS"),
        "author" | "revise" => {
            middling(value);
            value["evidence"] = json!([{"type": "test", "pointer": "x", "quality": 0.5}]);
        }
        "doubt" => value["risks"] = json!([]),
        "rate" if context.key.contains("/experts/") => rated(value, |_| if context.key.contains("backend") { 0.9 } else { 0.5 }),
        _ => {}
    });
    let rig = Rig::new(Arc::new(models));
    let (run, ending) = rig.run(&with(order(&MODE, 2), json!({"experts": ["backend", "security"], "authors": 1}))).await;
    assert!(matches!(ending, Ending::Verdict(_) | Ending::Stopped(_)));
    let asked = triggers(&rig, &run).await;
    assert_eq!(asked.iter().filter(|trigger| *trigger == "experts_disagree").count(), 1, "{asked:?}");
    let rows = rig.rows(&run).await;
    assert!(rows.iter().any(|row| row.key.starts_with("panel/")), "the panel was called");
    assert!(!rows.iter().any(|row| row.key.starts_with("round 3/")), "after one alignment nothing more is revised");
}

/// Two cards too close to tell apart, rated so that the panel cannot either.
fn split() -> RunSpec {
    let cards = json!([card("a", json!({})), card("b", json!({"cost": 30, "risks": []}))]);
    let receipts = json!([{"position_id": "a", "status": "PASS"}, {"position_id": "b", "status": "PASS"}]);
    with(order(&MODE, 3), json!({"cards": cards, "receipts": receipts, "policy": {"panel_on_tradeoff": false}}))
}

#[tokio::test]
async fn a_hybrid_is_taken_if_the_panel_agrees_on_it_and_else_the_safest() {
    for (on_hybrid, status, position) in [(0.7, "HYBRID_SYNTHESIZED", "hybrid"), (0.69, "SAFE_FALLBACK", "b")] {
        let models = changed(move |prompt, _, value| match prompt {
            "verify" => value["status"] = json!("PASS"),
            "rate" => rated(value, |id| if id == "hybrid" { on_hybrid } else { 0.6 }),
            _ => {}
        });
        let (_, ending) = Rig::new(Arc::new(models)).run(&split()).await;
        let verdict = verdict(ending);
        let decision = verdict.decision.expect("a decision");
        assert_eq!((&decision["status"], &decision["position"]), (&json!(status), &json!(position)), "{decision}");
        assert_eq!(decision["positions"].as_array().map(Vec::len), Some(3));
        let report = verdict.answer.expect("a report").text;
        assert!(report.contains("consensus on the hybrid"), "{report}");
    }
}

#[tokio::test]
async fn a_part_that_fails_is_played_once_more_and_without_the_verifier_there_is_no_quorum() {
    let silent = |part: &'static str, always: bool| {
        Voices::default().scripted(move |_, _, context| {
            let fails = prompt_of(&context.key) == "rate" && context.key.contains(part) && (always || !context.key.contains("/again/"));
            fails.then(|| Err(Failure::new(FailureKind::Server, "the provider is down")))
        })
    };
    let rig = Rig::new(Arc::new(silent("panel/verifier/", false)));
    let (run, _) = rig.run(&split()).await;
    let rows = rig.rows(&run).await;
    assert!(rows.iter().any(|row| row.kind == Kind::Said && row.key.starts_with("panel/verifier/again/")), "another seat stands in");
    assert!(!rows.iter().any(|row| row.key.ends_with("choose@person")), "there is a quorum");

    let rig = Rig::new(Arc::new(silent("panel/verifier/", true)));
    let (run, ending) = rig.run(&split()).await;
    let verdict = verdict(ending);
    let decision = verdict.decision.expect("a decision");
    let want = (&json!("b"), &json!("SAFE_FALLBACK"), &json!("panel_quorum"), &Value::Null);
    assert_eq!((&decision["position"], &decision["status"], &decision["rung"], &decision["consensus"]), want, "the safest, and nobody is asked");
    assert_eq!(verdict.status, Status::Degraded);
    let again = rig.rows(&run).await.iter().filter(|row| row.kind == Kind::Failed && row.key.starts_with("panel/verifier/again/")).count();
    assert_eq!(again, 1, "it is tried once more, and no more than once");
}

#[tokio::test]
async fn earlier_decisions_stand_before_the_collective_intelligence_seat_alone() {
    let mut given = split();
    let past =
        json!([{"run": "r", "objective": "Tea or coffee?", "position": "tea", "summary": "Tea keeps longer.", "status": "ACCEPTED", "score": 9.5}]);
    given.options.push(("experience".into(), OptionValue::json(past)));
    let counted = Arc::new(CountedModels::new(Arc::new(Voices::default())));
    Rig::new(counted.clone()).run(&given).await;
    let rates: Vec<_> = counted.requests().into_iter().filter(|(key, _)| key.starts_with("panel/") && prompt_of(key) == "rate").collect();
    assert!(!rates.is_empty(), "the panel was called");
    for (key, request) in rates {
        let told = request.messages.iter().any(|message| message.text().contains("Tea keeps longer."));
        assert_eq!(told, key.contains("/collective_intelligence/"), "{key}");
    }
}

#[tokio::test]
async fn a_receipt_that_contradicts_itself_holds_its_card() {
    let failed = json!({"checks_performed": [{"check": "Load", "status": "FAIL"}]});
    let blocking = json!({"invariant_compliance": {"total": 1, "compliant": 0, "violated": 1, "not_applicable": 0,
        "violations": [{"invariant": "INV-1", "severity": "high", "blocking": true}]}});
    for more in [failed, blocking] {
        let mut receipt = json!({"position_id": "a", "status": "PASS"});
        receipt.as_object_mut().expect("a receipt").extend(more.as_object().expect("fields").clone());
        let mut given = with(order(&MODE, 3), json!({"cards": [card("a", json!({}))], "receipts": [receipt]}));
        given.panel.models.clear();
        let (_, ending) = Rig::new(Arc::new(Voices::default())).run(&given).await;
        let verdict = verdict(ending);
        assert_eq!(verdict.decision.expect("a decision")["positions"][0]["state"], "held");
        assert!(verdict.warnings.iter().any(|warning| warning.contains("says PASS, but")), "{:?}", verdict.warnings);
    }
}

#[tokio::test]
async fn a_trade_off_calls_the_panel_unless_it_is_told_not_to() {
    // Each beats the other by more than 0.2 on something, and the lead is more than two points.
    let cards = json!([
        card("proven", json!({"cost": 60})),
        card("cheap", json!({"cost": 10, "confidence": 0.0, "evidence": [{"type": "test", "pointer": "x", "quality": 0.62}]}))
    ]);
    let rig = Rig::new(Arc::new(changed(|prompt, _, value| {
        if prompt == "doubt" {
            value["risks"] = json!([]);
        }
    })));
    for (on, conflict) in [(true, json!("multi_dimensional_tradeoff")), (false, Value::Null)] {
        let mut given = with(
            order(&MODE, 3),
            json!({"cards": cards, "policy": {"panel_on_tradeoff": on}, "receipts": [
            {"position_id": "proven", "status": "PASS"}, {"position_id": "cheap", "status": "PASS"}]}),
        );
        given.panel.models.truncate(2);
        let (_, ending) = rig.run(&given).await;
        let decision = verdict(ending).decision.expect("a decision");
        assert_eq!(decision["conflict_type"], conflict, "{decision}");
    }
}

#[tokio::test]
async fn a_panel_that_agrees_on_nothing_waits_for_a_person_and_a_closed_one_takes_the_safest() {
    let cards = json!([card("a", json!({})), card("c", json!({"cost": 100, "risks": []}))]);
    let low = || {
        changed(|prompt, _, value| {
            if prompt == "rate" {
                value["scores"].as_object_mut().expect("scores").values_mut().for_each(|rated| rated["score"] = json!(0.3));
            }
        })
    };
    let receipts = json!([{"position_id": "a", "status": "PASS"}, {"position_id": "c", "status": "PASS"}]);
    let given = with(order(&MODE, 3), json!({"cards": cards, "receipts": receipts, "policy": {"panel_on_tradeoff": false}}));
    let rig = Rig::new(Arc::new(low()));
    let (run, ending) = rig.run(&given).await;
    assert_eq!(stopped(ending).reason, StopReason::Waiting);
    let answer = PersonAnswer { answer: "a".into(), note: Some("we know it".into()), by: "ada".into() };
    rig.runner().answer(&run, "panel/choose@person", answer).await.expect("the answer is taken");
    let chosen = verdict(rig.resume(&run, LimitChanges::default()).await);
    let decision = chosen.decision.expect("a decision");
    assert_eq!((&decision["position"], &decision["rung"], &decision["decided_by"]), (&json!("a"), &json!("no_agreement"), &json!("ada")));

    let (run, ending) = rig.run(&given).await;
    stopped(ending);
    rig.runner().cancel(&run, true, "ada").await.expect("it is told to conclude");
    let Ending::Verdict(closed) = rig.resume(&run, LimitChanges::default()).await else { panic!("it ends") };
    let decision = closed.decision.expect("a decision");
    assert_eq!((closed.status, &decision["position"], &decision["status"]), (Status::Degraded, &json!("c"), &json!("SAFE_FALLBACK")));
}

/// Who else is there: nobody, a panel that was recorded, or models for all of it.
#[derive(Clone, Copy, Debug)]
enum Sitting {
    Nobody,
    Recorded,
    Models,
}

fn decided(cards: Vec<Value>, sitting: Sitting) -> (Value, Value, Value) {
    let receipts: Vec<Value> = cards.iter().map(|card| json!({"position_id": card["id"], "status": "PASS"})).collect();
    let mut options = json!({"cards": cards});
    if !matches!(sitting, Sitting::Models) {
        options["receipts"] = json!(receipts);
    }
    if matches!(sitting, Sitting::Recorded) {
        let seats = ["minimalist", "skeptic", "verifier", "risk_compliance", "user_value"];
        let rated = |seat: usize| -> serde_json::Map<String, Value> {
            let score = |id: &str| json!(f64::from((id.bytes().map(u32::from).sum::<u32>() * 7 + seat as u32 * 3) % 10) / 10.0);
            cards.iter().filter_map(|card| card["id"].as_str()).map(|id| (id.to_owned(), score(id))).collect()
        };
        let panel = seats.iter().enumerate().map(|(at, seat)| json!({"agent": seat, "position_scores": rated(at), "confidence": 0.8}));
        options["panel"] = panel.collect();
    }
    let mut given = with(order(&MODE, 5), options);
    if !matches!(sitting, Sitting::Models) {
        given.panel.models.clear();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let rig = Rig::new(Arc::new(Voices::default()));
        let (run, ending) = rig.run(&given).await;
        match ending {
            Ending::Verdict(verdict) => {
                let decision = verdict.decision.expect("a decision");
                (decision["position"].clone(), decision["rung"].clone(), decision["status"].clone())
            }
            Ending::Stopped(_) => {
                let rows = rig.rows(&run).await;
                let mut asked: Vec<String> = rows.iter().filter(|row| row.kind == Kind::Waiting).map(|row| row.key.clone()).collect();
                asked.sort();
                (json!(asked), Value::Null, Value::Null)
            }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_order_of_the_cards_never_changes_a_decision(sitting in prop_oneof![Just(Sitting::Nobody), Just(Sitting::Recorded), Just(Sitting::Models)], shares in prop::collection::vec((0..=10u32, 0..=10u32, 0..=10u32, 0..120u64, 0..4usize), 1..5), turn in 0..4usize) {
        let severities = ["low", "medium", "high", "critical"];
        let cards: Vec<Value> = shares.iter().enumerate().map(|(at, (quality, residual, undo, cost, severity))| card(&format!("p{at}"), json!({
            "evidence": [{"type": "test", "pointer": "x", "quality": f64::from(*quality) / 10.0}],
            "risks": [{"severity": severities[*severity], "description": "Late.", "mitigation": "Begin.", "residual_risk": f64::from(*residual) / 10.0}],
            "reversibility": f64::from(*undo) / 10.0, "cost": cost,
        }))).collect();
        let mut mixed = cards.clone();
        mixed.rotate_left(turn % cards.len());
        prop_assert_eq!(decided(cards, sitting), decided(mixed, sitting));
    }
}
