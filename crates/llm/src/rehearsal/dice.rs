//! A rehearsal's dice: the same for the same seed and key, whatever the prompt says.

use sha2::{Digest, Sha256};
use synod_math::Rng;

#[derive(Clone, Debug)]
pub(super) struct Dice {
    seed: u64,
    rng: Rng,
}

impl Dice {
    /// `attempt` gives other throws for the same turn, for the rare schema that the first ones do not satisfy.
    pub(super) fn new(seed: u64, key: &str, attempt: u32) -> Self {
        Self { seed, rng: Rng::new(hash(&[b"turn", &seed.to_le_bytes(), &attempt.to_le_bytes(), key.as_bytes()])) }
    }

    /// A number below `n`; 0 when there is nothing to choose from.
    ///
    /// A choice of one takes a throw too: a list that grows to two items then changes no later throw of the turn.
    pub(super) fn below(&mut self, n: usize) -> usize {
        if n == 1 {
            self.rng.draw();
        }
        self.rng.index(n)
    }

    /// A number from 0 up to, not including, 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.rng.unit()
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        self.rng.shuffle(items);
    }

    /// How much the panel as a whole is drawn to something, from 0 to 1: the same for every seat of a run, so that voices that see the
    /// same labels agree more often than chance and still differ.
    pub(super) fn appeal(&self, of: &str) -> f64 {
        (hash(&[b"appeal", &self.seed.to_le_bytes(), of.as_bytes()]) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn hash(parts: &[&[u8]]) -> u64 {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part);
    }
    let digest = sha.finalize();
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}
