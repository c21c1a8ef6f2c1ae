//! What to do with a debate's result: how high the agreement is, and whether to act on it.

use super::{EPSILON, at_least, below, mean};

words! {
    pub enum AgreementLevel { High = "high", Medium = "medium", Low = "low" }
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

words! {
    pub enum AdvisedAction {
        Proceed = "proceed",
        /// Check what the conflicts are about first.
        Verify = "verify",
        /// The question is not answered yet.
        QueryDetail = "query_detail",
    }
}

/// By mean confidence, agreement and the number of conflicts between the seats. Only a table that measurably agrees and has no conflict left
/// proceeds; however sure the seats are, one conflict is looked at first.
pub fn advise(mean_confidence: f64, agreement: Option<f64>, conflicts: usize) -> AdvisedAction {
    let level = agreement.map(agreement_level);
    if conflicts == 0 && level == Some(AgreementLevel::High) && at_least(mean_confidence, 0.5) {
        AdvisedAction::Proceed
    } else if conflicts > 1 || (below(mean_confidence, 0.6) && conflicts > 0) {
        AdvisedAction::Verify
    } else if below(mean_confidence, 0.5) || level == Some(AgreementLevel::Low) {
        AdvisedAction::QueryDetail
    } else {
        AdvisedAction::Verify
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
        use AdvisedAction::{Proceed, QueryDetail, Verify};
        // mean confidence, agreement, conflicts, action
        let table = [
            (0.8, Some(0.7), 0, Proceed),
            (0.65, Some(0.7), 0, Proceed),
            (0.8, Some(0.7), 1, Verify),
            (0.75, Some(0.7), 2, Verify),
            (0.55, Some(0.5), 1, Verify),
            (0.65, Some(0.5), 1, Verify),
            (0.9, Some(0.69), 0, Verify),
            (0.9, None, 0, Verify),
            (0.45, Some(0.5), 0, QueryDetail),
            (0.45, Some(0.9), 0, QueryDetail),
            (0.65, Some(0.3), 0, QueryDetail),
        ];
        for (mean, agreement, conflicts, action) in table {
            assert_eq!(advise(mean, agreement, conflicts), action, "{mean} {agreement:?} {conflicts}");
        }
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
