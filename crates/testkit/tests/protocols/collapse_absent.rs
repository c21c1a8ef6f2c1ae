//! Whoever collapse asks and gets nothing from has a row that says so, whatever they were asked for.

use crate::collapse::{changed, prompt_of, rated};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use synod_engine::Models;
use synod_modes::collapse::MODE;
use synod_testkit::rig::{Rig, order};
use synod_testkit::voices::Voices;
use synod_types::*;

/// Voices under which every step comes to pass: critical doubts, demands on every card, and a panel that finds two cards alike.
fn busy() -> Voices {
    changed(|prompt, _, value| match prompt {
        "author" | "revise" => value["evidence"] = json!([{"type": "test", "pointer": "x", "quality": 0.5}]),
        "verify" => value["status"] = json!("PASS"),
        "doubt" => value["risks"] = json!([{"severity": "critical", "description": "A failure nobody tried.", "residual_risk": 0.9}]),
        "settle" => {
            let rulings = value["rulings"].as_object_mut().expect("rulings");
            rulings.values_mut().for_each(|each| *each = json!({"reason": "It was tried in May.", "ruling": "rejected"}));
        }
        "rate" => rated(value, |_| 0.6),
        _ => {}
    })
}

#[tokio::test]
async fn every_turn_that_fails_has_a_row_that_says_who_and_why() {
    let mut failed_in: BTreeMap<&str, usize> = BTreeMap::new();
    for (prompt, _) in MODE.prompts {
        // Everybody fails, or one of them and another takes over.
        for lone in [None, Some(0), Some(1)] {
            let voices = busy();
            let failing = Voices::default().scripted(move |card, request, context| {
                if prompt_of(&context.key) == *prompt && lone.is_none_or(|seat| context.key.ends_with(&format!("@{seat}"))) {
                    return Some(Err(Failure::new(FailureKind::Timeout, "silent")));
                }
                futures::FutureExt::now_or_never(voices.open(card).expect("a voice").call(request, context))
            });
            let rig = Rig::new(Arc::new(failing));
            let (run, _) = rig.run(&order(&MODE, 3)).await;
            let rows = rig.rows(&run).await;
            let shown: Vec<Shown> = rows.iter().filter(|row| row.kind == Kind::Shown).map(|row| row.read().expect("an exhibit")).collect();
            for failed in rows.iter().filter(|row| row.kind == Kind::Failed) {
                let own: Vec<&Shown> = shown.iter().filter(|shown| shown.exhibit.turn.as_ref() == Some(&failed.key)).collect();
                let [row] = own.as_slice() else { panic!("{} rows for {}", own.len(), failed.key) };
                let role = row.exhibit.role.as_deref().unwrap_or_default().replace('_', " ");
                assert_eq!(row.exhibit.shape, Shape::Note { text: format!("This {role} did not answer in time.") }, "{}", failed.key);
                assert_eq!(row.exhibit.seat, failed.seat(), "{}", failed.key);
                let data = row.exhibit.row().unwrap_or_default();
                let misfits = MODE.stages.iter().find(|stage| stage.covers(&row.stage)).map(|stage| {
                    let mut stored = data.clone();
                    stored["responseTimeMs"] = json!(1);
                    synod_engine::schema::mismatches(&stage.schema(), &stored)
                });
                assert!(misfits.is_some_and(|misfits| misfits.is_empty()), "{}: {data}", failed.key);
                assert!(data["error"].as_str().is_some_and(|error| error.contains("silent")), "{data}");
                *failed_in.entry(prompt).or_default() += 1;
            }
        }
    }
    let never: Vec<&str> = MODE.prompts.iter().map(|(prompt, _)| *prompt).filter(|prompt| !failed_in.contains_key(prompt)).collect();
    assert!(never.is_empty(), "nobody failed in {never:?}: {failed_in:?}");
}
