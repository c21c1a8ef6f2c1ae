//! Round after round cards are examined, checked at the gates and scored, until a position can be taken, the panel is needed, or nothing is left.

use super::docket::Docket;
use super::examine::examine;
use super::exhibits;
use super::people;
use super::revise::{Demand, demands_after_refusal, demands_for_quality, general_demand, revise};
use crate::collapse::cards::policy::GateScope;
use crate::collapse::panel::consensus::panel_sits;
use crate::collapse::panel::rate::{Sitting, expert_parts, rate};
use crate::collapse::rows::ConvergenceRow;
use synod_engine::{Bench, Result};
use synod_math::collapse::above;
use synod_math::collapse::converge::{Conflict, Move, ScoredCard, converge, gap, is_trade_off, rank};
use synod_math::collapse::gates::CardState;
use synod_types::*;

/// How the rounds end.
#[derive(Clone, Debug, PartialEq)]
pub enum RoundsOutcome {
    /// This position is taken by its score.
    Accept(usize),
    /// The panel has to decide.
    Panel { conflict: Conflict, why: &'static str },
    /// The panel would have to, and nobody sits on it: the safest is taken.
    NoPanel { conflict: Conflict, why: &'static str },
    /// No position may be taken; the name says why.
    NoneViable(&'static str),
}

/// What comes after a round, with the name of the rule that says so.
enum NextStep {
    End(RoundsOutcome, &'static str),
    Revise(Vec<(usize, Vec<Demand>)>, &'static str),
    AskPerson,
}

pub async fn run_rounds(bench: &Bench, docket: &mut Docket) -> Result<RoundsOutcome> {
    // The positions as the last whole round left them, once one is revised.
    let mut last_round = Vec::new();
    let mut aligned = false;
    loop {
        let round = bench.round("round", docket.attempts + 1);
        examine(&round, docket).await?;
        if docket.closed && docket.attempts > 0 {
            // This round cannot be finished, so the one before it counts.
            docket.positions.clone_from(&last_round);
        }
        docket.weigh();
        round.show("gates", exhibits::gates(docket))?;
        round.show("scores", exhibits::scores(docket))?;
        if docket.options.policy.gate_scope == GateScope::Deliberation && people::is_asked(docket) {
            approve(&round, docket).await?;
        }
        measure_disagreement(&round, docket).await?;
        let mut next = next_step(docket, aligned);
        if matches!(next, NextStep::AskPerson) && !docket.closed {
            approve(&round, docket).await?;
            next = next_step(docket, aligned);
        }
        let (outcome, rung) = match next {
            NextStep::End(outcome, rung) => (outcome, rung),
            NextStep::AskPerson => (RoundsOutcome::NoneViable("no_viable_position"), "awaiting_approval"),
            NextStep::Revise(demands, rung) => {
                let decided = format!("Revisions are asked for: {}.", names(docket, &demands));
                round.show("convergence", convergence_exhibit(docket, &decided, rung))?;
                aligned |= demands.iter().any(|(_, list)| list.iter().any(|demand| demand.trigger == "experts_disagree"));
                last_round.clone_from(&docket.positions);
                docket.attempts += 1;
                revise(&bench.round("round", docket.attempts + 1), docket, &demands).await?;
                continue;
            }
        };
        let decided = match &outcome {
            RoundsOutcome::Accept(at) => format!("{} is taken.", docket.positions[*at].id()),
            RoundsOutcome::Panel { why, .. } => format!("The panel is called: {why}"),
            RoundsOutcome::NoPanel { why, .. } => format!("The safest position is taken: {why} No panel with a quorum is there to settle it."),
            RoundsOutcome::NoneViable("revision_requested") => "No position may be taken: a person asked for a revision.".to_owned(),
            RoundsOutcome::NoneViable(_) => "No position may be taken.".to_owned(),
        };
        round.show("convergence", convergence_exhibit(docket, &decided, rung))?;
        return Ok(outcome);
    }
}

/// Asks a person for every open approval, and weighs anew with the answers.
async fn approve(round: &Bench, docket: &mut Docket) -> Result<()> {
    people::ask_approvals(round, docket).await?;
    docket.weigh();
    let after = round.at("approved");
    after.show("gates", exhibits::gates(docket))?;
    after.show("scores", exhibits::scores(docket))
}

/// With two experts or more, each rates every viable position.
async fn measure_disagreement(round: &Bench, docket: &mut Docket) -> Result<()> {
    let viable = docket.viable();
    docket.expert_ranges.clear();
    if docket.options.experts.len() < 2 || viable.is_empty() || docket.seats.is_empty() {
        return Ok(());
    }
    let why = "The positions have been verified; the experts rate them before they are compared.";
    let sitting = Sitting { why, conflict: "none yet" };
    let ratings = rate(&round.at("experts"), docket, &expert_parts(&docket.options.experts), &viable, sitting).await?;
    docket.closed |= ratings.closed;
    if let Some(warning) = ratings.own_rating_warning() {
        round.warn(warning);
    }
    for at in viable {
        let id = docket.positions[at].id().to_owned();
        let scores: Vec<f64> = ratings.ratings.iter().filter_map(|rating| rating.evaluation.position_scores.get(&id).copied()).collect();
        let (low, high) = (scores.iter().copied().fold(1.0, f64::min), scores.iter().copied().fold(0.0, f64::max));
        if scores.len() > 1 {
            docket.expert_ranges.push((id, high - low));
        }
    }
    Ok(())
}

/// `aligned`: experts who disagreed have already led to one revision.
fn next_step(docket: &Docket, aligned: bool) -> NextStep {
    let policy = &docket.options.policy;
    let viable = docket.viable();
    let scored: Vec<ScoredCard> = viable.iter().map(|at| docket.positions[*at].scored_card()).collect();
    let order = rank(&scored);
    let parked = docket.positions.iter().any(|position| position.needs_approval());
    let attempts = if docket.may_revise() { docket.attempts } else { policy.max_reflexions };
    let step = converge(&scored, parked, attempts, &policy.converge_rules());
    let trades = |best: usize| order.get(1).is_some_and(|second| policy.panel_on_tradeoff && trades(docket, viable[best], viable[*second]));
    let sits = || !viable.is_empty() && panel_sits(docket, &viable);
    // Authors are asked once to settle what the experts disagree on; after that the panel decides.
    let quality =
        |at: usize| demands_for_quality(&docket.positions[at], docket).into_iter().filter(|each| !aligned || each.trigger != "experts_disagree");
    let experts_apart =
        viable.iter().any(|at| docket.expert_range(docket.positions[*at].id()).is_some_and(|range| above(range, policy.expert_range)));
    // The card that is about to be taken; where the panel will choose, or none is good enough, it may be any of them.
    let judged = match step {
        Move::Accept(best) if !((trades(best) || experts_apart) && sits()) => vec![viable[best]],
        _ => viable.clone(),
    };

    if docket.may_revise() {
        let mut demands: Vec<(usize, Vec<Demand>)> =
            docket.positions.iter().enumerate().map(|(at, position)| (at, demands_after_refusal(position))).collect();
        let pressing = demands.iter().flat_map(|(_, list)| list).find(|demand| demand.trigger != "gate_rejects").map(|demand| demand.trigger);
        for (at, list) in demands.iter_mut().filter(|(at, _)| judged.contains(at)) {
            list.extend(quality(*at));
        }
        let triggered = demands.iter().any(|(at, list)| judged.contains(at) && !list.is_empty());
        let settled_by_panel = aligned && experts_apart;
        if pressing.is_some() || !settled_by_panel && (triggered || step == Move::Reflect) {
            if demands.iter().all(|(_, list)| list.is_empty()) {
                demands = viable.iter().map(|at| (*at, vec![general_demand(&docket.positions[*at], docket)])).collect();
            }
            demands.retain(|(_, list)| !list.is_empty());
            if let Some((_, list)) = demands.first() {
                let rung = pressing.unwrap_or(list[0].trigger);
                return NextStep::Revise(demands, rung);
            }
        }
    }
    let panel = |conflict: Conflict, why: &'static str, rung: &'static str| {
        let outcome = if sits() { RoundsOutcome::Panel { conflict, why } } else { RoundsOutcome::NoPanel { conflict, why } };
        NextStep::End(outcome, rung)
    };
    match step {
        Move::AwaitApproval => NextStep::AskPerson,
        // After one revision for their sake nothing more is revised because experts disagree: the panel decides.
        Move::Accept(_) | Move::Reflect if experts_apart && sits() => {
            panel(Conflict::Tradeoff, "the experts disagree about a position.", "experts_disagree")
        }
        Move::Accept(best) if trades(best) && sits() => {
            panel(Conflict::Tradeoff, "the two best positions each beat the other clearly on something.", Conflict::Tradeoff.as_str())
        }
        Move::Accept(best) => NextStep::End(RoundsOutcome::Accept(viable[best]), "threshold"),
        // Nobody can be asked for another revision, so no position will become viable.
        Move::NoViablePosition | Move::Reflect if viable.is_empty() => {
            let asked = docket.positions.iter().any(|position| position.gates.state == CardState::RevisionRequested);
            let rung = if asked { "revision_requested" } else { "no_viable_position" };
            NextStep::End(RoundsOutcome::NoneViable(rung), rung)
        }
        Move::NoViablePosition | Move::Reflect => {
            panel(Conflict::ReflexionExhausted, "no position is above the threshold, and nobody can revise any.", "reflexion_exhausted")
        }
        Move::Panel { conflict, .. } => {
            let why = match conflict {
                Conflict::ScoresTooClose => "the two best scores are too close to tell them apart.",
                Conflict::ReflexionExhausted => "no position is above the threshold, and there is nothing left to revise.",
                Conflict::Tradeoff => "the two best positions trade one thing for another.",
            };
            panel(conflict, why, conflict.as_str())
        }
    }
}

fn trades(docket: &Docket, a: usize, b: usize) -> bool {
    is_trade_off(docket.positions[a].sides(), docket.positions[b].sides(), docket.options.policy.tradeoff_margin)
}

fn names(docket: &Docket, demands: &[(usize, Vec<Demand>)]) -> String {
    demands.iter().map(|(at, _)| docket.positions[*at].id()).collect::<Vec<_>>().join(", ")
}

fn convergence_exhibit(docket: &Docket, decided: &str, rung: &str) -> Exhibit {
    let policy = &docket.options.policy;
    let scored: Vec<ScoredCard> = docket.viable().iter().map(|at| docket.positions[*at].scored_card()).collect();
    let order = rank(&scored);
    let best = order.first().map(|best| scored[*best].score);
    let gap = gap(&scored, &order);
    let mut numbers = vec![("viable".to_owned(), scored.len() as f64)];
    numbers.extend(best.map(|best| ("best score".to_owned(), best)));
    numbers.extend(gap.map(|gap| ("lead".to_owned(), gap)));
    numbers.extend([("threshold".to_owned(), policy.threshold), ("reflexions".to_owned(), f64::from(docket.attempts))]);
    let row = ConvergenceRow { rung: rung.to_owned(), best, gap, threshold: policy.threshold, attempts: docket.attempts };
    Exhibit::new("Convergence", Shape::Rule(Rule { decided: decided.to_owned(), rung: rung.to_owned(), numbers })).data(&row)
}
