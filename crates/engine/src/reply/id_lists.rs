//! The ids in play in one request: labels, tasks, claims, names. Schemas refer to them by list name, so any reply can be checked.

use super::place::Place;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Named lists of ids. In a schema, `x-ids = "labels"` means one of that list, `x-permutation = "labels"` all of it, each once.
/// `x-between = "scale"` means a number from the first to the second of a list of two; any number where there is no such list.
/// `x-range = [1, 10]` asks for a number from 1 to 10; a reply beyond it is repaired once,
/// then read all the same, and whoever reads it counts it as none.
/// `x-map = "positions"` on a map makes every id of the list a property of it, and no other.
/// An optional property that could only hold ids of an empty list is left out of what is asked for; so is one with `x-if = "kinds"` where that
/// list is empty.
/// `x-loose = "names"` asks for one of the list, and whatever is said instead is read all the same: the mode says what it makes of it.
/// `x-schema = "form"` means whatever the JSON Schema that is the one entry of that list says; without one the property is not asked for.
/// `x-block = true` on a text lets it stand outside the JSON, between the lines `<<<name` and `name>>>`, where a schema is put into the prompt.
/// `x-each = "criteria"` asks for a list of as many items as that list has; a reply that leaves some out is read all the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IdLists(BTreeMap<String, Vec<String>>);

impl IdLists {
    pub fn with(mut self, list: &str, ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.0.insert(list.to_owned(), ids.into_iter().map(Into::into).collect());
        self
    }

    pub fn list(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    fn bounds(&self, name: &str) -> Option<(f64, f64)> {
        let [low, high] = self.list(name) else { return None };
        Some((low.parse().ok()?, high.parse().ok()?))
    }

    /// The schema that a mark refers to.
    fn schema_in(&self, map: &serde_json::Map<String, Value>) -> Option<Value> {
        serde_json::from_str(self.list(map.get("x-schema")?.as_str()?).first()?).ok()
    }

    /// The schema with every list spelled out as an enum.
    pub fn spell_out(&self, schema: &Value) -> Value {
        match schema {
            Value::Object(map) if map.contains_key("x-schema") => self.schema_in(map).unwrap_or_else(|| json!({})),
            Value::Object(map) => {
                let mut out = serde_json::Map::with_capacity(map.len());
                for (name, value) in map {
                    match (name.as_str(), value.as_str()) {
                        ("x-map", Some(list)) => {
                            let ids = self.list(list);
                            let each = map.get("additionalProperties").map_or(Value::Bool(true), |each| self.spell_out(each));
                            let properties: serde_json::Map<String, Value> = ids.iter().map(|id| (id.clone(), each.clone())).collect();
                            out.insert("properties".into(), Value::Object(properties));
                            out.insert("required".into(), json!(ids));
                            out.insert("additionalProperties".into(), false.into());
                        }
                        ("additionalProperties", _) if map.contains_key("x-map") => {}
                        ("x-ids" | "x-loose", Some(list)) => {
                            out.insert("enum".into(), json!(self.list(list)));
                        }
                        ("x-permutation", Some(list)) => {
                            let ids = self.list(list);
                            out.insert("items".into(), json!({"type": "string", "enum": ids}));
                            out.insert("minItems".into(), ids.len().into());
                            out.insert("maxItems".into(), ids.len().into());
                            out.insert("uniqueItems".into(), true.into());
                        }
                        ("x-between", Some(list)) => {
                            if let Some((low, high)) = self.bounds(list) {
                                out.insert("minimum".into(), json!(low));
                                out.insert("maximum".into(), json!(high));
                            }
                        }
                        ("x-range", _) => {
                            if let Some([low, high]) = value.as_array().map(Vec::as_slice) {
                                out.insert("minimum".into(), low.clone());
                                out.insert("maximum".into(), high.clone());
                            }
                        }
                        ("x-each", Some(list)) => {
                            out.insert("minItems".into(), self.list(list).len().into());
                            out.insert("maxItems".into(), self.list(list).len().into());
                        }
                        ("x-if", _) => {}
                        ("items", _) if map.contains_key("x-permutation") => {}
                        ("properties", _) => {
                            let must = |name: &str| required(map).any(|required| required == name);
                            let asked = value.as_object().into_iter().flatten().filter(|(name, inner)| must(name) || !self.void(inner));
                            out.insert(name.clone(), asked.map(|(name, inner)| (name.clone(), self.spell_out(inner))).collect());
                        }
                        _ => {
                            out.insert(name.clone(), self.spell_out(value));
                        }
                    }
                }
                Value::Object(out)
            }
            Value::Array(items) => Value::Array(items.iter().map(|item| self.spell_out(item)).collect()),
            other => other.clone(),
        }
    }

    /// Whether a value of this schema would need an id of an empty list, or is asked for only where a list is not empty.
    fn void(&self, schema: &Value) -> bool {
        let empty = ["x-ids", "x-if", "x-schema"].into_iter().filter_map(|mark| schema.get(mark)?.as_str()).any(|list| self.list(list).is_empty());
        let mut inside = schema.as_object().into_iter().flat_map(required).filter_map(|name| schema.get("properties")?.get(name));
        let is_null = |choice: &Value| choice.get("type").and_then(Value::as_str) == Some("null");
        let choices: Vec<&Value> = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().filter(|choice| !is_null(choice)).collect();
        empty
            || inside.any(|inner| self.void(inner))
            || schema.get("items").is_some_and(|items| self.void(items))
            || (!choices.is_empty() && choices.iter().all(|choice| self.void(choice)))
    }

    /// What the marks in the schema demand of a value, said in words when it does not hold. Keywords are gone through, not looked up: there are
    /// few of them, and hardly any is a mark.
    pub(crate) fn check(&self, schema: &Value, value: &Value, at: &Place<'_>, wrong: &mut Vec<String>) {
        let Some(map) = schema.as_object() else { return };
        for (keyword, rule) in map {
            match keyword.as_str() {
                "properties" => self.check_fields(map, rule, value, at, wrong),
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &Place::Item(at, i), wrong);
                    }
                }
                "anyOf" | "oneOf" | "allOf" => rule.as_array().into_iter().flatten().for_each(|inner| self.check(inner, value, at, wrong)),
                "x-schema" => {
                    let Some(schema) = self.schema_in(map) else { continue };
                    let under = |field: &str| if field == "document" { at.to_string() } else { Place::Field(at, field).to_string() };
                    let found = crate::schema::mismatches(&schema, value).into_iter();
                    wrong.extend(found.map(|problem| format!("{} is {}; it must be {}", under(&problem.field), problem.got, problem.want)));
                }
                mark => wrong.extend(rule.as_str().and_then(|list| self.broken(mark, list, value, at))),
            }
        }
    }

    fn check_fields(&self, schema: &serde_json::Map<String, Value>, properties: &Value, value: &Value, at: &Place<'_>, wrong: &mut Vec<String>) {
        let (Some(properties), Some(object)) = (properties.as_object(), value.as_object()) else { return };
        for (name, inner) in properties {
            // What was not asked for is not looked at: whoever asked knows to leave it aside.
            let asked = || required(schema).any(|required| required == name) || !self.void(inner);
            if let Some(field) = object.get(name).filter(|_| asked()) {
                self.check(inner, field, &Place::Field(at, name), wrong);
            }
        }
    }

    /// How a value breaks what one mark demands, if it does.
    fn broken(&self, mark: &str, list: &str, value: &Value, at: &Place<'_>) -> Option<String> {
        let ids = self.list(list);
        match mark {
            "x-ids" => {
                let text = value.as_str().filter(|text| !ids.iter().any(|id| id == text))?;
                Some(format!("{at} is {text:?}, which is none of {}", ids.join(", ")))
            }
            "x-permutation" => {
                let got: Vec<&str> = value.as_array().map(|items| items.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
                let mut sorted_got = got.clone();
                let mut sorted_want: Vec<&str> = ids.iter().map(String::as_str).collect();
                sorted_got.sort_unstable();
                sorted_want.sort_unstable();
                let whole = sorted_got == sorted_want;
                (!whole).then(|| format!("{at} is [{}]; it must hold each of {} exactly once", got.join(", "), ids.join(", ")))
            }
            "x-between" => {
                let (low, high) = self.bounds(list)?;
                let number = value.as_f64().filter(|number| !(low..=high).contains(number))?;
                Some(format!("{at} is {number}; it must be from {low} to {high}"))
            }
            "x-map" => {
                let object = value.as_object()?;
                let whole = ids.len() == object.len() && ids.iter().all(|id| object.contains_key(id));
                let got = || object.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                (!whole).then(|| format!("{at} holds {}; it must hold each of {}, and nothing else", got(), ids.join(", ")))
            }
            _ => None,
        }
    }
}

