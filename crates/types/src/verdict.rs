//! The typed end of a run. It admits what is missing.

use crate::{FailureKind, Millis, SeatIx, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub schema: String,
    pub run: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub mode: String,
    pub rehearsal: bool,
    pub status: Status,
    pub stop_reason: String,
    /// What to do, in a sentence. Absent without an answer, and in verdicts older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    pub answer: Option<Answer>,
    /// What a script branches on; its schema belongs to the mode, but for `summary`: what was decided, in a sentence.
    pub decision: Option<Value>,
    pub confidence: Option<Confidence>,
    /// Why there is no confidence, where the mode measures none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsure: Option<String>,
    pub dissent: Vec<Dissent>,
    pub missing: Vec<Missing>,
    pub warnings: Vec<String>,
    pub receipt: Receipt,
    /// What the mode wants kept: labels, scores, the ladder's rung.
    pub data: Value,
}

impl Verdict {
    pub const SCHEMA: &'static str = "synod.verdict/1";

    /// What was decided, in a sentence, with its count.
    pub fn summary(&self) -> Option<&str> {
        self.decision.as_ref()?.get("summary")?.as_str()
    }

    /// The record a mode that learns wants kept for later runs: nothing, or one object under `data.experience`.
    pub fn experience(&self) -> Option<&Value> {
        self.data.get("experience").filter(|record| record.is_object())
    }

    /// The last round of a mode that can be taken further, under `data.round`.
    pub fn last_round(&self) -> Option<u64> {
        self.data.get("round").and_then(Value::as_u64)
    }

    /// How this finished run may be taken further, under `data.further`.
    pub fn further(&self) -> Vec<Further> {
        self.data.get("further").and_then(|steps| Vec::deserialize(steps).ok()).unwrap_or_default()
    }

    /// What must be equal between an undisturbed run and a resumed or replayed one: all but run, parent and receipt.
    pub fn essence(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or(Value::Null);
        if let Some(map) = value.as_object_mut() {
            for volatile in ["run", "parent", "receipt"] {
                map.remove(volatile);
            }
        }
        value
    }
}

/// A step that takes a finished run further: an option of its continuation, with a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Further {
    pub purpose: FurtherPurpose,
    pub option: String,
    pub value: String,
}

words! {
    /// What a step further is for.
    pub enum FurtherPurpose {
        /// A person overrules what blocks the result.
        Overrule = "overrule",
    }
}

words! {
    pub enum Status {
        /// All whom the protocol counted on spoke, in every phase.
        Full = "full",
        /// It stands, but a seat or an authority failed, abstained or was replaced, or the run was closed early.
        Degraded = "degraded",
        /// All spoke and the rules give no decision.
        Deadlock = "deadlock",
        /// The decision is to hand over to a person.
        Escalated = "escalated",
        NoQuorum = "no_quorum",
        Failed = "failed",
    }
}

