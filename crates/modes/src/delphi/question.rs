//! The form of answer a question wants: its kind, its unit, its options, and how the facilitator says so.

use super::rows::FinalValue;
use crate::text::{self, bare};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::numbers::plain;

/// The kinds of answer a panel can settle on. Each has a measure of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Numeric,
    Year,
    Scale,
    Choice,
}

/// The form in which every panelist must answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerForm {
    pub kind: Kind,
    /// Empty: none is known, or none is needed.
    pub unit: String,
    /// Only for a choice.
    pub options: Vec<String>,
    pub scale: (f64, f64),
}

impl AnswerForm {
    /// A number whose unit is a calendar year is of kind year: as plain numbers any two years would count as alike.
    pub fn new(kind: Kind, unit: &str, options: &[String], scale: (f64, f64)) -> Self {
        let unit = unit.split_whitespace().collect::<Vec<_>>().join(" ");
        let kind = if kind == Kind::Numeric && is_date(&unit) { Kind::Year } else { kind };
        let unit = match kind {
            Kind::Numeric => unit,
            Kind::Year => "year".into(),
            Kind::Scale | Kind::Choice => String::new(),
        };
        Self { kind, unit, options: if kind == Kind::Choice { tidy(options) } else { Vec::new() }, scale }
    }

    pub fn ids(&self) -> Vec<String> {
        (1..=self.options.len()).map(|n| format!("O{n}")).collect()
    }

    /// The option behind an id.
    pub fn index(&self, id: &str) -> Option<usize> {
        self.ids().iter().position(|known| known == id)
    }

    /// The options one a line, each with its id.
    pub fn menu(&self) -> String {
        let lines: Vec<String> = self.ids().iter().zip(&self.options).map(|(id, option)| format!("{id}: {option}")).collect();
        lines.join("\n")
    }

    /// What ratings stand for, from the lowest to the highest; empty unless it is a scale.
    pub fn anchors(&self) -> Vec<String> {
        const MEANINGS: [&str; 5] = ["not at all, or the least", "a little", "as much for it as against it", "much", "fully, or the most"];
        if self.kind != Kind::Scale {
            return Vec::new();
        }
        let (low, high) = self.scale;
        let at = |quarter: usize| low + (high - low) * quarter as f64 / 4.0;
        MEANINGS.iter().enumerate().map(|(quarter, meaning)| format!("{} is {meaning}", plain((at(quarter) * 100.0).round() / 100.0))).collect()
    }

    /// Whether a sentence gives this number, in whatever way its digits are grouped, or names this option.
    pub fn stated_in(&self, sentence: &str, value: &FinalValue) -> bool {
        match value {
            FinalValue::Choice(option) => sentence.to_lowercase().contains(&option.to_lowercase()),
            FinalValue::Number(value) => numbers_in(sentence).contains(&plain(*value)),
        }
    }

    /// A number with its unit, as people read it.
    pub fn number(&self, value: f64) -> String {
        let number = plain(value);
        match (self.kind, self.unit.as_str()) {
            (Kind::Numeric, "") | (Kind::Year | Kind::Choice, _) => number,
            (Kind::Numeric, unit) => format!("{number} {unit}"),
            (Kind::Scale, _) => format!("{number} of {}", plain(self.scale.1)),
        }
    }
}

/// The numbers of a sentence, plainly written: with a comma read as a mark of thousands, and as a mark of decimals.
fn numbers_in(sentence: &str) -> Vec<String> {
    let in_number = |c: char| c.is_ascii_digit() || ".,'’\u{a0}\u{202f}−-".contains(c);
    let parts = sentence.split(|c: char| !in_number(c)).map(|part| part.trim_end_matches(['.', ',', '-', '\'', '’']).replace('−', "-"));
    let readings = parts.flat_map(|part| {
        let joined: String = part.chars().filter(|c| !"'’\u{a0}\u{202f}".contains(*c)).collect();
        [joined.replace(',', ""), joined.replace('.', "").replace(',', ".")]
    });
    readings.filter_map(|number| number.parse::<f64>().ok()).map(plain).collect()
}

