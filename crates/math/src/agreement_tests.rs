use super::*;
use crate::Rng;
use proptest::prelude::*;

/// A vote among `n` answers, one a seat, nobody for their own.
fn vote(votes: &[usize], panel: usize) -> Agreement {
    let n = votes.len();
    let choice = |(seat, chosen): (usize, &usize)| Choice::among((0..n).filter(|answer| *answer != seat), *chosen);
    Agreement::of_choices(&[JudgedThing { panel: Some(panel), choices: votes.iter().enumerate().map(choice).collect() }])
}

/// Seats that choose freely among `options`.
fn free(votes: &[usize], options: usize, panel: usize) -> Agreement {
    Agreement::of_choices(&[JudgedThing { panel: Some(panel), choices: votes.iter().map(|chosen| Choice::among(0..options, *chosen)).collect() }])
}

fn ranked(ballots: &[&[usize]], best: usize) -> Agreement {
    let items = ballots.iter().flat_map(|ballot| ballot.iter()).max().map_or(0, |most| most + 1);
    Agreement::of_places(Some(best), &ballots.iter().map(|ballot| places(ballot, items)).collect::<Vec<_>>())
}

fn value(agreement: Agreement) -> f64 {
    agreement.measure.expect("a measure").value
}

fn near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-12, "got {got}, want {want}");
}

#[test]
fn votes_are_measured_against_chance_and_the_most_that_recusal_allows() {
    // Four seats: 6 pairs, each with 2 answers in common of 3 each, so E = 6 · 2/9 = 4/3; three can agree, so M = 3.
    near(value(vote(&[1, 0, 0, 0], 0)), 1.0);
    near(value(vote(&[1, 0, 1, 0], 0)), (2.0 - 4.0 / 3.0) / (3.0 - 4.0 / 3.0));
    near(value(vote(&[1, 2, 3, 0], 0)), (0.0 - 4.0 / 3.0) / (3.0 - 4.0 / 3.0));
    let split = vote(&[1, 0, 1, 0], 0);
    assert_eq!((split.agreed, split.could, split.n), (2, 3, 4));
    // Five jurors and three rulings: E = 10/3, M = 10.
    near(value(free(&[0, 0, 0, 1, 2], 3, 0)), (3.0 - 10.0 / 3.0) / (10.0 - 10.0 / 3.0));
    assert_eq!((free(&[0, 0, 0, 1, 2], 3, 0).agreed, free(&[0, 0, 0, 1, 2], 3, 0).could), (3, 5));
}

#[test]
fn rankings_are_compared_on_the_pairs_that_both_hold() {
    // Four members rank the three others' answers: 6 pairs of ballots with one pair of answers each.
    let all = ranked(&[&[1, 2, 3], &[0, 2, 3], &[0, 1, 3], &[0, 1, 2]], 0);
    assert_eq!((value(all), all.agreed, all.could, all.n), (1.0, 3, 3, 4));
    let one_off = ranked(&[&[1, 2, 3], &[0, 2, 3], &[0, 1, 3], &[2, 1, 0]], 0);
    near(value(one_off), 2.0 * (3.0 / 6.0) - 1.0);
    assert_eq!((one_off.agreed, one_off.could), (2, 3));
    // A tie is no preference, and nobody is alone at the top.
    let tied = vec![Some(1), Some(1), None];
    let clear = vec![Some(0), Some(1), None];
    let some = Agreement::of_places(Some(0), &[tied, clear.clone(), clear.clone(), clear.clone(), clear]);
    assert_eq!((some.agreed, some.could, some.n, value(some)), (4, 5, 4, 1.0));
}

#[test]
fn several_things_are_summed() {
    let of = |ballots: [usize; 4]| JudgedThing { panel: Some(0), choices: ballots.iter().map(|chosen| Choice::among(0..3, *chosen)).collect() };
    let both = Agreement::of_choices(&[of([0, 0, 0, 0]), of([0, 0, 1, 2])]);
    near(value(both), (7.0 - 4.0) / (12.0 - 4.0));
    assert_eq!((both.agreed, both.could, both.n), (6, 8, 4));
}

