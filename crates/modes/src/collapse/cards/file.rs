//! A decision as a file: the same fields as the mode's options, with the objective, and with parts that may stand in files of their own.

use super::card::Card;
use super::check::check;
use super::import;
use super::policy::Policy;
use super::records::Approval;
use crate::collapse::Options;
use serde::Deserialize;
use serde::de::DeserializeOwned;
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
    for (name, mut property) in known.into_iter().filter(|(name, _)| !NOT_IN_FILES.contains(&name.as_str())) {
        if name == "cards" {
            without_ids(&mut property);
        }
        let property = match paths && PARTS.contains(&name.as_str()) {
            true => json!({"anyOf": [property, {"type": "string", "minLength": 1, "description": "A file that holds it, relative to this one."}]}),
            false => property,
        };
        properties.insert(name, property);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A decision file", "type": "object",
        "properties": properties, "required": ["objective", "cards"], "additionalProperties": false,
    })
}

/// In a file a card may leave out its id.
fn without_ids(cards: &mut Value) {
    if let Some(required) = cards.pointer_mut("/items/required").and_then(Value::as_array_mut) {
        required.retain(|name| name != "id");
    }
    if let Some(about) = cards.pointer_mut("/items/properties/id/description") {
        *about = format!("{} Left out: the agent's name, or position_A and so on.", about.as_str().unwrap_or_default()).into();
    }
}

