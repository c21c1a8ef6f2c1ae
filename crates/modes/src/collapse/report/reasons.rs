//! The report in words: what was decided and why, each reason with the seat and the figure behind it. Computed; no model writes it.

use super::decision::{Decision, WeightChange};
use super::resolutions;
use crate::collapse::cards::policy::Policy;
use crate::collapse::cards::text::{SHOWN, names, not_shown};
use crate::collapse::panel::consensus::Panel;
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
    section("Conditions", bullets(decision.conditions.clone()));
    section("Why", numbered(rationale(docket, ruling, decision, winner)));
    section("Trade-offs accepted", bullets(resolutions::trade_offs(docket, ruling, winner)));
    section("Concerns", bullets(resolutions::concerns(ruling, winner)));
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

/// ", on 2 conditions"; nothing without any.
pub fn on_conditions(conditions: &[String]) -> String {
    match conditions.len() {
        0 => String::new(),
        1 => ", on one condition".to_owned(),
        n => format!(", on {n} conditions"),
    }
}

/// ", unverified" and ", unchallenged": who did not look at the card that is taken and should have.
pub fn unexamined(decision: &Decision) -> String {
    let said = [(decision.verified, ", unverified"), (decision.challenged, ", unchallenged")];
    said.into_iter().filter(|(looked, _)| *looked == Some(false)).map(|(_, word)| word).collect()
}

/// The position taken, by what it would do, and what has to be done for it.
pub fn action(docket: &Docket, ruling: &Ruling, decision: &Decision) -> Option<String> {
    let position = &docket.positions[ruling.winner?];
    let gist = position.card.gist().trim_end_matches('.');
    let safest = if ruling.status == DecisionStatus::SafeFallback { " as the safest position" } else { "" };
    let condition = match decision.conditions.as_slice() {
        [] => String::new(),
        [only] => format!(" On one condition: {only}."),
        [first, ..] => format!(" On {} conditions, the first: {first}.", decision.conditions.len()),
    };
    Some(format!("Take {}{safest}{}: {gist}.{condition}", position.id(), unexamined(decision)))
}

/// What is decided, whether anybody verified it and on how many conditions; then what that means.
fn headline(bench: &Bench, docket: &Docket, ruling: &Ruling, decision: &Decision, winner: Option<&Position>) -> String {
    let objective = bench.question().text.trim();
    let Some(position) = winner else {
        let why = match decision.rung.as_str() {
            "revision_requested" => "a revision was asked for",
            "no_viable_position" => "no position passed the gates",
            _ => "the panel agreed on none of them",
        };
        let who = ruling
            .person
            .as_ref()
            .map(|(by, note)| format!(" {by} took none of them{}.", if note.is_empty() { String::new() } else { format!(": {note}") }));
        let count = docket.positions.len();
        let weighed = if count == 1 { "One position was weighed.".to_owned() } else { format!("{count} positions were weighed.") };
        return format!("**No position is taken**: {why}. A person has to decide on: {objective}\n\n{weighed}{}", who.unwrap_or_default());
    };
    let how = match (ruling.status, decision.rung.as_str()) {
        (DecisionStatus::Accepted, _) => "is taken by its score",
        (DecisionStatus::ConsensusReached, _) => "is agreed on by the panel",
        (DecisionStatus::HybridSynthesized, _) => "is a hybrid that the panel agreed on",
        (DecisionStatus::SafeFallback, "closed") => "is taken as the safest position, since the run was closed",
        (DecisionStatus::SafeFallback, "panel_quorum") => "is taken as the safest position, since the panel had no quorum",
        (DecisionStatus::SafeFallback, _) if ruling.recorded_in_part().is_some() => {
            "is taken as the safest position, since too little of a panel is recorded"
        }
        (DecisionStatus::SafeFallback, _) if decision.consensus.is_none() => "is taken as the safest position, since no panel sat",
        (DecisionStatus::SafeFallback, _) => "is taken as the safest position, since the panel reached no agreement",
        (DecisionStatus::EscalatedHuman, _) => "was chosen by a person",
    };
    let unverified = if decision.verified == Some(false) { ", unverified: nobody verified its card" } else { "" };
    let unchallenged = if decision.challenged == Some(false) { ", unchallenged: no skeptic looked at its card" } else { "" };
    let conditions = on_conditions(&decision.conditions);
    let mut text = format!("**{}** {how}{conditions}{unverified}{unchallenged}.\n\n{}", position.id(), position.card.gist());
    if ruling.status == DecisionStatus::SafeFallback && decision.consensus.is_none() && decision.rung == "safe_fallback" {
        text.push_str(&format!("\n\n{}", no_panel(docket, ruling)));
    }
    text
}

/// What a panel would have had to tell apart, in figures.
fn no_panel(docket: &Docket, ruling: &Ruling) -> String {
    let policy = &docket.options.policy;
    let ranked: Vec<&Position> = docket.ranked().into_iter().map(|at| &docket.positions[at]).collect();
    let figures = |position: &&Position| format!("{} scores {:.2} with risk {:.2}", position.id(), position.score.value, position.score.terms.risk);
    let told: Vec<String> = ranked.iter().take(3).map(figures).collect();
    let more = if ranked.len() > 3 { format!(" and {} more", ranked.len() - 3) } else { String::new() };
    let why = match (ranked.first(), ranked.get(1)) {
        (Some(first), Some(second)) if below(first.score.value - second.score.value, policy.consensus_gap_threshold) => {
            format!("The two best are {:.2} apart, less than {}", first.score.value - second.score.value, policy.consensus_gap_threshold)
        }
        _ => format!("No position scores above {}", policy.threshold),
    };
    let absent = ruling.recorded_in_part().map_or_else(|| "nobody sat on one".to_owned(), recorded_part);
    let told = told.join(", ");
    format!("{why}: {told}{more}. A panel would settle it; {absent}, so of those too close to tell apart the one with the least risk is taken.")
}

