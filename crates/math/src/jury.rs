//! A jury's arithmetic: scores to an average, an average to a verdict, verdicts to a majority.
//!
//! Verdicts are indices from the kindest to the harshest. Scores nobody gave are left out, never counted as 0. One policy settles ties,
//! and it is the cautious one: between neighbours the harsher verdict, wherever the jury is torn between the ends a revision.

use crate::rounding::{mean, round};

pub const APPROVE: usize = 0;
pub const REVISE: usize = 1;
pub const REJECT: usize = 2;

/// The mean of the scores given, to one decimal. `None`: no score.
pub fn average(scores: &[Option<f64>]) -> Option<f64> {
    let given: Vec<f64> = scores.iter().flatten().copied().collect();
    mean(&given).map(|mean| round(mean, 1))
}

/// The verdict an average from 1 to 10 stands for.
pub fn band(average: f64) -> usize {
    if average >= 7.0 {
        APPROVE
    } else if average >= 4.0 {
        REVISE
    } else {
        REJECT
    }
}

/// Votes for each verdict, kindest first. Anything else is no vote.
pub fn tally(votes: &[usize]) -> [u32; 3] {
    let mut counts = [0; 3];
    for vote in votes {
        if let Some(count) = counts.get_mut(*vote) {
            *count += 1;
        }
    }
    counts
}

/// What the votes come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Majority {
    pub verdict: usize,
    /// The tie policy decided, not the count.
    pub tied: bool,
}

/// The verdict with the most votes. `None` without a vote.
pub fn majority(votes: [u32; 3]) -> Option<Majority> {
    let most = votes.into_iter().max().filter(|most| *most > 0)?;
    let (verdict, tied) = match votes.map(|count| count == most) {
        [true, false, false] => (APPROVE, false),
        [false, true, false] => (REVISE, false),
        [false, false, true] => (REJECT, false),
        [true, true, false] | [true, false, true] | [true, true, true] => (REVISE, true),
        [false, true, true] => (REJECT, true),
        [false, false, false] => return None,
    };
    Some(Majority { verdict, tied })
}

/// What the jurors' scores on one dimension come to. All `None`: nobody scored it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dimension {
    pub average: Option<f64>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// `None` with fewer than two scores: one juror agrees with itself, which says nothing.
    pub consensus: Option<Consensus>,
}

words! {
    /// How far apart the jurors are, by the distance between the lowest and the highest score.
    pub enum Consensus {
        Strong = "strong agreement",
        Mixed = "mixed",
        Disagreement = "disagreement",
    }
}

/// One dimension over all jurors.
pub fn dimension(scores: &[Option<f64>]) -> Dimension {
    let given: Vec<f64> = scores.iter().flatten().copied().collect();
    let min = given.iter().copied().reduce(f64::min);
    let max = given.iter().copied().reduce(f64::max);
    let consensus = min.zip(max).filter(|_| given.len() > 1).map(|(min, max)| match max - min {
        spread if spread <= 1.0 => Consensus::Strong,
        spread if spread <= 3.0 => Consensus::Mixed,
        _ => Consensus::Disagreement,
    });
    Dimension { average: average(scores), min, max, consensus }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_to_caution() {
        // approve, revise, reject, verdict, tied
        let table = [
            ([3, 1, 1], Some((APPROVE, false))),
            ([1, 2, 1], Some((REVISE, false))),
            ([0, 0, 1], Some((REJECT, false))),
            ([2, 0, 2], Some((REVISE, true))),
            ([2, 1, 2], Some((REVISE, true))),
            ([2, 2, 1], Some((REVISE, true))),
            ([0, 2, 2], Some((REJECT, true))),
            ([1, 1, 1], Some((REVISE, true))),
            ([0, 0, 0], None),
        ];
        for (votes, want) in table {
            assert_eq!(majority(votes), want.map(|(verdict, tied)| Majority { verdict, tied }), "{votes:?}");
        }
    }

    #[test]
    fn averages_leave_out_what_nobody_scored() {
        assert_eq!(average(&[Some(8.0), None, Some(7.0), Some(7.0)]), Some(7.3));
        assert_eq!(average(&[None, None]), None);
        assert_eq!([10.0, 7.0, 6.9, 4.0, 3.9, 1.0].map(band), [APPROVE, APPROVE, REVISE, REVISE, REJECT, REJECT]);
    }

    #[test]
    fn a_dimension_knows_its_range_and_how_far_the_jurors_agree() {
        let consensus = |scores: &[Option<f64>]| dimension(scores).consensus;
        assert_eq!(consensus(&[Some(7.0), Some(8.0), None]), Some(Consensus::Strong));
        assert_eq!(consensus(&[Some(7.0), Some(9.0)]), Some(Consensus::Mixed));
        assert_eq!(consensus(&[Some(6.0), Some(9.0)]), Some(Consensus::Mixed));
        assert_eq!(consensus(&[Some(5.0), Some(9.0)]), Some(Consensus::Disagreement));
        assert_eq!(consensus(&[Some(5.0), None]), None);
        assert_eq!(dimension(&[None, None]), Dimension::default());
        let range = dimension(&[Some(5.0), None, Some(9.0)]);
        assert_eq!((range.average, range.min, range.max), (Some(7.0), Some(5.0), Some(9.0)));
    }

    fn votes() -> impl Strategy<Value = Vec<usize>> {
        prop::collection::vec(0_usize..3, 0..9)
    }

    proptest! {
        #[test]
        fn the_order_of_the_votes_says_nothing(votes in votes()) {
            let mut sorted = votes.clone();
            sorted.sort_unstable();
            prop_assert_eq!(majority(tally(&votes)), majority(tally(&sorted)));
            prop_assert_eq!(majority(tally(&votes)).is_none(), votes.is_empty());
        }

        #[test]
        fn another_vote_for_the_verdict_keeps_it(votes in votes()) {
            if let Some(before) = majority(tally(&votes)) {
                let mut more = votes.clone();
                more.push(before.verdict);
                prop_assert_eq!(majority(tally(&more)).map(|after| after.verdict), Some(before.verdict));
            }
        }

        #[test]
        fn without_a_tie_nobody_has_as_many_and_in_a_tie_it_never_approves(votes in votes()) {
            let counts = tally(&votes);
            if let Some(majority) = majority(counts) {
                let rivals = (0..3).filter(|verdict| *verdict != majority.verdict).all(|rival| counts[rival] < counts[majority.verdict]);
                prop_assert_eq!(rivals, !majority.tied);
                prop_assert!(!majority.tied || majority.verdict != APPROVE);
            }
        }

        #[test]
        fn a_better_average_is_never_judged_more_harshly(a in 1.0_f64..=10.0, b in 1.0_f64..=10.0) {
            prop_assert!(a > b || band(a) >= band(b));
        }

        #[test]
        fn an_average_lies_within_the_range(scores in prop::collection::vec(prop::option::of((1_u8..=10).prop_map(f64::from)), 0..8)) {
            let found = dimension(&scores);
            match (found.average, found.min, found.max) {
                (Some(average), Some(min), Some(max)) => prop_assert!(min <= average && average <= max),
                (average, min, max) => prop_assert_eq!((average, min, max), (None, None, None)),
            }
        }
    }
}
