//! From the rounds to a ruling: a position is accepted, agreed on by the panel, merged from two, taken as the safest, or chosen by a person.

use super::consensus::{Panel, absent_panel, convene};
use super::hybrid;
use super::rate::Sitting;
use crate::collapse::rounds::converge::RoundsOutcome;
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rounds::examine::examine;
use crate::collapse::rounds::exhibits;
use crate::collapse::rounds::people::{self, Choice};
use synod_engine::{Bench, Halt, Result};
use synod_math::collapse::below;
use synod_math::collapse::converge::{Conflict, ScoredCard, contenders};
use synod_math::collapse::panel::{Outcome, outcome, safest, safest_unrated};
use synod_types::words;

words! {
    /// How it was decided.
    pub enum DecisionStatus {
        /// By score alone.
        Accepted = "ACCEPTED",
        ConsensusReached = "CONSENSUS_REACHED",
        HybridSynthesized = "HYBRID_SYNTHESIZED",
        SafeFallback = "SAFE_FALLBACK",
        EscalatedHuman = "ESCALATED_HUMAN",
    }
}

#[derive(Clone, Debug)]
pub struct Ruling {
    pub status: DecisionStatus,
    pub winner: Option<usize>,
    /// The rule or rung that decided.
    pub rung: &'static str,
    pub conflict: Option<Conflict>,
    pub near_tie: bool,
    pub panel: Option<Panel>,
    /// The panel's rating of the hybrid.
    pub hybrid: Option<Panel>,
    /// Who chose, and what they said, where a person did.
    pub person: Option<(String, String)>,
}

impl Ruling {
    fn by_score(winner: usize) -> Self {
        Self {
            status: DecisionStatus::Accepted,
            winner: Some(winner),
            rung: "threshold",
            conflict: None,
            near_tie: false,
            panel: None,
            hybrid: None,
            person: None,
        }
    }
    fn undecided(rung: &'static str) -> Self {
        Self { status: DecisionStatus::EscalatedHuman, winner: None, rung, ..Self::by_score(0) }
    }

    /// What was recorded of a panel, where that is too little for it to sit.
    pub fn recorded_in_part(&self) -> Option<&Panel> {
        self.panel.as_ref().filter(|panel| self.rung == "safe_fallback" && !panel.quorate)
    }

    /// The panel's consensus on the winner.
    pub fn consensus(&self) -> Option<f64> {
        let winner = self.winner?;
        let of = |panel: &Option<Panel>| panel.as_ref().and_then(|panel| panel.consensus_on(winner));
        of(&self.hybrid).or_else(|| of(&self.panel))
    }
}

pub async fn rule(bench: &Bench, docket: &mut Docket, outcome: RoundsOutcome) -> Result<Ruling> {
    match outcome {
        RoundsOutcome::Accept(at) => Ok(Ruling::by_score(at)),
        RoundsOutcome::NoneViable(_) if docket.closed => Err(Halt::failed("round", "the run was closed before any position could be taken")),
        RoundsOutcome::NoneViable(rung) => Ok(Ruling::undecided(rung)),
        RoundsOutcome::Panel { conflict, why } => {
            let ruling = by_panel(bench, docket, conflict, why).await?;
            Ok(Ruling { conflict: Some(conflict), ..ruling })
        }
        RoundsOutcome::NoPanel { conflict, .. } => {
            let viable = docket.viable();
            let panel = absent_panel(docket, &viable);
            if let Some(panel) = &panel {
                bench.phase("panel").show("panel_result", panel.exhibit(docket, "Panel, as far as it was recorded", conflict.as_str()))?;
            }
            Ok(Ruling {
                conflict: Some(conflict),
                near_tie: contenders_of(docket, &viable).len() > 1,
                ..without_panel(docket, panel, "safe_fallback")
            })
        }
    }
}

/// The positions too close by score to tell apart.
fn contenders_of(docket: &Docket, viable: &[usize]) -> Vec<usize> {
    let scored: Vec<ScoredCard> = viable.iter().map(|at| docket.positions[*at].scored_card()).collect();
    contenders(&scored, docket.options.policy.consensus_gap_threshold).into_iter().map(|place| viable[place]).collect()
}

/// The safest of those too close by score to tell apart, where no panel can tell them apart either.
fn without_panel(docket: &Docket, panel: Option<Panel>, rung: &'static str) -> Ruling {
    let near = contenders_of(docket, &docket.viable());
    let scored: Vec<ScoredCard> = near.iter().map(|at| docket.positions[*at].scored_card()).collect();
    let winner = safest_unrated(&scored).map(|place| near[place]);
    Ruling { status: DecisionStatus::SafeFallback, winner, rung, panel, ..Ruling::by_score(0) }
}

