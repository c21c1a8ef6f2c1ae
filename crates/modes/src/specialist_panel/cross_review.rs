//! What a specialist says to the others' findings, and to its own ratings after reading them.

use super::report::{BEST, WORST};
use crate::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::Stance;
use synod_types::words;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossReview {
    /// What the others' findings mean from where you stand, in at most 80 words.
    pub reasons: String,
    /// Your stance on findings where you have something to say, each finding at most once. Empty if there is none.
    pub stances: Vec<FindingStance>,
    /// Ratings of your own that you now see differently. Empty if none.
    pub changes: Vec<RatingChange>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingStance {
    /// The finding's id.
    #[schemars(extend("x-ids" = "findings"))]
    pub id: String,
    pub stance: StanceKind,
    /// What you know that supports, refutes or completes it, in at most 50 words.
    pub why: String,
}

words! {
    pub enum StanceKind {
        /// It holds from where you stand too.
        Agree = "agree",
        /// It is wrong, or wrongly weighed.
        Disagree = "disagree",
        /// It holds, and more follows from it.
        Extend = "extend",
    }
}

impl StanceKind {
    pub fn stance(self) -> Stance {
        match self {
            Self::Agree => Stance::Agree,
            Self::Disagree => Stance::Disagree,
            Self::Extend => Stance::Extend,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatingChange {
    /// One of your own criteria.
    #[schemars(extend("x-ids" = "criteria"))]
    pub criterion: String,
    /// 1 is worst, 5 is best.
    #[schemars(extend("x-range" = [1, 5]))]
    pub score: f64,
    pub why: String,
}

impl TypedReply for CrossReview {
    /// Lines `S1.2: AGREE - why` and `RATING Criterion: 3 - why`; or the one word NONE.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let stances: Vec<FindingStance> = text.lines().filter_map(|line| read_stance(line, terms.list("findings"))).collect();
        let changes: Vec<RatingChange> = terms.list("criteria").iter().filter_map(|criterion| read_change(text, criterion)).collect();
        let none = text.lines().any(|line| text::bare(line).eq_ignore_ascii_case("none"));
        (none || !stances.is_empty() || !changes.is_empty()).then(|| Self { reasons: String::new(), stances, changes })
    }
}

/// A line that begins with a finding's id and a stance.
fn read_stance(line: &str, ids: &[String]) -> Option<FindingStance> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "*_#>`-•[|".contains(c));
    let (id, rest) = ids.iter().find_map(|id| {
        let head = line.get(..id.len()).filter(|head| head.eq_ignore_ascii_case(id))?;
        let rest = &line[head.len()..];
        (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '.')).then_some((id, rest))
    })?;
    let rest = &rest[rest.find(char::is_alphanumeric)?..];
    let stance = text::token(rest, &StanceKind::WORDS).and_then(StanceKind::parse)?;
    Some(FindingStance { id: id.clone(), stance, why: text::bare(rest[stance.as_str().len()..].trim_matches(is_separator)).to_owned() })
}

fn read_change(text: &str, criterion: &str) -> Option<RatingChange> {
    let value = text::field(text, &format!("RATING {criterion}"), &["RATING"])?;
    let line = value.lines().next()?;
    let end = line.find([' ', '—', '–', '-', '(']).unwrap_or(line.len());
    let score = text::score(&line[..end], WORST, BEST)?;
    Some(RatingChange { criterion: criterion.to_owned(), score, why: text::bare(line[end..].trim_matches(is_separator)).to_owned() })
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || "*_`]:|-–—".contains(c)
}
