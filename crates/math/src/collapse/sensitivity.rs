//! How far the winner is from losing: the smallest change of one weight that puts another card first, and cards that are worse in everything.

use super::EPSILON;
use super::score::{Score, ScoreTerms, Signs, Weights, signs};

/// The least change of one weight that makes another card the best.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightFlip {
    pub weight: &'static str,
    pub from: f64,
    /// Where the two meet: beyond it, seen from `from`, the other leads.
    pub to: f64,
    /// Whether the weight has to rise beyond it, or to fall.
    pub up: bool,
    /// Index of the card that would then lead.
    pub winner: usize,
}

/// For the best of these scores: the nearest flip over all weights, if one that stays at 0 or above can bring it about.
pub fn nearest_flip(scores: &[Score], winner: usize, weights: &Weights, reading: Signs) -> Option<WeightFlip> {
    let (sign, weight) = (signs(reading), weights.values());
    // With the change it takes and how fast the other pulls away beyond it.
    let mut best: Option<(f64, f64, WeightFlip)> = None;
    for term in 0..weight.len() {
        for (other, score) in scores.iter().enumerate().filter(|(other, _)| *other != winner) {
            let lead = (scores[winner].value - score.value).max(0.0);
            let pull = sign[term] * (scores[winner].terms.values()[term] - score.terms.values()[term]);
            if pull.abs() <= EPSILON {
                continue;
            }
            let (up, change) = (pull < 0.0, lead / pull.abs());
            let to = if up { weight[term] + change } else { weight[term] - change };
            // Where they meet at 0 there is nothing beyond: a weight below it would turn its meaning.
            if !up && to <= EPSILON {
                continue;
            }
            // Of those that meet the winner at one point, the steepest leads beyond it.
            let nearer = best.as_ref().is_none_or(|(known, slope, _)| change < known - EPSILON || change < known + EPSILON && pull.abs() > *slope);
            if nearer {
                best = Some((change, pull.abs(), WeightFlip { weight: ScoreTerms::NAMES[term], from: weight[term], to, up, winner: other }));
            }
        }
    }
    best.map(|(_, _, flip)| flip)
}

/// What a card brings to each term, turned so that more is better.
fn worth(score: &Score, reading: Signs) -> [f64; 6] {
    let (sign, values) = (signs(reading), score.terms.values());
    std::array::from_fn(|term| sign[term] * values[term])
}

/// At least as good in every term, and better in one.
fn beats(a: &[f64; 6], b: &[f64; 6]) -> bool {
    a.iter().zip(b).all(|(a, b)| *a >= b - EPSILON) && a.iter().zip(b).any(|(a, b)| *a > b + EPSILON)
}

/// Cards for which another is at least as good in every term and better in one.
pub fn dominated(scores: &[Score], reading: Signs) -> Vec<usize> {
    let all: Vec<[f64; 6]> = scores.iter().map(|score| worth(score, reading)).collect();
    // Whoever is beaten is beaten by somebody unbeaten, whose sum is no smaller: each card meets only those.
    let sum = |card: &usize| all[*card].iter().sum::<f64>();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    let (mut unbeaten, mut beaten): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for card in order {
        let found = unbeaten.iter().any(|other| beats(&all[*other], &all[card]));
        if found { beaten.push(card) } else { unbeaten.push(card) }
    }
    beaten.sort_unstable();
    beaten
}

/// The cards that are at least as good as this one in every term and better in one, each with the terms in which it is better.
pub fn dominators(scores: &[Score], card: usize, reading: Signs) -> Vec<(usize, Vec<&'static str>)> {
    let own = worth(&scores[card], reading);
    let better = |other: &[f64; 6]| (0..own.len()).filter(|term| other[*term] > own[*term] + EPSILON).map(|term| ScoreTerms::NAMES[term]).collect();
    let all = scores.iter().enumerate().map(|(at, score)| (at, worth(score, reading)));
    all.filter(|(_, other)| beats(other, &own)).map(|(at, other)| (at, better(&other))).collect()
}
