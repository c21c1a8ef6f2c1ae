//! The dice: a small seeded generator whose every number is fixed forever.
//!
//! Replay depends on it: a journal written by one version is read by all later ones. It is no source of secrets.

/// SplitMix64. Small, fast, passes the usual statistical batteries, and short enough to be checked by eye.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator of its own for each use of one seed, so that a use added later shifts no other.
    pub fn derive(seed: u64, label: &str) -> Self {
        // FNV-1a over the label; one step of the generator then parts neighbouring seeds.
        let hash = label.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        Self::new(Self::new(seed).draw() ^ hash)
    }

    /// Any 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, each equally likely; 0 when there is nothing to choose from.
    pub fn below(&mut self, n: u64) -> u64 {
        if n < 2 {
            return 0;
        }
        // Draws from the incomplete last stretch of the range are thrown away: with them small numbers would come more often.
        let excess = (u64::MAX % n + 1) % n;
        loop {
            let drawn = self.draw();
            if drawn <= u64::MAX - excess {
                return drawn % n;
            }
        }
    }

    /// A number from 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An index into something of this length; 0 for an empty one.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Fisher–Yates: every order equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// `0..n` in a shuffled order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        self.shuffle(&mut order);
        order
    }
}

#[cfg(test)]
mod tests {
    use crate::Rng;
    use proptest::prelude::*;

    #[test]
    fn the_numbers_never_change() {
        // The reference values of SplitMix64 for this seed.
        let mut rng = Rng::new(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| rng.draw()).collect();
        assert_eq!(
            drawn,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431, 16_408_922_859_458_223_821]
        );
        assert_eq!(Rng::derive(7, "labels").draw(), 7_895_013_782_395_370_878);
        assert_eq!(Rng::new(42).permutation(8), [3, 1, 6, 2, 4, 0, 7, 5]);
    }

    #[test]
    fn every_number_below_the_bound_comes_up_about_equally_often() {
        let mut rng = Rng::new(9);
        let mut seen = [0_u32; 6];
        for _ in 0..6_000 {
            seen[rng.index(6)] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
    }

    #[test]
    fn a_bound_just_above_half_the_range_is_not_biased() {
        // Plain remainder would give the lower half of these numbers twice as often as the upper half.
        let n = u64::MAX / 3 * 2;
        let mut rng = Rng::new(3);
        let low = (0..4_000).filter(|_| rng.below(n) < n / 2).count();
        assert!((1850..2150).contains(&low), "{low}");
    }

    proptest! {
        #[test]
        fn below_stays_below(seed: u64, n in 1_u64..) {
            prop_assert!(Rng::new(seed).below(n) < n);
        }

        #[test]
        fn a_shuffle_keeps_every_item(seed: u64, n in 0_usize..60) {
            let mut sorted = Rng::new(seed).permutation(n);
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..n).collect::<Vec<_>>());
        }

        #[test]
        fn labels_and_seeds_each_give_their_own_stream(seed: u64) {
            prop_assert_ne!(Rng::derive(seed, "a").draw(), Rng::derive(seed, "b").draw());
            prop_assert_ne!(Rng::derive(seed, "a").draw(), Rng::derive(seed.wrapping_add(1), "a").draw());
            prop_assert_eq!(Rng::derive(seed, "a").draw(), Rng::derive(seed, "a").draw());
        }
    }
}
