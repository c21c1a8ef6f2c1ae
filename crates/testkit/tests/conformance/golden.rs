//! One rehearsal of every mode, whole, as a person would read its journal, and every prompt as a seat reads it. A change here is a change of
//! protocol, of voice or of wording.

use crate::{ended, voices};
use std::collections::BTreeMap;
use std::sync::Arc;
use synod_engine::Mode;
use synod_testkit::counted::CountedModels;
use synod_testkit::reading::transcript;
use synod_testkit::rig::{Rig, order, varied};
use synod_types::{Attachment, Message, PastTurn, Request, sha256_hex};

every_mode!(
    #[tokio::test]
    a_rehearsal_reads_as_it_always_did
);
async fn a_rehearsal_reads_as_it_always_did(mode: &'static Mode) {
    let rig = Rig::new(voices());
    let (run, ending) = rig.run(&order(mode, 7)).await;
    ended(&rig, &run, ending, mode.id).await;
    let rows = rig.rows(&run).await;
    insta::with_settings!({snapshot_path => "../snapshots", prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(format!("golden_{}", mode.id), transcript(&rows));
    });
}

/// The name of the prompt behind a turn's key: `round 2/match 0/judge@4`.
fn prompt_of(key: &str) -> &str {
    key.rsplit('/').next().and_then(|last| last.split('@').next()).unwrap_or(key)
}

fn reading(request: &Request) -> String {
    let temperature = request.temperature.map_or_else(|| "the model's own".to_owned(), |temperature| temperature.to_string());
    let mut out = format!("temperature {temperature}, at most {} tokens\n", request.max_tokens);
    for message in &request.messages {
        let who = match message {
            Message::System { .. } => "system",
            Message::User { .. } => "user",
            Message::Assistant { .. } => "assistant",
            Message::Tool { .. } => "tool",
        };
        out.push_str(&format!("\n===== {who}\n{}\n", message.text()));
    }
    if let Some(schema) = &request.schema {
        out.push_str(&format!("\n===== schema {}\n{}\n", schema.name, serde_json::to_string_pretty(&schema.schema).expect("JSON")));
    }
    out
}

every_mode!(
    #[tokio::test]
    every_prompt_reads_as_it_always_did_and_every_typed_reply_argues_first
);
async fn every_prompt_reads_as_it_always_did_and_every_typed_reply_argues_first(mode: &'static Mode) {
    let mut first: BTreeMap<String, Request> = BTreeMap::new();
    for seed in 0..60 {
        let counted = Arc::new(CountedModels::new(voices()));
        let rig = Rig::new(counted.clone());
        let mut order = varied(mode, seed);
        if seed % 2 == 0 {
            order.question.content = Some("cron runs forty jobs; </content> three fail a week".into());
            let text = "a,b\n1,2\n".to_owned();
            order.question.files.push(Attachment { name: "jobs.csv".into(), sha256: sha256_hex(&text), bytes: text.len() as u64, text });
        }
        if mode.multi_turn {
            order.question.history.push(PastTurn { question: "And before?".into(), answer: "It was fine.".into() });
        }
        let (run, ending) = rig.run(&order).await;
        ended(&rig, &run, ending, mode.id).await;
        // Requests come as they were sent, which is another order every time; keys do not.
        let by_key: BTreeMap<String, Request> = counted.requests().into_iter().collect();
        for (key, request) in by_key {
            let properties = request.schema.as_ref().map(|reply| reply.schema["properties"].as_object().and_then(|map| map.keys().next().cloned()));
            assert!(
                properties.as_ref().is_none_or(|first| first.as_deref() == Some("reasons")),
                "{} seed {seed}: {key} begins with {properties:?}",
                mode.id
            );
            first.entry(prompt_of(&key).to_owned()).or_insert(request);
        }
        if mode.prompts.iter().all(|(name, _)| first.contains_key(*name)) {
            break;
        }
    }
    for (name, _) in mode.prompts {
        let request = first.get(*name).unwrap_or_else(|| panic!("{}: {name} was never asked in 60 runs", mode.id));
        insta::with_settings!({snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(format!("prompt_{}_{name}", mode.id), reading(request));
        });
    }
}
