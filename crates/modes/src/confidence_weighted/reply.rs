//! What respondents and the synthesizer say, and how a stated confidence is read.

use crate::text::{after_last_marker, bare};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use synod_engine::{IdLists, TypedReply, extract};

/// An answer and how sure its author is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Rated")] // The name it is sent under.
pub struct RatedAnswer {
    /// What you know and what you are unsure of, in one or two sentences.
    pub reasons: String,
    /// The answer to the question, complete, as the reader should see it.
    pub answer: String,
    /// How likely the answer is to be right, from 0 (a guess) to 1 (verified).
    pub confidence: Option<f64>,
}

impl RatedAnswer {
    /// The confidence as a fraction; `None`: none that can be read was stated.
    pub fn stated(&self) -> Option<f64> {
        self.confidence.and_then(fraction)
    }
}

impl TypedReply for RatedAnswer {
    /// `RESPONSE:`, then lines `CONFIDENCE:` (the last one) and `CONFIDENCE_REASONING:`. Without the first, all that stands before the
    /// confidence is the answer; without a readable confidence there is an answer all the same, and plain words are one too. JSON that does
    /// not fit only because of its confidence keeps its answer.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        if let Some(rated) = Self::from_loose_json(text) {
            return Some(rated);
        }
        let (head, reasons) = match after_last_marker(text, "CONFIDENCE_REASONING:") {
            Some((head, reasons)) => (head, reasons.trim()),
            None => (text, ""),
        };
        let rated = after_last_marker(head, "CONFIDENCE:");
        let (body, confidence) = rated.map_or((head, None), |(body, rest)| (body, rest.lines().next().and_then(confidence)));
        let answer = match (after_first(body, "RESPONSE:"), rated) {
            (Some(answer), _) => answer,
            (None, None) if meant_as_json(body) => return None,
            (None, _) => body,
        };
        Some(Self { reasons: reasons.to_owned(), answer: answer.trim().to_owned(), confidence })
    }

    fn check(&self, _: &IdLists) -> Result<(), String> {
        if self.answer.trim().is_empty() { Err("answer is empty".into()) } else { Ok(()) }
    }
}

impl RatedAnswer {
    /// An answer in JSON whose confidence is in words: `"80%"` is read as it would be on a line of its own, `"high"` is none.
    fn from_loose_json(text: &str) -> Option<Self> {
        let object = extract::object(text).ok()?.value;
        // It comes last: where it is missing, the reply may have been cut off within the answer.
        let confidence = match object.get("confidence")? {
            Value::Number(number) => number.as_f64(),
            Value::String(words) => confidence(words),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let reasons = object["reasons"].as_str().unwrap_or_default().to_owned();
        Some(Self { reasons, answer: object["answer"].as_str()?.to_owned(), confidence })
    }
}

/// A typed reply that broke off, not prose: it begins like JSON, or turns into the object that was asked for on its way.
fn meant_as_json(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('{') || text.starts_with("```json") || text.contains("\"reasons\":")
}

/// What follows the first line that begins with the marker: a long text may well hold the word again.
fn after_first<'a>(text: &'a str, marker: &str) -> Option<&'a str> {
    let mut end = 0;
    text.split_inclusive('\n').find_map(|line| {
        end += line.len();
        after_last_marker(line, marker).map(|(_, rest)| &text[end - rest.len()..])
    })
}

/// A confidence that stands alone on its line: `0.8`, `0,8`, `80%`, `8/10`, with markup around it or a remark in brackets behind it.
pub fn confidence(line: &str) -> Option<f64> {
    let line = bare(line).trim_start_matches(['~', '≈']).replace(',', ".").replace("out of", "/").to_lowercase();
    let end =
        line.char_indices().find(|(at, c)| !(c.is_ascii_digit() || *c == '.' || (*at == 0 && "+-−".contains(*c)))).map_or(line.len(), |(at, _)| at);
    let (number, rest) = line.split_at(end);
    let value: f64 = number.trim_end_matches('.').replace('−', "-").parse().ok()?;
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "*_`]".contains(c));
    let remark = |rest: &str| {
        let rest = bare(rest);
        (rest.is_empty() || rest.starts_with(['(', '-', '–', '—', ';', '.'])) && !rest.contains(|c: char| c.is_ascii_digit())
    };
    if let Some(rest) = rest.strip_prefix('%').or_else(|| rest.strip_prefix("percent")) {
        return remark(rest).then(|| (value / 100.0).clamp(0.0, 1.0));
    }
    if let Some(rest) = rest.strip_prefix('/') {
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let of: f64 = rest[..end].trim_end_matches('.').parse().ok().filter(|of| *of > 0.0)?;
        return remark(&rest[end..]).then(|| (value / of).clamp(0.0, 1.0));
    }
    if remark(rest) { fraction(value) } else { None }
}

/// A bare number: up to 1 a fraction, up to 2 an overdrawn 1, up to 100 a percentage, beyond that nothing. Below 0 it is 0.
pub fn fraction(value: f64) -> Option<f64> {
    match value {
        value if value.is_nan() || value > 100.0 => None,
        value if value > 2.0 => Some(value / 100.0),
        value => Some(value.clamp(0.0, 1.0)),
    }
}

/// The answer made of all, and what was noticed about the ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Blend {
    /// Where the answers contradict each other, and how you decided, in a few sentences.
    pub reasons: String,
    /// The answer to the question, complete, as the reader should see it.
    pub synthesis: String,
    /// Which ratings seem too high or too low for the reasons given; empty if none.
    pub calibration_notes: String,
}

impl TypedReply for Blend {
    /// `SYNTHESIS:` and `CONFIDENCE CALIBRATION NOTES:`. Plain words without either are the synthesis.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let (head, notes) = match after_last_marker(text, "CONFIDENCE CALIBRATION NOTES:") {
            Some((head, notes)) => (head, notes.trim()),
            None => (text, ""),
        };
        let synthesis = match after_first(head, "SYNTHESIS:") {
            Some(synthesis) => synthesis.trim(),
            None if meant_as_json(head) => return None,
            None => head.trim(),
        };
        Some(Self { reasons: String::new(), synthesis: synthesis.to_owned(), calibration_notes: notes.to_owned() })
    }

    fn check(&self, _: &IdLists) -> Result<(), String> {
        if self.synthesis.trim().is_empty() { Err("synthesis is empty".into()) } else { Ok(()) }
    }
}
