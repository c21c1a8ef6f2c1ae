//! A persona's file, read and checked: every mistake at once, each with its field.

use super::{Persona, Pull};
use serde::Deserialize;
use serde_json::{Map, Value};
use synod_types::Problem;

/// Fewest and most characters of a paragraph and of a line, and most anchors.
const PROSE: (usize, usize) = (80, 2500);
const LINE: (usize, usize) = (1, 280);
const ANCHORS: usize = 15;

/// What a field must be.
#[derive(Clone, Copy)]
enum FieldType {
    Line,
    Prose,
    OneOf(&'static [&'static str]),
    /// How many entries at least and at most, each a line.
    Lines(usize, usize),
    Table(&'static [Field]),
    /// At most so many tables.
    Tables(usize, &'static [Field]),
}

struct Field {
    name: &'static str,
    want: FieldType,
    needed: bool,
}

const fn need(name: &'static str, want: FieldType) -> Field {
    Field { name, want, needed: true }
}
const fn may(name: &'static str, want: FieldType) -> Field {
    Field { name, want, needed: false }
}

const FIELDS: &[Field] = &[
    may("id", FieldType::Line),
    need("name", FieldType::Line),
    need("handle", FieldType::Line),
    may("decks", FieldType::Lines(0, 12)),
    may("pulls", FieldType::OneOf(&Pull::WORDS)),
    may("version", FieldType::Line),
    need("personality", FieldType::Prose),
    need("bias", FieldType::Prose),
    need("stakes", FieldType::Prose),
    need("epistemology", FieldType::Prose),
    need("time_horizon", FieldType::Prose),
    need("flip_conditions", FieldType::Prose),
    need("evidence", FieldType::Table(EVIDENCE)),
    may("anchors", FieldType::Tables(ANCHORS, ANCHOR)),
    may("voice", FieldType::Table(VOICE)),
];
const EVIDENCE: &[Field] = &[
    need("accepts", FieldType::Lines(1, 12)),
    need("refuses", FieldType::Lines(1, 12)),
    need("weighting", FieldType::Prose),
    may("look_up", FieldType::Line),
];
const ANCHOR: &[Field] = &[need("text", FieldType::Line), need("source", FieldType::Line), may("date", FieldType::Line)];
const VOICE: &[Field] = &[
    need("hint", FieldType::Line),
    may("patterns", FieldType::Lines(0, 12)),
    may("vocabulary", FieldType::Lines(0, 40)),
    may("never", FieldType::Lines(0, 20)),
    may("examples", FieldType::Tables(8, EXAMPLE)),
];
const EXAMPLE: &[Field] = &[need("context", FieldType::Line), need("response", FieldType::Line)];

/// A persona from its text; `id` is the name it was found under, for files that do not say.
pub fn read(id: &str, text: &str) -> Result<Persona, Vec<Problem>> {
    let at = format!("persona {id}");
    let parsed: Result<Value, String> = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(|error| error.to_string())
    } else {
        toml::from_str::<Value>(text).map_err(|error| error.to_string().trim_end().to_owned())
    };
    let mut value = match parsed {
        Ok(value) => value,
        Err(error) => {
            return Err(vec![Problem::new(at, error, "a TOML, YAML, JSON or markdown file with a persona's fields")]);
        }
    };
    if let Some(map) = value.as_object_mut()
        && !map.contains_key("id")
    {
        map.insert("id".into(), Value::String(id.to_owned()));
    }
    read_value(&at, &value)
}

/// A persona from a value; `at` names it in problems.
pub fn read_value(at: &str, value: &Value) -> Result<Persona, Vec<Problem>> {
    let mut problems = Vec::new();
    match value.as_object() {
        Some(map) => check_table(at, map, FIELDS, &mut problems),
        None => problems.push(Problem::new(at, kind_of(value), "a table with name, handle, personality and the rest")),
    }
    if let Some(id) = value["id"].as_str()
        && !is_id(id)
    {
        problems.push(Problem::new(field_at(at, "id"), id, "lower-case letters, digits and hyphens, beginning with a letter"));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Persona::deserialize(trimmed(value)).map_err(|error| vec![Problem::new(at, error.to_string(), "a persona's fields, each of its type")])
}

/// How options may name a persona.
pub fn is_id(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase()) && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Without the line break that ends a block of lines in a file.
fn trimmed(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.trim().to_owned()),
        Value::Array(items) => Value::Array(items.iter().map(trimmed).collect()),
        Value::Object(map) => Value::Object(map.iter().map(|(name, value)| (name.clone(), trimmed(value))).collect()),
        other => other.clone(),
    }
}

