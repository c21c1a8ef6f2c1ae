//! Reflexion: what has to be mended about a card, and the revised cards. The author of a card revises it; one that was given is revised by a seat.

use super::docket::Docket;
use super::position::{Position, reason_text};
use crate::collapse::cards::draft::{Draft, with_ids};
use crate::collapse::cards::excerpt::excerpts;
use crate::collapse::cards::records::ApprovalDecision;
use crate::collapse::cards::text;
use crate::collapse::rows::RevisionRow;
use crate::first_reply;
use synod_engine::{Bench, Result, prompt};
use synod_math::collapse::gates::{CardState, Gate, ReceiptState};
use synod_math::collapse::{above, below};
use synod_types::{Exhibit, SeatIx};

/// Something an author is asked to mend.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Which trigger asked for it.
    pub trigger: &'static str,
    pub text: String,
}

fn demand(trigger: &'static str, text: impl Into<String>) -> Demand {
    Demand { trigger, text: text.into() }
}

/// What a card must mend whatever the others score, because the verifier, a gate, a person or a critical doubt stopped it.
pub fn demands_after_refusal(position: &Position) -> Vec<Demand> {
    let mut out = Vec::new();
    if position.receipt == ReceiptState::Fail {
        let checks = position.failed_checks.iter().map(|check| match check.remediation.trim() {
            "" => check.check.clone(),
            cure => format!("{} ({cure})", check.check),
        });
        let checks: Vec<String> = checks.collect();
        let what = match (checks.as_slice(), position.findings.lines().next()) {
            ([], None) => "see what the card claims without showing it".to_owned(),
            ([], Some(found)) => found.to_owned(),
            (checks, _) => checks.join("; "),
        };
        out.push(demand("verifier_rejects", format!("The verifier did not let the card pass: {what}")));
    }
    for reason in position.gates.reasons.iter().filter(|reason| reason.state == CardState::Rejected && reason.gate != Gate::Verifier) {
        out.push(demand("gate_rejects", format!("{}: {}", reason.gate.id(), reason_text(position, reason))));
    }
    if position.parked_by_doubts() {
        let doubts: Vec<String> = position.open_subjects().map(|reason| reason_text(position, reason)).collect();
        out.push(demand("critical_doubt", format!("Mitigate, or show with evidence that it does not hold: {}", doubts.join("; "))));
    }
    for approval in position.approvals.iter().filter(|approval| approval.decision == ApprovalDecision::Revise) {
        out.push(demand("person_asks", format!("A person wants {} changed: {}", approval.subject, approval.note)));
    }
    out
}

/// What a card should mend before it is taken: the figure, the limit, and what would meet it.
pub fn demands_for_quality(position: &Position, docket: &Docket) -> Vec<Demand> {
    let policy = &docket.options.policy;
    let (terms, card) = (&position.score.terms, &position.card);
    let mut out = Vec::new();
    // A skeptic who adds nothing leaves the card's own score, which may be too low already.
    let doubted = position.doubted.as_ref().unwrap_or(&position.score).value;
    if below(doubted, policy.skeptic_floor) {
        let doubts: Vec<String> = position.doubts.iter().filter(|doubt| doubt.stands()).map(|doubt| text::risk(&doubt.risk)).collect();
        let what = match doubts.as_slice() {
            [] => "mitigate its own risks".to_owned(),
            doubts => format!("mitigate what the skeptic added, or show that it does not hold: {}", doubts.join("; ")),
        };
        out.push(demand("skeptic_score", format!("score with the doubts {doubted:.2} is below {:.2}: {what}", policy.skeptic_floor)));
    }
    if below(terms.evidence, policy.evidence_floor) {
        let text = format!("evidence {:.2} is below {:.2}: bring more or better proof", terms.evidence, policy.evidence_floor);
        out.push(demand("evidence_quality", text));
    }
    if let Some(estimate) = card.cost_estimate.filter(|estimate| above(card.cost as f64, policy.cost_overrun * *estimate as f64)) {
        let limit = policy.cost_overrun * estimate as f64;
        out.push(demand("cost_overrun", format!("cost {} is above {limit}, {} times the estimate: simplify it", card.cost, policy.cost_overrun)));
    }
    if let Some(range) = docket.expert_range(position.id()).filter(|range| above(*range, policy.expert_range)) {
        let text = format!("the experts are {range:.2} apart on it, more than {:.2}: say what would settle that", policy.expert_range);
        out.push(demand("experts_disagree", text));
    }
    out
}

