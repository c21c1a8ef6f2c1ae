//! Protocols as data: those that are built in, and a user's own from a file, checked whole before anything uses them.

use serde_json::Value;
use std::sync::OnceLock;
use synod_types::{Problem, Protocol, StageEffect};

/// The protocol of a claim that names none.
pub const DEFAULT: &str = "prism-v1";
/// The protocol that chooses another, for claims whose protocol is `auto`.
pub const ROUTER: &str = "meta-v1";
pub const AUTO: &str = "auto";

const BUILT_IN: [&str; 4] = [
    include_str!("../protocols/prism-v1.json"),
    include_str!("../protocols/prism-v1-solo.json"),
    include_str!("../protocols/lens-v1.json"),
    include_str!("../protocols/meta-v1.json"),
];

pub fn built_in() -> &'static [Protocol] {
    static READ: OnceLock<Vec<Protocol>> = OnceLock::new();
    READ.get_or_init(|| BUILT_IN.iter().map(|text| serde_json::from_str(text).expect("built-in protocols are tested")).collect())
}

/// Reads and checks a user's own. Everything that is wrong is told at once.
pub fn read(document: &Value) -> Result<Protocol, Vec<Problem>> {
    let problems = synod_engine::schema::mismatches(&synod_engine::schema_of::<Protocol>(), document);
    if !problems.is_empty() {
        return Err(problems);
    }
    let protocol: Protocol =
        serde_json::from_value(document.clone()).map_err(|error| vec![Problem::new("protocol", error.to_string(), "a protocol")])?;
    let problems = check(&protocol);
    if problems.is_empty() { Ok(protocol) } else { Err(problems) }
}