impl Status {
    /// `complete` carries these; the others come as `error`.
    pub fn completes(self) -> bool {
        matches!(self, Self::Full | Self::Degraded | Self::Deadlock | Self::Escalated)
    }
    /// A decision stands: exit code 0.
    pub fn decided(self) -> bool {
        matches!(self, Self::Full | Self::Degraded)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    pub kind: AnswerKind,
    pub text: String,
    /// The seats that wrote it.
    pub by: Vec<SeatIx>,
}

impl Answer {
    /// Its first sentence: what a reader in a hurry is told. Headings, tables, lists and code are no sentences.
    pub fn opening(&self) -> Option<String> {
        const LONGEST: usize = 240;
        let is_list = |line: &str| ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
        let is_prose = |line: &&str| !line.starts_with(['#', '|', '`', '>', '~']) && !is_list(line) && line.contains(char::is_alphabetic);
        let lines = self.text.lines().map(str::trim).skip_while(|line| !is_prose(line));
        let text = lines.take_while(is_prose).collect::<Vec<_>>().join(" ");
        let ends = |(at, c): &(usize, char)| match c {
            '.' | '!' | '?' => *at >= 20 && text[at + 1..].strip_prefix(' ').is_some_and(|rest| !rest.starts_with(char::is_lowercase)),
            '。' | '！' | '？' => true,
            _ => false,
        };
        let end = text.char_indices().find(ends).map_or(text.len(), |(at, c)| at + c.len_utf8());
        (!text.is_empty()).then(|| crate::clip::words(&text[..end], LONGEST, " […]"))
    }
}

words! {
    /// What the answer is, so that nothing can print "synthesis" over a survivor's text.
    pub enum AnswerKind { Synthesis = "synthesis", Selected = "selected", Computed = "computed", Report = "report" }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confidence {
    pub value: Option<f64>,
    pub source: ConfidenceSource,
    /// How many ballots, statements or outcomes it rests on.
    pub n: u32,
    /// Agreement as a count: judgements that are the panel's own, of those that could have been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub could: Option<u32>,
    /// What was counted, where it is not the ballots themselves: `rulings`, or matches of a tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
    /// Where the value may well lie: 80 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<Absent>,
}

impl Confidence {
    /// A number and its source, without a count or an interval.
    pub fn new(value: f64, source: ConfidenceSource, n: u32) -> Self {
        Self { value: Some(value), source, n, agreed: None, could: None, counted: None, interval: None, absent: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Why agreement was not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Absent {
    /// Below four a panel that votes by lot agrees too often.
    TooFewBallots,
    /// No two ballots judged the same thing.
    NothingShared,
    /// Whatever the ballots say, the rules make them agree to the same degree.
    OneValue,
}

words! {
    pub enum ConfidenceSource {
        /// How far ballots that judged the same thing agree, above chance: 0 is chance, 1 is all who could. Before it had an interval: the
        /// share of comparable ballots.
        Agreement = "agreement",
        /// A protocol's own formula.
        Panel = "panel",
        /// Self-reported.
        Stated = "stated",
        /// Fitted on outcomes.
        Calibrated = "calibrated",
    }
}

/// A minority answer, kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dissent {
    /// Left out for a voice that was recorded before the run and holds no seat in it: `label` says whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatIx>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub text: String,
}

/// Who did not speak, where, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    pub seat: SeatIx,
    /// The seat's label, so that a reader needs no table.
    pub who: String,
    pub phase: String,
    pub why: FailureKind,
    pub detail: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    pub quoted_usd: Option<f64>,
    /// The known part; `None` when nothing is known.
    pub spent_usd: Option<f64>,
    /// Seats whose price is unknown and whose cost is therefore not in `spent_usd`.
    pub unpriced: Vec<String>,
    pub calls: CallCounts,
    pub tokens: Usage,
    pub wall_ms: Millis,
    pub critical_path_ms: Millis,
    /// The hash of the row before the verdict.
    pub head: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallCounts {
    /// Turns the mode declared and made.
    pub planned: u32,
    /// Repairs, tool steps, fallbacks.
    pub extra: u32,
    /// Asked again because a crash left no reply.
    pub reasked: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_opens_with_its_first_sentence() {
        let opening = |text: &str| Answer { kind: AnswerKind::Report, text: text.into(), by: Vec::new() }.opening().unwrap_or_default();
        for (text, first) in [
            ("Wait until the figures are in. Then decide.", "Wait until the figures are in."),
            ("# Title\n\n- a list\n\nKeep one service for now.\nIt is enough.", "Keep one service for now."),
            ("Costs rise by 3.5 percent, e.g. in Berlin. That is all.", "Costs rise by 3.5 percent, e.g. in Berlin."),
            ("On “Should we?”: not yet. Measure first.", "On “Should we?”: not yet."),
            ("**Yes.** It holds.", "**Yes.** It holds."),
            ("还没有。先量一下。", "还没有。"),
            ("| a | b |\n|---|---|\n", ""),
        ] {
            assert_eq!(opening(text), first);
        }
        let long = opening(&"word ".repeat(200));
        assert!(long.chars().count() <= 245 && long.ends_with("[…]"), "{long}");
    }
}
