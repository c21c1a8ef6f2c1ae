//! Evidence is read: what files say and commands printed stands before whoever verifies, doubts and rates a card.

use crate::collapse::{card, prompt_of, with};
use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{Model, RunSpec};
use synod_llm::rehearsal::Rehearsal;
use synod_modes::collapse::MODE;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order};
use synod_testkit::voices::Voices;
use synod_types::*;

/// A card whose test is named as proof and did fail, and another one.
fn failed_test(output: Option<&str>) -> RunSpec {
    let checked = json!({"valid": true, "found": "a file of 60 bytes"});
    let piece = match output {
        None => json!({"type": "test", "pointer": "evidence/load.txt", "quality": 0.9, "checked": checked}),
        Some(output) => json!({"type": "test", "pointer": "command: load", "quality": 0.9, "exit_code": 0, "output": output}),
    };
    let cards = json!([card("a", json!({"evidence": [piece]})), card("b", json!({"cost": 60, "reversibility": 0.7}))]);
    let mut given = with(
        order(&MODE, 3),
        json!({"cards": cards, "invariants": [{"id": "INV-7", "text": "No order is lost."}], "regulations": ["GDPR"], "policy": {"max_reflexions": 0}}),
    );
    let text = "Load test of the checkout, four times the peak.\nResult: the test FAILED after nine minutes.\n".to_owned();
    given.question.evidence = vec![Attachment { name: "evidence/load.txt".into(), sha256: sha256_hex(&text), bytes: text.len() as u64, text }];
    given
}

/// A verifier that reads: it lets pass what does not speak of a failed test.
fn reading() -> Voices {
    Voices::default().scripted(|_, request, context| {
        let reply = futures::FutureExt::now_or_never(Rehearsal::new().call(request, context))?.ok()?;
        let mut value: Value = serde_json::from_str(&reply.text).ok()?;
        let seen = request.messages.iter().any(|message| message.text().contains("the test FAILED"));
        match prompt_of(&context.key) {
            "verify" => value["status"] = json!(if seen { "FAIL" } else { "PASS" }),
            "doubt" => value["risks"] = json!([]),
            _ => {}
        }
        Some(Ok(Reply::text(value.to_string())))
    })
}

#[tokio::test]
async fn a_failed_test_in_the_evidence_file_stops_the_card() {
    for output in [None, Some("running 4 tests\nthe test FAILED")] {
        let counted = Arc::new(CountedModels::new(Arc::new(reading())));
        let rig = Rig::new(counted.clone());
        let (run, ending) = rig.run(&failed_test(output)).await;
        let decision = synod_testkit::rig::verdict(ending).decision.expect("a decision");
        assert_eq!((&decision["positions"][0]["state"], &decision["position"]), (&json!("rejected"), &json!("b")), "{decision}");
        for (key, request) in counted.requests() {
            let text = request.messages.last().expect("a message").text().to_owned();
            if ["verify", "doubt"].contains(&prompt_of(&key)) {
                assert_eq!(text.contains("the test FAILED"), key.contains("/a/"), "{key}\n{text}");
                assert!(text.contains("INV-7: No order is lost.") && text.contains("GDPR"), "{key}\n{text}");
            }
        }
        // The file is frozen into the run: a journal without it cannot be replayed, with it nothing is asked again.
        let header: Header = rig.rows(&run).await[0].read().expect("a header");
        assert_eq!(header.question.evidence.len(), 1);
    }
}

/// A receipt's own words reach whoever doubts the card it is about, and nobody else.
#[tokio::test]
async fn the_skeptic_reads_the_receipt() {
    let counted = Arc::new(CountedModels::new(Arc::new(reading())));
    let mut given = failed_test(None);
    let check = json!({"check": "Failover was drilled.", "status": "PASS", "evidence": "drill of May"});
    let receipts = json!([{"position_id": "b", "status": "PASS", "checks_performed": [check]}]);
    given.options.push(("receipts".into(), synod_engine::OptionValue::json(receipts)));
    Rig::new(counted.clone()).run(&given).await;
    let doubts: Vec<_> = counted.requests().into_iter().filter(|(key, _)| prompt_of(key) == "doubt").collect();
    assert!(doubts.iter().any(|(key, _)| key.contains("/b/")), "b is doubted");
    for (key, request) in doubts {
        let text = request.messages.last().expect("a message").text().to_owned();
        assert_eq!(text.contains("Failover was drilled."), key.contains("/b/"), "{key}\n{text}");
    }
}

