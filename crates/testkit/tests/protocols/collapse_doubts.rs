//! The skeptic counts: a critical doubt that nobody refutes parks a card, triggers ask for a revision of whatever is about to be taken, and what is
//! not mended becomes a condition.

use crate::collapse::{card, changed, prompt_of, rated, with};
use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{Ending, LimitChanges, OptionValue, RunSpec};
use synod_modes::collapse::MODE;
use synod_report::{Style, View};
use synod_testkit::rig::{Rig, order, stopped, verdict};
use synod_types::*;

/// One card that scores 10.0, and one far below it, both verified.
fn given(policy: Value) -> RunSpec {
    let weak = json!({"cost": 100, "reversibility": 0.4, "evidence": [{"type": "test", "pointer": "x", "quality": 0.6}]});
    let receipts = json!([{"position_id": "a", "status": "PASS"}, {"position_id": "z", "status": "PASS"}]);
    with(order(&MODE, 3), json!({"cards": [card("a", json!({})), card("z", weak)], "receipts": receipts, "policy": policy}))
}

fn doubt(severity: &str, residual: f64) -> Value {
    json!({"severity": severity, "description": format!("A {severity} failure nobody tried."), "residual_risk": residual})
}

fn about(context_key: &str, id: &str) -> bool {
    context_key.contains(&format!("/{id}/"))
}

#[tokio::test]
async fn five_critical_doubts_park_a_card_and_a_person_reads_them() {
    let models = || {
        changed(|prompt, context, value| match prompt {
            "doubt" => value["risks"] = if about(&context.key, "a") { json!(vec![doubt("critical", 0.9); 5]) } else { json!([]) },
            "settle" => value["rulings"]
                .as_object_mut()
                .expect("rulings")
                .values_mut()
                .for_each(|each| *each = json!({"reason": "Nothing answers it.", "ruling": "stands"})),
            _ => {}
        })
    };
    // Nobody may revise: the other card is taken, and this one waits.
    let rig = Rig::new(Arc::new(models()));
    let (run, ending) = rig.run(&given(json!({"max_reflexions": 0}))).await;
    let other = verdict(ending);
    let decision = other.decision.expect("a decision");
    assert_eq!((&decision["position"], &decision["positions"][0]["state"]), (&json!("z"), &json!("needs_approval")), "{decision}");
    assert_eq!(decision["positions"][0]["score"], 10.0, "the author's score stays the author's");
    assert!(decision["positions"][0]["score_doubted"].as_f64().is_some_and(|score| score < 4.0), "{decision}");
    let asked = rig.rows(&run).await.iter().filter(|row| row.kind == Kind::Said && prompt_of(&row.key) == "settle").count();
    assert_eq!(asked, 1, "the verifier is asked once");

    // Alone it is never taken: the run waits, and the question names the doubt.
    let mut alone = given(json!({"max_reflexions": 0}));
    alone.options[0].1 = OptionValue::json(json!([card("a", json!({"cost": 100, "confidence": 0.5}))]));
    alone.options[1].1 = OptionValue::json(json!([{"position_id": "a", "status": "PASS"}]));
    let rig = Rig::new(Arc::new(models()));
    let (run, ending) = rig.run(&alone).await;
    assert_eq!(stopped(ending).reason, StopReason::Waiting);
    let rows = rig.rows(&run).await;
    let questions: Vec<Asking> = rows.iter().filter(|row| row.kind == Kind::Waiting).map(|row| row.read().expect("a question")).collect();
    assert_eq!(questions.len(), 5, "one for each doubt");
    assert!(
        questions[0].question.contains("A critical failure nobody tried") && questions[0].question.contains("Nothing answers it"),
        "{:?}",
        questions[0]
    );
    for n in 1..=5 {
        let answer = PersonAnswer { answer: "approve".into(), note: None, by: "ada".into() };
        rig.runner().answer(&run, &format!("round 1/a/approve doubt {n}@person"), answer).await.expect("the answer is taken");
    }
    let approved = verdict(rig.resume(&run, LimitChanges::default()).await);
    let decision = approved.decision.expect("a decision");
    assert_eq!((&decision["position"], &decision["status"]), (&json!("a"), &json!("ACCEPTED")));
    assert!(decision["conditions"][0].as_str().is_some_and(|text| text.starts_with("score with the doubts ")), "{decision}");
    assert_eq!((&decision["memory_write"], decision["score_doubted"].as_f64() < Some(3.0)), (&json!(false), true));
}

