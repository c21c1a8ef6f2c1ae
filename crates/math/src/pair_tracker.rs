//! Pairs that keep disagreeing: how often in a row a window of messages showed it, and when a pair gets a room of its own.
//!
//! The clock is the caller's: `now` and the cooldown may be minutes, messages or anything else that only grows.

/// Two seats, the smaller first.
pub type Pair = (u32, u32);

/// Windows in a row that must show a pair before it gets a room.
pub const WINDOWS_NEEDED: u32 = 2;

pub fn pair(a: u32, b: u32) -> Pair {
    (a.min(b), a.max(b))
}

/// A pair that was seen disagreeing. The question may be worded differently every time; only the pair counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedPair {
    pub pair: Pair,
    pub topic: String,
    pub label: String,
    pub windows: u32,
    pub first_seen: u64,
    pub last_seen: u64,
}

/// A pair seen disagreeing in one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub pair: Pair,
    pub topic: String,
    pub label: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairTracker {
    /// In the order in which they were first seen.
    tracked: Vec<TrackedPair>,
    /// When each pair last got a room.
    rooms: Vec<(Pair, u64)>,
    cooldown: u64,
}

impl PairTracker {
    pub fn new(cooldown: u64) -> Self {
        Self { cooldown, ..Self::default() }
    }

    /// Counts what one window showed. Every other tracked pair was not seen in it and loses a window.
    pub fn observe(&mut self, sighting: Option<Sighting>, now: u64) {
        let seen = sighting.as_ref().map(|sighting| sighting.pair);
        self.tracked.retain_mut(|tracked_pair| {
            if Some(tracked_pair.pair) == seen {
                return true;
            }
            let stays = tracked_pair.windows > 1;
            tracked_pair.windows = tracked_pair.windows.saturating_sub(1);
            stays
        });
        let Some(Sighting { pair, topic, label }) = sighting else { return };
        match self.tracked.iter_mut().find(|tracked_pair| tracked_pair.pair == pair) {
            Some(known) => {
                known.windows += 1;
                known.last_seen = now;
                (known.topic, known.label) = (topic, label);
            }
            None => self.tracked.push(TrackedPair { pair, topic, label, windows: 1, first_seen: now, last_seen: now }),
        }
    }

    /// The pair that gets the next room: seen in enough windows, not in one of the `live` rooms, and past its cooldown. The one seen most often comes first.
    pub fn ready(&self, live: &[Pair], now: u64) -> Option<&TrackedPair> {
        let rested =
            |pair: Pair| self.rooms.iter().find(|(known, _)| *known == pair).is_none_or(|(_, last)| now.saturating_sub(*last) >= self.cooldown);
        let earned = self.tracked.iter().filter(|each| each.windows >= WINDOWS_NEEDED && !live.contains(&each.pair) && rested(each.pair));
        // `max_by_key` takes the last of equals, and the first seen comes first.
        earned.rev().max_by_key(|each| each.windows)
    }

    /// Notes that the pair has a room: its count starts again, and it gets no other room before the cooldown is over.
    pub fn record_room(&mut self, pair: Pair, now: u64) {
        self.tracked.retain(|tracked_pair| tracked_pair.pair != pair);
        self.rooms.retain(|(known, _)| *known != pair);
        self.rooms.push((pair, now));
    }