#[test]
fn without_a_measure_there_is_a_reason() {
    let why = |agreement: Agreement| (agreement.measure.expect_err("no measure"), agreement.n);
    assert_eq!(why(vote(&[1, 0, 0], 0)), (Unmeasured::TooFewBallots, 3));
    assert_eq!(why(free(&[], 3, 0)), (Unmeasured::TooFewBallots, 0));
    assert_eq!(why(ranked(&[&[1, 2], &[0, 2], &[0, 1]], 0)), (Unmeasured::TooFewBallots, 3));
    assert_eq!(why(free(&[0, 0, 0, 0], 1, 0)), (Unmeasured::OneValue, 4));
    assert_eq!(why(ranked(&[&[0, 1], &[2, 3], &[4, 5], &[6, 7]], 0)), (Unmeasured::NothingShared, 4));
    assert_eq!(why(ranked(&[&[0, 1], &[1, 0], &[4, 5], &[6, 7]], 0)), (Unmeasured::TooFewBallots, 2));
    let alone = |at: usize| JudgedThing { panel: Some(0), choices: (0..4).map(|seat| Choice::among(0..3, 0).filter(|_| seat == at)).collect() };
    assert_eq!(why(Agreement::of_choices(&[alone(0), alone(1), alone(2), alone(3)])), (Unmeasured::NothingShared, 4));
    assert_eq!(Choice::among([1, 2], 0), None, "nobody chooses what they could not");
}

#[test]
fn random_ballots_agree_as_chance_has_it() {
    const RUNS: u32 = 2000;
    for seats in 4..=9_usize {
        let mut dice = Rng::derive(seats as u64, "ballots");
        let (mut votes, mut rankings) = (0.0, 0.0);
        for _ in 0..RUNS {
            let others = |seat: usize| (0..seats).filter(move |answer| *answer != seat).collect::<Vec<_>>();
            let cast: Vec<usize> = (0..seats).map(|seat| others(seat)[dice.index(seats - 1)]).collect();
            votes += value(vote(&cast, 0));
            let cast: Vec<Vec<Option<u32>>> = (0..seats)
                .map(|seat| {
                    let others = others(seat);
                    places(&dice.permutation(others.len()).into_iter().map(|at| others[at]).collect::<Vec<_>>(), seats)
                })
                .collect();
            rankings += value(Agreement::of_places(Some(0), &cast));
        }
        let means = (votes / f64::from(RUNS), rankings / f64::from(RUNS));
        assert!(means.0.abs() < 0.05 && means.1.abs() < 0.05, "{seats} seats: {means:?}");
    }
}

/// Every assignment, one by one.
fn most_by_trying(could: &[&BTreeSet<usize>]) -> usize {
    fn go(could: &[&BTreeSet<usize>], chosen: &mut Vec<usize>) -> usize {
        let Some(options) = could.get(chosen.len()) else {
            return chosen.iter().enumerate().map(|(i, one)| chosen[i + 1..].iter().filter(|other| *other == one).count()).sum();
        };
        let tried = options.iter().map(|option| {
            chosen.push(*option);
            let pairs = go(could, chosen);
            chosen.pop();
            pairs
        });
        tried.max().unwrap_or(0)
    }
    go(could, &mut Vec::new())
}

/// Ballots with what each could choose and what it chose.
fn choices() -> impl Strategy<Value = Vec<Option<Choice>>> {
    let choice = (prop::collection::btree_set(0_usize..5, 1..4), any::<u64>())
        .prop_map(|(could, seed)| Choice::among(could.iter().copied(), could.iter().copied().nth(Rng::new(seed).index(could.len())).unwrap_or(0)));
    prop::collection::vec(choice, 0..7)
}

