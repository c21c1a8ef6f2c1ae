//! When a debate may stop: the panel agrees, nothing moves any more, or the rounds are used up.

use super::{at_least, below};

/// The share of the panel that must accept.
pub const ACCEPTING_SHARE: f64 = 0.80;
/// No seat may be less sure than this.
pub const LEAST_CONFIDENCE: f64 = 0.70;
/// An agreement this high stands in for votes that are missing.
pub const AGREEMENT_FOR_MISSING_VOTES: f64 = 0.90;
/// Below this a round moved nothing.
pub const LEAST_MOVEMENT: f64 = 0.10;
/// Positions that share less than this part of their words are not the same position.
pub const SAME_POSITION: f64 = 0.70;
/// Regular rounds at most, whatever was asked for.
pub const MOST_ROUNDS: u32 = 6;

/// What a seat says to the leading proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// Fine as it stands.
    Accept,
    /// Fine after small changes.
    Minor,
    /// Must change first.
    Blocker,
}

/// Whether the panel agrees, with the numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Consensus {
    /// Those who accept, of all seats of the run, failed ones included.
    pub share: f64,
    pub open_blockers: usize,
    pub least_sure: Option<f64>,
    /// Whether the agreement stood in for votes that are missing.
    pub by_agreement: bool,
    pub met: bool,
}

/// Votes and confidences of the seats that spoke, out of `seats`; `agreement` as measured by whoever read them.
pub fn consensus(seats: usize, votes: &[Option<Vote>], open_blockers: usize, confidences: &[f64], agreement: Option<f64>) -> Consensus {
    let accept = votes.iter().filter(|vote| matches!(vote, Some(Vote::Accept | Vote::Minor))).count();
    let share = if seats == 0 { 0.0 } else { accept as f64 / seats as f64 };
    let least_sure = confidences.iter().copied().min_by(f64::total_cmp);
    let sure = least_sure.is_some_and(|least| at_least(least, LEAST_CONFIDENCE));
    let enough = at_least(share, ACCEPTING_SHARE);
    // A vote against is not a missing vote, even where its blocker is no longer open.
    let against = votes.iter().filter(|vote| matches!(vote, Some(Vote::Blocker))).count();
    let with_missing = if seats == 0 { 0.0 } else { seats.saturating_sub(against) as f64 / seats as f64 };
    let by_agreement =
        !enough && at_least(with_missing, ACCEPTING_SHARE) && agreement.is_some_and(|agreement| at_least(agreement, AGREEMENT_FOR_MISSING_VOTES));
    Consensus { share, open_blockers, least_sure, by_agreement, met: (enough || by_agreement) && open_blockers == 0 && sure }
}

/// A seat's confidence before and now, and whether its position is another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeatMove {
    pub before: f64,
    pub now: f64,
    pub changed: bool,
}

/// How much a round moved the seats that spoke in it and in the one before; `None` where none did.
pub fn movement(moves: &[SeatMove]) -> Option<f64> {
    let changed = moves.iter().filter(|step| step.changed).count() as f64 / moves.len().max(1) as f64;
    Some(confidence_shift(moves)?.max(changed))
}

/// Mean of the absolute changes, so that one up and one down are two changes and not none.
pub fn confidence_shift(moves: &[SeatMove]) -> Option<f64> {
    let mut shifts: Vec<f64> = moves.iter().map(|step| (step.now - step.before).abs()).collect();
    shifts.sort_by(f64::total_cmp);
    super::mean(&shifts)
}

/// How much one round moved, and what it brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundMovement {
    pub movement: Option<f64>,
    pub new_facts: usize,
}

