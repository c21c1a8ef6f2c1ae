//! A filled schema must hold against the schema itself, whatever the seed.

use super::fill;
use serde_json::{Value, json};

fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        (
            "ballot",
            json!({ "type": "object", "additionalProperties": false, "required": ["reasons", "choice", "confidence"], "properties": {
            "reasons": { "type": "string", "minLength": 3 }, "choice": { "enum": ["K3", "T9", "abstain"] },
            "confidence": { "type": "number", "minimum": 0, "maximum": 1 } } }),
        ),
        (
            "ranking",
            json!({ "type": "object", "required": ["ranking"], "properties": {
            "ranking": { "type": "array", "items": { "enum": ["A1", "B2", "C3", "D4"] }, "uniqueItems": true, "minItems": 4, "maxItems": 4 } } }),
        ),
        (
            "references",
            json!({ "$defs": { "Id": { "type": "string", "enum": ["t1", "t2", "t3"] },
            "Edge": { "type": "object", "required": ["from", "to"], "properties": { "from": { "$ref": "#/$defs/Id" }, "to": { "$ref": "#/$defs/Id" } } } },
            "type": "object", "required": ["edges"], "properties": { "edges": { "type": "array", "minItems": 3, "items": { "$ref": "#/$defs/Edge" } } } }),
        ),
        (
            "bounds",
            json!({ "type": "object", "required": ["a", "b", "c", "d"], "properties": {
            "a": { "type": "integer", "minimum": 1, "maximum": 5 }, "b": { "type": "integer", "exclusiveMinimum": 2, "exclusiveMaximum": 4 },
            "c": { "type": "number", "exclusiveMinimum": 0 }, "d": { "type": "integer", "multipleOf": 5, "minimum": 3, "maximum": 22 } } }),
        ),
        (
            "nullable",
            json!({ "type": "object", "required": ["note"], "properties": { "note": { "type": ["string", "null"], "maxLength": 12 },
            "more": { "anyOf": [{ "type": "null" }, { "type": "array", "items": { "type": "boolean" } }] } } }),
        ),
        (
            "tagged",
            json!({ "oneOf": [
            { "type": "object", "required": ["kind", "n"], "properties": { "kind": { "const": "count" }, "n": { "type": "integer" } } },
            { "type": "object", "required": ["kind"], "properties": { "kind": { "const": "none" } } } ] }),
        ),
        (
            "map",
            json!({ "type": "object", "required": ["scores"], "properties": { "scores": { "type": "object",
            "propertyNames": { "enum": ["K3", "T9"] }, "minProperties": 2, "additionalProperties": { "type": "integer", "minimum": 1, "maximum": 10 } } } }),
        ),
        (
            "recursive",
            json!({ "$defs": { "Node": { "type": "object", "required": ["name", "children"], "properties": {
            "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } } } } }, "$ref": "#/$defs/Node" }),
        ),
    ]
}

#[test]
fn every_filled_schema_is_valid_for_many_seeds() {
    for (name, schema) in schemas() {
        for seed in 0..200 {
            let value = fill(&schema, seed, 6);
            let errors = synod_engine::schema::mismatches(&schema, &value);
            assert!(errors.is_empty(), "{name}, seed {seed}: {errors:?} in {value}");
        }
    }
}

#[test]
fn the_same_seed_fills_alike_and_seeds_differ() {
    let (_, schema) = schemas().swap_remove(1);
    assert_eq!(fill(&schema, 7, 6), fill(&schema, 7, 6));
    let different: std::collections::BTreeSet<String> = (0..50).map(|seed| fill(&schema, seed, 6).to_string()).collect();
    assert!(different.len() > 10, "only {} of 24 orders in 50 seeds", different.len());
}

#[test]
fn a_list_of_objects_names_different_ids() {
    let (_, schema) = schemas().swap_remove(2);
    let value = fill(&schema, 3, 6);
    let from: std::collections::BTreeSet<&str> = value["edges"].as_array().expect("edges").iter().filter_map(|edge| edge["from"].as_str()).collect();
    assert_eq!(from.len(), 3, "{value}");
}