#[tokio::test]
async fn a_doubt_rejected_with_a_reason_does_not_stop_a_card_and_one_without_does() {
    for (reason, state) in [("The restore was tried in May.", "viable"), ("  ", "needs_approval")] {
        let models = changed(move |prompt, context, value| match prompt {
            "doubt" => {
                value["risks"] =
                    if about(&context.key, "a") { json!([doubt("critical", 0.31), doubt("critical", 0.3), doubt("low", 1.0)]) } else { json!([]) }
            }
            "settle" => value["rulings"]
                .as_object_mut()
                .expect("rulings")
                .values_mut()
                .for_each(|each| *each = json!({"reason": reason, "ruling": "rejected"})),
            _ => {}
        });
        let rig = Rig::new(Arc::new(models));
        let (run, ending) = rig.run(&given(json!({"max_reflexions": 0}))).await;
        let decision = verdict(ending).decision.expect("a decision");
        assert_eq!(decision["positions"][0]["state"], state, "{reason:?}: {decision}");
        let rows = rig.rows(&run).await;
        let settle = rows.iter().find(|row| row.kind == Kind::Said && prompt_of(&row.key) == "settle").expect("the verifier was asked");
        let rulings = settle.read::<Said>().expect("a reply").value["rulings"].clone();
        assert_eq!(rulings.as_object().map(serde_json::Map::len), Some(1), "0.30 is not above 0.30: {rulings}");
        let page = synod_report::show(&View::of(&rows), Style { width: 100_000, colour: false, unicode: true }, false);
        assert!(page.contains("With the skeptic's doubts"), "the doubted score is shown beside");
    }
}

#[tokio::test]
async fn a_verifier_that_cannot_answer_leaves_the_doubts_standing() {
    let voices = changed(|prompt, context, value| {
        if prompt == "doubt" {
            value["risks"] = if about(&context.key, "a") { json!([doubt("critical", 0.9)]) } else { json!([]) };
        }
    });
    let (_, ending) = Rig::new(Arc::new(silent_on("settle", voices))).run(&given(json!({"max_reflexions": 0}))).await;
    let verdict = verdict(ending);
    assert_eq!(verdict.decision.expect("a decision")["positions"][0]["state"], "needs_approval");
    assert!(verdict.warnings.iter().any(|warning| warning.contains("they stand")), "{:?}", verdict.warnings);
}

/// Voices that answer as these do, but for one prompt to which nobody can reply.
fn silent_on(prompt: &'static str, voices: synod_testkit::voices::Voices) -> synod_testkit::voices::Voices {
    synod_testkit::voices::Voices::default().scripted(move |card, request, context| {
        use synod_engine::Models;
        if prompt_of(&context.key) == prompt {
            return Some(Err(Failure::new(FailureKind::Server, "down")));
        }
        futures::FutureExt::now_or_never(voices.open(card).expect("a voice").call(request, context))
    })
}

#[tokio::test]
async fn a_card_no_skeptic_could_look_at_is_taken_as_unchallenged() {
    let heard = changed(|prompt, _, value| {
        if prompt == "doubt" {
            value["risks"] = json!([]);
        }
    });
    for (voices, challenged) in [(heard, true), (silent_on("doubt", changed(|_, _, _| {})), false)] {
        let (_, ending) = Rig::new(Arc::new(voices)).run(&given(json!({"max_reflexions": 0}))).await;
        let verdict = verdict(ending);
        let decision = verdict.decision.as_ref().expect("a decision");
        assert_eq!(
            (&decision["position"], &decision["challenged"], &decision["verified"]),
            (&json!("a"), &json!(challenged), &json!(true)),
            "{decision}"
        );
        let warned = verdict.warnings.iter().any(|warning| warning.starts_with("Nobody could doubt a: "));
        let first = verdict.answer.as_ref().and_then(|answer| answer.text.lines().next()).unwrap_or_default();
        let said = [first, verdict.action.as_deref().unwrap_or_default(), decision["summary"].as_str().unwrap_or_default()];
        assert_eq!((warned, said.map(|text| text.contains("unchallenged"))), (!challenged, [!challenged; 3]), "{:?} {said:?}", verdict.warnings);
    }
}

/// With a file that a revision may point to: what a seat only names counts half.
fn drilled(mut order: RunSpec) -> RunSpec {
    order.question.evidence = vec![Attachment { name: "drill.txt".into(), sha256: sha256_hex("It holds."), bytes: 9, text: "It holds.".into() }];
    order
}