async fn by_panel(bench: &Bench, docket: &mut Docket, conflict: Conflict, why: &str) -> Result<Ruling> {
    let phase = bench.phase("panel");
    let viable = docket.viable();
    let panel = convene(&phase, docket, &viable, Sitting { why, conflict: conflict.as_str() }).await?;
    docket.closed |= panel.closed;
    phase.show("panel_result", panel.exhibit(docket, "Panel", conflict.as_str()))?;
    let scored: Vec<ScoredCard> = viable.iter().map(|at| docket.positions[*at].scored_card()).collect();
    let base = |status, winner, rung| Ruling { status, winner, rung, panel: Some(panel.clone()), ..Ruling::by_score(0) };
    if !panel.quorate {
        let names: Vec<String> = panel.absent.iter().map(|seat| seat.as_str().replace('_', " ")).collect();
        phase.warn(format!("The panel has no quorum: {} did not rate. The safest position is taken.", names.join(", ")));
        return Ok(without_panel(docket, Some(panel), "panel_quorum"));
    }
    match outcome(&panel.consensus, &scored, &docket.options.policy.ladder()) {
        Some(Outcome::Consensus { winner, near_tie }) => {
            Ok(Ruling { near_tie, ..base(DecisionStatus::ConsensusReached, Some(viable[winner]), "consensus") })
        }
        Some(Outcome::Fallback { winner }) => Ok(base(DecisionStatus::SafeFallback, Some(viable[winner]), "safe_fallback")),
        Some(Outcome::Hybrid { first, second }) => {
            let parents = [viable[first], viable[second]];
            let near = Ruling { near_tie: true, ..base(DecisionStatus::SafeFallback, None, "safe_fallback") };
            by_hybrid(bench, docket, near, &panel, parents, &viable).await
        }
        Some(Outcome::Escalated) => {
            let best = panel.best().unwrap_or(0.0);
            let text = format!("The panel agrees on nothing: its best consensus is {best:.2}, below {}.", docket.options.policy.no_agreement);
            hand_over(&phase, docket, base(DecisionStatus::EscalatedHuman, None, "no_agreement"), &viable, &scored, &text).await
        }
        None => Ok(Ruling::undecided("no_viable_position")),
    }
}

/// The hybrid if it is viable and the panel agrees on it; else the safest of all viable positions.
async fn by_hybrid(bench: &Bench, docket: &mut Docket, near: Ruling, panel: &Panel, parents: [usize; 2], viable: &[usize]) -> Result<Ruling> {
    let phase = bench.phase("hybrid");
    let mut rated = None;
    match hybrid::write(&phase, docket, panel, parents).await? {
        None => phase.warn("Nobody could write a hybrid of the two best positions; the safest position is taken instead."),
        Some(at) => {
            examine(&phase, docket).await?;
            docket.weigh();
            phase.show("gates", exhibits::gates(docket))?;
            phase.show("scores", exhibits::scores(docket))?;
            if docket.positions[at].viable() {
                let why = "A hybrid of the two best positions is to be rated by the same standards.";
                let again = convene(&phase, docket, &[at], Sitting { why, conflict: "hybrid" }).await?;
                docket.closed |= again.closed;
                if again.quorate {
                    phase.show("hybrid_result", again.exhibit(docket, "Panel on the hybrid", "hybrid"))?;
                    rated = Some((at, again));
                }
            }
        }
    }
    let ladder = docket.options.policy.ladder();
    if let Some((at, again)) = &rated
        && !below(again.consensus[0], ladder.consensus)
    {
        return Ok(Ruling { status: DecisionStatus::HybridSynthesized, winner: Some(*at), rung: "hybrid", hybrid: Some(again.clone()), ..near });
    }
    let mut all: Vec<(usize, f64)> = viable.iter().copied().zip(panel.consensus.iter().copied()).collect();
    all.extend(rated.iter().map(|(at, again)| (*at, again.consensus[0])));
    let scored: Vec<ScoredCard> = all.iter().map(|(at, _)| docket.positions[*at].scored_card()).collect();
    let ratings: Vec<f64> = all.iter().map(|(_, rating)| *rating).collect();
    let winner = safest(&ratings, &scored).map(|place| all[place].0);
    Ok(Ruling { winner, hybrid: rated.map(|(_, again)| again), ..near })
}

/// A person decides; if the run is told to conclude first, the safest position is taken.
async fn hand_over(phase: &Bench, docket: &mut Docket, ruling: Ruling, viable: &[usize], scored: &[ScoredCard], why: &str) -> Result<Ruling> {
    let choice = if docket.closed { Choice::Unanswered } else { people::choose(phase, docket, viable, why).await? };
    Ok(match choice {
        Choice::Position { at, by, note } => Ruling { winner: Some(at), person: Some((by, note)), ..ruling },
        Choice::None { by, note } => Ruling { person: Some((by, note)), ..ruling },
        Choice::Unanswered => {
            docket.closed = true;
            phase.warn(format!("{why} The run was closed before a person decided: the safest position is taken."));
            let ratings: Vec<f64> = ruling.panel.as_ref().map_or_else(|| vec![0.0; viable.len()], |panel| panel.consensus.clone());
            Ruling { status: DecisionStatus::SafeFallback, winner: safest(&ratings, scored).map(|place| viable[place]), rung: "closed", ..ruling }
        }
    })
}