    pub fn windows(&self, pair: Pair) -> u32 {
        self.tracked.iter().find(|tracked_pair| tracked_pair.pair == pair).map_or(0, |tracked_pair| tracked_pair.windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AB: Pair = (0, 1);
    const AC: Pair = (0, 2);

    fn seen(pair: Pair) -> Option<Sighting> {
        Some(Sighting { pair, topic: "is it so?".into(), label: "so".into() })
    }

    /// Windows a minute apart with a cooldown of five; the windows at which the pair got a room.
    fn rooms(runs: &[Option<Sighting>], mut tracker: PairTracker) -> Vec<usize> {
        let mut spawned = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            let now = at as u64 + 1;
            tracker.observe(run.clone(), now);
            if let Some(pair) = tracker.ready(&[], now).map(|tracked_pair| tracked_pair.pair) {
                tracker.record_room(pair, now);
                spawned.push(at + 1);
            }
        }
        spawned
    }

    #[test]
    fn two_windows_in_a_row_make_a_room() {
        assert_eq!(rooms(&[seen(AB), seen(AB)], PairTracker::new(5)), [2]);
    }

    #[test]
    fn a_miss_between_two_hits_undoes_the_first() {
        assert_eq!(rooms(&[seen(AB), None, seen(AB)], PairTracker::new(5)), Vec::<usize>::new());
    }

    #[test]
    fn a_pair_held_back_by_its_cooldown_comes_in_later_if_it_is_still_seen() {
        let mut tracker = PairTracker::new(3);
        tracker.record_room(AB, 0);
        let mut counts = Vec::new();
        for (now, run) in (1..).zip([seen(AB), seen(AB), None, seen(AB)]) {
            tracker.observe(run, now);
            counts.push((tracker.windows(AB), tracker.ready(&[], now).is_some()));
        }
        assert_eq!(counts, [(1, false), (2, false), (1, false), (2, true)]);
    }

    #[test]
    fn a_second_room_waits_for_the_cooldown() {
        // A room at 2; seen at every window after it: free again at 7.
        let runs: Vec<_> = (0..8).map(|_| seen(AB)).collect();
        assert_eq!(rooms(&runs, PairTracker::new(5)), [2, 7]);
    }

    #[test]
    fn pairs_that_take_turns_never_get_there() {
        let runs = [seen(AB), seen(AC), seen(AB), seen(AC), seen(AB), seen(AC)];
        assert_eq!(rooms(&runs, PairTracker::new(5)), Vec::<usize>::new());
    }

    #[test]
    fn a_live_room_blocks_its_own_pair_and_no_other() {
        let mut tracker = PairTracker::new(0);
        tracker.observe(seen((1, 12)), 1);
        tracker.observe(seen((1, 12)), 2);
        assert!(tracker.ready(&[(1, 12)], 2).is_none());
        assert!(tracker.ready(&[(1, 1), (1, 2)], 2).is_some());
        tracker.record_room((1, 1), 2);
        assert_eq!(tracker.windows((1, 12)), 2, "another pair's record is left alone");
        tracker.record_room((1, 12), 2);
        assert_eq!(tracker.windows((1, 12)), 0, "whatever it got its room for");
    }

    #[test]
    fn the_wording_of_the_last_window_stands() {
        let mut tracker = PairTracker::new(5);
        tracker.observe(seen(AB), 1);
        tracker.observe(Some(Sighting { pair: AB, topic: "will it last?".into(), label: "lasting".into() }), 4);
        let tracked_pair = tracker.ready(&[], 4).expect("ready");
        assert_eq!(
            (tracked_pair.topic.as_str(), tracked_pair.label.as_str(), tracked_pair.first_seen, tracked_pair.last_seen),
            ("will it last?", "lasting", 1, 4)
        );
    }

    proptest! {
        #[test]
        fn a_room_needs_two_sightings_and_rooms_of_a_pair_keep_their_distance(runs in prop::collection::vec(prop::option::of((0_u32..3, 3_u32..5)), 0..60), cooldown in 0_u64..9) {
            let mut tracker = PairTracker::new(cooldown);
            let mut last: Vec<(Pair, u64)> = Vec::new();
            for (now, run) in (1..).zip(&runs) {
                tracker.observe(run.map(|pair| Sighting { pair, topic: String::new(), label: String::new() }), now);
                if let Some(tracked_pair) = tracker.ready(&[], now).cloned() {
                    let sightings = runs[..now as usize].iter().filter(|run| **run == Some(tracked_pair.pair)).count();
                    prop_assert!(sightings >= 2);
                    if let Some((_, before)) = last.iter().rev().find(|(pair, _)| *pair == tracked_pair.pair) {
                        prop_assert!(now - before >= cooldown);
                    }
                    tracker.record_room(tracked_pair.pair, now);
                    prop_assert_eq!(tracker.windows(tracked_pair.pair), 0);
                    last.push((tracked_pair.pair, now));
                }
            }
        }
    }
}
