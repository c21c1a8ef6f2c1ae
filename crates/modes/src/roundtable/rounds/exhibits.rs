//! What a reader is shown of a round: its responses, safety, camps and summary.

use super::Debate;
use super::analysis::{Alignment, Analysis};
use super::reply::vote_name;
use super::round::{Response, Round};
use crate::markdown;
use crate::roundtable::prompting::{SeatMoves, anchor};
use crate::roundtable::record::ClaimStatus;
use crate::roundtable::rows::*;
use synod_engine::{Bench, Result};
use synod_math::debate::outcome::{AgreementLevel, agreement_level};
use synod_types::{Cluster, Clusters, Exhibit, SeatIx, Shape, Statement, ToolRun};

pub fn show_responses(debate: &Debate, phase: &Bench, round: &Round) -> Result<()> {
    for response in &round.responses {
        let title = format!("{}, {}", round.title(), debate.names[response.seat]);
        let turn = &response.turn;
        let text = match &response.blocked {
            Some(reason) => format!("[withheld: {reason}]"),
            None => format!("{}\n\n{}", turn.position, turn.reasons),
        };
        if let Some(reason) = &response.blocked {
            phase.warn(format!("A response of {} was withheld: {}.", debate.display_name(response.seat), reason.trim_end_matches('.')));
        }
        // Not shown as a thread: the seats it answers mostly spoke in an earlier round, under the same names. The row names them.
        let shape = Shape::Statement(Statement { label: Some(debate.names[response.seat].clone()), text: Some(text), ..Statement::default() });
        let exhibit =
            Exhibit::new(title, shape).by(response.seat as SeatIx, "debater").turn(&response.key).data(&response_row(debate, round, response));
        phase.show(&round.prefix(), exhibit)?;
    }
    Ok(())
}

fn response_row(debate: &Debate, round: &Round, response: &Response) -> ResponseRow {
    let turn = &response.turn;
    // Of a response that was withheld nothing is kept that it said in its own words.
    let withheld = response.blocked.is_some();
    let text = |text: &String| (!withheld).then(|| text.clone());
    let list = |list: &Vec<String>| (!withheld).then(|| list.clone());
    let change = response.prior.map(|prior| ConfidenceChange {
        delta: turn.confidence - prior.confidence,
        previous_round: prior.round,
        reason: text(&turn.confidence_reason),
    });
    let tool = |run: &ToolRun| ToolCallRow {
        tool_name: run.name.clone(),
        input: run.input.clone(),
        output: run.output.clone(),
        error: run.error,
        timestamp: run.at,
    };
    ResponseRow {
        round: round.number,
        seat: debate.names[response.seat].clone(),
        role: debate.roles[response.seat].id.clone(),
        position: text(&turn.position),
        reasoning: text(&turn.reasons),
        confidence: turn.confidence,
        confidence_change: change,
        vote: turn.vote.clone(),
        position_change: turn.position_change.as_ref().and_then(text),
        stance: turn.stance.clone(),
        debate_alignment: round.assessment.alignment.get(&response.seat).copied(),
        epistemic_claims: response.label_counts,
        key_points: list(&turn.key_points),
        uncertainties: list(&turn.uncertainties),
        perspective_anchor: anchor(response.seat).0,
        citations: (!withheld).then(|| response.audit.references.clone()),
        tool_calls: (!withheld).then(|| response.tools.iter().map(tool).collect()),
        claims_touched: response.changes.clone(),
        direct_replies_to: list(&turn.replies_to),
        role_violation: response.violation.clone(),
        owed: response.owed.clone(),
        label_findings: (!withheld).then(|| response.audit.flaws.clone()),
        blocked: response.blocked.clone(),
    }
}

pub fn show_analysis(debate: &Debate, phase: &Bench, round: &Round) -> Result<()> {
    let assessment = &round.assessment;
    let analysis = assessment.analysis.clone().unwrap_or_default();
    let known = assessment.analysis.is_some();
    let position =
        |seat: usize| round.counted().find(|response| response.seat == seat).map(|response| response.turn.position.clone()).unwrap_or_default();
    let cluster = |(place, (camp, seats)): (usize, (usize, Vec<usize>))| {
        let theme = analysis.clusters.get(camp).filter(|_| !assessment.by_words);
        Cluster {
            id: format!("{}", place + 1),
            name: theme.map_or_else(|| format!("Camp {}", place + 1), |camp| camp.theme.clone()),
            theme: theme.map(|camp| camp.summary.clone()).unwrap_or_default(),
            items: seats.iter().map(|seat| (debate.display_name(*seat), position(*seat))).collect(),
            ..Cluster::default()
        }
    };
    let clusters: Vec<Cluster> = assessment.seats_by_camp().into_iter().enumerate().map(cluster).collect();
    let data = AnalysisRow {
        round: round.number,
        agreement_level: assessment.agreement(),
        leading_proposal: leading_proposal(&analysis),
        summary: known.then_some(analysis.summary),
        common_ground: analysis.common_ground,
        disagreement_points: analysis.disagreements,
        clusters: clusters
            .iter()
            .map(|cluster| CampRow {
                theme: cluster.name.clone(),
                seats: cluster.items.iter().map(|(seat, _)| seat.clone()).collect(),
                summary: cluster.theme.clone(),
            })
            .collect(),
        nuances: Nuances {
            partial_agreements: analysis.partial_agreements,
            conditional_positions: analysis.conditional_positions,
            uncertainties: analysis.uncertainties,
        },
        alignment: assessment.alignment.iter().map(|(seat, support)| Alignment { seat: debate.names[*seat].clone(), support: *support }).collect(),
        sigma: assessment.spread,
        source: assessment.source,
        by_words: assessment.by_words,
        groupthink_warning: GroupthinkWarning { detected: !analysis.groupthink_signs.is_empty(), indicators: analysis.groupthink_signs },
    };
    let exhibit = Exhibit::new(format!("{}: who stands together", round.title()), Shape::Clusters(Clusters { clusters })).data(&data);
    phase.show(&format!("{}_analysis", round.prefix()), exhibit)
}

