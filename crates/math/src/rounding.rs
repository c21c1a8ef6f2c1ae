//! Numbers as people are shown them.

/// So many decimals, halves away from zero.
pub fn round(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    // A product such as 1.005 × 100 falls a hair short of the half it stands for.
    let scaled = value * scale;
    (scaled + scaled.signum() * 1e-9).round() / scale
}

/// The mean, if there is anything to take it of.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_away_from_zero() {
        for (value, decimals, want) in [(7.25, 1, 7.3), (-7.25, 1, -7.3), (1.005, 2, 1.01), (6.649, 1, 6.6), (7.5, 0, 8.0), (0.0, 1, 0.0)] {
            assert_eq!(round(value, decimals), want, "{value} to {decimals}");
        }
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!((mean(&[]), mean(&[1.0, 2.0])), (None, Some(1.5)));
    }

    proptest! {
        #[test]
        fn rounding_moves_at_most_half_a_step_and_twice_is_once(value in -1e6_f64..1e6, decimals in 0_i32..4) {
            let rounded = round(value, decimals);
            prop_assert!((rounded - value).abs() <= 0.5 / 10f64.powi(decimals) + 1e-8);
            prop_assert_eq!(round(rounded, decimals), rounded);
        }
    }
}
