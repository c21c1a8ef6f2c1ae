//! How far apart the seats stand, from their distances to each other.
//!
//! With values it is the population's standard deviation; with clusters it is 0 for a single one and large as soon as there are two. A
//! measure that cannot be taken is `None`, never 0.

/// From pairwise distances between 0 and 1: the root of their mean square over both orders of each pair, halved.
pub fn from_distances(n: usize, distance: impl Fn(usize, usize) -> f64) -> Option<f64> {
    if n == 0 {
        return None;
    }
    let mut squares: Vec<f64> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| distance(i, j).clamp(0.0, 1.0).powi(2)).collect();
    // Added up in one order, whoever sits where.
    squares.sort_by(f64::total_cmp);
    Some((squares.iter().sum::<f64>() / (n * n) as f64).sqrt())
}

/// From positions between 0 and 1.
pub fn from_values(values: &[f64]) -> Option<f64> {
    from_distances(values.len(), |i, j| (values[i] - values[j]).abs())
}

/// From the cluster each seat belongs to.
pub fn from_clusters(clusters: &[usize]) -> Option<f64> {
    from_distances(clusters.len(), |i, j| f64::from(u8::from(clusters[i] != clusters[j])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(got: Option<f64>, want: f64) -> bool {
        got.is_some_and(|got| (got - want).abs() < 5e-7)
    }

    #[test]
    fn vectors() {
        assert!(close(from_values(&[0.9, 0.8, 0.85, 0.9]), 0.041458));
        assert!(close(from_values(&[0.5, 0.8]), 0.15));
        assert!(close(from_values(&[0.5, 0.81]), 0.155));
        assert!(close(from_values(&[1.0, 0.0, 0.5]), 0.408248));
        assert!(close(from_clusters(&[0, 0, 0, 1]), 0.433013));
        assert!(close(from_clusters(&[0, 0, 1, 1]), 0.5));
        assert!(close(from_clusters(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), 0.3));
        assert!(close(from_clusters(&[3, 3, 3]), 0.0));
        assert_eq!((from_values(&[]), from_values(&[0.4])), (None, Some(0.0)));
    }

    proptest! {
        #[test]
        fn it_is_the_standard_deviation_and_order_does_not_matter(mut values in prop::collection::vec(0.0_f64..=1.0, 1..10)) {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
            let before = from_values(&values).expect("values");
            prop_assert!((before - deviation).abs() < 1e-9);
            values.reverse();
            prop_assert_eq!(from_values(&values), Some(before));
            prop_assert!((0.0..=0.75).contains(&before));
        }
    }
}
