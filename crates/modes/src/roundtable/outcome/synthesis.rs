//! The final text: what the chair writes, and the evidence, positions and open risks that are added from the record.

use crate::roundtable::record::{ClaimStatus, Risk};
use crate::roundtable::rounds::reply::vote_name;
use crate::roundtable::rounds::{Debate, Round};
use crate::text::{field, items};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Synthesis {
    /// What you weighed to write this.
    pub reasons: String,
    /// Executive summary: the answer, in a short paragraph.
    pub summary: String,
    /// What the whole table holds.
    pub common_ground: Vec<String>,
    /// What remained open, and who stands where.
    pub key_differences: Vec<String>,
    /// How positions moved, and what moved them.
    pub evolution: String,
    /// What to do now.
    pub recommendation: String,
    /// How far this can be relied on, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
}

impl TypedReply for Synthesis {
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let labels = ["Summary", "Common ground", "Key differences", "Evolution", "Recommendation", "Confidence"];
        let value = |label: &str| field(text, label, &labels);
        let list = |label: &str| value(label).map(|value| items(&value)).unwrap_or_default();
        Some(Self {
            reasons: String::new(),
            summary: value("Summary")?,
            common_ground: list("Common ground"),
            key_differences: list("Key differences"),
            evolution: value("Evolution").unwrap_or_default(),
            recommendation: value("Recommendation")?,
            confidence: crate::text::score(&value("Confidence")?, 0.0, 1.0)?,
        })
    }

    fn check(&self, _terms: &IdLists) -> Result<(), String> {
        if self.summary.trim().is_empty() { Err("summary is empty".into()) } else { Ok(()) }
    }
}

/// The whole answer: the chair's words, then what the record adds.
pub fn compose(debate: &Debate, said: &Synthesis) -> String {
    let list = |title: &str, lines: &[String]| part(title, lines.iter().map(|line| format!("- {}", line.trim())).collect());
    let text = |title: &str, text: &str| if text.trim().is_empty() { String::new() } else { format!("## {title}\n\n{}", text.trim()) };
    let parts = [
        said.summary.trim().to_owned(),
        grounds(debate),
        text("Recommendation", &said.recommendation),
        list("Common ground", &said.common_ground),
        list("Differences", &said.key_differences),
        text("How the debate moved", &said.evolution),
        risks(debate),
    ];
    joined(parts)
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn part(title: &str, lines: Vec<String>) -> String {
    if lines.is_empty() { String::new() } else { format!("## {title}\n\n{}", lines.join("\n")) }
}

/// What the record alone says, where nobody wrote a synthesis.
pub fn answer_from_record(debate: &Debate) -> String {
    joined([grounds(debate), risks(debate)])
}

fn risks(debate: &Debate) -> String {
    let line = |risk: &Risk| format!("- {} {} – {}", risk.id, risk.text, risk.mitigation.as_deref().unwrap_or("nobody answered it"));
    part("Risks", debate.record.risks.iter().map(line).collect())
}

/// Key evidence and final positions.
fn grounds(debate: &Debate) -> String {
    let record = &debate.record;
    let live = |id: &String| record.claim(id).is_some_and(|claim| claim.status != ClaimStatus::Retracted);
    let evidence = record.evidence.iter().filter(|evidence| evidence.supports.iter().any(live)).map(|evidence| {
        let url = evidence.url.as_deref().map(|url| format!(" <{url}>")).unwrap_or_default();
        let supports: Vec<&str> = evidence.supports.iter().filter(|id| live(id)).map(String::as_str).collect();
        format!("- {} {}{url} (for {})", evidence.id, evidence.title, supports.join(", "))
    });
    let positions = debate.last_regular().into_iter().flat_map(Round::counted).map(|response| {
        let vote = response.turn.vote().map_or_else(String::new, |vote| format!(", {}", vote_name(vote)));
        format!("- {}: {} (confidence {:.2}{vote})", debate.display_name(response.seat), response.turn.position.trim(), response.turn.confidence)
    });
    joined([part("Key evidence", evidence.collect()), part("Final positions", positions.collect())])
}
