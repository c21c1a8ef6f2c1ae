//! The joint report: written by the synthesizer, or put together from the reports where nobody can write.

use super::findings::{self, PanelFinding};
use super::specialist::Specialist;
use super::{Decision, TopRisk};
use crate::text;
use serde_json::{Value, json};
use synod_engine::{Bench, Result, prompt};
use synod_math::Reception;
use synod_types::{Answer, AnswerKind, Exhibit, SeatIx};

/// Asks the synthesizer, then the specialists in seat order.
pub async fn write(
    bench: &Bench,
    specialists: &[Specialist],
    held: &[PanelFinding],
    answered: usize,
    absent: &[&str],
    decision: &Decision,
) -> Result<Answer> {
    let stage = bench.phase("synthesis");
    let reports: Vec<Value> = specialists.iter().map(|one| json!({"title": one.role.title, "text": one.text()})).collect();
    let [convergent, divergent] = [Reception::Convergent, Reception::Divergent].map(|reception| findings::lines(held, reception).join("\n"));
    let ask = prompt!("synthesis", reports, answered, convergent, divergent, absent);
    let mut writers: Vec<SeatIx> = bench.role("synthesizer").to_vec();
    writers.extend(specialists.iter().map(|one| one.seat).filter(|seat| !bench.role("synthesizer").contains(seat)));
    let Some(given) = stage.ask_first::<String>(&writers, ask).await? else {
        stage.warn("Nobody could write the synthesis; findings, ratings and recommendations are put together as they stand.");
        let by = specialists.iter().map(|one| one.seat).collect();
        return Ok(Answer { kind: AnswerKind::Computed, text: put_together(specialists, held, answered, absent, decision), by });
    };
    if given.partial {
        stage.warn("The synthesis was cut off at its token limit: its end is missing.");
    }
    let cited = findings::citations(&given.value);
    let (known, unknown): (Vec<&String>, Vec<&String>) = cited.iter().partition(|id| held.iter().any(|held| held.id == **id));
    if !unknown.is_empty() {
        let ids: Vec<&str> = unknown.iter().map(|id| id.as_str()).collect();
        stage.warn(format!("The synthesis cites findings that no report holds: {}.", ids.join(", ")));
    }
    let data = json!({
        "specialistCount": specialists.len(), "failedCount": absent.len(),
        "convergentFindingCount": findings::known(held, Reception::Convergent, answered),
        "divergentFindingCount": decision.conflicts,
        "recommendationCount": recommendations(&given.value), "topRisk": decision.top_risk.as_ref().map(name),
        "overallAssessment": decision.overall.map(assessment), "citedFindings": known, "unknownCitations": unknown,
    });
    stage.show("synthesis", Exhibit::said("Synthesis", given.seat, "synthesizer", &given.key).data(&data))?;
    Ok(Answer { kind: AnswerKind::Synthesis, text: given.value, by: vec![given.seat] })
}

/// How many recommendations stand under their heading; `None` without one.
pub fn recommendations(text: &str) -> Option<usize> {
    ["Recommendations", "Unified Recommendations"].iter().find_map(|name| text::section(text, name)).map(|list| text::items(list).len())
}

fn name(risk: &TopRisk) -> String {
    format!("{} ({})", risk.criterion, risk.role)
}

/// The overall mean in a word.
pub fn assessment(overall: f64) -> &'static str {
    match overall {
        mean if mean >= 4.0 => "low_risk",
        mean if mean >= 3.0 => "moderate_risk",
        mean if mean >= 2.0 => "high_risk",
        _ => "critical_risk",
    }
}

fn put_together(specialists: &[Specialist], held: &[PanelFinding], answered: usize, absent: &[&str], decision: &Decision) -> String {
    let mut parts = vec!["# What the specialists reported".to_owned()];
    if let Some(overall) = decision.overall {
        let lowest = decision.top_risk.as_ref().map(|risk| format!("; lowest: {} with {}", name(risk), risk.score)).unwrap_or_default();
        parts.push(format!("Mean rating {overall} of 5, where 5 is best{lowest}."));
    }
    if !absent.is_empty() {
        parts.push(format!("Not heard: {}.", absent.join(", ")));
    }
    if answered == 0 {
        parts.push("Nobody answered the others' findings, so what is shared or disputed is not known.".to_owned());
    }
    let headings = [
        (Reception::Divergent, "## Findings in dispute"),
        (Reception::Convergent, "## Findings that others share"),
        (Reception::Alone, "## Findings nobody else spoke to"),
    ];
    for (reception, heading) in headings {
        let lines = findings::lines(held, reception);
        if !lines.is_empty() {
            parts.push(format!("{heading}\n\n{}", lines.join("\n")));
        }
    }
    for specialist in specialists {
        let average = specialist.average().map_or("none given".to_owned(), |average| format!("mean {average}"));
        parts.push(format!("## {}\n\nRatings ({average}):\n\n{}", specialist.role.title, specialist.ratings()));
        if !specialist.report.recommendations.is_empty() {
            let list: Vec<String> = (1..).zip(&specialist.report.recommendations).map(|(n, text): (usize, _)| format!("{n}. {text}")).collect();
            parts.push(format!("Recommendations:\n\n{}", list.join("\n")));
        }
    }
    parts.join("\n\n")
}
