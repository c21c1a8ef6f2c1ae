//! Checks a document by a JSON Schema of draft 2020-12: every assertion but those that need another document or the notes of other keywords.
//!
//! A schema is walked, not compiled: those of replies, requests and files are small, and each is used a few times.

use serde_json::{Map, Number, Value};

/// One place where a document is not as its schema has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch<'a> {
    /// A JSON pointer into the document.
    pub at: String,
    pub value: &'a Value,
    /// The part of the schema that says what should be there.
    pub rules: &'a Value,
    pub kind: MismatchKind<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MismatchKind<'a> {
    Missing(&'a str),
    Unknown(&'a str),
    Other,
}

const KEYWORDS: [&str; 36] = [
    "$ref",
    "$defs",
    "$schema",
    "$id",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
];
const COMBINED: [&str; 8] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contains"];
const KINDS: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
/// How deep schemas may lead into each other, and how many parts of them one document may need: a schema from outside can refer to itself.
const DEPTH: usize = 200;
const STEPS: usize = 2_000_000;

/// Everything in which a document differs from its schema.
pub fn differences<'a>(schema: &'a Value, document: &'a Value) -> Vec<Mismatch<'a>> {
    let mut walk = Walk { root: schema, steps: 0, found: Vec::new() };
    walk.check(schema, document, &mut String::new(), 0);
    walk.found
}

pub fn fits(schema: &Value, document: &Value) -> bool {
    differences(schema, document).is_empty()
}

/// What in this is no schema by which a document can be checked: its place and what is wrong there.
pub fn flaw(schema: &Value) -> Option<(String, String)> {
    flaw_at(schema, "", 0)
}

fn flaw_at(schema: &Value, at: &str, depth: usize) -> Option<(String, String)> {
    let wrong = |name: &str, why: &str| Some((format!("{at}/{name}"), why.to_owned()));
    let rules = match schema {
        Value::Bool(_) => return None,
        Value::Object(rules) => rules,
        _ => return Some((at.to_owned(), "neither an object nor true or false".into())),
    };
    if depth > DEPTH {
        return Some((at.to_owned(), "too deep".into()));
    }
    for (name, rule) in rules {
        let inner = format!("{at}/{name}");
        let within = |key: &str, part: &Value| flaw_at(part, &format!("{inner}/{key}"), depth + 1);
        let found = match name.as_str() {
            "type" => {
                let known = |kind: &Value| kind.as_str().is_some_and(|kind| KINDS.contains(&kind));
                let kinds = rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice);
                if kinds.is_empty() || !kinds.iter().all(known) { wrong(name, "no type of JSON") } else { None }
            }
            "properties" | "patternProperties" | "$defs" => match rule.as_object() {
                Some(map) => {
                    let pattern = map.keys().find(|key| name == "patternProperties" && regex_lite::Regex::new(key).is_err());
                    if pattern.is_some() { wrong(name, "no regular expression") } else { map.iter().find_map(|(key, part)| within(key, part)) }
                }
                None => wrong(name, "no object"),
            },
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => match rule.as_array() {
                Some(list) if !list.is_empty() => list.iter().enumerate().find_map(|(n, part)| within(&n.to_string(), part)),
                _ => wrong(name, "no list of schemas"),
            },
            "not" | "if" | "then" | "else" | "contains" | "items" | "additionalProperties" | "propertyNames" => flaw_at(rule, &inner, depth + 1),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" if !rule.is_number() => wrong(name, "no number"),
            "multipleOf" if rule.as_f64().is_none_or(|step| step <= 0.0) => wrong(name, "no number above 0"),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" if whole(rule).is_none() => {
                wrong(name, "no whole number of at least 0")
            }
            "uniqueItems" if !rule.is_boolean() => wrong(name, "neither true nor false"),
            "enum" if !rule.is_array() => wrong(name, "no list"),
            "required" if !rule.as_array().is_some_and(|list| list.iter().all(Value::is_string)) => wrong(name, "no list of names"),
            "pattern" if rule.as_str().is_none_or(|pattern| regex_lite::Regex::new(pattern).is_err()) => wrong(name, "no regular expression"),
            "$ref" if !rule.as_str().is_some_and(|place| place.starts_with('#')) => wrong(name, "no place in this schema"),
            known if KEYWORDS.contains(&known) || COMBINED.contains(&known) || known.starts_with("x-") => None,
            _ => wrong(name, "nothing that can be checked"),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

struct Walk<'a> {
    root: &'a Value,
    steps: usize,
    found: Vec<Mismatch<'a>>,
}

impl<'a> Walk<'a> {
    fn check(&mut self, schema: &'a Value, value: &'a Value, at: &mut String, depth: usize) {
        self.steps += 1;
        let rules = match schema {
            Value::Object(rules) if depth <= DEPTH && self.steps <= STEPS => rules,
            Value::Bool(true) => return,
            _ => return self.wrong(schema, value, at, MismatchKind::Other),
        };
        if let Some(place) = rules.get("$ref").and_then(Value::as_str) {
            match place.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                Some(other) => self.check(other, value, at, depth + 1),
                None => self.wrong(schema, value, at, MismatchKind::Other),
            }
        }
        if !plain_rules_hold(rules, value) {
            self.wrong(schema, value, at, MismatchKind::Other);
        } else {
            match value {
                Value::Object(fields) => self.object(schema, rules, value, fields, at, depth),
                Value::Array(items) => self.array(schema, rules, value, items, at, depth),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        if rules.keys().any(|name| COMBINED.contains(&name.as_str())) {
            self.combined(schema, rules, value, at, depth);
        }
    }

    fn object(
        &mut self,
        schema: &'a Value,
        rules: &'a Map<String, Value>,
        value: &'a Value,
        fields: &'a Map<String, Value>,
        at: &mut String,
        depth: usize,
    ) {
        for name in rules.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                self.wrong(schema, value, at, MismatchKind::Missing(name));
            }
        }
        let known = rules.get("properties").and_then(Value::as_object);
        let patterns: Vec<(regex_lite::Regex, &'a Value)> = match rules.get("patternProperties").and_then(Value::as_object) {
            None => Vec::new(),
            Some(map) => map.iter().filter_map(|(pattern, rule)| Some((regex_lite::Regex::new(pattern).ok()?, rule))).collect(),
        };
        let (others, names) = (rules.get("additionalProperties"), rules.get("propertyNames"));
        for (name, field) in fields {
            let mut named = false;
            if let Some(rule) = known.and_then(|known| known.get(name)) {
                named = true;
                self.inside(rule, field, at, name, depth);
            }
            for (_, rule) in patterns.iter().filter(|(pattern, _)| pattern.is_match(name)) {
                named = true;
                self.inside(rule, field, at, name, depth);
            }
            match others {
                Some(Value::Bool(false)) if !named => self.wrong(schema, value, at, MismatchKind::Unknown(name)),
                Some(rule) if !named => self.inside(rule, field, at, name, depth),
                _ => {}
            }
            if let Some(rule) = names
                && !fits(rule, &Value::String(name.clone()))
            {
                self.wrong(schema, value, at, MismatchKind::Unknown(name));
            }
        }
    }

    fn array(&mut self, schema: &'a Value, rules: &'a Map<String, Value>, value: &'a Value, items: &'a [Value], at: &mut String, depth: usize) {
        let first = rules.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (n, item) in items.iter().enumerate() {
            if let Some(rule) = first.get(n).or_else(|| rules.get("items")) {
                self.inside(rule, item, at, &n.to_string(), depth);
            }
        }
        if let Some(rule) = rules.get("contains")
            && !items.iter().any(|item| self.would_fit(rule, item, depth))
        {
            self.wrong(schema, value, at, MismatchKind::Other);
        }
    }

    fn combined(&mut self, schema: &'a Value, rules: &'a Map<String, Value>, value: &'a Value, at: &mut String, depth: usize) {
        let list = |name: &str| rules.get(name).and_then(Value::as_array);
        for rule in list("allOf").into_iter().flatten() {
            self.check(rule, value, at, depth + 1);
        }
        for (name, at_most) in [("anyOf", usize::MAX), ("oneOf", 1)] {
            let Some(choices) = list(name) else { continue };
            let fitting = choices.iter().filter(|rule| self.would_fit(rule, value, depth)).count();
            // Where only one of the choices is of the value's own kind, it says more exactly what is wrong.
            let mut kindred = choices.iter().filter(|rule| rule.get("type").is_some_and(|kinds| is_of_kind(kinds, value)));
            match (fitting, kindred.next(), kindred.next()) {
                (0, Some(rule), None) => self.check(rule, value, at, depth + 1),
                (0, ..) => self.wrong(schema, value, at, MismatchKind::Other),
                (n, ..) if n > at_most => self.wrong(schema, value, at, MismatchKind::Other),
                _ => {}
            }
        }
        if rules.get("not").is_some_and(|rule| self.would_fit(rule, value, depth)) {
            self.wrong(schema, value, at, MismatchKind::Other);
        }
        if let Some(condition) = rules.get("if") {
            let branch = if self.would_fit(condition, value, depth) { "then" } else { "else" };
            if let Some(rule) = rules.get(branch) {
                self.check(rule, value, at, depth + 1);
            }
        }
    }

    fn would_fit(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> bool {
        let before = self.found.len();
        self.check(schema, value, &mut String::new(), depth + 1);
        let fits = self.found.len() == before;
        self.found.truncate(before);
        fits
    }

    fn inside(&mut self, schema: &'a Value, value: &'a Value, at: &mut String, name: &str, depth: usize) {
        let before = at.len();
        at.push('/');
        if name.contains(['~', '/']) {
            at.push_str(&name.replace('~', "~0").replace('/', "~1"));
        } else {
            at.push_str(name);
        }
        self.check(schema, value, at, depth + 1);
        at.truncate(before);
    }

    fn wrong(&mut self, rules: &'a Value, value: &'a Value, at: &str, kind: MismatchKind<'a>) {
        self.found.push(Mismatch { at: at.to_owned(), value, rules, kind });
    }
}

/// What a schema says of the value itself, not of what is inside it. Rules are gone through, not looked for: there are few of each.
fn plain_rules_hold(rules: &Map<String, Value>, value: &Value) -> bool {
    use std::cmp::Ordering::{Greater, Less};
    let least = |rule: &Value, n: usize| whole(rule).is_none_or(|low| n as u64 >= low);
    let most = |rule: &Value, n: usize| whole(rule).is_none_or(|high| n as u64 <= high);
    // What is no number has no place before or after a bound.
    let beside = |rule: &Value, number: &Number| rule.as_number().map(|bound| compare(number, bound));
    rules.iter().all(|(keyword, rule)| match (keyword.as_str(), value) {
        ("type", _) => is_of_kind(rule, value),
        ("const", _) => same(rule, value),
        ("enum", _) => rule.as_array().is_none_or(|choices| choices.iter().any(|choice| same(choice, value))),
        ("minLength", Value::String(text)) => least(rule, text.chars().count()),
        ("maxLength", Value::String(text)) => most(rule, text.chars().count()),
        ("pattern", Value::String(text)) => {
            rule.as_str().is_none_or(|pattern| regex_lite::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text)))
        }
        ("minItems", Value::Array(items)) => least(rule, items.len()),
        ("maxItems", Value::Array(items)) => most(rule, items.len()),
        ("uniqueItems", Value::Array(items)) => *rule != Value::Bool(true) || all_differ(items),
        ("minProperties", Value::Object(fields)) => least(rule, fields.len()),
        ("maxProperties", Value::Object(fields)) => most(rule, fields.len()),
        ("minimum", Value::Number(number)) => beside(rule, number).is_none_or(|order| order.is_some_and(|order| order != Less)),
        ("maximum", Value::Number(number)) => beside(rule, number).is_none_or(|order| order.is_some_and(|order| order != Greater)),
        ("exclusiveMinimum", Value::Number(number)) => beside(rule, number).is_none_or(|order| order == Some(Greater)),
        ("exclusiveMaximum", Value::Number(number)) => beside(rule, number).is_none_or(|order| order == Some(Less)),
        ("multipleOf", Value::Number(number)) => rule.as_f64().is_none_or(|step| is_multiple(number, step)),
        _ => true,
    })
}

