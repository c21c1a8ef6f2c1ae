//! Specialist Panel: each seat assesses the material from a role of its own, answers the others' findings, and one report joins them.

mod cross_review;
mod findings;
mod preset_roles;
mod report;
mod roles;
mod rows;
mod specialist;
mod synthesis;
#[cfg(test)]
mod tests;

use crate::attendance;
use cross_review::CrossReview;
use report::Report;
use roles::{CustomRole, Role};
use rows::{ConvergenceRow, CrossReviewRow, ReportRow, SynthesisRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use specialist::Specialist;
use synod_engine::{
    Answers, Bench, Example, FigureKind, Means, Mode, ModeResult, PlannedCalls, RequestName, Result, SeatFailure, Seating, Stage, chair, each, mode,
    prompt,
};
use synod_math::Reception;
use synod_types::*;

/// A panel needs at least two reports.
const LEAST_REPORTS: usize = 2;

pub static MODE: Mode = mode! {
    id: "specialist_panel", version: 4, name: "Specialist Panel", family: RoleBased, seats: 3..=7, roles: &[each("specialist"), chair("synthesizer")],
    summary: "Each seat assesses the material from an expert role of its own, the roles answer each other's findings, and one report joins them.",
    pick: "Take it to review a design or a plan from several sides at once, where views complete each other rather than compete.",
    phases: &["report", "cross_review", "synthesis"],
    stages: &[
        Stage::from_seat::<ReportRow>("specialist_{id}", "{id}"),
        Stage::from_seat::<CrossReviewRow>("cross_review", "specialist"),
        Stage::computed::<ConvergenceRow>("convergence"),
        Stage::from_seat::<SynthesisRow>("synthesis", "synthesizer"),
        Stage::computed::<SynthesisRow>("synthesis").stand_in(),
    ],
    figures: &[
        FigureKind::mean("overall", "Mean score of the material"),
        FigureKind::mean("conflicts", "Findings that specialists disagree on"),
    ],
    multi_turn: false, estimated_ms: 150_000, turn_secs: 150, run_secs: 600,
    cost: "2n + 1 for n roles",
    example: Example { options: &[("roles", "security_expert,cost_analyst,devops_engineer")], content: Some("design.md"), ..Example::ask("What is wrong with this design?") },
    failure_rule: "Two reports are enough, and the synthesis names the perspectives that are missing. A cross-review that fails leaves its stances out. If the synthesizer fails, the specialists are asked in seat order; if nobody can write, the recommendations are put together as they stand.",
    prompts: ["report", "cross_review", "synthesis"], seats_from_options: seat_titles,
    request_names: &[
        RequestName { name: "specialists", means: Means::Parts(roles::specialists) },
        RequestName::role("synthesizerModel", "synthesizer"),
    ],
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Roles by id, two to six, each once: security_expert, scalability_architect, cost_analyst, devops_engineer, data_architect,
    /// performance_engineer, ux_designer, compliance_officer, or a custom role's id. None: your custom roles, then these in this order, one a
    /// model and at least three. A panel has three seats, so two roles need a chair to write the report.
    #[schemars(length(max = 6))]
    pub roles: Vec<String>,
    /// Roles of your own. An id is custom_ and the title in lower case, words joined by _.
    #[schemars(length(max = 6))]
    pub custom_roles: Vec<CustomRole>,
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        roles::check(self)
    }
}

/// A seat for every role; the models are dealt round.
fn seat_titles(options: &Options, models: usize) -> Vec<String> {
    roles::select(options, models).into_iter().map(|role| role.title).collect()
}

