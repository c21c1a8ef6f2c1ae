//! The decision as scripts read it, what readers are shown of it, and what is remembered.

use super::{dissent, reasons};
use crate::collapse::cards::card::Card;
use crate::collapse::cards::policy::Policy;
use crate::collapse::cards::records::Experience;
use crate::collapse::cards::text::names;
use crate::collapse::panel::consensus::Panel;
use crate::collapse::panel::ruling::{DecisionStatus, Ruling};
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rounds::exhibits::tidy;
use crate::collapse::rounds::position::reason_text;
use crate::collapse::rounds::revise::demands_for_quality;
use crate::collapse::rows::{AuditRow, DecisionRow, SensitivityRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use synod_engine::{Bench, ModeResult, Result};
use synod_math::collapse::above;
use synod_math::collapse::gates::ReceiptState;
use synod_math::collapse::panel::band;
use synod_math::collapse::sensitivity::{WeightFlip, dominated, dominators, nearest_flip};
use synod_types::*;

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub status: DecisionStatus,
    /// The position taken; null if none is.
    pub position: Option<String>,
    /// The rule or rung that decided: threshold, consensus, hybrid, safe_fallback, no_agreement, panel_quorum, revision_requested,
    /// no_viable_position, closed.
    pub rung: String,
    /// Whether somebody verified the card that is taken; null if none is.
    pub verified: Option<bool>,
    /// Whether a skeptic looked at it: false if every seat failed to; null without models, or if none is taken.
    pub challenged: Option<bool>,
    /// What is still asked of it, where nobody revised it: each with the figure, the limit and what would meet it.
    pub conditions: Vec<String>,
    /// Its score by the reading of the signs that rules. It must be above the threshold to be taken by it.
    pub score: Option<f64>,
    /// The same with the skeptic's doubts among its risks; null if none stands.
    pub score_doubted: Option<f64>,
    pub score_intent: Option<f64>,
    pub score_literal: Option<f64>,
    /// The panel's consensus on it, if the panel was called.
    pub consensus: Option<f64>,
    /// The lead of the best over the second on the panel.
    pub delta_c: Option<f64>,
    /// strong, moderate, weak or none.
    pub band: Option<String>,
    pub near_tie: bool,
    /// The position taken does not score above the threshold.
    pub below_threshold: bool,
    /// Why the panel was called: scores_too_close, reflexion_exhausted, multi_dimensional_tradeoff.
    pub conflict_type: Option<String>,
    pub reflexions: u32,
    /// Who chose, where a person did.
    pub decided_by: Option<String>,
    pub memory_write: bool,
    /// Why it is not remembered.
    pub memory_reason: Option<String>,
    pub positions: Vec<PositionResult>,
    /// The smallest change of one weight that would put another position first by score.
    pub flip: Option<WeightChange>,
    /// Positions for which another is at least as good in everything.
    pub dominated: Vec<String>,
    /// Positions that are at least as good in everything as the one taken, and better in something.
    pub dominated_by: Vec<String>,
    /// Every weight and threshold that ruled.
    pub config: Policy,
}

/// One position, as it ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PositionResult {
    pub id: String,
    /// viable, needs_approval, revision_requested, held or rejected.
    pub state: String,
    pub gates: Vec<String>,
    pub verified: bool,
    /// How often it was revised.
    pub revisions: u32,
    pub evidence: f64,
    pub risk: f64,
    pub score: f64,
    /// With the skeptic's doubts among its risks; null if none stands.
    pub score_doubted: Option<f64>,
    pub score_intent: f64,
    pub score_literal: f64,
    pub consensus: Option<f64>,
    /// The hash of the card as it ended, for a receipt's `card_hash`.
    pub card_hash: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WeightChange {
    /// Who leads by score as it is.
    pub leader: String,
    pub weight: String,
    pub from: f64,
    /// Where the two are equal; beyond it the other leads.
    pub to: f64,
    /// Whether the weight has to rise for that, or to fall.
    pub up: bool,
    /// Who would lead then.
    pub winner: String,
}

