//! When a panel agrees too soon or has stopped thinking, and whether a round of objections helped.

use super::{at_least, at_most, below, mean};

/// New facts a seat, below which a round brought too little.
const LEAST_FACTS_PER_SEAT: f64 = 1.0;
const SMALL_SHIFT: f64 = 0.10;
const SMALL_SPREAD: f64 = 0.15;
const VERY_SURE: f64 = 0.85;
const MOST_SEATS: f64 = 0.75;
const LEAST_SOURCES: usize = 3;
const SHARED_PREMISES: f64 = 0.70;
const LEAST_VIEWS: usize = 2;
/// Agreement later than this is not early.
pub const EARLY_ROUNDS: u32 = 2;
const STILL_SURE: f64 = 0.80;
const LEAST_BELIEF_CHANGE: f64 = 0.05;

/// How much a round brought and moved. What could not be measured is `None` and proves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundActivity {
    pub facts_per_seat: f64,
    /// Mean absolute change of confidence; `None` in the first round.
    pub shift: Option<f64>,
    pub spread: Option<f64>,
}

impl RoundActivity {
    fn stagnant(&self) -> bool {
        let small = |value: Option<f64>, most: f64| value.is_some_and(|value| at_most(value, most));
        below(self.facts_per_seat, LEAST_FACTS_PER_SEAT) && small(self.shift, SMALL_SHIFT) && small(self.spread, SMALL_SPREAD)
    }
}

/// Two rounds in a row with little that is new, little that moves and no seat that stands apart.
pub fn stagnation(before: &RoundActivity, now: &RoundActivity) -> bool {
    before.stagnant() && now.stagnant()
}

/// Whether the seats are very sure early, and with how little behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlyConvergence {
    /// The share of seats that are very sure.
    pub share: f64,
    pub few_sources: bool,
    pub same_premises: bool,
    pub one_view: bool,
    pub fires: bool,
}

/// `None` after the second round. Sources are counted, so they are always known; premises and views may not be.
pub fn early_convergence(round: u32, confidences: &[f64], sources: usize, overlap: Option<f64>, clusters: Option<usize>) -> Option<EarlyConvergence> {
    if round > EARLY_ROUNDS || confidences.is_empty() {
        return None;
    }
    let sure = confidences.iter().filter(|value| at_least(**value, VERY_SURE)).count();
    let share = sure as f64 / confidences.len() as f64;
    let few_sources = sources < LEAST_SOURCES;
    let same_premises = overlap.is_some_and(|overlap| at_least(overlap, SHARED_PREMISES));
    let one_view = clusters.is_some_and(|clusters| clusters < LEAST_VIEWS);
    let fires = at_least(share, MOST_SEATS) && (few_sources || same_premises || one_view);
    Some(EarlyConvergence { share, few_sources, same_premises, one_view, fires })
}

/// What came of a round of objections.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectionResult {
    pub mean_confidence: Option<f64>,
    /// The larger of the mean change in confidence and the share that went over to another view.
    pub belief_change: f64,
    /// Nothing new, as sure as before, and nobody moved: only a person can help.
    pub failed: bool,
}

pub fn objection_result(new_facts: usize, confidences: &[f64], shift: Option<f64>, share_switched: f64) -> ObjectionResult {
    let mean_confidence = mean(confidences);
    let belief_change = shift.unwrap_or(0.0).max(share_switched);
    let failed = new_facts == 0 && mean_confidence.is_some_and(|mean| at_least(mean, STILL_SURE)) && below(belief_change, LEAST_BELIEF_CHANGE);
    ObjectionResult { mean_confidence, belief_change, failed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stagnation_takes_two_rounds() {
        let activity = |facts_per_seat: f64, shift: f64, spread: f64| RoundActivity { facts_per_seat, shift: Some(shift), spread: Some(spread) };
        let (second, third) = (activity(0.75, 0.05, 0.04), activity(0.0, 0.10, 0.15));
        assert!(stagnation(&second, &third));
        assert!(!stagnation(&activity(1.0, 0.05, 0.04), &third), "one new fact a seat is enough");
        let first = RoundActivity { shift: None, ..second };
        assert!(!stagnation(&first, &second), "so it cannot be before round 3");
        assert!(!stagnation(&second, &RoundActivity { spread: None, ..third }), "unmeasured proves nothing");
        // 0.15 as floating point computes it from 0.5 and 0.8.
        assert!(stagnation(&second, &activity(0.0, 0.1, 0.150_000_000_000_000_02)));
        assert!(!stagnation(&second, &activity(0.0, 0.1, 0.155)));
    }

    #[test]
    fn early_convergence_needs_confidence_and_a_thin_base() {
        let sure = [0.9, 0.9, 0.88, 0.7];
        let early = early_convergence(1, &sure, 2, None, None).expect("evaluated");
        assert_eq!((early.share, early.fires, early.few_sources), (0.75, true, true));
        assert!(!early_convergence(2, &sure, 3, Some(0.5), Some(2)).expect("evaluated").fires);
        assert!(early_convergence(2, &sure, 3, Some(0.7), Some(2)).expect("evaluated").fires);
        assert!(early_convergence(2, &sure, 3, Some(0.5), Some(1)).expect("evaluated").fires);
        assert!(!early_convergence(2, &sure, 3, None, None).expect("evaluated").fires, "unmeasured parts never fail the gate");
        assert_eq!(early_convergence(3, &sure, 0, None, None), None);
        assert!(!early_convergence(1, &[0.9, 0.9, 0.8, 0.7], 0, None, None).expect("evaluated").fires);
    }

    #[test]
    fn an_objection_fails_only_when_nothing_at_all_happened() {
        let sure = [0.86; 4];
        let stuck = objection_result(0, &sure, Some(0.03), 0.0);
        assert!(stuck.failed && (stuck.belief_change - 0.03).abs() < 1e-12);
        let switched = objection_result(0, &sure, Some(0.03), 0.25);
        assert_eq!((switched.failed, switched.belief_change), (false, 0.25));
        assert!(!objection_result(1, &sure, Some(0.03), 0.0).failed);
        assert!(!objection_result(0, &[0.79; 4], Some(0.03), 0.0).failed);
        assert!(!objection_result(0, &sure, Some(0.05), 0.0).failed);
        assert!(!objection_result(0, &[], None, 0.0).failed, "nobody spoke: that is another failure");
    }

    proptest! {
        #[test]
        fn order_does_not_matter(mut confidences in prop::collection::vec(0.0_f64..=1.0, 1..10), sources in 0_usize..6, facts in 0_usize..3) {
            let before = early_convergence(2, &confidences, sources, None, Some(1));
            let objected = objection_result(facts, &confidences, Some(0.01), 0.0).failed;
            confidences.reverse();
            prop_assert_eq!(early_convergence(2, &confidences, sources, None, Some(1)), before);
            prop_assert_eq!(objection_result(facts, &confidences, Some(0.01), 0.0).failed, objected);
        }
    }
}
