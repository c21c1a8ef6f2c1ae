//! Any JSON Schema, filled validly and always the same for the same seed.
//!
//! Handles what reply types are made of: objects, arrays, enums, bounds, references, unions. A `pattern` is not generated.

use serde_json::{Map, Number, Value, json};
use synod_math::Rng;

const WORDS: &[&str] = &[
    "the", "panel", "finds", "cost", "evidence", "risk", "because", "option", "plain", "measure", "holds", "under", "load", "and", "test", "shows",
    "limit", "change", "careful", "reading", "of", "a", "result", "with", "known", "bounds", "would", "support", "this", "claim", "in", "part",
];

/// So many words, a capital first and a full stop last.
pub fn sentence(dice: &mut Rng, words: usize) -> String {
    let mut text = String::with_capacity(words * 7);
    for i in 0..words.max(1) {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(WORDS[dice.index(WORDS.len())]);
    }
    if let Some(first) = text.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    text.push('.');
    text
}

/// `words`: the length of free strings.
pub fn fill(schema: &Value, seed: u64, words: usize) -> Value {
    Filler { root: schema, seed, dice: Rng::new(seed), words }.value(schema, 0, 0)
}

struct Filler<'a> {
    root: &'a Value,
    seed: u64,
    dice: Rng,
    words: usize,
}

/// Below this depth only what is required is filled, so that recursive schemas end.
const DEEP: usize = 8;

impl<'a> Filler<'a> {
    /// `turn` counts the items of the array we are in: enums in it rotate, so that a list of objects names different ids.
    fn value(&mut self, schema: &'a Value, depth: usize, turn: usize) -> Value {
        let Some(map) = schema.as_object() else {
            return Value::String(self.text(schema));
        };
        if let Some(target) = map.get("$ref").and_then(Value::as_str).and_then(|r| self.root.pointer(r.trim_start_matches('#'))) {
            return self.value(target, depth + 1, turn);
        }
        if let Some(constant) = map.get("const") {
            return constant.clone();
        }
        if let Some(options) = map.get("enum").and_then(Value::as_array) {
            let options: Vec<&Value> = options.iter().filter(|value| !value.is_null()).collect();
            let start = if turn > 0 { self.root_pick(options.len()) + turn } else { self.dice.index(options.len()) };
            return options.get(start % options.len().max(1)).map_or(Value::Null, |value| (*value).clone());
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(branches) = map.get(union).and_then(Value::as_array) {
                return self.branch(branches, depth, turn);
            }
        }
        if let Some(parts) = map.get("allOf").and_then(Value::as_array) {
            return self.all_of(schema, parts, depth, turn);
        }
        match kind(map) {
            "object" => self.object(map, depth, turn),
            "array" => self.array(map, depth),
            "integer" => self.integer(map),
            "number" => self.number(map),
            "boolean" => Value::Bool(self.dice.draw() & 1 == 0),
            "null" => Value::Null,
            _ => Value::String(self.text(schema)),
        }
    }

    /// The start of a rotation, the same for every item of every array of this reply.
    fn root_pick(&self, n: usize) -> usize {
        (self.seed % n.max(1) as u64) as usize
    }

    fn branch(&mut self, branches: &'a [Value], depth: usize, turn: usize) -> Value {
        let is_null = |branch: &Value| branch.get("type").and_then(Value::as_str) == Some("null");
        if depth > DEEP && branches.iter().any(is_null) {
            return Value::Null;
        }
        let real: Vec<&Value> = branches.iter().filter(|branch| !is_null(branch)).collect();
        // Past the depth limit the first branch is the one most likely to end.
        let pick = if depth > DEEP { 0 } else { self.dice.index(real.len()) };
        real.get(pick).map_or(Value::Null, |branch| self.value(branch, depth + 1, turn))
    }

    fn all_of(&mut self, schema: &'a Value, parts: &'a [Value], depth: usize, turn: usize) -> Value {
        let mut merged = Map::new();
        let mut last = Value::Null;
        for part in parts {
            last = self.value(part, depth + 1, turn);
            if let Value::Object(fields) = &last {
                merged.extend(fields.clone());
            }
        }
        if let Some(map) = schema.as_object().filter(|map| map.contains_key("properties"))
            && let Value::Object(fields) = self.object(map, depth, turn)
        {
            merged.extend(fields);
        }
        if merged.is_empty() { last } else { Value::Object(merged) }
    }

