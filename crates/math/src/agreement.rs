//! How much of what the panel said agrees with what came out.
//!
//! A share of judgements actually made, with the number of ballots it rests on. It says nothing about being right, and measures of whole
//! rankings (Kendall's W) are refused: under recusal no two readers rank the same items.

/// A share between 0 and 1, and the ballots it rests on. No ballots: no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    pub value: Option<f64>,
    pub n: u32,
}

impl Agreement {
    /// Votes for the winner among the valid votes. Leave out the votes of those who could not vote for it (its own author), or a
    /// panel at one can never reach 1.
    pub fn with_winner(winner: usize, votes: &[Option<usize>]) -> Self {
        let n = votes.iter().flatten().count();
        let agreeing = votes.iter().flatten().filter(|&&vote| vote == winner).count();
        Self { value: share(agreeing, n), n: n as u32 }
    }

    /// Of all the preferences the ballots contain (this one before that one), those the final order shares. Ballots list items best
    /// first; items the order does not have are passed over. `n` counts the ballots that hold at least one preference.
    pub fn with_order(order: &[usize], ballots: &[Vec<usize>]) -> Self {
        let (mut agreeing, mut preferences, mut n) = (0, 0, 0);
        for ballot in ballots {
            let places: Vec<usize> = ballot.iter().filter_map(|item| order.iter().position(|other| other == item)).collect();
            let pairs = places.iter().enumerate().flat_map(|(i, better)| places[i + 1..].iter().map(move |worse| (better, worse)));
            let before = preferences;
            for (better, worse) in pairs.filter(|(better, worse)| better != worse) {
                preferences += 1;
                agreeing += usize::from(better < worse);
            }
            n += u32::from(preferences > before);
        }
        Self { value: share(agreeing, preferences), n }
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use proptest::prelude::*;

    #[test]
    fn votes_agree_as_far_as_they_are_for_the_winner() {
        assert_eq!(Agreement::with_winner(1, &[Some(1), Some(0), None, Some(1), Some(1)]), Agreement { value: Some(0.75), n: 4 });
        assert_eq!(Agreement::with_winner(1, &[None, None]), Agreement { value: None, n: 0 });
    }

    #[test]
    fn ballots_agree_as_far_as_their_preferences_do() {
        // order, ballots, value, n
        type Case<'a> = (&'a [usize], &'a [&'a [usize]], Option<f64>, u32);
        let table: &[Case] = &[
            (&[0, 1, 2], &[], None, 0),
            (&[0, 1, 2], &[&[1]], None, 0),
            (&[0, 1, 2], &[&[0, 1, 2], &[0, 2]], Some(1.0), 2),
            (&[0, 1, 2], &[&[2, 1, 0]], Some(0.0), 1),
            (&[0, 1, 2], &[&[0, 2, 1], &[1, 0]], Some(0.5), 2),
            (&[0, 1], &[&[7, 0, 1]], Some(1.0), 1),
        ];
        for &(order, ballots, value, n) in table {
            let ballots: Vec<Vec<usize>> = ballots.iter().map(|ballot| ballot.to_vec()).collect();
            assert_eq!(Agreement::with_order(order, &ballots), Agreement { value, n }, "{order:?} {ballots:?}");
        }
    }

    /// Rankings of random parts of seven items.
    fn ballots() -> impl Strategy<Value = Vec<Vec<usize>>> {
        prop::collection::vec(
            (any::<u64>(), 0_usize..=7).prop_map(|(seed, shown)| Rng::new(seed).permutation(7).into_iter().take(shown).collect()),
            0..12,
        )
    }

    proptest! {
        #[test]
        fn agreement_is_a_share(seed: u64, ballots in ballots(), votes in prop::collection::vec(prop::option::of(0_usize..4), 0..12)) {
            let order = Rng::new(seed).permutation(7);
            for agreement in [Agreement::with_order(&order, &ballots), Agreement::with_winner(0, &votes)] {
                prop_assert_eq!(agreement.value.is_none(), agreement.n == 0);
                prop_assert!(agreement.value.is_none_or(|value| (0.0..=1.0).contains(&value)));
            }
        }

        #[test]
        fn ballots_that_follow_the_order_agree_wholly_and_reversed_ones_not_at_all(seed: u64, mut ballots in ballots()) {
            let order = Rng::new(seed).permutation(7);
            for ballot in &mut ballots {
                ballot.sort_by_key(|item| order.iter().position(|other| other == item));
            }
            let wholly = Agreement::with_order(&order, &ballots);
            ballots.iter_mut().for_each(|ballot| ballot.reverse());
            let not_at_all = Agreement::with_order(&order, &ballots);
            if ballots.iter().any(|ballot| ballot.len() > 1) {
                prop_assert_eq!((wholly.value, not_at_all.value), (Some(1.0), Some(0.0)));
            }
            prop_assert_eq!(wholly.n, not_at_all.n);
        }

        #[test]
        fn an_order_and_its_reverse_share_the_preferences_between_them(seed: u64, ballots in ballots()) {
            let mut order = Rng::new(seed).permutation(7);
            let forth = Agreement::with_order(&order, &ballots).value;
            order.reverse();
            let back = Agreement::with_order(&order, &ballots).value;
            if let (Some(forth), Some(back)) = (forth, back) {
                prop_assert!((forth + back - 1.0).abs() < 1e-12);
            }
        }
    }
}
