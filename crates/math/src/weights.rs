//! Scores become shares of influence.
//!
//! Owns the softmax and its limits. Refuses to say what a score means: stated confidence and likeness to others go through the same curve.

/// Shares in proportion to `exp(score / temperature)`. The colder, the more the best takes; at 0 it takes all and equal ones share; at
/// infinity all are equal. The largest score is taken off first, so that nothing overflows. Scores are finite.
pub fn softmax(scores: &[f64], temperature: f64) -> Vec<f64> {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raw: Vec<f64> = scores.iter().map(|score| if *score == best { 1.0 } else { ((score - best) / temperature.max(0.0)).exp() }).collect();
    let sum: f64 = raw.iter().sum();
    raw.into_iter().map(|share| share / sum).collect()
}

/// A share as a percentage with two decimals.
pub fn percent(share: f64) -> f64 {
    (share * 1e4).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_confidences_give_known_percentages() {
        // temperature, scores, percentages
        let table: &[(f64, &[f64], &[f64])] = &[
            (1.0, &[0.9, 0.5], &[59.87, 40.13]),
            (1.0, &[1.0, 0.0], &[73.11, 26.89]),
            (1.0, &[0.82, 0.91, 0.45], &[35.91, 39.29, 24.80]),
            (1.0, &[0.98, 0.72, 0.08], &[45.92, 35.41, 18.67]),
            (0.1, &[0.9, 0.8], &[73.11, 26.89]),
            (0.1, &[0.9, 0.5], &[98.20, 1.80]),
            (5.0, &[1.0, 0.0], &[54.98, 45.02]),
            (0.25, &[0.9, 0.5], &[83.20, 16.80]),
            (0.25, &[0.7], &[100.0]),
            // The limits: the best takes all, equal ones share, and in endless heat all are equal.
            (0.0, &[0.9, 0.8, 0.1], &[100.0, 0.0, 0.0]),
            (0.0, &[0.9, 0.1, 0.9], &[50.0, 0.0, 50.0]),
            (0.0005, &[0.9, 0.8], &[100.0, 0.0]),
            (f64::INFINITY, &[0.9, 0.1, 0.3, 0.0], &[25.0, 25.0, 25.0, 25.0]),
        ];
        for (temperature, scores, percentages) in table {
            let got: Vec<f64> = softmax(scores, *temperature).into_iter().map(percent).collect();
            assert_eq!(&got, percentages, "{scores:?} at {temperature}");
        }
        assert_eq!(softmax(&[], 1.0), Vec::<f64>::new());
    }

    fn scores() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(0.0_f64..=1.0, 1..8)
    }

    proptest! {
        #[test]
        fn weights_are_shares_of_one(scores in prop::collection::vec(-1e6_f64..1e6, 1..8), temperature in 0.0_f64..10.0) {
            let weights = softmax(&scores, temperature);
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
        }

        #[test]
        fn a_higher_score_never_weighs_less(scores in scores(), temperature in 0.1_f64..5.0) {
            let weights = softmax(&scores, temperature);
            for (i, a) in scores.iter().enumerate() {
                for (j, b) in scores.iter().enumerate() {
                    prop_assert!(a <= b || weights[i] >= weights[j]);
                }
            }
        }

        #[test]
        fn only_differences_matter(scores in scores(), temperature in 0.1_f64..5.0, shift in -3.0_f64..3.0) {
            let shifted: Vec<f64> = scores.iter().map(|score| score + shift).collect();
            for (a, b) in softmax(&scores, temperature).iter().zip(softmax(&shifted, temperature)) {
                prop_assert!((a - b).abs() < 1e-9);
            }
        }

        #[test]
        fn seats_may_change_places(scores in scores(), temperature in 0.1_f64..5.0, seed: u64) {
            let order = crate::Rng::new(seed).permutation(scores.len());
            let moved: Vec<f64> = order.iter().map(|&from| scores[from]).collect();
            let weights = softmax(&scores, temperature);
            for (weight, from) in softmax(&moved, temperature).iter().zip(order) {
                prop_assert!((weight - weights[from]).abs() < 1e-12);
            }
        }
    }
}