    fn object(&mut self, map: &'a Map<String, Value>, depth: usize, turn: usize) -> Value {
        let required: Vec<&str> = map.get("required").and_then(Value::as_array).map_or(Vec::new(), |r| r.iter().filter_map(Value::as_str).collect());
        let mut fields = Map::new();
        if let Some(properties) = map.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                if depth <= DEEP || required.contains(&name.as_str()) {
                    fields.insert(name.clone(), self.value(property, depth + 1, turn));
                }
            }
        }
        // A map: its keys are either named by the schema or ours to invent.
        if let Some(values) = map.get("additionalProperties").filter(|values| values.is_object()) {
            let named = map.get("propertyNames").and_then(|names| names.get("enum")).and_then(Value::as_array);
            let least = map.get("minProperties").and_then(Value::as_u64).unwrap_or(0) as usize;
            if let Some(names) = named {
                for name in names.iter().filter_map(Value::as_str) {
                    fields.insert(name.to_owned(), self.value(values, depth + 1, 0));
                }
            } else {
                for i in fields.len()..least {
                    fields.insert(format!("key_{i}"), self.value(values, depth + 1, 0));
                }
            }
        }
        Value::Object(fields)
    }

    fn array(&mut self, map: &'a Map<String, Value>, depth: usize) -> Value {
        let least = map.get("minItems").and_then(Value::as_u64).unwrap_or(0) as usize;
        let most = map.get("maxItems").and_then(Value::as_u64).map_or(usize::MAX, |most| most as usize);
        if let Some(first) = map.get("prefixItems").and_then(Value::as_array) {
            return Value::Array(first.iter().map(|item| self.value(item, depth + 1, 0)).collect());
        }
        let Some(items) = map.get("items") else {
            return Value::Array((0..least).map(|i| json!(format!("item {i}"))).collect());
        };
        // An array of enum values is a ranking or a set: each value once, in seeded order.
        if let Some(options) = self.resolved(items).get("enum").and_then(Value::as_array) {
            let mut order: Vec<Value> = options.iter().filter(|value| !value.is_null()).cloned().collect();
            for i in (1..order.len()).rev() {
                order.swap(i, self.dice.index(i + 1));
            }
            let mut out = order.clone();
            while out.len() < least && !order.is_empty() {
                out.push(order[out.len() % order.len()].clone());
            }
            out.truncate(most);
            return Value::Array(out);
        }
        let wanted = if depth > DEEP { least } else { least.max(2) };
        let items_out = (0..wanted.min(most)).map(|i| self.value(items, depth + 1, i + 1)).collect();
        Value::Array(items_out)
    }

    fn resolved(&self, schema: &'a Value) -> &'a Value {
        schema.get("$ref").and_then(Value::as_str).and_then(|r| self.root.pointer(r.trim_start_matches('#'))).unwrap_or(schema)
    }

    fn integer(&mut self, map: &Map<String, Value>) -> Value {
        let step = map.get("multipleOf").and_then(Value::as_i64).filter(|step| *step > 0).unwrap_or(1);
        let bound = |inclusive: &str, exclusive: &str, shift: i64| {
            let inclusive = map.get(inclusive).and_then(Value::as_f64).map(|n| if shift > 0 { n.ceil() } else { n.floor() } as i64);
            let exclusive = map.get(exclusive).and_then(Value::as_f64).map(|n| if shift > 0 { n.floor() as i64 + 1 } else { n.ceil() as i64 - 1 });
            inclusive.or(exclusive)
        };
        let low = bound("minimum", "exclusiveMinimum", 1);
        let high = bound("maximum", "exclusiveMaximum", -1);
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low.saturating_add(100)),
            (None, Some(high)) => (high.saturating_sub(100), high),
            (None, None) => (0, 100),
        };
        let low = low.div_euclid(step) * step + if low.rem_euclid(step) == 0 { 0 } else { step };
        let span = ((high - low).max(0) / step) as usize + 1;
        json!(low + step * self.dice.index(span) as i64)
    }

    fn number(&mut self, map: &Map<String, Value>) -> Value {
        let get = |name: &str| map.get(name).and_then(Value::as_f64);
        let low = get("minimum").or(get("exclusiveMinimum"));
        let high = get("maximum").or(get("exclusiveMaximum"));
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low + 1.0),
            (None, Some(high)) => (high - 1.0, high),
            (None, None) => (0.0, 1.0),
        };
        if let Some(step) = get("multipleOf").filter(|step| *step > 0.0) {
            return Number::from_f64((low / step).ceil() * step).map_or(Value::Null, Value::Number);
        }
        // Strictly inside, so that exclusive bounds hold as well.
        let inside = low + (high - low) * (0.05 + 0.9 * self.dice.unit());
        let rounded = (inside * 1000.0).round() / 1000.0;
        let value = if rounded > low && rounded < high { rounded } else { inside };
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }

    fn text(&mut self, schema: &Value) -> String {
        match schema.get("format").and_then(Value::as_str) {
            Some("date") => return "2026-01-15".to_owned(),
            Some("date-time") => return "2026-01-15T12:00:00Z".to_owned(),
            Some("uri") => return "https://example.org/".to_owned(),
            Some("email") => return "someone@example.org".to_owned(),
            Some("uuid") => return "00000000-0000-4000-8000-000000000000".to_owned(),
            _ => {}
        }
        let mut text = sentence(&mut self.dice, self.words);
        let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0) as usize;
        while text.chars().count() < least {
            text.push(' ');
            text.push_str(&sentence(&mut self.dice, self.words));
        }
        if let Some(most) = schema.get("maxLength").and_then(Value::as_u64) {
            text = text.chars().take(most as usize).collect();
        }
        text
    }
}

fn kind(map: &Map<String, Value>) -> &str {
    match map.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null"),
        _ if map.contains_key("properties") || map.contains_key("additionalProperties") => "object",
        _ if map.contains_key("items") || map.contains_key("prefixItems") => "array",
        _ => "string",
    }
}
