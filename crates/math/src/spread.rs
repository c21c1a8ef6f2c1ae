//! Estimates of several seats taken together: where they lie, how far apart, and who stands apart.
//!
//! Owns quartiles, the usual moments and a spread that survives a mean of zero. What is undefined is `None`, never 0. Refuses to say what is
//! close enough, and against what: that is the protocol's affair.

/// A set of finite numbers, summed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub n: u32,
    pub min: f64,
    /// The quarter points, interpolated between neighbours; between them lies the middle half.
    pub low: f64,
    pub median: f64,
    pub high: f64,
    pub max: f64,
    pub mean: f64,
    /// Of these numbers as a whole population.
    pub sd: f64,
    /// As a sample of a larger one; `None` for a single number.
    pub sample_sd: Option<f64>,
    /// `sd / |mean|`; `None` where the mean is zero.
    pub cv: Option<f64>,
}

/// What a spread is measured against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Yardstick {
    /// The size of the median: for quantities on one side of zero.
    Median,
    /// A fixed width in the numbers' own unit: for years, ratings and whatever lies on both sides of zero.
    Width(f64),
}

impl Summary {
    /// `None` without a number.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let n = sorted.len() as f64;
        let mean = (sorted.iter().sum::<f64>() / n).clamp(min, max);
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = (squares / n).sqrt();
        let zero = mean.abs() <= 1e-12 * min.abs().max(max.abs());
        Some(Self {
            n: sorted.len() as u32,
            min,
            low: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            high: quantile(&sorted, 0.75),
            max,
            mean,
            sd,
            sample_sd: (sorted.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
            cv: (!zero).then(|| sd / mean.abs()),
        })
    }

    /// The width of the middle half.
    pub fn middle(&self) -> f64 {
        self.high - self.low
    }

    pub fn range(&self) -> f64 {
        self.max - self.min
    }

    /// Whether all lie on one side of zero, so that their size means something.
    pub fn one_sided(&self) -> bool {
        self.min > 0.0 || self.max < 0.0
    }

    /// The middle half's width as a part of the yardstick: 0 when it has none. `None`: there is a spread and nothing to measure it by.
    pub fn dispersion(&self, against: Yardstick) -> Option<f64> {
        let scale = match against {
            Yardstick::Median => self.median.abs(),
            Yardstick::Width(width) => width,
        };
        if self.middle() == 0.0 {
            return Some(0.0);
        }
        (scale > 0.0).then(|| self.middle() / scale).filter(|share| share.is_finite())
    }

    /// Whether a number lies more than one and a half middle halves beyond it.
    pub fn apart(&self, value: f64) -> bool {
        let reach = 1.5 * self.middle();
        value < self.low - reach || value > self.high + reach
    }
}

