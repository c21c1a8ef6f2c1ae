use super::*;
use crate::Rng;
use proptest::prelude::*;

const LABELS: [&str; 5] = ["K3", "T9", "P4", "R5", "J8"];

fn ballots(of: &[&[usize]]) -> Vec<Vec<usize>> {
    of.iter().map(|ballot| ballot.to_vec()).collect()
}

fn scores(ranking: &Ranking, items: usize) -> Vec<Option<f64>> {
    (0..items).map(|item| ranking.standings.iter().find(|standing| standing.item == item).and_then(|standing| standing.score)).collect()
}

fn tie(above: usize, below: usize, rung: Rung) -> Tie {
    Tie { above, below, rung }
}

#[test]
fn ballots_come_to_what_the_table_says() {
    use Rung::{FirstPlaces, HeadToHead, Label};
    // number of items, ballots, order, scores by item, ties
    type Case<'a> = (usize, &'a [&'a [usize]], &'a [usize], &'a [Option<f64>], &'a [Tie]);
    let table: &[Case] = &[
        (3, &[&[2, 0, 1], &[2, 1, 0]], &[2, 0, 1], &[Some(0.25), Some(0.25), Some(1.0)], &[tie(0, 1, Label)]),
        // Recusal: each of three readers ranks the two others' items. K3 is first wherever it is shown.
        (3, &[&[1, 2], &[0, 2], &[0, 1]], &[0, 1, 2], &[Some(1.0), Some(0.5), Some(0.0)], &[]),
        // One always in the middle, one loved and hated: first places decide, although the duel is a draw.
        (3, &[&[0, 1, 2], &[2, 1, 0]], &[0, 2, 1], &[Some(0.5), Some(0.5), Some(0.5)], &[tie(0, 2, Label), tie(2, 1, FirstPlaces)]),
        // T9 and K3 have equal scores and one first place each; two of the three ballots that rank both prefer T9.
        (
            4,
            &[&[0, 2, 3, 1], &[2, 1, 0, 3], &[1, 2, 0, 3]],
            &[2, 1, 0, 3],
            &[Some(5.0 / 9.0), Some(5.0 / 9.0), Some(7.0 / 9.0), Some(1.0 / 9.0)],
            &[tie(1, 0, HeadToHead)],
        ),
        // Nobody ranked two of them.
        (4, &[&[3, 1]], &[3, 1, 0, 2], &[None, Some(0.0), None, Some(1.0)], &[tie(0, 2, Label)]),
        // No ballot at all: by label.
        (3, &[], &[0, 2, 1], &[None, None, None], &[tie(0, 2, Label), tie(2, 1, Label)]),
        (0, &[], &[], &[], &[]),
    ];
    for &(items, cast, order, expected, ties) in table {
        let ranking = borda(&LABELS[..items], &ballots(cast));
        assert_eq!(ranking.order(), order, "{cast:?}");
        assert_eq!(scores(&ranking, items), expected, "{cast:?}");
        assert_eq!(ranking.ties, ties, "{cast:?}");
    }
}

#[test]
fn the_numbers_of_a_standing_are_those_of_its_ballots() {
    let ranking = borda(&LABELS[..3], &ballots(&[&[0, 1, 2], &[0, 2], &[1, 0]]));
    assert_eq!(ranking.standings[1], RankedItem { item: 0, score: Some(2.0 / 3.0), ballots: 3, first_places: 2, mean_position: Some(4.0 / 3.0) });
    assert_eq!((ranking.ballots, ranking.set_aside), (3, 0));
}

#[test]
fn what_is_no_ranking_is_set_aside_and_counted_as_such() {
    let ranking = borda(&LABELS[..3], &ballots(&[&[0, 1, 2], &[0], &[], &[1, 1], &[0, 7]]));
    assert_eq!((ranking.ballots, ranking.set_aside), (1, 4));
    assert_eq!(ranking.standings[0].ballots, 1);
}

#[test]
fn scores_that_floats_would_part_are_a_tie() {
    // Among six, P4 gets a fifth and two fifths, R5 three fifths and nothing.
    assert_ne!(0.2 + 0.4, 0.6 + 0.0);
    let labels = ["P4", "R5", "K3", "T9", "J8", "V2"];
    let ranking = borda(&labels, &ballots(&[&[2, 3, 1, 4, 0, 5], &[3, 2, 5, 0, 4, 1]]));
    assert!(ranking.ties.contains(&tie(0, 1, Rung::Label)), "{ranking:?}");
}

#[test]
fn a_circle_of_duels_is_left_to_the_labels() {
    let ranking = borda(&LABELS[..3], &ballots(&[&[0, 1, 2], &[1, 2, 0], &[2, 0, 1]]));
    assert_eq!(ranking.ties, [tie(0, 2, Rung::Label), tie(2, 1, Rung::Label)]);
}

#[test]
fn those_the_larger_group_left_level_duel_again() {
    // K3 and T9 each win one duel of the four and lose one, and K3 won theirs.
    let cast: [&[usize]; 3] = [&[0, 1], &[1, 3], &[2, 0]];
    assert_eq!(duel(&[0, 1, 2, 3], &cast), [[2], [0], [1], [3]]);
}