#[tokio::test]
async fn the_panel_reads_the_same_evidence() {
    let counted = Arc::new(CountedModels::new(Arc::new(reading())));
    let mut given = failed_test(None);
    let receipts = json!([{"position_id": "a", "status": "PASS"}, {"position_id": "b", "status": "PASS"}]);
    given.options.push(("receipts".into(), synod_engine::OptionValue::json(receipts)));
    given.options.iter_mut().filter(|(name, _)| name == "cards").for_each(|(_, cards)| {
        let synod_engine::OptionValue::Json(cards) = cards else { return };
        let mut changed = cards.value();
        changed[1]["cost"] = json!(30);
        changed[1]["reversibility"] = json!(0.9);
        *cards = synod_types::Json::of(&changed);
    });
    Rig::new(counted.clone()).run(&given).await;
    let rates: Vec<_> = counted.requests().into_iter().filter(|(key, _)| key.starts_with("panel/") && prompt_of(key) == "rate").collect();
    assert!(!rates.is_empty(), "the panel was called");
    for (key, request) in rates {
        let text = request.messages.last().expect("a message").text().to_owned();
        for part in ["the test FAILED", "INV-7: No order is lost.", "GDPR", "What the verification of a found"] {
            assert!(text.contains(part), "{key}: {part}\n{text}");
        }
    }
}

#[tokio::test]
async fn a_failed_test_behind_three_long_files_is_read_too() {
    // Each of the first three would fill all the room there is for one card's evidence.
    let filler = "Step done without any remark of note.\n\n".repeat(300);
    let long = format!("{filler}The checkout carried the peak.\n\n{filler}");
    let failed = format!("{filler}Result: the test FAILED after nine minutes.\n\n{filler}");
    let names = ["one.txt", "two.txt", "three.txt", "four.txt"];
    let checked = json!({"valid": true, "found": "a file"});
    let evidence = names.map(|name| json!({"type": "test", "pointer": name, "quality": 0.9, "checked": checked}));
    let cards = json!([card("a", json!({"evidence": evidence})), card("b", json!({"cost": 30}))]);
    let mut given = with(order(&MODE, 3), json!({"cards": cards, "policy": {"max_reflexions": 0}}));
    let file = |name: &str, text: &str| Attachment { name: name.into(), sha256: sha256_hex(text), bytes: text.len() as u64, text: text.into() };
    given.question.evidence = names.iter().map(|name| file(name, if *name == "four.txt" { &failed } else { &long })).collect();
    let counted = Arc::new(CountedModels::new(Arc::new(reading())));
    let (_, ending) = Rig::new(counted.clone()).run(&given).await;
    let decision = synod_testkit::rig::verdict(ending).decision.expect("a decision");
    assert_eq!((&decision["positions"][0]["state"], &decision["position"]), (&json!("rejected"), &json!("b")), "{decision}");
    let judged: Vec<_> =
        counted.requests().into_iter().filter(|(key, _)| ["verify", "doubt"].contains(&prompt_of(key)) && key.contains("/a/")).collect();
    assert_eq!(judged.len(), 2);
    for (key, request) in judged {
        let text = request.messages.last().expect("a message").text().to_owned();
        assert!(text.contains("the test FAILED"), "{key}\n{text}");
        let shown: Vec<&str> = text.lines().filter(|line| line.contains(", in excerpts: ")).collect();
        assert_eq!(shown.len(), 4, "of each it is said how much is shown: {shown:?}");
    }
}

#[tokio::test]
async fn many_pieces_of_evidence_that_are_alike_are_told_in_one_warning() {
    for (pieces, warnings) in [(3, 3), (40, 1)] {
        let checked = json!({"valid": false, "found": "a URL that was not fetched", "not_looked_up": true});
        let evidence = |n: usize| json!([{"type": "document", "pointer": format!("https://example.org/{n}"), "quality": 0.9, "checked": checked}]);
        let cards: Vec<Value> = (0..pieces).map(|n| card(&format!("c{n:02}"), json!({"evidence": evidence(n)}))).collect();
        let (_, ending) =
            Rig::new(Arc::new(Voices::default())).run(&with(order(&MODE, 3), json!({"cards": cards, "policy": {"max_reflexions": 0}}))).await;
        let told: Vec<String> = synod_testkit::rig::verdict(ending).warnings.into_iter().filter(|warning| warning.contains("not fetched")).collect();
        assert_eq!(told.len(), warnings, "{told:#?}");
        let all = told.join(" ");
        assert!(all.contains("https://example.org/0") && all.contains("half"), "{all}");
        assert_eq!(all.contains("40 pieces of evidence count half") && all.contains("and 37 more"), pieces == 40, "{all}");
    }
}
