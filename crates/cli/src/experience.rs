//! Earlier decisions for a run that can learn from them: chosen before it begins and frozen into its options.

use crate::app::App;
use crate::exit::CliResult;
use serde_json::Value;
use std::collections::BTreeSet;
use synod_engine::{OptionValue, RunRequest};
use synod_modes::MODES;

/// How many are looked through, and how many are handed over.
const KNOWN: u32 = 200;
const HANDED: usize = 5;

/// Puts the nearest earlier decisions into an order whose mode has an option for them.
pub async fn add(app: &App, order: &mut RunRequest) -> CliResult<()> {
    let takes =
        MODES.iter().find(|mode| mode.id == order.mode).is_some_and(|mode| (mode.options_schema)().pointer("/properties/experience").is_some());
    if !takes || order.options.iter().any(|(name, _)| name == "experience") {
        return Ok(());
    }
    let asked = words(&order.question.text);
    let known = app.store.experiences(KNOWN).await?;
    let of = |body: &Value| words(body.get("objective").and_then(Value::as_str).unwrap_or_default());
    let mut near: Vec<(usize, Value)> =
        known.into_iter().filter(|row| row.mode == order.mode).map(|row| (of(&row.body).intersection(&asked).count(), row.body)).collect();
    // Newest first among equals: the sort keeps their order.
    near.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    let handed: Vec<Value> = near.into_iter().filter(|(shared, _)| *shared > 0).take(HANDED).map(|(_, body)| body).collect();
    if !handed.is_empty() {
        order.options.push(("experience".into(), OptionValue::Json(Value::Array(handed))));
    }
    Ok(())
}

/// Words that carry something.
fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
}
