//! When a debate may stop: the panel agrees, nothing moves any more, or the rounds are used up.

use super::{at_least, below, clusters};

/// Enough of the panel must accept.
pub const ACCEPTED: f64 = 0.80;
/// Nobody may be less sure than this.
pub const SURE: f64 = 0.70;
/// An agreement this high stands in for votes that are missing.
pub const STANDS_IN: f64 = 0.90;
/// Below this a round moved nothing.
pub const STILL: f64 = 0.10;
/// Positions that share less than this part of their words are not the same position.
pub const SAME: f64 = 0.70;
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
    pub stood_in: bool,
    pub met: bool,
}

/// Votes and confidences of the seats that spoke, out of `seats`; `agreement` as measured by whoever read them.
pub fn consensus(seats: usize, votes: &[Option<Vote>], open_blockers: usize, confidences: &[f64], agreement: Option<f64>) -> Consensus {
    let accept = votes.iter().filter(|vote| matches!(vote, Some(Vote::Accept | Vote::Minor))).count();
    let share = if seats == 0 { 0.0 } else { accept as f64 / seats as f64 };
    let least_sure = confidences.iter().copied().min_by(f64::total_cmp);
    let sure = least_sure.is_some_and(|least| at_least(least, SURE));
    let enough = at_least(share, ACCEPTED);
    // A vote against is not a missing one, whatever became of its reason.
    let against = votes.iter().filter(|vote| matches!(vote, Some(Vote::Blocker))).count();
    let with_missing = if seats == 0 { 0.0 } else { seats.saturating_sub(against) as f64 / seats as f64 };
    let stood_in = !enough && at_least(with_missing, ACCEPTED) && agreement.is_some_and(|agreement| at_least(agreement, STANDS_IN));
    Consensus { share, open_blockers, least_sure, stood_in, met: (enough || stood_in) && open_blockers == 0 && sure }
}

/// A seat's confidence before and now, and whether its position is another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    pub before: f64,
    pub now: f64,
    pub changed: bool,
}

/// How much a round moved those who spoke in it and in the one before; nothing where nobody did.
pub fn movement(moves: &[Move]) -> Option<f64> {
    let changed = moves.iter().filter(|step| step.changed).count() as f64 / moves.len().max(1) as f64;
    Some(confidence_shift(moves)?.max(changed))
}

/// Mean of the absolute changes, so that one up and one down are two changes and not none.
pub fn confidence_shift(moves: &[Move]) -> Option<f64> {
    let mut shifts: Vec<f64> = moves.iter().map(|step| (step.now - step.before).abs()).collect();
    shifts.sort_by(f64::total_cmp);
    super::mean(&shifts)
}

/// One round as the plateau sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Still {
    pub movement: Option<f64>,
    pub new_facts: usize,
}

/// Two rounds running moved nothing and brought no new fact.
pub fn plateau(before: Still, now: Still) -> bool {
    let still = |round: Still| round.new_facts == 0 && round.movement.is_some_and(|movement| below(movement, STILL));
    still(before) && still(now)
}

/// Whether two statements of a position are two positions.
pub fn position_changed(before: &str, now: &str) -> bool {
    let alike = clusters::jaccard(&clusters::words(before, 3), &clusters::words(now, 3));
    alike.is_some_and(|alike| below(alike, SAME))
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
        let stood_in = consensus(3, &votes, 0, &[0.8; 3], Some(0.90));
        assert!(stood_in.met && stood_in.stood_in);
        assert!(!consensus(3, &[Some(Blocker), None, None], 1, &[0.8; 3], Some(0.99)).met);
        assert!(!consensus(3, &votes, 0, &[0.8, 0.8, 0.6], Some(0.99)).met);
        let votes = [Some(Accept), Some(Minor), Some(Blocker)];
        assert!(!consensus(3, &votes, 0, &[0.8; 3], Some(0.99)).met, "a vote against is no missing one");
    }

    #[test]
    fn moves_do_not_cancel_and_a_plateau_takes_two_rounds() {
        let step = |before: f64, now: f64, changed: bool| Move { before, now, changed };
        assert!((confidence_shift(&[step(0.6, 0.7, false), step(0.7, 0.6, false)]).expect("moves") - 0.1).abs() < 1e-12);
        assert_eq!(movement(&[step(0.6, 0.6, true), step(0.7, 0.7, false)]), Some(0.5));
        assert_eq!(movement(&[]), None);
        let still = Still { movement: Some(0.05), new_facts: 0 };
        assert!(plateau(still, still));
        assert!(!plateau(Still { movement: Some(0.10), ..still }, still));
        assert!(!plateau(still, Still { new_facts: 1, ..still }));
        assert!(!plateau(Still { movement: None, ..still }, still), "the first round has nothing to compare with");
    }

    #[test]
    fn a_position_is_another_when_its_words_are() {
        assert!(!position_changed("Move the batch jobs to a queue", "Move the batch jobs to a queue now"));
        assert!(position_changed("Move the batch jobs to a queue", "Keep cron and add alerts"));
        assert!(!position_changed("", ""));
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
                let moves: Vec<Move> = seats.iter().map(|seat| Move { before: seat.2, now: seat.1, changed: seat.3 }).collect();
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
