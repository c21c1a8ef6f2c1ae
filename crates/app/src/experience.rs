//! Earlier decisions for a run that can learn from them: chosen before it begins and frozen into its options.

use crate::error::AppResult;
use serde_json::{Value, json};
use synod_engine::{Mode, OptionValue, RunSpec};
use synod_math::relevant;
use synod_store::Store;
use synod_types::{LOCAL, clip};

/// How many are looked through, and how many are handed over.
const KNOWN: u32 = 200;
const HANDED: usize = 3;
/// The share of the words that matter which a record must have in common with the question.
const RELEVANT: f64 = 0.3;
/// How much of a record's texts is handed over, and how many of its pointers.
const LONGEST: usize = 600;
const POINTERS: usize = 5;

/// Puts the most relevant earlier decisions into the option a mode has for them, unless it is set already.
pub(crate) async fn add(store: &Store, mode: Option<&Mode>, spec: &mut RunSpec) -> AppResult<()> {
    let Some(option) = mode.and_then(|mode| mode.abilities.learns) else { return Ok(()) };
    if spec.options.iter().any(|(name, _)| name == option) {
        return Ok(());
    }
    // Everybody learns from their own decisions alone.
    let known = store.experiences_of(Some(spec.principal.as_deref().unwrap_or(LOCAL)), KNOWN).await?;
    let known: Vec<Value> = known.into_iter().filter(|row| row.mode == spec.mode).map(|row| row.body).collect();
    let handed = recalled(&spec.question.text, known);
    if !handed.is_empty() {
        spec.options.push((option.into(), OptionValue::json(Value::Array(handed))));
    }
    Ok(())
}

/// The few of these records, newest first, that have to do with a question, each held to a length.
fn recalled(question: &str, known: Vec<Value>) -> Vec<Value> {
    let text = |body: &Value, field: &str| body.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let texts: Vec<String> = known.iter().map(|body| format!("{} {}", text(body, "objective"), text(body, "summary"))).collect();
    let near = relevant(question, &texts, RELEVANT).into_iter().take(HANDED);
    near.map(|(at, _)| {
        let mut body = known[at].clone();
        for field in ["objective", "summary"] {
            body[field] = json!(clip::words(&text(&body, field), LONGEST, " […]"));
        }
        if let Some(pointers) = body.get_mut("pointers").and_then(Value::as_array_mut) {
            pointers.truncate(POINTERS);
        }
        body
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(objective: &str, summary: &str) -> Value {
        json!({"objective": objective, "summary": summary, "pointers": vec!["a"; 9]})
    }

    #[test]
    fn at_most_three_that_matter_come_and_none_is_long() {
        let mut known: Vec<Value> =
            (1..=5).map(|n| record(&format!("Which database carries the shop, try {n}?"), "PostgreSQL carries it.")).collect();
        known.insert(2, record("Which office chair?", "The cheap one."));
        known.push(record("Which database carries orders?", &"PostgreSQL with row-level security. ".repeat(100)));
        let found = recalled("Is PostgreSQL the database for a shop?", known);
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|record| !record.to_string().contains("office")), "{found:?}");
        assert!(found.iter().all(|record| record["summary"].as_str().is_some_and(|text| text.chars().count() <= LONGEST + 5)));
        assert_eq!(found[0]["pointers"].as_array().map(Vec::len), Some(POINTERS));
        // "office" alone is one shared word.
        assert!(recalled("Which office?", vec![record("Which office chair?", "The cheap one.")]).is_empty());
    }
}
