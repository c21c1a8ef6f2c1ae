//! Reads JSON Schemas as far as filling them needs: references followed, alternatives chosen, the rest merged into one flat set of rules.

use super::dice::Dice;
use serde_json::{Map, Value, json};

/// More than any sensible schema nests: never chosen while there is another way.
const ENDLESS: u32 = 1_000;

/// The part of a schema that `$ref` names. Only references into the same document are followed.
fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

fn branches<'a>(map: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    map.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// How an alternative is chosen.
pub(super) struct Choice<'a> {
    /// A hint for the value: alternatives it could not fit are passed over.
    pub(super) hint: Option<&'a Value>,
    /// Only the shallowest alternative will do.
    pub(super) tight: bool,
}

/// One schema with references, `allOf`, and one choice of each `anyOf` and `oneOf` folded in.
pub(super) fn flatten(root: &Value, schema: &Value, choice: &Choice, dice: &mut Dice) -> Map<String, Value> {
    fold(root, schema, choice, dice, &mut Vec::new())
}

fn fold<'a>(root: &'a Value, schema: &'a Value, choice: &Choice, dice: &mut Dice, followed: &mut Vec<&'a str>) -> Map<String, Value> {
    let Some(map) = schema.as_object() else { return Map::new() };
    let skipped = ["$ref", "allOf", "anyOf", "oneOf", "$defs", "definitions"];
    let mut rules: Map<String, Value> =
        map.iter().filter(|(name, _)| !skipped.contains(&name.as_str())).map(|(n, v)| (n.clone(), v.clone())).collect();
    if let Some(reference) = map.get("$ref").and_then(Value::as_str)
        && !followed.contains(&reference)
        && let Some(target) = target(root, reference)
    {
        followed.push(reference);
        rules = merge(fold(root, target, choice, dice, followed), rules);
        followed.pop();
    }
    for part in branches(map, "allOf") {
        let part = fold(root, part, choice, dice, followed);
        rules = merge(rules, part);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branch) = choose(root, branches(map, keyword), choice, dice) {
            let branch = fold(root, branch, choice, dice, followed);
            rules = merge(rules, branch);
        }
    }
    rules
}

fn choose<'a>(root: &'a Value, branches: &'a [Value], choice: &Choice, dice: &mut Dice) -> Option<&'a Value> {
    if choice.tight {
        return branches.iter().min_by_key(|branch| height(root, branch, &mut Vec::new()));
    }
    let fitting: Vec<&Value> = branches.iter().filter(|branch| choice.hint.is_some_and(|hint| could_be(root, branch, hint))).collect();
    let candidates = if fitting.is_empty() { branches.iter().collect() } else { fitting };
    // "Or nothing" is a way out for those who have nothing to say; a voice always has.
    let told: Vec<&Value> = candidates.iter().copied().filter(|branch| !could_be(root, branch, &Value::Null)).collect();
    dice.pick(if told.is_empty() { &candidates } else { &told }).copied()
}

/// Whether a value of this type might fit, as far as types, constants and enums tell.
fn could_be(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(map) = schema.as_object() else { return schema.as_bool().unwrap_or(true) };
    if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
        return target(root, reference).is_none_or(|target| target.get("$ref").is_some() || could_be(root, target, value));
    }
    if let Some(constant) = map.get("const") {
        return constant == value;
    }
    if let Some(Value::Array(allowed)) = map.get("enum") {
        return allowed.contains(value) || value.as_array().is_some_and(|phrases| phrases.iter().any(|phrase| allowed.contains(phrase)));
    }
    let types = types(map);
    // A list in a hint may also be a list of phrases to choose from.
    types.is_empty() || types.iter().any(|kind| is_of(kind, value) || (value.is_array() && kind != "null"))
}

pub(super) fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// The types a schema allows; told from its other rules where it names none; empty when anything goes.
pub(super) fn types(map: &Map<String, Value>) -> Vec<String> {
    match map.get("type") {
        Some(Value::String(kind)) => return vec![kind.clone()],
        Some(Value::Array(kinds)) => return kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => {}
    }
    let has = |keywords: &[&str]| keywords.iter().any(|keyword| map.contains_key(*keyword));
    let kind = if has(&["properties", "required", "additionalProperties", "minProperties", "propertyNames"]) {
        "object"
    } else if has(&["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]) {
        "array"
    } else if has(&["minLength", "maxLength", "format", "pattern"]) {
        "string"
    } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
        "number"
    } else {
        return Vec::new();
    };
    vec![kind.to_owned()]
}