/// What the revised card of a seat holds: sound, and dearer to nobody.
fn mended(value: &mut Value) {
    value["evidence"] = json!([{"type": "test", "pointer": "drill.txt", "quality": 0.9}]);
    value["risks"] = json!([]);
    (value["cost"], value["reversibility"], value["confidence"]) = (json!(20), json!(0.9), json!(0.8));
    value["irreversible_data_change"] = json!(false);
}

#[tokio::test]
async fn with_models_a_doubted_card_is_revised_before_anything_is_taken() {
    let models = changed(|prompt, context, value| match prompt {
        "doubt" => value["risks"] = if context.key.starts_with("round 1/a/") { json!([doubt("critical", 0.9)]) } else { json!([]) },
        "settle" => value["rulings"]["D1"] = json!({"reason": "Nothing answers it.", "ruling": "stands"}),
        "verify" => value["status"] = json!("PASS"),
        "revise" => mended(value),
        _ => {}
    });
    let rig = Rig::new(Arc::new(models));
    let (run, ending) = rig.run(&drilled(given(json!({})))).await;
    let decided = verdict(ending);
    let decision = decided.decision.expect("a decision");
    assert_eq!((&decision["position"], &decision["reflexions"], &decision["conditions"]), (&json!("a"), &json!(1), &json!([])), "{decision}");
    assert_eq!((&decision["positions"][0]["revisions"], &decision["verified"]), (&json!(1), &json!(true)));
    assert!(decided.warnings.iter().any(|warning| warning.contains("no longer as given: a")), "{:?}", decided.warnings);
    let rows = rig.rows(&run).await;
    let asked = |prompt: &str| {
        rows.iter().filter(|row| row.kind == Kind::Said && prompt_of(&row.key) == prompt).map(|row| row.key.clone()).collect::<Vec<_>>()
    };
    let (revised, verified) = (asked("revise"), asked("verify"));
    assert_eq!((revised.len(), verified.len()), (1, 1), "one revision, and its receipt is void: {revised:?} {verified:?}");
    assert_ne!(seat_of(&revised[0]), seat_of(&verified[0]), "who revised it does not verify it");
}

#[tokio::test]
async fn triggers_are_checked_above_the_threshold_too_and_what_stays_unmet_is_a_condition() {
    // Thin evidence, and still 6.5 points.
    let thin = json!({"evidence": [{"type": "test", "pointer": "x", "quality": 0.45}], "risks": []});
    let of = |models: usize, max: u32| {
        let mut order = with(
            order(&MODE, 3),
            json!({"cards": [card("a", thin.clone())], "receipts": [{"position_id": "a", "status": "PASS"}], "policy": {"max_reflexions": max}}),
        );
        order.panel.models.truncate(models);
        order
    };
    let voices = |mends: bool| {
        changed(move |prompt, _, value| match prompt {
            "doubt" => value["risks"] = json!([]),
            "verify" => value["status"] = json!("PASS"),
            "revise" => {
                mended(value);
                if !mends {
                    value["evidence"] = json!([{"type": "test", "pointer": "x", "quality": 0.99}]);
                }
            }
            _ => {}
        })
    };
    let condition = json!(["evidence 0.45 is below 0.60: bring more or better proof"]);
    for (models, max, mends, conditions, reflexions) in
        [(0, 3, true, condition.clone(), 0), (3, 0, true, condition.clone(), 0), (3, 3, true, json!([]), 1), (3, 3, false, condition, 3)]
    {
        let (_, ending) = Rig::new(Arc::new(voices(mends))).run(&drilled(of(models, max))).await;
        let verdict = verdict(ending);
        let decision = verdict.decision.expect("a decision");
        let step = format!("{models} models, {max} revisions, mends {mends}: {decision}");
        assert_eq!(
            (&decision["position"], &decision["conditions"], &decision["reflexions"]),
            (&json!("a"), &conditions, &json!(reflexions)),
            "{step}"
        );
        assert_eq!(decision["memory_write"], false, "{step}");
        let told = verdict.answer.expect("a report").text;
        assert_eq!(told.lines().next().is_some_and(|line| line.contains("on one condition")), conditions != json!([]), "{told}");
    }
}

