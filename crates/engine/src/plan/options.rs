//! A mode's options as typed by people: read by the schema, every mistake named with what would be right.

use serde_json::{Map, Value};
use synod_types::{Problem, nearest};

/// An option as it came in: text from a command line, or JSON from an API.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    Text(String),
    Json(Value),
}

/// Defaults with what was given on top, checked against the schema.
pub fn resolve(mode: &crate::Mode, given: &[(String, OptionValue)]) -> Result<Value, Vec<Problem>> {
    let mut options = (mode.option_defaults)();
    if given.is_empty() {
        return Ok(options);
    }
    let schema = (mode.options_schema)();
    let empty = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let mut problems = Vec::new();
    for (name, typed) in given {
        let name = name.replace('-', "_");
        let Some(property) = known.get(&name) else {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            let want = match names.as_slice() {
                [] => format!("no option: {} has none", mode.id),
                _ => format!("an option of {}: {}", mode.id, names.join(", ")),
            };
            problems.push(Problem::new(format!("options.{name}"), "unknown option", want).unknown(&name, names));
            continue;
        };
        let value = match typed {
            OptionValue::Text(text) => from_text(property, text),
            OptionValue::Json(value) => value.clone(),
        };
        match jsonschema::validator_for(property) {
            Ok(validator) if validator.is_valid(&value) => {
                if let Some(map) = options.as_object_mut() {
                    map.insert(name, value);
                }
            }
            Ok(validator) if value.is_object() && validator.iter_errors(&value).all(|error| !error.instance_path().as_str().is_empty()) => {
                let mut fields = std::collections::BTreeMap::new();
                for error in validator.iter_errors(&value) {
                    let (field, schema) = named(&name, property, error.instance_path().as_str());
                    fields.insert(field, (error.instance().to_string(), describe(schema)));
                }
                problems.extend(fields.into_iter().map(|(field, (got, want))| Problem::new(field, got, want)));
            }
            _ => {
                let got = match typed {
                    OptionValue::Text(text) => text.clone(),
                    OptionValue::Json(value) => value.to_string(),
                };
                let suggestion = nearest(got.trim_matches('"'), choices(property).iter().map(String::as_str)).map(str::to_owned);
                problems.push(Problem { suggestion, ..Problem::new(format!("options.{name}"), got, describe(property)) });
            }
        }
    }
    if problems.is_empty() {
        problems.extend((mode.check)(&options));
    }
    if problems.is_empty() { Ok(options) } else { Err(problems) }
}

/// The field inside an option that a JSON pointer leads to, and its part of the schema.
fn named<'a>(option: &str, schema: &'a Value, pointer: &str) -> (String, &'a Value) {
    pointer.split('/').skip(1).fold((format!("options.{option}"), schema), |(field, schema), part| match schema.get("items") {
        Some(items) => (format!("{field}[{part}]"), items),
        None => (format!("{field}.{part}"), schema.get("properties").and_then(|properties| properties.get(part)).unwrap_or(schema)),
    })
}

/// Whether a document can be checked by this.
pub fn is_schema(schema: &Value) -> bool {
    jsonschema::validator_for(schema).is_ok()
}

/// Everything in which a document differs from its schema: where, what stands there, and what would be right.
pub fn mismatches(schema: &Value, document: &Value) -> Vec<Problem> {
    use jsonschema::error::ValidationErrorKind;
    let Ok(validator) = jsonschema::validator_for(schema) else {
        return vec![Problem::new("schema", "it does not compile", "a JSON Schema")];
    };
    let mut problems = Vec::new();
    for error in validator.iter_errors(document) {
        let at = dotted(error.instance_path().as_str());
        let under = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        let rule = error.schema_path().as_str();
        let parent = rule.rsplit_once('/').map_or("", |(parent, _)| parent);
        let rules = schema.pointer(parent).unwrap_or(schema);
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let want = rules.get("properties").and_then(|known| known.get(name)).map_or_else(|| "a value".into(), describe);
                problems.push(Problem::new(under(name), "nothing", want));
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known: Vec<&str> =
                    rules.get("properties").and_then(Value::as_object).map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default();
                problems.extend(unexpected.iter().map(|name| Problem::new(under(name), "unknown field", format!("one of: {}", known.join(", ")))));
            }
            _ => problems.push(Problem::new(if at.is_empty() { "document" } else { &at }, shown(error.instance()), describe(rules))),
        }
    }
    problems
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
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        None => text,
        Some((end, _)) => format!("{} …", &text[..end]),
    }
}

/// Text by the type the schema wants: numbers, switches, lists separated by commas, JSON for the rest.
fn from_text(schema: &Value, text: &str) -> Value {
    let json = || serde_json::from_str::<Value>(text).ok();
    let text_value = || Value::String(text.to_owned());
    for kind in types(schema) {
        let value = match kind {
            "integer" => text.parse::<i64>().ok().map(Value::from),
            "number" => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
            "boolean" => match text {
                "true" | "yes" | "on" => Some(Value::Bool(true)),
                "false" | "no" | "off" => Some(Value::Bool(false)),
                _ => None,
            },
            "array" => json().filter(Value::is_array).or_else(|| {
                let item = schema.get("items").cloned().unwrap_or(Value::Null);
                Some(Value::Array(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| from_text(&item, part)).collect()))
            }),
            "object" => json().filter(Value::is_object),
            "null" => (text == "null" || text.is_empty()).then_some(Value::Null),
            _ => None,
        };
        if let Some(value) = value {
            return value;
        }
    }
    text_value()
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => schema.get("anyOf").and_then(Value::as_array).map(|any| any.iter().flat_map(types).collect()).unwrap_or_default(),
    }
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
        let values: Vec<String> = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
        return format!("one of: {}", values.join(", "));
    }
    if let Some(alternatives) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array) {
        let names = choices(schema);
        if !names.is_empty() {
            return format!("one of: {}", names.join(", "));
        }
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
            let count = match (schema.get("minItems").and_then(Value::as_u64), schema.get("maxItems").and_then(Value::as_u64)) {
                (Some(low), Some(high)) => format!("{low} to {high} entries"),
                (Some(low), None) => format!("at least {low} entries"),
                (None, Some(high)) => format!("at most {high} entries"),
                (None, None) => "any number of entries".into(),
            };
            format!("a list of {count}, each {items}")
        }
        Some("string") => match between("minLength", "maxLength").as_str() {
            "" => "text".into(),
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
    }
}
