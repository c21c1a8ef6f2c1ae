//! Protocols as their JSON says them, and votes, recommendations and hashes counted again from rows.

use super::tables::SlotRow;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use synod_types::sha256_hex;

/// One layer of a protocol, as its JSON says it.
pub struct Stage {
    pub layer: i64,
    pub roles: Vec<String>,
    pub seats: usize,
    pub threshold: f64,
    pub effect: Option<String>,
}

/// A protocol, as its JSON says it.
pub struct Plan {
    pub name: String,
    pub by_type: bool,
    pub by_owner: bool,
    pub lease_ms: i64,
    pub stages: Vec<Stage>,
}

impl Plan {
    pub fn read(body: &Value) -> Self {
        let stage = |stage: &Value| {
            let work = stage["workerSlots"].as_array().cloned().unwrap_or_default();
            let roles = work.iter().flat_map(|role| {
                let name = role["role"].as_str().expect("a role").to_owned();
                std::iter::repeat_n(name, role["count"].as_u64().expect("a count") as usize)
            });
            Stage {
                layer: stage["layer"].as_i64().expect("a layer"),
                roles: roles.collect(),
                seats: stage["consensusCount"].as_u64().expect("a count") as usize,
                threshold: stage["consensusThreshold"].as_f64().expect("a threshold"),
                effect: stage["effect"].as_str().map(str::to_owned),
            }
        };
        Self {
            name: body["name"].as_str().expect("a name").to_owned(),
            by_type: body["exclusivity"] == "layer_and_type",
            by_owner: body["exclusivityScope"] == "owner",
            lease_ms: body["leaseSecs"].as_i64().expect("a time") * 1000,
            stages: body["stages"].as_array().expect("stages").iter().map(stage).collect(),
        }
    }

    pub fn stage(&self, layer: i64) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.layer == layer)
    }

    pub fn routes(&self) -> bool {
        self.stages.iter().any(|stage| stage.effect.as_deref() == Some("route"))
    }
}

pub fn parts(confidence: f64) -> i64 {
    (confidence * 10_000.0).round() as i64
}

/// The choices that are best by votes, then by votes of seats, then by confidence: what is still equal is decided by finer rules.
pub fn winners<'s>(slots: impl Iterator<Item = &'s SlotRow>, field: &str, read: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    let mut standings: BTreeMap<String, (usize, usize, i64)> = BTreeMap::new();
    for slot in slots {
        let said = slot.structured.as_ref().and_then(|structured| structured[field].as_str());
        let Some(choice) = said.and_then(&read) else { continue };
        let standing = standings.entry(choice).or_default();
        standing.0 += 1;
        standing.1 += usize::from(slot.kind == "consensus");
        standing.2 += slot.confidence.map_or(0, parts);
    }
    let best = standings.values().max().copied();
    standings.into_iter().filter(|(_, standing)| Some(*standing) == best).map(|(choice, _)| choice).collect()
}

/// Domains of these tests are slugs already, or hold nothing that a slug could hold.
pub fn slug(given: &str) -> Option<String> {
    Some(given.to_owned()).filter(|given| !given.is_empty() && given != "calibrating" && given.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
}

/// What the seats of the last layer recommend.
pub fn recommended(seats: &[&SlotRow]) -> (Option<&'static str>, bool) {
    const WORDS: [&str; 4] = ["accept", "accept-with-caveats", "reject", "needs-more-evidence"];
    let known = |given: &str| WORDS.iter().find(|word| **word == given).map(|word| (*word).to_owned());
    let tied = winners(seats.iter().copied(), "recommendation", known);
    let word = |wanted: &str| WORDS.into_iter().find(|word| *word == wanted);
    match tied.len() {
        0 => (None, false),
        1 => (tied.first().and_then(|only| word(only)), false),
        _ if tied.contains("needs-more-evidence") => (word("needs-more-evidence"), false),
        _ if tied.contains("accept-with-caveats") => (word("accept-with-caveats"), false),
        _ => (word("needs-more-evidence"), true),
    }
}

pub fn plain_number(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

pub fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let names: BTreeMap<&String, &Value> = map.iter().collect();
            Value::Object(names.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), plain_number),
        other => other.clone(),
    }
}

/// Both hashes over what counts.
pub fn hashes(claim: &str, protocol: &str, slots: &[&SlotRow], recommendation: Option<&str>) -> (String, String) {
    let mut done: Vec<&&SlotRow> = slots.iter().filter(|slot| slot.status == "done").collect();
    done.sort_by_key(|slot| (slot.layer, slot.id.clone()));
    let row = |slot: &SlotRow| -> Map<String, Value> {
        let fields = json!({
            "id": slot.id, "layer": slot.layer, "role": slot.role, "slotType": slot.kind, "output": slot.output.as_deref().unwrap_or_default(),
            "confidence": plain_number(slot.confidence.unwrap_or(0.0)), "signingAddress": slot.address.as_deref().unwrap_or_default(),
            "outputSignature": slot.signature.as_deref().unwrap_or_default(),
        });
        fields.as_object().expect("an object").clone()
    };
    let first: Vec<Value> = done.iter().map(|slot| Value::Object(row(slot))).collect();
    let second = done.iter().map(|slot| {
        let mut row = row(slot);
        row.insert("attempt".into(), json!(slot.attempt));
        row.insert("structuredOutput".into(), slot.structured.as_ref().map_or(Value::Null, sorted));
        Value::Object(row)
    });
    let second: Vec<Value> = second.collect();
    let second = json!({"claimId": claim, "protocol": protocol, "slots": second, "recommendation": recommendation.unwrap_or_default()});
    let hash = |value: Value| format!("0x{}", sha256_hex(value.to_string()));
    (hash(Value::Array(first)), hash(second))
}