#[tokio::test]
async fn what_a_panel_may_take_is_revised_before_it_sits() {
    // Both above the threshold and too close to tell apart, the second on thin evidence.
    let thin = json!({"evidence": [{"type": "test", "pointer": "x", "quality": 0.55}], "risks": []});
    let receipts = json!([{"position_id": "a", "status": "PASS"}, {"position_id": "t", "status": "PASS"}]);
    let of = |max: u32| {
        let policy = json!({"max_reflexions": max, "panel_on_tradeoff": false});
        drilled(with(
            order(&MODE, 3),
            json!({"cards": [card("a", json!({"cost": 60})), card("t", thin.clone())], "receipts": receipts, "policy": policy}),
        ))
    };
    for (max, mends, conditions, reflexions) in [(0, true, 1, 0), (3, true, 0, 1), (3, false, 1, 3)] {
        let voices = changed(move |prompt, _, value| match prompt {
            "doubt" => value["risks"] = json!([]),
            "verify" => value["status"] = json!("PASS"),
            "revise" => {
                mended(value);
                let pointer = if mends { "drill.txt" } else { "x" };
                value["evidence"] = json!([{"type": "test", "pointer": pointer, "quality": 0.65}]);
            }
            "rate" => rated(value, |id| if id == "t" { 0.9 } else { 0.5 }),
            _ => {}
        });
        let rig = Rig::new(Arc::new(voices));
        let (run, ending) = rig.run(&of(max)).await;
        let decision = verdict(ending).decision.expect("a decision");
        let told = (&decision["position"], &decision["status"], &decision["reflexions"]);
        assert_eq!(told, (&json!("t"), &json!("CONSENSUS_REACHED"), &json!(reflexions)), "{max} revisions, mends {mends}: {decision}");
        assert_eq!(decision["conditions"].as_array().map(Vec::len), Some(conditions), "{decision}");
        let revised: Vec<String> =
            rig.rows(&run).await.iter().filter(|row| row.kind == Kind::Said && prompt_of(&row.key) == "revise").map(|row| row.key.clone()).collect();
        assert!(revised.len() == reflexions && revised.iter().all(|key| about(key, "t")), "the other has nothing to mend: {revised:?}");
    }
}

#[tokio::test]
async fn the_verifier_knows_the_regulations_when_it_rules_on_doubts() {
    let voices = changed(|prompt, _, value| {
        if prompt == "doubt" {
            value["risks"] = json!([doubt("critical", 0.9)]);
        }
    });
    let counted = Arc::new(synod_testkit::counted::CountedModels::new(Arc::new(voices)));
    let mut order = given(json!({"max_reflexions": 0}));
    order.options.push(("regulations".into(), OptionValue::json(json!(["GDPR", "SOC2"]))));
    Rig::new(counted.clone()).run(&order).await;
    let settles: Vec<_> = counted.requests().into_iter().filter(|(key, _)| prompt_of(key) == "settle").collect();
    assert!(!settles.is_empty());
    for (key, request) in settles {
        let text = request.messages.last().expect("a message").text().to_owned();
        assert!(text.contains("need a sign-off where a position touches them: GDPR, SOC2."), "{key}\n{text}");
    }
}

