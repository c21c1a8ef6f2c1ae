//! Every turn there is: no prompt asks for what its form does not have, or for what the part forbids.

use super::{ALL, reads, round, seat, turn};
use crate::{Line, Played, play, says};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use synod_types::Request;

/// Two rounds with objections after the first and, where somebody answers risks, closing answers after the second.
async fn debate(style: &'static str) -> Played {
    let script = move |key: &str| -> Line {
        match key {
            key if key.contains("safety") => says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
            key if key.contains("analysis") => reads(0.5, &[ALL, &["S4"]]),
            key if key.starts_with("closing/") => None,
            key if key.contains("turn@") => {
                let kind = if style == "adversarial" { "logical" } else { "failure" };
                let own = format!("{}{}", seat(key), round(key));
                let claim = json!({"text": format!("matter{own} thing{own} point{own}"), "label": "INFER"});
                let stance = ["YES", "YES", "NO", "NEUTRAL"][seat(key) as usize];
                let more = json!({
                    "claims": [claim], "risks": [{"kind": kind, "text": format!("fault{own} gap{own} hole{own}")}],
                    "stance": stance, "ruling": "EVEN", "ruling_reason": "Neither.",
                });
                turn(seat(key), if round(key) == 1 && !key.contains("objection") { 0.9 } else { 0.5 }, more)
            }
            _ => None,
        }
    };
    play("roundtable", 4, None, &[("style", json!(style)), ("rounds", json!(2)), ("focus_question", json!("Who pays?"))], script).await
}

fn kind(key: &str) -> &'static str {
    match key {
        key if key.starts_with("closing/") => "closing",
        key if key.contains("/objection/") => "objection",
        key if key.starts_with("round 1/") => "first",
        _ => "later",
    }
}

/// The names of all fields of a form.
fn fields(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            found.extend(map.get("properties").and_then(Value::as_object).into_iter().flat_map(|fields| fields.keys().cloned()));
            map.values().for_each(|inner| fields(inner, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| fields(inner, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What a part may not be told, whatever the turn.
fn forbidden_to(role: &str) -> &'static [&'static str] {
    match role {
        "questioner" => &["If you agree", "counter-argument", "Before you oppose", "is your position stated", "each with what limits it", "Vote on"],
        "evaluator" => &["If you agree", "hypothesis nobody has tried", "counter-argument", "is your position stated", "each with what limits it"],
        "advocate" | "opposition" => &["If you agree", "what the table agrees on"],
        "red" => &["If you agree", "one alternative", "each with what limits it", "the reason it was not taken", "mitigation"],
        "blue" => &["If you agree"],
        _ => &[],
    }
}

/// What a kind of turn may not be told, whatever the part.
fn forbidden_in(kind: &str) -> &'static [&'static str] {
    match kind {
        "first" => &["Vote on", "This round is for objections", "closing answer"],
        "objection" => &[
            "Vote on",
            "these sections",
            "POINTS OF AGREEMENT",
            "PROPOSED SOLUTIONS",
            "If you agree",
            "Where duties conflict",
            "propose at least",
            "agree with others",
            "to answer under `mitigations`",
            "Focus question",
            "a percentage",
            "closer to one proposal",
            "held without a crack",
        ],
        "closing" => &[
            "Vote on",
            "these sections",
            "Where duties conflict",
            "propose at least",
            "at least three",
            "list every",
            "firm stand",
            "Focus question",
            "are at least two named",
            "three likeliest",
            "counter-argument",
            "If you agree",
            "by claim id",
            "repeat yours",
        ],
        _ => &["This round is for objections", "closing answer"],
    }
}

fn check(name: &str, role: &str, kind: &str, request: &Request) {
    let text = request.messages.last().map(|message| message.text().to_owned()).unwrap_or_default();
    let mut form = BTreeSet::new();
    fields(&request.schema.as_ref().expect("a form").schema, &mut form);
    let named: BTreeSet<&str> = text.split('`').skip(1).step_by(2).collect();
    let unknown: Vec<&&str> = named.iter().filter(|field| !form.contains(**field)).collect();
    assert!(unknown.is_empty(), "{name} is asked for {unknown:?}, which its form does not have: {text}");
    assert_eq!(text.contains("Vote on"), form.contains("vote"), "{name}");
    assert_eq!(text.contains("Open risks that you are to answer"), form.contains("mitigations"), "{name}");
    for phrase in forbidden_to(role).iter().chain(forbidden_in(kind)) {
        assert!(!text.contains(phrase), "{name} is told: {phrase}\n{text}");
    }
}

#[tokio::test]
async fn no_turn_asks_for_what_its_form_lacks_or_its_part_forbids() {
    let mut seen: BTreeMap<(String, &'static str), u32> = BTreeMap::new();
    for style in synod_modes::roundtable::styles() {
        let played = debate(style).await;
        let parts = played.data("seats")["seats"].clone();
        for (key, request) in played.requests.iter().filter(|(key, _)| key.contains("turn@") && !key.contains("/tool")) {
            let role = parts[seat(key) as usize]["role"].as_str().unwrap_or_default().to_owned();
            check(&format!("{style}, {role}, {key}"), &role, kind(key), request);
            let times = seen.entry((format!("{style} {role}"), kind(key))).or_default();
            *times += 1;
            if kind(key) == "closing" && *times == 1 {
                let whole: Vec<String> = request.messages.iter().map(|message| message.text().to_owned()).collect();
                insta::with_settings!({snapshot_path => "../../snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
                    insta::assert_snapshot!(format!("roundtable_{style}_{role}_closing"), whole.join("\n\n----- user -----\n"));
                });
            }
        }
    }
    let parts: BTreeSet<&String> = seen.keys().map(|(part, _)| part).collect();
    assert_eq!(parts.len(), 10, "{parts:?}");
    for part in parts {
        let answers = ["adversarial challenger", "red-team-blue-team blue"].contains(&part.as_str());
        for kind in ["first", "later", "objection", "closing"] {
            assert_eq!(seen.contains_key(&(part.clone(), kind)), kind != "closing" || answers, "{part}, {kind}");
        }
    }
}
