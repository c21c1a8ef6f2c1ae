//! JSON Schemas: those of the types a run reads and writes, and documents checked by them, every mistake named with what would be right.

mod check;
mod derive;

pub use check::{Mismatch, MismatchKind, differences, fits, flaw};
pub use derive::{row_schema_of, schema_of};
use serde_json::Value;
use synod_types::{Problem, clip};

/// Everything in which a document differs from its schema: where, what stands there, and what would be right.
pub fn mismatches(schema: &Value, document: &Value) -> Vec<Problem> {
    differences(schema, document).iter().map(Mismatch::problem).collect()
}

impl Mismatch<'_> {
    /// The same for people.
    pub fn problem(&self) -> Problem {
        let at = dotted(&self.at);
        let under = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        let known = self.rules.get("properties").and_then(Value::as_object);
        match self.kind {
            MismatchKind::Missing(name) => {
                let want = known.and_then(|known| known.get(name)).map_or_else(|| "a value".into(), describe);
                Problem::new(under(name), "nothing", want)
            }
            MismatchKind::Unknown(name) => {
                let known: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
                Problem::new(under(name), "unknown field", format!("one of: {}", known.join(", ")))
            }
            MismatchKind::Other => Problem::new(if at.is_empty() { "document" } else { &at }, shown(self.value), describe(self.rules)),
        }
    }
}

