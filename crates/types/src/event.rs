//! What a watcher sees of a run: at most one event a row, and the words in between.

use crate::{Closing, Kind, Millis, PhaseMark, Row, Status, answer_message};
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
    /// Whether a row of this kind is an event: at most one.
    pub fn is_one(kind: Kind) -> bool {
        !matches!(kind, Kind::Replied | Kind::Tool | Kind::Figure | Kind::Answered)
    }

    /// The event's type; on `error` also why.
    fn named(row: &Row) -> Option<(&'static str, Option<String>)> {
        /// All that is needed of a verdict here.
        #[derive(Deserialize)]
        struct End {
            status: Status,
            stop_reason: String,
        }
        let name = match row.kind {
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
            Kind::Verdict => match serde_json::from_str::<End>(&row.body) {
                Ok(end) if end.status.completes() => "complete",
                Ok(end) => return Some(("error", Some(end.stop_reason))),
                Err(_) => "error",
            },
            Kind::Replied | Kind::Tool | Kind::Figure | Kind::Answered => return None,
        };
        Some((name, None))
    }

    /// What is told beside a row's body: where it is, and what a client needs that has not seen the run's first row.
    fn beside(row: &Row, mode: &str) -> Vec<(&'static str, Value)> {
        let mut beside = Vec::new();
        match row.kind {
            Kind::Header => {
                /// The names under which clients look for them.
                #[derive(Deserialize)]
                struct Place {
                    conversation: Option<String>,
                }
                let conversation = serde_json::from_str::<Place>(&row.body).ok().and_then(|place| place.conversation);
                beside.extend(conversation.map(|id| ("conversationId", id.into())));
                beside.push(("messageId", answer_message(&row.run).into()));
            }
            Kind::Closing => beside.extend(row.read::<Closing>().ok().map(|closing| ("text", closing.plain().into()))),
            Kind::Shown => {
                /// Its name alone, whatever was shown.
                #[derive(Deserialize)]
                struct Name {
                    stage: String,
                }
                beside.extend(serde_json::from_str::<Name>(&row.body).ok().map(|name| ("stage_type", name.stage.into())));
            }
            Kind::Phase | Kind::PhaseEnd => {
                if !mode.is_empty() {
                    beside.push(("mode", mode.into()));
                }
                beside.extend(row.read::<PhaseMark>().ok().map(|mark| ("phase", mark.name.into())));
            }
            _ => {}
        }
        if !row.key.is_empty() {
            beside.push(("key", row.key.as_str().into()));
            if row.kind == Kind::Asked {
                beside.push(("try", row.attempt.into()));
            }
        }
        beside
    }

    /// One row gives at most one event. `mode`: told with phases, if it is known.
    pub fn of(row: &Row, mode: &str) -> Option<Self> {
        let (kind, message) = Self::named(row)?;
        let mut data = serde_json::from_str(&row.body).unwrap_or(Value::Null);
        if let Value::Object(map) = &mut data {
            map.extend(Self::beside(row, mode).into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
        Some(Self { kind: kind.into(), seq: Some(row.seq), run: row.run.clone(), at: row.at, message, data })
    }

    /// The same as JSON, with its type: the row's body goes into it as it stands, so that an event costs a stream no more than copying it.
    pub fn text(row: &Row, mode: &str) -> Option<(&'static str, String)> {
        let (kind, message) = Self::named(row)?;
        let body = row.body.trim();
        // What a database says is a claim.
        let whole = body.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok();
        let Some(fields) = body.strip_suffix('}').filter(|_| whole) else {
            return Some((kind, serde_json::to_string(&Self::of(row, mode)?).unwrap_or_default()));
        };
        let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
        let message = message.map(|message| format!(",\"message\":{}", quoted(&message))).unwrap_or_default();
        let mut text = format!("{{\"type\":\"{kind}\",\"seq\":{},\"run\":{},\"at\":{}{message},\"data\":{fields}", row.seq, quoted(&row.run), row.at);
        let mut first = fields.trim_end().ends_with('{');
        for (name, value) in Self::beside(row, mode) {
            text.push_str(if first { "\"" } else { ",\"" });
            text.push_str(&format!("{name}\":{value}"));
            first = false;
        }
        text.push_str("}}");
        Some((kind, text))
    }

    /// Some more text of a running turn. `offset` counts the bytes of UTF-8 before it; at offset 0 it replaces whatever was shown of this turn.
    pub fn delta(run: &str, at: Millis, key: &str, attempt: i64, offset: usize, text: &str) -> Self {
        let data = serde_json::json!({"key": key, "try": attempt, "offset": offset, "text": text});
        Self { kind: "turn_delta".into(), seq: None, run: run.to_owned(), at, message: None, data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NewRow, PlainText};
    use serde_json::json;

    #[test]
    fn an_event_reads_the_same_whether_it_was_parsed_or_copied() {
        let row = |key: &str, kind: Kind, body: &str| {
            let row = NewRow::new(key, kind, 7, &PlainText { text: String::new() });
            Row { body: body.to_owned(), ..row.attempt(2).seal("r\"1", 5, 1, &[0; 32]) }
        };
        let verdict = json!({"status": "no_quorum", "stop_reason": "two of \"three\" failed\n"}).to_string();
        for row in [
            row("", Kind::Header, r#"{"mode":"vote"}"#),
            row("round 2", Kind::Phase, r#"{"name":"round","n":2}"#),
            row("round 2", Kind::PhaseEnd, r#" {"name":"round","n":2} "#),
            row("a/answer@1", Kind::Asked, "{}"),
            row("a/\"x\"", Kind::Shown, r#"{"stage":"tally","exhibit":{"a":[1,{"stage":"no"}]}}"#),
            row("", Kind::Closing, r#"{"reason":"deadline"}"#),
            row("w", Kind::Warning, r#"{"text":"}"}"#),
            row("", Kind::Verdict, &verdict),
            row("", Kind::Verdict, r#"{"status":"full","stop_reason":"finished"}"#),
            row("x", Kind::Said, "no JSON"),
            row("x", Kind::Said, "[1]"),
            row("x", Kind::Said, r#"{"cut"#),
        ] {
            let whole = Event::of(&row, "vote").expect("an event");
            let (kind, text) = Event::text(&row, "vote").expect("an event");
            assert_eq!(kind, whole.kind);
            let read: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(read, serde_json::to_value(&whole).expect("JSON"), "{text}");
            assert!(!text.contains('\n') && Event::is_one(row.kind));
        }
        let silent = row("x", Kind::Replied, "{}");
        assert!(Event::of(&silent, "").is_none() && Event::text(&silent, "").is_none() && !Event::is_one(silent.kind));
    }
}
