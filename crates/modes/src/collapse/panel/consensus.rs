//! The panel's consensus on each position: seven weighted seats, of which some may be absent, and a quorum.

use super::rate::{Part, SeatEvaluation, Sitting, parts, rate};
use crate::collapse::cards::records::{Concern, Evaluation, PanelSeat};
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rows::{EvaluationEntry, PanelRow};
use synod_engine::{Bench, Result};
use synod_math::collapse::panel::{MemberRating, SeatRating, consensus, join_members};
use synod_types::*;

/// What the panel makes of the positions put before it.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Indices of the positions, in the docket's order.
    pub positions: Vec<usize>,
    pub evaluations: Vec<SeatEvaluation>,
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
    fn of(docket: &Docket, positions: &[usize], evaluations: Vec<SeatEvaluation>, closed: bool) -> Self {
        let ids: Vec<&str> = positions.iter().map(|at| docket.positions[*at].id()).collect();
        let mut seats = Vec::new();
        for seat in PanelSeat::ALL {
            let members: Vec<&Evaluation> = evaluations.iter().map(|each| &each.evaluation).filter(|evaluation| evaluation.agent == seat).collect();
            let score = |evaluation: &Evaluation, id: &str| evaluation.position_scores.get(id).map(|score| score.clamp(0.0, 1.0));
            let ratings: Vec<MemberRating> = members
                .iter()
                .map(|evaluation| MemberRating { scores: ids.iter().map(|id| score(evaluation, id)).collect(), confidence: evaluation.confidence })
                .collect();
            if let Some(rating) = join_members(docket.options.policy.weight(seat), &ratings) {
                let mut names: Vec<String> = Vec::new();
                for member in members.iter().map(|evaluation| &evaluation.member).filter(|member| !member.is_empty()) {
                    if !names.contains(member) {
                        names.push(member.clone());
                    }
                }
                seats.push(SeatResult { seat, rating, members: names });
            }
        }
        let ratings: Vec<SeatRating> = seats.iter().map(|row| row.rating.clone()).collect();
        let rated = |seat| seats.iter().any(|row: &SeatResult| row.seat == seat);
        let quorate = seats.len() >= docket.options.policy.quorum as usize && rated(PanelSeat::Verifier) && rated(PanelSeat::RiskCompliance);
        let absent = PanelSeat::ALL.into_iter().filter(|seat| !rated(*seat)).collect();
        Self { positions: positions.to_vec(), evaluations, consensus: consensus(&ratings, ids.len()), seats, quorate, absent, closed }
    }

    /// What the panel agrees on for a position; nothing without a quorum.
    pub fn consensus_on(&self, at: usize) -> Option<f64> {
        self.positions.iter().position(|position| *position == at).filter(|_| self.quorate).map(|place| self.consensus[place])
    }

    /// The lead of the best over the second.
    pub fn lead(&self) -> Option<f64> {
        if !self.quorate {
            return None;
        }
        let mut sorted = self.consensus.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        Some(sorted.first()? - sorted.get(1)?)
    }

    pub fn best(&self) -> Option<f64> {
        self.consensus.iter().copied().reduce(f64::max).filter(|_| self.quorate)
    }

    /// Concerns, each with the seat that has it and what answers it.
    pub fn concerns(&self) -> Vec<(PanelSeat, Concern)> {
        let all = self.evaluations.iter().flat_map(|each| each.evaluation.concerns.iter().map(|concern| (each.evaluation.agent, concern)));
        let mut out: Vec<(PanelSeat, Concern)> = Vec::new();
        for (seat, concern) in all.filter(|(_, concern)| !concern.concern.trim().is_empty()) {
            match out.iter_mut().find(|(_, known)| known.concern.trim() == concern.concern.trim()) {
                None => out.push((seat, concern.clone())),
                Some((_, known)) if known.resolution.trim().is_empty() => known.resolution.clone_from(&concern.resolution),
                Some(_) => {}
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
        let agreed = if self.quorate { self.consensus.as_slice() } else { &[] };
        let columns: Vec<String> = self.positions.iter().map(|at| docket.positions[*at].id().to_owned()).collect();
        let row = PanelRow {
            conflict_type: conflict.to_owned(),
            consensus: columns.iter().cloned().zip(agreed.iter().copied()).collect(),
            delta_c: self.lead(),
            quorum: self.quorate,
            absent: self.absent.clone(),
            evaluations: self.evaluations.iter().map(entry).collect(),
            algorithm: "confidence-weighted mean",
        };
        let shape = Scorecard {
            scale: (0.0, 1.0),
            columns,
            of: "Seat".into(),
            rows: rows.collect(),
            totals: agreed.iter().map(|value| Some(*value)).collect(),
            overall: None,
            measure: if self.quorate {
                "consensus C: mean of the scores, weighted by seat and confidence".into()
            } else {
                format!("no quorum, so no consensus: {} of 7 seats rated", self.seats.len())
            },
        };
        Exhibit::new(title, Shape::Scorecard(shape)).data(&row)
    }
}

fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn entry(each: &SeatEvaluation) -> EvaluationEntry {
    let Evaluation { agent, member, position_scores, rationale, recommendation, concerns, confidence } = each.evaluation.clone();
    EvaluationEntry { seat: each.seat, agent, member, position_scores, rationale, recommendation, concerns, confidence }
}

/// The recorded evaluations that score every one of these positions, and those that do not, with what they lack.
fn recorded<'a>(docket: &'a Docket, positions: &[usize]) -> (Vec<SeatEvaluation>, Vec<(&'a Evaluation, Vec<&'a str>)>) {
    let (mut whole, mut partial) = (Vec::new(), Vec::new());
    for evaluation in &docket.options.panel {
        let rates = |at: &usize| docket.positions[*at].revisions == 0 && evaluation.position_scores.contains_key(docket.positions[*at].id());
        let missing: Vec<&str> = positions.iter().filter(|at| !rates(at)).map(|at| docket.positions[*at].id()).collect();
        if missing.is_empty() {
            whole.push(SeatEvaluation { seat: None, evaluation: evaluation.clone() });
        } else {
            partial.push((evaluation, missing));
        }
    }
    (whole, partial)
}