/// "of its seats minimalist and skeptic are recorded, which is no quorum".
fn recorded_part(panel: &Panel) -> String {
    let seats: Vec<String> = panel.seats.iter().map(|row| row.seat.as_str().replace('_', " ")).collect();
    format!("of its seats {} {} recorded, which is no quorum", seats.join(" and "), if seats.len() == 1 { "is" } else { "are" })
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
        if let Some(doubted) = &position.doubted {
            let (before, after) = (position.score.terms.risk, doubted.terms.risk);
            out.push(format!(
                "With the skeptic's doubts among its risks it would score {:.2} (risk {after:.2} instead of {before:.2}).",
                doubted.value
            ));
        }
    }
    let conflict = decision.conflict_type.as_ref().map(|conflict| conflict.replace('_', " "));
    match (conflict, ruling.recorded_in_part()) {
        (Some(conflict), Some(panel)) => out.push(format!("A panel would have been called ({conflict}); {}.", recorded_part(panel))),
        (Some(conflict), None) if ruling.panel.is_some() => out.push(format!("The panel was called: {conflict}.")),
        (Some(conflict), None) => out.push(format!("A panel would have been called, and none sat: {conflict}.")),
        (None, _) => out.extend(winner.map(|position| lead(docket, position))),
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
            .map(|each| &each.evaluation)
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
        let why = if policy.panel_on_tradeoff { "and nobody sits on a panel" } else { "which by this policy does not call the panel" };
        format!("each of the two beats the other by {margin} or more on something, {why}")
    } else {
        format!("they do not trade one gain of {margin} or more for another")
    };
    format!("It leads {}, the next that passed the gates, by {lead:.2}, {enough}; {trades}.", next.id())
}

fn fallen(decision: &Decision) -> Vec<String> {
    let fallen: Vec<_> = decision.positions.iter().filter(|place| place.state != "viable").collect();
    let told = fallen.iter().take(SHOWN).map(|place| format!("{} ({}): {}", place.id, place.state.replace('_', " "), place.gates.join("; ")));
    told.chain(not_shown(fallen.len())).collect()
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
        worse => format!(" In nothing better than some other position, and worse in something: {}.", names(worse)),
    };
    format!("{flip}{dominated} What decided: {}.", decision.rung.replace('_', " "))
}

fn next_steps(decision: &Decision, winner: Option<&Position>) -> Vec<String> {
    let Some(position) = winner else {
        if decision.rung == "revision_requested" {
            return vec!["Revise the card as asked, and decide again.".into()];
        }
        return vec!["Give a card that passes the gates, or have the open points approved, and decide again.".into()];
    };
    let mut out: Vec<String> = position.card.plan.iter().map(|step| step.action.trim().to_owned()).collect();
    out.extend(decision.conditions.iter().map(|condition| format!("Meet the condition: {condition}.")));
    if decision.verified == Some(false) {
        out.push("Have the card verified: it was taken without a receipt.".into());
    }
    if decision.challenged == Some(false) {
        out.push("Have somebody look for what could go wrong with it: no skeptic did.".into());
    }
    if decision.consensus.is_none() && decision.rung == "safe_fallback" {
        out.push("Have a panel rate the positions, if the difference between them matters.".into());
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
        out.extend(
            panel.best().map(|best| format!("best consensus {best:.4}, agreed from {}, none below {}", policy.consensus, policy.no_agreement)),
        );
        out.extend(panel.lead().map(|lead| format!("lead on the panel {lead:.4}, a near tie below {}", policy.near_tie)));
    }
    if let Some(hybrid) = ruling.hybrid.as_ref().and_then(|panel| panel.best()) {
        out.push(format!("consensus on the hybrid {hybrid:.4}, taken from {}", policy.consensus));
    }
    out.push(settings(policy));
    out.push(match &decision.memory_reason {
        None => "remembered for later decisions".to_owned(),
        Some(reason) => format!("not remembered: {}", reason.replace('_', " ")),
    });
    out
}

/// The settings that are other than usual, each with its usual value: all of them are in the decision's `config`.
fn settings(policy: &Policy) -> String {
    let (given, usual) = (synod_engine::to_value(policy), synod_engine::to_value(&Policy::default()));
    let mut changed = Vec::new();
    for (name, value) in given.as_object().into_iter().flatten() {
        match value.as_object() {
            Some(group) => {
                let group = group.iter().filter(|(inner, value)| usual[name][inner.as_str()] != **value);
                changed.extend(group.map(|(inner, value)| told(&format!("{name} {inner}"), value, &usual[name][inner.as_str()])));
            }
            None if usual[name] != *value => changed.push(told(name, value, &usual[name])),
            None => {}
        }
    }
    if changed.is_empty() { "settings: the defaults".to_owned() } else { format!("settings other than the defaults: {}", changed.join(", ")) }
}

/// `threshold 5 (6 by default)`.
fn told(name: &str, value: &Value, usual: &Value) -> String {
    let plain = |value: &Value| {
        value.as_str().map_or_else(|| value.as_f64().map_or_else(|| value.to_string(), |number| number.to_string()), |word| word.replace('_', " "))
    };
    format!("{} {} ({} by default)", name.replace('_', " "), plain(value), plain(usual))
}