#[test]
fn a_duel_won_widely_counts_no_more_than_one_won_narrowly() {
    // K3 beats T9 on five ballots and loses to P4 and to R5 on one each.
    let cast: [&[usize]; 7] = [&[0, 1], &[0, 1], &[0, 1], &[0, 1], &[0, 1], &[2, 0], &[3, 0]];
    assert_eq!(duel(&[0, 1, 2, 3], &cast), vec![vec![2, 3], vec![0], vec![1]]);
}

#[test]
fn the_longest_rankings_are_summed_exactly() {
    let labels: Vec<String> = crate::labels(1, MAX_SHOWN + 1);
    // One ballot of every length from 2 to the limit: the worst common denominator there is.
    let long: Vec<Vec<usize>> = (2..=MAX_SHOWN).map(|shown| (0..shown).collect()).collect();
    let ranking = borda(&labels, &long);
    assert_eq!((ranking.ballots, ranking.set_aside), (63, 0));
    assert_eq!(ranking.standings[0].score, Some(1.0));
    assert_eq!(borda(&labels, &[(0..=MAX_SHOWN).collect()]).set_aside, 1);
}

/// Rankings of random parts of five items.
fn any_ballots() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec((any::<u64>(), 0_usize..=5).prop_map(|(seed, shown)| Rng::new(seed).permutation(5).into_iter().take(shown).collect()), 0..9)
}

proptest! {
    #[test]
    fn the_order_of_ballots_does_not_matter(cast in any_ballots(), seed: u64) {
        let mut shuffled = cast.clone();
        Rng::new(seed).shuffle(&mut shuffled);
        prop_assert_eq!(borda(&LABELS, &cast), borda(&LABELS, &shuffled));
    }

    #[test]
    fn the_numbering_of_items_does_not_matter(cast in any_ballots(), seed: u64) {
        let renumber = Rng::new(seed).permutation(5);
        let mut labels = [""; 5];
        for (item, &number) in renumber.iter().enumerate() {
            labels[number] = LABELS[item];
        }
        let renumbered: Vec<Vec<usize>> = cast.iter().map(|ballot| ballot.iter().map(|&item| renumber[item]).collect()).collect();
        let (before, after) = (borda(&LABELS, &cast), borda(&labels, &renumbered));
        prop_assert_eq!(before.order().into_iter().map(|item| renumber[item]).collect::<Vec<_>>(), after.order());
        let rungs = |ranking: &Ranking| ranking.ties.iter().map(|tie| tie.rung).collect::<Vec<_>>();
        prop_assert_eq!(rungs(&before), rungs(&after));
    }

    #[test]
    fn every_item_stands_once_in_order_of_score(cast in any_ballots()) {
        let ranking = borda(&LABELS, &cast);
        let mut items = ranking.order();
        items.sort_unstable();
        prop_assert_eq!(items, vec![0, 1, 2, 3, 4]);
        prop_assert_eq!((ranking.ballots + ranking.set_aside) as usize, cast.len());
        for standing in &ranking.standings {
            prop_assert_eq!(standing.score.is_none(), standing.ballots == 0);
            prop_assert!(standing.score.is_none_or(|score| (0.0..=1.0).contains(&score)));
            prop_assert!(standing.first_places <= standing.ballots);
        }
        for pair in ranking.standings.windows(2) {
            prop_assert!(pair[0].score >= pair[1].score, "{:?}", ranking);
            let tied = ranking.ties.iter().any(|tie| (tie.above, tie.below) == (pair[0].item, pair[1].item));
            prop_assert_eq!(tied, pair[0].score == pair[1].score, "{:?}", ranking);
        }
    }

    #[test]
    fn a_rung_decides_only_what_the_rungs_above_it_left_open(cast in any_ballots()) {
        let ranking = borda(&LABELS, &cast);
        let standing = |item: usize| ranking.standings.iter().find(|standing| standing.item == item).expect("every item stands");
        for tie in &ranking.ties {
            let (above, below) = (standing(tie.above), standing(tie.below));
            match tie.rung {
                Rung::FirstPlaces => prop_assert!(above.first_places > below.first_places),
                Rung::HeadToHead => prop_assert_eq!(above.first_places, below.first_places),
                Rung::Label => {
                    prop_assert_eq!(above.first_places, below.first_places);
                    prop_assert!(LABELS[tie.above] < LABELS[tie.below]);
                }
            }
        }
    }

    #[test]
    fn two_left_tied_are_ordered_by_their_duel(cast in any_ballots()) {
        let ranking = borda(&LABELS, &cast);
        let counted: Vec<&[usize]> = cast.iter().map(Vec::as_slice).filter(|ballot| ballot.len() > 1).collect();
        let equal = |a: &RankedItem, b: &RankedItem| a.score == b.score && a.first_places == b.first_places;
        for group in ranking.standings.chunk_by(equal).filter(|group| group.len() == 2) {
            prop_assert!(majority(group[0].item, group[1].item, &counted) >= 0, "{:?}", ranking);
        }
    }

    #[test]
    fn an_item_every_reader_puts_first_wins_with_a_full_score(cast in any_ballots()) {
        let mut cast = cast;
        for ballot in &mut cast {
            ballot.sort_by_key(|&item| item != 3);
        }
        if cast.iter().any(|ballot| ballot.len() > 1 && ballot[0] == 3) {
            let best = &borda(&LABELS, &cast).standings[0];
            prop_assert_eq!(best.score, Some(1.0));
        }
    }
}
