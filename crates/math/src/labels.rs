//! Neutral names for answers, like `K3` and `T9`: nothing in them says who wrote one, which came first, or how good it is.
//!
//! Letters that read as a grade (A–F), a size or verdict (H, L, M, S, N, Y), or a digit (I, O) are not used, nor are the digits 0 and 1.

use crate::Rng;
use std::collections::BTreeSet;

const LETTERS: &[u8; 10] = b"JKPQRTVWXZ";
const DIGITS: usize = 8;

/// `n` distinct labels. Up to eight share neither a letter nor a digit; up to eighty have one digit each, more get longer ones.
/// All are equally long, so none begins another.
pub fn labels(seed: u64, n: usize) -> Vec<String> {
    labels_apart(seed, n, &[], &[])
}

/// Labels that cannot be taken for anything else in play: with other letters than the labels of `others`, as long as the alphabet lasts, and
/// none that stands as a word in `texts`.
pub fn labels_apart(seed: u64, n: usize, others: &[String], texts: &[&str]) -> Vec<String> {
    let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let taken: BTreeSet<&str> = words.chain(others.iter().map(String::as_str)).filter(|word| is_label(word)).collect();
    let mut rng = Rng::derive(seed, "labels");
    let drawn: Vec<u8> = rng.permutation(LETTERS.len()).into_iter().map(|at| LETTERS[at]).collect();
    let used = |letter: &u8| others.iter().any(|other| other.as_bytes().first() == Some(letter));
    let unused: Vec<u8> = drawn.iter().copied().filter(|letter| !used(letter)).collect();
    let letters = if unused.is_empty() { drawn } else { unused };
    let mut width = 1;
    let mut numbers = DIGITS;
    while letters.len() * numbers < n + taken.len() {
        width += 1;
        numbers *= DIGITS;
    }
    let figures = rng.permutation(numbers);
    // Walking the diagonal repeats a letter or a number as late as possible. It closes at the common multiple of the two; after each round
    // the walk goes on along the next one beside it.
    let diagonal = letters.len() * numbers / common_divisor(letters.len(), numbers);
    let walk = (0..letters.len() * numbers).map(|k| {
        let letter = char::from(letters[k % letters.len()]);
        format!("{letter}{}", spell(figures[(k + k / diagonal) % numbers], width))
    });
    walk.filter(|label| !taken.contains(label.as_str())).take(n).collect()
}

fn is_label(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|letter| LETTERS.contains(&letter)) && word.len() > 1 && bytes.all(|digit| (b'2'..=b'9').contains(&digit))
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
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

    #[test]
    fn a_word_of_the_text_is_no_label() {
        let plain = labels(1, 5);
        let text = format!("Sales fell in {}; see {}.", plain[0], plain[3]);
        let apart = labels_apart(1, 5, &[], &[&text]);
        assert_eq!(apart[..3], [plain[1].clone(), plain[2].clone(), plain[4].clone()]);
        assert!(!apart.contains(&plain[0]) && !apart.contains(&plain[3]), "{apart:?}");
        assert_eq!(labels_apart(1, 5, &[], &["XP2 and P22 and p2 hold no label"]), plain);
    }

    proptest! {
        #[test]
        fn a_second_set_shares_no_letter_with_the_first_while_there_are_letters(seed: u64, other: u64, n in 0_usize..40, m in 0_usize..40) {
            let first = labels(seed, n);
            let second = labels_apart(other, m, &first, &[]);
            prop_assert_eq!(second.len(), m);
            prop_assert_eq!(distinct(second.iter()), m);
            prop_assert!(second.iter().all(|label| !first.contains(label)));
            if n < LETTERS.len() {
                prop_assert!(second.iter().all(|label| first.iter().all(|other| other.as_bytes()[0] != label.as_bytes()[0])));
            }
            if n < LETTERS.len() && m <= DIGITS && second.iter().all(|label| label.len() == 2) {
                prop_assert_eq!(distinct(second.iter().map(|label| label.as_bytes()[1])), m);
            }
        }

        #[test]
        fn labels_never_stand_in_the_texts(seed: u64, n in 0_usize..12, words in prop::collection::vec("[JKPQ][2-9]", 0..60)) {
            let text = words.join(", ");
            let labels = labels_apart(seed, n, &[], &[&text]);
            prop_assert_eq!(distinct(labels.iter()), n);
            prop_assert!(labels.iter().all(|label| !words.contains(label)));
        }

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