/// Whether a unit names a point in time: `year CE`, `calendar year of launch`. Years that pass (`years`, `USD per calendar year`) do not.
fn is_date(unit: &str) -> bool {
    const DATE: [&str; 6] = ["calendar", "year", "date", "ce", "ad", "gregorian"];
    const FILL: [&str; 9] = ["a", "the", "as", "in", "of", "full", "decimal", "common", "era"];
    let lower = unit.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.iter().any(|word| DATE.contains(word)) && words.iter().all(|word| DATE.contains(word) || FILL.contains(word)) {
        return true;
    }
    let of_time = |pair: &[&str]| matches!(pair, ["calendar", "year" | "date"] | ["year", "ce" | "ad"] | ["ce" | "ad", "year"]);
    let begins = matches!(words.as_slice(), ["year", "of" | "in" | "when" | "by" | "that", ..]);
    !words.contains(&"per") && !lower.contains('/') && (begins || words.windows(2).any(of_time))
}

/// What kind of answer the question wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Classification {
    /// One or two sentences: what a useful answer to this question looks like.
    pub reasons: String,
    /// numeric: an amount. year: a point in time, as a calendar year. scale: a rating. choice: one of a few options.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// For numeric: the one unit every estimate is given in, such as "days" or "USD per month" or "%". Otherwise empty.
    #[schemars(length(max = 60))]
    pub unit: String,
    /// For choice: 3 to 6 options that exclude each other and leave no likely answer out (2 for yes or no). Otherwise empty.
    #[schemars(length(max = 6))]
    pub options: Vec<String>,
}

const LABELS: [&str; 4] = ["TYPE", "UNIT", "OPTIONS", "REASONING"];

impl TypedReply for Classification {
    /// Lines `TYPE:`, `UNIT:`, `OPTIONS:`, `REASONING:`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let field = |label: &str| text::field(text, label, &LABELS);
        let kind = match text::token(&field("TYPE")?, &["NUMERIC", "YEAR", "DATE", "SCALE", "CHOICE", "QUALITATIVE"])? {
            "NUMERIC" => Kind::Numeric,
            "YEAR" | "DATE" => Kind::Year,
            "SCALE" => Kind::Scale,
            _ => Kind::Choice,
        };
        let named = |value: &String| !["n/a", "na", "none", "-", ""].contains(&bare(value).to_lowercase().as_str());
        let unit = field("UNIT").filter(named).unwrap_or_default().chars().take(60).collect();
        let options = field("OPTIONS").filter(named).map(|list| listed(&list)).unwrap_or_default();
        Some(Self { reasons: field("REASONING").unwrap_or_default(), kind, unit, options })
    }

    /// A choice needs something to choose between, also where the asker and not the reply says that it is one.
    fn check(&self, terms: &IdLists) -> Result<(), String> {
        let found = tidy(&self.options).len();
        let choice = self.kind == Kind::Choice || terms.list("wanted").iter().any(|kind| kind == "choice");
        if choice && found < 2 {
            return Err(format!("options holds {found} different entries; a choice needs at least 2"));
        }
        Ok(())
    }
}

/// Options from a list: one a line, or in one line between commas. Commas in brackets part nothing.
fn listed(list: &str) -> Vec<String> {
    if list.trim().contains('\n') {
        return tidy(&list.lines().flat_map(text::items).collect::<Vec<_>>());
    }
    let mark = if list.contains(';') { ';' } else { ',' };
    let mut depth = 0_i32;
    let parts = list.split(|c: char| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        c == mark && depth <= 0
    });
    tidy(&parts.map(str::to_owned).collect::<Vec<_>>())
}

/// Without numbering and markup, each only once.
pub fn tidy(options: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for option in options {
        let plain = text::items(option).join(" ");
        let plain = bare(&plain).split_whitespace().collect::<Vec<_>>().join(" ");
        if !plain.is_empty() && !kept.iter().any(|other| other.to_lowercase() == plain.to_lowercase()) {
            kept.push(plain);
        }
    }
    kept
}
