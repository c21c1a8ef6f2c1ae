//! What the reviews come to: averages, agreement, and which findings are the same. All computed, nothing asked.

use super::grouping::{Checked, Finding};
use super::review::{Flaw, OTHER, Review, Severity};
use super::rows::{
    ConsensusFinding, ConsensusFindingsRow, ConsensusScoresRow, CriterionConsensus, FindingsRow, NumberedFlaw, ReviewRow, SeverityCounts,
    WeightedScore,
};
use super::rubric::{Criterion, Rubric};
use synod_engine::SeatReply;
use synod_math::likeness::cosine;
use synod_math::matching;
use synod_math::rounding::{mean, round};
use synod_math::rubric::{Level, Opinion, opinion, overall};
use synod_types::*;

/// How alike two findings of one category must be to be the same, and what likeness counts for under different ones.
const ALIKE: f64 = 0.5;
const OTHER_CATEGORY: f64 = 0.7;
/// From here on two findings are the same words, and one whatever a reader of both says.
const WORD_FOR_WORD: f64 = 0.9;

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
    pub fn new(index: usize, label: String, reply: SeatReply<Review>, rubric: &Rubric) -> Self {
        let scores: Vec<Option<f64>> = rubric.criteria.iter().map(|criterion| reply.value.score(&criterion.name)?.score).collect();
        let overall = overall(&scores, &rubric.weights());
        Self { index, label, seat: reply.seat, key: reply.key, review: reply.value, scores, overall }
    }

    pub fn review_exhibit(&self, rubric: &Rubric) -> Exhibit {
        let why = |name: &str| self.review.score(name).map(|scored| scored.justification.clone()).unwrap_or_default();
        let rows = rubric.criteria.iter().zip(&self.scores);
        let weighted = |(criterion, score): (&Criterion, &Option<f64>)| WeightedScore {
            criterion: criterion.name.clone(),
            score: *score,
            weight: criterion.weight,
            justification: why(&criterion.name),
        };
        let findings = (1..).zip(self.review.findings.iter().cloned());
        let data = ReviewRow {
            reviewer_index: self.index,
            label: self.label.clone(),
            scores: rows.clone().map(weighted).collect(),
            overall_score: self.overall,
            finding_counts: SeverityCounts::of(self.review.findings.iter().map(|flaw| flaw.severity)),
            findings: findings.map(|(number, flaw)| NumberedFlaw { flaw, number }).collect(),
            strengths: self.review.strengths.clone(),
            summary: Some(self.review.summary.clone()),
            error: None,
        };
        let row = |(criterion, score): (&Criterion, &Option<f64>)| ScoreRow {
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
        Exhibit::new(format!("Review {}", self.label), Shape::Scorecard(card))
            .part("Summary", &self.review.summary)
            .list("Strengths", &self.review.strengths)
            .part("How it was read", &self.review.reasons)
            .turn(&self.key)
            .data(&data)
    }

    fn finding_id(&self, at: usize) -> String {
        format!("{}.{}", self.label, at + 1)
    }

    pub fn findings_exhibit(&self) -> Exhibit {
        let entries: Vec<FindingEntry> =
            self.review.findings.iter().enumerate().map(|(at, flaw)| entry(self.finding_id(at), flaw, flaw.severity)).collect();
        let none = if entries.is_empty() { format!("{} looked and found nothing wrong.", self.label) } else { String::new() };
        let shape = Findings { entries, none };
        let data = FindingsRow { reviewer_index: self.index, findings: self.review.findings.len() };
        Exhibit::new(format!("Findings of {}", self.label), Shape::Findings(shape)).turn(&self.key).data(&data)
    }
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

/// One flaw, as one or more reviewers found it.
pub struct MergedFinding {
    pub id: String,
    /// The gravest given.
    pub severity: Severity,
    /// Labels of the reviewers and what each wrote, the gravest severity first.
    pub flaws: Vec<(String, Flaw)>,
}

impl MergedFinding {
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
    pub findings: Vec<MergedFinding>,
}

impl Consensus {
    pub fn of(rubric: Rubric, mut reviewers: Vec<Reviewer>) -> Self {
        reviewers.sort_by(|a, b| a.label.cmp(&b.label));
        let column = |at: usize| reviewers.iter().map(|reviewer| reviewer.scores[at]).collect::<Vec<_>>();
        let overalls: Vec<Option<f64>> = reviewers.iter().map(|reviewer| reviewer.overall).collect();
        let criteria = (0..rubric.criteria.len()).map(|at| opinion(&column(at))).collect();
        let mut consensus = Self { criteria, overall: opinion(&overalls), findings: Vec::new(), rubric, reviewers };
        let all = consensus.all_findings();
        consensus.findings = consensus.merged(&all, by_words(&all, &[], ALIKE));
        consensus
    }

    /// Every finding of every reviewer, by the ids their own rows have.
    pub fn all_findings(&self) -> Vec<Finding> {
        let of = |(owner, reviewer): (usize, &Reviewer)| {
            let each = reviewer.review.findings.iter().enumerate();
            each.map(|(at, flaw)| Finding { id: reviewer.finding_id(at), owner, flaw: flaw.clone() }).collect::<Vec<_>>()
        };
        self.reviewers.iter().enumerate().flat_map(of).collect()
    }

    /// Merges by groups that passed their rules. What is in none of them stays apart, unless it says the same word for word.
    pub fn regroup(&mut self, all: &[Finding], groups: &[Checked]) {
        let mut found: Vec<Vec<usize>> = groups.iter().filter(|group| !group.kept.is_empty()).map(|group| group.kept.clone()).collect();
        found.extend(by_words(all, &found.concat(), WORD_FOR_WORD));
        self.findings = self.merged(all, found);
    }

    /// Findings in order, each under an id of its own.
    fn merged(&self, all: &[Finding], groups: Vec<Vec<usize>>) -> Vec<MergedFinding> {
        let merge = |group: Vec<usize>| {
            let mut flaws: Vec<(String, Flaw)> =
                group.iter().map(|at| (self.reviewers[all[*at].owner].label.clone(), all[*at].flaw.clone())).collect();
            flaws.sort_by_key(|(_, flaw)| flaw.severity);
            MergedFinding { id: String::new(), severity: flaws[0].1.severity, flaws }
        };
        let mut merged: Vec<MergedFinding> = groups.into_iter().map(merge).collect();
        let weight = |finding: &MergedFinding| {
            let of = self.rubric.criteria.iter().find(|criterion| criterion.name == finding.flaw().category);
            of.map_or(0.0, |criterion| criterion.weight)
        };
        merged.sort_by(|a, b| a.severity.cmp(&b.severity).then(b.flaws.len().cmp(&a.flaws.len())).then(weight(b).total_cmp(&weight(a))));
        for (number, finding) in (1..).zip(&mut merged) {
            finding.id = format!("F{number}");
        }
        merged
    }

    /// Criteria on which agreement between the reviewers is low.
    pub fn disputed(&self) -> Vec<&str> {
        let low = self.rubric.criteria.iter().zip(&self.criteria).filter(|(_, opinion)| opinion.agreement == Some(Level::Low));
        low.map(|(criterion, _)| criterion.name.as_str()).collect()
    }

    pub fn count(&self, severity: Severity) -> u32 {
        self.findings.iter().filter(|finding| finding.severity == severity).count() as u32
    }

    /// Findings more than one reviewer made.
    pub fn shared(&self) -> u32 {
        self.findings.iter().filter(|finding| finding.shared()).count() as u32
    }

    /// Findings one reviewer made.
    pub fn unique(&self) -> u32 {
        self.findings.len() as u32 - self.shared()
    }

    /// Of all findings, those more than one reviewer made.
    pub fn overlap_rate(&self) -> Option<f64> {
        share(self.shared() as usize, self.findings.len())
    }

    /// Of the shared findings, those all their finders took equally gravely.
    pub fn severity_agreement_rate(&self) -> Option<f64> {
        let same = |finding: &&MergedFinding| finding.flaws.iter().all(|(_, flaw)| flaw.severity == finding.severity);
        let agreed = self.findings.iter().filter(|finding| finding.shared()).filter(same).count();
        share(agreed, self.shared() as usize)
    }

    pub fn average_stddev(&self) -> Option<f64> {
        let known: Vec<f64> = self.criteria.iter().filter_map(|opinion| opinion.stddev).collect();
        mean(&known).map(|mean| round(mean, 2))
    }

    pub fn scores(&self) -> Vec<CriterionConsensus> {
        let row = |(criterion, opinion): (&Criterion, &Opinion)| CriterionConsensus {
            criterion: criterion.name.clone(),
            weight: criterion.weight,
            average: opinion.average,
            stddev: opinion.stddev,
            distance: opinion.distance,
            agreement: opinion.agreement.map(Level::as_str),
        };
        self.rubric.criteria.iter().zip(&self.criteria).map(row).collect()
    }

    pub fn scores_exhibit(&self) -> Exhibit {
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
            of: String::new(),
        };
        let data = ConsensusScoresRow {
            reviewer_count: self.reviewers.len(),
            consensus_scores: self.scores(),
            average_overall_score: self.overall.average,
            disputed: self.disputed().into_iter().map(str::to_owned).collect(),
        };
        Exhibit::new("Scores of all reviewers", Shape::Scorecard(card)).data(&data)
    }

    pub fn findings_exhibit(&self, matched_by: &'static str) -> Exhibit {
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
        let row = |finding: &MergedFinding| ConsensusFinding {
            id: finding.id.clone(),
            title: finding.flaw().title.clone(),
            category: finding.flaw().category.clone(),
            severity: finding.severity,
            severities: finding.flaws.iter().map(|(label, flaw)| (label.clone(), flaw.severity)).collect(),
        };
        let data = ConsensusFindingsRow {
            matched_by,
            findings: self.findings.iter().map(row).collect(),
            consensus_finding_count: self.shared(),
            unique_finding_count: self.unique(),
            findings_overlap_rate: self.overlap_rate(),
            severity_agreement_rate: self.severity_agreement_rate(),
        };
        Exhibit::new("Findings of all reviewers", Shape::Findings(Findings { entries, none })).data(&data)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| round(part as f64 / whole as f64, 2))
}

/// Findings that say the same in so many words, without those already grouped.
fn by_words(all: &[Finding], grouped: &[usize], alike: f64) -> Vec<Vec<usize>> {
    let free: Vec<usize> = (0..all.len()).filter(|at| !grouped.contains(at)).collect();
    let owners: Vec<usize> = free.iter().map(|at| all[*at].owner).collect();
    let groups = matching::groups(&owners, |a, b| likeness(&all[free[a]].flaw, &all[free[b]].flaw), alike);
    groups.into_iter().map(|group| group.into_iter().map(|at| free[at]).collect()).collect()
}

/// Titles count twice: reviewers name one flaw alike more often than they describe it alike, and titles alone would join "no test for X"
/// with "no test for Y".
fn likeness(a: &Flaw, b: &Flaw) -> f64 {
    let whole = |flaw: &Flaw| format!("{} {} {}", flaw.title, flaw.location, flaw.description);
    let likeness = f64::midpoint(cosine(&a.title, &b.title), cosine(&whole(a), &whole(b)));
    let same = a.category == b.category && a.category != OTHER;
    if same { likeness } else { OTHER_CATEGORY * likeness }
}
