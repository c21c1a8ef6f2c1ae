//! A run in which a script speaks for every model and sees what it is asked.

use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{CallContext, RunSpec};
use synod_testkit::rig::{Rig, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Body, Failure, FailureKind, Reply, Request, Row, Verdict};

/// A reply of these words.
pub fn says(text: impl Into<String>) -> Option<Result<Reply, Failure>> {
    Some(Ok(Reply::text(text)))
}

pub fn fails(kind: FailureKind) -> Option<Result<Reply, Failure>> {
    Some(Err(Failure::new(kind, "scripted")))
}

/// The ids a typed reply may name in this field.
pub fn choices(request: &Request, field: &str) -> Vec<String> {
    let schema = request.schema.as_ref().map(|reply| &reply.schema["properties"][field]["enum"]);
    let list = schema.and_then(Value::as_array).cloned().unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The last part of a prompt.
pub fn user(request: &Request) -> String {
    request.messages.last().map(|message| message.text().to_owned()).unwrap_or_default()
}

/// The labels of the answers in a prompt, in its order.
pub fn labels(request: &Request) -> Vec<String> {
    let text = user(request);
    text.split("<answer label=\"").skip(1).map(|after| after[..2].to_owned()).collect()
}

/// The label under which this text stands in a prompt.
pub fn label_of(request: &Request, text: &str) -> Option<String> {
    let prompt = user(request);
    let before = prompt.split_once(&format!("\n{text}\n</answer>"))?.0;
    Some(before.rsplit_once("label=\"")?.1[..2].to_owned())
}

/// Runs an order to its verdict; `script` speaks for (model, key, request).
pub async fn play(
    order: &RunSpec,
    script: impl Fn(&str, &str, &Request) -> Option<Result<Reply, Failure>> + Send + Sync + 'static,
) -> (Verdict, Vec<Row>, Vec<(String, Value)>) {
    let rig = Rig::new(Arc::new(Voices::default().scripted(move |card, request, context: &CallContext| script(&card.name, &context.key, request))));
    let (run, ending) = rig.run(order).await;
    let rows = rig.rows(&run).await;
    let shown = rows.iter().filter_map(|row| match row.body() {
        Ok(Body::Shown(shown)) => Some((shown.stage, json!({"data": shown.exhibit.row(), "shape": shown.exhibit.shape}))),
        _ => None,
    });
    let shown = shown.collect();
    (verdict(ending), rows, shown)
}

/// The data of what was shown under a name, in order.
pub fn data<'a>(shown: &'a [(String, Value)], stage: &str) -> Vec<&'a Value> {
    shown.iter().filter(|(name, _)| name == stage).map(|(_, shown)| &shown["data"]).collect()
}
