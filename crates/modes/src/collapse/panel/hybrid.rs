//! The hybrid: one card made of the two best when the panel cannot tell them apart. A seat writes it, evidence, risks and cost are merged by
//! rule, and it is examined and rated like any other card.

use super::consensus::Panel;
use crate::collapse::cards::card::{Card, Evidence, Risk, Step, Violation};
use crate::collapse::cards::draft::{DraftRisk, DraftStep};
use crate::collapse::cards::excerpt::mark_unshown;
use crate::collapse::cards::text;
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rounds::position::Position;
use crate::collapse::rows::HybridRow;
use crate::first_reply;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use synod_engine::{Bench, IdLists, Result, SeatFailure, TypedReply, prompt};
use synod_types::SeatIx;

pub const ID: &str = "hybrid";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Merger {
    /// Which parent serves the critical path, which the rest, and why.
    pub reasons: String,
    /// What each parent is good at that the other is not.
    #[schemars(length(max = 6))]
    pub strengths: Vec<String>,
    /// What both lack.
    #[schemars(length(max = 6))]
    pub shared_weaknesses: Vec<String>,
    /// The first claim says in one sentence what is proposed.
    #[schemars(length(min = 1, max = 8))]
    pub claims: Vec<String>,
    #[schemars(length(min = 1, max = 12))]
    pub plan: Vec<DraftStep>,
    /// Only risks that neither parent lists. Each needs a mitigation.
    #[schemars(length(max = 6))]
    pub new_risks: Vec<DraftRisk>,
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
    /// In the parents' unit. Without a reason the dearer parent's cost counts.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub cost: u64,
    /// Why it costs less than the dearer parent; empty if it does not.
    pub cost_reason: String,
}

impl TypedReply for Merger {
    fn check(&self, _: &IdLists) -> Result<(), String> {
        let bare = self.new_risks.iter().filter(|risk| risk.mitigation.trim().is_empty()).count();
        if bare > 0 {
            return Err(format!("{bare} of the new risks have no mitigation; every risk that neither parent has needs one"));
        }
        if self.claims.iter().any(|claim| claim.trim().is_empty()) || self.plan.iter().any(|step| step.action.trim().is_empty()) {
            return Err("a claim or a step of the plan is empty".into());
        }
        Ok(())
    }
}

/// The hybrid card: evidence, risks and violations of both parents, the lower reversibility, and the higher cost unless a lower one is justified.
pub fn merge(merger: &Merger, a: &Card, b: &Card) -> Card {
    let dearer = a.cost.max(b.cost);
    let cost = if merger.cost_reason.trim().is_empty() { dearer } else { merger.cost };
    let mut claims: Vec<String> = merger.claims.iter().map(|claim| claim.trim().to_owned()).collect();
    union(&mut claims, a.claims.iter().chain(&b.claims).cloned(), |known, new| known == new);
    let mut evidence: Vec<Evidence> = a.evidence.clone();
    union(&mut evidence, b.evidence.iter().cloned(), |known, new| known.pointer == new.pointer && known.output == new.output);
    mark_unshown(&mut evidence);
    let mut risks: Vec<Risk> = a.risks.clone();
    union(&mut risks, b.risks.iter().cloned().chain(merger.new_risks.iter().map(DraftRisk::risk)), |known, new| known == new);
    let mut violations: Vec<Violation> = a.invariant_violations.clone();
    union(&mut violations, b.invariant_violations.iter().cloned(), |known, new| known.invariant_id == new.invariant_id);
    let mut regulatory = a.regulatory.clone();
    union(&mut regulatory, b.regulatory.iter().cloned(), |known, new| known == new);
    let loses = match (a.irreversible_data_change, b.irreversible_data_change) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        (None, _) | (_, None) => None,
    };
    Card {
        id: ID.to_owned(),
        agent: String::new(),
        timestamp: String::new(),
        claims,
        plan: merger.plan.iter().map(|step| Step { action: step.action.trim().to_owned(), rationale: step.rationale.trim().to_owned() }).collect(),
        evidence,
        risks,
        confidence: merger.confidence,
        cost,
        cost_unit: a.cost_unit,
        cost_estimate: None,
        reversibility: a.reversibility.min(b.reversibility),
        invariant_violations: violations,
        irreversible_data_change: loses,
        regulatory,
        parent_ids: vec![a.id.clone(), b.id.clone()],
    }
}

fn union<T>(into: &mut Vec<T>, more: impl Iterator<Item = T>, same: impl Fn(&T, &T) -> bool) {
    for item in more {
        if !into.iter().any(|known| same(known, &item)) {
            into.push(item);
        }
    }
}

/// Has the hybrid written and adds it to the docket. `None`: nobody could.
pub async fn write(bench: &Bench, docket: &mut Docket, panel: &Panel, parents: [usize; 2]) -> Result<Option<usize>> {
    let [a, b] = parents.map(|at| docket.positions[at].clone());
    let mut writers: Vec<SeatIx> = a.author.into_iter().chain(b.author).collect();
    writers.extend(docket.seats.iter().copied().filter(|seat| a.author != Some(*seat) && b.author != Some(*seat)));
    let shown = |position: &Position| json!({"id": position.id(), "text": text::card_text(&position.card)});
    let concerns: Vec<String> =
        panel.concerns().into_iter().map(|(seat, each)| format!("{}: {}", seat.as_str().replace('_', " "), each.concern.trim())).collect();
    let ask = prompt!("hybrid", first = shown(&a), second = shown(&b), concerns, constraints = docket.options.constraints);
    let asked = first_reply::ask::<Merger>(bench, &writers, ask).await?;
    let title = format!("Hybrid of {} and {}", a.id(), b.id());
    let absent = |failed: &SeatFailure| HybridRow {
        position_id: ID.to_owned(),
        parent_ids: vec![a.id().to_owned(), b.id().to_owned()],
        reasons: String::new(),
        strengths: Vec::new(),
        shared_weaknesses: Vec::new(),
        card: None,
        error: Some(failed.failure.to_string()),
    };
    for exhibit in asked.absences(&title, "synthesist", absent) {
        bench.show("hybrid_card", exhibit)?;
    }
    asked.taken_over(bench, "writing the hybrid").into_iter().for_each(|warning| bench.warn(warning));
    docket.closed |= asked.closed();
    let Some(reply) = asked.reply else { return Ok(None) };
    let mut card = merge(&reply.value, &a.card, &b.card);
    card.agent = bench.seat(reply.seat).label.clone();
    let exhibit = text::card_exhibit(title, &card)
        .part("Reasons", &reply.value.reasons)
        .list("What each is good at", &reply.value.strengths)
        .list("What both lack", &reply.value.shared_weaknesses)
        .part("Why it costs less", &reply.value.cost_reason)
        .by(reply.seat, "synthesist")
        .turn(&reply.key);
    let row = HybridRow {
        position_id: ID.to_owned(),
        parent_ids: card.parent_ids.clone(),
        reasons: reply.value.reasons.trim().to_owned(),
        strengths: reply.value.strengths,
        shared_weaknesses: reply.value.shared_weaknesses,
        card: Some(card.clone()),
        error: None,
    };
    bench.show("hybrid_card", exhibit.data(&row))?;
    docket.positions.push(Position::new(card, Some(reply.seat), Vec::new(), &docket.options.policy));
    Ok(Some(docket.positions.len() - 1))
}
