//! What a panelist says in a round: a number or an option, how sure it is, and why.

use crate::text::{self, after_last_marker, bare};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::numbers::quantity;
use synod_types::words;

words! {
    /// How sure a panelist says it is.
    #[derive(PartialOrd, Ord)]
    pub enum Level { Low = "LOW", Medium = "MEDIUM", High = "HIGH" }
}

impl Level {
    /// Its weight where equally many chose two options.
    pub fn weight(self) -> u32 {
        match self {
            Self::Low => 1,
            Self::Medium => 2,
            Self::High => 3,
        }
    }
}

/// One estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// What your estimate rests on, in two to four sentences.
    pub reasons: String,
    /// Your estimate: one plain number in the unit asked for, written out in full.
    #[schemars(extend("x-between" = "scale"))]
    pub estimate: f64,
    /// How sure you are.
    pub confidence: Level,
}

/// Beyond this a number is a slip, not an estimate.
const LARGEST: f64 = 1e30;

impl TypedReply for Estimate {
    /// Lines `ESTIMATE:` (the last one), `CONFIDENCE:`, `REASONING:`.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let (before, rest) = after_last_marker(text, "ESTIMATE:")?;
        let unit = terms.list("unit").first().map_or("", String::as_str);
        let estimate = quantity(without_bounds(rest.lines().next()?, terms), unit)?;
        let (confidence, reasons) = level_and_reasons(text, before)?;
        Some(Self { reasons, estimate, confidence })
    }

    fn check(&self, _: &IdLists) -> Result<(), String> {
        if self.estimate.abs() > LARGEST {
            return Err(format!("estimate is {}, beyond anything that can be meant", self.estimate));
        }
        Ok(())
    }
}

/// `8/10` and `8 of 10` on a scale that ends at 10 are 8.
fn without_bounds<'a>(line: &'a str, terms: &IdLists) -> &'a str {
    let line = bare(line);
    let Some(best) = terms.list("scale").get(1) else { return line };
    let parts = line.split_once('/').or_else(|| line.split_once(" out of ")).or_else(|| line.split_once(" of "));
    parts.filter(|(_, of)| bare(of) == best).map_or(line, |(value, _)| value)
}

/// One option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// What your choice rests on, in two to four sentences.
    pub reasons: String,
    /// The id of the option you choose.
    #[schemars(extend("x-ids" = "options"))]
    pub answer: String,
    /// How sure you are.
    pub confidence: Level,
}

impl TypedReply for Choice {
    /// Lines `ANSWER:` (the last one), `CONFIDENCE:`, `REASONING:`.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let (before, rest) = after_last_marker(text, "ANSWER:")?;
        let answer = option_in(rest.lines().next()?, terms.list("options"), terms.list("texts"))?;
        let (confidence, reasons) = level_and_reasons(text, before)?;
        Some(Self { reasons, answer, confidence })
    }
}

/// The option a line names, by its words, its id, its number, or id and words together. Anything else is off the list.
pub fn option_in(line: &str, ids: &[String], texts: &[String]) -> Option<String> {
    let fold = |text: &str| bare(text.trim_end_matches(['.', '!', ','])).to_lowercase();
    let line = fold(line);
    if let Some(at) = texts.iter().position(|text| fold(text) == line) {
        return ids.get(at).cloned();
    }
    let rest = line.strip_prefix("option ").unwrap_or(&line);
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (name, words) = rest.split_at(end);
    // Where options are numbers themselves, a bare number is an option's words or nothing.
    let countable = !texts.iter().any(|text| bare(text).chars().all(|c| c.is_ascii_digit()));
    let number = name.parse::<usize>().ok().filter(|_| countable).and_then(|n| n.checked_sub(1));
    let at = ids.iter().position(|id| id.to_lowercase() == name).or(number).filter(|at| *at < ids.len())?;
    let words = fold(words.trim_start_matches(|c: char| c.is_whitespace() || ".):-–—*".contains(c)));
    (words.is_empty() || texts.get(at).is_some_and(|text| fold(text) == words)).then(|| ids[at].clone())
}

fn level_and_reasons(text: &str, before: &str) -> Option<(Level, String)> {
    let (_, rest) = after_last_marker(text, "CONFIDENCE:")?;
    let level = text::token(rest.lines().next()?, &Level::WORDS).and_then(Level::parse)?;
    let labels = ["ESTIMATE", "ANSWER", "CONFIDENCE", "REASONING"];
    let reasons = text::field(text, "REASONING", &labels).unwrap_or_else(|| before.trim().to_owned());
    Some((level, reasons))
}
