//! Reflexion: what the authors are asked to mend, and their revised cards.

use super::docket::Docket;
use super::position::{Position, reason_text};
use crate::collapse::cards::card::Card;
use crate::collapse::cards::draft::{Draft, with_ids};
use crate::collapse::cards::records::ApprovalDecision;
use crate::collapse::cards::text;
use crate::collapse::rows::RevisionRow;
use synod_engine::{Bench, Result, prompt};
use synod_math::collapse::gates::{CardState, Gate, ReceiptState};
use synod_math::collapse::{above, below};

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

/// What a card must mend whatever the others score, because the verifier, a gate or a person refused it.
pub fn demands_after_refusal(position: &Position) -> Vec<Demand> {
    let mut out = Vec::new();
    if position.receipt == ReceiptState::Fail {
        let checks = position.failed_checks.iter().map(|check| match check.remediation.trim() {
            "" => check.check.clone(),
            cure => format!("{} ({cure})", check.check),
        });
        let checks: Vec<String> = checks.collect();
        let what = if checks.is_empty() { "see what the card claims without showing it".to_owned() } else { checks.join("; ") };
        out.push(demand("verifier_rejects", format!("The verifier did not let the card pass: {what}")));
    }
    for reason in position.gates.reasons.iter().filter(|reason| reason.state == CardState::Rejected && reason.gate != Gate::Verifier) {
        out.push(demand("gate_rejects", format!("{}: {}", reason.gate.id(), reason_text(position, reason))));
    }
    for approval in position.approvals.iter().filter(|approval| approval.decision == ApprovalDecision::Revise) {
        out.push(demand("person_asks", format!("A person wants {} changed: {}", approval.subject, approval.note)));
    }
    out
}

/// What a card should mend if no card is good enough.
pub fn demands_for_quality(position: &Position, docket: &Docket) -> Vec<Demand> {
    let policy = &docket.options.policy;
    let (terms, card) = (&position.score.terms, &position.card);
    let mut out = Vec::new();
    // A skeptic who adds nothing leaves the card's own score, which may be too low already.
    let doubted = position.doubted_score.unwrap_or(position.score.value);
    if below(doubted, policy.skeptic_floor) {
        let doubts: Vec<String> = position.doubts.iter().map(text::risk).collect();
        let what = match doubts.as_slice() {
            [] => format!("It scores {doubted:.2} by its own risks alone; mitigate them"),
            doubts => format!("Mitigate what the skeptic added, or show that it does not hold: {}", doubts.join("; ")),
        };
        out.push(demand("skeptic_score", what));
    }
    if below(terms.evidence, policy.evidence_floor) {
        out.push(demand("evidence_quality", format!("The evidence comes to {:.2} on average; bring more or better proof", terms.evidence)));
    }
    if card.cost_estimate.is_some_and(|estimate| above(card.cost as f64, policy.cost_overrun * estimate as f64)) {
        out.push(demand("cost_overrun", format!("It costs {}, beyond {} times the first estimate; simplify it", card.cost, policy.cost_overrun)));
    }
    if let Some(range) =
        docket.expert_ranges.iter().find(|(id, _)| id == position.id()).map(|(_, range)| *range).filter(|range| above(*range, policy.expert_range))
    {
        out.push(demand("experts_disagree", format!("The experts are {range:.2} apart on it; say what would settle that")));
    }
    out
}

/// What every viable card is asked for when none is good enough and nothing in particular is wrong with any.
pub fn general_demand(position: &Position, docket: &Docket) -> Demand {
    let concerns = if position.concerns.is_empty() { String::new() } else { format!(" Answer these: {}", position.concerns.join("; ")) };
    let (score, threshold) = (position.score.value, docket.options.policy.threshold);
    demand("below_threshold", format!("The card scores {score:.2}, and must come above {threshold}.{concerns}"))
}

/// Asks the authors for revised cards, and puts those that come in the place of the old ones.
pub async fn revise(bench: &Bench, docket: &mut Docket, demands: &[(usize, Vec<Demand>)]) -> Result<()> {
    let authors: Vec<(u32, usize)> = demands.iter().filter_map(|(at, _)| docket.positions[*at].author.map(|author| (author, *at))).collect();
    let seats: Vec<u32> = authors.iter().map(|(seat, _)| *seat).collect();
    let position_of = |seat: u32| authors.iter().find(|(author, _)| *author == seat).map_or(0, |(_, at)| *at);
    let demands_on = |at: usize| demands.iter().find(|(position, _)| *position == at).map_or(&[][..], |(_, list)| list.as_slice());
    let answers = bench
        .ask_each::<Draft>(&seats, &|seat| {
            let position = &docket.positions[position_of(seat)];
            let texts: Vec<&str> = demands_on(position_of(seat)).iter().map(|demand| demand.text.as_str()).collect();
            let ask =
                prompt!("revise", position = position.id(), card = text::card_text(&position.card), demands = texts, concerns = position.concerns);
            with_ids(ask, &docket.options)
        })
        .await?;
    docket.closed |= answers.closed();
    for reply in &answers.replies {
        let at = position_of(reply.seat);
        let id = docket.positions[at].id().to_owned();
        let before = &docket.positions[at].card;
        // Later versions are measured against the cost of the first.
        let estimate = before.cost_estimate.unwrap_or(before.cost);
        let card = reply.value.card(&id, &bench.seat(reply.seat).label, &docket.options, bench.question());
        let card = Card { cost_estimate: Some(estimate), ..card };
        let exhibit = text::card_exhibit(format!("Position {id}, revised"), &card).by(reply.seat, "author").turn(&reply.key);
        let row = RevisionRow {
            position_id: id.clone(),
            attempt: docket.attempts,
            triggers: demands_on(at).iter().map(|demand| demand.trigger).collect(),
            concerns: demands_on(at).iter().map(|demand| demand.text.clone()).collect(),
            card,
        };
        bench.at(&id).show("revision", exhibit.data(&row))?;
        docket.positions[at].replace(row.card, &docket.options.policy);
    }
    Ok(())
}
