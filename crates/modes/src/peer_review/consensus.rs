//! What the reviews come to: averages, agreement, and which findings are the same. All computed, nothing asked.

use super::review::{Flaw, OTHER, Review, Severity};
use super::rubric::Rubric;
use serde_json::{Map, Value, json};
use synod_engine::SeatReply;
use synod_math::rounding::{mean, round};
use synod_math::rubric::{Level, Opinion, opinion, overall};
use synod_math::{likeness, matching};
use synod_types::*;

/// How alike two findings of one category must be to be the same, and what likeness counts for under different ones.
const ALIKE: f64 = 0.5;
const OTHER_CATEGORY: f64 = 0.7;

/// One reviewer who could be read.
pub struct Reviewer {
    /// Place among those asked, from 0.
    pub index: usize,
    pub label: String,
    pub seat: SeatIx,
    pub key: String,
    pub review: Review,
    /// In the rubric's order.
    pub scores: Vec<Option<f64>>,
    pub overall: Option<f64>,
}

impl Reviewer {
    pub fn new(index: usize, label: String, given: SeatReply<Review>, rubric: &Rubric) -> Self {
        let scores: Vec<Option<f64>> = rubric.criteria.iter().map(|criterion| given.value.score(&criterion.name)?.score).collect();
        let overall = overall(&scores, &rubric.weights());
        Self { index, label, seat: given.seat, key: given.key, review: given.value, scores, overall }
    }

    pub fn scorecard(&self, rubric: &Rubric) -> Exhibit {
        let why = |name: &str| self.review.score(name).map(|scored| scored.justification.clone()).unwrap_or_default();
        let rows = rubric.criteria.iter().zip(&self.scores);
        let scores: Vec<Value> = rows
            .clone()
            .map(|(criterion, score)| {
                json!({"criterion": criterion.name, "score": score, "weight": criterion.weight, "justification": why(&criterion.name)})
            })
            .collect();
        let findings: Vec<Value> = (1..).zip(&self.review.findings).map(|(number, flaw)| numbered(number, flaw)).collect();
        let data = json!({
            "reviewerIndex": self.index, "label": self.label, "scores": scores, "overallScore": self.overall,
            "findingCounts": counts(self.review.findings.iter().map(|flaw| flaw.severity)), "findings": findings,
            "strengths": self.review.strengths, "summary": self.review.summary,
        });
        let row = |(criterion, score): (&super::rubric::Criterion, &Option<f64>)| ScoreRow {
            name: criterion.name.clone(),
            weight: Some(criterion.weight),
            cells: vec![*score],
            note: why(&criterion.name),
            summary: None,
        };
        let card = Scorecard {
            scale: (1.0, 5.0),
            columns: vec![self.label.clone()],
            rows: rows.map(row).collect(),
            totals: vec![self.overall],
            measure: "overall by weight".into(),
            ..Scorecard::default()
        };
        Exhibit::new(format!("Review {}", self.label), Shape::Scorecard(card)).turn(&self.key).data(&data)
    }

    pub fn findings(&self) -> Exhibit {
        let entries: Vec<FindingEntry> =
            (1..).zip(&self.review.findings).map(|(number, flaw)| entry(format!("{}.{number}", self.label), flaw, flaw.severity)).collect();
        let none = if entries.is_empty() { format!("{} looked and found nothing wrong.", self.label) } else { String::new() };
        let shape = Findings { entries, none };
        Exhibit::new(format!("Findings of {}", self.label), Shape::Findings(shape))
            .turn(&self.key)
            .data(&json!({"reviewerIndex": self.index, "findings": self.review.findings.len()}))
    }
}

fn numbered(number: u32, flaw: &Flaw) -> Value {
    let mut value = synod_engine::to_value(flaw);
    if let Some(map) = value.as_object_mut() {
        map.insert("number".into(), number.into());
    }
    value
}

fn entry(id: String, flaw: &Flaw, severity: Severity) -> FindingEntry {
    FindingEntry {
        id,
        title: flaw.title.clone(),
        severity: severity.as_str().to_lowercase(),
        location: flaw.location.clone(),
        detail: format!("{} {}", flaw.description, flaw.impact).trim().to_owned(),
        reply: flaw.recommendation.clone(),
        ..FindingEntry::default()
    }
}