/// Whether a value is of the `type`, or of one of them.
fn is_of_kind(kinds: &Value, value: &Value) -> bool {
    let is = |kind: &Value| match (kind.as_str().unwrap_or_default(), value) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("object", Value::Object(_)) | ("array", Value::Array(_)) => true,
        ("number", Value::Number(_)) | ("string", Value::String(_)) => true,
        // JSON has one kind of number: 3.0 is as whole as 3.
        ("integer", Value::Number(number)) => number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    };
    match kinds {
        Value::Array(kinds) => kinds.iter().any(is),
        kind => is(kind),
    }
}

fn is_multiple(number: &Number, step: f64) -> bool {
    let number = number.as_f64().unwrap_or(f64::NAN);
    let times = (number / step).round();
    // 0.3 is three times 0.1, although no two of them are exactly so.
    (times * step - number).abs() <= number.abs().max(step) * 1e-12
}

fn compare(a: &Number, b: &Number) -> Option<std::cmp::Ordering> {
    let exact = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (exact(a), exact(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

/// Equal as JSON: 1 and 1.0 are one number, and the order of fields is none.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b) == Some(std::cmp::Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b))),
        _ => a == b,
    }
}

fn all_differ(items: &[Value]) -> bool {
    let mut texts: Vec<String> = items.iter().map(|item| canonical(item).to_string()).collect();
    texts.sort_unstable();
    texts.windows(2).all(|two| two[0] != two[1])
}

/// The one way to write whatever is [`same`].
fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float as i64),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> = fields.iter().map(|(name, field)| (name.clone(), canonical(field))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            fields.into_iter().collect()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0).map(|number| number as u64))
}