/// What a script branches on. Ratings run from 1 to 5, and 5 is best.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The mean of the roles' averages, to a tenth; null if nobody rated anything.
    pub overall: Option<f64>,
    pub by_role: Vec<RoleAverage>,
    /// The lowest rating of all, the first of equals.
    pub top_risk: Option<TopRisk>,
    /// Findings that at least one other specialist contradicts; null if nobody answered the others' findings.
    pub conflicts: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RoleAverage {
    pub role: String,
    /// Null if it rated none of its criteria.
    pub average: Option<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TopRisk {
    pub role: String,
    pub criterion: String,
    pub score: f64,
}

impl TopRisk {
    fn told(&self, notes: &str) -> String {
        let notes = if notes.is_empty() { String::new() } else { format!(": {notes}") };
        format!("{}, {} of 5 ({}){notes}", self.criterion, self.score, self.role.replace('_', " "))
    }
}

fn calls(_: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    vec![
        PlannedCalls { prompt: "report", role: "specialist", min: n, max: n, reads: 0, max_tokens: None },
        PlannedCalls { prompt: "cross_review", role: "specialist", min: n, max: n, reads: n.saturating_sub(1), max_tokens: None },
        PlannedCalls { prompt: "synthesis", role: "synthesizer", min: 1, max: 1, reads: 2 * n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let seats = bench.role("specialist").to_vec();
    let roles = roles::select(&options, seats.len());
    let table: Vec<(SeatIx, Role)> = seats.into_iter().zip(roles).collect();
    let mut specialists = report(bench, &table).await?;
    let reviews = cross_review(bench, &specialists).await?;
    let read_reviews: Vec<(usize, &CrossReview)> =
        specialists.iter().enumerate().filter_map(|(at, specialist)| reviews.of(specialist.seat).map(|reply| (at, &reply.value))).collect();
    let panel_findings = findings::with_stances(&specialists, &read_reviews);
    let answered = read_reviews.len();
    for specialist in &mut specialists {
        specialist.changes = reviews.of(specialist.seat).map(|reply| reply.value.changes.clone()).unwrap_or_default();
    }
    let risks = top_risks(&specialists);
    let exhibit = findings::exhibit(&panel_findings, answered).list("Top risks", risks.iter().take(TOP_RISKS).map(|(risk, notes)| risk.told(notes)));
    bench.phase("cross_review").show("convergence", exhibit)?;

    let decision = Decision {
        overall: specialist::average(specialists.iter().map(Specialist::average)),
        by_role: specialists.iter().map(|one| RoleAverage { role: one.role.id.clone(), average: one.average() }).collect(),
        top_risk: risks.into_iter().next().map(|(risk, _)| risk),
        conflicts: findings::count(&panel_findings, Reception::Divergent, answered),
    };
    bench.figure("conflicts", decision.conflicts.map(f64::from));
    bench.figure("overall", decision.overall);
    let absent: Vec<&str> =
        table.iter().filter(|(seat, _)| !specialists.iter().any(|one| one.seat == *seat)).map(|(_, role)| role.title.as_str()).collect();
    let answer = synthesis::write(bench, &specialists, &panel_findings, answered, &absent, &decision).await?;
    Ok(ModeResult::ended("finished", answer)
        .decision(summary(&decision), &decision)
        .unsure("each specialist speaks for a field; none voted")
        .dissent(findings::dissent(&panel_findings))
        .data(&json!({"roles": table.iter().map(|(_, role)| role.id.as_str()).collect::<Vec<_>>(), "unavailable": absent})))
}

fn summary(decision: &Decision) -> String {
    let overall = decision.overall.map_or_else(|| "rated nothing".to_owned(), |overall| format!("rate it {overall} of 5"));
    let risk = decision.top_risk.as_ref().map(|risk| format!("; weakest is {}, {} of 5", risk.criterion, risk.score)).unwrap_or_default();
    let disputed = match decision.conflicts {
        None => "; nobody answered the others' findings".to_owned(),
        Some(0) => "; no finding is disputed".to_owned(),
        Some(1) => "; 1 finding is disputed".to_owned(),
        Some(conflicts) => format!("; {conflicts} findings are disputed"),
    };
    format!("{} specialists {overall}{risk}{disputed}.", decision.by_role.len())
}

/// Every specialist assesses the material alone.
async fn report(bench: &Bench, table: &[(SeatIx, Role)]) -> Result<Vec<Specialist>> {
    let phase = bench.phase("report");
    let seats: Vec<SeatIx> = table.iter().map(|(seat, _)| *seat).collect();
    let role_of = |seat: SeatIx| table.iter().find(|(other, _)| *other == seat).map(|(_, role)| role);
    let reports: Answers<Report> = phase
        .ask_each(&seats, &|seat| {
            let role = role_of(seat);
            prompt!("report", role).ids("criteria", role.map(|role| role.criteria.clone()).unwrap_or_default())
        })
        .await?;
    let mut specialists = Vec::new();
    for (number, (seat, role)) in (1..).zip(table) {
        let name = format!("specialist_{}", role.id);
        let reply = match reports.outcome(*seat) {
            Some(Ok(reply)) => reply,
            Some(Err(failed)) => {
                phase.show(&name, absent_report(role, failed))?;
                continue;
            }
            None => continue,
        };
        let (specialist, dropped) = Specialist::new(number, role.clone(), reply);
        if dropped > 0 {
            let kept = report::FINDINGS;
            phase.warn(format!("{} gave {} findings; the first {kept} are counted.", role.title, kept + dropped));
        }
        phase.show(&name, specialist.exhibit())?;
        specialists.push(specialist);
    }
    // After the rows are shown, so that a single report is kept even where it is not enough.
    reports.quorum(LEAST_REPORTS)?;
    Ok(specialists)
}

/// Every specialist reads the others' findings, never its own, and says where it agrees, disagrees or knows more.
async fn cross_review(bench: &Bench, specialists: &[Specialist]) -> Result<Answers<CrossReview>> {
    let phase = bench.phase("cross_review");
    let seats: Vec<SeatIx> = specialists.iter().map(|specialist| specialist.seat).collect();
    let own: Vec<Option<usize>> = (0..seats.len()).map(Some).collect();
    let orders = synod_math::orders(bench.seed("orders"), &own, seats.len());
    let place = |seat: SeatIx| seats.iter().position(|other| *other == seat).unwrap_or_default();
    let mut reviews: Answers<CrossReview> = phase
        .ask_each(&seats, &|seat| {
            let me = &specialists[place(seat)];
            let others: Vec<&Specialist> = orders[place(seat)].iter().map(|other| &specialists[*other]).collect();
            let ids: Vec<String> = others.iter().flat_map(|other| other.findings().map(|(id, _)| id)).collect();
            let others: Vec<Value> = others.iter().map(|other| findings_for_prompt(other)).collect();
            prompt!("cross_review", role = me.role, ratings = me.ratings(), others).ids("findings", ids).ids("criteria", me.role.criteria.clone())
        })
        .await?;
    for reply in &mut reviews.replies {
        reply.value.changes.retain(|change| report::on_scale(change.score).is_some());
    }
    for specialist in specialists {
        let exhibit = match reviews.outcome(specialist.seat) {
            Some(Ok(reply)) => review_exhibit(specialist, specialists, &reply.value).turn(&reply.key),
            Some(Err(failed)) => absent_review(specialist, failed),
            None => continue,
        };
        phase.show("cross_review", exhibit)?;
    }
    Ok(reviews)
}

fn absent_report(role: &Role, failed: &SeatFailure) -> Exhibit {
    let data = ReportRow {
        role_id: role.id.clone(),
        role_title: role.title.clone(),
        total_criteria: role.criteria.len(),
        error: Some(failed.failure.to_string()),
        ..ReportRow::default()
    };
    attendance::failure(format!("{} report", role.title), "specialist", failed).by(failed.seat, &role.id).data(&data)
}

fn absent_review(reader: &Specialist, failed: &SeatFailure) -> Exhibit {
    let data = CrossReviewRow { role_id: reader.role.id.clone(), error: Some(failed.failure.to_string()), ..CrossReviewRow::default() };
    attendance::failure(review_title(reader), "specialist", failed).data(&data)
}

fn review_title(reader: &Specialist) -> String {
    format!("{} on the others' findings", reader.role.title)
}

fn findings_for_prompt(specialist: &Specialist) -> Value {
    let findings: Vec<Value> = specialist.findings().map(|(id, text)| json!({"id": id, "text": text})).collect();
    json!({"title": specialist.role.title, "findings": findings})
}

fn review_exhibit(reader: &Specialist, specialists: &[Specialist], review: &CrossReview) -> Exhibit {
    let all: Vec<(String, &str, &str)> =
        specialists.iter().flat_map(|one| one.findings().map(|(id, text)| (id, text, one.role.title.as_str()))).collect();
    let mut entries: Vec<FindingEntry> = Vec::new();
    for stance in &review.stances {
        if let Some((id, text, by)) = all.iter().find(|(id, ..)| *id == stance.id && !entries.iter().any(|entry| entry.id == *id)) {
            let (title, fate) = (text.to_string(), stance.stance.as_str().to_owned());
            entries.push(FindingEntry {
                id: id.clone(),
                title,
                by: vec![by.to_string()],
                fate,
                reply: stance.why.clone(),
                ..FindingEntry::default()
            });
        }
    }
    let none = format!("{} read the others' findings and took no stance.", reader.role.title);
    let (role_id, stances, rating_changes) = (reader.role.id.clone(), review.stances.clone(), review.changes.clone());
    let data = CrossReviewRow { role_id, stances, rating_changes, error: None };
    let changes = review.changes.iter().map(|change| format!("{} is now {}: {}", change.criterion, change.score, change.why));
    Exhibit::new(review_title(reader), Shape::Findings(Findings { entries, none }))
        .part("What they mean from here", &review.reasons)
        .list("Ratings changed", changes)
        .by(reader.seat, "specialist")
        .data(&data)
}

/// So many of the lowest ratings are shown as risks.
const TOP_RISKS: usize = 5;

/// The ratings that stand, lowest first and equals in order, each with what it rests on.
fn top_risks(specialists: &[Specialist]) -> Vec<(TopRisk, String)> {
    let all = specialists.iter().flat_map(|one| one.criterion_ratings().into_iter().map(|rating| (one.role.id.clone(), rating)));
    let rated = |(role, rating): (String, specialist::CriterionRating<'_>)| {
        let notes = rating.why.unwrap_or(rating.notes).trim().to_owned();
        rating.now.map(|score| (TopRisk { role, criterion: rating.criterion.to_owned(), score }, notes))
    };
    let mut risks: Vec<(TopRisk, String)> = all.filter_map(rated).collect();
    risks.sort_by(|(a, _), (b, _)| a.score.total_cmp(&b.score));
    risks
}
