//! What to do with the cards that passed: take the best, ask the panel, have them revised, or hand over.

use super::{EPSILON, above, below};

/// A card that passed the gates, as far as its place among the others depends on it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredCard {
    pub id: String,
    pub score: f64,
    pub evidence: f64,
    pub risk: f64,
    pub reversibility: f64,
    pub cost: u64,
    /// The instant it was put forward, if that is known. Earlier sorts first, unknown last.
    pub at: Option<i64>,
}

/// When a small gap calls the panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapCheck {
    #[default]
    Always,
    BelowThresholdOnly,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvergeRules {
    pub threshold: f64,
    pub gap: f64,
    pub max_reflexions: u32,
    pub gap_check: GapCheck,
}

impl Default for ConvergeRules {
    fn default() -> Self {
        Self { threshold: 6.0, gap: 2.0, max_reflexions: 3, gap_check: GapCheck::Always }
    }
}

words! {
    pub enum Conflict {
        ScoresTooClose = "scores_too_close",
        ReflexionExhausted = "reflexion_exhausted",
        Tradeoff = "multi_dimensional_tradeoff",
    }
}

/// The next move. Indices are into the cards as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Accept(usize),
    Panel { conflict: Conflict, below_threshold: bool },
    Reflect,
    AwaitApproval,
    NoViablePosition,
}

/// Best first: score, then evidence, less risk, reversibility, less cost, earlier, smaller id. The order the cards come in does not matter.
pub fn rank(cards: &[ScoredCard]) -> Vec<usize> {
    // Scores are ranked on a grid of the tolerance: "equal" must be transitive for a sort.
    let grid = |value: f64| (value / EPSILON).round();
    let mut order: Vec<usize> = (0..cards.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&cards[*a], &cards[*b]);
        grid(b.score)
            .total_cmp(&grid(a.score))
            .then_with(|| b.evidence.total_cmp(&a.evidence))
            .then_with(|| a.risk.total_cmp(&b.risk))
            .then_with(|| b.reversibility.total_cmp(&a.reversibility))
            .then_with(|| a.cost.cmp(&b.cost))
            .then_with(|| a.at.unwrap_or(i64::MAX).cmp(&b.at.unwrap_or(i64::MAX)))
            .then_with(|| a.id.cmp(&b.id))
    });
    order
}

/// The lead of the best over the second; none with one card alone.
pub fn gap(cards: &[ScoredCard], order: &[usize]) -> Option<f64> {
    let (first, second) = (order.first()?, order.get(1)?);
    Some(cards[*first].score - cards[*second].score)
}

/// The cards whose lead over each other is too small to tell: the best, and all within `gap` of it. In the order given.
pub fn contenders(cards: &[ScoredCard], least: f64) -> Vec<usize> {
    let Some(best) = rank(cards).first().map(|best| cards[*best].score) else { return Vec::new() };
    (0..cards.len()).filter(|card| below(best - cards[*card].score, least.max(2.0 * EPSILON))).collect()
}

pub fn converge(viable: &[ScoredCard], parked: bool, attempts: u32, rules: &ConvergeRules) -> Move {
    let order = rank(viable);
    let Some(best) = order.first().copied() else {
        return match (parked, attempts < rules.max_reflexions) {
            (true, _) => Move::AwaitApproval,
            (false, true) => Move::Reflect,
            (false, false) => Move::NoViablePosition,
        };
    };
    let passes = above(viable[best].score, rules.threshold);
    let close = gap(viable, &order).is_some_and(|gap| below(gap, rules.gap));
    match (passes, close) {
        (true, true) if rules.gap_check == GapCheck::BelowThresholdOnly => Move::Accept(best),
        (true, false) => Move::Accept(best),
        (below, true) => Move::Panel { conflict: Conflict::ScoresTooClose, below_threshold: !below },
        (false, false) if attempts < rules.max_reflexions => Move::Reflect,
        (false, false) => Move::Panel { conflict: Conflict::ReflexionExhausted, below_threshold: true },
    }
}

/// Whether each of two cards beats the other clearly on something: evidence, risk, reversibility or cost (as shares of 1).
pub fn is_trade_off(a: [f64; 4], b: [f64; 4], margin: f64) -> bool {
    // Risk and cost are better when they are less.
    let gains = [a[0] - b[0], b[1] - a[1], a[2] - b[2], b[3] - a[3]];
    gains.iter().any(|gain| *gain >= margin - EPSILON) && gains.iter().any(|gain| -gain >= margin - EPSILON)
}
