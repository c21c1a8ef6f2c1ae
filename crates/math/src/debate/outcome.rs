//! What to do with a debate's result: how high the agreement is, and whether to act on it.

use super::{EPSILON, at_least, below, mean};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    High,
    Medium,
    Low,
}

/// The level of a measured agreement between 0 and 1.
pub fn level(agreement: f64) -> Level {
    if at_least(agreement, 0.7) {
        Level::High
    } else if at_least(agreement, 0.4) {
        Level::Medium
    } else {
        Level::Low
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Proceed,
    /// Check what the conflicts are about first.
    Verify,
    /// The question is not answered yet.
    QueryDetail,
}

/// By mean confidence, agreement and the number of conflicts between the seats.
pub fn action(mean_confidence: f64, agreement: f64, conflicts: usize) -> Action {
    let level = level(agreement);
    if at_least(mean_confidence, 0.8) && level == Level::High {
        Action::Proceed
    } else if conflicts > 1 || (below(mean_confidence, 0.6) && conflicts > 0) {
        Action::Verify
    } else if below(mean_confidence, 0.5) || level == Level::Low {
        Action::QueryDetail
    } else {
        Action::Proceed
    }
}

/// Seats that are sure by very different measures are in conflict, whatever they say.
pub fn confidences_conflict(confidences: &[f64]) -> bool {
    let Some(mean) = mean(confidences) else { return false };
    let mut squares: Vec<f64> = confidences.iter().map(|value| (value - mean).powi(2)).collect();
    squares.sort_by(f64::total_cmp);
    squares.iter().sum::<f64>() / confidences.len() as f64 > 0.04 + EPSILON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors() {
        assert_eq!(action(0.8, 0.7, 0), Action::Proceed);
        assert_eq!(action(0.8, 0.7, 3), Action::Proceed, "sure and agreed outweighs conflicts");
        assert_eq!(action(0.75, 0.7, 2), Action::Verify);
        assert_eq!(action(0.55, 0.5, 1), Action::Verify);
        assert_eq!(action(0.45, 0.5, 0), Action::QueryDetail);
        assert_eq!(action(0.65, 0.5, 1), Action::Proceed);
        assert_eq!(action(0.65, 0.3, 0), Action::QueryDetail);
        assert_eq!([0.7, 0.69, 0.4, 0.39].map(level), [Level::High, Level::Medium, Level::Medium, Level::Low]);
    }

    #[test]
    fn a_wide_spread_of_confidence_is_a_conflict() {
        assert!(!confidences_conflict(&[0.5, 0.9]), "a variance of exactly 0.04 is none");
        assert!(confidences_conflict(&[0.4, 0.9]));
        assert!(!confidences_conflict(&[]) && !confidences_conflict(&[0.3]));
    }
}
