//! The weighted panel: seats rate every card, confidence counts, and a ladder turns the result into an outcome.

use super::{EPSILON, below, converge::ScoredCard, converge::rank};

/// One seat's rating of every card, in the cards' order.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatRating {
    pub weight: f64,
    pub scores: Vec<f64>,
    pub confidence: f64,
}

/// One member's rating of the cards it may judge: it leaves out those it wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberRating {
    pub scores: Vec<Option<f64>>,
    pub confidence: f64,
}

/// Several members on one seat: each card's scores weighted by confidence, confidence as plain mean. Members without any confidence count
/// alike. `None` if some card has no score.
pub fn join_members(weight: f64, members: &[MemberRating]) -> Option<SeatRating> {
    let first = members.first()?;
    let of = |card: usize| {
        let rated: Vec<(f64, f64)> = members.iter().filter_map(|member| Some((member.scores[card]?, member.confidence))).collect();
        let sum: f64 = rated.iter().map(|(_, confidence)| confidence).sum();
        let share = |confidence: f64| if sum > 0.0 { confidence / sum } else { 1.0 / rated.len() as f64 };
        (!rated.is_empty()).then(|| rated.iter().map(|(score, confidence)| share(*confidence) * score).sum::<f64>())
    };
    let scores: Option<Vec<f64>> = (0..first.scores.len()).map(of).collect();
    let confidence = members.iter().map(|member| member.confidence).sum::<f64>() / members.len() as f64;
    Some(SeatRating { weight, scores: scores?, confidence })
}

/// The panel's agreed rating of each card: 0 where nobody has any confidence.
pub fn consensus(ratings: &[SeatRating], cards: usize) -> Vec<f64> {
    let total: f64 = ratings.iter().map(|rating| rating.weight * rating.confidence).sum();
    let of = |card: usize| ratings.iter().map(|rating| rating.weight * rating.confidence * rating.scores[card]).sum::<f64>();
    (0..cards).map(|card| if total > 0.0 { of(card) / total } else { 0.0 }).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ladder {
    pub consensus: f64,
    pub escalate: f64,
    pub near: f64,
    pub hybrid_below_escalate: bool,
}

impl Default for Ladder {
    fn default() -> Self {
        Self { consensus: 0.70, escalate: 0.50, near: 0.10, hybrid_below_escalate: false }
    }
}

/// Indices are into the cards as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Consensus { winner: usize, near_tie: bool },
    Escalated,
    Hybrid { first: usize, second: usize },
    Fallback { winner: usize },
}

/// The first rung that holds. `cards` are those rated, in the order of `ratings`.
pub fn outcome(ratings: &[f64], cards: &[ScoredCard], ladder: &Ladder) -> Option<Outcome> {
    let order = best_first(ratings, cards);
    let first = *order.first()?;
    let second = order.get(1).copied();
    let near = second.is_some_and(|second| below(ratings[first] - ratings[second], ladder.near));
    let reached = !below(ratings[first], ladder.consensus);
    let low = below(ratings[first], ladder.escalate);
    Some(match (reached, low, second) {
        (true, _, _) => Outcome::Consensus { winner: first, near_tie: near },
        (false, true, Some(second)) if near && ladder.hybrid_below_escalate => Outcome::Hybrid { first, second },
        (false, true, _) => Outcome::Escalated,
        (false, false, Some(second)) if near => Outcome::Hybrid { first, second },
        (false, false, _) => Outcome::Fallback { winner: safest(ratings, cards)? },
    })
}

/// By rating, then as the safest: nothing depends on the order the cards came in.
fn best_first(ratings: &[f64], cards: &[ScoredCard]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ratings.len()).collect();
    let calm = |a: usize, b: usize| cards[a].risk.total_cmp(&cards[b].risk).then_with(|| cards[b].reversibility.total_cmp(&cards[a].reversibility));
    order.sort_by(|a, b| ratings[*b].total_cmp(&ratings[*a]).then_with(|| calm(*a, *b)).then_with(|| cards[*a].id.cmp(&cards[*b].id)));
    order
}

/// The card with the least risk; then the higher rating, the more reversible, the smaller id.
pub fn safest(ratings: &[f64], cards: &[ScoredCard]) -> Option<usize> {
    (0..cards.len()).min_by(|a, b| {
        let (x, y) = (&cards[*a], &cards[*b]);
        x.risk
            .total_cmp(&y.risk)
            .then_with(|| ratings[*b].total_cmp(&ratings[*a]))
            .then_with(|| y.reversibility.total_cmp(&x.reversibility))
            .then_with(|| x.id.cmp(&y.id))
    })
}

/// The card with the least risk where nobody rated them; among equals the first by score and its ladder.
pub fn safest_unrated(cards: &[ScoredCard]) -> Option<usize> {
    let grid = |card: usize| (cards[card].risk / EPSILON).round();
    rank(cards).into_iter().reduce(|best, next| if grid(next) < grid(best) { next } else { best })
}

/// A word for reports.
pub fn band(rating: f64) -> &'static str {
    match rating {
        _ if !below(rating, 0.70) => "strong",
        _ if !below(rating, 0.60) => "moderate",
        _ if !below(rating, 0.50) => "weak",
        _ => "none",
    }
}
