//! Taking a finished debate further: its fork has one more entry in the option `continued`, which says where it had ended.
//!
//! Knows no mode: whichever has that option can be taken further, and what an entry may hold is what its schema says.

use crate::order;
use serde_json::{Map, Value, json};
use synod_engine::{OptionValue, Record, RunRequest};
use synod_modes::MODES;
use synod_types::Problem;

/// Adds the entry. Of what was `--set`, the entry takes what belongs to it; the rest stays for the order.
pub fn further(record: &Record, order: &mut RunRequest, set: &mut Vec<String>, problems: &mut Vec<Problem>) {
    let header = &record.header;
    let schema = MODES.iter().find(|mode| mode.id == header.mode).map(|mode| (mode.options_schema)());
    let Some(entry) = schema.as_ref().and_then(|schema| schema.pointer("/properties/continued/items/properties")).and_then(Value::as_object) else {
        problems.push(Problem::new("continue", header.mode.clone(), "a run of a mode that can be taken further, or --fork"));
        return;
    };
    let ended = record.verdict.as_ref().and_then(|verdict| verdict.data.get("round")).and_then(Value::as_u64);
    let Some(after) = ended else {
        problems.push(Problem::new(
            "continue",
            "a run that has not ended with a result",
            "a finished run; synod resume RUN goes on with a stopped one",
        ));
        return;
    };
    let mut added = Map::from_iter([("after".to_owned(), json!(after))]);
    set.retain(|given| {
        let Some((key, value)) = given.split_once('=').map(|(key, value)| (key.replace('-', "_"), value)).filter(|(key, _)| entry.contains_key(key))
        else {
            return true;
        };
        match order::option_value(&key, value) {
            Ok(OptionValue::Text(text)) => drop(added.insert(key, Value::String(text))),
            Ok(OptionValue::Json(value)) => drop(added.insert(key, value)),
            Err(problem) => problems.push(problem),
        }
        false
    });
    let mut continued = header.options.get("continued").and_then(Value::as_array).cloned().unwrap_or_default();
    continued.push(Value::Object(added));
    order.options.retain(|(name, _)| name != "continued");
    order.options.push(("continued".into(), OptionValue::Json(Value::Array(continued))));
}