proptest! {
    #[test]
    fn the_most_that_can_agree_is_what_trying_everything_gives(choices in choices()) {
        let could: Vec<&BTreeSet<usize>> = choices.iter().flatten().map(|choice| &choice.could).collect();
        prop_assert_eq!(most(&could, (0..could.len()).collect(), &mut BTreeMap::new()), most_by_trying(&could));
    }

    #[test]
    fn it_is_never_above_one_and_inside_its_interval(things in prop::collection::vec(choices(), 1..4)) {
        let things: Vec<JudgedThing> = things.into_iter().map(|choices| JudgedThing { panel: Some(0), choices }).collect();
        let agreement = Agreement::of_choices(&things);
        prop_assert!(agreement.agreed <= agreement.could);
        if let Ok(Measured { value, low, high }) = agreement.measure {
            prop_assert!(agreement.n >= LEAST && value <= 1.0 && high <= 1.0 && low <= value && value <= high, "{:?}", agreement);
        }
    }

    #[test]
    fn votes_are_one_exactly_when_all_who_could_agree_do(seats in 4_usize..=9, seed: u64) {
        // Near unanimity, so that both sides of the equivalence occur.
        let mut dice = Rng::new(seed);
        let best = dice.index(seats);
        let votes: Vec<usize> = (0..seats)
            .map(|seat| {
                let others: Vec<usize> = (0..seats).filter(|answer| *answer != seat).collect();
                if seat == best || dice.index(2 * seats) == 0 { others[dice.index(others.len())] } else { best }
            })
            .collect();
        // The panel's own answer is the one most voted for; by chance all may have left the one meant here.
        let count = |answer: usize| votes.iter().filter(|vote| **vote == answer).count();
        prop_assume!((0..seats).all(|answer| answer == best || count(answer) < count(best)));
        let agreement = vote(&votes, best);
        prop_assert_eq!(value(agreement) == 1.0, agreement.agreed == agreement.could);
        prop_assert_eq!(agreement.could, seats as u32 - 1);
    }

    #[test]
    fn rankings_are_one_exactly_when_all_hold_the_same_order(seats in 4_usize..=9, seed: u64, swaps in 0_usize..3) {
        let mut dice = Rng::new(seed);
        let order = dice.permutation(seats);
        let mut ballots: Vec<Vec<usize>> = (0..seats).map(|seat| order.iter().copied().filter(|answer| *answer != seat).collect()).collect();
        for _ in 0..swaps {
            let (ballot, at) = (dice.index(seats), dice.index(seats - 2));
            ballots[ballot].swap(at, at + 1);
        }
        // The one order they could all hold: by how many answers one stands before on some ballot.
        let before = |one: usize, other: usize| {
            let at = |ballot: &[usize], answer: usize| ballot.iter().position(|ranked| *ranked == answer);
            ballots.iter().any(|ballot| at(ballot, one).zip(at(ballot, other)).is_some_and(|(one, other)| one < other))
        };
        let beaten = |one: usize| (0..seats).filter(|other| before(one, *other)).count();
        let same = ballots.iter().all(|ballot| ballot.is_sorted_by_key(|answer| std::cmp::Reverse(beaten(*answer))))
            && (0..seats).all(|one| (0..one).all(|other| before(one, other) != before(other, one)));
        let best = (0..seats).max_by_key(|answer| beaten(*answer));
        let agreement = Agreement::of_places(best, &ballots.iter().map(|ballot| places(ballot, seats)).collect::<Vec<_>>());
        prop_assert_eq!(value(agreement) == 1.0, same);
        prop_assert!(value(agreement) <= 1.0 && (!same || agreement.agreed == agreement.could));
    }

    #[test]
    fn the_interval_widens_as_ballots_get_fewer(for_it in 0_usize..=4, times in 1_usize..5) {
        // The same shares of the same options, from so many times four ballots and from four more.
        let of = |times: usize| {
            let votes: Vec<usize> = (0..4 * times).map(|seat| usize::from(seat % 4 >= for_it)).collect();
            Agreement::of_choices(&[JudgedThing { panel: Some(0), choices: votes.iter().map(|chosen| Choice::among(0..2, *chosen)).collect() }])
        };
        let width = |agreement: Agreement| agreement.measure.map(|measured| measured.high - measured.low).expect("a measure");
        prop_assert!(width(of(times)) > width(of(times + 1)), "{:?} {:?}", of(times), of(times + 1));
    }

    #[test]
    fn fewer_seats_of_one_mind_give_a_wider_interval(seats in 4_usize..9) {
        let width = |seats: usize| {
            let votes: Vec<usize> = (0..seats).map(|seat| usize::from(seat == 0)).collect();
            vote(&votes, 0).measure.map(|measured| measured.high - measured.low).expect("a measure")
        };
        prop_assert!(width(seats) > width(seats + 1));
    }
}