/// The objective and the options of a decision whose parts are all in place; else everything that is wrong with it, in its form and between
/// its parts.
pub fn read(mut document: Value) -> Result<(String, Options), Vec<Problem>> {
    import::translate(&mut document);
    whole_numbers(&mut document);
    let mut problems = synod_engine::schema::mismatches(&schema(false), &document);
    let mut fields = match document {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let objective = fields.shift_remove("objective").and_then(|objective| objective.as_str().map(str::to_owned)).unwrap_or_default();
    if problems.is_empty() {
        let fields = Value::Object(fields);
        let read = Options::deserialize(&fields);
        let options = read.map_err(|error| vec![Problem::new("file", error.to_string(), "a decision as its schema has it")])?;
        drop(fields);
        problems = check(&options, "");
        if options.cards.is_empty() {
            problems.push(Problem::new("cards", "an empty list", "at least one card"));
        }
        return if problems.is_empty() { Ok((objective, options)) } else { Err(problems) };
    }
    // What can be read is checked too: a mistake in one place must not hide those in others.
    let (options, places) = readable(&fields);
    let further = check(&options, "").into_iter().filter_map(|problem| places.of(problem));
    let known: Vec<String> = problems.iter().map(|problem| problem.field.clone()).collect();
    problems.extend(further.filter(|problem| !known.contains(&problem.field)));
    Err(problems)
}

/// Where the entries that could be read stand in the document.
struct Places {
    lists: Vec<(&'static str, Vec<usize>)>,
    /// Cards of which only the id could be read: nothing else is said of them.
    stubs: Vec<usize>,
}

impl Places {
    /// The problem at its place in the document; `None` if it speaks of what could not be read.
    fn of(&self, problem: Problem) -> Option<Problem> {
        let Some((list, rest)) = problem.field.split_once('[') else { return Some(problem) };
        let Some((nth, rest)) = rest.split_once(']') else { return Some(problem) };
        let nth: usize = nth.parse().ok()?;
        if list == "cards" && self.stubs.contains(&nth) && rest != ".id" {
            return None;
        }
        let at = self.lists.iter().find(|(name, _)| *name == list).and_then(|(_, places)| places.get(nth)).copied().unwrap_or(nth);
        Some(Problem { field: format!("{list}[{at}]{rest}"), ..problem })
    }
}

/// The options as far as they can be read, entry by entry.
fn readable(fields: &Map<String, Value>) -> (Options, Places) {
    fn entries<T: DeserializeOwned>(fields: &Map<String, Value>, name: &'static str, places: &mut Places) -> Vec<T> {
        let list = fields.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let (at, read) = list.iter().enumerate().filter_map(|(at, entry)| Some((at, T::deserialize(entry).ok()?))).unzip();
        places.lists.push((name, at));
        read
    }
    let mut places = Places { lists: Vec::new(), stubs: Vec::new() };
    let mut cards = Vec::new();
    for (at, value) in fields.get("cards").and_then(Value::as_array).into_iter().flatten().enumerate() {
        cards.push(Card::deserialize(value).unwrap_or_else(|_| {
            places.stubs.push(at);
            stub(value)
        }));
    }
    // What a card that cannot be read may need approved is not known.
    let ids: Vec<String> = places.stubs.iter().map(|at| cards[*at].id.clone()).collect();
    let mut approvals: Vec<Approval> = entries(fields, "approvals", &mut places);
    if let Some((_, at)) = places.lists.last_mut() {
        let mut kept = approvals.iter().map(|approval| !ids.contains(&approval.position_id));
        at.retain(|_| kept.next().unwrap_or_default());
    }
    approvals.retain(|approval| !ids.contains(&approval.position_id));
    let options = Options {
        cards,
        receipts: entries(fields, "receipts", &mut places),
        panel: entries(fields, "panel", &mut places),
        approvals,
        policy: fields.get("policy").and_then(|policy| Policy::deserialize(policy).ok()).unwrap_or_default(),
        invariants: entries(fields, "invariants", &mut places),
        regulations: entries(fields, "regulations", &mut places),
        experts: entries(fields, "experts", &mut places),
        ..Options::default()
    };
    (options, places)
}

/// A card of which the rest cannot be read: others may still name it.
fn stub(value: &Value) -> Card {
    let of = |name: &str| value.get(name).cloned().unwrap_or_default();
    Card {
        id: of("id").as_str().unwrap_or_default().to_owned(),
        agent: String::new(),
        timestamp: String::new(),
        claims: Vec::new(),
        plan: Vec::new(),
        evidence: Vec::new(),
        risks: Vec::new(),
        confidence: 0.0,
        cost: 0,
        cost_unit: serde_json::from_value(of("cost_unit")).unwrap_or_default(),
        cost_estimate: None,
        reversibility: 0.0,
        invariant_violations: Vec::new(),
        irreversible_data_change: None,
        regulatory: Vec::new(),
        parent_ids: Vec::new(),
    }
}

/// 20.0 is a whole number, and is read as one.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            // Beyond this a float no longer holds every whole number.
            if let Some(float) = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15) {
                *value = Value::from(float as i64);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_in_one_place_hides_none_in_another() {
        let card =
            |id: &str, cost: Value| json!({"id": id, "claims": ["x"], "plan": [{"action": "y"}], "confidence": 1, "cost": cost, "reversibility": 1});
        let document = json!({
            "objective": "Which way?", "cards": [card("a", json!(20.0)), card("b", json!(-1)), card("a", json!("Low"))],
            "receipts": [{"position_id": "a", "status": "YES"}, {"position_id": "b", "status": "PASS"}, {"position_id": "z", "status": "PASS"}],
            "approvals": [{"position_id": "b", "subject": "GDPR", "decision": "approve"}, {"position_id": "a", "subject": "GDPR", "decision": "approve"}],
            "policy": {"no_agreement": 0.9},
        });
        let fields: Vec<String> = read(document).expect_err("problems").into_iter().map(|problem| problem.field).collect();
        let want = ["cards[1].cost", "receipts[0].status", "policy.no_agreement", "cards[2].id", "receipts[2].position_id", "approvals[1].subject"];
        assert_eq!(fields, want);
        let (_, options) = read(json!({"objective": "x", "cards": [card("a", json!(20.0))]})).expect("a decision");
        assert_eq!(options.cards[0].cost, 20);
        assert!(!schema(false).pointer("/properties/cards/items/required").expect("a list").to_string().contains("\"id\""));
    }
}
