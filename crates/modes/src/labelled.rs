//! Answers under neutral labels: one set per set of answers, the same for every reader, in an order of each reader's own.

use serde_json::{Map, Value, json};
use synod_engine::{Answers, Bench, Given};
use synod_types::{Exhibit, SeatIx};

/// One answer, known to readers by its label alone.
#[derive(Clone, Debug)]
pub struct Labelled {
    pub label: String,
    pub seat: SeatIx,
    /// The turn that gave it.
    pub key: String,
    pub text: String,
}

/// Labels drawn from the run's seed; answers stay in seat order.
pub fn label(bench: &Bench, answers: &Answers<String>) -> Vec<Labelled> {
    let labels = synod_math::labels(bench.seed("labels"), answers.given.len());
    let named = answers.given.iter().zip(labels);
    named.map(|(Given { seat, key, value, .. }, label)| Labelled { label, seat: *seat, key: key.clone(), text: value.clone() }).collect()
}

/// What each reader sees: every answer but its own, in balanced orders.
pub fn for_readers<'a>(bench: &Bench, answers: &'a [Labelled], readers: &[SeatIx]) -> Vec<(SeatIx, Vec<&'a Labelled>)> {
    let own: Vec<Option<usize>> = readers.iter().map(|reader| answers.iter().position(|answer| answer.seat == *reader)).collect();
    let orders = synod_math::orders(bench.seed("orders"), &own, answers.len());
    readers.iter().copied().zip(orders.into_iter().map(|order| order.into_iter().filter_map(|item| answers.get(item)).collect())).collect()
}

/// Answers as prompts take them: label and text, nothing that tells whose they are.
pub fn shown(answers: &[&Labelled]) -> Value {
    answers.iter().map(|answer| json!({"label": answer.label, "text": answer.text})).collect()
}

pub fn names(answers: &[&Labelled]) -> Vec<String> {
    answers.iter().map(|answer| answer.label.clone()).collect()
}

/// Who is behind each label, for the record.
pub fn key_to_labels(bench: &Bench, answers: &[Labelled]) -> Exhibit {
    let lines: Vec<String> = answers.iter().map(|answer| format!("{}: {}", answer.label, bench.seat(answer.seat).label)).collect();
    let map: Map<String, Value> = answers.iter().map(|answer| (answer.label.clone(), json!(bench.seat(answer.seat).model))).collect();
    Exhibit::note("Labels", lines.join("\n")).data(Value::Object(map))
}