pub fn conclude(bench: &Bench, docket: &Docket, ruling: Ruling) -> Result<ModeResult> {
    let phase = bench.phase("decision");
    let decision = decision(bench, docket, &ruling);
    for warning in warnings(docket, &ruling) {
        phase.warn(warning);
    }
    phase.show("decision", verdict_exhibit(&decision))?;
    phase.show("sensitivity", sensitivity_exhibit(&decision))?;
    let approvals = docket.positions.iter().flat_map(|position| position.approvals.clone()).collect();
    let audit = reasons::audit(docket, &ruling, &decision);
    let audit = audit.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n");
    phase.show("audit", Exhibit::note("Audit", audit).data(&AuditRow { config: decision.config.clone(), approvals }))?;
    bench.figure("score", decision.score);
    bench.figure("consensus", decision.consensus);
    bench.note(Figure::new("rung", 1.0).label(&decision.rung));
    bench.figure("reflexions", f64::from(docket.attempts));

    let winner = ruling.winner.map(|at| &docket.positions[at]);
    let confidence = match (decision.consensus, winner) {
        (Some(value), _) => {
            let n = ruling
                .hybrid
                .as_ref()
                .filter(|_| ruling.status == DecisionStatus::HybridSynthesized)
                .or(ruling.panel.as_ref())
                .map_or(0, |panel| panel.seats.len());
            Some(Confidence::new(value, ConfidenceSource::Panel, n as u32))
        }
        (None, Some(position)) => Some(Confidence::new(position.card.confidence, ConfidenceSource::Stated, 1)),
        (None, None) => None,
    };
    let text = reasons::report(bench, docket, &ruling, &decision);
    let experience = winner.filter(|_| decision.memory_write).map(|position| experience(bench, &position.card, &decision));
    let answer = Answer { kind: AnswerKind::Computed, text, by: winner.and_then(|position| position.author).into_iter().collect() };
    let stop = match decision.rung.as_str() {
        _ if docket.closed => "closed",
        "revision_requested" => "revision_requested",
        _ => "finished",
    };
    let result = ModeResult::ended(stop, answer);
    let result = match reasons::action(docket, &ruling, &decision) {
        Some(action) => result.action(action),
        None => result,
    };
    Ok(result
        // A run that was closed is degraded, not handed over.
        .status((decision.position.is_none() && !docket.closed).then_some(synod_types::Status::Escalated))
        .decision(summary(&decision), &decision)
        .confidence(confidence)
        .dissent(dissent::dissent(docket, &ruling))
        .data(&json!({"experience": experience})))
}

/// The decision in a sentence.
fn summary(decision: &Decision) -> String {
    let taken = decision.position.as_deref().map_or_else(|| "No position is taken".to_owned(), |position| format!("{position} is taken"));
    let score = decision.score.map(|score| format!(" with {score:.2}")).unwrap_or_default();
    let (unexamined, conditions) = (reasons::unexamined(decision), reasons::on_conditions(&decision.conditions));
    format!("{taken}{score}{unexamined}{conditions}, by {} ({}).", decision.rung.replace('_', " "), decision.status.as_str().replace('_', " "))
}

/// What a reader must not miss: a position that is worse than another in everything, cards that are not as they were given, cards nobody verified.
fn warnings(docket: &Docket, ruling: &Ruling) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(winner) = ruling.winner {
        let taken = docket.positions[winner].id();
        let above = dominators_of(docket, winner);
        for (other, better) in above.iter().take(3) {
            let other = docket.positions[*other].id();
            out.push(format!("{taken} is taken although {other} is at least as good in everything and better in {}.", better.join(", ")));
        }
        if above.len() > 3 {
            out.push(format!("{} more are at least as good as {taken} in everything and better in something.", above.len() - 3));
        }
    }
    let changed = docket.positions.iter().filter(|position| position.given && position.revisions > 0).map(|position| position.id());
    let changed: Vec<&str> = changed.collect();
    if !changed.is_empty() {
        out.push(format!("Revised by a seat, and no longer as given: {}.", names(&changed)));
    }
    out.extend(unverified_warning(docket, ruling));
    out
}

