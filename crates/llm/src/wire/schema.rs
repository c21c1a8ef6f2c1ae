//! Reply schemas in the dialect a provider takes, and replies brought back to the schema that was asked for.
//!
//! What a provider rejects is taken out of the schema and, where it tells the model something, said in the description instead. The full
//! schema is checked by the engine afterwards; this file only shapes what is sent.

use serde_json::{Map, Value, json};
use std::borrow::Cow;
use synod_config::EndpointKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    OpenAi,
    Anthropic,
    Gemini,
    /// Read by the model itself, in a prompt or as a tool's input: only our own marks go.
    Plain,
}

impl Dialect {
    pub fn of(kind: EndpointKind) -> Self {
        match kind {
            EndpointKind::OpenAi => Self::OpenAi,
            EndpointKind::Anthropic => Self::Anthropic,
            EndpointKind::Gemini => Self::Gemini,
            EndpointKind::Rehearsal | EndpointKind::Cassette => Self::Plain,
        }
    }

    fn fate(self, keyword: &str, value: &Value) -> Fate {
        if keyword.starts_with("x-") || matches!(keyword, "$schema" | "title" | "examples" | "$comment") {
            return Fate::Drop;
        }
        let strict = self != Self::Plain;
        match keyword {
            // schemars writes widths such as `uint32` here, which no provider knows.
            "format" => Fate::Drop,
            "default" if strict => Fate::Drop,
            "uniqueItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties" if strict => Fate::Say,
            "propertyNames" | "patternProperties" | "dependentRequired" | "if" | "then" | "else" | "not" | "contains" if strict => Fate::Drop,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => match self {
                Self::Anthropic => Fate::Say,
                Self::Gemini if keyword.starts_with("exclusive") || keyword == "multipleOf" => Fate::Say,
                Self::OpenAi | Self::Gemini | Self::Plain => Fate::Keep,
            },
            "minItems" if self == Self::Anthropic && value.as_u64().is_some_and(|n| n > 1) => Fate::Say,
            "maxItems" if self == Self::Anthropic => Fate::Say,
            "pattern" if matches!(self, Self::Anthropic | Self::Gemini) => Fate::Say,
            "const" if self == Self::Gemini => Fate::AsEnum,
            _ => Fate::Keep,
        }
    }

    /// False for what a strict provider cannot say at all: a map with free keys. Such a reply is asked for in the prompt.
    pub fn can_say(self, schema: &Value) -> bool {
        match (self, schema) {
            (Self::Gemini | Self::Plain, _) => true,
            (Self::OpenAi | Self::Anthropic, Value::Object(map)) => {
                let free = map.get("additionalProperties").is_some_and(|more| more.is_object() || more == &Value::Bool(true));
                !free && map.values().all(|value| self.can_say(value))
            }
            (Self::OpenAi | Self::Anthropic, Value::Array(items)) => items.iter().all(|item| self.can_say(item)),
            (Self::OpenAi | Self::Anthropic, _) => true,
        }
    }
}

enum Fate {
    Keep,
    Drop,
    /// Out of the schema, into the description.
    Say,
    AsEnum,
}

/// Keywords whose value is a table of schemas by name: the names are not keywords.
const TABLES: &[&str] = &["properties", "$defs", "definitions"];

pub(super) fn adapted(schema: &Value, dialect: Dialect) -> Value {
    match schema {
        Value::Object(map) => adapted_object(map, dialect),
        Value::Array(items) => Value::Array(items.iter().map(|item| adapted(item, dialect)).collect()),
        other => other.clone(),
    }
}

fn adapted_object(map: &Map<String, Value>, dialect: Dialect) -> Value {
    let mut out = Map::with_capacity(map.len());
    let mut said = Vec::new();
    for (keyword, value) in map {
        match dialect.fate(keyword, value) {
            Fate::Drop => {}
            Fate::Say => said.push(in_words(keyword, value)),
            Fate::AsEnum => {
                out.insert("enum".to_owned(), json!([value]));
            }
            Fate::Keep => {
                let value = match value {
                    Value::Object(table) if TABLES.contains(&keyword.as_str()) => {
                        Value::Object(table.iter().map(|(name, inner)| (name.clone(), adapted(inner, dialect))).collect())
                    }
                    // Values, not schemas.
                    value if matches!(keyword.as_str(), "enum" | "const" | "required" | "default") => value.clone(),
                    value => adapted(value, dialect),
                };
                out.insert(keyword.clone(), value);
            }
        }
    }
    if !said.is_empty() {
        let description = out.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = format!("{description} ({})", said.join(", "));
        out.insert("description".to_owned(), Value::String(description.trim_start().to_owned()));
    }
    if dialect == Dialect::OpenAi
        && let Some(Value::Object(properties)) = out.get_mut("properties")
    {
        for (_, property) in properties.iter_mut().filter(|(name, _)| !names(map, "required").any(|required| required == *name)) {
            *property = nullable(property.take());
        }
    }
    Value::Object(out)
}

