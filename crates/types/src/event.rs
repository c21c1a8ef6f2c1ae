//! What a watcher sees of a run: at most one event a row, and the words in between.

use crate::{Kind, Millis, Row, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing a watcher sees. `seq` is absent on deltas: they are shown, not kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    pub run: String,
    pub at: Millis,
    /// Why the run ended without an answer, on `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub data: Value,
}

impl Event {
    /// One row gives at most one event.
    pub fn of(row: &Row) -> Option<Self> {
        let mut message = None;
        let kind = match row.kind {
            Kind::Header => "run_start",
            Kind::Phase => "phase_start",
            Kind::PhaseEnd => "phase_complete",
            Kind::Asked => "turn_start",
            Kind::Said => "turn_complete",
            Kind::Failed => "turn_failed",
            Kind::Shown => "exhibit",
            Kind::Waiting => "waiting",
            Kind::Warning | Kind::Closing => "warning",
            Kind::Stopped => "stopped",
            Kind::Resumed => "resumed",
            Kind::Title => "title_complete",
            Kind::Verdict => match row.read::<Verdict>() {
                Ok(verdict) if verdict.status.completes() => "complete",
                Ok(verdict) => {
                    message = Some(verdict.stop_reason);
                    "error"
                }
                Err(_) => "error",
            },
            Kind::Replied | Kind::Tool | Kind::Figure | Kind::Answered => return None,
        };
        let mut data = serde_json::from_str(&row.body).unwrap_or(Value::Null);
        if let (Kind::Closing, Value::Object(map)) = (row.kind, &mut data)
            && let Ok(closing) = row.read::<crate::Closing>()
        {
            map.insert("text".into(), closing.plain().into());
        }
        if let (Kind::Shown, Value::Object(map)) = (row.kind, &mut data)
            && let Some(stage) = map.get("stage").cloned()
        {
            map.insert("stage_type".into(), stage);
        }
        if let (Value::Object(map), false) = (&mut data, row.key.is_empty()) {
            map.insert("key".into(), Value::String(row.key.clone()));
            if row.kind == Kind::Asked {
                map.insert("try".into(), row.attempt.into());
            }
        }
        Some(Self { kind: kind.into(), seq: Some(row.seq), run: row.run.clone(), at: row.at, message, data })
    }

    /// The same, with what a client needs that has not seen the run's first row: phases say which mode they are of, and what they are called.
    pub fn in_mode(mut self, mode: &str) -> Self {
        if let (true, Value::Object(map)) = (self.kind.starts_with("phase_"), &mut self.data) {
            map.insert("mode".into(), mode.into());
            if let Some(name) = map.get("name").cloned() {
                map.insert("phase".into(), name);
            }
        }
        self
    }

    /// Some more text of a running turn. `offset` counts the bytes of UTF-8 before it; at offset 0 it replaces whatever was shown of this turn.
    pub fn delta(run: &str, at: Millis, key: &str, attempt: i64, offset: usize, text: &str) -> Self {
        let data = serde_json::json!({"key": key, "try": attempt, "offset": offset, "text": text});
        Self { kind: "turn_delta".into(), seq: None, run: run.to_owned(), at, message: None, data }
    }
}
