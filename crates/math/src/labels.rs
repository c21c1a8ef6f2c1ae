//! Neutral names for answers, like `K3` and `T9`: nothing in them says who wrote one, which came first, or how good it is.
//!
//! Letters that read as a grade (A–F), a size or verdict (H, L, M, S, N, Y), or a digit (I, O) are not used, nor are the digits 0 and 1.

use crate::Rng;

const LETTERS: &[u8; 10] = b"JKPQRTVWXZ";
const DIGITS: usize = 8;

/// `n` distinct labels. Up to eight share neither a letter nor a digit; up to eighty have one digit each, more get longer ones.
/// All are equally long, so none begins another.
pub fn labels(seed: u64, n: usize) -> Vec<String> {
    let mut rng = Rng::derive(seed, "labels");
    let mut width = 1;
    let mut numbers = DIGITS;
    while LETTERS.len() * numbers < n {
        width += 1;
        numbers *= DIGITS;
    }
    let letters = rng.permutation(LETTERS.len());
    let figures = rng.permutation(numbers);
    // Walking the diagonal repeats a letter or a number as late as possible. Ten and a power of eight share the factor two, so the
    // diagonal closes half-way: the second half walks the one beside it.
    let diagonal = LETTERS.len() / 2 * numbers;
    (0..n)
        .map(|k| {
            let letter = char::from(LETTERS[letters[k % LETTERS.len()]]);
            format!("{letter}{}", spell(figures[(k + k / diagonal) % numbers], width))
        })
        .collect()
}

/// A number in base eight, written with the digits 2–9.
fn spell(mut number: usize, width: usize) -> String {
    let mut digits = vec![' '; width];
    for place in digits.iter_mut().rev() {
        *place = char::from(b'2' + (number % DIGITS) as u8);
        number /= DIGITS;
    }
    digits.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> usize {
        items.collect::<BTreeSet<T>>().len()
    }

    #[test]
    fn the_labels_of_a_seed_never_change() {
        assert_eq!(labels(1, 5), ["P2", "K5", "X4", "V6", "R7"]);
    }

    #[test]
    fn seeds_give_different_labels() {
        assert!(distinct((0..50).map(|seed| labels(seed, 4))) > 45);
    }

    #[test]
    fn every_label_of_one_digit_can_be_drawn() {
        assert_eq!(distinct(labels(3, 80).into_iter()), 80);
        assert!(labels(3, 80).iter().all(|label| label.len() == 2));
    }

    proptest! {
        #[test]
        fn labels_are_distinct_and_none_begins_another(seed: u64, n in 0_usize..700) {
            let labels = labels(seed, n);
            prop_assert_eq!(labels.len(), n);
            prop_assert_eq!(distinct(labels.iter()), n);
            prop_assert!(labels.windows(2).all(|pair| pair[0].len() == pair[1].len()));
        }

        #[test]
        fn a_label_is_a_plain_consonant_and_digits_from_two_to_nine(seed: u64, n in 0_usize..100) {
            for label in labels(seed, n) {
                let (letter, digits) = label.split_at(1);
                prop_assert!(!"ABCDEFGHILMNOSUY".contains(letter), "{}", label);
                prop_assert!(!digits.is_empty() && digits.bytes().all(|digit| (b'2'..=b'9').contains(&digit)), "{}", label);
            }
        }

        #[test]
        fn up_to_eight_share_neither_letter_nor_digit(seed: u64, n in 0_usize..=8) {
            let labels = labels(seed, n);
            prop_assert_eq!(distinct(labels.iter().map(|label| label.as_bytes()[0])), n);
            prop_assert_eq!(distinct(labels.iter().map(|label| label.as_bytes()[1])), n);
        }
    }
}