/// As strict providers want it: no other properties than those named and, where they insist, every one of them required. A reference may have
/// nothing beside it there, so that one with a description of its own is written out.
pub(super) fn strict(mut schema: Value, all_required: bool) -> Value {
    // References are looked up in the schema as it came.
    let root = if all_required && refers(&schema) { schema.clone() } else { Value::Null };
    strictly(&mut schema, &root, all_required, 0);
    schema
}

/// Whether a reference stands anywhere in it.
fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key("$ref") || map.values().any(refers),
        Value::Array(items) => items.iter().any(refers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn strictly(schema: &mut Value, root: &Value, all_required: bool, depth: u32) {
    let of = |inner: &mut Value| strictly(inner, root, all_required, depth + 1);
    let map = match schema {
        Value::Object(map) => map,
        Value::Array(items) => return items.iter_mut().for_each(of),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
    };
    if all_required
        && map.len() > 1
        && depth < 64
        && let Some(Value::Object(target)) = map.get("$ref").and_then(Value::as_str).and_then(|r| root.pointer(r.trim_start_matches('#')))
    {
        let beside = std::mem::replace(map, target.clone());
        map.extend(beside.into_iter().filter(|(keyword, _)| keyword != "$ref"));
        return of(schema);
    }
    if all_required && map.contains_key("oneOf") && !map.contains_key("anyOf") {
        // Branches that exclude one another anyway: strict modes know only this name for them.
        let renamed = |(keyword, value)| (if keyword == "oneOf" { "anyOf".to_owned() } else { keyword }, value);
        *map = std::mem::take(map).into_iter().map(renamed).collect();
    }
    for (keyword, value) in map.iter_mut() {
        match (keyword.as_str(), value) {
            (name, Value::Object(table)) if TABLES.contains(&name) => table.values_mut().for_each(of),
            ("enum" | "const" | "required" | "default", _) => {}
            (_, value) => of(value),
        }
    }
    if map.get("type").is_some_and(|kind| kind == "object") || map.contains_key("properties") {
        if !map.contains_key("additionalProperties") {
            map.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        if let (true, Some(Value::Object(properties))) = (all_required, map.get("properties"))
            && !properties.keys().eq(names(map, "required"))
        {
            let names: Vec<Value> = properties.keys().cloned().map(Value::String).collect();
            map.insert("required".to_owned(), Value::Array(names));
        }
    }
}

/// Entries of a list that nothing else bounds.
const FEW: u64 = 3;

/// Steps of a number between two bounds.
const STEPS: u32 = 20;

/// Bounds every text and list of a schema in the OpenAI dialect. A grammar knows no bounds of numbers: those between two become a choice.
pub(super) fn bound(schema: &mut Value, limit: u32) {
    match schema {
        Value::Object(map) => {
            let is =
                |kind: &str| map.get("type").is_some_and(|known| known == kind || known.as_array().is_some_and(|all| all.contains(&json!(kind))));
            let chosen = map.contains_key("enum") || map.contains_key("const");
            let (text, list, number, nullable) = (is("string") && !chosen, is("array"), is("number") && !chosen, is("null"));
            if text {
                map.insert("maxLength".to_owned(), json!(limit));
            }
            if list && !map.contains_key("maxItems") {
                let least = map.get("minItems").and_then(Value::as_u64).unwrap_or_default();
                map.insert("maxItems".to_owned(), json!(FEW.max(least)));
            }
            let range = ["minimum", "maximum"].map(|name| map.get(name).and_then(Value::as_f64));
            if let ([Some(low), Some(high)], true) = (range, number) {
                let step = |n: u32| low + (high - low) * f64::from(n) / f64::from(STEPS);
                let mut steps: Vec<Value> = (0..=STEPS).map(|n| json!((step(n) * 1e4).round() / 1e4)).collect();
                if nullable {
                    steps.push(Value::Null);
                }
                map.insert("enum".to_owned(), Value::Array(steps));
            }
            map.values_mut().for_each(|inner| bound(inner, limit));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| bound(item, limit)),
        _ => {}
    }
}

fn in_words(keyword: &str, value: &Value) -> String {
    let (entries, characters) = if value.as_u64() == Some(1) { ("entry", "character") } else { ("entries", "characters") };
    match keyword {
        "uniqueItems" => "each item once".to_owned(),
        "minimum" => format!("at least {value}"),
        "maximum" => format!("at most {value}"),
        "exclusiveMinimum" => format!("more than {value}"),
        "exclusiveMaximum" => format!("less than {value}"),
        "multipleOf" => format!("a multiple of {value}"),
        "minItems" | "minProperties" => format!("at least {value} {entries}"),
        "maxItems" | "maxProperties" => format!("at most {value} {entries}"),
        "minLength" => format!("at least {value} {characters}"),
        "maxLength" => format!("at most {value} {characters}"),
        "pattern" => format!("matching {}", value.as_str().unwrap_or_default()),
        other => format!("{other}: {value}"),
    }
}

fn names<'a>(map: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'a str> {
    map.get(keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// OpenAI's strict mode makes every property required. One that we can do without may then be null; `narrowed` takes the null out again.
fn nullable(mut property: Value) -> Value {
    if allows_null(&property) {
        return property;
    }
    let simple = property.get("type").and_then(Value::as_str).map(str::to_owned);
    match (simple, property.as_object_mut()) {
        (Some(kind), Some(map)) => {
            map.insert("type".to_owned(), json!([kind, "null"]));
            if let Some(Value::Array(options)) = map.get_mut("enum") {
                options.push(Value::Null);
            }
            property
        }
        _ => json!({ "anyOf": [property, { "type": "null" }] }),
    }
}

fn allows_null(schema: &Value) -> bool {
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind == "null",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        _ => false,
    };
    let branch = ["anyOf", "oneOf"].iter().any(|union| schema.get(union).and_then(Value::as_array).is_some_and(|all| all.iter().any(allows_null)));
    let option = schema.get("enum").and_then(Value::as_array).is_some_and(|options| options.contains(&Value::Null));
    kind || branch || option || schema == &Value::Bool(true)
}

/// The reply without the nulls that only `nullable` allowed. The text is untouched when there are none, or when it is not JSON.
pub(super) fn narrowed<'a>(text: &'a str, schema: &Value) -> Cow<'a, str> {
    if !text.contains("null") {
        return Cow::Borrowed(text);
    }
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return Cow::Borrowed(text) };
    if drop_nulls(&mut value, schema, schema, 0) { Cow::Owned(value.to_string()) } else { Cow::Borrowed(text) }
}

