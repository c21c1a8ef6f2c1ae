//! One reviewer's review: the typed form and its classic text reading.

use crate::scores::scored;
use crate::text::{blocks, field, items, section, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_types::words;

words! {
    /// Worst first.
    #[derive(PartialOrd, Ord)]
    pub enum Severity { Critical = "CRITICAL", Major = "MAJOR", Minor = "MINOR", Suggestion = "SUGGESTION" }
}

/// For a flaw that belongs to no criterion.
pub const OTHER: &str = "Other";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    /// What you looked at, and how you came to your scores, in at most 80 words.
    pub reasons: String,
    /// One for each criterion of the rubric.
    #[schemars(extend("x-each" = "criteria"))]
    pub scores: Vec<CriterionScore>,
    /// What is wrong with the work; empty if you found nothing.
    pub findings: Vec<Flaw>,
    /// What should stay as it is, at most five, a sentence each.
    pub strengths: Vec<String>,
    /// What to do next, how good the work is and what is worst about it, in 60 to 150 words.
    pub summary: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionScore {
    #[schemars(extend("x-ids" = "criteria"))]
    pub criterion: String,
    /// From 1 to 5; null if the work gives nothing to judge it by.
    #[schemars(range(min = 1, max = 5))]
    pub score: Option<f64>,
    pub justification: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flaw {
    /// The flaw in a few words.
    pub title: String,
    /// The criterion it falls under.
    #[schemars(extend("x-ids" = "categories"))]
    pub category: String,
    pub severity: Severity,
    /// Where exactly: section, line, sentence, component.
    pub location: String,
    pub description: String,
    /// What comes of it if it stays.
    pub impact: String,
    /// What to do about it.
    pub recommendation: String,
}

impl Review {
    /// The score of a criterion, and why. Whoever scores one twice is taken at the first word.
    pub fn score(&self, criterion: &str) -> Option<&CriterionScore> {
        self.scores.iter().find(|scored| scored.criterion == criterion)
    }
}

const FIELDS: [&str; 6] = ["Category", "Severity", "Location", "Description", "Impact", "Recommendation"];

impl TypedReply for Review {
    /// A table or lines of scores, `FINDING n: title` blocks with their six fields, lists and paragraphs under their headings. A finding
    /// whose severity cannot be read spoils the whole: it is asked for again rather than guessed or dropped.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let written = |name: &String| {
            let found = scored(text, name, 1.0, 5.0)?;
            Some(CriterionScore { criterion: name.clone(), score: found.score, justification: found.remark })
        };
        let findings: Option<Vec<Flaw>> = blocks(text, "FINDING").into_iter().map(|block| flaw(&block.title, &block.body, terms)).collect();
        Some(Self {
            reasons: String::new(),
            scores: terms.list("criteria").iter().filter_map(written).collect(),
            findings: findings?,
            strengths: section(text, "Strengths").map(items).unwrap_or_default(),
            summary: section(text, "Summary").unwrap_or_default().to_owned(),
        })
    }

    fn check(&self, _: &IdLists) -> Result<(), String> {
        let says_something = !self.findings.is_empty() || self.scores.iter().any(|scored| scored.score.is_some());
        if says_something { Ok(()) } else { Err("it holds neither a score nor a finding; score at least one criterion".into()) }
    }
}

fn flaw(title: &str, body: &str, terms: &IdLists) -> Option<Flaw> {
    let read = |label: &str| field(body, label, &FIELDS).unwrap_or_default();
    let severity = token(&read("Severity"), &Severity::WORDS).and_then(Severity::parse)?;
    let named = read("Category");
    let category = terms.list("categories").iter().find(|category| category.eq_ignore_ascii_case(&named));
    Some(Flaw {
        title: title.to_owned(),
        category: category.map_or(OTHER, String::as_str).to_owned(),
        severity,
        location: read("Location"),
        description: read("Description"),
        impact: read("Impact"),
        recommendation: read("Recommendation"),
    })
}