pub fn counts(severities: impl Iterator<Item = Severity>) -> Map<String, Value> {
    let given: Vec<Severity> = severities.collect();
    let count = |severity: Severity| given.iter().filter(|other| **other == severity).count();
    Severity::ALL.into_iter().map(|severity| (severity.as_str().to_owned(), json!(count(severity)))).collect()
}

/// One flaw, by whoever found it.
pub struct Merged {
    pub id: String,
    /// The gravest given.
    pub severity: Severity,
    /// Labels and what each wrote, the one who took it gravest first.
    pub flaws: Vec<(String, Flaw)>,
}

impl Merged {
    pub fn flaw(&self) -> &Flaw {
        &self.flaws[0].1
    }
    pub fn by(&self) -> Vec<String> {
        let mut labels: Vec<String> = self.flaws.iter().map(|(label, _)| label.clone()).collect();
        labels.sort_unstable();
        labels
    }
    pub fn shared(&self) -> bool {
        self.flaws.len() > 1
    }
}

/// The reviews as a whole.
pub struct Consensus {
    pub rubric: Rubric,
    /// Sorted by label, which says nothing of their seats.
    pub reviewers: Vec<Reviewer>,
    /// In the rubric's order.
    pub criteria: Vec<Opinion>,
    /// Of the reviewers' overalls.
    pub overall: Opinion,
    /// Gravest first, then by how many found them, then by the weight of their criterion.
    pub findings: Vec<Merged>,
}

impl Consensus {
    pub fn of(rubric: Rubric, mut reviewers: Vec<Reviewer>) -> Self {
        reviewers.sort_by(|a, b| a.label.cmp(&b.label));
        let column = |at: usize| reviewers.iter().map(|reviewer| reviewer.scores[at]).collect::<Vec<_>>();
        let overalls: Vec<Option<f64>> = reviewers.iter().map(|reviewer| reviewer.overall).collect();
        let criteria = (0..rubric.criteria.len()).map(|at| opinion(&column(at))).collect();
        let findings = merge(&reviewers, &rubric);
        Self { criteria, overall: opinion(&overalls), findings, rubric, reviewers }
    }

    /// Criteria on which reviewers are as far apart as if they had drawn lots.
    pub fn disputed(&self) -> Vec<&str> {
        let low = self.rubric.criteria.iter().zip(&self.criteria).filter(|(_, opinion)| opinion.agreement == Some(Level::Low));
        low.map(|(criterion, _)| criterion.name.as_str()).collect()
    }

    pub fn count(&self, severity: Severity) -> u32 {
        self.findings.iter().filter(|finding| finding.severity == severity).count() as u32
    }

    pub fn shared(&self) -> u32 {
        self.findings.iter().filter(|finding| finding.shared()).count() as u32
    }

    /// Of all findings, those more than one reviewer made.
    pub fn overlap_rate(&self) -> Option<f64> {
        share(self.shared() as usize, self.findings.len())
    }

    /// Of the shared findings, those all their finders took equally gravely.
    pub fn severity_agreement_rate(&self) -> Option<f64> {
        let same = |finding: &&Merged| finding.flaws.iter().all(|(_, flaw)| flaw.severity == finding.severity);
        let agreed = self.findings.iter().filter(|finding| finding.shared()).filter(same).count();
        share(agreed, self.shared() as usize)
    }

    pub fn average_stddev(&self) -> Option<f64> {
        let known: Vec<f64> = self.criteria.iter().filter_map(|opinion| opinion.stddev).collect();
        mean(&known).map(|mean| round(mean, 2))
    }

    pub fn scores(&self) -> Vec<Value> {
        let row = |(criterion, opinion): (&super::rubric::Criterion, &Opinion)| {
            json!({
                "criterion": criterion.name, "weight": criterion.weight, "average": opinion.average, "stddev": opinion.stddev,
                "distance": opinion.distance, "agreement": opinion.agreement.map(Level::as_str),
            })
        };
        self.rubric.criteria.iter().zip(&self.criteria).map(row).collect()
    }

