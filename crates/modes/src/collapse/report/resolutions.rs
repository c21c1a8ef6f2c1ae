//! Trade-offs with their mitigations and concerns with their resolutions: what was given up, what worries remain, and what on the card taken answers
//! them. Where nobody said what does, the card's own plan and mitigations are searched for it; where nothing is found, that is said.

use crate::collapse::cards::card::{Card, Risk};
use crate::collapse::cards::records::{ApprovalDecision, Concern, Evaluation};
use crate::collapse::panel::ruling::Ruling;
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rounds::position::Position;
use crate::text::ended;
use synod_math::collapse::EPSILON;
use synod_math::collapse::score::Severities;
use synod_math::likeness::terms;
use synod_math::relevant;

/// How much of the words that matter a part of the card must share with a concern to answer it.
const ANSWERS: f64 = 0.3;

/// The sides of a trade-off, each with the words a card uses where it does something about being the worse one on it. Of its risks a card says
/// itself what is done about them.
const SIDES: [(&str, &[&str]); 4] = [
    (
        "evidence",
        &["evidence", "proof", "prove", "test", "tests", "trial", "pilot", "measure", "measurement", "benchmark", "drill", "rehearse", "sample"],
    ),
    ("risk", &[]),
    ("reversibility", &["undo", "back", "rollback", "reverse", "reversal", "revert", "restore", "backup", "backups", "snapshot", "flag"]),
    ("cost", &["cost", "costs", "price", "budget", "spend", "spending", "cheaper", "save", "saves", "savings", "reuse", "stages", "phases"]),
];

/// How many other positions are compared with the one taken.
const RIVALS: usize = 5;

/// What a card does: its mitigations and the steps of its plan, each with all that is said about it.
fn deeds(card: &Card) -> Vec<(String, &str)> {
    let mitigations = card.risks.iter().filter(|risk| !risk.mitigation.trim().is_empty());
    let mitigations = mitigations.map(|risk| (format!("{} {}", risk.description, risk.mitigation), risk.mitigation.trim()));
    mitigations.chain(card.plan.iter().map(|step| (format!("{} {}", step.action, step.rationale), step.action.trim()))).collect()
}

/// What on the card speaks to a text.
fn on_card(card: &Card, text: &str) -> Option<String> {
    let deeds = deeds(card);
    let texts: Vec<&str> = deeds.iter().map(|(all, _)| all.as_str()).collect();
    relevant(text, &texts, ANSWERS).first().map(|(at, _)| deeds[*at].1.to_owned())
}

/// What on the card is done about being worse on one side: the deed with the most of the side's words, of equals the first.
fn about_side(card: &Card, words: &[&str]) -> Option<String> {
    let count = |text: &str| terms(text).iter().filter(|term| words.contains(&term.as_str())).count();
    let mut found: Vec<(usize, &str)> = deeds(card).into_iter().map(|(all, deed)| (count(&all), deed)).filter(|(count, _)| *count > 0).collect();
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    found.first().map(|(_, deed)| format!("on the card: {deed}"))
}

fn resolved(concern: &Concern, card: &Card) -> String {
    match (concern.resolution.trim(), on_card(card, &concern.concern)) {
        ("", None) => "none; it is open.".to_owned(),
        ("", Some(found)) => format!("on the card: {found}"),
        (given, _) => given.to_owned(),
    }
}

/// Where another viable position is clearly better than the one taken, or somebody would have taken it, and what is done about that.
pub fn trade_offs(docket: &Docket, ruling: &Ruling, winner: Option<&Position>) -> Vec<String> {
    let Some(position) = winner else { return Vec::new() };
    let mut out = Vec::new();
    // Against the best of the others: of thousands, the rest is in the table of scores.
    for other in docket.ranked().into_iter().map(|at| &docket.positions[at]).filter(|other| other.id() != position.id()).take(RIVALS) {
        let (ours, theirs) = (position.sides(), other.sides());
        for (side, (name, words)) in SIDES.iter().enumerate() {
            // Risk and cost are better when they are less.
            let gain = if side % 2 == 0 { theirs[side] - ours[side] } else { ours[side] - theirs[side] };
            if gain >= docket.options.policy.tradeoff_margin - EPSILON {
                let own = worst(&position.card).map(|risk| risk.mitigation.trim()).filter(|text| *name == "risk" && !text.is_empty());
                let mitigation = own.map(str::to_owned).or_else(|| about_side(&position.card, words));
                let mitigation = ended(&mitigation.unwrap_or_else(|| "none on the card".to_owned()));
                out.push(format!("{} is better on {name}: {:.2} against {:.2}. Mitigation: {mitigation}", other.id(), theirs[side], ours[side]));
            }
        }
    }
    for evaluation in ruling.panel.iter().flat_map(|panel| &panel.evaluations).map(|each| &each.evaluation) {
        let Some(other) = evaluation.recommendation.as_ref().filter(|other| *other != position.id()) else { continue };
        if !evaluation.position_scores.contains_key(other) || !evaluation.position_scores.contains_key(position.id()) {
            continue;
        }
        let why = evaluation.rationale.get(other).map_or("", |why| why.trim());
        let why = if why.is_empty() { ".".to_owned() } else { format!(": {why}") };
        out.push(format!("{} would have taken {other}{why} Mitigation: {}", name(evaluation), mitigation(evaluation, &position.card, why.as_str())));
    }
    out
}

