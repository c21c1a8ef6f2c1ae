//! Looking for bytes of a few kinds in long texts, eight at a time.

const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Eight bytes of a text, to be marked where something is to be found. Only the first mark is sure to be right.
#[derive(Clone, Copy)]
pub struct Eight(u64);

impl Eight {
    pub fn equal(self, byte: u8) -> u64 {
        let differs = self.0 ^ each(byte);
        differs.wrapping_sub(each(1)) & !differs & each(0x80)
    }
    /// `limit` is at most 0x80.
    pub fn below(self, limit: u8) -> u64 {
        self.0.wrapping_sub(each(limit)) & !self.0 & each(0x80)
    }
    pub fn beyond_ascii(self) -> u64 {
        self.0 & each(0x80)
    }
}

/// Where the first marked byte is; the length where there is none.
pub fn first_marked(bytes: &[u8], marks: impl Fn(Eight) -> u64) -> usize {
    let found =
        |eight: [u8; 8]| Some(marks(Eight(u64::from_le_bytes(eight)))).filter(|found| *found != 0).map(|found| found.trailing_zeros() as usize / 8);
    let (eights, rest) = bytes.as_chunks::<8>();
    if let Some(place) = eights.iter().enumerate().find_map(|(n, eight)| found(*eight).map(|at| n * 8 + at)) {
        return place;
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    found(last).map_or(bytes.len(), |at| bytes.len().min(eights.len() * 8 + at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_is_found_wherever_it_stands(bytes in prop::collection::vec(prop_oneof![Just(b'a'), Just(b'z'), any::<u8>()], 0..70)) {
            let marks = |eight: Eight| eight.equal(b'<') | eight.below(0x20) | eight.beyond_ascii();
            let one_by_one = bytes.iter().position(|byte| matches!(byte, b'<' | 0..0x20 | 0x80..)).unwrap_or(bytes.len());
            prop_assert_eq!(first_marked(&bytes, marks), one_by_one);
        }
    }
}
