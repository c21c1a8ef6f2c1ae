//! A position card: one proposed way to go, with what speaks for it and against it, as people and seats write it.
//!
//! Owns the fields, the words that stand for numbers, and what a card brings to the arithmetic. Refuses to judge: that is the gates' work.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use synod_math::collapse::score;
use synod_types::{sha256_hex, words};

/// One proposed way to go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Names the position, once in a deliberation: without /, @ and line breaks.
    #[schemars(length(min = 1, max = 80))]
    pub id: String,
    /// Who put it forward.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// When, in ISO 8601. Among equals the earlier card comes first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub timestamp: String,
    /// What it holds to be true.
    #[schemars(length(min = 1))]
    pub claims: Vec<String>,
    /// What would be done, step by step.
    #[schemars(length(min = 1))]
    pub plan: Vec<Step>,
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    #[serde(default)]
    pub risks: Vec<Risk>,
    /// How sure its author is, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
    /// In cost units, a whole number; or Low (20), Med (50), High (80).
    #[serde(deserialize_with = "cost")]
    #[schemars(schema_with = "cost_schema")]
    pub cost: u64,
    /// What a unit of cost is: the same for all cards.
    #[serde(default)]
    pub cost_unit: CostUnit,
    /// What it was once expected to cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_estimate: Option<u64>,
    /// From 0, cannot be undone, to 1, can be undone wholly; or Easy (0.9), Med (0.5), Hard (0.1).
    #[serde(deserialize_with = "reversibility")]
    #[schemars(schema_with = "reversibility_schema")]
    pub reversibility: f64,
    #[serde(default)]
    pub invariant_violations: Vec<Violation>,
    /// Whether it changes data for good. Left out, it is assumed where the card can hardly be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irreversible_data_change: Option<bool>,
    /// Regulations that need a sign-off: GDPR, SOC2, HIPAA, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regulatory: Vec<String>,
    /// The positions a hybrid was made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parent_ids: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub action: String,
    #[serde(default)]
    pub rationale: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    #[serde(rename = "type")]
    pub kind: EvidenceKind,
    /// Where it can be looked up: a file, a URL, or `command: …` with its recorded exit code.
    #[schemars(length(min = 1))]
    pub pointer: String,
    /// How good it is, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub quality: f64,
    /// For a command, and only for one: the exit code it was recorded with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// For a command, and only for one: what it printed when it was recorded. Those who judge the card are shown it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// What became of looking the pointer up. Filled in before a run; whatever stands here is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<PointerCheck>,
}

/// A pointer looked up once, before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointerCheck {
    /// Somebody looked, and it is there.
    pub valid: bool,
    /// What was found there, or why it leads nowhere.
    pub found: String,
    /// Nobody read it: a URL is not fetched, files are read beside the decision alone, and some cannot be shown. It counts half its stated quality.
    #[serde(default, skip_serializing_if = "is_false")]
    pub not_looked_up: bool,
}

impl PointerCheck {
    pub fn new(valid: bool, found: impl Into<String>) -> Self {
        Self { valid, found: found.into(), not_looked_up: false }
    }
    pub fn not_looked_up(why: &str) -> Self {
        Self { not_looked_up: true, ..Self::new(false, why) }
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}

words! {
    pub enum EvidenceKind { Document = "document", Test = "test", Measurement = "measurement", ExpertReview = "expert_review" }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Risk {
    pub severity: Severity,
    pub description: String,
    /// What is done about it; empty if nothing is.
    #[serde(default)]
    pub mitigation: String,
    /// What is left of it after that, from 0 to 1; left out, all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub residual_risk: Option<f64>,
}

words! {
    pub enum Severity { Critical = "critical", High = "high", Medium = "medium", Low = "low" }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Violation {
    #[schemars(length(min = 1))]
    pub invariant_id: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub justification: String,
    /// False: a hard invariant that nobody may waive.
    pub requires_approval: bool,
}

words! {
    #[derive(Default)]
    pub enum CostUnit {
        #[default]
        Points = "points",
        Hours = "hours",
        Loc = "loc",
    }
}

impl From<Severity> for score::Severity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Critical => Self::Critical,
            Severity::High => Self::High,
            Severity::Medium => Self::Medium,
            Severity::Low => Self::Low,
        }
    }
}

impl Risk {
    pub fn for_score(&self) -> score::ScoreRisk {
        score::ScoreRisk { severity: self.severity.into(), residual: self.residual_risk }
    }
}

impl Evidence {
    /// A pointer that leads nowhere proves nothing, and one that nobody looked up half of what it says.
    pub fn worth(&self) -> f64 {
        match &self.checked {
            Some(check) if check.not_looked_up => self.quality / 2.0,
            Some(check) if !check.valid => 0.0,
            Some(_) | None => self.quality,
        }
    }
    /// What can be told of a pointer by its own words: a URL's shape, and what a command was recorded with. `None`: it has to be looked up.
    pub fn told(&self) -> Option<PointerCheck> {
        let pointer = self.pointer.trim();
        let found = |valid: bool, found: &str| Some(PointerCheck::new(valid, found));
        if let Some(rest) = pointer.strip_prefix("https://").or_else(|| pointer.strip_prefix("http://")) {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let sound =
                !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-:[]".contains(c)) && !pointer.contains(char::is_whitespace);
            return if sound { Some(PointerCheck::not_looked_up("a URL that was not fetched")) } else { found(false, "it is no URL") };
        }
        if !self.is_command() {
            return None;
        }
        match self.exit_code {
            Some(0) => found(true, "recorded with exit code 0"),
            Some(code) => found(false, &format!("recorded with exit code {code}")),
            None => found(false, "no exit code is recorded"),
        }
    }
    /// The path a pointer leads along, without the place inside the file.
    pub fn path(&self) -> &str {
        self.pointer.split('#').next().unwrap_or_default().trim()
    }
    /// What tells it from other pieces on the card: the file, or a command with what it printed that time.
    pub fn source(&self) -> (&str, &str) {
        if self.is_command() { (self.pointer.trim(), &self.output) } else { (self.path(), "") }
    }
    pub fn is_command(&self) -> bool {
        self.pointer.trim_start().starts_with("command:")
    }
}