/// What answers a seat that wanted another position: what it was told about its concerns, or what the card has.
fn mitigation(evaluation: &Evaluation, card: &Card, why: &str) -> String {
    let told = evaluation.concerns.iter().map(|concern| concern.resolution.trim()).find(|resolution| !resolution.is_empty());
    let found = || evaluation.concerns.iter().map(|concern| concern.concern.as_str()).chain([why]).find_map(|text| on_card(card, text));
    told.map(str::to_owned).or_else(|| found().map(|deed| format!("on the card: {deed}"))).unwrap_or_else(|| "none on the card.".to_owned())
}

/// The risk of which most is left.
fn worst(card: &Card) -> Option<&Risk> {
    let weights = Severities::default();
    let left = |risk: &&Risk| weights.of(risk.severity.into()) * risk.residual_risk.unwrap_or(1.0);
    card.risks.iter().max_by(|a, b| left(a).total_cmp(&left(b)))
}

fn name(evaluation: &Evaluation) -> String {
    evaluation.agent.as_str().replace('_', " ")
}

/// What worries somebody about the position taken, each with what answers it.
pub fn concerns(ruling: &Ruling, winner: Option<&Position>) -> Vec<String> {
    let Some(position) = winner else {
        let all = ruling.panel.iter().flat_map(|panel| panel.concerns());
        return all.map(|(seat, each)| format!("{}: {}", seat.as_str().replace('_', " "), each.concern.trim())).collect();
    };
    let card = &position.card;
    let mut out = Vec::new();
    for doubt in &position.doubts {
        let resolution = match &doubt.ruling {
            Some(ruling) if ruling.rejected => format!("rejected by the verifier: {}", ruling.reason),
            _ => on_card(card, &doubt.risk.description).map_or_else(|| "none; it is open.".to_owned(), |found| format!("on the card: {found}")),
        };
        let left = doubt.risk.residual_risk.unwrap_or(1.0);
        out.push(format!("skeptic, {} ({left} left): {} Resolution: {resolution}", doubt.risk.severity.as_str(), ended(&doubt.risk.description)));
    }
    let asked = position.concerns.iter().map(|concern| Concern { concern: concern.clone(), resolution: String::new() });
    out.extend(asked.map(|each| format!("skeptic: {} Resolution: {}", ended(&each.concern), resolved(&each, card))));
    for (seat, each) in ruling.panel.iter().chain(&ruling.hybrid).flat_map(|panel| panel.concerns()) {
        out.push(format!("{}: {} Resolution: {}", seat.as_str().replace('_', " "), ended(&each.concern), resolved(&each, card)));
    }
    for risk in card.risks.iter().filter(|risk| risk.residual_risk.unwrap_or(1.0) > 0.3) {
        let mitigation = if risk.mitigation.trim().is_empty() { "none; it is open." } else { risk.mitigation.trim() };
        let left = risk.residual_risk.unwrap_or(1.0);
        out.push(format!("the card's own risk, {} ({left} left): {} Resolution: {mitigation}", risk.severity.as_str(), ended(&risk.description)));
    }
    for approval in &position.approvals {
        let by = if approval.approver.is_empty() { "a person" } else { &approval.approver };
        let note = if approval.note.is_empty() { String::new() } else { format!(": {}", approval.note) };
        let did = match approval.decision {
            ApprovalDecision::Approve => "approved",
            ApprovalDecision::Reject => "refused",
            ApprovalDecision::Revise => "asked for a revision of",
        };
        out.push(format!("{by} {did} {}{note}", approval.subject));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_concern_is_answered_by_what_was_said_or_by_the_card_or_is_open() {
        let card: Card = serde_json::from_value(json!({
            "id": "a", "claims": ["x"], "confidence": 1, "cost": 1, "reversibility": 1,
            "plan": [{"action": "Keep free-form product attributes in JSONB.", "rationale": "Shops differ in their product attributes."}],
            "risks": [{"severity": "medium", "description": "Beyond fifty thousand tenants one server is too small.", "mitigation": "Split by tenant.", "residual_risk": 0.5}],
        }))
        .expect("a card");
        let of = |concern: &str, resolution: &str| resolved(&Concern { concern: concern.into(), resolution: resolution.into() }, &card);
        assert_eq!(of("One server will not do for a hundred thousand tenants.", ""), "on the card: Split by tenant.");
        assert_eq!(of("Shops want product attributes of their own.", ""), "on the card: Keep free-form product attributes in JSONB.");
        assert_eq!(of("Nobody is on call at night.", ""), "none; it is open.");
        assert_eq!(of("Nobody is on call at night.", "The host is."), "The host is.");
    }

    #[test]
    fn what_the_card_does_about_a_side_is_found_by_the_words_of_that_side() {
        let card: Card = serde_json::from_value(json!({
            "id": "a", "claims": ["x"], "confidence": 1, "cost": 1, "reversibility": 1,
            "plan": [{"action": "Run a pilot with one shop.", "rationale": "A measure of what the peak does."}, {"action": "Move the rest."}],
            "risks": [{"severity": "high", "description": "The old rows are gone.", "mitigation": "A backup that was restored once, to go back to.", "residual_risk": 0.2}],
        }))
        .expect("a card");
        let of = |side: &str| about_side(&card, SIDES.iter().find(|(name, _)| *name == side).expect("a side").1);
        assert_eq!(of("evidence").as_deref(), Some("on the card: Run a pilot with one shop."));
        assert_eq!(of("reversibility").as_deref(), Some("on the card: A backup that was restored once, to go back to."));
        assert_eq!((of("cost"), of("risk")), (None, None));
    }
}
