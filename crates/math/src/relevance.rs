//! How much one text has to do with others, by the words that matter: rare ones count more, function words and the words of any decision not
//! at all. One shared word is never enough.

use crate::likeness::terms;
use std::collections::{BTreeMap, BTreeSet};

/// Words that stand in questions and decisions of every kind and tell nothing about their subject.
const COMMON: [&str; 64] = [
    "about", "after", "all", "also", "any", "be", "been", "before", "best", "better", "between", "both", "build", "choose", "could", "decide",
    "decision", "do", "does", "each", "every", "first", "good", "had", "how", "if", "into", "keep", "make", "many", "may", "more", "most", "move",
    "much", "must", "need", "needs", "new", "no", "one", "only", "option", "our", "out", "over", "pick", "plan", "run", "small", "so", "some",
    "take", "team", "than", "their", "them", "there", "use", "way", "what", "when", "which", "would",
];

/// The distinct words of a text that matter.
fn words(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().filter(|term| !COMMON.contains(&term.as_str())).collect()
}

/// Texts that have to do with the query, most relevant first, each with its relevance from 0 to 1: the weight of the words both have, as a share
/// of the smaller one's. Left out are those below `least`, and those that share fewer than two words. Of equals the earlier comes first.
pub fn relevant<S: AsRef<str>>(query: &str, texts: &[S], least: f64) -> Vec<(usize, f64)> {
    let asked = words(query);
    let known: Vec<BTreeSet<String>> = texts.iter().map(|text| words(text.as_ref())).collect();
    let mut spread: BTreeMap<&str, usize> = BTreeMap::new();
    for term in known.iter().flatten() {
        *spread.entry(term).or_default() += 1;
    }
    let weight = |term: &String| (1.0 + known.len() as f64 / spread.get(term.as_str()).copied().unwrap_or(1) as f64).ln();
    let sum = |terms: &mut dyn Iterator<Item = &String>| terms.map(weight).sum::<f64>();
    let whole = sum(&mut asked.iter());
    let mut found: Vec<(usize, f64)> = Vec::new();
    for (at, text) in known.iter().enumerate() {
        let shared: Vec<&String> = asked.intersection(text).collect();
        let relevance = sum(&mut shared.iter().copied()) / whole.min(sum(&mut text.iter()));
        if shared.len() >= 2 && relevance >= least {
            found.push((at, relevance));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KNOWN: [&str; 4] = [
        "Which database should carry a web shop with many tenants? One PostgreSQL with row-level security.",
        "Should the team take one office or two? Keep one office.",
        "Which queue should carry the nightly batch jobs? RabbitMQ carries the batch jobs.",
        "Tea or coffee for the office kitchen?",
    ];

    #[test]
    fn words_that_matter_are_shared_or_nothing_is_recalled() {
        let found = |query: &str| relevant(query, &KNOWN, 0.3).into_iter().map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(found("PostgreSQL or MySQL for a shop with tenants?"), [0]);
        assert_eq!(found("Should a small team move its batch jobs from cron to a queue?"), [2]);
        // One shared word, or only words that any decision has.
        assert_eq!(found("Which office chair is best?"), [0; 0]);
        assert_eq!(found("Which way should the team take, and what is the best option?"), [0; 0]);
        assert_eq!((found(""), relevant("shop", &[""; 0], 0.3)), (vec![], vec![]));
    }

    proptest! {
        #[test]
        fn relevance_is_a_share_and_orders_what_is_found(query in "([a-f]{3} ){0,6}", texts in prop::collection::vec("([a-f]{3} ){0,6}", 0..6)) {
            let found = relevant(&query, &texts, 0.3);
            prop_assert!(found.iter().all(|(_, share)| (0.3..=1.0 + 1e-9).contains(share)));
            prop_assert!(found.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        }
    }
}