/// Two rounds in a row moved nothing and brought no new fact.
pub fn plateau(before: RoundMovement, now: RoundMovement) -> bool {
    let still = |round: RoundMovement| round.new_facts == 0 && round.movement.is_some_and(|movement| below(movement, LEAST_MOVEMENT));
    still(before) && still(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Vote::{Accept, Blocker, Minor};
    use proptest::prelude::*;

    #[test]
    fn consensus_needs_all_three() {
        let sure = [0.7; 5];
        let votes = [Some(Accept), Some(Accept), Some(Minor), Some(Accept), None];
        let met = consensus(5, &votes, 0, &sure, None);
        assert_eq!((met.share, met.met), (0.8, true));
        let short = consensus(4, &votes[1..], 0, &sure[..4], None);
        assert_eq!((short.share, short.met), (0.75, false));
        assert!(!consensus(5, &votes, 1, &sure, None).met, "an open blocker");
        assert!(!consensus(5, &votes, 0, &[0.7, 0.7, 0.69, 0.7, 0.7], None).met, "one is not sure");
        assert!(!consensus(5, &[Some(Accept); 5], 0, &[], None).met, "nobody said how sure");
    }

    #[test]
    fn an_agreement_stands_in_for_missing_votes_and_for_nothing_else() {
        let votes = [Some(Accept), None, None];
        assert!(!consensus(3, &votes, 0, &[0.8; 3], Some(0.89)).met);
        let met = consensus(3, &votes, 0, &[0.8; 3], Some(0.90));
        assert!(met.met && met.by_agreement);
        assert!(!consensus(3, &[Some(Blocker), None, None], 1, &[0.8; 3], Some(0.99)).met);
        assert!(!consensus(3, &votes, 0, &[0.8, 0.8, 0.6], Some(0.99)).met);
        let votes = [Some(Accept), Some(Minor), Some(Blocker)];
        assert!(!consensus(3, &votes, 0, &[0.8; 3], Some(0.99)).met, "a vote against is no missing one");
    }

    #[test]
    fn moves_do_not_cancel_and_a_plateau_takes_two_rounds() {
        let step = |before: f64, now: f64, changed: bool| SeatMove { before, now, changed };
        assert!((confidence_shift(&[step(0.6, 0.7, false), step(0.7, 0.6, false)]).expect("moves") - 0.1).abs() < 1e-12);
        assert_eq!(movement(&[step(0.6, 0.6, true), step(0.7, 0.7, false)]), Some(0.5));
        assert_eq!(movement(&[]), None);
        let still = RoundMovement { movement: Some(0.05), new_facts: 0 };
        assert!(plateau(still, still));
        assert!(!plateau(RoundMovement { movement: Some(0.10), ..still }, still));
        assert!(!plateau(still, RoundMovement { new_facts: 1, ..still }));
        assert!(!plateau(RoundMovement { movement: None, ..still }, still), "the first round has nothing to compare with");
    }

    fn vote() -> impl Strategy<Value = Option<Vote>> {
        prop::option::of(prop::sample::select(vec![Accept, Minor, Blocker]))
    }

    proptest! {
        #[test]
        fn order_does_not_matter(mut seats in prop::collection::vec((vote(), 0.0_f64..=1.0, 0.0_f64..=1.0, any::<bool>()), 1..10)) {
            let all = |seats: &[(Option<Vote>, f64, f64, bool)]| {
                let votes: Vec<Option<Vote>> = seats.iter().map(|seat| seat.0).collect();
                let confidences: Vec<f64> = seats.iter().map(|seat| seat.1).collect();
                let moves: Vec<SeatMove> = seats.iter().map(|seat| SeatMove { before: seat.2, now: seat.1, changed: seat.3 }).collect();
                (consensus(seats.len(), &votes, 0, &confidences, None), movement(&moves))
            };
            let before = all(&seats);
            seats.reverse();
            prop_assert_eq!(all(&seats), before);
        }

        #[test]
        fn a_blocker_always_prevents(votes in prop::collection::vec(vote(), 1..8), blockers in 1_usize..4, agreement in 0.0_f64..=1.0) {
            prop_assert!(!consensus(votes.len(), &votes, blockers, &[1.0], Some(agreement)).met);
        }
    }
}
