//! The order of a knock-out: who meets whom when some must sit out the first round.
//!
//! Owns pairing only. Entrants are their seeds, 0 the highest; who wins a match is the caller's to say.

/// The first round: the higher seed of each pair, and its opponent or none. Padded to a power of two, with the free places opposite the
/// highest seeds: nobody sits out twice, and the first two seeds can meet only at the end.
pub fn first_round(entrants: usize) -> Vec<(usize, Option<usize>)> {
    if entrants == 0 {
        return Vec::new();
    }
    let mut order = vec![0];
    while order.len() < entrants {
        let size = order.len() * 2;
        order = order.into_iter().flat_map(|seed| [seed, size - 1 - seed]).collect();
    }
    match order.as_slice() {
        [only] => vec![(*only, None)],
        order => order.chunks(2).map(|pair| (pair[0].min(pair[1]), Some(pair[0].max(pair[1])).filter(|seed| *seed < entrants))).collect(),
    }
}

/// The next round: neighbours meet, the higher seed first. After the first round there is a power of two of them.
pub fn next_round(winners: &[usize]) -> Vec<(usize, usize)> {
    winners.chunks_exact(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect()
}

/// Rounds until one is left.
pub fn rounds(entrants: usize) -> u32 {
    entrants.max(1).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use proptest::prelude::*;

    #[test]
    fn the_places_are_those_of_the_table() {
        // entrants, first round
        type Case<'a> = (usize, &'a [(usize, Option<usize>)]);
        let table: &[Case] = &[
            (0, &[]),
            (1, &[(0, None)]),
            (2, &[(0, Some(1))]),
            (3, &[(0, None), (1, Some(2))]),
            (4, &[(0, Some(3)), (1, Some(2))]),
            (5, &[(0, None), (3, Some(4)), (1, None), (2, None)]),
            (6, &[(0, None), (3, Some(4)), (1, None), (2, Some(5))]),
            (7, &[(0, None), (3, Some(4)), (1, Some(6)), (2, Some(5))]),
            (8, &[(0, Some(7)), (3, Some(4)), (1, Some(6)), (2, Some(5))]),
        ];
        for (entrants, want) in table {
            assert_eq!(first_round(*entrants), *want, "{entrants}");
        }
        assert_eq!([1, 2, 3, 4, 5, 8, 9, 16].map(rounds), [0, 1, 2, 2, 3, 3, 4, 4]);
    }

    /// Matches and byes of each entrant, and the rounds it took, with winners thrown.
    fn play(entrants: usize, seed: u64) -> (Vec<u32>, Vec<u32>, u32, usize) {
        let mut rng = Rng::new(seed);
        let (mut matches, mut byes, mut judged) = (vec![0; entrants], vec![0; entrants], 0);
        let mut winners = Vec::new();
        let mut meet = |a: usize, b: usize| {
            matches[a] += 1;
            matches[b] += 1;
            judged += 1;
            if rng.below(2) == 0 { a } else { b }
        };
        for (a, b) in first_round(entrants) {
            match b {
                Some(b) => winners.push(meet(a, b)),
                None => {
                    byes[a] += 1;
                    winners.push(a);
                }
            }
        }
        let mut rounds = 1;
        while winners.len() > 1 {
            winners = next_round(&winners).into_iter().map(|(a, b)| meet(a, b)).collect();
            rounds += 1;
        }
        (matches, byes, rounds, judged)
    }

    proptest! {
        #[test]
        fn everybody_plays_nobody_sits_out_twice_and_one_is_left(entrants in 2_usize..=16, seed: u64) {
            let (matches, byes, played, judged) = play(entrants, seed);
            prop_assert_eq!(judged, entrants - 1);
            prop_assert_eq!(played, rounds(entrants));
            prop_assert!(matches.iter().all(|n| *n > 0), "{:?}", matches);
            let free = entrants.next_power_of_two() - entrants;
            prop_assert!(byes.iter().enumerate().all(|(entrant, byes)| *byes == u32::from(entrant < free)), "{:?}", byes);
        }

        #[test]
        fn every_entrant_has_one_place_and_the_two_highest_meet_last(entrants in 2_usize..=16) {
            let first = first_round(entrants);
            let mut seen: Vec<usize> = first.iter().flat_map(|(a, b)| std::iter::once(*a).chain(*b)).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..entrants).collect::<Vec<_>>());
            let half = first.len() / 2;
            let upper = |seed: usize| first[..half].iter().any(|(a, b)| *a == seed || *b == Some(seed));
            prop_assert!(first.len() == 1 || upper(0) != upper(1));
        }
    }
}