impl Card {
    /// What the card brings to its score, with further risks on top of its own and those violations that nobody has approved.
    pub fn for_score(&self, further: &[Risk], open_violations: u32) -> score::ScoreInput {
        score::ScoreInput {
            evidence: self.evidence.iter().map(Evidence::worth).collect(),
            risks: self.risks.iter().chain(further).map(Risk::for_score).collect(),
            reversibility: self.reversibility,
            cost: self.cost,
            confidence: self.confidence,
            open_violations,
        }
    }
    pub fn pointers_valid(&self) -> bool {
        self.evidence.iter().all(|evidence| evidence.checked.as_ref().is_some_and(|check| check.valid))
    }
    /// What a person may be asked about it, by the names approvals give.
    pub fn subjects(&self) -> Vec<String> {
        let risks = (1..=self.risks.len()).map(|n| format!("risk {n}"));
        let broken = self.invariant_violations.iter().map(|broken| broken.invariant_id.clone());
        let mut out: Vec<String> = Vec::new();
        for subject in broken.chain(risks).chain(["data_loss".to_owned()]).chain(self.regulatory.iter().cloned()) {
            if !out.contains(&subject) {
                out.push(subject);
            }
        }
        out
    }
    /// The card's own hash: what a receipt was issued for.
    pub fn digest(&self) -> String {
        let mut plain = self.clone();
        plain.evidence.iter_mut().for_each(|evidence| evidence.checked = None);
        sha256_hex(serde_json::to_vec(&plain).unwrap_or_default())
    }
    /// The card in a sentence.
    pub fn gist(&self) -> &str {
        self.claims.first().map_or("", |claim| claim.trim())
    }
}

/// The largest cost that is read as one.
const DEAREST: u64 = 1_000_000_000;
const COSTS: [(&str, u64); 4] = [("low", 20), ("med", 50), ("medium", 50), ("high", 80)];
const REVERSIBILITIES: [(&str, f64); 4] = [("easy", 0.9), ("med", 0.5), ("medium", 0.5), ("hard", 0.1)];

fn word<T: Copy>(table: &[(&str, T)], given: &str) -> Option<T> {
    table.iter().find(|(name, _)| name.eq_ignore_ascii_case(given.trim())).map(|(_, value)| *value)
}

#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

fn cost<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let cost = match NumberOrWord::deserialize(from)? {
        // 20.0 is a whole number too.
        NumberOrWord::Number(cost) => (cost >= 0.0 && cost.fract() == 0.0 && cost <= DEAREST as f64).then_some(cost as u64),
        NumberOrWord::Word(given) => word(&COSTS, &given),
    };
    cost.ok_or_else(|| serde::de::Error::custom("a whole number, Low, Med or High"))
}

fn reversibility<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    match NumberOrWord::deserialize(from)? {
        NumberOrWord::Number(share) => Ok(share),
        NumberOrWord::Word(given) => {
            word(&REVERSIBILITIES, &given).ok_or_else(|| serde::de::Error::custom("a number from 0 to 1, Easy, Med or Hard"))
        }
    }
}

fn cost_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "integer", "minimum": 0, "maximum": DEAREST}, {"enum": words(&["Low", "Med", "Medium", "High"])}]})
}

fn reversibility_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"enum": words(&["Easy", "Med", "Medium", "Hard"])}]})
}

/// Each word as people write it.
fn words(names: &[&str]) -> Vec<String> {
    names.iter().flat_map(|name| [(*name).to_owned(), name.to_lowercase(), name.to_uppercase()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_stand_for_numbers() {
        let card = |cost: &str, reversibility: &str| {
            let card = json!({"id": "a", "claims": ["x"], "plan": [{"action": "y"}], "confidence": 1, "cost": cost, "reversibility": reversibility});
            serde_json::from_value::<Card>(card)
        };
        let read = |cost, reversibility| card(cost, reversibility).map(|card| (card.cost, card.reversibility)).expect("a card");
        assert_eq!([read("Low", "Easy"), read("Med", "med"), read("HIGH", "hard")], [(20, 0.9), (50, 0.5), (80, 0.1)]);
        assert!(card("cheap", "Easy").is_err());
        let number = |cost: f64| {
            let card = json!({"id": "a", "claims": ["x"], "plan": [{"action": "y"}], "confidence": 1, "cost": cost, "reversibility": 1});
            serde_json::from_value::<Card>(card).map(|card| card.cost).ok()
        };
        assert_eq!([number(20.0), number(20.5), number(-1.0)], [Some(20), None, None]);
    }

    #[test]
    fn a_checked_pointer_changes_the_worth_but_not_the_card() {
        let checked = |valid| Some(PointerCheck::new(valid, "x"));
        let mut evidence =
            Evidence { kind: EvidenceKind::Test, pointer: "a".into(), quality: 0.8, exit_code: None, output: String::new(), checked: None };
        assert_eq!(evidence.worth(), 0.8);
        evidence.checked = checked(false);
        assert_eq!(evidence.worth(), 0.0);
    }
}
