//! A decision as a file: the same fields as the mode's options, with the objective, and with parts that may stand in files of their own.

use super::Options;
use serde_json::{Map, Value, json};
use synod_types::Problem;

/// Parts of a decision file that may be the path of another file, relative to it.
pub const PARTS: [&str; 5] = ["cards", "receipts", "panel", "approvals", "policy"];

/// What only a run can fill in or has no meaning with cards given.
const NOT_IN_FILES: [&str; 2] = ["authors", "experience"];

/// The JSON Schema of a decision file. `paths`: parts may be named by path.
pub fn schema(paths: bool) -> Value {
    let mut schema = synod_engine::schema_of::<Options>();
    let known = schema.get_mut("properties").and_then(Value::as_object_mut).map(std::mem::take).unwrap_or_default();
    let mut properties = Map::new();
    properties.insert("objective".into(), json!({"type": "string", "minLength": 1, "description": "What is to be decided."}));
    for (name, property) in known.into_iter().filter(|(name, _)| !NOT_IN_FILES.contains(&name.as_str())) {
        let property = match paths && PARTS.contains(&name.as_str()) {
            true => json!({"anyOf": [property, {"type": "string", "minLength": 1, "description": "A file that holds it, relative to this one."}]}),
            false => property,
        };
        properties.insert(name, property);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A decision for synod decide", "type": "object",
        "properties": properties, "required": ["objective", "cards"], "additionalProperties": false,
    })
}

/// The objective and the options of a decision whose parts are all in place; else everything that is wrong with it.
pub fn read(document: &Value) -> Result<(String, Options), Vec<Problem>> {
    let problems = synod_engine::options::mismatches(&schema(false), document);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut fields = document.as_object().cloned().unwrap_or_default();
    let objective = fields.shift_remove("objective").and_then(|objective| objective.as_str().map(str::to_owned)).unwrap_or_default();
    let options: Options = synod_engine::read_options(&Value::Object(fields)).map_err(|problem| vec![problem])?;
    let mut problems = super::problems(&options);
    if options.cards.is_empty() {
        problems.push(Problem::new("cards", "an empty list", "at least one card"));
    }
    if problems.is_empty() { Ok((objective, options)) } else { Err(problems) }
}
