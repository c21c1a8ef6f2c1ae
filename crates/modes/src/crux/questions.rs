//! Whether two questions are one, so that no question gets two rooms or two cards; and whether two sentences are.

use synod_math::likeness::{overlap, terms};

/// The share of their words that two wordings of one question have in common, and how many words that matter it takes to tell.
const SAME: f64 = 0.8;
const TELLING: usize = 4;

/// The same words but for case and punctuation; or, where both have words enough, nearly the same ones.
pub fn same_question(a: &str, b: &str) -> bool {
    same_words(a, b) || (terms(a).len().min(terms(b).len()) >= TELLING && overlap(a, b) >= SAME)
}

/// The same words in the same order, but for case and punctuation.
pub fn same_words(a: &str, b: &str) -> bool {
    words(a) == words(b)
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
