//! Scores by several reviewers on weighted criteria.
//!
//! Agreement is measured by the mean distance between two reviewers, over all pairs of them. A standard deviation is reported beside it, but
//! no threshold on it suits every panel: two reviewers can reach 1.5 only from end to end of the scale, six with one stray among them. How
//! far two reviewers are from each other on average does not depend on how many pairs there are. Below half a point agreement is high;
//! above a point and a half it is low, which is about where reviewers who score by lot would be on a scale of five.

use crate::rounding::{mean, round};

words! {
    /// How far reviewers agree.
    pub enum Level {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

/// One reviewer's overall: the mean of the scores given, by weight, to one decimal. `None`: no score.
pub fn overall(scores: &[Option<f64>], weights: &[f64]) -> Option<f64> {
    let given: Vec<(f64, f64)> = scores.iter().zip(weights).filter_map(|(score, weight)| Some(((*score)?, *weight))).collect();
    let weight: f64 = given.iter().map(|(_, weight)| weight).sum();
    (weight > 0.0).then(|| round(given.iter().map(|(score, weight)| score * weight).sum::<f64>() / weight, 1))
}

/// What reviewers say of one criterion, or of the whole. Scores nobody gave are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Opinion {
    /// To one decimal; `None`: nobody scored it.
    pub average: Option<f64>,
    /// Of the population, to two decimals; `None` with fewer than two scores, as are all below.
    pub stddev: Option<f64>,
    /// Mean distance between two reviewers, to two decimals.
    pub distance: Option<f64>,
    pub agreement: Option<Level>,
}

pub fn opinion(scores: &[Option<f64>]) -> Opinion {
    let given: Vec<f64> = scores.iter().flatten().copied().collect();
    let Some(middle) = mean(&given) else { return Opinion::default() };
    let average = Some(round(middle, 1));
    if given.len() < 2 {
        return Opinion { average, ..Opinion::default() };
    }
    let squares: Vec<f64> = given.iter().map(|score| (score - middle).powi(2)).collect();
    let distances: Vec<f64> = given.iter().enumerate().flat_map(|(i, a)| given[i + 1..].iter().map(move |b| (a - b).abs())).collect();
    let distance = mean(&distances);
    let agreement = distance.map(|distance| match distance {
        near if near < 0.5 => Level::High,
        far if far > 1.5 => Level::Low,
        _ => Level::Medium,
    });
    Opinion { average, stddev: mean(&squares).map(|variance| round(variance.sqrt(), 2)), distance: distance.map(|far| round(far, 2)), agreement }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(scores: &[f64]) -> Vec<Option<f64>> {
        scores.iter().copied().map(Some).collect()
    }

    #[test]
    fn weights_count_only_where_there_is_a_score() {
        assert_eq!(overall(&all(&[4.0, 2.0]), &[5.0, 3.0]), Some(3.3));
        assert_eq!(overall(&[Some(4.0), None], &[5.0, 3.0]), Some(4.0));
        assert_eq!(overall(&[None, None], &[5.0, 3.0]), None, "nothing scored is nothing, not 0");
        assert_eq!(overall(&all(&[4.5, 3.0]), &[2.5, 2.5]), Some(3.8));
    }

    #[test]
    fn a_criterion_nobody_or_one_scored_has_no_agreement() {
        assert_eq!(opinion(&[None, None]), Opinion::default());
        assert_eq!(opinion(&[Some(4.0), None]), Opinion { average: Some(4.0), ..Opinion::default() });
    }

    #[test]
    fn the_size_of_the_panel_does_not_change_how_far_it_agrees() {
        // scores, average, standard deviation, distance, agreement
        type Case<'a> = (&'a [f64], f64, f64, f64, Level);
        let table: &[Case] = &[
            (&[4.0, 4.0], 4.0, 0.0, 0.0, Level::High),
            (&[4.0, 3.0], 3.5, 0.5, 1.0, Level::Medium),
            (&[4.0, 3.0, 4.0], 3.7, 0.47, 0.67, Level::Medium),
            (&[4.0, 2.0, 4.0], 3.3, 0.94, 1.33, Level::Medium),
            (&[1.0, 4.0], 2.5, 1.5, 3.0, Level::Low),
            (&[1.0, 5.0], 3.0, 2.0, 4.0, Level::Low),
            (&[1.0, 4.0, 4.0], 3.0, 1.41, 2.0, Level::Low),
            (&[4.0, 4.0, 4.0, 4.0, 4.0, 3.0], 3.8, 0.37, 0.33, Level::High),
        ];
        for &(scores, average, stddev, distance, agreement) in table {
            let want = Opinion { average: Some(average), stddev: Some(stddev), distance: Some(distance), agreement: Some(agreement) };
            assert_eq!(opinion(&all(scores)), want, "{scores:?}");
        }
    }

    fn scores() -> impl Strategy<Value = Vec<Option<f64>>> {
        prop::collection::vec(prop::option::of((2_u8..=10).prop_map(|half| f64::from(half) / 2.0)), 0..7)
    }

    proptest! {
        #[test]
        fn the_order_of_reviewers_says_nothing(scores in scores()) {
            let mut reversed = scores.clone();
            reversed.reverse();
            prop_assert_eq!(opinion(&scores), opinion(&reversed));
        }

        #[test]
        fn all_a_point_better_is_the_same_quarrel_a_point_higher(scores in scores()) {
            let better: Vec<Option<f64>> = scores.iter().map(|score| score.map(|score| score + 1.0)).collect();
            let (now, then) = (opinion(&scores), opinion(&better));
            prop_assert_eq!((now.stddev, now.distance, now.agreement), (then.stddev, then.distance, then.agreement));
        }

        #[test]
        fn an_overall_lies_between_the_scores_and_equal_weights_are_none(scores in scores(), weight in 1.0_f64..=5.0) {
            let found = overall(&scores, &vec![weight; scores.len()]);
            prop_assert_eq!(found, opinion(&scores).average);
            let given: Vec<f64> = scores.iter().flatten().copied().collect();
            if let Some(found) = found {
                let (low, high) = given.iter().fold((f64::MAX, f64::MIN), |(low, high), score| (low.min(*score), high.max(*score)));
                prop_assert!(low <= found && found <= high + 0.05);
            }
        }
    }
}
