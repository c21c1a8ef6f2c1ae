//! The consolidator's part: the typed form and its text reading, and the report that is made of it and of the computed tables.

use super::consensus::Consensus;
use super::review::Severity;
use crate::markdown;
use crate::text::{bare, items, section, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::rubric::{Level, Opinion};
use synod_types::words;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Consolidation {
    /// How you weighed the reviews against each other.
    pub reasons: String,
    /// For a reader in a hurry: how good, what is worst, what next. Markdown, three or four paragraphs.
    #[schemars(length(min = 1))]
    pub summary: String,
    /// On findings of a single reviewer, and on disputed criteria.
    pub remarks: Vec<Remark>,
    /// Most urgent first.
    #[schemars(length(max = 15))]
    pub actions: Vec<Action>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// The id of the finding, or the criterion.
    #[schemars(extend("x-ids" = "evidence"))]
    pub on: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// What to do, in a sentence.
    pub action: String,
    /// Ids of the findings it answers, or the criteria it would raise.
    #[schemars(extend("items" = {"type": "string", "x-ids": "evidence"}))]
    pub evidence: Vec<String>,
    /// Null if you cannot tell.
    pub effort: Option<Effort>,
}

words! {
    pub enum Effort { Low = "LOW", Medium = "MEDIUM", High = "HIGH" }
}

impl TypedReply for Consolidation {
    /// The summary under its heading, a list of actions with `[ids]` and `(effort: …)`, a list of remarks that begin with an id.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let ids = terms.list("evidence");
        let known = |id: &str| ids.iter().find(|other| other.eq_ignore_ascii_case(bare(id))).cloned();
        let remark = |item: String| {
            let (on, text) = item.split_once(':')?;
            Some(Remark { on: known(on)?, text: text.trim_start_matches(['*', ' ']).to_owned() })
        };
        let action = |item: String| {
            let (item, effort) = match item.split_once("(effort:") {
                Some((item, effort)) => (item.to_owned(), token(effort, &Effort::WORDS).and_then(Effort::parse)),
                None => (item, None),
            };
            let (action, listed) = item.rsplit_once('[').and_then(|(action, rest)| Some((action, rest.split_once(']')?.0))).unwrap_or((&item, ""));
            Action { action: bare(action).to_owned(), evidence: listed.split(',').filter_map(known).collect(), effort }
        };
        let list = |name: &str| section(text, name).map(items).unwrap_or_default();
        Some(Self {
            reasons: String::new(),
            summary: section(text, "Executive Summary")?.to_owned(),
            remarks: list("Remarks").into_iter().filter_map(remark).collect(),
            actions: list("Actions").into_iter().map(action).take(15).collect(),
        })
    }
}

impl Consolidation {
    /// Actions as they are printed: by the gravest finding each answers, as findings are ordered; equals as the consolidator had them.
    pub fn ordered(&self, consensus: &Consensus) -> Vec<&Action> {
        let rank = |action: &Action| consensus.findings.iter().position(|finding| action.evidence.contains(&finding.id)).unwrap_or(usize::MAX);
        let mut actions: Vec<&Action> = self.actions.iter().collect();
        actions.sort_by_key(|action| rank(action));
        actions
    }

    fn remark(&self, on: &str) -> Option<&str> {
        self.remarks.iter().find(|remark| remark.on == on).map(|remark| remark.text.trim())
    }
}

/// The report: what the consolidator wrote, where there is one, around tables that are ours.
pub fn report(consensus: &Consensus, written: Option<&Consolidation>) -> String {
    let mut text = headline(consensus);
    if let Some(written) = written {
        text.push_str(&format!("\n\n{}", written.summary.trim()));
        if !written.actions.is_empty() {
            text.push_str("\n\n## Actions\n");
        }
        for (number, action) in (1..).zip(written.ordered(consensus)) {
            let evidence = if action.evidence.is_empty() { String::new() } else { format!(" [{}]", action.evidence.join(", ")) };
            let effort = action.effort.map(|effort| format!(" (effort: {})", effort.as_str().to_lowercase())).unwrap_or_default();
            text.push_str(&format!("\n{number}. **{}**{evidence}{effort}", action.action.trim()));
        }
    }
    text.push_str(&format!("\n\n## Scores\n\n{}", table(consensus)));
    for name in consensus.disputed() {
        let why = written.and_then(|written| written.remark(name)).unwrap_or("the reviewers are far apart.");
        text.push_str(&format!("\n- **{name}** is disputed: {why}"));
    }
    text.push_str("\n\n## Findings\n");
    if consensus.findings.is_empty() {
        text.push_str("\nNo reviewer found anything wrong.");
    }
    for finding in &consensus.findings {
        let flaw = finding.flaw();
        let place = if flaw.location.is_empty() { String::new() } else { format!(", {}", flaw.location) };
        let (id, severity, by) = (&finding.id, finding.severity.as_str(), finding.by().join(", "));
        text.push_str(&format!(
            "\n- **{id} {}** ({severity}, {}{place}; found by {by}). {} {}",
            flaw.title, flaw.category, flaw.description, flaw.impact
        ));
        if !flaw.recommendation.is_empty() {
            text.push_str(&format!(" To do: {}", flaw.recommendation));
        }
        if let Some(remark) = written.and_then(|written| written.remark(id)) {
            text.push_str(&format!(" Consolidator: {remark}"));
        }
    }
    text.push('\n');
    text
}

fn headline(consensus: &Consensus) -> String {
    let overall = consensus.overall.average.map_or_else(|| "**Not scored**".to_owned(), |average| format!("**{average} of 5**"));
    let agreement = consensus.overall.agreement.map(|level| format!(", agreement {}", level.as_str())).unwrap_or_default();
    let found: Vec<String> = Severity::ALL.map(|severity| format!("{} {}", consensus.count(severity), severity.as_str().to_lowercase())).to_vec();
    format!("{overall} by {} reviewers{agreement}. Findings: {}.", consensus.reviewers.len(), found.join(", "))
}

/// Every reviewer's score on every criterion, as markdown.
pub fn table(consensus: &Consensus) -> String {
    let labels: Vec<&str> = consensus.reviewers.iter().map(|reviewer| reviewer.label.as_str()).collect();
    let cell = |score: Option<f64>| score.map_or_else(|| "–".to_owned(), |score| score.to_string());
    let row = |name: &str, weight: String, scores: Vec<Option<f64>>, opinion: &Opinion| {
        let agreement = opinion.agreement.map_or("–", Level::as_str).to_owned();
        let scores = scores.into_iter().map(cell);
        [name.to_owned(), weight].into_iter().chain(scores).chain([cell(opinion.average), cell(opinion.stddev), agreement]).collect::<Vec<_>>()
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (at, criterion) in consensus.rubric.criteria.iter().enumerate() {
        let scores = consensus.reviewers.iter().map(|reviewer| reviewer.scores[at]).collect();
        rows.push(row(&criterion.name, criterion.weight.to_string(), scores, &consensus.criteria[at]));
    }
    let overalls = consensus.reviewers.iter().map(|reviewer| reviewer.overall).collect();
    rows.push(row("**overall**", String::new(), overalls, &consensus.overall));
    markdown::table(["criterion", "weight"].into_iter().chain(labels).chain(["average", "std. dev.", "agreement"]), rows)
}
