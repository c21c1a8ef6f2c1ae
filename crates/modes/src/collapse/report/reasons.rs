//! The report in words: what was decided and why, each reason with the seat and the figure behind it. Computed; no model writes it.

use super::decision::{Decision, WeightChange};
use crate::collapse::cards::records::ApprovalDecision;
use crate::collapse::cards::text;
use crate::collapse::panel::ruling::{DecisionStatus, Ruling};
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rounds::position::Position;
use serde_json::Value;
use synod_engine::Bench;
use synod_math::collapse::converge::is_trade_off;
use synod_math::collapse::score::ScoreTerms;
use synod_math::collapse::{above, below};

pub fn report(bench: &Bench, docket: &Docket, ruling: &Ruling, decision: &Decision) -> String {
    let winner = ruling.winner.map(|at| &docket.positions[at]);
    let mut parts = vec![headline(bench, docket, ruling, decision, winner)];
    let mut section = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            parts.push(format!("## {title}\n\n{}", lines.join("\n")));
        }
    };
    section("Why", numbered(rationale(docket, ruling, decision, winner)));
    section("Trade-offs accepted", bullets(trade_offs(docket, ruling, winner)));
    section("Concerns", bullets(concerns(ruling, winner)));
    section("Positions that did not stand", bullets(fallen(decision)));
    section("How firm it is", vec![sensitivity(decision)]);
    section("Next steps", numbered(next_steps(decision, winner)));
    section("Audit", bullets(audit(docket, ruling, decision)));
    parts.join("\n\n")
}

fn numbered(lines: Vec<String>) -> Vec<String> {
    lines.iter().zip(1..).map(|(line, n)| format!("{n}. {line}")).collect()
}
fn bullets(lines: Vec<String>) -> Vec<String> {
    lines.iter().map(|line| format!("- {line}")).collect()
}

fn headline(bench: &Bench, docket: &Docket, ruling: &Ruling, decision: &Decision, winner: Option<&Position>) -> String {
    let objective = bench.question().text.trim();
    let Some(position) = winner else {
        let why = match decision.rung.as_str() {
            "no_viable_position" => "no position passed the gates",
            "panel_quorum" => "the panel had no quorum",
            _ => "the panel agreed on none of them",
        };
        let who = ruling
            .person
            .as_ref()
            .map(|(by, note)| format!(" {by} took none of them{}.", if note.is_empty() { String::new() } else { format!(": {note}") }));
        let count = docket.positions.len();
        return format!(
            "**No position is taken**: {why}. A person has to decide on: {objective}\n\n{count} positions were weighed.{}",
            who.unwrap_or_default()
        );
    };
    let how = match ruling.status {
        DecisionStatus::Accepted => "taken by its score",
        DecisionStatus::ConsensusReached => "agreed on by the panel",
        DecisionStatus::HybridSynthesized => "a hybrid that the panel agreed on",
        DecisionStatus::SafeFallback => "the safest position, since the panel reached no agreement",
        DecisionStatus::EscalatedHuman => "chosen by a person",
    };
    format!("**{}** is {how}.\n\n{}", position.id(), position.card.gist())
}

/// Numbered reasons, each with its figure and, from the panel, its seat.
fn rationale(docket: &Docket, ruling: &Ruling, decision: &Decision, winner: Option<&Position>) -> Vec<String> {
    let mut out = Vec::new();
    let threshold = docket.options.policy.threshold;
    if let Some(position) = winner {
        let parts: Vec<String> = ScoreTerms::NAMES
            .iter()
            .zip(position.score.parts)
            .filter(|(_, part)| part.abs() > 1e-9)
            .map(|(name, part)| format!("{name} {part:+.2}"))
            .collect();
        let against = if above(position.score.value, threshold) { "above" } else { "not above" };
        out.push(format!("It scores {:.2}, {against} the threshold of {threshold} ({}).", position.score.value, parts.join(", ")));
    }
    match &decision.conflict_type {
        Some(conflict) => out.push(format!("The panel was called: {}.", conflict.replace('_', " "))),
        None => out.extend(winner.map(|position| lead(docket, position))),
    }
    if let (Some(consensus), Some(band)) = (decision.consensus, &decision.band) {
        let lead = decision.delta_c.map_or_else(String::new, |lead| format!(", with a lead of {lead:.2} on the panel"));
        out.push(format!("The panel's consensus on it is {consensus:.4} ({band}){lead}."));
    }
    let panel = ruling.hybrid.as_ref().filter(|_| ruling.status == DecisionStatus::HybridSynthesized).or(ruling.panel.as_ref());
    if let (Some(panel), Some(position)) = (panel, winner) {
        let mut voices: Vec<_> = panel
            .evaluations
            .iter()
            .filter_map(|evaluation| {
                let score = evaluation.position_scores.get(position.id())?;
                let why = evaluation.rationale.get(position.id()).map(|why| why.trim()).filter(|why| !why.is_empty())?;
                Some((docket.options.policy.weight(evaluation.agent) * evaluation.confidence * score, evaluation, *score, why))
            })
            .collect();
        voices.sort_by(|a, b| b.0.total_cmp(&a.0));
        out.extend(voices.iter().take(7).map(|(_, evaluation, score, why)| {
            let name = evaluation.agent.as_str().replace('_', " ");
            format!("{name} ({score:.2}, confidence {:.2}): {why}", evaluation.confidence)
        }));
    }
    if let Some((by, note)) = &ruling.person {
        out.push(if note.is_empty() { format!("{by} decided.") } else { format!("{by} decided: {note}") });
    }
    out
}

