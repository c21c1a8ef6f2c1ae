//! Typed ballots and their classic text forms. A ballot is whole or it is nothing: nothing is filled in, nothing is guessed from prose.

use crate::text::after_last_marker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_types::Problem;

/// Every answer shown, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankingBallot {
    /// What each answer does well and badly, by its label, in a few sentences.
    pub reasons: String,
    /// Every label you were shown, best first, each exactly once.
    #[schemars(extend("x-permutation" = "labels"))]
    pub ranking: Vec<String>,
}

impl TypedReply for RankingBallot {
    /// `FINAL RANKING:` (the last one) and a list of bare labels, or all of them in one line.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let labels = terms.list("labels");
        let (reasons, list) = after_last_marker(text, "FINAL RANKING:")?;
        let mut ranking: Vec<String> = Vec::new();
        let has_words = |line: &&str| line.chars().any(char::is_alphanumeric);
        for line in list.lines().map(str::trim).filter(has_words) {
            let in_line: Option<Vec<String>> = line.split(['>', ',', ';', '→']).map(|part| label_in(part, labels)).collect();
            match in_line {
                Some(found) => ranking.extend(found),
                None => break,
            }
        }
        let mut sorted = ranking.clone();
        sorted.sort_unstable();
        let mut all = labels.to_vec();
        all.sort_unstable();
        (sorted == all).then(|| Self { reasons: reasons.trim().to_owned(), ranking })
    }
}

/// One answer, the best of those shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VoteBallot {
    /// Why this answer and not the others, by label, in a few sentences.
    pub reasons: String,
    /// The label of the best answer.
    #[schemars(extend("x-ids" = "labels"))]
    pub vote: String,
}

impl TypedReply for VoteBallot {
    /// A line that begins with `VOTE:` (the last one) and holds one label.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let (reasons, rest) = after_last_marker(text, "VOTE:")?;
        let vote = label_in(rest.lines().next()?, terms.list("labels"))?;
        Some(Self { reasons: reasons.trim().to_owned(), vote })
    }
}

/// What models call an answer before they give its label.
pub const NOUNS: [&str; 4] = ["response", "answer", "option", "candidate"];

/// The one label a line or part of it consists of: numbering, markup, brackets and the word "Response" aside, and nothing else in it.
pub fn label_in(part: &str, labels: &[String]) -> Option<String> {
    let is_markup = |c: char| c.is_whitespace() || "*_`#-•[](){}\"'.:!".contains(c);
    let mut words = part.split(is_markup).filter(|word| !word.is_empty()).peekable();
    let is_label = |word: &str| labels.iter().find(|label| label.eq_ignore_ascii_case(word)).cloned();
    if words.peek().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()) && is_label(word).is_none()) {
        words.next();
    }
    if words.peek().is_some_and(|word| NOUNS.iter().any(|noun| noun.eq_ignore_ascii_case(word))) {
        words.next();
    }
    let label = is_label(words.next()?)?;
    words.next().is_none().then_some(label)
}

/// Criteria as judges read them: those known here come with what to look for.
pub fn with_anchors(criteria: &[String]) -> Vec<String> {
    let anchor = |criterion: &str| match criterion {
        "accuracy" => "what it states is true, and it says what it does not know; one wrong claim that matters outweighs several small merits",
        "completeness" => "nothing the person who asked needs is left out, and nothing is there to fill space",
        "clarity" => "it can be followed at the first reading, the point first",
        "helpfulness" => "it answers this question of this person, not a neater one beside it",
        "practical value" => "it says what to do, and that can be done with what the question gives",
        "overall quality" => "which of them you would rather hand over under your own name",
        _ => "",
    };
    let told = |criterion: &String| match anchor(criterion.trim().to_lowercase().as_str()) {
        "" => criterion.clone(),
        anchor => format!("{criterion}: {anchor}"),
    };
    criteria.iter().map(told).collect()
}

/// Criteria are words to judge by: none of them empty or a speech.
pub fn check_criteria(criteria: &[String]) -> Vec<Problem> {
    let wrong = criteria.iter().filter(|criterion| criterion.trim().is_empty() || criterion.chars().count() > 80);
    wrong.map(|criterion| Problem::new("options.criteria", format!("{criterion:?}"), "a few words each, at most 80 characters")).collect()
}

#[cfg(test)]
#[path = "ballots_tests.rs"]
mod tests;
