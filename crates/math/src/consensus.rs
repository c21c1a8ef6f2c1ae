//! One ruling from several: a statement is held, denied or left open, and each vote says how sure it is.
//!
//! Owns who prevails, by which rung, and how sure the panel may sound. More than half of the votes cast is a majority; whatever prevails
//! without one is never more than barely sure. Fewer than [`LEAST`] votes rule nothing. What the three sides are called is the caller's affair.

use crate::likeness::{jaccard, terms};
use std::collections::BTreeSet;

/// One vote alone is an opinion, not a ruling.
pub const LEAST: usize = 2;

/// What the caller calls the three sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides<R> {
    pub held: R,
    pub denied: R,
    pub open: R,
}

/// What the votes come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Consensus<R, S> {
    pub ruling: R,
    pub sureness: S,
    /// Part of the votes cast that are for the ruling; `None` where too few were cast to agree with anything.
    pub agreement: Option<f64>,
    pub rung: Rung,
}

words! {
    /// What decided.
    pub enum Rung {
        /// More than half of the votes.
        Majority = "majority",
        /// More votes than any other side, but not more than half.
        Plurality = "plurality",
        /// Equal leaders: an open mind outweighs a denial, and a denial a confirmation.
        Tie = "tie",
        /// Too few votes: the statement is open.
        TooFew = "too_few_votes",
    }
}

/// The ruling on one statement. `unsure` is the lowest sureness: it is all that a ruling without a majority may claim. With one, it is what
/// most of its holders say, and of equally frequent ones the lower.
pub fn consensus<R: Copy + PartialEq, S: Copy + Ord>(votes: &[(R, S)], sides: Sides<R>, unsure: S) -> Consensus<R, S> {
    let count = |side: R| votes.iter().filter(|(ruling, _)| *ruling == side).count();
    // In the order in which equal leaders prevail.
    let ladder = [sides.open, sides.denied, sides.held].map(|side| (side, count(side)));
    let cast: usize = ladder.iter().map(|(_, n)| n).sum();
    if cast < LEAST {
        return Consensus { ruling: sides.open, sureness: unsure, agreement: None, rung: Rung::TooFew };
    }
    let most = ladder.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let leaders = ladder.iter().filter(|(_, n)| *n == most).count();
    let ruling = ladder.iter().find(|(_, n)| *n == most).map_or(sides.open, |(side, _)| *side);
    let rung = match leaders {
        1 if 2 * most > cast => Rung::Majority,
        1 => Rung::Plurality,
        _ => Rung::Tie,
    };
    let holders: Vec<S> = votes.iter().filter(|(side, _)| *side == ruling).map(|(_, sureness)| *sureness).collect();
    let sureness = if rung == Rung::Majority { usual(&holders).unwrap_or(unsure) } else { unsure };
    Consensus { ruling, sureness, agreement: Some(most as f64 / cast as f64), rung }
}

/// The most frequent value; of equally frequent ones the lowest.
fn usual<S: Copy + Ord>(values: &[S]) -> Option<S> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let often = |value: &S| values.iter().filter(|other| *other == value).count();
    let most = sorted.iter().map(often).max()?;
    sorted.into_iter().find(|value| often(value) == most)
}

/// Texts that share so many of their terms say the same, if they do not differ in a number.
const ALIKE: f64 = 0.5;

/// The text that most of the others resemble, and how many say the same, itself counted. Equal texts in another wording count together;
/// texts with different numbers do not. Of equals the one nearest to the rest, then the first.
pub fn common(texts: &[&str]) -> Option<(usize, usize)> {
    let numbers: Vec<BTreeSet<String>> = texts.iter().map(|text| numbers(text)).collect();
    let is_word = |term: &String| !term.chars().all(|c| c.is_ascii_digit());
    let words = texts.iter().map(|text| terms(text).into_iter().filter(is_word).collect::<BTreeSet<String>>());
    let bags: Vec<BTreeSet<String>> = words.zip(&numbers).map(|(words, numbers)| words.union(numbers).cloned().collect()).collect();
    let nearness = |a: usize, b: usize| jaccard(&bags[a], &bags[b]).unwrap_or_else(|| f64::from(u8::from(texts[a] == texts[b])));
    let alike = |a: usize, b: usize| {
        let told = numbers[a].is_subset(&numbers[b]) || numbers[b].is_subset(&numbers[a]);
        a == b || (told && nearness(a, b) >= ALIKE)
    };
    let mut best: Option<(usize, usize, f64)> = None;
    for i in 0..texts.len() {
        let same: Vec<usize> = (0..texts.len()).filter(|other| alike(i, *other)).collect();
        let near: f64 = same.iter().map(|other| nearness(i, *other)).sum();
        if best.is_none_or(|(_, n, nearest)| same.len() > n || (same.len() == n && near > nearest + 1e-9)) {
            best = Some((i, same.len(), near));
        }
    }
    best.map(|(i, n, _)| (i, n))
}

