//! In which order each reader sees the items, so that no item profits from its place.
//!
//! Owns the balance over the panel and recusal: a reader is never handed what it wrote. Refuses to know what the items are.

use crate::Rng;

/// Each reader's order of the items it may see. `readers` says which item each one wrote; an index that is no item counts as none.
///
/// The items stand in a shuffled circle and every reader looks at it from a place of its own: authors from their own item, the others
/// from the places fewest look from. All of them step through the circle alike, so that at each position every item is seen equally
/// often, as far as the numbers allow:
/// - readers who each wrote one of the items, all of them: a Latin square, each item exactly once at each position;
/// - readers who wrote nothing: at each position the items' counts differ by at most one;
/// - both together, no item with two authors: the same, but for the last position, which only those see who wrote nothing.
pub fn orders(seed: u64, readers: &[Option<usize>], items: usize) -> Vec<Vec<usize>> {
    let circle = Rng::derive(seed, "orders").permutation(items);
    let mut place_of = vec![0; items];
    for (place, &item) in circle.iter().enumerate() {
        place_of[item] = place;
    }
    let own: Vec<Option<usize>> = readers.iter().map(|own| own.filter(|&item| item < items).map(|item| place_of[item])).collect();

    let mut used = vec![0_usize; items];
    let mut seats: Vec<Option<(usize, usize)>> = vec![None; readers.len()];
    for (seat, place) in seats.iter_mut().zip(&own) {
        *seat = place.map(|place| take(&mut used, place));
    }
    for seat in seats.iter_mut().filter(|seat| seat.is_none()) {
        *seat = (0..items).min_by_key(|&place| used[place]).map(|place| take(&mut used, place));
    }

    // With authors about, the item at one's own place comes last for those who may see it, so that their first n-1 positions fit the
    // authors' square. Without any it comes first: zigzagging from there gives the better neighbours.
    let own_first = own.iter().all(Option::is_none);
    let steps = if own_first { zigzag(items) } else { powers(items).unwrap_or_else(|| zigzag(items)) };
    std::iter::zip(seats, own)
        .map(|(seat, own)| {
            let Some((place, turn)) = seat else { return Vec::new() };
            let walk = steps.iter().map(|&step| if turn % 2 == 0 { step } else { items - step });
            let at = |step: usize| circle[(place + step) % items];
            match (own, own_first) {
                (Some(_), _) => walk.map(at).collect(),
                (None, true) => std::iter::once(0).chain(walk).map(at).collect(),
                (None, false) => walk.chain(std::iter::once(0)).map(at).collect(),
            }
        })
        .collect()
}

/// Takes a place and says how many took it before: every second one walks the other way round.
fn take(used: &mut [usize], place: usize) -> (usize, usize) {
    used[place] += 1;
    (place, used[place] - 1)
}

/// A walk around a circle of `n` from one's own place: one on, one back, two on, two back. For an even `n` the differences between
/// neighbouring steps are all distinct, so that over the readers no item follows another more often than once; for an odd one each comes
/// twice, evened out by those who walk the other way round.
fn zigzag(n: usize) -> Vec<usize> {
    (1..n).map(|k| if k % 2 == 1 { k.div_ceil(2) } else { n - k / 2 }).collect()
}

/// For an odd prime the powers of a primitive root do as well as the zigzag does for even numbers, as long as one's own place is left out.
fn powers(n: usize) -> Option<Vec<usize>> {
    let root = primitive_root(n)?;
    Some(std::iter::successors(Some(1), |&power| Some(power * root % n)).take(n - 1).collect())
}

