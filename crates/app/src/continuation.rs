//! Taking a finished run further: its fork has one more entry in the option the mode names for it, which says where it had ended.

use crate::error::AppResult;
use serde_json::{Map, Value, json};
use synod_engine::{Mode, OptionValue, Record};
use synod_types::{Problem, ProblemCode};

/// Adds the entry. Of the options given, the entry takes those that belong to it; the rest stays with the run.
pub(crate) fn add(record: &Record, mode: Option<&Mode>, given: &mut Vec<(String, OptionValue)>) -> AppResult<()> {
    let header = &record.header;
    let (Some(mode), Some(option)) = (mode, mode.and_then(|mode| mode.abilities.continues)) else {
        return Err(Problem::new("continue", header.mode.clone(), "a run of a mode that can be taken further, in that mode; or a plain fork").into());
    };
    let Some(after) = record.verdict.as_ref().and_then(|verdict| verdict.last_round()) else {
        let got = "a run that has not ended with a result";
        return Err(Problem::new("continue", got, "a finished run; a stopped one is resumed").code(ProblemCode::Conflict).into());
    };
    let schema = (mode.options_schema)();
    let fields = schema.pointer(&format!("/properties/{option}/items/properties")).and_then(Value::as_object);
    let mut entry = Map::from_iter([("after".to_owned(), json!(after))]);
    let (ours, rest) =
        std::mem::take(given).into_iter().partition(|(name, _)| fields.is_some_and(|fields| fields.contains_key(&name.replace('-', "_"))));
    *given = rest;
    let ours: Vec<(String, OptionValue)> = ours;
    for (name, value) in ours {
        let value = match value {
            OptionValue::Text(text) => Value::String(text),
            OptionValue::Json(json) | OptionValue::Checked(json) => json.value(),
        };
        entry.insert(name.replace('-', "_"), value);
    }
    let mut entries = header.options.value()[option].as_array().cloned().unwrap_or_default();
    entries.push(Value::Object(entry));
    given.push((option.into(), OptionValue::json(Value::Array(entries))));
    Ok(())
}