/// Linear between the two nearest, as most statistics programs have it by default.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    (below + (above - below) * place.fract()).clamp(below, above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[f64]) -> Summary {
        Summary::of(values).expect("numbers")
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn estimates_are_summed_up_as_the_table_says() {
        // values, mean, median, sd, cv, low, high
        type Case<'a> = (&'a [f64], f64, f64, f64, Option<f64>, f64, f64);
        let table: &[Case] = &[
            (&[42.0], 42.0, 42.0, 0.0, Some(0.0), 42.0, 42.0),
            (&[10.0, 20.0, 30.0], 20.0, 20.0, 8.164_965_809_277_26, Some(0.408_248_290_463_863), 15.0, 25.0),
            (&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], 5.0, 4.5, 2.0, Some(0.4), 4.0, 5.5),
            (&[40.0, 35.0, 42.0, 40.0], 39.25, 40.0, 2.586_020_108_197_152, Some(0.065_885_862_629_226), 38.75, 40.5),
            (&[-5.0, 0.0, 5.0], 0.0, 0.0, 4.082_482_904_638_63, None, -2.5, 2.5),
            (&[0.0, 0.0, 0.0], 0.0, 0.0, 0.0, None, 0.0, 0.0),
            (&[-10.0, -20.0], -15.0, -15.0, 5.0, Some(1.0 / 3.0), -17.5, -12.5),
            (&[0.001, 0.002, 0.003], 0.002, 0.002, 0.000_816_496_580_927_726, Some(0.408_248_290_463_863), 0.0015, 0.0025),
        ];
        for &(values, mean, median, sd, cv, low, high) in table {
            let summary = of(values);
            assert!(close(summary.mean, mean) && close(summary.median, median) && close(summary.sd, sd), "{values:?}: {summary:?}");
            assert!(close(summary.low, low) && close(summary.high, high), "{values:?}: {summary:?}");
            assert_eq!(summary.cv.is_some(), cv.is_some(), "{values:?}: {summary:?}");
            assert!(summary.cv.zip(cv).is_none_or(|(a, b)| close(a, b)), "{values:?}: {summary:?}");
        }
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(of(&[7.0]).sample_sd, None);
        assert!(close(of(&[1.0, 3.0]).sample_sd.expect("two numbers"), 2f64.sqrt()));
    }

    #[test]
    fn spread_is_measured_by_what_fits_the_question() {
        // values, yardstick, dispersion
        let table: &[(&[f64], Yardstick, Option<f64>)] = &[
            (&[10.0, 20.0, 30.0], Yardstick::Median, Some(0.5)),
            (&[40.0, 35.0, 42.0, 40.0], Yardstick::Median, Some(1.75 / 40.0)),
            // A mean of zero hides nothing.
            (&[-5.0, 0.0, 5.0], Yardstick::Median, None),
            (&[-5.0, 0.0, 5.0], Yardstick::Width(10.0), Some(0.5)),
            (&[0.0, 0.0, 0.0], Yardstick::Median, Some(0.0)),
            (&[3.0, 3.0, 3.0], Yardstick::Width(0.0), Some(0.0)),
            (&[1.0, 2.0, 3.0], Yardstick::Width(0.0), None),
            // Years are all alike beside their own size, and thirteen apart by any other measure.
            (&[2027.0, 2030.0, 2035.0, 2040.0], Yardstick::Median, Some(7.0 / 2032.5)),
            (&[2027.0, 2030.0, 2035.0, 2040.0], Yardstick::Width(13.0), Some(7.0 / 13.0)),
        ];
        for &(values, yardstick, want) in table {
            let got = of(values).dispersion(yardstick);
            assert_eq!(got.is_some(), want.is_some(), "{values:?} {yardstick:?}: {got:?}");
            assert!(got.zip(want).is_none_or(|(a, b)| close(a, b)), "{values:?} {yardstick:?}: {got:?}");
        }
    }

    #[test]
    fn one_far_from_the_rest_stands_apart() {
        let summary = of(&[10.0, 10.0, 11.0, 12.0, 40.0]);
        assert!(summary.apart(40.0) && !summary.apart(12.0) && !summary.apart(10.0));
        let agreed = of(&[5.0, 5.0, 5.0, 5.0, 6.0]);
        assert!(agreed.apart(6.0) && !agreed.apart(5.0), "where all agree, any other value stands apart");
    }

    fn values() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1e30_f64..1e30, 1..9)
    }

    proptest! {
        #[test]
        fn the_five_numbers_are_in_order_and_the_mean_within(values in values()) {
            let summary = of(&values);
            let five = [summary.min, summary.low, summary.median, summary.high, summary.max];
            prop_assert!(five.is_sorted(), "{five:?}");
            prop_assert!(summary.min <= summary.mean && summary.mean <= summary.max);
            prop_assert!(summary.sd >= 0.0 && summary.sd <= summary.range() * 0.5 * (1.0 + 1e-9));
            prop_assert!(!summary.apart(summary.median));
        }

        #[test]
        fn order_does_not_matter(values in values(), seed: u64) {
            let mut shuffled = values.clone();
            crate::Rng::new(seed).shuffle(&mut shuffled);
            prop_assert_eq!(of(&values), of(&shuffled));
        }

        #[test]
        fn the_unit_does_not_matter_to_a_relative_spread(values in prop::collection::vec(0.1_f64..1e6, 1..9), unit in prop::sample::select(vec![1e-3, 1e3, 1e6])) {
            let scaled: Vec<f64> = values.iter().map(|value| value * unit).collect();
            let (a, b) = (of(&values).dispersion(Yardstick::Median), of(&scaled).dispersion(Yardstick::Median));
            prop_assert!(a.zip(b).is_some_and(|(a, b)| close(a, b)), "{a:?} {b:?}");
        }

        #[test]
        fn the_zero_point_does_not_matter_to_a_spread_by_width(values in prop::collection::vec(-1e3_f64..1e3, 1..9), shift in -1e3_f64..1e3) {
            let shifted: Vec<f64> = values.iter().map(|value| value + shift).collect();
            let by = Yardstick::Width(50.0);
            prop_assert!((of(&values).dispersion(by).unwrap_or(0.0) - of(&shifted).dispersion(by).unwrap_or(0.0)).abs() < 1e-9);
        }
    }
}