/// How the position taken by its score stands to the next one.
fn lead(docket: &Docket, position: &Position) -> String {
    let policy = &docket.options.policy;
    let Some(next) = docket.ranked().into_iter().map(|at| &docket.positions[at]).find(|other| other.id() != position.id()) else {
        return "No other position passed the gates.".into();
    };
    let (lead, least) = (position.score.value - next.score.value, policy.consensus_gap_threshold);
    let enough = if below(lead, least) {
        format!("less than {least}, which by this policy calls the panel only below the threshold")
    } else {
        format!("and {least} is enough")
    };
    let margin = policy.tradeoff_margin;
    let trades = if is_trade_off(position.sides(), next.sides(), margin) {
        format!("each of the two beats the other by {margin} or more on something, which by this policy does not call the panel")
    } else {
        format!("they do not trade one gain of {margin} or more for another")
    };
    format!("It leads {}, the next that passed the gates, by {lead:.2}, {enough}; {trades}.", next.id())
}

/// Where another viable position is clearly better than the one taken.
fn trade_offs(docket: &Docket, ruling: &Ruling, winner: Option<&Position>) -> Vec<String> {
    let Some(position) = winner else { return Vec::new() };
    let names = ["evidence", "risk", "reversibility", "cost"];
    let mut out = Vec::new();
    for other in docket.positions.iter().filter(|other| other.viable() && other.id() != position.id()) {
        let (ours, theirs) = (position.sides(), other.sides());
        for (side, name) in names.iter().enumerate() {
            // Risk and cost are better when they are less.
            let gain = if side % 2 == 0 { theirs[side] - ours[side] } else { ours[side] - theirs[side] };
            if gain >= docket.options.policy.tradeoff_margin - synod_math::collapse::EPSILON {
                out.push(format!("{} is better on {name}: {:.2} against {:.2}.", other.id(), theirs[side], ours[side]));
            }
        }
    }
    for evaluation in ruling.panel.iter().flat_map(|panel| &panel.evaluations) {
        if let Some(other) =
            evaluation.recommendation.as_ref().filter(|other| *other != position.id() && evaluation.position_scores.contains_key(*other))
        {
            let why = evaluation.rationale.get(other).map_or("", |why| why.trim());
            let name = evaluation.agent.as_str().replace('_', " ");
            out.push(format!("{name} would have taken {other}{}", if why.is_empty() { ".".to_owned() } else { format!(": {why}") }));
        }
    }
    out
}

fn concerns(ruling: &Ruling, winner: Option<&Position>) -> Vec<String> {
    let mut out: Vec<String> = winner
        .map(|position| position.concerns.iter().map(|concern| format!("skeptic of the card: {}", concern.trim())).collect())
        .unwrap_or_default();
    let panels = ruling.panel.iter().chain(&ruling.hybrid);
    out.extend(panels.flat_map(|panel| panel.concerns()).map(|(seat, concern)| format!("{}: {concern}", seat.as_str().replace('_', " "))));
    if let Some(position) = winner {
        let risks = position.card.risks.iter().filter(|risk| risk.residual_risk.unwrap_or(1.0) > 0.3);
        out.extend(risks.map(|risk| format!("a risk that stays: {}", text::risk(risk))));
        for approval in &position.approvals {
            let by = if approval.approver.is_empty() { "a person" } else { &approval.approver };
            let note = if approval.note.is_empty() { String::new() } else { format!(": {}", approval.note) };
            let did = match approval.decision {
                ApprovalDecision::Approve => "approved",
                ApprovalDecision::Reject => "refused",
                ApprovalDecision::Revise => "asked for a change of",
            };
            out.push(format!("{by} {did} {}{note}", approval.subject));
        }
    }
    out
}