/// The smallest number whose powers are all of 1..n, if n is an odd prime.
fn primitive_root(n: usize) -> Option<usize> {
    let odd_prime = n > 2 && n % 2 == 1 && (3..).step_by(2).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    if !odd_prime {
        return None;
    }
    (2..n).find(|&root| {
        let order = std::iter::successors(Some(root), |&power| Some(power * root % n)).position(|power| power == 1);
        order == Some(n - 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// How often each item stands at each position.
    fn at_positions(orders: &[Vec<usize>], items: usize) -> Vec<Vec<usize>> {
        (0..items).map(|position| (0..items).map(|item| orders.iter().filter(|order| order.get(position) == Some(&item)).count()).collect()).collect()
    }

    fn spread(counts: &[usize]) -> usize {
        counts.iter().max().unwrap_or(&0) - counts.iter().min().unwrap_or(&0)
    }

    /// How often the most frequent pair of neighbours occurs.
    fn commonest_neighbours(orders: &[Vec<usize>]) -> usize {
        let mut pairs = BTreeMap::new();
        for pair in orders.iter().flat_map(|order| order.windows(2)) {
            *pairs.entry(pair.to_vec()).or_insert(0) += 1;
        }
        pairs.into_values().max().unwrap_or(0)
    }

    #[test]
    fn the_orders_of_a_seed_never_change() {
        assert_eq!(orders(1, &[Some(0), Some(1), Some(2), Some(3)], 4), [[3, 2, 1], [2, 3, 0], [0, 1, 3], [1, 0, 2]]);
    }

    #[test]
    fn nothing_to_read_gives_empty_orders() {
        assert_eq!(orders(1, &[None, Some(0)], 0), vec![Vec::<usize>::new(); 2]);
        assert_eq!(orders(1, &[None, Some(0)], 1), vec![vec![0], vec![]]);
        assert!(orders(1, &[], 3).is_empty());
    }

    #[test]
    fn neighbours_of_authors_are_met_once_for_even_and_prime_panels() {
        for n in [2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16] {
            let authors: Vec<_> = (0..n).map(Some).collect();
            assert!(commonest_neighbours(&orders(5, &authors, n)) <= 1, "{n} authors");
        }
        for n in [9, 15] {
            let authors: Vec<_> = (0..n).map(Some).collect();
            assert!(commonest_neighbours(&orders(5, &authors, n)) <= 2, "{n} authors");
        }
    }

    #[test]
    fn neighbours_of_outsiders_are_met_once_for_an_even_number_of_items() {
        for n in [2, 4, 6, 8, 12] {
            assert!(commonest_neighbours(&orders(5, &vec![None; n], n)) <= 1, "{n} readers");
        }
    }

    #[test]
    fn an_odd_number_of_items_is_balanced_by_reading_it_both_ways() {
        for n in [3, 5, 7] {
            assert!(commonest_neighbours(&orders(5, &vec![None; 2 * n], n)) <= 2, "{n} items");
        }
    }

    /// Any panel: authors with distinct items, and others.
    fn panel() -> impl Strategy<Value = (Vec<Option<usize>>, usize)> {
        (1_usize..14, any::<u64>(), 0_usize..14, 0_usize..20).prop_map(|(items, seed, authors, others)| {
            let mut rng = Rng::new(seed);
            let mut readers: Vec<_> = rng.permutation(items).into_iter().take(authors).map(Some).collect();
            readers.extend(vec![None; others]);
            rng.shuffle(&mut readers);
            (readers, items)
        })
    }

    proptest! {
        #[test]
        fn everyone_sees_everything_but_their_own_once(seed: u64, readers in prop::collection::vec(prop::option::of(0_usize..12), 0..20), items in 0_usize..12) {
            let orders = orders(seed, &readers, items);
            prop_assert_eq!(orders.len(), readers.len());
            for (order, own) in orders.iter().zip(&readers) {
                let mut seen = order.clone();
                seen.sort_unstable();
                prop_assert_eq!(seen, (0..items).filter(|&item| Some(item) != *own).collect::<Vec<_>>());
            }
        }

        #[test]
        fn authors_make_a_latin_square(seed: u64, items in 1_usize..20) {
            let readers: Vec<_> = Rng::new(seed).permutation(items).into_iter().map(Some).collect();
            let counts = at_positions(&orders(seed, &readers, items), items);
            for position in &counts[..items - 1] {
                prop_assert!(position.iter().all(|&count| count == 1), "{:?}", counts);
            }
        }

        #[test]
        fn readers_who_wrote_nothing_meet_each_item_equally_often_at_each_position(seed: u64, readers in 0_usize..40, items in 1_usize..14) {
            let counts = at_positions(&orders(seed, &vec![None; readers], items), items);
            for position in &counts {
                prop_assert!(spread(position) <= 1, "{:?}", counts);
            }
        }

        #[test]
        fn authors_and_others_together_are_balanced_on_all_positions_both_see(seed: u64, (readers, items) in panel()) {
            let counts = at_positions(&orders(seed, &readers, items), items);
            for position in &counts[..items - 1] {
                prop_assert!(spread(position) <= 1, "{:?}", counts);
            }
        }

        #[test]
        fn an_item_that_is_not_there_recuses_nobody(seed: u64, items in 1_usize..10, beyond in 0_usize..5) {
            prop_assert_eq!(orders(seed, &[Some(items + beyond)], items), orders(seed, &[None], items));
        }
    }
}