    pub fn scorecard(&self) -> Exhibit {
        let row = |at: usize| ScoreRow {
            name: self.rubric.criteria[at].name.clone(),
            weight: Some(self.rubric.criteria[at].weight),
            cells: self.reviewers.iter().map(|reviewer| reviewer.scores[at]).collect(),
            summary: self.criteria[at].average,
            note: self.criteria[at].agreement.map(|level| format!("{} agreement", level.as_str())).unwrap_or_default(),
        };
        let card = Scorecard {
            scale: (1.0, 5.0),
            columns: self.reviewers.iter().map(|reviewer| reviewer.label.clone()).collect(),
            rows: (0..self.criteria.len()).map(row).collect(),
            totals: self.reviewers.iter().map(|reviewer| reviewer.overall).collect(),
            overall: self.overall.average,
            measure: "mean; agreement by the mean distance between two reviewers, high below 0.5, low above 1.5".into(),
        };
        let data = json!({
            "reviewerCount": self.reviewers.len(), "consensusScores": self.scores(), "averageOverallScore": self.overall.average,
            "disputed": self.disputed(),
        });
        Exhibit::new("Scores of all reviewers", Shape::Scorecard(card)).data(&data)
    }

    pub fn findings_exhibit(&self) -> Exhibit {
        let entries: Vec<FindingEntry> = self
            .findings
            .iter()
            .map(|finding| FindingEntry {
                by: finding.by(),
                fate: if finding.shared() { "consensus".into() } else { "unique".into() },
                ..entry(finding.id.clone(), finding.flaw(), finding.severity)
            })
            .collect();
        let none = if entries.is_empty() { format!("{} reviewers looked and found nothing wrong.", self.reviewers.len()) } else { String::new() };
        let rows: Vec<Value> = self
            .findings
            .iter()
            .map(|finding| {
                let severities: Map<String, Value> = finding.flaws.iter().map(|(label, flaw)| (label.clone(), json!(flaw.severity))).collect();
                let flaw = finding.flaw();
                json!({"id": finding.id, "title": flaw.title, "category": flaw.category, "severity": finding.severity, "severities": severities})
            })
            .collect();
        let data = json!({
            "findings": rows, "consensusFindingCount": self.shared(), "uniqueFindingCount": self.findings.len() as u32 - self.shared(),
            "findingsOverlapRate": self.overlap_rate(), "severityAgreementRate": self.severity_agreement_rate(),
        });
        Exhibit::new("Findings of all reviewers", Shape::Findings(Findings { entries, none })).data(&data)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| round(part as f64 / whole as f64, 2))
}

/// Findings that say the same become one, under an id of its own.
fn merge(reviewers: &[Reviewer], rubric: &Rubric) -> Vec<Merged> {
    let all: Vec<(usize, &Flaw)> =
        reviewers.iter().enumerate().flat_map(|(owner, reviewer)| reviewer.review.findings.iter().map(move |flaw| (owner, flaw))).collect();
    let owners: Vec<usize> = all.iter().map(|(owner, _)| *owner).collect();
    let groups = matching::groups(&owners, |a, b| alike(all[a].1, all[b].1), ALIKE);
    let mut merged: Vec<Merged> = groups
        .into_iter()
        .map(|group| {
            let mut flaws: Vec<(String, Flaw)> = group.iter().map(|item| (reviewers[all[*item].0].label.clone(), all[*item].1.clone())).collect();
            flaws.sort_by_key(|(_, flaw)| flaw.severity);
            Merged { id: String::new(), severity: flaws[0].1.severity, flaws }
        })
        .collect();
    let weight = |finding: &Merged| {
        let of = rubric.criteria.iter().find(|criterion| criterion.name == finding.flaw().category);
        of.map_or(0.0, |criterion| criterion.weight)
    };
    merged.sort_by(|a, b| a.severity.cmp(&b.severity).then(b.flaws.len().cmp(&a.flaws.len())).then(weight(b).total_cmp(&weight(a))));
    for (number, finding) in (1..).zip(&mut merged) {
        finding.id = format!("F{number}");
    }
    merged
}

/// Titles count twice: reviewers name one flaw alike more often than they describe it alike, and titles alone would join "no test for X"
/// with "no test for Y".
fn alike(a: &Flaw, b: &Flaw) -> f64 {
    let whole = |flaw: &Flaw| format!("{} {} {}", flaw.title, flaw.location, flaw.description);
    let likeness = f64::midpoint(likeness::cosine(&a.title, &b.title), likeness::cosine(&whole(a), &whole(b)));
    let same = a.category == b.category && a.category != OTHER;
    if same { likeness } else { OTHER_CATEGORY * likeness }
}
