//! The panel's consensus on each position: seven weighted seats, of which some may be absent, and a quorum.

use super::rate::{Part, parts, rate};
use crate::collapse::cards::records::{Evaluation, PanelSeat};
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rows::PanelRow;
use synod_engine::{Bench, Result};
use synod_math::collapse::panel::{SeatRating, consensus, join_members};
use synod_types::*;

/// What the panel makes of the positions put before it.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Indices of the positions, in the docket's order.
    pub positions: Vec<usize>,
    pub evaluations: Vec<Evaluation>,
    pub seats: Vec<SeatResult>,
    /// One value for each of the positions.
    pub consensus: Vec<f64>,
    pub quorate: bool,
    /// The seats that gave nothing.
    pub absent: Vec<PanelSeat>,
    pub closed: bool,
}

/// One seat of the panel: the joint rating of those who share it.
#[derive(Clone, Debug)]
pub struct SeatResult {
    pub seat: PanelSeat,
    pub rating: SeatRating,
    pub members: Vec<String>,
}

impl Panel {
    fn of(docket: &Docket, positions: &[usize], evaluations: Vec<Evaluation>, closed: bool) -> Self {
        let ids: Vec<&str> = positions.iter().map(|at| docket.positions[*at].id()).collect();
        let mut seats = Vec::new();
        for seat in PanelSeat::ALL {
            let members: Vec<&Evaluation> = evaluations.iter().filter(|evaluation| evaluation.agent == seat).collect();
            let weight = docket.options.policy.weight(seat);
            let ratings: Vec<SeatRating> = members
                .iter()
                .map(|evaluation| SeatRating {
                    weight,
                    scores: ids.iter().map(|id| evaluation.position_scores[*id].clamp(0.0, 1.0)).collect(),
                    confidence: evaluation.confidence,
                })
                .collect();
            if let Some(rating) = join_members(weight, &ratings) {
                let members = members.iter().map(|evaluation| evaluation.member.clone()).filter(|member| !member.is_empty()).collect();
                seats.push(SeatResult { seat, rating, members });
            }
        }
        let ratings: Vec<SeatRating> = seats.iter().map(|row| row.rating.clone()).collect();
        let rated = |seat| seats.iter().any(|row: &SeatResult| row.seat == seat);
        let quorate = seats.len() >= docket.options.policy.quorum as usize && rated(PanelSeat::Verifier) && rated(PanelSeat::RiskCompliance);
        let absent = PanelSeat::ALL.into_iter().filter(|seat| !rated(*seat)).collect();
        Self { positions: positions.to_vec(), evaluations, consensus: consensus(&ratings, ids.len()), seats, quorate, absent, closed }
    }

    pub fn consensus_on(&self, at: usize) -> Option<f64> {
        self.positions.iter().position(|position| *position == at).map(|place| self.consensus[place])
    }

    /// The lead of the best over the second.
    pub fn lead(&self) -> Option<f64> {
        let mut sorted = self.consensus.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        Some(sorted.first()? - sorted.get(1)?)
    }

    pub fn best(&self) -> Option<f64> {
        self.consensus.iter().copied().reduce(f64::max)
    }

    /// Concerns, each with the seat that has it.
    pub fn concerns(&self) -> Vec<(PanelSeat, String)> {
        let all =
            self.evaluations.iter().flat_map(|evaluation| evaluation.concerns.iter().map(|concern| (evaluation.agent, concern.trim().to_owned())));
        let mut out: Vec<(PanelSeat, String)> = Vec::new();
        for (seat, concern) in all.filter(|(_, concern)| !concern.is_empty()) {
            if !out.iter().any(|(_, known)| *known == concern) {
                out.push((seat, concern));
            }
        }
        out
    }

    /// The table of seats and positions.
    pub fn exhibit(&self, docket: &Docket, title: &str, conflict: &str) -> Exhibit {
        let rows = self.seats.iter().map(|row| {
            let members = match row.members.as_slice() {
                [] => String::new(),
                [one] => format!(", {one}"),
                several => format!(", shared by {}", several.join(" and ")),
            };
            ScoreRow {
                name: row.seat.as_str().replace('_', " "),
                weight: Some(row.rating.weight),
                cells: row.rating.scores.iter().map(|score| Some(*score)).collect(),
                summary: None,
                note: format!("confidence {}{members}", round(row.rating.confidence)),
            }
        });
        let columns: Vec<String> = self.positions.iter().map(|at| docket.positions[*at].id().to_owned()).collect();
        let row = PanelRow {
            conflict_type: conflict.to_owned(),
            consensus: columns.iter().cloned().zip(self.consensus.iter().copied()).collect(),
            delta_c: self.lead(),
            quorum: self.quorate,
            absent: self.absent.clone(),
            evaluations: self.evaluations.clone(),
            algorithm: "confidence-weighted mean",
        };
        let shape = Scorecard {
            scale: (0.0, 1.0),
            columns,
            rows: rows.collect(),
            totals: self.consensus.iter().map(|value| Some(*value)).collect(),
            overall: None,
            measure: "consensus C: mean of the scores, weighted by seat and confidence".into(),
        };
        Exhibit::new(title, Shape::Scorecard(shape)).data(&row)
    }
}

fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Puts positions before the panel: recorded evaluations count, and seats play the parts nobody has recorded.
pub async fn convene(bench: &Bench, docket: &Docket, positions: &[usize], why: &str) -> Result<Panel> {
    let ids: Vec<&str> = positions.iter().map(|at| docket.positions[*at].id()).collect();
    let mut evaluations = Vec::new();
    for evaluation in &docket.options.panel {
        let missing: Vec<&str> = ids.iter().copied().filter(|id| !evaluation.position_scores.contains_key(*id)).collect();
        if missing.is_empty() {
            evaluations.push(evaluation.clone());
        } else if docket.options.cards.iter().any(|card| missing.contains(&card.id.as_str())) {
            let who = evaluation.agent.as_str();
            bench.warn(format!("The recorded evaluation by {who} has no score for {}: it does not count.", missing.join(", ")));
        }
    }
    let open: Vec<Part> =
        parts(&docket.options.experts).into_iter().filter(|part| !evaluations.iter().any(|known| known.agent == part.seat)).collect();
    let ratings = rate(bench, docket, &open, positions, why).await?;
    if let Some(warning) = ratings.own_rating_warning() {
        bench.warn(warning);
    }
    evaluations.extend(ratings.evaluations);
    Ok(Panel::of(docket, positions, evaluations, ratings.closed))
}