#[tokio::test]
async fn a_person_who_wants_a_revision_gets_one_or_an_end_that_says_so() {
    let cards = json!([card("a", json!({"regulatory": ["GDPR"]}))]);
    let options = json!({"cards": cards, "receipts": [{"position_id": "a", "status": "PASS"}]});
    let voices = || {
        changed(|prompt, _, value| match prompt {
            "doubt" => value["risks"] = json!([]),
            "verify" => value["status"] = json!("PASS"),
            "revise" => mended(value),
            _ => {}
        })
    };
    let revise = || PersonAnswer { answer: "revise".into(), note: Some("name the processor".into()), by: "ada".into() };
    // Without models.
    let mut alone = with(order(&MODE, 3), options.clone());
    alone.panel.models.clear();
    let rig = Rig::new(Arc::new(voices()));
    let (run, ending) = rig.run(&alone).await;
    stopped(ending);
    rig.runner().answer(&run, "round 1/a/approve GDPR@person", revise()).await.expect("the answer is taken");
    let ended = verdict(rig.resume(&run, LimitChanges::default()).await);
    let decision = ended.decision.expect("a decision");
    assert_eq!(
        (ended.status, ended.stop_reason.as_str(), &decision["rung"]),
        (Status::Escalated, "revision_requested", &json!("revision_requested"))
    );
    assert_eq!(decision["positions"][0]["state"], "revision_requested");
    let told = ended.answer.expect("a report").text;
    assert!(told.contains("ada asked for a revision: name the processor") && !told.contains("refused"), "{told}");
    // With models: the card is revised, the tag stays, and the person is asked about the new version.
    let rig = Rig::new(Arc::new(voices()));
    let (run, ending) = rig.run(&drilled(with(order(&MODE, 3), options))).await;
    stopped(ending);
    rig.runner().answer(&run, "round 1/a/approve GDPR@person", revise()).await.expect("the answer is taken");
    assert!(matches!(rig.resume(&run, LimitChanges::default()).await, Ending::Stopped(_)), "it asks again");
    let rows = rig.rows(&run).await;
    let revised = rows.iter().filter_map(|row| row.read::<Shown>().ok()).find(|shown| shown.stage == "revision").expect("a revision");
    let data = revised.exhibit.row().expect("its row");
    assert_eq!((&data["triggers"], &data["card"]["regulatory"]), (&json!(["person_asks"]), &json!(["GDPR"])), "{data}");
    let approve = PersonAnswer { answer: "approve".into(), note: None, by: "ada".into() };
    rig.runner().answer(&run, "round 2/a/approve GDPR@person", approve).await.expect("the answer is taken");
    let ended = verdict(rig.resume(&run, LimitChanges::default()).await);
    assert_eq!(ended.decision.expect("a decision")["position"], "a");
}

#[tokio::test]
async fn one_evaluation_is_one_models_and_each_part_is_asked_its_own_questions() {
    let cards = json!([card("a", json!({})), card("b", json!({"cost": 30}))]);
    let receipts = json!([{"position_id": "a", "status": "PASS"}, {"position_id": "b", "status": "PASS"}]);
    let voices = changed(|prompt, _, value| match prompt {
        "doubt" => value["risks"] = json!([]),
        "rate" => rated(value, |id| if id == "a" { 0.8 } else { 0.7 }),
        _ => {}
    });
    let counted = Arc::new(synod_testkit::counted::CountedModels::new(Arc::new(voices)));
    let rig = Rig::new(counted.clone());
    let (run, ending) = rig.run(&with(order(&MODE, 3), json!({"cards": cards, "receipts": receipts}))).await;
    verdict(ending);
    let rates: Vec<(String, String)> = counted
        .requests()
        .into_iter()
        .filter(|(key, _)| key.starts_with("panel/"))
        .map(|(key, request)| (key, request.messages.last().expect("a message").text().to_owned()))
        .collect();
    assert_eq!(rates.len(), 7, "a seat that wrote none of the cards rates them all");
    let closing = |text: &str| text.split("Your part is the").nth(1).unwrap_or_default().to_owned();
    let asks: std::collections::BTreeSet<String> = rates.iter().map(|(_, text)| closing(text)).collect();
    assert_eq!(asks.len(), 7, "no two parts are asked the same");
    for (key, text) in &rates {
        for part in
            ["Conflict: scores too close", "Revisions so far: 0", "about 0.5 if", "What would change your mind", "What the verification of a found"]
        {
            assert!(text.contains(part), "{key}: {part}\n{text}");
        }
    }
    // Written cards: whoever wrote one leaves it out, and every evaluation is one seat's.
    let voices = changed(|prompt, _, value| match prompt {
        "doubt" => value["risks"] = json!([]),
        "verify" => value["status"] = json!("PASS"),
        "author" => mended(value),
        _ => {}
    });
    let rig2 = Rig::new(Arc::new(voices));
    let (run2, _) = rig2.run(&drilled(order(&MODE, 3))).await;
    let evaluations = |rows: &[Row]| {
        let shown = rows.iter().filter_map(|row| row.read::<Shown>().ok()).find(|shown| shown.stage == "panel_result").expect("the panel sat");
        shown.exhibit.row().expect("its row")["evaluations"].as_array().expect("evaluations").clone()
    };
    assert!(evaluations(&rig.rows(&run).await).iter().all(|each| each["position_scores"].as_object().is_some_and(|scores| scores.len() == 2)));
    let written = evaluations(&rig2.rows(&run2).await);
    assert_eq!(written.len(), 14, "two seats in each part, since each wrote one of three cards");
    assert!(
        written.iter().all(|each| each["seat"].is_u64() && each["position_scores"].as_object().is_some_and(|scores| scores.len() == 2)),
        "{written:?}"
    );
}