/// What the schema cannot say.
fn check(protocol: &Protocol) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut wrong = |field: String, got: String, want: &str| problems.push(Problem::new(field, got, want));
    if !is_name(&protocol.name) || protocol.name == AUTO {
        wrong("name".into(), protocol.name.clone(), "small letters, digits and dashes, at most 64; not \"auto\"");
    }
    if built_in().iter().any(|known| known.name == protocol.name && known != protocol) {
        wrong("name".into(), protocol.name.clone(), "a name of its own: this one is built in");
    }
    let routes = protocol.stages.iter().any(|stage| stage.effect == Some(StageEffect::Route));
    if routes && protocol.stages.len() > 1 {
        wrong("stages".into(), format!("{} stages", protocol.stages.len()), "a protocol that routes has one stage");
    }
    for (n, stage) in protocol.stages.iter().enumerate() {
        let field = |name: &str| format!("stages[{n}].{name}");
        if n > 0 && stage.layer <= protocol.stages[n - 1].layer {
            wrong(field("layer"), stage.layer.to_string(), "a number above that of the stage before");
        }
        if routes != (stage.layer == 0) {
            wrong(field("layer"), stage.layer.to_string(), "layers from 1; 0 is the layer of a protocol that routes");
        }
        for (name, text) in [("name", &stage.name), ("goal", &stage.goal)] {
            if text.trim().is_empty() || text.chars().count() > 500 || text.chars().any(char::is_control) {
                wrong(field(name), format!("{} characters", text.chars().count()), "1 to 500 characters on one line");
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        for (k, slots) in stage.worker_slots.iter().enumerate() {
            if !is_name(&slots.role) || slots.role == "consensus" || seen.contains(&slots.role.as_str()) {
                wrong(
                    format!("stages[{n}].workerSlots[{k}].role"),
                    slots.role.clone(),
                    "a role of its own: small letters, digits and dashes; not \"consensus\"",
                );
            }
            seen.push(&slots.role);
        }
        if stage.works() > 40 {
            wrong(field("workerSlots"), format!("{} slots", stage.works()), "at most 40 in one layer");
        }
        if let Some(schema) = &stage.output_schema {
            if schema.get("type").and_then(Value::as_str) != Some("object") {
                wrong(field("outputSchema"), "something else".into(), "a JSON Schema of an object");
            } else if schema.to_string().contains("\"$ref\"") {
                wrong(field("outputSchema"), "a $ref".into(), "a schema that is written out");
            } else if let Some((at, why)) = synod_engine::schema::flaw(schema) {
                wrong(field("outputSchema"), format!("{at}: {why}"), "a JSON Schema whose every part can be checked");
            }
        }
        let needs: &[&str] = match stage.effect {
            None => &[],
            Some(StageEffect::Domain) => &["domain"],
            Some(StageEffect::Verdict) => &["verdict"],
            Some(StageEffect::Route) => &["protocol"],
        };
        for name in needs {
            let asked = stage.output_schema.as_ref().and_then(|schema| schema.get("properties")?.get(name));
            if asked.and_then(|property| property.get("type")).and_then(Value::as_str) != Some("string") {
                wrong(field("outputSchema"), format!("no text {name:?}"), "the text that the stage's effect is voted on");
            }
        }
    }
    problems
}

fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use synod_types::{Exclusivity, SlotType};

    #[test]
    fn what_is_built_in_is_as_it_is_specified() {
        let protocol = |name: &str| built_in().iter().find(|protocol| protocol.name == name).expect(name);
        for text in BUILT_IN {
            let document: Value = serde_json::from_str(text).expect("JSON");
            read(&document).unwrap_or_else(|problems| panic!("{problems:?}"));
        }
        let prism = protocol("prism-v1");
        assert_eq!((prism.stages.len(), prism.slots(), prism.agents()), (7, 34, 9));
        assert_eq!(
            prism.stages.iter().map(|stage| (stage.works(), stage.consensus_count)).collect::<Vec<_>>(),
            [(2, 2), (2, 2), (3, 2), (3, 2), (2, 2), (6, 3), (0, 3)]
        );
        assert!(prism.stages.iter().all(|stage| stage.consensus_threshold == 0.7) && prism.stages[6].first_phase() == SlotType::Consensus);
        assert_eq!(Protocol { exclusivity: Exclusivity::LayerAndType, ..prism.clone() }.agents(), 6);
        let solo = protocol("prism-v1-solo");
        assert_eq!((solo.slots(), solo.agents(), solo.exclusivity), (13, 1, Exclusivity::LayerAndType));
        let lens = protocol("lens-v1");
        assert_eq!(
            lens.stages.iter().map(|stage| (stage.works(), stage.consensus_count, stage.consensus_threshold)).collect::<Vec<_>>(),
            [(2, 2, 0.7), (3, 2, 0.7), (3, 2, 0.6), (2, 2, 0.6), (2, 2, 0.7), (0, 3, 0.6)]
        );
        assert_eq!((protocol("meta-v1").slots(), protocol("meta-v1").stages[0].layer), (6, 0));
    }

    #[test]
    fn every_mistake_of_a_users_own_is_told_at_once() {
        let stage = json!({"layer": 1, "name": "look", "goal": "Look.", "consensusCount": 1, "consensusThreshold": 0.5});
        let good = json!({"name": "mine", "description": "", "stages": [stage]});
        assert!(read(&good).is_ok());
        let fields = |document: &Value| -> Vec<String> { read(document).expect_err("wrong").into_iter().map(|problem| problem.field).collect() };
        let mut bad = good.clone();
        bad["name"] = json!("Mine!");
        bad["stages"][0]["workerSlots"] = json!([{"role": "consensus", "count": 1}]);
        bad["stages"][0]["effect"] = json!("domain");
        bad["stages"].as_array_mut().expect("a list").push(stage.clone());
        assert_eq!(fields(&bad), ["name", "stages[0].workerSlots[0].role", "stages[0].outputSchema", "stages[1].layer"]);
        let mut bad = good.clone();
        bad["stages"][0]["consensusThreshold"] = json!(1.5);
        bad["stages"][0]["surprise"] = json!(1);
        assert_eq!(fields(&bad).len(), 2);
        let mut taken = good;
        taken["name"] = json!("prism-v1");
        assert_eq!(fields(&taken), ["name"]);
    }
}
