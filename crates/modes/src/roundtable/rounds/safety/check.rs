//! How a text of the debate is checked before anybody else reads it: by the patterns, and by the evaluator while anything calls for one.

use super::evaluation::Evaluation;
use super::monitor::monitor;
use crate::roundtable::rounds::Debate;
use serde::Serialize;
use serde_json::Value;
use synod_engine::{Bench, Halt, Result, prompt};
use synod_types::FailureKind;

/// What came of checking one text.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Why it is withheld.
    pub blocked: Option<String>,
    pub evaluation: Option<Evaluation>,
    /// The key of the evaluator's turn.
    pub evaluation_key: Option<String>,
    /// An evaluator was called in for it and could not read it.
    pub unread: bool,
    /// The run was closing before the evaluator could read it.
    pub closed: bool,
}

impl Checked {
    /// The evaluator read it, and found nothing.
    pub fn clean(&self) -> bool {
        self.blocked.is_none() && self.evaluation.as_ref().is_some_and(Evaluation::clean)
    }
}

impl Debate<'_> {
    /// Checks texts, each under a name of its own in this phase. `what` says to the evaluator what they are.
    pub async fn check(&mut self, phase: &Bench, what: &str, texts: Vec<(String, String)>) -> Result<Vec<Checked>> {
        let mut checked: Vec<Checked> = Vec::with_capacity(texts.len());
        for (_, text) in &texts {
            let (triggers, harm) = monitor(text);
            self.watch.add(triggers);
            checked.push(Checked { blocked: harm.map(|found| found.reason), ..Checked::default() });
        }
        if !self.watch.armed() {
            return Ok(checked);
        }
        let why: Vec<String> = self.watch.triggers().into_iter().map(|trigger| trigger.reason).collect();
        // What the patterns withheld is not sent to the evaluator either.
        let open: Vec<usize> = (0..texts.len()).filter(|at| checked[*at].blocked.is_none()).collect();
        let items = open.iter().map(|at| (format!("check {}", texts[*at].0), texts[*at].1.clone()));
        let strand = |bench: Bench, text: String| {
            let (why, what) = (why.clone(), what.to_owned());
            async move { bench.ask_clerk::<Evaluation>(prompt!("safety", why, what, text)).await }
        };
        for (at, evaluation) in open.iter().zip(phase.all(items, strand).await?) {
            checked[*at] = match evaluation {
                Ok(reply) => Checked {
                    blocked: reply.value.withholds(&texts[*at].1, self.watch.vulnerable()).map(str::to_owned),
                    evaluation: Some(reply.value),
                    evaluation_key: Some(reply.key),
                    ..Checked::default()
                },
                Err(failure) => Checked {
                    blocked: Some("the safety evaluator could not read it".into()),
                    unread: true,
                    closed: failure.failure.kind == FailureKind::Closed,
                    ..Checked::default()
                },
            };
        }
        Ok(checked)
    }
}

/// Everything a reply says, a paragraph for each of its texts. Single words are ids, labels and votes.
pub fn words_of(reply: &impl Serialize) -> Result<String> {
    let value =
        serde_json::to_value(reply).map_err(|error| Halt::failed("safety", format!("a reply could not be written down to be checked: {error}")))?;
    Ok(texts(&value).into_iter().filter(|text| text.trim().contains(char::is_whitespace)).collect::<Vec<_>>().join("\n\n"))
}

/// The texts in a value, one after another. Written as JSON, their escapes would hide words from the patterns.
pub fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
