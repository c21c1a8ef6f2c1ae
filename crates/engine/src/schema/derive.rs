//! Schemas of Rust types.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// The JSON Schema of a type as it is read, self-contained and without decoration.
pub fn schema_of<T: JsonSchema>() -> Value {
    plain_schema::<T>(SchemaSettings::draft2020_12())
}

/// The JSON Schema of a stored row's parsed data, as it is written: every field is required, and no other is allowed.
pub fn row_schema_of<T: JsonSchema>() -> Value {
    let mut schema = plain_schema::<T>(SchemaSettings::draft2020_12().for_serialize());
    close(&mut schema);
    schema
}

fn plain_schema<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(map) = schema.as_object_mut() {
        map.remove("title");
    }
    schema
}

/// Forbids fields the schema does not name, at every depth.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let open = ["anyOf", "oneOf", "allOf", "additionalProperties"].iter().any(|part| map.contains_key(*part));
            if map.contains_key("properties") && !open {
                map.insert("additionalProperties".into(), false.into());
            }
            // Marks for whoever replies mean nothing in what is stored.
            map.retain(|name, _| !name.starts_with("x-"));
            map.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