/// How deep the shallowest instance is. A shallowest instance never meets the same reference twice on one path.
fn height<'a>(root: &'a Value, schema: &'a Value, followed: &mut Vec<&'a str>) -> u32 {
    let Some(map) = schema.as_object() else { return 0 };
    if map.contains_key("const") || map.contains_key("enum") {
        return 0;
    }
    let mut least = 0;
    if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
        if followed.contains(&reference) {
            return ENDLESS;
        }
        if let Some(target) = target(root, reference) {
            followed.push(reference);
            least = height(root, target, followed);
            followed.pop();
        }
    }
    for part in branches(map, "allOf") {
        least = least.max(height(root, part, followed));
    }
    for keyword in ["anyOf", "oneOf"] {
        least = least.max(branches(map, keyword).iter().map(|branch| height(root, branch, followed)).min().unwrap_or(0));
    }
    let types = types(map);
    let only = |kind: &str| types.len() == 1 && types[0] == kind;
    if only("object") {
        let required = branches(map, "required").iter().filter_map(Value::as_str);
        let inner = required.filter_map(|name| map.get("properties")?.get(name)).map(|property| height(root, property, followed)).max();
        least = least.max(1 + inner.unwrap_or(0));
    } else if only("array") && map.get("minItems").and_then(Value::as_u64).unwrap_or(0) > 0 {
        least = least.max(1 + map.get("items").map_or(0, |items| height(root, items, followed)));
    }
    least.min(ENDLESS)
}

/// Rules that both hold, as one. What cannot be folded is left to the later one; the finished instance is validated anyway.
fn merge(mut a: Map<String, Value>, b: Map<String, Value>) -> Map<String, Value> {
    for (name, theirs) in b {
        let Some(ours) = a.get(&name) else {
            a.insert(name, theirs);
            continue;
        };
        let both = match name.as_str() {
            "properties" => both_properties(ours, theirs),
            "required" => union(ours, &theirs),
            "enum" => intersection(ours, &theirs),
            "type" => both_types(ours, &theirs),
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => stricter(ours, theirs, |ours, theirs| theirs > ours),
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => stricter(ours, theirs, |ours, theirs| theirs < ours),
            "items" => json!({"allOf": [ours, theirs]}),
            "uniqueItems" if ours == &json!(true) => continue,
            "additionalProperties" if ours == &json!(false) => continue,
            _ => theirs,
        };
        a.insert(name, both);
    }
    a
}

fn both_properties(ours: &Value, theirs: Value) -> Value {
    let mut all = ours.as_object().cloned().unwrap_or_default();
    if let Value::Object(theirs) = theirs {
        for (name, schema) in theirs {
            let schema = all.get(&name).map_or_else(|| schema.clone(), |ours| json!({"allOf": [ours, schema]}));
            all.insert(name, schema);
        }
    }
    Value::Object(all)
}

fn union(ours: &Value, theirs: &Value) -> Value {
    let mut all = ours.as_array().cloned().unwrap_or_default();
    for value in theirs.as_array().into_iter().flatten() {
        if !all.contains(value) {
            all.push(value.clone());
        }
    }
    Value::Array(all)
}

fn intersection(ours: &Value, theirs: &Value) -> Value {
    let theirs = theirs.as_array().map_or(&[][..], Vec::as_slice);
    Value::Array(ours.as_array().into_iter().flatten().filter(|value| theirs.contains(value)).cloned().collect())
}

fn both_types(ours: &Value, theirs: &Value) -> Value {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let (ours, theirs) = (list(ours), list(theirs));
    let narrow = |kind: &Value, others: &[Value]| others.contains(kind) || (kind == "integer" && others.contains(&json!("number")));
    let mut both: Vec<Value> = ours.iter().filter(|kind| narrow(kind, &theirs)).cloned().collect();
    both.extend(theirs.iter().filter(|kind| !ours.contains(kind) && narrow(kind, &ours)).cloned());
    Value::Array(both)
}

fn stricter(ours: &Value, theirs: Value, wins: impl Fn(f64, f64) -> bool) -> Value {
    match (ours.as_f64(), theirs.as_f64()) {
        (Some(a), Some(b)) if !wins(a, b) => ours.clone(),
        _ => theirs,
    }
}
