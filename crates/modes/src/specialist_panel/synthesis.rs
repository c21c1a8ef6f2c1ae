//! The joint report: written by the synthesizer, or put together from the reports where nobody can write.

use super::findings::{self, PanelFinding};
use super::rows::{RiskLevel, SynthesisRow};
use super::specialist::Specialist;
use super::{Decision, TopRisk};
use crate::closing;
use crate::text;
use serde_json::{Value, json};
use synod_engine::{Bench, Result, prompt};
use synod_math::Reception;
use synod_types::{Answer, AnswerKind, Exhibit};

/// Asks the synthesizer, then the specialists in seat order.
pub async fn write(
    bench: &Bench,
    specialists: &[Specialist],
    panel_findings: &[PanelFinding],
    answered: usize,
    absent: &[&str],
    decision: &Decision,
) -> Result<Answer> {
    let phase = bench.phase("synthesis");
    let reports: Vec<Value> = specialists.iter().map(|one| json!({"title": one.role.title, "text": one.text()})).collect();
    let [convergent, divergent] =
        [Reception::Convergent, Reception::Divergent].map(|reception| findings::lines(panel_findings, reception).join("\n"));
    let ask = prompt!("synthesis", reports, answered, convergent, divergent, absent);
    let writers = closing::seats_of(bench, "synthesizer", specialists.iter().map(|one| one.seat));
    let written = closing::write(&phase, &writers, ask, "The synthesis").await?;
    let text = written.as_ref().map_or_else(|| assemble(specialists, answered, absent, decision), |reply| reply.value.clone());
    let cited = findings::citations(&text);
    let (known, unknown): (Vec<String>, Vec<String>) = cited.into_iter().partition(|id| panel_findings.iter().any(|finding| finding.id == *id));
    if !unknown.is_empty() {
        phase.warn(format!("The synthesis cites findings that no report holds: {}.", unknown.join(", ")));
    }
    let data = SynthesisRow {
        specialist_count: specialists.len(),
        failed_count: absent.len(),
        convergent_finding_count: findings::count(panel_findings, Reception::Convergent, answered),
        divergent_finding_count: decision.conflicts,
        recommendation_count: count_recommendations(&text),
        top_risk: decision.top_risk.as_ref().map(name),
        overall_assessment: decision.overall.map(assessment),
        cited_findings: known,
        unknown_citations: unknown,
    };
    let Some(reply) = written else {
        phase.warn("Nobody could write the synthesis; the recommendations are put together as they stand.");
        return closing::computed(&phase, "synthesis", "Recommendations", text, specialists.iter().map(|one| one.seat), &data);
    };
    phase.show("synthesis", Exhibit::said("Synthesis", reply.seat, "synthesizer", &reply.key).data(&data))?;
    Ok(Answer { kind: AnswerKind::Synthesis, text, by: vec![reply.seat] })
}

/// How many recommendations stand under their heading; `None` without one.
pub fn count_recommendations(text: &str) -> Option<usize> {
    ["Recommendations", "Unified Recommendations"].iter().find_map(|name| text::section(text, name)).map(|list| text::items(list).len())
}

fn name(risk: &TopRisk) -> String {
    format!("{} ({})", risk.criterion, risk.role)
}

/// The overall mean in a word.
pub fn assessment(overall: f64) -> RiskLevel {
    match overall {
        mean if mean >= 4.0 => RiskLevel::Low,
        mean if mean >= 3.0 => RiskLevel::Moderate,
        mean if mean >= 2.0 => RiskLevel::High,
        _ => RiskLevel::Critical,
    }
}

/// What each specialist would do. Ratings and findings have exhibits of their own.
fn assemble(specialists: &[Specialist], answered: usize, absent: &[&str], decision: &Decision) -> String {
    let weakest = decision.top_risk.as_ref().and_then(|risk| specialists.iter().find(|one| one.role.id == risk.role));
    let first = weakest.into_iter().chain(specialists).find_map(|one| Some((one, one.report.recommendations.first()?)));
    let mut parts: Vec<String> =
        first.map(|(one, advice)| format!("{} That is what the {} asks for first.", advice.trim(), one.role.title)).into_iter().collect();
    if !absent.is_empty() {
        parts.push(format!("Not heard: {}.", absent.join(", ")));
    }
    if answered == 0 {
        parts.push("Nobody answered the others' findings, so what is shared or disputed is not known.".to_owned());
    }
    for specialist in specialists.iter().filter(|one| !one.report.recommendations.is_empty()) {
        let list: Vec<String> = (1..).zip(&specialist.report.recommendations).map(|(n, text): (usize, _)| format!("{n}. {text}")).collect();
        parts.push(format!("## {}\n\n{}", specialist.role.title, list.join("\n")));
    }
    parts.join("\n\n")
}
