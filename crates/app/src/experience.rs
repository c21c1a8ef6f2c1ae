//! Earlier decisions for a run that can learn from them: chosen before it begins and frozen into its options.

use crate::error::AppResult;
use serde_json::Value;
use std::collections::BTreeSet;
use synod_engine::{Mode, OptionValue, RunSpec};
use synod_store::Store;
use synod_types::LOCAL;

/// How many are looked through, and how many are handed over.
const KNOWN: u32 = 200;
const HANDED: usize = 5;

/// Puts the nearest earlier decisions into the option a mode has for them, unless it is set already.
pub(crate) async fn add(store: &Store, mode: Option<&Mode>, spec: &mut RunSpec) -> AppResult<()> {
    let Some(option) = mode.and_then(|mode| mode.abilities.learns) else { return Ok(()) };
    if spec.options.iter().any(|(name, _)| name == option) {
        return Ok(());
    }
    let asked = words(&spec.question.text);
    // Everybody learns from their own decisions alone.
    let known = store.experiences_of(Some(spec.principal.as_deref().unwrap_or(LOCAL)), KNOWN).await?;
    let of = |body: &Value| words(body.get("objective").and_then(Value::as_str).unwrap_or_default());
    let mut near: Vec<(usize, Value)> =
        known.into_iter().filter(|row| row.mode == spec.mode).map(|row| (of(&row.body).intersection(&asked).count(), row.body)).collect();
    // Newest first among equals: the sort keeps their order.
    near.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    let handed: Vec<Value> = near.into_iter().filter(|(shared, _)| *shared > 0).take(HANDED).map(|(_, body)| body).collect();
    if !handed.is_empty() {
        spec.options.push((option.into(), OptionValue::Json(Value::Array(handed))));
    }
    Ok(())
}

/// Words that carry something.
fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
}
