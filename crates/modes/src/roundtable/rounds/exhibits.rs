//! What a reader is shown of a round: its responses, safety, camps and summary.

use super::Debate;
use super::analysis::{Alignment, Analysis, Disagreement, SameRisk};
use super::reply::vote_name;
use super::round::{Response, Round};
use crate::roundtable::prompting::SeatMoves;
use crate::roundtable::record::ClaimStatus;
use crate::roundtable::rows::*;
use crate::{attendance, markdown};
use synod_engine::{Bench, Result};
use synod_math::debate::outcome::agreement_level;
use synod_types::{Cluster, Clusters, Exhibit, SeatIx, Shape};

/// A row for every seat that was asked, in seat order.
pub fn show_responses(debate: &Debate, phase: &Bench, round: &Round) -> Result<()> {
    for seat in 0..debate.seats() {
        let title = format!("{}, {}", round.title(), debate.named_part(seat));
        if let Some(failed) = round.failures.iter().find(|failed| failed.seat as usize == seat) {
            let row = ResponseRow::absent(debate, round, failed);
            phase.show(&round.prefix(), attendance::failure(title, "debater", failed).data(&row))?;
            continue;
        }
        let Some(response) = round.responses.iter().find(|response| response.seat == seat) else { continue };
        if let Some(reason) = &response.blocked {
            phase.warn(format!("A response of {} was withheld: {}.", debate.display_name(response.seat), reason.trim_end_matches('.')));
        }
        let row = ResponseRow::new(debate, round, response);
        phase.show(&round.prefix(), row.exhibit(title, response.seat as SeatIx).turn(&response.key))?;
    }
    Ok(())
}

pub fn show_analysis(debate: &Debate, phase: &Bench, round: &Round) -> Result<()> {
    let assessment = &round.assessment;
    let analysis = assessment.analysis.clone().unwrap_or_default();
    let known = assessment.analysis.is_some();
    let camp = |(place, (camp, seats)): (usize, (usize, Vec<usize>))| {
        let read = analysis.clusters.get(camp).filter(|_| !assessment.by_words);
        CampRow {
            theme: read.map_or_else(|| format!("Camp {}", place + 1), |camp| camp.theme.clone()),
            seats: seats.iter().map(|seat| debate.display_name(*seat)).collect(),
            summary: read.map(|camp| camp.summary.clone()).unwrap_or_default(),
        }
    };
    let row = AnalysisRow {
        round: round.number,
        agreement_level: assessment.agreement(),
        leading_proposal: leading_proposal(&analysis),
        clusters: assessment.seats_by_camp().into_iter().enumerate().map(camp).collect(),
        summary: known.then_some(analysis.summary),
        common_ground: analysis.common_ground,
        disagreement_points: analysis.disagreements,
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
        decisions: analysis.decisions,
        same_risks: analysis.same_risks,
        reasons: known.then_some(analysis.reasons),
    };
    let position = |name: &String| {
        let seat = (0..debate.seats()).find(|seat| debate.display_name(*seat) == *name)?;
        Some((name.clone(), round.response_of(seat)?.turn.position.clone()))
    };
    // Camps that whoever read the round described otherwise than they could be counted are told too.
    let unused = assessment.analysis.iter().filter(|_| assessment.by_words).flat_map(|analysis| &analysis.clusters);
    let unused: Vec<String> = unused.map(|camp| format!("{} ({}): {}", camp.theme, camp.seats.join(", "), camp.summary)).collect();
    let mut exhibit = row.exhibit(format!("{}: who stands together", round.title()), &position).list("Camps as they were read, not used", unused);
    if !round.is_regular() {
        exhibit = row.with_points(exhibit);
    }
    phase.show(&format!("{}_analysis", round.prefix()), exhibit.data(&row))
}

impl AnalysisRow {
    fn exhibit(&self, title: String, position: &dyn Fn(&String) -> Option<(String, String)>) -> Exhibit {
        let cluster = |(place, camp): (usize, &CampRow)| Cluster {
            id: format!("{}", place + 1),
            name: camp.theme.clone(),
            theme: camp.summary.clone(),
            items: camp.seats.iter().filter_map(position).collect(),
            ..Cluster::default()
        };
        let clusters = self.clusters.iter().enumerate().map(cluster).collect();
        let one = |pair: &SameRisk| format!("{} says the same as {}", pair.id, pair.same_as);
        Exhibit::new(title, Shape::Clusters(Clusters { clusters }))
            .list("How it was read", &self.reasons)
            .list("Agreed in part", &self.nuances.partial_agreements)
            .list("Only under a condition", &self.nuances.conditional_positions)
            .list("Not known", &self.nuances.uncertainties)
            .list("Settled", &self.decisions)
            .list("One problem in two words", self.same_risks.iter().map(one))
            .list("Signs of agreeing for its own sake", &self.groupthink_warning.indicators)
    }

