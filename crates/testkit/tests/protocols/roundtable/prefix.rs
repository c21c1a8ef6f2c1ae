//! How much of what is sent a provider has read before: prompts begin with what they share.

use super::{reads, round, seat, turn};
use crate::says;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use synod_engine::{OptionValue, tokens};
use synod_modes::roundtable::MODE;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::Request;

/// The whole of a request as a provider reads it.
fn sent(request: &Request) -> String {
    request.messages.iter().map(|message| format!("{}\n----\n", message.text())).collect()
}

/// The length of what two texts begin with.
fn common(one: &str, other: &str) -> usize {
    let mut at = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    while !one.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Tokens that lie in a prefix shared with an earlier request of the same model, and all tokens.
fn shared(requests: &[(String, Request)]) -> (u64, u64) {
    let mut earlier: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut shared, mut all) = (0, 0);
    for (_, request) in requests {
        let text = sent(request);
        let known = earlier.entry(request.model.clone()).or_default();
        let longest = known.iter().map(|before| common(before, &text)).max().unwrap_or(0);
        shared += tokens::count(&text[..longest]);
        all += tokens::count(&text);
        known.push(text);
    }
    (shared, all)
}

/// Six rounds of five seats who write some four hundred words each.
async fn debate(style: &str, one_model: bool) -> Vec<(String, Request)> {
    let words = |key: &str| {
        let word = |n: u32| ["cost", "queue", "retry", "night", "owner", "alarm", "figure"][((n * 7 + seat(key) * 3 + round(key)) % 7) as usize];
        (0..400).map(|n| if n % 40 == 39 { "end. [INFER]".to_owned() } else { word(n).to_owned() }).collect::<Vec<_>>().join(" ")
    };
    let script = move |key: &str| match key {
        key if key.contains("turn@") => {
            let position = format!("plan{0} step{0} goal{0}", seat(key) * 10 + round(key));
            let claims = json!([{"text": format!("matter{0} thing{0} point{0} stands", seat(key) * 10 + round(key)), "label": "INFER"}]);
            turn(seat(key), 0.6, json!({"reasons": words(key), "position": position, "claims": claims, "vote": "BLOCKER"}))
        }
        key if key.contains("analysis") => reads(0.5, &[&["S1", "S2", "S3"], &["S4", "S5"]]),
        key if key.contains("safety") => says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
        _ => None,
    };
    let counted = Arc::new(CountedModels::new(Arc::new(Voices::default().scripted(move |_, _, context| script(&context.key)))));
    let rig = Rig::new(counted.clone());
    let mut order = order(&MODE, 3);
    order.panel.models = (0..5).map(|n| if one_model { "m".to_owned() } else { format!("m{n}") }).collect();
    if one_model {
        (order.panel.chair, order.panel.light) = (Some("m".into()), Some("m".into()));
    }
    let options = [("style", json!(style)), ("rounds", json!(6)), ("groupthink", json!("record")), ("exit_on_consensus", json!(false))];
    order.options = options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::json(value.clone()))).collect();
    let (_, ending) = rig.run(&order).await;
    assert_eq!(verdict(ending).data["round"], json!(6), "{style}");
    counted.requests()
}

#[tokio::test]
async fn most_of_what_one_model_reads_on_all_seats_it_has_read_before() {
    let mut told = Vec::new();
    let mut short = Vec::new();
    for style in synod_modes::roundtable::styles() {
        let (shared, all) = shared(&debate(style, true).await);
        let (apart, of) = self::shared(&debate(style, false).await);
        let share = |shared: u64, all: u64| shared as f64 / all as f64;
        told.push(format!("{style}: {:.0} % of {all} tokens, with distinct models {:.0} %", share(shared, all) * 100.0, share(apart, of) * 100.0));
        if share(shared, all) < 0.6 {
            short.push(style);
        }
    }
    #[allow(clippy::print_stdout, reason = "a test prints what it counted")]
    {
        println!("{}", told.join("\n"));
    }
    assert!(short.is_empty(), "{short:?} share too little:\n{}", told.join("\n"));
}
