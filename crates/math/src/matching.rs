//! The same thing said by several people: which items of different owners belong together.
//!
//! An owner's own items stay apart: who listed two things meant two. What counts as alike is the caller's affair.

/// Groups of items, nearest pairs joined first as long as no owner is in a group twice. Items stay in order within a group, groups by their
/// first item.
pub fn groups(owners: &[usize], alike: impl Fn(usize, usize) -> f64, least: f64) -> Vec<Vec<usize>> {
    let n = owners.len();
    let mut pairs: Vec<(f64, usize, usize)> = (0..n)
        .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
        .filter(|(a, b)| owners[*a] != owners[*b])
        .map(|(a, b)| (alike(a, b), a, b))
        .filter(|(alike, ..)| *alike >= least)
        .collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let mut group: Vec<usize> = (0..n).collect();
    for (_, a, b) in pairs {
        let (into, from) = (group[a].min(group[b]), group[a].max(group[b]));
        let shared = (0..n).any(|x| group[x] == into && (0..n).any(|y| group[y] == from && owners[x] == owners[y]));
        if !shared {
            group.iter_mut().filter(|own| **own == from).for_each(|own| *own = into);
        }
    }
    let of = |first: usize| (0..n).filter(|item| group[*item] == first).collect::<Vec<_>>();
    (0..n).map(of).filter(|members| !members.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use proptest::prelude::*;

    #[test]
    fn nearest_pairs_join_and_an_owners_items_stay_apart() {
        let alike = |a: usize, b: usize| [[0.0, 0.9, 0.8], [0.9, 0.0, 0.9], [0.8, 0.9, 0.0]][a][b];
        assert_eq!(groups(&[0, 1, 2], alike, 0.5), [vec![0, 1, 2]]);
        assert_eq!(groups(&[0, 1, 0], alike, 0.5), [vec![0, 1], vec![2]], "the third is the first one's own");
        assert_eq!(groups(&[0, 1, 2], alike, 0.95), [vec![0], vec![1], vec![2]]);
        assert_eq!(groups(&[], alike, 0.5), Vec::<Vec<usize>>::new());
    }

    proptest! {
        #[test]
        fn every_item_is_in_one_group_and_every_owner_once_in_each(owners in prop::collection::vec(0_usize..4, 0..12), seed: u64, least in 0.0_f64..1.0) {
            let alike = |a: usize, b: usize| Rng::new(seed ^ (a.min(b) * 31 + a.max(b)) as u64).below(1000) as f64 / 1000.0;
            let found = groups(&owners, alike, least);
            let mut all: Vec<usize> = found.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..owners.len()).collect::<Vec<_>>());
            for group in found {
                let mut of: Vec<usize> = group.iter().map(|item| owners[*item]).collect();
                of.sort_unstable();
                of.dedup();
                prop_assert_eq!(of.len(), group.len());
                let joined = group.iter().all(|a| group.len() == 1 || group.iter().any(|b| a != b && alike(*a, *b) >= least));
                prop_assert!(joined, "nobody is in a group without a neighbour");
            }
        }
    }
}
