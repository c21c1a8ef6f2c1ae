//! A persona's file, read and checked: every mistake at once, each with its field.

use super::Persona;
use serde::Deserialize;
use serde_json::{Map, Value};
use synod_types::Problem;

/// Fewer characters are a label, more no longer fit beside the rest in one prompt.
const PROSE: (usize, usize) = (80, 2500);
const LINE: (usize, usize) = (1, 280);
const ANCHORS: usize = 15;

/// What a field must be.
#[derive(Clone, Copy)]
enum Want {
    Line,
    Prose,
    /// How many entries at least and at most, each a line.
    Lines(usize, usize),
    Table(&'static [Field]),
    /// At most so many tables.
    Tables(usize, &'static [Field]),
}

struct Field {
    name: &'static str,
    want: Want,
    needed: bool,
}

const fn need(name: &'static str, want: Want) -> Field {
    Field { name, want, needed: true }
}
const fn may(name: &'static str, want: Want) -> Field {
    Field { name, want, needed: false }
}

const FIELDS: &[Field] = &[
    may("id", Want::Line),
    need("name", Want::Line),
    need("handle", Want::Line),
    may("decks", Want::Lines(0, 12)),
    may("version", Want::Line),
    need("personality", Want::Prose),
    need("bias", Want::Prose),
    need("stakes", Want::Prose),
    need("epistemology", Want::Prose),
    need("time_horizon", Want::Prose),
    need("flip_conditions", Want::Prose),
    need("evidence", Want::Table(EVIDENCE)),
    may("anchors", Want::Tables(ANCHORS, ANCHOR)),
    may("voice", Want::Table(VOICE)),
];
const EVIDENCE: &[Field] =
    &[need("accepts", Want::Lines(1, 12)), need("refuses", Want::Lines(1, 12)), need("weighting", Want::Prose), may("look_up", Want::Line)];
const ANCHOR: &[Field] = &[need("text", Want::Line), need("source", Want::Line), may("date", Want::Line)];
const VOICE: &[Field] = &[
    need("hint", Want::Line),
    may("patterns", Want::Lines(0, 12)),
    may("vocabulary", Want::Lines(0, 40)),
    may("never", Want::Lines(0, 20)),
    may("examples", Want::Tables(8, EXAMPLE)),
];
const EXAMPLE: &[Field] = &[need("context", Want::Line), need("response", Want::Line)];

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
            return Err(vec![Problem::new(at, error, "a TOML, YAML, JSON or markdown file; `synod persona show actuary --file` prints one")]);
        }
    };
    if let Some(map) = value.as_object_mut()
        && !map.contains_key("id")
    {
        map.insert("id".into(), Value::String(id.to_owned()));
    }
    whole(&at, &value)
}

/// The same for a persona that is already a value.
pub fn whole(at: &str, value: &Value) -> Result<Persona, Vec<Problem>> {
    let mut problems = Vec::new();
    match value.as_object() {
        Some(map) => table(at, map, FIELDS, &mut problems),
        None => problems.push(Problem::new(at, kind(value), "a table with name, handle, personality and the rest")),
    }
    if let Some(id) = value["id"].as_str()
        && !is_id(id)
    {
        problems.push(Problem::new(field_at(at, "id"), id, "lower-case letters, digits and hyphens, beginning with a letter"));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Persona::deserialize(trimmed(value)).map_err(|error| vec![Problem::new(at, error.to_string(), "a persona as `synod persona show` prints it")])
}

/// How options may name a persona.
pub fn is_id(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase()) && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// A block of lines in a file ends with a break that is no part of the text.
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

fn table(at: &str, map: &Map<String, Value>, fields: &[Field], problems: &mut Vec<Problem>) {
    let field_at = |name: &str| field_at(at, name);
    for name in map.keys().filter(|name| !fields.iter().any(|field| field.name == name.as_str())) {
        let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
        problems.push(Problem::new(field_at(name), "unknown field", format!("one of: {}", known.join(", "))));
    }
    for field in fields {
        match map.get(field.name) {
            // What may be left out may also be left empty.
            Some(Value::String(text)) if text.is_empty() && !field.needed => {}
            Some(value) => one(&field_at(field.name), value, field.want, problems),
            None if field.needed => problems.push(Problem::new(field_at(field.name), "nothing", words(field.want))),
            None => {}
        }
    }
}

fn one(at: &str, value: &Value, want: Want, problems: &mut Vec<Problem>) {
    let mut wrong = |got: String| problems.push(Problem::new(at, got, words(want)));
    let fits = |text: &str, (least, most): (usize, usize)| (least..=most).contains(&text.trim().chars().count());
    // A line that held a break could open a block of its own in the prompt.
    let breaks = |c: char| c.is_control() || "\u{2028}\u{2029}".contains(c);
    match (want, value) {
        (Want::Line, Value::String(text)) if text.trim().contains(breaks) => wrong("several lines, or control characters".to_owned()),
        (Want::Prose, Value::String(text)) if text.contains(|c: char| c.is_control() && !"\n\r\t".contains(c)) => {
            wrong("control characters".to_owned());
        }
        (Want::Line, Value::String(text)) if fits(text, LINE) => {}
        (Want::Prose, Value::String(text)) if fits(text, PROSE) => {}
        (Want::Line | Want::Prose, Value::String(text)) => wrong(format!("{} characters", text.trim().chars().count())),
        (Want::Lines(least, most), Value::Array(items)) => {
            if !(least..=most).contains(&items.len()) {
                wrong(format!("{} entries", items.len()));
            }
            for (n, item) in items.iter().enumerate() {
                one(&format!("{at}[{n}]"), item, Want::Line, problems);
            }
        }
        (Want::Table(fields), Value::Object(map)) => table(at, map, fields, problems),
        (Want::Tables(most, fields), Value::Array(items)) => {
            if items.len() > most {
                wrong(format!("{} entries", items.len()));
            }
            for (n, item) in items.iter().enumerate() {
                one(&format!("{at}[{n}]"), item, Want::Table(fields), problems);
            }
        }
        (Want::Line | Want::Prose | Want::Lines(..) | Want::Table(_) | Want::Tables(..), other) => wrong(kind(other).to_owned()),
    }
}

fn words(want: Want) -> String {
    let names = |fields: &[Field]| fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
    match want {
        Want::Line => format!("a line of text, at most {} characters", LINE.1),
        Want::Prose => format!("a paragraph of {} to {} characters", PROSE.0, PROSE.1),
        Want::Lines(least, most) => format!("a list of {least} to {most} lines of text"),
        Want::Table(fields) => format!("a table with {}", names(fields)),
        Want::Tables(most, fields) => format!("at most {most} tables, each with {}", names(fields)),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}