/// The numbers in a text, separators of thousands aside: `1,200` is `1200`, `3.5` stays.
fn numbers(text: &str) -> BTreeSet<String> {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut found = BTreeSet::new();
    let mut number = String::new();
    for (at, c) in chars.iter().enumerate() {
        match c {
            c if c.is_ascii_digit() => number.push(*c),
            '.' if !number.is_empty() && digit(at + 1) => number.push('.'),
            ',' if !number.is_empty() && digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4) => {}
            _ if !number.is_empty() => {
                found.insert(std::mem::take(&mut number));
            }
            _ => {}
        }
    }
    if !number.is_empty() {
        found.insert(number);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIDES: Sides<char> = Sides { held: 'V', denied: 'D', open: 'U' };

    /// `V3 D1`: a vote for V with sureness 3, one for D with 1.
    fn votes(text: &str) -> Vec<(char, u8)> {
        let vote = |word: &str| (word.chars().next().expect("a side"), word[1..].parse().expect("a sureness"));
        text.split_whitespace().map(vote).collect()
    }

    #[test]
    fn votes_come_to_what_the_table_says() {
        use Rung::*;
        // votes, ruling, sureness, agreement in percent, rung
        let table = [
            ("", 'U', 1, None, TooFew),
            ("V3", 'U', 1, None, TooFew),
            ("U3", 'U', 1, None, TooFew),
            ("V3 V3 V3", 'V', 3, Some(100), Majority),
            ("D2 D2 V3", 'D', 2, Some(67), Majority),
            ("V3 D3", 'D', 1, Some(50), Tie),
            ("V3 U3", 'U', 1, Some(50), Tie),
            ("D3 U3", 'U', 1, Some(50), Tie),
            ("V3 D3 U3", 'U', 1, Some(33), Tie),
            ("V3 V3 D3 U3", 'V', 1, Some(50), Plurality),
            ("U3 U3 D3 V3", 'U', 1, Some(50), Plurality),
            ("V3 V3 D2 D2 U1", 'D', 1, Some(40), Tie),
            ("U3 U2 V3", 'U', 2, Some(67), Majority),
            ("V3 V2 V1", 'V', 1, Some(100), Majority),
            ("V3 V3 V2 V1", 'V', 3, Some(100), Majority),
            ("V3 V3 V2 V2", 'V', 2, Some(100), Majority),
        ];
        for (text, ruling, sureness, percent, rung) in table {
            let got = consensus(&votes(text), SIDES, 1);
            let got_percent = got.agreement.map(|share| (100.0 * share).round() as u32);
            assert_eq!((got.ruling, got.sureness, got_percent, got.rung), (ruling, sureness, percent, rung), "{text}");
        }
    }

    #[test]
    fn corrections_are_grouped_by_what_they_say() {
        // texts, the one taken, how many say it
        type Case<'a> = (&'a [&'a str], Option<(usize, usize)>);
        let table: [Case; 8] = [
            (&[], None),
            (&["It was 1969."], Some((0, 1))),
            (&["The bridge opened in 1937", "It opened in 1936", "In 1936 the bridge opened"], Some((1, 2))),
            (&["The bridge opened in 1937.", "The bridge opened in 1936.", "The bridge opened in 1936, not in 1935."], Some((1, 2))),
            (&["1,200 people", "1200 people"], Some((0, 2))),
            (&["3.5 percent", "35 percent"], Some((0, 1))),
            (&["cats", "dogs"], Some((0, 1))),
            (&["only the queue grows", "a queue grows, never cron", "the queue grows"], Some((2, 3))),
        ];
        for (texts, want) in table {
            assert_eq!(common(texts), want, "{texts:?}");
        }
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let read = |text: &str| numbers(text).into_iter().collect::<Vec<_>>().join(" ");
        for (text, want) in [("in 1969.", "1969"), ("1,200,000 or 3.5%", "1200000 3.5"), ("1, 2, 345", "1 2 345"), ("none", ""), ("v2", "2")] {
            assert_eq!(read(text), want, "{text}");
        }
    }

    fn any_votes() -> impl Strategy<Value = Vec<(char, u8)>> {
        prop::collection::vec((prop::sample::select(vec!['V', 'D', 'U']), 1_u8..=3), 0..9)
    }

    proptest! {
        #[test]
        fn whoever_prevails_has_the_most_votes_and_sounds_sure_only_with_a_majority(votes in any_votes()) {
            let got = consensus(&votes, SIDES, 1);
            let count = |side: char| votes.iter().filter(|(vote, _)| *vote == side).count();
            prop_assert_eq!(got.agreement.is_none(), votes.len() < LEAST);
            if let Some(agreement) = got.agreement {
                prop_assert!(['V', 'D', 'U'].iter().all(|side| count(*side) <= count(got.ruling)));
                prop_assert!((agreement - count(got.ruling) as f64 / votes.len() as f64).abs() < 1e-12);
                prop_assert_eq!(got.rung == Rung::Majority, agreement > 0.5);
                prop_assert!(agreement > 0.5 || got.sureness == 1);
                prop_assert!(agreement <= 0.5 || votes.contains(&(got.ruling, got.sureness)));
            } else {
                prop_assert_eq!((got.ruling, got.sureness, got.rung), ('U', 1, Rung::TooFew));
            }
        }

        #[test]
        fn the_order_of_votes_does_not_matter(votes in any_votes(), seed: u64) {
            let mut shuffled = votes.clone();
            crate::Rng::new(seed).shuffle(&mut shuffled);
            prop_assert_eq!(consensus(&votes, SIDES, 1), consensus(&shuffled, SIDES, 1));
        }

        #[test]
        fn one_more_vote_for_the_ruling_never_unseats_it(votes in any_votes(), sureness in 1_u8..=3) {
            let before = consensus(&votes, SIDES, 1);
            if before.rung != Rung::TooFew {
                let mut more = votes;
                more.push((before.ruling, sureness));
                prop_assert_eq!(consensus(&more, SIDES, 1).ruling, before.ruling);
            }
        }

        #[test]
        fn the_common_text_is_one_of_them_and_is_counted(texts in prop::collection::vec("[a-d0-2 ,.]{0,16}", 0..6)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            match common(&texts) {
                None => prop_assert!(texts.is_empty()),
                Some((taken, n)) => prop_assert!(taken < texts.len() && (1..=texts.len()).contains(&n)),
            }
        }
    }
}