/// Whether a panel can sit on these positions: there are seats to play its parts, or enough of it was recorded.
pub fn panel_sits(docket: &Docket, positions: &[usize]) -> bool {
    !docket.seats.is_empty() || Panel::of(docket, positions, recorded(docket, positions).0, false).quorate
}

/// What was recorded of a panel that cannot sit; `None` if nothing was.
pub fn absent_panel(docket: &Docket, positions: &[usize]) -> Option<Panel> {
    let (whole, _) = recorded(docket, positions);
    (!whole.is_empty()).then(|| Panel::of(docket, positions, whole, false))
}

/// Puts positions before the panel: recorded evaluations count, and seats play the parts nobody has recorded.
pub async fn convene(bench: &Bench, docket: &Docket, positions: &[usize], sitting: Sitting<'_>) -> Result<Panel> {
    let (mut evaluations, partial) = recorded(docket, positions);
    for (evaluation, missing) in partial {
        if docket.positions.iter().any(|position| position.given && missing.contains(&position.id())) {
            let who = evaluation.agent.as_str();
            bench
                .warn(format!("The recorded evaluation by {who} has no score for the present version of {}: it does not count.", missing.join(", ")));
        }
    }
    let open: Vec<Part> =
        parts(&docket.options.experts).into_iter().filter(|part| !evaluations.iter().any(|known| known.evaluation.agent == part.seat)).collect();
    let ratings = rate(bench, docket, &open, positions, sitting).await?;
    if let Some(warning) = ratings.own_rating_warning() {
        bench.warn(warning);
    }
    evaluations.extend(ratings.ratings);
    Ok(Panel::of(docket, positions, evaluations, ratings.closed))
}
