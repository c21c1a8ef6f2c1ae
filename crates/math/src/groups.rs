//! Things that belong together, by how alike they are: near-repeats, groups, and the group nearest to a newcomer.
//!
//! Owns the grouping. Refuses to know what likeness is: the caller gives a symmetric measure from 0 to 1. Equal choices go to what comes first.

/// For each item the earliest kept item it repeats: itself if it is kept. An item repeats another if they are at least `same` alike.
pub fn repeats(items: usize, same: f64, like: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut stands_for: Vec<usize> = Vec::with_capacity(items);
    for item in 0..items {
        let earlier = (0..item).filter(|other| stands_for[*other] == *other).find(|other| like(item, *other) >= same);
        stands_for.push(earlier.unwrap_or(item));
    }
    stands_for
}

/// Items in groups. The two groups most alike (mean over their pairs) are joined while they are at least `near` alike or there are more than
/// `most` groups. The largest group comes first; of equal ones that of the lowest item.
pub fn groups(items: usize, near: f64, most: usize, like: impl Fn(usize, usize) -> f64) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = (0..items).map(|item| vec![item]).collect();
    loop {
        let mut closest: Option<(f64, usize, usize)> = None;
        for b in 1..groups.len() {
            for a in 0..b {
                let alike = mean(&groups[a], &groups[b], &like);
                if closest.is_none_or(|(best, ..)| alike > best) {
                    closest = Some((alike, a, b));
                }
            }
        }
        match closest {
            Some((alike, a, b)) if alike >= near || groups.len() > most.max(1) => {
                let joined = groups.remove(b);
                groups[a].extend(joined);
                groups[a].sort_unstable();
            }
            _ => break,
        }
    }
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group.first().copied()));
    groups
}

/// The group an item is most like (mean over its members), if it is at least `near`.
pub fn nearest(item: usize, groups: &[Vec<usize>], near: f64, like: impl Fn(usize, usize) -> f64) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (place, group) in groups.iter().enumerate().filter(|(_, group)| !group.is_empty()) {
        let alike = mean(&[item], group, &like);
        if alike >= near && best.is_none_or(|(most, _)| alike > most) {
            best = Some((alike, place));
        }
    }
    best.map(|(_, place)| place)
}

/// The member most like the others of its group.
pub fn middle(group: &[usize], like: impl Fn(usize, usize) -> f64) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for item in group {
        let alike: f64 = group.iter().filter(|other| *other != item).map(|other| like(*item, *other)).sum();
        if best.is_none_or(|(most, _)| alike > most) {
            best = Some((alike, *item));
        }
    }
    best.map(|(_, item)| item)
}

fn mean(a: &[usize], b: &[usize], like: &impl Fn(usize, usize) -> f64) -> f64 {
    let sum: f64 = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y))).map(|(x, y)| like(x, y)).sum();
    sum / (a.len() * b.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Points on a line: the nearer the more alike.
    fn on_a_line(points: &[f64]) -> impl Fn(usize, usize) -> f64 + '_ {
        |a, b| (1.0 - (points[a] - points[b]).abs()).max(0.0)
    }

    #[test]
    fn a_repeat_stands_for_the_earliest_like_it() {
        let points = [0.0, 0.9, 0.05, 0.95, 0.5];
        assert_eq!(repeats(5, 0.9, on_a_line(&points)), [0, 1, 0, 1, 4]);
        assert_eq!(repeats(0, 0.9, |_, _| 1.0), Vec::<usize>::new());
    }

    #[test]
    fn what_is_near_is_joined_and_the_rest_as_far_as_the_limit_asks() {
        let points = [0.0, 0.1, 0.9, 1.0, 0.95, 0.5];
        assert_eq!(groups(6, 0.8, 6, on_a_line(&points)), [vec![2, 3, 4], vec![0, 1], vec![5]]);
        assert_eq!(groups(6, 0.8, 1, on_a_line(&points)), [vec![0, 1, 2, 3, 4, 5]]);
        assert_eq!(groups(2, 0.5, 3, |_, _| 0.0), [vec![0], vec![1]]);
        assert!(groups(0, 0.5, 3, |_, _| 0.0).is_empty());
    }

    #[test]
    fn a_newcomer_joins_the_nearest_or_nobody() {
        let points = [0.0, 0.1, 0.9, 0.3];
        let all = [vec![0, 1], vec![2]];
        assert_eq!(nearest(3, &all, 0.7, on_a_line(&points)), Some(0));
        assert_eq!(nearest(3, &all, 0.8, on_a_line(&points)), None);
        assert_eq!(nearest(3, &[vec![], vec![2]], 0.1, on_a_line(&points)), Some(1));
        assert_eq!(middle(&[0, 1, 2], on_a_line(&points)), Some(1));
        assert_eq!(middle(&[], on_a_line(&points)), None);
    }

    fn points() -> impl Strategy<Value = Vec<f64>> {
        proptest::collection::vec(0.0..1.0_f64, 0..14)
    }

    proptest! {
        #[test]
        fn kept_items_are_unlike_and_every_repeat_is_like_what_stands_for_it(points in points(), same in 0.5..1.0_f64) {
            let like = on_a_line(&points);
            let kept = repeats(points.len(), same, &like);
            for (item, stands) in kept.iter().enumerate() {
                prop_assert!(*stands <= item && kept[*stands] == *stands);
                prop_assert!(*stands == item || like(item, *stands) >= same);
            }
            for a in 0..points.len() {
                for b in 0..a {
                    prop_assert!(kept[a] != a || kept[b] != b || like(a, b) < same);
                }
            }
        }

        #[test]
        fn groups_part_the_items_within_the_limit_and_none_left_are_near(points in points(), near in 0.1..1.0_f64, most in 1_usize..6) {
            let like = on_a_line(&points);
            let found = groups(points.len(), near, most, &like);
            let mut all: Vec<usize> = found.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..points.len()).collect::<Vec<_>>());
            prop_assert!(found.len() <= most);
            prop_assert!(found.windows(2).all(|pair| pair[0].len() >= pair[1].len()));
            for (at, group) in found.iter().enumerate() {
                prop_assert!(found[..at].iter().all(|other| mean(group, other, &like) < near));
            }
        }
    }
}