fn field_at(at: &str, name: &str) -> String {
    if at.starts_with("persona ") && !at.contains(": ") { format!("{at}: {name}") } else { format!("{at}.{name}") }
}

fn check_table(at: &str, map: &Map<String, Value>, fields: &[Field], problems: &mut Vec<Problem>) {
    let field_at = |name: &str| field_at(at, name);
    for name in map.keys().filter(|name| !fields.iter().any(|field| field.name == name.as_str())) {
        let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
        problems.push(Problem::new(field_at(name), "unknown field", format!("one of: {}", known.join(", "))));
    }
    for field in fields {
        match map.get(field.name) {
            // An optional field may be left empty.
            Some(Value::String(text)) if text.is_empty() && !field.needed => {}
            Some(value) => check_value(&field_at(field.name), value, field.want, problems),
            None if field.needed => problems.push(Problem::new(field_at(field.name), "nothing", describe(field.want))),
            None => {}
        }
    }
}

fn check_value(at: &str, value: &Value, want: FieldType, problems: &mut Vec<Problem>) {
    let mut wrong = |got: String| problems.push(Problem::new(at, got, describe(want)));
    let fits = |text: &str, (least, most): (usize, usize)| (least..=most).contains(&text.trim().chars().count());
    // A line break could begin a new block in the prompt.
    let breaks = |c: char| c.is_control() || "\u{2028}\u{2029}".contains(c);
    match (want, value) {
        (FieldType::Line, Value::String(text)) if text.trim().contains(breaks) => wrong("several lines, or control characters".to_owned()),
        (FieldType::Prose, Value::String(text)) if text.contains(|c: char| c.is_control() && !"\n\r\t".contains(c)) => {
            wrong("control characters".to_owned());
        }
        (FieldType::Line, Value::String(text)) if fits(text, LINE) => {}
        (FieldType::OneOf(words), Value::String(text)) if words.contains(&text.trim()) => {}
        (FieldType::OneOf(_), Value::String(text)) => wrong(text.clone()),
        (FieldType::Prose, Value::String(text)) if fits(text, PROSE) => {}
        (FieldType::Line | FieldType::Prose, Value::String(text)) => wrong(format!("{} characters", text.trim().chars().count())),
        (FieldType::Lines(least, most), Value::Array(items)) => {
            if !(least..=most).contains(&items.len()) {
                wrong(format!("{} entries", items.len()));
            }
            for (n, item) in items.iter().enumerate() {
                check_value(&format!("{at}[{n}]"), item, FieldType::Line, problems);
            }
        }
        (FieldType::Table(fields), Value::Object(map)) => check_table(at, map, fields, problems),
        (FieldType::Tables(most, fields), Value::Array(items)) => {
            if items.len() > most {
                wrong(format!("{} entries", items.len()));
            }
            for (n, item) in items.iter().enumerate() {
                check_value(&format!("{at}[{n}]"), item, FieldType::Table(fields), problems);
            }
        }
        (FieldType::Line | FieldType::Prose | FieldType::OneOf(_) | FieldType::Lines(..) | FieldType::Table(_) | FieldType::Tables(..), other) => {
            wrong(kind_of(other).to_owned())
        }
    }
}

fn describe(want: FieldType) -> String {
    let names = |fields: &[Field]| fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
    match want {
        FieldType::Line => format!("a line of text, at most {} characters", LINE.1),
        FieldType::Prose => format!("a paragraph of {} to {} characters", PROSE.0, PROSE.1),
        FieldType::OneOf(words) => format!("one of: {}", words.join(", ")),
        FieldType::Lines(least, most) => format!("a list of {least} to {most} lines of text"),
        FieldType::Table(fields) => format!("a table with {}", names(fields)),
        FieldType::Tables(most, fields) => format!("at most {most} tables, each with {}", names(fields)),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}
