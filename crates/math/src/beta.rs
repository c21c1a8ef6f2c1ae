//! The beta distribution: how much of it lies below a point, and the shortest interval that holds a given part of it.
//!
//! Only shapes of at least 1 on both sides are meant, the ones counted successes and failures give; those have a single peak.

/// Part of Beta(a, b) that lies below `x`: the regularised incomplete beta function, by its continued fraction.
pub fn below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (a * x.ln() + b * (1.0 - x).ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    // The fraction converges quickly on the near side of the mean; the far side is its mirror image.
    if x < (a + 1.0) / (a + b + 2.0) { front * fraction(x, a, b) / a } else { 1.0 - front * fraction(1.0 - x, b, a) / b }
}

/// The shortest interval that holds this part of Beta(a, b). The peak is always inside it.
pub fn shortest(a: f64, b: f64, mass: f64) -> (f64, f64) {
    if a <= 1.0 {
        return (0.0, quantile(mass, a, b));
    }
    if b <= 1.0 {
        return (quantile(1.0 - mass, a, b), 1.0);
    }
    let height = |x: f64| (a - 1.0) * x.ln() + (b - 1.0) * (1.0 - x).ln();
    let peak = (a - 1.0) / (a + b - 2.0);
    // The shortest one has both ends equally high on the curve.
    let upper = |low: f64| bisect(peak, 1.0, |x| height(x) > height(low));
    let low = bisect(0.0, peak, |low| below(upper(low), a, b) - below(low, a, b) > mass);
    // By what is still wanted, not by height: beside a border the curve can be too steep to read heights off it.
    (low, quantile((below(low, a, b) + mass).min(1.0), a, b).max(peak))
}

/// The point below which this part of Beta(a, b) lies.
pub fn quantile(part: f64, a: f64, b: f64) -> f64 {
    bisect(0.0, 1.0, |x| below(x, a, b) < part)
}

/// Where a condition that holds from `low` on ceases to.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..45 {
        let middle = f64::midpoint(low, high);
        if holds(middle) { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// Lentz's method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut product = d;
    for step in 1..=300 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = product;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            product *= c * d;
        }
        if (product - before).abs() <= 1e-15 * product.abs() {
            break;
        }
    }
    product
}

/// Lanczos' approximation, good to about fifteen digits for what is greater than a half.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let sum = (1..).zip(TERMS).fold(0.999_999_999_999_809_9, |sum, (at, term)| sum + term / (x + f64::from(at)));
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-9, "got {got}, want {want}");
    }

    #[test]
    fn the_part_below_a_point_is_the_one_in_the_tables() {
        // For whole numbers: the chance of at least a of a + b - 1 throws.
        near(below(0.5, 2.0, 2.0), 0.5);
        near(below(0.3, 1.0, 1.0), 0.3);
        near(below(0.25, 1.0, 3.0), 1.0 - 0.75_f64.powi(3));
        near(below(0.2, 4.0, 1.0), 0.2_f64.powi(4));
        near(below(0.5, 3.0, 5.0), 99.0 / 128.0);
        near(below(0.7, 8.0, 3.0), 0.382_782_786_4);
        // Halves: 2/π · (asin √x − (1 − 2x) · √(x(1 − x))).
        near(below(0.25, 1.5, 1.5), 0.195_501_109_477_885_3);
    }

    #[test]
    fn a_quantile_is_where_the_part_below_is_reached() {
        near(quantile(0.2, 5.0, 1.0), 0.2_f64.powf(0.2));
        near(quantile(0.8, 1.0, 5.0), 1.0 - 0.2_f64.powf(0.2));
        near(quantile(0.5, 3.0, 3.0), 0.5);
    }

    #[test]
    fn the_shortest_interval_ends_at_a_border_where_the_peak_is_there() {
        let (low, high) = shortest(5.0, 1.0, 0.8);
        near(low, 0.2_f64.powf(0.2));
        assert_eq!(high, 1.0);
        let (low, high) = shortest(1.0, 5.0, 0.8);
        assert_eq!(low, 0.0);
        near(high, 1.0 - 0.2_f64.powf(0.2));
        let (low, high) = shortest(3.0, 3.0, 0.8);
        near(low + high, 1.0);
        near(below(high, 3.0, 3.0) - below(low, 3.0, 3.0), 0.8);
    }

    proptest! {
        #[test]
        fn the_shortest_interval_holds_its_part_and_the_peak(n in 1_u32..40, share in 0.0_f64..=1.0) {
            let (a, b) = (f64::from(n) * share + 1.0, f64::from(n) * (1.0 - share) + 1.0);
            let (low, high) = shortest(a, b, 0.8);
            prop_assert!((below(high, a, b) - below(low, a, b) - 0.8).abs() < 1e-6);
            prop_assert!(low <= share + 1e-9 && share <= high + 1e-9, "{} {} {}", low, share, high);
            // No longer than the one with equal tails.
            prop_assert!(high - low <= quantile(0.9, a, b) - quantile(0.1, a, b) + 1e-9);
        }
    }
}