    /// What a round comes to; of a regular round the summary tells it.
    fn with_points(&self, exhibit: Exhibit) -> Exhibit {
        let agreement = self.agreement_level.map(|agreement| format!("{agreement:.2}"));
        exhibit
            .list("Agreement", agreement)
            .list("Summary", &self.summary)
            .list("Leading proposal", &self.leading_proposal)
            .list("Agreed", &self.common_ground)
            .list("Open", self.disagreement_points.iter().map(with_sides))
    }
}

/// A disagreement with who stands against whom.
fn with_sides(point: &Disagreement) -> String {
    let (one, other) = (&point.one_side, &point.other_side);
    match (one.is_empty(), other.is_empty()) {
        (false, false) => format!("{} ({} against {})", point.point, one.join(", "), other.join(", ")),
        (true, true) => point.point.clone(),
        _ => format!("{} ({})", point.point, [one.as_slice(), other].concat().join(", ")),
    }
}

/// The round for a reader: how far the seats agree and on what, who stands against whom, where each seat is, what is new.
pub fn show_summary(debate: &Debate, phase: &Bench, round: &Round) -> Result<()> {
    let assessment = &round.assessment;
    let analysis = assessment.analysis.clone().unwrap_or_default();
    let status = assessment.agreement().map(|agreement| (agreement_level(agreement).as_str(), agreement));
    let mut lines = vec![match status {
        Some((level, agreement)) => format!("**Agreement: {} ({:.0} %).** {}\n", level.to_uppercase(), agreement * 100.0, analysis.summary),
        None => "**Agreement: not measured.**\n".to_owned(),
    }];
    lines.extend(leading_proposal(&analysis).map(|text| format!("- Leading proposal: {text}")));
    lines.extend(analysis.common_ground.iter().map(|point| format!("- Agreed: {point}")));
    lines.extend(analysis.disagreements.iter().map(|point| format!("- Open: {}", with_sides(point))));
    lines.extend(Some(&analysis.one_liner).filter(|line| !line.trim().is_empty()).map(|line| format!("- In a line: {line}")));
    let seats = round.counted().map(|response| {
        let alignment = assessment.alignment.get(&response.seat).map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
        let shown = if debate.is_free(response.seat) { "" } else { " (not counted)" };
        let vote = response.turn.vote().map_or("–".to_owned(), |vote| format!("{}{shown}", vote_name(vote)));
        let point = response.turn.key_points.first().unwrap_or(&response.turn.position).clone();
        let part = debate.roles[response.seat].id.clone();
        vec![debate.display_name(response.seat), part, alignment, format!("{:.2}", response.turn.confidence), vote, point]
    });
    lines.push(format!("\n{}\n", markdown::table(["seat", "part", "alignment", "confidence", "vote", "key point"], seats)));
    for claim in debate.record.new_facts_after(round.record_before.claims) {
        let sources = claim.support.iter().filter_map(|id| debate.record.evidence.iter().find(|evidence| evidence.id == *id));
        let sources: Vec<String> = sources.map(|evidence| format!("{} {}", evidence.id, evidence.title)).collect();
        lines.push(format!("- New fact {}: {} [{}]", claim.id, claim.text, sources.join("; ")));
    }
    for response in round.counted() {
        let (name, owed) = (&debate.names[response.seat], &response.owed);
        lines.extend((!owed.is_empty()).then(|| format!("- Owed: {name} left {} unanswered", owed.join(", "))));
        let stands: Vec<&str> = response.turn.mitigations.iter().filter(|word| !word.answered).map(|word| word.id.as_str()).collect();
        lines.extend((!stands.is_empty()).then(|| format!("- Stands: {name} has no answer to {}", stands.join(", "))));
        let broken = response.violation.as_ref();
        lines.extend(broken.map(|broken| format!("- Role: {name} was to give {} and gave {}", broken.expected, broken.given())));
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
