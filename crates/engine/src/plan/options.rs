//! A mode's options as typed by people: read by the schema, every mistake named with what would be right.

use crate::schema::{MismatchKind, choices, describe, differences, types};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use synod_types::{Json, Problem, nearest};

/// An option as it came in: text from a command line, or JSON from an API.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    Text(String),
    Json(Json),
    /// JSON that was made of the mode's own type: it fits the schema as it is.
    Checked(Json),
}

impl OptionValue {
    pub fn json(value: impl Serialize) -> Self {
        Self::Json(Json::of(&value))
    }
    /// The fields of an object, each as the text it is.
    pub fn each(options: &Json, of: fn(Json) -> Self) -> Vec<(String, Self)> {
        options.read::<BTreeMap<String, Json>>().unwrap_or_default().into_iter().map(|(name, json)| (name, of(json))).collect()
    }
}

/// Defaults with what was given on top, checked against the schema.
pub fn resolve(mode: &crate::Mode, given: &[(String, OptionValue)]) -> Result<Json, Vec<Problem>> {
    let defaults = (mode.option_defaults)();
    if given.is_empty() {
        return Ok(Json::of(&defaults));
    }
    let schema = (mode.options_schema)();
    let mut options: Vec<(&str, Json)> = defaults.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), Json::of(value))).collect();
    let empty = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let mut problems = Vec::new();
    for (name, typed) in given {
        let name = name.replace('-', "_");
        let Some((name, property)) = known.get_key_value(&name) else {
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
            OptionValue::Json(json) => json.value(),
            OptionValue::Checked(json) => {
                set(&mut options, name, json.clone());
                continue;
            }
        };
        let wrong = differences(property, &value);
        if wrong.is_empty() {
            set(&mut options, name, Json::of(&value));
        } else if value.is_object() && wrong.iter().all(|wrong| !wrong.at.is_empty() || wrong.kind != MismatchKind::Other) {
            problems.extend(wrong.iter().map(|wrong| {
                let problem = wrong.problem();
                Problem { field: format!("options.{name}.{}", problem.field), ..problem }
            }));
        } else {
            let got = match typed {
                OptionValue::Text(text) => text.clone(),
                OptionValue::Json(json) | OptionValue::Checked(json) => json.text().to_owned(),
            };
            let suggestion = nearest(got.trim_matches('"'), choices(property).iter().map(String::as_str)).map(str::to_owned);
            problems.push(Problem { suggestion, ..Problem::new(format!("options.{name}"), got, describe(property)) });
        }
    }
    let options = Json::object(&options);
    if problems.is_empty() {
        problems.extend((mode.check)(&options));
    }
    if problems.is_empty() { Ok(options) } else { Err(problems) }
}

/// In the place of the default, or after them where there is none.
fn set<'a>(options: &mut Vec<(&'a str, Json)>, name: &'a str, json: Json) {
    match options.iter_mut().find(|(known, _)| *known == name) {
        Some((_, value)) => *value = json,
        None => options.push((name, json)),
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
