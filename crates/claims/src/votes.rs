//! How a layer's submissions become one result: pass or flag, domain, recommendation, route. Pure, and the same on every machine.

use synod_types::{CALIBRATING, Recommendation};
use unicode_normalization::UnicodeNormalization;

/// Characters of a domain.
const LONGEST_DOMAIN: usize = 64;
/// The domain of a claim that nobody could place.
pub const GENERAL: &str = "general";

/// A confidence in ten-thousandths: sums of these are exact, so that three times 0.70 is 0.70.
pub fn parts(confidence: f64) -> i64 {
    (confidence * 10_000.0).round() as i64
}

/// The mean of some confidences, beside what passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    pub avg: f64,
    pub passed: bool,
}

/// Whether the mean reaches the threshold; equality passes. `None`: nobody gave a confidence.
pub fn gate(confidences: &[f64], threshold: f64) -> Option<Gate> {
    let n = i64::try_from(confidences.len()).ok().filter(|n| *n > 0)?;
    let sum: i64 = confidences.iter().map(|confidence| parts(*confidence)).sum();
    Some(Gate { avg: sum as f64 / (n * 10_000) as f64, passed: sum >= parts(threshold) * n })
}

/// A domain as it is compared and stored: small letters, digits and single dashes. Empty: no vote.
pub fn domain_slug(given: &str) -> String {
    let plain = given.to_lowercase().nfd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).collect::<String>();
    let mut slug = String::new();
    for c in plain.chars() {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            '-' | '_' | '/' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => push_dash(&mut slug),
            c if c.is_whitespace() => push_dash(&mut slug),
            _ => {}
        }
    }
    // All ASCII by now.
    slug.truncate(LONGEST_DOMAIN);
    slug.trim_matches('-').to_owned()
}

fn push_dash(slug: &mut String) {
    if !slug.ends_with('-') {
        slug.push('-');
    }
}

/// One submission's word on something. `None`: it said nothing, which is no vote.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote {
    pub choice: Option<String>,
    pub consensus: bool,
    pub confidence: Option<f64>,
    pub ordinal: u32,
}

/// What there is to know of one choice when votes are equal.
#[derive(Clone, Debug, PartialEq)]
struct Standing {
    choice: String,
    votes: usize,
    consensus_votes: usize,
    confidence: i64,
    /// Consensus seats come first, as they do in everything else.
    first: (bool, u32),
}

/// Choices and how they stand, best first: more votes, more consensus votes, more confidence, the first voter, the alphabet.
fn standings(votes: &[Vote], read: impl Fn(&str) -> Option<String>) -> Vec<Standing> {
    let mut standings: Vec<Standing> = Vec::new();
    for vote in votes {
        let Some(choice) = vote.choice.as_deref().and_then(&read) else { continue };
        let (confidence, first) = (vote.confidence.map_or(0, parts), (!vote.consensus, vote.ordinal));
        match standings.iter_mut().find(|known| known.choice == choice) {
            Some(known) => {
                known.votes += 1;
                known.consensus_votes += usize::from(vote.consensus);
                known.confidence += confidence;
                known.first = known.first.min(first);
            }
            None => standings.push(Standing { choice, votes: 1, consensus_votes: usize::from(vote.consensus), confidence, first }),
        }
    }
    standings.sort_by(|a, b| {
        let more = (b.votes, b.consensus_votes, b.confidence).cmp(&(a.votes, a.consensus_votes, a.confidence));
        more.then_with(|| a.first.cmp(&b.first)).then_with(|| a.choice.cmp(&b.choice))
    });
    standings
}

/// The domain that most submissions name, all of them pooled. `None`: not one names any.
pub fn domain_of(votes: &[Vote]) -> Option<String> {
    let read = |given: &str| Some(domain_slug(given)).filter(|slug| !slug.is_empty() && slug != CALIBRATING);
    standings(votes, read).into_iter().next().map(|first| first.choice)
}

/// The choice that most submissions name among those that are known.
pub fn majority(votes: &[Vote], known: impl Fn(&str) -> bool) -> Option<String> {
    let read = |given: &str| Some(given.trim().to_owned()).filter(|choice| known(choice));
    standings(votes, read).into_iter().next().map(|first| first.choice)
}

