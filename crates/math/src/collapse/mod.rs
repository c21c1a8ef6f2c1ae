//! Weighted collapse: from position cards to one safe decision, as arithmetic.
//!
//! Owns the score of a card, the gates before it, convergence, the weighted panel and the ladder of outcomes, and how far the result is from
//! another. Refuses words: what a card says, who wrote it and what a person is asked belong to the mode.

pub mod converge;
pub mod gates;
pub mod instant;
pub mod panel;
pub mod score;
pub mod sensitivity;

/// Values closer than this count as equal, so that rounding never decides a strict comparison.
pub const EPSILON: f64 = 1e-9;

/// Strictly more, by more than rounding.
pub fn above(value: f64, limit: f64) -> bool {
    value > limit + EPSILON
}
/// Strictly less, by more than rounding.
pub fn below(value: f64, limit: f64) -> bool {
    value < limit - EPSILON
}

#[cfg(test)]
mod tests;