fn fallen(decision: &Decision) -> Vec<String> {
    let fallen = decision.positions.iter().filter(|place| place.state != "viable");
    fallen.map(|place| format!("{} ({}): {}", place.id, place.state.replace('_', " "), place.gates.join("; "))).collect()
}

/// How far the result is from another, in a sentence or two.
pub fn sensitivity(decision: &Decision) -> String {
    let flip = match &decision.flip {
        Some(WeightChange { leader, weight, from, to, up, winner }) => {
            let way = if *up { "rose above" } else { "fell below" };
            let to = (to * 1e6).round() / 1e6;
            format!(
                "By score alone {leader} leads; {winner} would if the weight of {weight}, now {from}, {way} {to}, and no single weight needs less."
            )
        }
        None => "No change of a single weight puts another position first by score.".to_owned(),
    };
    let dominated = match decision.dominated.as_slice() {
        [] => String::new(),
        worse => format!(" Worse in everything than some other: {}.", worse.join(", ")),
    };
    format!("{flip}{dominated} What decided: {}.", decision.rung.replace('_', " "))
}

fn next_steps(decision: &Decision, winner: Option<&Position>) -> Vec<String> {
    let Some(position) = winner else {
        return vec!["Give a card that passes the gates, or have the open points approved, and decide again.".into()];
    };
    let mut out: Vec<String> = position.card.plan.iter().map(|step| step.action.trim().to_owned()).collect();
    if decision.memory_reason.as_deref() == Some("unverified") {
        out.push("Have the card verified: it was taken without a receipt.".into());
    }
    if decision.band.as_deref() == Some("weak") {
        out.push("Tell those concerned: the panel's agreement is weak.".into());
    }
    out
}

/// What was counted against which limit, and every setting that ruled.
pub fn audit(docket: &Docket, ruling: &Ruling, decision: &Decision) -> Vec<String> {
    let policy = &decision.config;
    let mut out = vec![
        format!("status {}, decided by {}", decision.status.as_str(), decision.rung.replace('_', " ")),
        format!("{} position cards, {} revisions of {} at most", docket.positions.len(), docket.attempts, policy.max_reflexions),
    ];
    let ranked = docket.ranked();
    let score = |place: usize| ranked.get(place).map(|at| docket.positions[*at].score.value);
    if let Some(best) = score(0) {
        out.push(format!("best score {best:.4}, threshold {} (must be above)", policy.threshold));
    }
    if let (Some(best), Some(second)) = (score(0), score(1)) {
        out.push(format!("lead by score {:.4}, at least {} to need no panel", best - second, policy.consensus_gap_threshold));
    }
    if let Some(panel) = &ruling.panel {
        let names: Vec<String> = panel.seats.iter().map(|row| row.seat.as_str().replace('_', " ")).collect();
        out.push(format!("panel: {} of 7 seats ({}), quorum {}, confidence-weighted mean", names.len(), names.join(", "), policy.quorum));
        let best = panel.best().unwrap_or(0.0);
        out.push(format!("best consensus {best:.4}, agreed from {}, none below {}", policy.consensus, policy.no_agreement));
        out.extend(panel.lead().map(|lead| format!("lead on the panel {lead:.4}, a near tie below {}", policy.near_tie)));
    }
    if let Some(hybrid) = ruling.hybrid.as_ref().and_then(|panel| panel.best()) {
        out.push(format!("consensus on the hybrid {hybrid:.4}, taken from {}", policy.consensus));
    }
    out.extend(settings(&synod_engine::to_value(policy)));
    out.push(match &decision.memory_reason {
        None => "remembered for later decisions".to_owned(),
        Some(reason) => format!("not remembered: {}", reason.replace('_', " ")),
    });
    out
}

/// Every setting as it was frozen into the run: groups in a line each, the rest in one.
fn settings(policy: &Value) -> Vec<String> {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), |word| word.replace('_', " "));
    // 10.0 is written as 10.
    let tidy = |value: &Value| value.as_f64().map_or_else(|| plain(value), |number| number.to_string());
    let pairs = |fields: &mut dyn Iterator<Item = (&String, &Value)>| -> String {
        fields.map(|(name, value)| format!("{} {}", name.replace('_', " "), tidy(value))).collect::<Vec<_>>().join(", ")
    };
    let fields = policy.as_object().into_iter().flatten();
    let groups = fields.clone().filter_map(|(name, value)| Some((name, value.as_object()?)));
    let mut out: Vec<String> = groups.map(|(name, group)| format!("{}: {}", name.replace('_', " "), pairs(&mut group.iter()))).collect();
    out.push(format!("settings: {}", pairs(&mut fields.filter(|(_, value)| !value.is_object()))));
    out
}
