//! What a turn may say: free text, or a typed form with a schema, a text form as second reading, and a check.

use super::IdLists;
use super::extract;
use super::place::Place;
use crate::schema::{self, schema_of};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{OnceLock, RwLock};
use synod_types::{Reading, ReplySchema};

/// A typed reply. Its first property is `reasons`, so that a model argues before it decides.
pub trait TypedReply: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// The classic text form, read only when there is no readable JSON. Nothing is guessed from mentions in prose.
    fn from_text(_text: &str, _terms: &IdLists) -> Option<Self> {
        None
    }
    /// What the schema cannot say.
    fn check(&self, _terms: &IdLists) -> Result<(), String> {
        Ok(())
    }
}

/// Anything `ask` can return: a `String`, or a [`TypedReply`].
pub trait ReplyFormat: Sized + Send + 'static {
    fn schema(terms: &IdLists) -> Option<ReplySchema>;
    /// Reads a raw reply. The error is shown to the model in its one repair turn.
    fn read(raw: &str, terms: &IdLists) -> Result<(Value, Reading), String>;
    /// Reads what is no better after the repair turn: a number off its scale is left to whoever counts it.
    fn read_anyway(raw: &str, terms: &IdLists) -> Result<(Value, Reading), String> {
        Self::read(raw, terms)
    }
    /// Reads a journaled value back.
    fn recall(value: &Value) -> Result<Self, String>;
}

impl ReplyFormat for String {
    fn schema(_: &IdLists) -> Option<ReplySchema> {
        None
    }
    fn read(raw: &str, _: &IdLists) -> Result<(Value, Reading), String> {
        let text = extract::without_opening_thought(raw);
        if text.is_empty() { Err("the reply holds no text".into()) } else { Ok((Value::String(text.to_owned()), Reading::Plain)) }
    }
    fn recall(value: &Value) -> Result<Self, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| "the journaled value is not text".into())
    }
}

impl<T: TypedReply> ReplyFormat for T {
    fn schema(terms: &IdLists) -> Option<ReplySchema> {
        let form = TypedForm::of::<T>();
        Some(ReplySchema { name: form.name.clone(), schema: terms.spell_out(&form.schema) })
    }

    fn read(raw: &str, terms: &IdLists) -> Result<(Value, Reading), String> {
        TypedForm::of::<T>().read(raw, terms)
    }

    fn read_anyway(raw: &str, terms: &IdLists) -> Result<(Value, Reading), String> {
        TypedForm::of::<T>().read_anyway(raw, terms)
    }

    fn recall(value: &Value) -> Result<Self, String> {
        T::deserialize(value).map_err(|error| error.to_string())
    }
}

/// All that differs between types of replies: reading is written, and compiled, once.
struct TypedForm {
    name: String,
    schema: Value,
    /// Fields whose text may stand outside the JSON.
    blocks: Vec<String>,
    check: fn(&Value, &IdLists) -> Result<(), String>,
    from_text: fn(&str, &IdLists) -> Option<Value>,
}

impl TypedForm {
    /// That of a type, made once per process.
    fn of<T: TypedReply>() -> &'static Self {
        static FORMS: OnceLock<RwLock<HashMap<TypeId, &'static TypedForm>>> = OnceLock::new();
        let forms = FORMS.get_or_init(Default::default);
        if let Some(form) = forms.read().unwrap_or_else(|poisoned| poisoned.into_inner()).get(&TypeId::of::<T>()) {
            return form;
        }
        let schema = schema_of::<T>();
        let form: &'static Self = Box::leak(Box::new(Self {
            name: T::schema_name().to_lowercase(),
            blocks: schema::block_fields(&schema),
            schema,
            check: |value, terms| T::deserialize(value).map_err(|error| error.to_string())?.check(terms),
            from_text: |text, terms| serde_json::to_value(T::from_text(text, terms).filter(|form| form.check(terms).is_ok())?).ok(),
        }));
        forms.write().unwrap_or_else(|poisoned| poisoned.into_inner()).entry(TypeId::of::<T>()).or_insert(form)
    }

    fn read(&self, raw: &str, terms: &IdLists) -> Result<(Value, Reading), String> {
        let (value, reading) = self.read_anyway(raw, terms)?;
        let mut wrong = Vec::new();
        off_scale(&self.schema, &value, &Place::Root, &mut wrong);
        if wrong.is_empty() { Ok((value, reading)) } else { Err(wrong.join("; ")) }
    }

    fn read_anyway(&self, raw: &str, terms: &IdLists) -> Result<(Value, Reading), String> {
        let (text, blocks) = extract::set_apart(&extract::without_thinking(raw), &self.blocks);
        let typed = match extract::object(&text) {
            Ok(found) => {
                self.fit(with_blocks(found.value, &blocks), terms).map(|value| (value, if found.mended { Reading::Mended } else { Reading::Plain }))
            }
            Err(error) => Err(error),
        };
        typed.or_else(|error| {
            let second = (self.from_text)(&text, terms).and_then(|value| self.fit(value, terms).ok());
            second.map(|value| (value, Reading::Text)).ok_or(error)
        })
    }

    /// The value if it fits schema, terms and check; else everything that is wrong with it, in one text.
    fn fit(&self, value: Value, terms: &IdLists) -> Result<Value, String> {
        let mut wrong: Vec<String> = schema::mismatches(&self.schema, &value).iter().take(6).map(ToString::to_string).collect();
        terms.check(&self.schema, &value, &Place::Root, &mut wrong);
        if wrong.is_empty() {
            match (self.check)(&value, terms) {
                Ok(()) => return Ok(value),
                Err(error) => wrong.push(error),
            }
        }
        Err(wrong.join("; "))
    }
}

/// The value with the texts that stood outside it, where it left their fields blank.
fn with_blocks(mut value: Value, blocks: &[(&String, String)]) -> Value {
    for (name, text) in blocks {
        let blank = value.get(*name).is_none_or(|field| field.is_null() || field.as_str().is_some_and(|field| field.trim().is_empty()));
        if let Some(object) = value.as_object_mut().filter(|_| blank) {
            object.insert((*name).clone(), Value::String(text.clone()));
        }
    }
    value
}

/// Numbers beyond the range that their place asks for.
fn off_scale(schema: &Value, value: &Value, at: &Place<'_>, wrong: &mut Vec<String>) {
    if let (Some([least, most]), Some(number)) = (schema["x-range"].as_array().map(Vec::as_slice), value.as_f64())
        && !(least.as_f64().unwrap_or(f64::MIN)..=most.as_f64().unwrap_or(f64::MAX)).contains(&number)
    {
        wrong.push(format!("{}: {number} is not from {least} to {most}", at.slashed()));
    }
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| off_scale(&schema["properties"][name], field, &Place::Field(at, name), wrong))
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(n, item)| off_scale(&schema["items"], item, &Place::Item(at, n), wrong)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
