//! Single votes, counted.
//!
//! Owns counts and who leads. Refuses to break ties: who may break one, and how, is the protocol's affair.

/// What single votes come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// Votes of each candidate, in the caller's order.
    pub counts: Vec<u32>,
    pub valid: u32,
    /// Abstentions, and votes for what is not a candidate.
    pub invalid: u32,
    /// Votes of the leader; 0 without a valid vote.
    pub max: u32,
    /// The candidates with `max` votes, sorted by label. More than one: a tie. None: no valid vote.
    pub winners: Vec<usize>,
}

impl Tally {
    pub fn is_tie(&self) -> bool {
        self.winners.len() > 1
    }

    /// The leader's part of the valid votes, in a tie that of each leader. `None` without a valid vote.
    pub fn share(&self) -> Option<f64> {
        (self.valid > 0).then(|| f64::from(self.max) / f64::from(self.valid))
    }
}

/// Counts votes, each the index of a candidate or an abstention.
pub fn plurality<S: AsRef<str>>(labels: &[S], votes: &[Option<usize>]) -> Tally {
    let mut tally = Tally { counts: vec![0; labels.len()], valid: 0, invalid: 0, max: 0, winners: Vec::new() };
    for vote in votes {
        match vote.and_then(|candidate| tally.counts.get_mut(candidate)) {
            Some(count) => {
                *count += 1;
                tally.valid += 1;
            }
            None => tally.invalid += 1,
        }
    }
    tally.max = tally.counts.iter().copied().max().unwrap_or(0);
    if tally.max > 0 {
        tally.winners = (0..labels.len()).filter(|&candidate| tally.counts[candidate] == tally.max).collect();
        tally.winners.sort_by_key(|&candidate| labels[candidate].as_ref());
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn votes_come_to_what_the_table_says() {
        // labels, votes (9 is no candidate), counts, valid, invalid, max, winners
        type Case<'a> = (&'a [&'a str], &'a [Option<usize>], &'a [u32], u32, u32, u32, &'a [usize]);
        let table: &[Case] = &[
            (&["K3", "T9"], &[], &[0, 0], 0, 0, 0, &[]),
            (&["K3", "T9"], &[None, Some(9)], &[0, 0], 0, 2, 0, &[]),
            (&["K3", "T9"], &[Some(1), Some(0), Some(1)], &[1, 2], 3, 0, 2, &[1]),
            (&["T9", "K3", "P4"], &[Some(0), Some(1), None], &[1, 1, 0], 2, 1, 1, &[1, 0]),
            (&["T9", "R5", "K3"], &[Some(0), Some(1), Some(2), Some(2), Some(0)], &[2, 1, 2], 5, 0, 2, &[2, 0]),
            (&[], &[Some(0)], &[], 0, 1, 0, &[]),
        ];
        for &(labels, votes, counts, valid, invalid, max, winners) in table {
            let expected = Tally { counts: counts.to_vec(), valid, invalid, max, winners: winners.to_vec() };
            assert_eq!(plurality(labels, votes), expected, "{labels:?} {votes:?}");
        }
    }

    #[test]
    fn the_share_is_of_valid_votes_only() {
        let labels = ["K3", "T9", "P4"];
        assert_eq!(plurality(&labels, &[Some(0), Some(0), Some(1), Some(2), None]).share(), Some(0.5));
        assert_eq!(plurality(&labels, &[None]).share(), None);
    }

    proptest! {
        #[test]
        fn every_vote_is_counted_once(votes in prop::collection::vec(prop::option::of(0_usize..6), 0..40)) {
            let tally = plurality(&["P4", "K3", "T9", "R5"], &votes);
            prop_assert_eq!((tally.valid + tally.invalid) as usize, votes.len());
            prop_assert_eq!(tally.counts.iter().sum::<u32>(), tally.valid);
            prop_assert_eq!(tally.winners.is_empty(), tally.valid == 0);
            prop_assert!(tally.winners.iter().all(|&winner| tally.counts.iter().all(|&count| count <= tally.counts[winner])));
            prop_assert!(tally.share().is_none_or(|share| 0.0 < share && share <= 1.0));
        }

        #[test]
        fn the_order_of_votes_does_not_matter(votes in prop::collection::vec(prop::option::of(0_usize..5), 0..40), seed: u64) {
            let labels = ["P4", "K3", "T9", "R5"];
            let mut shuffled = votes.clone();
            crate::Rng::new(seed).shuffle(&mut shuffled);
            prop_assert_eq!(plurality(&labels, &votes), plurality(&labels, &shuffled));
        }
    }
}
