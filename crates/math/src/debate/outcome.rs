//! What to do with a debate's result: how high the agreement is, and whether to act on it.

use super::{EPSILON, at_least, below, mean};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgreementLevel {
    High,
    Medium,
    Low,
}

/// The level of a measured agreement between 0 and 1.
pub fn agreement_level(agreement: f64) -> AgreementLevel {
    if at_least(agreement, 0.7) {
        AgreementLevel::High
    } else if at_least(agreement, 0.4) {
        AgreementLevel::Medium
    } else {
        AgreementLevel::Low
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdvisedAction {
    Proceed,
    /// Check what the conflicts are about first.
    Verify,
    /// The question is not answered yet.
    QueryDetail,
}

/// By mean confidence, agreement and the number of conflicts between the seats.
pub fn advise(mean_confidence: f64, agreement: f64, conflicts: usize) -> AdvisedAction {
    let level = agreement_level(agreement);
    if at_least(mean_confidence, 0.8) && level == AgreementLevel::High {
        AdvisedAction::Proceed
    } else if conflicts > 1 || (below(mean_confidence, 0.6) && conflicts > 0) {
        AdvisedAction::Verify
    } else if below(mean_confidence, 0.5) || level == AgreementLevel::Low {
        AdvisedAction::QueryDetail
    } else {
        AdvisedAction::Proceed
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
        assert_eq!(advise(0.8, 0.7, 0), AdvisedAction::Proceed);
        assert_eq!(advise(0.8, 0.7, 3), AdvisedAction::Proceed, "sure and agreed outweighs conflicts");
        assert_eq!(advise(0.75, 0.7, 2), AdvisedAction::Verify);
        assert_eq!(advise(0.55, 0.5, 1), AdvisedAction::Verify);
        assert_eq!(advise(0.45, 0.5, 0), AdvisedAction::QueryDetail);
        assert_eq!(advise(0.65, 0.5, 1), AdvisedAction::Proceed);
        assert_eq!(advise(0.65, 0.3, 0), AdvisedAction::QueryDetail);
        assert_eq!(
            [0.7, 0.69, 0.4, 0.39].map(agreement_level),
            [AgreementLevel::High, AgreementLevel::Medium, AgreementLevel::Medium, AgreementLevel::Low]
        );
    }

    #[test]
    fn a_wide_spread_of_confidence_is_a_conflict() {
        assert!(!confidences_conflict(&[0.5, 0.9]), "a variance of exactly 0.04 is none");
        assert!(confidences_conflict(&[0.4, 0.9]));
        assert!(!confidences_conflict(&[]) && !confidences_conflict(&[0.3]));
    }
}