/// `/cards/0/cost` as people write it: `cards[0].cost`.
fn dotted(pointer: &str) -> String {
    let mut out = String::new();
    for part in pointer.split('/').skip(1) {
        if part.parse::<usize>().is_ok() {
            out.push_str(&format!("[{part}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    out
}

/// A value as given, at a length that fits a message.
pub(crate) fn shown(value: &Value) -> String {
    clip::chars(&value.to_string(), 80, " …")
}

pub(crate) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => schema.get("anyOf").and_then(Value::as_array).map(|any| any.iter().flat_map(types).collect()).unwrap_or_default(),
    }
}

/// The fields of a reply that hold whole documents: their text may stand outside the JSON.
pub fn block_fields(schema: &Value) -> Vec<String> {
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    fields.filter(|(_, field)| field["x-block"] == true).map(|(name, _)| name.clone()).collect()
}

/// The words an option may be, where it is one of a few. A choice with a description of its own is a constant; those without share one enum.
pub fn choices(schema: &Value) -> Vec<String> {
    let listed = |choice: &Value| -> Vec<String> {
        let listed = choice.get("enum").and_then(Value::as_array).into_iter().flatten();
        choice.get("const").into_iter().chain(listed).filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    listed(schema).into_iter().chain(alternatives.into_iter().flatten().flat_map(listed)).collect()
}

/// What a value must be, in words.
pub fn describe(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let mut told: Vec<String> = Vec::new();
        for value in values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)) {
            // A word in several spellings is told once.
            if !told.iter().any(|known| known.eq_ignore_ascii_case(&value)) {
                told.push(value);
            }
        }
        return format!("one of: {}", told.join(", "));
    }
    if let Some(alternatives) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array) {
        let names = choices(schema);
        if alternatives.iter().all(|choice| !choices(choice).is_empty()) {
            return format!("one of: {}", names.join(", "));
        }
        // A number or a word: both are told.
        return alternatives.iter().map(describe).collect::<Vec<_>>().join(", or ");
    }
    let between = |low: &str, high: &str| -> String {
        let number = |name: &str| schema.get(name).and_then(Value::as_f64);
        match (number(low), number(high)) {
            (Some(low), Some(high)) => format!(" from {low} to {high}"),
            (Some(low), None) => format!(" of at least {low}"),
            (None, Some(high)) => format!(" of at most {high}"),
            (None, None) => String::new(),
        }
    };
    match types(schema).first().copied() {
        Some("integer") => format!("a whole number{}", between("minimum", "maximum")),
        Some("number") => format!("a number{}", between("minimum", "maximum")),
        Some("boolean") => "true or false".into(),
        Some("array") => {
            let items = schema.get("items").map(describe).unwrap_or_else(|| "values".into());
            let entries = |count: u64| if count == 1 { "entry" } else { "entries" };
            let count = match (schema.get("minItems").and_then(Value::as_u64), schema.get("maxItems").and_then(Value::as_u64)) {
                (Some(low), Some(high)) => format!("{low} to {high} {}", entries(high)),
                (Some(1), None) => "at least one entry".into(),
                (Some(low), None) => format!("at least {low} {}", entries(low)),
                (None, Some(high)) => format!("at most {high} {}", entries(high)),
                (None, None) => "any number of entries".into(),
            };
            format!("a list of {count}, each {items}")
        }
        Some("string") => match between("minLength", "maxLength").as_str() {
            "" => "text".into(),
            range if range.ends_with(" 1") => format!("text{range} character"),
            range => format!("text{range} characters"),
        },
        Some("object") => {
            let names: Vec<&str> = schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            if names.is_empty() { "a JSON object".into() } else { format!("a JSON object with {}", names.join(", ")) }
        }
        Some(other) => format!("a {other}"),
        None => "a value".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_mismatch_is_told_with_its_place() {
        let card = json!({"type": "object", "properties": {"cost": {"type": "integer", "minimum": 0}, "kind": {"enum": ["a", "b"]}},
            "required": ["cost"], "additionalProperties": false});
        let schema = json!({"type": "object", "properties": {"cards": {"type": "array", "items": card}}});
        let found = mismatches(&schema, &json!({"cards": [{"cost": -1, "kind": "c"}, {"price": 2}, 7]}));
        let told: Vec<String> = found.iter().map(ToString::to_string).collect();
        let want = [
            "cards[0].cost: -1 (want: a whole number of at least 0)",
            "cards[0].kind: \"c\" (want: one of: a, b)",
            "cards[1].price: unknown field (want: one of: cost, kind)",
            "cards[1].cost: nothing (want: a whole number of at least 0)",
            "cards[2]: 7 (want: a JSON object with cost, kind)",
        ];
        let mut sorted = told.clone();
        sorted.sort();
        let mut wanted = want.map(str::to_owned).to_vec();
        wanted.sort();
        assert_eq!(sorted, wanted);
    }

    #[test]
    fn choices_without_words_of_their_own_are_named_too() {
        let schema = json!({"oneOf": [{"type": "string", "enum": ["both", "none"]}, {"type": "string", "const": "takes", "description": "x"}]});
        assert_eq!(describe(&schema), "one of: both, none, takes");
        let schema = json!({"anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["Low", "low", "LOW", "High"]}]});
        assert_eq!(describe(&schema), "a whole number of at least 0, or one of: Low, High");
    }

    #[test]
    fn one_is_told_as_one() {
        for (limits, want) in [
            (json!({"minLength": 1}), "text of at least 1 character"),
            (json!({"maxLength": 1}), "text of at most 1 character"),
            (json!({"minLength": 2}), "text of at least 2 characters"),
            (json!({"maxLength": 21}), "text of at most 21 characters"),
            (json!({"minLength": 1, "maxLength": 80}), "text from 1 to 80 characters"),
        ] {
            let mut schema = limits;
            schema["type"] = json!("string");
            assert_eq!(describe(&schema), want);
        }
        for (limits, want) in [
            (json!({"minItems": 1}), "a list of at least one entry, each text"),
            (json!({"maxItems": 1}), "a list of at most 1 entry, each text"),
            (json!({"maxItems": 3}), "a list of at most 3 entries, each text"),
            (json!({"minItems": 0, "maxItems": 1}), "a list of 0 to 1 entry, each text"),
            (json!({"minItems": 1, "maxItems": 8}), "a list of 1 to 8 entries, each text"),
        ] {
            let mut schema = limits;
            schema["type"] = json!("array");
            schema["items"] = json!({"type": "string"});
            assert_eq!(describe(&schema), want);
        }
    }
}
