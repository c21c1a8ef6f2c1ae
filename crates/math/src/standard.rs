//! Standard scores: every judge's marks put on one scale, so that a harsh or a mild judge moves nothing but its own order.
//!
//! Owns the scale. A mark nobody gave stays missing; nothing is filled in.

/// For each item the mean of the standard scores its judges gave it; `None` if nobody marked it. `marks` holds one row a judge, one mark an
/// item. A judge's standard score is how many of its own standard deviations a mark lies above its own mean; one who marks everything alike
/// says nothing, which is 0.
pub fn standard(marks: &[Vec<Option<f64>>], items: usize) -> Vec<Option<f64>> {
    let scaled: Vec<Vec<Option<f64>>> = marks.iter().map(|row| scaled(row)).collect();
    (0..items).map(|item| mean(scaled.iter().filter_map(|row| row.get(item).copied().flatten()))).collect()
}

/// The plain mean; `None` of nothing.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0_u32);
    for value in values {
        sum += value;
        n += 1;
    }
    (n > 0).then(|| sum / f64::from(n))
}

fn scaled(row: &[Option<f64>]) -> Vec<Option<f64>> {
    let Some(middle) = mean(row.iter().flatten().copied()) else { return row.to_vec() };
    let spread = mean(row.iter().flatten().map(|mark| (mark - middle).powi(2))).map_or(0.0, f64::sqrt);
    // Equal marks may differ from their own mean by a rounding error: that is no opinion.
    let scale = |mark: f64| if spread < 1e-9 { 0.0 } else { (mark - middle) / spread };
    row.iter().map(|mark| mark.map(scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_harsh_judge_weighs_as_much_as_a_mild_one() {
        // By plain means the first item leads with 10.5 to 10: the mild judge's favour is worth more points than the harsh judge's.
        let marks = [vec![Some(15.0), Some(12.0), Some(9.0)], vec![Some(6.0), Some(8.0), Some(7.0)]];
        let scores: Vec<i64> = standard(&marks, 3).into_iter().flatten().map(|score| (score * 1000.0).round() as i64).collect();
        assert_eq!(scores, [0, 612, -612]);
    }

    #[test]
    fn what_nobody_marked_has_no_score_and_equal_marks_say_nothing() {
        assert_eq!(standard(&[vec![Some(3.0), None], vec![Some(9.0), None]], 2), [Some(0.0), None]);
        assert_eq!(standard(&[vec![Some(0.1), Some(0.1), Some(0.1)]], 3), [Some(0.0); 3]);
        assert_eq!(standard(&[], 2), [None, None]);
        assert_eq!(mean([]), None);
    }

    /// Judges and their marks from 3 to 15, some missing.
    fn marks() -> impl Strategy<Value = Vec<Vec<Option<f64>>>> {
        proptest::collection::vec(proptest::collection::vec(proptest::option::weighted(0.8, (3_u8..=15).prop_map(f64::from)), 5), 1..6)
    }

    fn near(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
        a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            (None, None) => true,
            _ => false,
        })
    }

    proptest! {
        #[test]
        fn a_judges_scale_and_level_change_nothing(marks in marks(), times in 1_u8..5, plus in 0_u8..40) {
            let mut other = marks.clone();
            for mark in other[0].iter_mut().flatten() {
                *mark = *mark * f64::from(times) + f64::from(plus);
            }
            prop_assert!(near(&standard(&marks, 5), &standard(&other, 5)));
        }

        #[test]
        fn the_order_of_judges_changes_nothing(marks in marks()) {
            let mut turned = marks.clone();
            turned.reverse();
            prop_assert!(near(&standard(&marks, 5), &standard(&turned, 5)));
        }

        #[test]
        fn a_single_judges_order_is_kept(marks in marks()) {
            let row = &marks[0];
            let scores = standard(std::slice::from_ref(row), 5);
            for a in 0..5 {
                for b in 0..5 {
                    if let (Some(x), Some(y), Some(p), Some(q)) = (row[a], row[b], scores[a], scores[b]) {
                        prop_assert_eq!(x.total_cmp(&y), if (p - q).abs() < 1e-9 { std::cmp::Ordering::Equal } else { p.total_cmp(&q) });
                    }
                }
            }
            prop_assert!(row.iter().zip(&scores).all(|(mark, score)| mark.is_some() == score.is_some()));
        }
    }
}
