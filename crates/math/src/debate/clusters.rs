//! Which texts say much the same, by the words they use: for positions that nobody has sorted into camps.

use crate::likeness::{jaccard, shared};
use std::collections::BTreeSet;

/// Two texts that share this part of their words belong together.
const SAME_CLUSTER: f64 = 0.50;

/// The cluster of each text, numbered in order of first appearance: texts are joined where they share enough words, directly or through
/// others. A text without words stands alone.
pub fn by_words(texts: &[&str]) -> Vec<usize> {
    let mut cluster: Vec<usize> = (0..texts.len()).collect();
    for i in 0..texts.len() {
        for j in i + 1..texts.len() {
            if shared(texts[i], texts[j]).is_some_and(|alike| super::at_least(alike, SAME_CLUSTER)) {
                let (from, to) = (cluster[i].max(cluster[j]), cluster[i].min(cluster[j]));
                cluster.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
            }
        }
    }
    let mut seen: Vec<usize> = Vec::new();
    for own in &mut cluster {
        let place = seen.iter().position(|known| known == own).unwrap_or_else(|| {
            seen.push(*own);
            seen.len() - 1
        });
        *own = place;
    }
    cluster
}

pub fn count(clusters: &[usize]) -> usize {
    clusters.iter().collect::<BTreeSet<_>>().len()
}

/// Share of members that changed clusters, given where each was and where it is. The numbers of clusters do not last from round to round, so
/// each cluster is matched with one of before in the way that moves the fewest members. Made for a panel: time doubles with every cluster
/// there is now.
pub fn share_switched(moves: &[(usize, usize)]) -> f64 {
    if moves.is_empty() {
        return 0.0;
    }
    let (old, new): (BTreeSet<usize>, BTreeSet<usize>) = moves.iter().copied().unzip();
    let new: Vec<usize> = new.into_iter().collect();
    let shared = |old: usize, new: usize| moves.iter().filter(|pair| **pair == (old, new)).count();
    // For every set of clusters of now that are taken: the most members that can have stayed.
    let mut stayed = vec![0_usize; 1 << new.len()];
    for old in old {
        for taken in (0..stayed.len()).rev() {
            let with = |at: usize| stayed[taken & !(1 << at)] + shared(old, new[at]);
            let best = (0..new.len()).filter(|at| taken & (1 << at) != 0).map(with).max();
            stayed[taken] = stayed[taken].max(best.unwrap_or(0));
        }
    }
    let most = stayed.last().copied().unwrap_or(0);
    (moves.len() - most) as f64 / moves.len() as f64
}

/// Mean share in common over all pairs of sets that are not empty; `None` where there is no such pair.
pub fn mean_overlap<T: Ord>(sets: &[BTreeSet<T>]) -> Option<f64> {
    let full: Vec<&BTreeSet<T>> = sets.iter().filter(|set| !set.is_empty()).collect();
    let pairs = full.iter().enumerate().flat_map(|(i, a)| full[i + 1..].iter().map(move |b| (a, b)));
    let mut shares: Vec<f64> = pairs.filter_map(|(a, b)| jaccard(a, b)).collect();
    shares.sort_by(f64::total_cmp);
    super::mean(&shares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_join_through_others() {
        let texts = ["queues retry failed jobs", "queues retry jobs nightly", "retry jobs nightly again", "cheese"];
        assert_eq!(by_words(&texts), [0, 0, 0, 1]);
        assert_eq!(by_words(&["", ""]), [0, 1], "nothing in common with nothing");
        assert_eq!(count(&by_words(&texts)), 2);
    }

    #[test]
    fn overlap_is_over_pairs_that_have_premises() {
        let set = |ids: &[u32]| ids.iter().copied().collect::<BTreeSet<u32>>();
        assert_eq!(mean_overlap(&[set(&[1, 2]), set(&[1, 2]), set(&[])]), Some(1.0));
        assert_eq!(mean_overlap(&[set(&[1]), set(&[])]), None);
        assert_eq!(mean_overlap(&[set(&[1, 2]), set(&[2, 3]), set(&[4])]), Some((1.0 / 3.0) / 3.0));
    }

    #[test]
    fn whoever_leaves_the_larger_part_has_switched() {
        // where they were, where they are, share
        let table: [(&[usize], &[usize], f64); 7] = [
            (&[], &[], 0.0),
            (&[0, 0, 0, 0], &[0, 0, 0, 0], 0.0),
            (&[0, 0, 0, 0], &[0, 0, 1, 0], 0.25),
            (&[0, 0, 1, 1], &[0, 1, 0, 0], 0.25),
            (&[7, 7, 3, 3], &[1, 0, 1, 1], 0.25),
            (&[0, 0, 1, 1], &[0, 1, 0, 1], 0.5),
            (&[0, 0, 1, 1], &[5, 5, 2, 2], 0.0),
        ];
        for (then, now, share) in table {
            let moves: Vec<(usize, usize)> = then.iter().copied().zip(now.iter().copied()).collect();
            assert_eq!(share_switched(&moves), share, "{then:?} {now:?}");
        }
    }

    proptest! {
        #[test]
        fn switching_hangs_on_no_order_and_no_name(moves in prop::collection::vec((0_usize..4, 0_usize..4), 1..9), turn in 0_usize..9) {
            let share = share_switched(&moves);
            prop_assert!((0.0..1.0).contains(&share));
            let mut turned = moves.clone();
            turned.rotate_left(turn % moves.len());
            prop_assert_eq!(share, share_switched(&turned));
            prop_assert_eq!(share, share_switched(&moves.iter().map(|(then, now)| (*now, *then)).collect::<Vec<_>>()));
            prop_assert_eq!(share, share_switched(&moves.iter().map(|(then, now)| (9 - then, now * 3)).collect::<Vec<_>>()));
        }

        #[test]
        fn order_does_not_matter(texts in prop::collection::vec("[a-c]{4} [a-c]{4} [a-c]{4}", 0..7), turn in 0_usize..7) {
            let mut turned = texts.clone();
            turned.rotate_left(if texts.is_empty() { 0 } else { turn % texts.len() });
            let refs = |texts: &[String]| by_words(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let (a, b) = (refs(&texts), refs(&turned));
            prop_assert_eq!(count(&a), count(&b));
            for (i, x) in texts.iter().enumerate() {
                for (j, y) in texts.iter().enumerate() {
                    let place = |text: &String| turned.iter().position(|other| other == text).expect("the same texts");
                    if x != y {
                        prop_assert_eq!(a[i] == a[j], b[place(x)] == b[place(y)]);
                    }
                }
            }
        }
    }
}
