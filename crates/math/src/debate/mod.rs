//! The arithmetic of a debate in rounds: who takes which side, when it may stop, and when it agrees too soon.
//!
//! The thresholds and the formulas are here; what the seats said, and how it is read, is up to the caller. Nothing here depends on the order of
//! seats. Every comparison with a threshold allows for [`EPSILON`], so that 0.15 computed in floating point still counts as 0.15.

pub mod clusters;
pub mod exits;
pub mod guard;
pub mod outcome;
pub mod sides;
pub mod spread;

pub const EPSILON: f64 = 1e-9;

/// The mean; `None` of no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

pub(crate) fn at_least(value: f64, threshold: f64) -> bool {
    value >= threshold - EPSILON
}

pub(crate) fn at_most(value: f64, threshold: f64) -> bool {
    value <= threshold + EPSILON
}

/// Strictly below, by more than rounding.
pub(crate) fn below(value: f64, threshold: f64) -> bool {
    value < threshold - EPSILON
}
