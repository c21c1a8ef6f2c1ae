//! Numbers that look random and are the same in every run.

use synod_math::Rng;

pub struct Dice(Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Rng::new(seed))
    }

    /// Less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.index(n)
    }

    /// So often out of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        from.get(self.below(from.len()))
    }
}
