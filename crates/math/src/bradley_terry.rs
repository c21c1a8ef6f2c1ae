//! Strengths from duels: who would beat whom, and by how much, when not everybody met everybody equally often.
//!
//! The Bradley–Terry model, fitted by minorisation–maximisation. Strengths are relative to an average entrant, whose strength is 1: `a` beats
//! `b` with probability `a / (a + b)`. Each entrant also has half a win and half a loss against that average one, so that the unbeaten and the
//! winless have finite strengths and the fit always has exactly one answer.

/// Weight of the win, and of the loss, against the average entrant.
const PRIOR: f64 = 0.5;
const ROUNDS: usize = 10_000;
const SETTLED: f64 = 1e-12;

/// Strength of each entrant. `wins[a][b]` is how often `a` beat `b`; a drawn duel is half a win for each.
pub fn bradley_terry(wins: &[Vec<f64>]) -> Vec<f64> {
    let n = wins.len();
    let won = |a: usize, b: usize| wins.get(a).and_then(|row| row.get(b)).copied().unwrap_or(0.0);
    let others = |a: usize| (0..n).filter(move |b| *b != a);
    let mut strengths = vec![1.0_f64; n];
    for _ in 0..ROUNDS {
        let next: Vec<f64> = (0..n)
            .map(|a| {
                let victories: f64 = PRIOR + others(a).map(|b| won(a, b)).sum::<f64>();
                let met = others(a).map(|b| (won(a, b) + won(b, a)) / (strengths[a] + strengths[b]));
                victories / (2.0 * PRIOR / (strengths[a] + 1.0) + met.sum::<f64>())
            })
            .collect();
        let moved = strengths.iter().zip(&next).map(|(old, new)| (new - old).abs() / old.max(*new)).fold(0.0, f64::max);
        strengths = next;
        if moved < SETTLED {
            break;
        }
    }
    strengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use proptest::prelude::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * a.max(b)
    }

    #[test]
    fn one_duel_moves_both_away_from_the_average() {
        let strengths = bradley_terry(&[vec![0.0, 1.0], vec![0.0, 0.0]]);
        assert!(near(strengths[0] * strengths[1], 1.0), "{strengths:?}");
        assert!(strengths[0] > 1.5 && strengths[0] < 10.0, "{strengths:?}");
        assert_eq!(bradley_terry(&[]), Vec::<f64>::new());
        assert!(near(bradley_terry(&[vec![0.0]])[0], 1.0));
    }

    #[test]
    fn a_circle_of_duels_leaves_all_equal() {
        let strengths = bradley_terry(&[vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0]]);
        assert!(strengths.iter().all(|strength| near(*strength, 1.0)), "{strengths:?}");
    }

    /// Every pair met once: won, lost, drawn or void.
    fn table(n: usize, seed: u64, void: bool) -> Vec<Vec<f64>> {
        let mut rng = Rng::new(seed);
        let mut wins = vec![vec![0.0; n]; n];
        for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
            let (first, second) = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.0, 0.0)][rng.index(if void { 4 } else { 3 })];
            (wins[a][b], wins[b][a]) = (first, second);
        }
        wins
    }

    /// From here on this entrant has won, or lost, against everybody.
    fn against_all(wins: &mut [Vec<f64>], entrant: usize, won: bool) {
        let (win, loss) = if won { (1.0, 0.0) } else { (0.0, 1.0) };
        for row in wins.iter_mut() {
            row[entrant] = loss;
        }
        wins[entrant].fill(win);
        wins[entrant][entrant] = 0.0;
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn strengths_are_finite_and_belong_to_the_entrant_not_its_place(n in 1_usize..8, seed: u64, order: u64) {
            let wins = table(n, seed, true);
            let strengths = bradley_terry(&wins);
            prop_assert!(strengths.iter().all(|strength| strength.is_finite() && *strength > 0.0), "{:?}", strengths);
            let places = Rng::new(order).permutation(n);
            let moved: Vec<Vec<f64>> = places.iter().map(|a| places.iter().map(|b| wins[*a][*b]).collect()).collect();
            for (strength, place) in bradley_terry(&moved).iter().zip(&places) {
                prop_assert!(near(*strength, strengths[*place]), "{:?}", strengths);
            }
        }

        #[test]
        fn whoever_beats_all_is_first_and_whoever_loses_all_last(n in 2_usize..8, seed: u64) {
            let mut wins = table(n, seed, true);
            against_all(&mut wins, 0, true);
            against_all(&mut wins, n - 1, false);
            let strengths = bradley_terry(&wins);
            prop_assert!((1..n).all(|other| strengths[0] > strengths[other]), "{:?}", strengths);
            prop_assert!((0..n - 1).all(|other| strengths[n - 1] < strengths[other]), "{:?}", strengths);
        }

        #[test]
        fn where_all_met_equally_often_more_wins_are_more_strength_and_equal_wins_equal(n in 2_usize..8, seed: u64) {
            let wins = table(n, seed, false);
            let won: Vec<f64> = wins.iter().map(|row| row.iter().sum()).collect();
            let strengths = bradley_terry(&wins);
            for a in 0..n {
                for b in 0..n {
                    if won[a] > won[b] {
                        prop_assert!(strengths[a] > strengths[b], "{:?} {:?}", won, strengths);
                    } else if won[a] == won[b] {
                        prop_assert!(near(strengths[a], strengths[b]), "{:?} {:?}", won, strengths);
                    }
                }
            }
        }
    }
}