fn required(schema: &serde_json::Map<String, Value>) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_over_a_list_names_every_id_and_takes_no_other() {
        let terms = IdLists::default().with("positions", ["K3", "T9"]);
        let schema = json!({"type": "object", "x-map": "positions", "additionalProperties": {"type": "number"}});
        let spelled = terms.spell_out(&schema);
        assert_eq!(spelled["properties"], json!({"K3": {"type": "number"}, "T9": {"type": "number"}}));
        assert_eq!((&spelled["required"], &spelled["additionalProperties"]), (&json!(["K3", "T9"]), &json!(false)));
        let wrong = |value: Value| {
            let mut wrong = Vec::new();
            terms.check(&schema, &value, &Place::Field(&Place::Root, "scores"), &mut wrong);
            wrong.len()
        };
        assert_eq!([wrong(json!({"K3": 1, "T9": 0})), wrong(json!({"K3": 1})), wrong(json!({"K3": 1, "T9": 0, "Q1": 0}))], [0, 1, 1]);
    }

    #[test]
    fn a_form_that_is_only_known_now_is_asked_for_and_checked() {
        let form = json!({"type": "object", "properties": {"domain": {"type": "string"}}, "required": ["domain"]});
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}, "form": {"x-schema": "form"}}, "required": ["text"]});
        let terms = IdLists::default().with("form", [form.to_string()]);
        assert_eq!(terms.spell_out(&schema)["properties"]["form"], form);
        assert_eq!(IdLists::default().spell_out(&schema)["properties"], json!({"text": {"type": "string"}}));
        let wrong = |value: Value| {
            let mut wrong = Vec::new();
            terms.check(&schema, &value, &Place::Root, &mut wrong);
            wrong
        };
        assert_eq!(wrong(json!({"text": "", "form": {"domain": "law"}})), Vec::<String>::new());
        assert_eq!(wrong(json!({"text": "", "form": {}})), ["form.domain is nothing; it must be text"]);
        assert_eq!(wrong(json!({"text": "", "form": 3})).len(), 1);
    }

    #[test]
    fn a_property_may_hang_on_a_list_it_does_not_name() {
        let mitigation = json!({"type": "string", "x-if": "mitigated"});
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}, "mitigation": mitigation}, "required": ["text"]});
        let asked = |terms: &IdLists| terms.spell_out(&schema)["properties"].clone();
        let plain = json!({"type": "string"});
        assert_eq!(asked(&IdLists::default().with("mitigated", ["exploit"])), json!({"text": plain, "mitigation": plain}));
        assert_eq!(asked(&IdLists::default()), json!({"text": plain}));
    }
}