/// What every viable card is asked for when none is good enough and nothing in particular is wrong with any.
pub fn general_demand(position: &Position, docket: &Docket) -> Demand {
    let concerns = if position.concerns.is_empty() { String::new() } else { format!(" Answer these: {}", position.concerns.join("; ")) };
    let (score, threshold) = (position.score.value, docket.options.policy.threshold);
    demand("below_threshold", format!("The card scores {score:.2}, and must come above {threshold}.{concerns}"))
}

/// Who may revise a card, in the order they are asked: its author alone, and any seat where it was given as it is.
fn revisers(docket: &Docket, at: usize) -> Vec<SeatIx> {
    match docket.positions[at].author {
        Some(author) => vec![author],
        None => (0..docket.seats.len()).map(|step| docket.seats[(at + step) % docket.seats.len()]).collect(),
    }
}

/// Asks for revised cards, and puts those that come in the place of the old ones.
pub async fn revise(bench: &Bench, docket: &mut Docket, demands: &[(usize, Vec<Demand>)]) -> Result<()> {
    let items = demands.iter().map(|(at, list)| (docket.positions[*at].id().to_owned(), (*at, list)));
    let replies = bench
        .all(items, |bench, (at, list): (usize, &Vec<Demand>)| {
            let (position, options) = (&docket.positions[at], &docket.options);
            let texts: Vec<&str> = list.iter().map(|demand| demand.text.as_str()).collect();
            let ask =
                prompt!("revise", position = position.id(), card = text::card_text(&position.card), demands = texts, concerns = position.concerns)
                    .set("evidence", excerpts(&position.card, bench.question()))
                    .set("unit", position.card.cost_unit.as_str());
            let (ask, seats) = (with_ids(ask, options, Some(&position.card)), revisers(docket, at));
            async move { first_reply::ask::<Draft>(&bench, &seats, ask).await }
        })
        .await?;
    for ((at, list), asked) in demands.iter().zip(replies) {
        let position = &docket.positions[*at];
        let id = position.id().to_owned();
        let title = format!("Position {id}, revised");
        let texts: Vec<String> = list.iter().map(|demand| demand.text.clone()).collect();
        let row = |reasons: &str, card, error| RevisionRow {
            position_id: id.clone(),
            attempt: docket.attempts,
            triggers: list.iter().map(|demand| demand.trigger).collect(),
            concerns: texts.clone(),
            reasons: reasons.trim().to_owned(),
            card,
            error,
        };
        for exhibit in asked.absences(&title, "author", |failed| row("", None, Some(failed.failure.to_string()))) {
            bench.at(&id).show("revision", exhibit.list("Asked for", &texts))?;
        }
        asked.taken_over(bench, &format!("revising {id}")).into_iter().for_each(|warning| bench.warn(warning));
        docket.closed |= asked.closed();
        let Some(reply) = asked.reply else { continue };
        let card = reply.value.revised(&position.card, position.given, &bench.seat(reply.seat).label, &docket.options, bench.question());
        let exhibit: Exhibit = text::card_exhibit(title, &card).part("Reasons", &reply.value.reasons).list("Asked for", &texts);
        let row = row(&reply.value.reasons, Some(card.clone()), None);
        bench.at(&id).show("revision", exhibit.by(reply.seat, "author").turn(&reply.key).data(&row))?;
        docket.positions[*at].replace(card, reply.seat, &docket.options.policy);
    }
    Ok(())
}