/// The round for a reader: how far the seats agree and on what, who stands against whom, where each seat is, what is new.
pub fn show_summary(debate: &Debate, phase: &Bench, round: &Round) -> Result<()> {
    let assessment = &round.assessment;
    let analysis = assessment.analysis.clone().unwrap_or_default();
    let status = assessment.agreement().map(|agreement| (level_name(agreement_level(agreement)), agreement));
    let mut lines = vec![match status {
        Some((level, agreement)) => format!("**Agreement: {} ({:.0} %).** {}\n", level.to_uppercase(), agreement * 100.0, analysis.summary),
        None => "**Agreement: not measured.**\n".to_owned(),
    }];
    lines.extend(leading_proposal(&analysis).map(|text| format!("- Leading proposal: {text}")));
    lines.extend(analysis.common_ground.iter().map(|point| format!("- Agreed: {point}")));
    let sides = |one: &[String], other: &[String]| match (one.is_empty(), other.is_empty()) {
        (false, false) => format!(" ({} against {})", one.join(", "), other.join(", ")),
        (true, true) => String::new(),
        _ => format!(" ({})", [one, other].concat().join(", ")),
    };
    lines.extend(analysis.disagreements.iter().map(|point| format!("- Open: {}{}", point.point, sides(&point.one_side, &point.other_side))));
    let seats = round.counted().map(|response| {
        let alignment = debate.record.seats[response.seat].alignment.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
        let vote = response.turn.vote().map_or("–", vote_name).to_owned();
        let point = response.turn.key_points.first().unwrap_or(&response.turn.position).clone();
        vec![debate.display_name(response.seat), alignment, format!("{:.2}", response.turn.confidence), vote, point]
    });
    lines.push(format!("\n{}\n", markdown::table(["seat", "alignment", "confidence", "vote", "key point"], seats)));
    for claim in debate.record.new_facts_after(round.record_before.claims) {
        let sources = claim.support.iter().filter_map(|id| debate.record.evidence.iter().find(|evidence| evidence.id == *id));
        let sources: Vec<String> = sources.map(|evidence| format!("{} {}", evidence.id, evidence.title)).collect();
        lines.push(format!("- New fact {}: {} [{}]", claim.id, claim.text, sources.join("; ")));
    }
    for response in round.counted() {
        let owed = &response.owed;
        lines.extend((!owed.is_empty()).then(|| format!("- Owed: {} left {} unanswered", debate.names[response.seat], owed.join(", "))));
        lines.extend(response.audit.flaws.iter().map(|flaw| format!("- Labels, {}: {}", debate.names[response.seat], flaw.describe())));
    }
    let record = &debate.record;
    let data = SummaryRow {
        round: round.number,
        status: status.map(|(level, _)| level),
        one_liner: assessment.analysis.as_ref().map(|analysis| analysis.one_liner.clone()),
        leading_proposal: leading_proposal(&analysis),
        new_claims: record.claims.iter().skip(round.record_before.claims).map(|claim| claim.id.clone()).collect(),
        new_evidence: record.evidence.iter().skip(round.record_before.evidence).map(|evidence| evidence.id.clone()).collect(),
        decisions: record.decisions.iter().skip(round.record_before.decisions).map(|decision| decision.id.clone()).collect(),
        contested: record.claims.iter().filter(|claim| claim.status == ClaimStatus::Contested).map(|claim| claim.id.clone()).collect(),
    };
    phase.show(&format!("{}_summary", round.prefix()), Exhibit::note(format!("{}: summary", round.title()), lines.join("\n")).data(&data))
}

fn leading_proposal(analysis: &Analysis) -> Option<String> {
    Some(analysis.leading_proposal.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

pub fn level_name(level: AgreementLevel) -> &'static str {
    match level {
        AgreementLevel::High => "high",
        AgreementLevel::Medium => "medium",
        AgreementLevel::Low => "low",
    }
}

/// One seat's part in a round, for its summary.
pub fn seat_moves(debate: &Debate, response: &Response) -> SeatMoves {
    let changes = &response.changes;
    let moves = vec![
        ("introduced", changes.introduced.clone()),
        ("supported", changes.reinforced.clone()),
        ("disputed", changes.challenged.clone()),
        ("withdrew", changes.withdrawn.clone()),
    ];
    SeatMoves {
        name: debate.names[response.seat].clone(),
        confidence: response.turn.confidence,
        delta: response.delta(),
        moves,
        note: response.turn.key_points.first().cloned().unwrap_or_default(),
    }
}