/// The viable positions that are at least as good as this one in every term, each with the terms in which it is better.
fn dominators_of(docket: &Docket, winner: usize) -> Vec<(usize, Vec<&'static str>)> {
    let viable = docket.ranked();
    let Some(place) = viable.iter().position(|at| *at == winner) else { return Vec::new() };
    let scores: Vec<_> = viable.iter().map(|at| docket.positions[*at].score).collect();
    let found = dominators(&scores, place, docket.options.policy.score_rules().signs);
    found.into_iter().map(|(other, better)| (viable[other], better)).collect()
}

/// Which cards nobody verified, and what that means.
fn unverified_warning(docket: &Docket, ruling: &Ruling) -> Option<String> {
    let bare: Vec<&str> = docket.positions.iter().filter(|position| position.receipt == ReceiptState::Absent).map(|position| position.id()).collect();
    let named = names(&bare);
    let what = match bare.len() {
        0 => return None,
        n if n == docket.positions.len() => "Nobody verified the cards: they count as they are".to_owned(),
        1 => format!("Nobody verified {named}: it counts as it is"),
        _ => format!("Nobody verified {named}: they count as they are"),
    };
    let taken = ruling.winner.is_some_and(|at| docket.positions[at].receipt == ReceiptState::Absent);
    Some(if taken { format!("{what}, and the decision is not remembered.") } else { format!("{what}.") })
}

fn decision(bench: &Bench, docket: &Docket, ruling: &Ruling) -> Decision {
    let winner = ruling.winner.map(|at| &docket.positions[at]);
    let consensus = ruling.consensus();
    let (flip, dominated) = sensitivity(docket);
    let memory = memory(bench, docket, ruling);
    let places = docket.positions.iter().enumerate().map(|(at, position)| {
        let rated = |panel: &Option<Panel>| panel.as_ref().and_then(|panel| panel.consensus_on(at));
        PositionResult {
            id: position.id().to_owned(),
            state: position.gates.state.as_str().to_owned(),
            verified: position.receipt == ReceiptState::Pass,
            revisions: position.revisions,
            score_doubted: position.doubted.map(|doubted| tidy(doubted.value)),
            gates: position.gates.reasons.iter().map(|reason| format!("{}: {}", reason.gate.id(), reason_text(position, reason))).collect(),
            evidence: tidy(position.score.terms.evidence),
            risk: tidy(position.score.terms.risk),
            score: tidy(position.score.value),
            score_intent: tidy(position.score.intent),
            score_literal: tidy(position.score.literal),
            consensus: rated(&ruling.hybrid).or_else(|| rated(&ruling.panel)),
            card_hash: position.card.digest(),
        }
    });
    Decision {
        status: ruling.status,
        position: winner.map(|position| position.id().to_owned()),
        rung: ruling.rung.to_owned(),
        verified: winner.map(|position| position.receipt == ReceiptState::Pass),
        challenged: winner.and_then(|position| position.challenged),
        conditions: conditions(docket, ruling),
        score_doubted: winner.and_then(|position| position.doubted).map(|doubted| tidy(doubted.value)),
        score: winner.map(|position| tidy(position.score.value)),
        score_intent: winner.map(|position| tidy(position.score.intent)),
        score_literal: winner.map(|position| tidy(position.score.literal)),
        consensus,
        delta_c: ruling.panel.as_ref().and_then(|panel| panel.lead()),
        band: consensus.map(|value| band(value).to_owned()),
        near_tie: ruling.near_tie,
        below_threshold: winner.is_some_and(|position| !above(position.score.value, docket.options.policy.threshold)),
        conflict_type: ruling.conflict.map(|conflict| conflict.as_str().to_owned()),
        reflexions: docket.attempts,
        decided_by: ruling.person.as_ref().map(|(by, _)| by.clone()),
        memory_write: memory.is_ok(),
        memory_reason: memory.err().map(str::to_owned),
        positions: places.collect(),
        flip: flip.map(|(flip, [leader, other])| WeightChange {
            leader: docket.positions[leader].id().to_owned(),
            weight: flip.weight.to_owned(),
            from: flip.from,
            to: tidy(flip.to),
            up: flip.up,
            winner: docket.positions[other].id().to_owned(),
        }),
        dominated,
        dominated_by: ruling
            .winner
            .map_or_else(Vec::new, |winner| dominators_of(docket, winner))
            .into_iter()
            .map(|(other, _)| docket.positions[other].id().to_owned())
            .collect(),
        config: docket.options.policy.clone(),
    }
}