/// Whether more submissions say `flag` than anything else.
pub fn says_flag(votes: &[Vote]) -> bool {
    let count = |word: &str| votes.iter().filter(|vote| vote.choice.as_deref() == Some(word)).count();
    count("flag") > count("advance-to-synthesis")
}

/// What the seats recommend together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recommended {
    pub recommendation: Recommendation,
    /// Accept and reject had equal weight.
    pub split: bool,
}

/// More votes, then more confidence; what is still equal goes to the more careful choice. `None`: nobody recommends anything.
pub fn recommendation(votes: &[Vote]) -> Option<Recommended> {
    let standings = standings(votes, |given| Recommendation::parse(given).map(|known| known.as_str().to_owned()));
    let best = standings.first()?;
    let tied: Vec<Recommendation> = standings
        .iter()
        .filter(|other| (other.votes, other.confidence) == (best.votes, best.confidence))
        .filter_map(|other| Recommendation::parse(&other.choice))
        .collect();
    // Consensus votes come before confidence for domains; here every voter is a consensus seat, so that the two orders agree.
    let recommendation = match tied.as_slice() {
        [only] => *only,
        tied if tied.contains(&Recommendation::NeedsMoreEvidence) => Recommendation::NeedsMoreEvidence,
        tied if tied.contains(&Recommendation::AcceptWithCaveats) => Recommendation::AcceptWithCaveats,
        _ => return Some(Recommended { recommendation: Recommendation::NeedsMoreEvidence, split: true }),
    };
    Some(Recommended { recommendation, split: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_times_seventy_is_seventy() {
        for (given, passed, avg) in [
            (vec![0.7, 0.7, 0.7], true, 0.7),
            (vec![0.6, 0.7, 0.8], true, 0.7),
            (vec![0.65, 0.75], true, 0.7),
            (vec![0.69, 0.70], false, 0.695),
            (vec![1.0, 1.0, 0.09], false, 0.696_667),
            (vec![0.9], true, 0.9),
            (vec![0.9, 0.6], true, 0.75),
            (vec![0.7, 0.7, 0.69], false, 0.696_667),
        ] {
            let gate = gate(&given, 0.7).expect("somebody scored");
            assert!(gate.passed == passed && (gate.avg - avg).abs() < 1e-6, "{given:?}: {gate:?}");
        }
        assert_eq!(gate(&[], 0.0), None);
    }

    #[test]
    fn domains_are_compared_in_one_form() {
        for (given, want) in [
            ("Cognitive Ethology", "cognitive-ethology"),
            ("  Public Policy  ", "public-policy"),
            ("machine   learning", "machine-learning"),
            ("Machine_Learning", "machine-learning"),
            ("Health/Medicine", "health-medicine"),
            ("climate—science", "climate-science"),
            ("AI & Ethics", "ai-ethics"),
            ("Épistémologie", "epistemologie"),
            ("e\u{301}conomie", "economie"),
            ("naïve – Bayes", "naive-bayes"),
            ("C++ Programming", "c-programming"),
            ("--Leading-Dashes--", "leading-dashes"),
            ("Physics (Quantum)", "physics-quantum"),
            ("law, ethics & society", "law-ethics-society"),
            ("COVID-19", "covid-19"),
            ("İstanbul Studies", "istanbul-studies"),
            ("St. Patrick's Day", "st-patricks-day"),
            ("tab\tseparated\nlines", "tab-separated-lines"),
            ("Art\u{a0}History", "art-history"),
            ("Straße", "strae"),
            ("Søren Studies", "sren-studies"),
            ("日本語", ""),
            ("!!!", ""),
            ("___", ""),
            ("", ""),
        ] {
            assert_eq!(domain_slug(given), want, "{given:?}");
        }
    }

    fn votes(of: &[(char, &str, f64)]) -> Vec<Vote> {
        let mut ordinals = [0, 0];
        of.iter()
            .map(|(who, choice, confidence)| {
                let consensus = *who == 'C';
                let ordinal = &mut ordinals[usize::from(consensus)];
                *ordinal += 1;
                Vote {
                    choice: Some((*choice).to_owned()).filter(|choice| choice != "-"),
                    consensus,
                    confidence: Some(*confidence),
                    ordinal: *ordinal,
                }
            })
            .collect()
    }

    #[test]
    fn equal_domain_votes_are_decided_in_a_fixed_order() {
        for (given, want) in [
            (vec![('C', "ethics", 0.8), ('C', "law", 0.9), ('W', "law", 0.7), ('W', "ethics", 0.7)], Some("law")),
            (vec![('C', "ethics", 0.8), ('C', "ethics", 0.8), ('W', "law", 0.9), ('W', "law", 0.9)], Some("ethics")),
            (vec![('C', "Public Policy", 0.5), ('C', "public-policy", 0.5), ('W', "law", 0.9), ('W', "law", 0.9)], Some("public-policy")),
            (vec![('C', "!!!", 0.7), ('C', "-", 0.7), ('W', "law", 0.7), ('W', "biology", 0.7)], Some("law")),
            (vec![('C', "calibrating", 0.9), ('W', "  ", 0.9)], None),
            (vec![], None),
        ] {
            assert_eq!(domain_of(&votes(&given)).as_deref(), want, "{given:?}");
        }
    }

    #[test]
    fn equal_recommendations_go_to_the_careful_side() {
        use Recommendation::*;
        for (given, want, split) in [
            (vec![("accept", 0.7), ("reject", 0.9), ("reject", 0.7)], Reject, false),
            (vec![("accept", 0.8), ("reject", 0.8), ("needs-more-evidence", 0.8)], NeedsMoreEvidence, false),
            (vec![("accept", 0.9), ("reject", 0.8), ("-", 0.7)], Accept, false),
            (vec![("accept", 0.8), ("accept-with-caveats", 0.8)], AcceptWithCaveats, false),
            (vec![("accept", 0.8), ("reject", 0.8)], NeedsMoreEvidence, true),
        ] {
            let given: Vec<(char, &str, f64)> = given.into_iter().map(|(choice, confidence)| ('C', choice, confidence)).collect();
            let got = recommendation(&votes(&given)).expect("somebody recommends");
            assert_eq!((got.recommendation, got.split), (want, split), "{given:?}");
        }
        assert_eq!(recommendation(&votes(&[('C', "perhaps", 0.9)])), None);
    }

    proptest! {
        #[test]
        fn a_slug_is_its_own_slug(given in "\\PC{0,80}") {
            let slug = domain_slug(&given);
            prop_assert_eq!(&domain_slug(&slug), &slug);
            prop_assert!(slug.len() <= LONGEST_DOMAIN && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!slug.contains("--") && !slug.starts_with('-') && !slug.ends_with('-'));
        }

        #[test]
        fn the_gate_knows_no_order_and_never_misses_by_rounding(mut given in prop::collection::vec(0u32..=100, 1..12), threshold in 0u32..=100) {
            let as_given: Vec<f64> = given.iter().map(|n| f64::from(*n) / 100.0).collect();
            let passed = gate(&as_given, f64::from(threshold) / 100.0).map(|gate| gate.passed);
            prop_assert_eq!(passed, Some(given.iter().sum::<u32>() >= threshold * given.len() as u32));
            given.reverse();
            let turned: Vec<f64> = given.iter().map(|n| f64::from(*n) / 100.0).collect();
            prop_assert_eq!(gate(&turned, f64::from(threshold) / 100.0), gate(&as_given, f64::from(threshold) / 100.0));
        }

        #[test]
        fn who_wins_does_not_depend_on_who_is_listed_first(seed in prop::collection::vec((any::<bool>(), 0usize..4, 0u32..=10), 1..10)) {
            let choices = ["accept", "reject", "needs-more-evidence", "accept-with-caveats"];
            let mut all: Vec<Vote> = seed.iter().enumerate().map(|(n, (consensus, choice, confidence))| Vote {
                choice: Some(choices[*choice].to_owned()), consensus: *consensus, confidence: Some(f64::from(*confidence) / 10.0), ordinal: n as u32,
            }).collect();
            let (domain, recommended) = (domain_of(&all), recommendation(&all));
            all.reverse();
            prop_assert_eq!((domain_of(&all), recommendation(&all)), (domain, recommended));
        }
    }
}
