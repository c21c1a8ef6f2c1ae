//! Who does which part: fixed before the first is begun, so that nothing depends on who is quick.

use super::plan::Expertise;

/// For each part the worker that gets it. Parts are dealt in `order`; each goes to a worker whose tag matches what it calls for, if there is
/// one, of those to the one with the fewest so far, of those to the first. There is at least one worker.
pub fn assign(order: &[usize], needs: &[Option<Expertise>], tags: &[Option<Expertise>]) -> Vec<usize> {
    let mut load = vec![0_usize; tags.len()];
    let mut dealt = vec![0; needs.len()];
    for part in order {
        let strange = |worker: usize| needs[*part].is_none() || tags[worker] != needs[*part];
        if let Some(worker) = (0..tags.len()).min_by_key(|worker| (strange(*worker), load[*worker])) {
            load[worker] += 1;
            dealt[*part] = worker;
        }
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::Expertise::{Creative, General, Technical};
    use super::*;

    #[test]
    fn without_tags_parts_go_round_in_the_order_they_can_be_done() {
        assert_eq!(assign(&[0, 1, 2, 3], &[Some(Technical), None, Some(General), None], &[None, None, None]), [0, 1, 2, 0]);
        assert_eq!(assign(&[2, 0, 1], &[None, None, None], &[None, None]), [1, 0, 0]);
    }

    #[test]
    fn a_matching_tag_comes_before_the_smaller_load() {
        let tags = [Some(Technical), Some(Creative), Some(Technical)];
        let needs = [Some(Technical), Some(Technical), Some(Technical), Some(Creative), Some(General)];
        assert_eq!(assign(&[0, 1, 2, 3, 4], &needs, &tags), [0, 2, 0, 1, 1], "nobody is tagged general: the first of the least busy");
    }

    #[test]
    fn a_seat_without_a_tag_takes_what_matches_nobody() {
        assert_eq!(assign(&[0, 1], &[Some(Creative), Some(Creative)], &[Some(Technical), None]), [0, 1]);
    }
}
