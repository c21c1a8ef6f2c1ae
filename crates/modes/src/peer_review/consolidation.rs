//! The consolidator's part: the typed form and its text reading, and the report that is made of it and of the computed tables.

use super::consensus::{Consensus, MergedFinding};
use crate::markdown;
use crate::text::{bare, items, section, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::rubric::{Level, Opinion};
use synod_types::words;

/// The most actions a report has.
const MOST: usize = 15;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Consolidation {
    /// How you weighed the reviews against each other, in at most 120 words.
    pub reasons: String,
    /// For a reader in a hurry, in 120 to 250 words of markdown. The first sentence says what to do now.
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
            actions: list("Actions").into_iter().map(action).take(MOST).collect(),
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
}

/// What to do first: the gravest action, or the repair of the gravest finding.
pub fn first_action(consensus: &Consensus, written: Option<&Consolidation>) -> String {
    let action = written.and_then(|written| Some(written.ordered(consensus).first()?.action.trim().to_owned()));
    let repair = || consensus.findings.iter().map(|finding| finding.flaw().recommendation.trim()).find(|repair| !repair.is_empty());
    action.or_else(|| repair().map(str::to_owned)).unwrap_or_else(|| match consensus.findings.first() {
        Some(finding) => format!("Mend this first: {}.", finding.flaw().title.trim_end_matches('.')),
        None => "Nothing need be mended: no reviewer found anything wrong.".to_owned(),
    })
}

/// The report: what the consolidator wrote, or what the reviewers would have done. Scores and findings have exhibits of their own.
pub fn report(consensus: &Consensus, written: Option<&Consolidation>) -> String {
    let Some(written) = written else { return computed(consensus) };
    let mut text = written.summary.trim().to_owned();
    let action = |action: &Action| {
        let evidence = if action.evidence.is_empty() { String::new() } else { format!(" [{}]", action.evidence.join(", ")) };
        let effort = action.effort.map(|effort| format!(" (effort: {})", effort.as_str().to_lowercase())).unwrap_or_default();
        format!("{}{evidence}{effort}", action.action.trim())
    };
    let actions = written.ordered(consensus).into_iter().map(action).collect::<Vec<_>>();
    if !actions.is_empty() {
        text.push_str(&format!("\n\n## Actions\n\n{}", numbered(&actions)));
    }
    let title = |on: &str| consensus.findings.iter().find(|finding| finding.id == on).map(|finding| format!(" {}", finding.flaw().title));
    let remark = |remark: &Remark| format!("- **{}{}**: {}", remark.on, title(&remark.on).unwrap_or_default(), remark.text.trim());
    if !written.remarks.is_empty() {
        text.push_str(&format!("\n\n## Remarks\n\n{}", written.remarks.iter().map(remark).collect::<Vec<_>>().join("\n")));
    }
    text + "\n"
}

/// What the findings ask for, gravest first.
fn computed(consensus: &Consensus) -> String {
    let repair = |finding: &MergedFinding| {
        let flaw = finding.flaw();
        let repair = if flaw.recommendation.trim().is_empty() { &flaw.title } else { &flaw.recommendation };
        format!("{} [{}]", repair.trim(), finding.id)
    };
    let repairs: Vec<String> = consensus.findings.iter().take(MOST).map(repair).collect();
    let first = first_action(consensus, None);
    if repairs.is_empty() { format!("{first}\n") } else { format!("{first}\n\n## Actions\n\n{}\n", numbered(&repairs)) }
}

fn numbered(lines: &[String]) -> String {
    (1..).zip(lines).map(|(number, line)| format!("{number}. {line}")).collect::<Vec<_>>().join("\n")
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
