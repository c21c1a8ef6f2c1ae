//! Passages of texts, and those nearest to a query by the terms they share. Crude, cheap and the same on every machine.
//!
//! A rare term weighs more than a common one, and a short passage more than a long one that holds the same terms. A passage that shares
//! nothing with the query is never returned.

use crate::likeness::terms;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Cuts a text into passages of about `size` characters: whole paragraphs while they fit, long ones between sentences, else between words,
/// else anywhere. In order, without overlap; nothing but white space is left out.
pub fn passages(text: &str, size: usize) -> Vec<Range<usize>> {
    let size = size.max(1);
    let mut found: Vec<Range<usize>> = Vec::new();
    let length = |range: Range<usize>| text[range].chars().count();
    for paragraph in paragraphs(text) {
        if let Some(last) = found.last_mut()
            && length(last.start..paragraph.end) <= size
        {
            last.end = paragraph.end;
            continue;
        }
        let mut rest = paragraph;
        while length(rest.clone()) > size {
            let cut = rest.start + cut(&text[rest.clone()], size);
            found.extend(trimmed(text, rest.start..cut));
            rest = cut..rest.end;
        }
        found.extend(trimmed(text, rest));
    }
    found
}

/// Runs of lines without an empty one between them.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(range) = trimmed(text, at..at + line.len()) {
            match found.last_mut().filter(|_| open) {
                Some(last) => last.end = range.end,
                None => found.push(range),
            }
            open = true;
        } else {
            open = false;
        }
        at += line.len();
    }
    found
}

fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    let end = start + part.trim().len();
    (start < end).then_some(start..end)
}

/// Where to cut a text longer than `size` characters: after the last sentence that fits, else the last word, else at `size`.
fn cut(text: &str, size: usize) -> usize {
    let end = text.char_indices().nth(size).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let sentence = head.char_indices().zip(head.chars().skip(1)).filter(|((_, c), next)| ".!?\n".contains(*c) && next.is_whitespace());
    let sentence = sentence.map(|((at, c), _)| at + c.len_utf8()).last();
    let word = head.char_indices().rfind(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8());
    sentence.or(word).filter(|at| *at > 0).unwrap_or(end)
}

/// Passages made ready for many queries.
#[derive(Clone, Debug, Default)]
pub struct Index {
    passages: Vec<BTreeSet<String>>,
    /// In how many passages each term stands.
    spread: BTreeMap<String, usize>,
}

impl Index {
    pub fn new<S: AsRef<str>>(passages: &[S]) -> Self {
        let passages: Vec<BTreeSet<String>> = passages.iter().map(|passage| terms(passage.as_ref()).into_iter().collect()).collect();
        let mut spread = BTreeMap::new();
        for term in passages.iter().flatten() {
            *spread.entry(term.clone()).or_insert(0) += 1;
        }
        Self { passages, spread }
    }

    /// The nearest passages, at most `most`, nearest first; of equals the earlier.
    pub fn nearest(&self, query: &str, most: usize) -> Vec<usize> {
        let query: BTreeSet<String> = terms(query).into_iter().collect();
        let mut scored: Vec<(f64, usize)> =
            (0..self.passages.len()).map(|at| (self.score(&query, at), at)).filter(|(score, _)| *score > 0.0).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().take(most).map(|(_, at)| at).collect()
    }

    fn score(&self, query: &BTreeSet<String>, at: usize) -> f64 {
        let passage = &self.passages[at];
        let rarity = |term: &String| (1.0 + self.passages.len() as f64 / self.spread.get(term).copied().unwrap_or(1) as f64).ln();
        let shared: f64 = query.intersection(passage).map(rarity).sum();
        shared / (1.0 + (1.0 + passage.len() as f64).ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cuts(text: &str, size: usize) -> Vec<&str> {
        passages(text, size).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn passages_keep_paragraphs_then_sentences_then_words() {
        assert_eq!(cuts("", 10), [""; 0]);
        assert_eq!(cuts("\n \n", 10), [""; 0]);
        assert_eq!(cuts("one\ntwo\n\n  three\n", 100), ["one\ntwo\n\n  three"]);
        assert_eq!(cuts("one\ntwo\n\n  three\n", 8), ["one\ntwo", "three"]);
        assert_eq!(cuts("A b c. D e f. G h i.", 14), ["A b c. D e f.", "G h i."]);
        assert_eq!(cuts("alpha beta gamma", 12), ["alpha beta", "gamma"]);
        assert_eq!(cuts("ääääääää", 3), ["äää", "äää", "ää"]);
    }

    #[test]
    fn the_nearest_passage_shares_the_rarest_terms() {
        let passages = [
            "The queue runs jobs.",
            "Cron runs forty jobs a day.",
            "Nothing to see here.",
            "Jobs, jobs and more jobs in the queue of queues, long told.",
        ];
        let index = Index::new(&passages);
        assert_eq!(index.nearest("Cron runs forty jobs", 1), [1]);
        assert_eq!(index.nearest("jobs in a queue", 9), [0, 3, 1]);
        assert_eq!(index.nearest("jobs in a queue", 0), [0; 0]);
        assert_eq!(index.nearest("unheard words", 3), [0; 0]);
        assert_eq!(Index::new(&["x"; 0]).nearest("jobs", 3), [0; 0]);
    }

    proptest! {
        #[test]
        fn passages_hold_the_whole_text_in_order_and_none_is_too_long(text in "[ab.ü \n]{0,80}", size in 1_usize..20) {
            let found = passages(&text, size);
            let whole = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(found.iter().map(|range| whole(&text[range.clone()])).collect::<String>(), whole(&text));
            prop_assert!(found.iter().all(|range| (1..=size).contains(&text[range.clone()].chars().count())));
            prop_assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }

        #[test]
        fn every_passage_returned_shares_a_term_and_none_comes_twice(passages in prop::collection::vec("[a-e]{2} [a-e]{2} [a-e]{2}", 0..8), query in "[a-e]{2} [a-e]{2}", most in 0_usize..10) {
            let found = Index::new(&passages).nearest(&query, most);
            let query: BTreeSet<String> = terms(&query).into_iter().collect();
            prop_assert!(found.len() <= most);
            prop_assert!(found.iter().all(|at| terms(&passages[*at]).iter().any(|term| query.contains(term))));
            prop_assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
        }
    }
}
