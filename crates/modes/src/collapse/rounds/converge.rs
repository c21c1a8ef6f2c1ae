//! The rounds: examine, gate, score, and see which way it goes, until a position can be taken or the panel is needed.

use super::docket::Docket;
use super::examine::examine;
use super::exhibits;
use super::people;
use super::revise::{Demand, general, refused, revise, wanting};
use crate::collapse::cards::policy::GateScope;
use crate::collapse::panel::rate::{expert_parts, rate};
use synod_engine::{Bench, Result};
use synod_math::collapse::above;
use synod_math::collapse::converge::{Conflict, Move, ScoredCard, converge, gap, is_trade_off, rank};
use synod_math::collapse::gates::ReceiptState;
use synod_types::*;

/// Where the rounds lead.
#[derive(Clone, Debug, PartialEq)]
pub enum Road {
    Accept(usize),
    Panel {
        conflict: Conflict,
        below_threshold: bool,
        why: String,
    },
    /// Nothing may be taken.
    Stuck,
}

/// What the next step is, and why.
enum Next {
    Go(Road, &'static str),
    Reflect(Vec<(usize, Vec<Demand>)>, &'static str),
    Ask,
}

pub async fn converge_on(bench: &Bench, docket: &mut Docket) -> Result<Road> {
    let mut settled = docket.positions.clone();
    let mut aligned = false;
    loop {
        let round = bench.round("round", docket.attempts + 1);
        examine(&round, docket).await?;
        if docket.closed && docket.attempts > 0 {
            // The last whole round stands.
            docket.positions.clone_from(&settled);
        }
        docket.weigh();
        round.show("gates", exhibits::gates(docket))?;
        round.show("scores", exhibits::scores(docket))?;
        if docket.options.policy.gate_scope == GateScope::Deliberation && docket.positions.iter().any(|position| position.parked()) {
            approve(&round, docket).await?;
        }
        disagreement(&round, docket).await?;
        let mut next = next(docket, aligned);
        if matches!(next, Next::Ask) && !docket.closed {
            approve(&round, docket).await?;
            next = self::next(docket, aligned);
        }
        let (road, rung) = match next {
            Next::Go(road, rung) => (road, rung),
            Next::Ask => (Road::Stuck, "awaiting_approval"),
            Next::Reflect(demands, rung) => {
                round.show("convergence", rule(docket, &format!("The authors of {} are asked to revise.", names(docket, &demands)), rung))?;
                aligned |= demands.iter().any(|(_, list)| list.iter().any(|demand| demand.trigger == "experts_disagree"));
                settled.clone_from(&docket.positions);
                docket.attempts += 1;
                revise(&bench.round("round", docket.attempts + 1), docket, &demands).await?;
                continue;
            }
        };
        let decided = match &road {
            Road::Accept(at) => format!("{} is taken.", docket.positions[*at].id()),
            Road::Panel { why, .. } => format!("The panel is called: {why}"),
            Road::Stuck => "No position may be taken.".to_owned(),
        };
        round.show("convergence", rule(docket, &decided, rung))?;
        return Ok(road);
    }
}

/// Puts what is open to a person, and weighs anew with the answers.
async fn approve(round: &Bench, docket: &mut Docket) -> Result<()> {
    people::approvals(round, docket).await?;
    docket.weigh();
    let after = round.at("approved");
    after.show("gates", exhibits::gates(docket))?;
    after.show("scores", exhibits::scores(docket))
}

/// With two experts or more, each rates every position that stands.
async fn disagreement(round: &Bench, docket: &mut Docket) -> Result<()> {
    let viable = docket.viable();
    docket.expert_ranges.clear();
    if docket.options.experts.len() < 2 || viable.is_empty() {
        return Ok(());
    }
    let why = "The positions have been verified; the experts rate them before they are compared.";
    let ratings = rate(&round.at("experts"), docket, &expert_parts(&docket.options.experts), &viable, why).await?;
    docket.closed |= ratings.closed;
    if let Some(note) = ratings.own_note() {
        round.warn(note);
    }
    for at in viable {
        let id = docket.positions[at].id().to_owned();
        let scores: Vec<f64> = ratings.evaluations.iter().filter_map(|evaluation| evaluation.position_scores.get(&id).copied()).collect();
        let (low, high) = (scores.iter().copied().fold(1.0, f64::min), scores.iter().copied().fold(0.0, f64::max));
        if scores.len() > 1 {
            docket.expert_ranges.push((id, high - low));
        }
    }
    Ok(())
}

fn next(docket: &Docket, aligned: bool) -> Next {
    let policy = &docket.options.policy;
    let viable = docket.viable();
    let scored: Vec<ScoredCard> = viable.iter().map(|at| docket.positions[*at].scored_card()).collect();
    let order = rank(&scored);
    let parked = docket.positions.iter().any(|position| position.parked());
    let may_reflect = docket.attempts < policy.max_reflexions && !docket.closed && docket.positions.iter().any(|position| position.author.is_some());
    let attempts = if may_reflect { docket.attempts } else { policy.max_reflexions };
    let step = converge(&scored, parked, attempts, &policy.converge_rules());
    let good = order.first().is_some_and(|best| above(scored[*best].score, policy.threshold));

    let all = || docket.positions.iter().enumerate().filter(|(_, position)| position.author.is_some());
    let mut demands: Vec<(usize, Vec<Demand>)> = all().map(|(at, position)| (at, refused(position))).collect();
    let vetoed = all().any(|(_, position)| position.receipt == ReceiptState::Fail);
    if !good {
        for (at, list) in demands.iter_mut().filter(|(at, _)| viable.contains(at)) {
            // Experts are asked to align once; after that the panel settles it.
            list.extend(wanting(&docket.positions[*at], docket).into_iter().filter(|demand| !aligned || demand.trigger != "experts_disagree"));
        }
    }
    let triggered = !good && demands.iter().any(|(at, list)| viable.contains(at) && !list.is_empty());
    let experts_apart = docket.expert_ranges.iter().any(|(_, range)| above(*range, policy.expert_range));
    let reflecting = step == Move::Reflect;
    let settle = aligned && experts_apart;
    if may_reflect && step != Move::AwaitApproval && (vetoed || !settle && (triggered || reflecting)) {
        if reflecting && demands.iter().all(|(_, list)| list.is_empty()) {
            demands = all().filter(|(at, _)| viable.contains(at)).map(|(at, position)| (at, vec![general(position, docket)])).collect();
        }
        demands.retain(|(_, list)| !list.is_empty());
        if !demands.is_empty() {
            let rung = if vetoed { "verifier_rejects" } else { demands[0].1[0].trigger };
            return Next::Reflect(demands, rung);
        }
    }
    match step {
        Move::AwaitApproval => Next::Ask,
        // Above the threshold nothing is revised, and after one alignment nothing more: the panel weighs what the experts cannot settle.
        Move::Accept(_) | Move::Reflect if experts_apart => {
            Next::Go(panel(Conflict::Tradeoff, !good, "the experts disagree about a position."), "experts_disagree")
        }
        // With nobody left to ask for a revision there is nothing to wait for.
        Move::NoViablePosition => Next::Go(Road::Stuck, "no_viable_position"),
        Move::Reflect if viable.is_empty() => Next::Go(Road::Stuck, "no_viable_position"),
        Move::Reflect => Next::Go(
            panel(Conflict::ReflexionExhausted, true, "no position is above the threshold, and nobody can revise any."),
            "reflexion_exhausted",
        ),
        Move::Panel { conflict, below_threshold } => {
            let why = match conflict {
                Conflict::ScoresTooClose => "the two best scores are too close to tell them apart.",
                Conflict::ReflexionExhausted => "no position is above the threshold, and there is nothing left to revise.",
                Conflict::Tradeoff => "the two best positions trade one thing for another.",
            };
            Next::Go(panel(conflict, below_threshold, why), conflict.as_str())
        }
        Move::Accept(best) => match order.get(1) {
            Some(second) if policy.panel_on_tradeoff && trades(docket, viable[best], viable[*second]) => {
                let why = "the two best positions each beat the other clearly on something.";
                Next::Go(panel(Conflict::Tradeoff, false, why), Conflict::Tradeoff.as_str())
            }
            _ => Next::Go(Road::Accept(viable[best]), "threshold"),
        },
    }
}

fn panel(conflict: Conflict, below_threshold: bool, why: &str) -> Road {
    Road::Panel { conflict, below_threshold, why: why.to_owned() }
}

fn trades(docket: &Docket, a: usize, b: usize) -> bool {
    is_trade_off(docket.positions[a].sides(), docket.positions[b].sides(), docket.options.policy.tradeoff_margin)
}

fn names(docket: &Docket, demands: &[(usize, Vec<Demand>)]) -> String {
    demands.iter().map(|(at, _)| docket.positions[*at].id()).collect::<Vec<_>>().join(", ")
}

fn rule(docket: &Docket, decided: &str, rung: &str) -> Exhibit {
    let policy = &docket.options.policy;
    let scored: Vec<ScoredCard> = docket.viable().iter().map(|at| docket.positions[*at].scored_card()).collect();
    let order = rank(&scored);
    let best = order.first().map(|best| scored[*best].score);
    let gap = gap(&scored, &order);
    let mut numbers = vec![("viable".to_owned(), scored.len() as f64)];
    numbers.extend(best.map(|best| ("best score".to_owned(), best)));
    numbers.extend(gap.map(|gap| ("lead".to_owned(), gap)));
    numbers.extend([("threshold".to_owned(), policy.threshold), ("reflexions".to_owned(), f64::from(docket.attempts))]);
    let data = serde_json::json!({"rung": rung, "best": best, "gap": gap, "threshold": policy.threshold, "attempts": docket.attempts});
    Exhibit::new("Convergence", Shape::Rule(Rule { decided: decided.to_owned(), rung: rung.to_owned(), numbers })).data(&data)
}
