//! How alike two texts are, by the words they share. Crude, cheap and the same on every machine.

use std::collections::{BTreeMap, BTreeSet};

/// Whether a character belongs to a script that sets no spaces between words: Chinese characters and the Japanese syllables.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}')
}

/// Words in lower case without punctuation; words of one letter and the commonest function words carry no meaning here. Where a script sets no
/// spaces, every two neighbouring characters are a term.
pub fn terms(text: &str) -> Vec<String> {
    const LONGEST_EMPTY: usize = 6;
    const EMPTY: [&str; 32] = [
        "the", "an", "and", "or", "of", "to", "in", "is", "it", "its", "be", "are", "was", "for", "on", "as", "at", "by", "with", "that", "this",
        "from", "not", "but", "we", "you", "they", "has", "have", "will", "can", "should",
    ];
    let add = |found: &mut Vec<String>, word: &str| {
        if word.chars().nth(1).is_some() {
            let word = word.to_lowercase();
            if word.len() > LONGEST_EMPTY || !EMPTY.contains(&word.as_str()) {
                found.push(word);
            }
        }
    };
    let mut found = Vec::new();
    for piece in text.split(|c: char| !c.is_alphanumeric()) {
        if piece.is_ascii() {
            add(&mut found, piece);
            continue;
        }
        let chars: Vec<char> = piece.chars().collect();
        for stretch in chars.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
            if is_unspaced(stretch[0]) {
                found.extend(stretch.windows(2.min(stretch.len())).map(String::from_iter));
            } else {
                add(&mut found, &String::from_iter(stretch));
            }
        }
    }
    found
}

/// Share of distinct terms that both have: 1 for the same set, 0 for none in common. Two texts without terms are alike only if equal.
pub fn overlap(a: &str, b: &str) -> f64 {
    shared(a, b).unwrap_or_else(|| f64::from(u8::from(a.trim() == b.trim())))
}

/// The same, and `None` where neither text has a term.
pub fn shared(a: &str, b: &str) -> Option<f64> {
    jaccard(&distinct(a), &distinct(b))
}

/// Share of elements that both sets have; `None` where neither has any.
pub fn jaccard<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> Option<f64> {
    let both = a.intersection(b).count();
    let union = a.len() + b.len() - both;
    (union > 0).then(|| both as f64 / union as f64)
}

fn distinct(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().collect()
}

/// Share of `a`'s distinct terms that `b` keeps; 1 when there is nothing to keep.
pub fn kept(a: &str, b: &str) -> f64 {
    let (x, y) = (distinct(a), distinct(b));
    if x.is_empty() { 1.0 } else { x.intersection(&y).count() as f64 / x.len() as f64 }
}

/// Cosine of the two texts' term counts: how often they speak of the same things, whatever their lengths.
pub fn cosine(a: &str, b: &str) -> f64 {
    let count = |text: &str| -> BTreeMap<String, f64> {
        let mut counts = BTreeMap::new();
        for term in terms(text) {
            *counts.entry(term).or_insert(0.0) += 1.0;
        }
        counts
    };
    let (x, y) = (count(a), count(b));
    let length = |counts: &BTreeMap<String, f64>| counts.values().map(|n| n * n).sum::<f64>().sqrt();
    let (long, wide) = (length(&x), length(&y));
    if long == 0.0 || wide == 0.0 {
        return f64::from(u8::from(a.trim() == b.trim()));
    }
    let dot: f64 = x.iter().filter_map(|(term, n)| Some(n * y.get(term)?)).sum();
    (dot / (long * wide)).clamp(0.0, 1.0)
}

/// Each text's mean cosine to the others. `None` for a text alone.
pub fn to_peers(texts: &[&str]) -> Vec<Option<f64>> {
    let mean = |own: usize| {
        let others: Vec<f64> = (0..texts.len()).filter(|other| *other != own).map(|other| cosine(texts[own], texts[other])).collect();
        (!others.is_empty()).then(|| others.iter().sum::<f64>() / others.len() as f64)
    };
    (0..texts.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_in_common_count_and_case_does_not() {
        assert_eq!(overlap("Queue the jobs", "jobs, QUEUE!"), 1.0);
        assert_eq!(overlap("queue jobs", "cron table"), 0.0);
        assert_eq!(overlap("queue jobs", "queue tables"), 1.0 / 3.0);
        assert_eq!(kept("queue jobs", "a queue for all"), 0.5);
        assert_eq!((overlap("", ""), overlap("", "queue"), kept("", "x")), (1.0, 0.0, 1.0));
        assert!((cosine("queue queue jobs", "queue jobs") - 3.0 / 10f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn texts_without_spaces_share_pairs_of_characters() {
        assert_eq!(terms("東京都, 水とAPI"), ["東京", "京都", "水と", "api"]);
        assert_eq!(terms("水"), ["水"]);
        assert!(kept("今天天气很好我们去公园", "今天天气很好我们去公园散步") == 1.0);
        assert!(overlap("今天天气很好", "今天天气不好") > 0.3 && overlap("今天天气很好", "数据库迁移计划") == 0.0);
    }

    #[test]
    fn the_odd_one_out_is_least_like_its_peers() {
        let alike = to_peers(&["queue the jobs", "queue all jobs", "plant more trees"]);
        assert!(alike[0] > alike[2] && alike[1] > alike[2] && alike[2] == Some(0.0), "{alike:?}");
        assert_eq!((to_peers(&["alone"]), to_peers(&[])), (vec![None], Vec::new()));
    }

    proptest! {
        #[test]
        fn all_are_shares_and_the_symmetric_ones_symmetric(a in "[a-d ]{0,30}", b in "[a-d ]{0,30}") {
            for value in [overlap(&a, &b), kept(&a, &b), cosine(&a, &b)] {
                prop_assert!((0.0..=1.0).contains(&value), "{value}");
            }
            prop_assert_eq!(overlap(&a, &b), overlap(&b, &a));
            prop_assert!((cosine(&a, &b) - cosine(&b, &a)).abs() < 1e-12);
            prop_assert!((overlap(&a, &a), kept(&a, &a)) == (1.0, 1.0) && cosine(&a, &a) > 0.999_999);
        }
    }
}
