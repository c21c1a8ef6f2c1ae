//! Peer review: reviewers grade one work by the same weighted rubric, alone; agreement and shared findings are computed, and a consolidator
//! makes one report of it.

mod consensus;
mod consolidation;
mod grouping;
mod review;
mod rows;
mod rubric;

use crate::{attendance, closing, work};
use consensus::{Consensus, MergedFinding, Reviewer};
pub use consolidation::Consolidation;
pub use grouping::Grouping;
use grouping::{Checked, Finding};
pub use review::Review;
use review::{Flaw, OTHER, Severity};
use rows::{ConsensusFindingsRow, ConsensusScoresRow, ConsolidationRow, FindingsRow, GroupingRow, ReviewRow, ReviewerAgreement, VerdictData};
pub use rubric::{Criterion, ReviewType, Rubric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, Example, FigureKind, Mode, ModeResult, PlannedCalls, RequestName, Result, Seating, Stage, chair, each, mode, prompt};
use synod_math::rubric::Level;
use synod_types::*;

/// Fewer reviews than this cannot be compared.
const LEAST: usize = 2;

pub static MODE: Mode = mode! {
    id: "peer_review", version: 3, name: "Peer Review", family: RoleBased, seats: 3..=7, roles: &[each("reviewer"), chair("consolidator")],
    summary: "Reviewers grade one work by the same weighted rubric without seeing each other, and a consolidator turns it into one list of actions.",
    pick: "Take it for code, designs, plans or audits that exist and need more than one pair of eyes: scores, findings with their places, what to do first.",
    phases: &["review", "matching", "consolidation"],
    stages: &[
        Stage::from_seat::<ReviewRow>("review_{n}", "reviewer"),
        Stage::from_seat::<FindingsRow>("findings_{n}", "reviewer"),
        Stage::computed::<ConsensusScoresRow>("consensus_scores"),
        Stage::from_seat::<GroupingRow>("grouping", "consolidator"),
        Stage::computed::<ConsensusFindingsRow>("consensus_findings"),
        Stage::from_seat::<ConsolidationRow>("consolidation", "consolidator"),
        Stage::computed::<ConsolidationRow>("consolidation").stand_in(),
    ],
    figures: &[
        FigureKind::mean("overall", "Weighted mean score"),
        FigureKind::share("findings_overlap", "Findings that more than one reviewer made"),
    ],
    multi_turn: false, estimated_ms: 150_000, turn_secs: 150, run_secs: 600,
    cost: "n + 2 for n reviewers; n + 1 where fewer than two reviewers found something",
    example: Example { options: &[("review_type", "code_review")], content: Some("queue.rs"), ..Example::ask("The job queue of our scheduler") },
    failure_rule: "Two readable reviews are enough. If the consolidator cannot say which findings are the same, they are matched by their words. If the consolidator fails, the next reviewer who gave a review consolidates; if nobody can, the report is computed from scores and findings.",
    prompts: ["review", "group", "consolidate"],
    request_names: &[
        RequestName::option("reviewType", "review_type"),
        RequestName::panel("reviewerModels"),
        RequestName::role("consolidatorModel", "consolidator"),
        RequestName::option("customRubric", "custom_rubric"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Which rubric the work is graded by.
    pub review_type: ReviewType,
    /// A rubric of your own, for review_type = custom: a JSON object with name, description and 3 to 10 criteria, each with name, description
    /// and a weight from 1 to 5.
    pub custom_rubric: Option<Rubric>,
    /// The most tokens one review may take.
    #[schemars(range(min = 512, max = 32768))]
    pub review_tokens: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { review_type: ReviewType::default(), custom_rubric: None, review_tokens: 6144 }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        const FIELD: &str = "options.custom_rubric";
        let custom = self.review_type == ReviewType::Custom;
        match &self.custom_rubric {
            None if custom => {
                vec![Problem::new(FIELD, "nothing", "a rubric, since review_type is custom: a JSON object with name, description and criteria")]
            }
            None => Vec::new(),
            Some(rubric) => {
                let mut problems = rubric.check(FIELD);
                if !custom {
                    problems.insert(
                        0,
                        Problem::new("options.review_type", "another type than custom, and a custom_rubric too", "custom, or no custom_rubric"),
                    );
                }
                problems
            }
        }
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Mean of the reviewers' weighted scores, from 1 to 5; null if nobody scored.
    pub overall: Option<f64>,
    /// `high`, `medium` or `low`, by the mean distance between two reviewers; null with fewer than two scores.
    pub agreement: Option<String>,
    pub reviewers: u32,
    /// Different findings, each counted once at its gravest.
    pub critical: u32,
    pub major: u32,
    pub minor: u32,
    pub suggestion: u32,
    /// Findings more than one reviewer made.
    pub shared: u32,
    pub criteria: Vec<CriterionOpinion>,
    /// Criteria on which the reviewers are far apart.
    pub disputed: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CriterionOpinion {
    pub name: String,
    pub weight: f64,
    pub average: Option<f64>,
    pub agreement: Option<String>,
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    vec![
        PlannedCalls { prompt: "review", role: "reviewer", min: n, max: n, reads: 0, max_tokens: Some(options.review_tokens) },
        PlannedCalls { prompt: "group", role: "consolidator", min: 0, max: 1, reads: n, max_tokens: None },
        PlannedCalls { prompt: "consolidate", role: "consolidator", min: 1, max: 1, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    work::warn_if_question(bench);
    let rubric = Rubric::of(options.review_type, options.custom_rubric.as_ref());
    let mut consensus = review(bench, &options, rubric).await?;
    group(bench, &mut consensus).await?;
    let (action, answer) = consolidate(bench, &consensus).await?;
    bench.figure("overall", consensus.overall.average);
    bench.figure("findings_overlap", consensus.overlap_rate());
    let criteria = consensus.rubric.criteria.iter().zip(&consensus.criteria).map(|(criterion, opinion)| CriterionOpinion {
        name: criterion.name.clone(),
        weight: criterion.weight,
        average: opinion.average,
        agreement: opinion.agreement.map(|level| level.as_str().to_owned()),
    });
    let decision = Decision {
        overall: consensus.overall.average,
        agreement: consensus.overall.agreement.map(|level| level.as_str().to_owned()),
        reviewers: consensus.reviewers.len() as u32,
        critical: consensus.count(Severity::Critical),
        major: consensus.count(Severity::Major),
        minor: consensus.count(Severity::Minor),
        suggestion: consensus.count(Severity::Suggestion),
        shared: consensus.shared(),
        criteria: criteria.collect(),
        disputed: consensus.disputed().into_iter().map(str::to_owned).collect(),
    };
    Ok(ModeResult::ended("finished", answer)
        .action(action)
        .decision(summary(&decision), &decision)
        .unsure("reviewers who agree may all be wrong")
        .dissent(dissent(&consensus))
        .data(&VerdictData { rubric: &consensus.rubric.name, consensus_scores: consensus.scores() }))
}

fn summary(decision: &Decision) -> String {
    let overall = decision.overall.map_or_else(|| "gave no score".to_owned(), |overall| format!("give it {overall} of 5"));
    let Decision { reviewers, critical, major, minor, suggestion, shared, .. } = decision;
    let counts = [(critical, "critical"), (major, "major"), (minor, "minor"), (suggestion, "suggested")];
    let counts: Vec<String> = counts.iter().filter(|(count, _)| **count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let found = critical + major + minor + suggestion;
    match found {
        0 => format!("{reviewers} reviewers {overall} and found nothing wrong."),
        1 => format!("{reviewers} reviewers {overall} and found 1 flaw, {}.", counts.join(", ")),
        _ => format!("{reviewers} reviewers {overall} and found {found} flaws: {}; {shared} found by several.", counts.join(", ")),
    }
}

/// Every reviewer alone, then what the reviews come to.
async fn review(bench: &Bench, options: &Options, rubric: Rubric) -> Result<Consensus> {
    let phase = bench.phase("review");
    let seats = bench.role("reviewer");
    let names = rubric.names();
    let mut categories = names.clone();
    if !categories.iter().any(|name| name == OTHER) {
        categories.push(OTHER.to_owned());
    }
    let criteria: Vec<Value> = rubric
        .criteria
        .iter()
        .map(|criterion| json!({"name": criterion.name, "weight": criterion.weight.to_string(), "description": criterion.description}))
        .collect();
    let about = json!({"name": rubric.name, "description": rubric.description, "criteria": criteria});
    let ask = prompt!("review", rubric = about).ids("criteria", names).ids("categories", categories).max_tokens(options.review_tokens);
    let answers = phase.ask_all::<Review>(seats, ask).await?;
    let labels = synod_math::labels(bench.seed("labels"), seats.len());
    let mut reviewers: Vec<Reviewer> = Vec::new();
    for (index, (seat, label)) in seats.iter().zip(labels).enumerate() {
        let name = format!("review_{}", index + 1);
        let Some(reply) = answers.of(*seat) else {
            let failed = answers.failure_of(*seat);
            let error = failed.map(|failed| failed.failure.to_string());
            let exhibit = attendance::absence(format!("Review {label}"), *seat, "reviewer", failed, "gave no review");
            phase.show(&name, exhibit.data(&ReviewRow { reviewer_index: index, label, error, ..ReviewRow::default() }))?;
            continue;
        };
        let reviewer = Reviewer::new(index, label, reply.clone(), &rubric);
        phase.show(&name, reviewer.review_exhibit(&rubric).by(*seat, "reviewer"))?;
        phase.show(&format!("findings_{}", index + 1), reviewer.findings_exhibit().by(*seat, "reviewer"))?;
        reviewers.push(reviewer);
    }
    answers.quorum(LEAST)?;
    let consensus = Consensus::of(rubric, reviewers);
    phase.show("consensus_scores", consensus.scores_exhibit())?;
    Ok(consensus)
}

/// Findings of different reviewers that are one flaw become one: by the consolidator's groups as far as they pass the rules, else by words.
async fn group(bench: &Bench, consensus: &mut Consensus) -> Result<()> {
    let phase = bench.phase("matching");
    let all = consensus.all_findings();
    let mut matched_by = "words";
    if all.iter().any(|finding| finding.owner != all[0].owner) {
        let shown: Vec<Value> = all.iter().map(|finding| json!({"id": finding.id, "text": flaw_text(&finding.flaw)})).collect();
        let ask = prompt!("group", findings = shown).ids("findings", all.iter().map(|finding| finding.id.clone()));
        match phase.ask_first::<Grouping>(bench.role("consolidator"), ask).await? {
            Some(reply) => {
                let groups = grouping::check(&reply.value.groups, &all);
                consensus.regroup(&all, &groups);
                phase.show("grouping", groups_exhibit(&reply.value, &groups, &all).by(reply.seat, "consolidator").turn(&reply.key))?;
                matched_by = "proposed";
            }
            None => phase.warn("Nobody could say which findings are the same; they were matched by the words they share."),
        }
    }
    phase.show("consensus_findings", consensus.findings_exhibit(matched_by))
}

fn groups_exhibit(proposed: &Grouping, groups: &[Checked], all: &[Finding]) -> Exhibit {
    let item = |at: &usize| (all[*at].id.clone(), all[*at].flaw.title.clone());
    let cluster = |(number, group): (usize, &Checked)| {
        let (members, note) = match group.kept.is_empty() {
            true => (&group.refused, "proposed as one and kept apart: they share neither place nor words, or are in another group already"),
            false => (&group.kept, ""),
        };
        let (id, name) = (format!("G{number}"), group.flaw.clone());
        Cluster { id, name, items: members.iter().map(item).collect(), note: note.to_owned(), ..Cluster::default() }
    };
    let ids = |members: &[usize]| members.iter().map(|at| all[*at].id.clone()).collect::<Vec<String>>();
    let data = GroupingRow {
        groups: groups.iter().filter(|group| !group.kept.is_empty()).map(|group| ids(&group.kept)).collect(),
        refused: groups.iter().flat_map(|group| ids(&group.refused)).collect(),
    };
    let clusters = (1..).zip(groups).map(cluster).collect();
    Exhibit::new("Findings that are one", Shape::Clusters(Clusters { clusters })).part("How they were compared", &proposed.reasons).data(&data)
}

/// What to do first, and the consolidator's report; from the next reviewer if he fails, from the findings alone if all do.
async fn consolidate(bench: &Bench, consensus: &Consensus) -> Result<(String, Answer)> {
    let phase = bench.phase("consolidation");
    let mut reviewers: Vec<SeatIx> = consensus.reviewers.iter().map(|reviewer| reviewer.seat).collect();
    reviewers.sort_unstable();
    let writers = closing::seats_of(bench, "consolidator", reviewers);
    let findings: Vec<Value> = consensus.findings.iter().map(|finding| json!({"id": finding.id, "text": finding_text(finding)})).collect();
    let review = |reviewer: &Reviewer| json!({"label": reviewer.label, "text": review_text(reviewer, &consensus.rubric)});
    let reviews: Vec<Value> = consensus.reviewers.iter().map(review).collect();
    let overall = json!({"average": consensus.overall.average, "agreement": consensus.overall.agreement.map(Level::as_str)});
    let evidence = consensus.findings.iter().map(|finding| finding.id.clone()).chain(consensus.rubric.names());
    let ask = prompt!(
        "consolidate",
        rubric = consensus.rubric.name,
        overall,
        table = consolidation::table(consensus),
        disputed = consensus.disputed(),
        findings,
        reviews
    )
    .ids("evidence", evidence);
    let reply = phase.ask_first::<Consolidation>(&writers, ask).await?;
    let written = reply.as_ref().map(|reply| &reply.value);
    let (action, text) = (consolidation::first_action(consensus, written), consolidation::report(consensus, written));
    let data = ConsolidationRow {
        reviewer_count: consensus.reviewers.len(),
        consensus_scores: consensus.scores(),
        action_item_count: reply.as_ref().map(|reply| reply.value.actions.len()),
        critical_finding_count: consensus.count(Severity::Critical),
        major_finding_count: consensus.count(Severity::Major),
        weighted_overall_avg: consensus.overall.average,
        weighted_overall_stddev: consensus.overall.stddev,
        overall_agreement: consensus.overall.agreement.map(Level::as_str),
        total_findings: consensus.findings.len(),
        consensus_finding_count: consensus.shared(),
        unique_finding_count: consensus.unique(),
        disputed_assessment_count: consensus.disputed().len(),
        inter_reviewer_agreement: ReviewerAgreement {
            average_score_stddev: consensus.average_stddev(),
            findings_overlap_rate: consensus.overlap_rate(),
            severity_agreement_rate: consensus.severity_agreement_rate(),
        },
    };
    let Some(reply) = reply else {
        phase.warn("Nobody could consolidate the reviews; the report is computed from their scores and findings.");
        return Ok((action, closing::computed(&phase, "consolidation", "Consolidation", text, [], &data)?));
    };
    let exhibit = Exhibit::statement("Consolidation", &text).part("How the reviews were weighed", &reply.value.reasons);
    phase.show("consolidation", exhibit.by(reply.seat, "consolidator").turn(&reply.key).data(&data))?;
    Ok((action, Answer { kind: AnswerKind::Report, text, by: vec![reply.seat] }))
}

fn finding_text(finding: &MergedFinding) -> String {
    let mut text = format!("{} ({}, {})", finding.flaw().title, finding.severity.as_str(), finding.flaw().category);
    for (label, flaw) in &finding.flaws {
        text.push_str(&format!("\n{label}, {}", flaw_text(flaw)));
    }
    text
}

fn flaw_text(flaw: &Flaw) -> String {
    let place = if flaw.location.is_empty() { String::new() } else { format!(", at {}", flaw.location) };
    format!("{}{place}: {}. {} {} {}", flaw.severity.as_str(), flaw.title, flaw.description, flaw.impact, flaw.recommendation)
}

fn review_text(reviewer: &Reviewer, rubric: &Rubric) -> String {
    let mut text = String::new();
    for scored in rubric.criteria.iter().filter_map(|criterion| reviewer.review.score(&criterion.name)) {
        let score = scored.score.map_or_else(|| "not scored".to_owned(), |score| score.to_string());
        text.push_str(&format!("{} {score}: {}\n", scored.criterion, scored.justification));
    }
    if !reviewer.review.strengths.is_empty() {
        text.push_str(&format!("Strengths: {}\n", reviewer.review.strengths.join(" ")));
    }
    text + reviewer.review.summary.trim()
}

/// On each disputed criterion, whoever is farthest from the average, and why.
fn dissent(consensus: &Consensus) -> Vec<Dissent> {
    let disputed = consensus.disputed();
    let mut dissent = Vec::new();
    for (at, criterion) in consensus.rubric.criteria.iter().enumerate().filter(|(_, criterion)| disputed.contains(&criterion.name.as_str())) {
        let Some(average) = consensus.criteria[at].average else { continue };
        let far = |reviewer: &&Reviewer| reviewer.scores[at].map_or(0.0, |score| (score - average).abs());
        let farthest = consensus.reviewers.iter().reduce(|a, b| if far(&b) > far(&a) { b } else { a });
        if let Some((reviewer, scored)) = farthest.and_then(|reviewer| Some((reviewer, reviewer.review.score(&criterion.name)?))) {
            let score = scored.score.map(|score| score.to_string()).unwrap_or_default();
            let text = format!("{} is {score}, not {average}: {}", criterion.name, scored.justification);
            dissent.push(Dissent { seat: Some(reviewer.seat), label: Some(reviewer.label.clone()), text });
        }
    }
    dissent
}

#[cfg(test)]
mod tests;