/// The nearest change of one weight that would put another viable position first by score, and the positions worse in everything.
fn sensitivity(docket: &Docket) -> (Option<(WeightFlip, [usize; 2])>, Vec<String>) {
    let viable = docket.ranked();
    let scores: Vec<_> = viable.iter().map(|at| docket.positions[*at].score).collect();
    let rules = docket.options.policy.score_rules();
    let flip = if scores.is_empty() { None } else { nearest_flip(&scores, 0, &rules.weights, rules.signs) };
    let flip = flip.map(|flip| {
        let pair = [viable[0], viable[flip.winner]];
        (flip, pair)
    });
    let worse = dominated(&scores, rules.signs).into_iter().map(|place| docket.positions[viable[place]].id().to_owned()).collect();
    (flip, worse)
}

/// What the triggers of a revision still ask of the position taken.
fn conditions(docket: &Docket, ruling: &Ruling) -> Vec<String> {
    let winner = ruling.winner.map(|at| &docket.positions[at]);
    winner.map_or_else(Vec::new, |position| demands_for_quality(position, docket)).into_iter().map(|demand| demand.text).collect()
}

/// Whether the decision may be remembered, or what speaks against it.
fn memory(bench: &Bench, docket: &Docket, ruling: &Ruling) -> Result<(), &'static str> {
    let Some(winner) = ruling.winner.map(|at| &docket.positions[at]) else { return Err("no_decision") };
    let above = above(winner.score.value, docket.options.policy.threshold);
    match () {
        () if bench.header().rehearsal() => Err("rehearsal"),
        () if winner.receipt != ReceiptState::Pass => Err("unverified"),
        () if winner.challenged == Some(false) => Err("unchallenged"),
        () if !above => Err("below_threshold"),
        () if !winner.viable() || winner.score.terms.violations > 0.0 => Err("open_approvals"),
        () if !winner.card.pointers_valid() => Err("unchecked_pointers"),
        () if !conditions(docket, ruling).is_empty() => Err("open_conditions"),
        () => Ok(()),
    }
}

fn experience(bench: &Bench, card: &Card, decision: &Decision) -> Experience {
    Experience {
        run: bench.header().run.clone(),
        objective: bench.question().text.trim().to_owned(),
        position: card.id.clone(),
        summary: card.claims.join(" "),
        status: decision.status.as_str().to_owned(),
        score: decision.score.unwrap_or_default(),
        consensus: decision.consensus,
        pointers: card.evidence.iter().map(|evidence| evidence.pointer.clone()).collect(),
    }
}

fn verdict_exhibit(decision: &Decision) -> Exhibit {
    let decided = summary(decision);
    let numbers = [
        ("score", decision.score),
        ("score with the doubts", decision.score_doubted),
        ("consensus", decision.consensus),
        ("lead on the panel", decision.delta_c),
    ];
    let numbers = numbers.into_iter().filter_map(|(name, value)| value.map(|value| (name.to_owned(), value))).collect();
    let row = DecisionRow {
        status: decision.status,
        position: decision.position.clone(),
        rung: decision.rung.clone(),
        verified: decision.verified,
        challenged: decision.challenged,
        score: decision.score,
        score_doubted: decision.score_doubted,
        conditions: decision.conditions.clone(),
        consensus: decision.consensus,
        delta_c: decision.delta_c,
        conflict_type: decision.conflict_type.clone(),
        reflexions: decision.reflexions,
        memory_write: decision.memory_write,
        memory_reason: decision.memory_reason.clone(),
    };
    Exhibit::new("Decision", Shape::Rule(Rule { decided, rung: decision.rung.clone(), numbers })).list("Conditions", &decision.conditions).data(&row)
}

fn sensitivity_exhibit(decision: &Decision) -> Exhibit {
    let text = reasons::sensitivity(decision);
    let row = SensitivityRow {
        flip: decision.flip.clone(),
        dominated: decision.dominated.clone(),
        dominated_by: decision.dominated_by.clone(),
        rung: decision.rung.clone(),
    };
    Exhibit::note("Sensitivity", text).data(&row)
}