fn drop_nulls(value: &mut Value, schema: &Value, root: &Value, depth: u32) -> bool {
    if depth > 64 {
        return false;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|r| root.pointer(r.trim_start_matches('#'))) {
        return drop_nulls(value, target, root, depth + 1);
    }
    let mut changed = false;
    for branch in ["anyOf", "oneOf", "allOf"].iter().filter_map(|union| schema.get(union)).filter_map(Value::as_array).flatten() {
        changed |= drop_nulls(value, branch, root, depth + 1);
    }
    match value {
        Value::Object(fields) => {
            let Some(map) = schema.as_object() else { return changed };
            let Some(properties) = map.get("properties").and_then(Value::as_object) else { return changed };
            for (name, property) in properties {
                match fields.get_mut(name) {
                    Some(Value::Null) if !names(map, "required").any(|required| required == name) && !resolved_allows_null(property, root) => {
                        fields.shift_remove(name);
                        changed = true;
                    }
                    Some(inner) => changed |= drop_nulls(inner, property, root, depth + 1),
                    None => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(of) = schema.get("items") {
                for item in items {
                    changed |= drop_nulls(item, of, root, depth + 1);
                }
            }
        }
        _ => {}
    }
    changed
}

fn resolved_allows_null(property: &Value, root: &Value) -> bool {
    let target = property.get("$ref").and_then(Value::as_str).and_then(|r| root.pointer(r.trim_start_matches('#')));
    allows_null(target.unwrap_or(property))
}

#[cfg(test)]
mod tests {
    use super::{Dialect, adapted, bound, narrowed};
    use serde_json::json;

    #[test]
    fn a_property_named_like_a_keyword_stays() {
        let schema = json!({ "type": "object", "properties": { "format": { "type": "string", "format": "uint8" }, "default": { "type": "integer", "default": 3 } } });
        let sent = adapted(&schema, Dialect::Anthropic);
        assert_eq!(sent, json!({ "type": "object", "properties": { "format": { "type": "string" }, "default": { "type": "integer" } } }));
    }

    #[test]
    fn texts_lists_and_numbers_are_bounded_and_choices_are_not() {
        let mut schema = json!({ "type": "object", "properties": {
            "type": { "type": ["string", "null"] }, "kind": { "type": "string", "enum": ["x"] }, "n": { "type": "integer" },
            "many": { "type": "array", "items": { "type": "string" } }, "two": { "type": "array", "maxItems": 2, "items": { "$ref": "#/$defs/D" } },
            "five": { "type": "array", "minItems": 5, "items": { "const": "y" } }, "sure": { "type": ["number", "null"], "minimum": 0.0, "maximum": 1.0 } } });
        bound(&mut schema, 90);
        let steps = schema["properties"]["sure"]["enum"].take();
        assert_eq!(
            steps.as_array().map(|steps| (steps.len(), &steps[0], &steps[17], &steps[20], &steps[21])),
            Some((22, &json!(0.0), &json!(0.85), &json!(1.0), &json!(null)))
        );
        let want = json!({ "type": "object", "properties": {
            "sure": { "type": ["number", "null"], "minimum": 0.0, "maximum": 1.0, "enum": null },
            "type": { "type": ["string", "null"], "maxLength": 90 }, "kind": { "type": "string", "enum": ["x"] }, "n": { "type": "integer" },
            "many": { "type": "array", "maxItems": 3, "items": { "type": "string", "maxLength": 90 } },
            "two": { "type": "array", "maxItems": 2, "items": { "$ref": "#/$defs/D" } },
            "five": { "type": "array", "minItems": 5, "maxItems": 5, "items": { "const": "y" } } } });
        assert_eq!(schema, want);
    }

    #[test]
    fn what_anthropic_rejects_is_said_in_words() {
        let schema = json!({ "type": "integer", "minimum": 1, "maximum": 5, "description": "A grade." });
        assert_eq!(adapted(&schema, Dialect::Anthropic), json!({ "type": "integer", "description": "A grade. (at least 1, at most 5)" }));
        assert_eq!(adapted(&schema, Dialect::OpenAi), schema);
        for (least, words) in [(1, "at least 1 character"), (2, "at least 2 characters")] {
            let schema = json!({ "type": "string", "minLength": least });
            assert_eq!(adapted(&schema, Dialect::Anthropic), json!({ "type": "string", "description": format!("({words})") }));
        }
    }

    #[test]
    fn optional_properties_may_be_null_for_openai_and_are_absent_again_afterwards() {
        let schema = json!({ "type": "object", "required": ["a"], "properties": {
            "a": { "type": "string" }, "b": { "type": "string", "enum": ["x"] }, "c": { "type": ["string", "null"] }, "d": { "$ref": "#/$defs/D" } },
            "$defs": { "D": { "type": "object", "properties": { "e": { "type": "integer" } } } } });
        let sent = adapted(&schema, Dialect::OpenAi);
        assert_eq!(sent["properties"]["b"], json!({ "type": ["string", "null"], "enum": ["x", null] }));
        assert_eq!(sent["properties"]["d"], json!({ "anyOf": [{ "$ref": "#/$defs/D" }, { "type": "null" }] }));
        let reply = r#"{"a":"null","b":null,"c":null,"d":{"e":null}}"#;
        assert_eq!(narrowed(reply, &schema), r#"{"a":"null","c":null,"d":{}}"#);
        assert_eq!(narrowed("not null JSON", &schema), "not null JSON");
    }

    #[test]
    fn maps_with_free_keys_are_asked_for_in_the_prompt() {
        let map = json!({ "type": "object", "properties": { "scores": { "type": "object", "additionalProperties": { "type": "integer" } } } });
        assert!(!Dialect::OpenAi.can_say(&map));
        assert!(Dialect::Gemini.can_say(&map));
        assert!(Dialect::OpenAi.can_say(&json!({ "type": "object", "additionalProperties": false })));
    }
}
