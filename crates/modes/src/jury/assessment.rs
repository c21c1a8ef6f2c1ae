//! A juror's assessment: the typed form and its classic text reading.

use crate::scores::scored;
use crate::text::{after_last_marker, items, section, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::jury;
use synod_types::words;

words! {
    /// What a jury may say, kindest first.
    // In the order of the indices that `synod_math::jury` counts by.
    pub enum Ruling { Approve = "APPROVE", Revise = "REVISE", Reject = "REJECT" }
}

impl Ruling {
    pub fn index(self) -> usize {
        match self {
            Self::Approve => jury::APPROVE,
            Self::Revise => jury::REVISE,
            Self::Reject => jury::REJECT,
        }
    }
    /// What an average from 1 to 10 stands for.
    pub fn of_average(average: f64) -> Self {
        Self::ALL[jury::band(average)]
    }

    /// The verdict a reply's own line gives: `VERDICT: X` (the last one), or the line under a heading of that name. Never from prose, and
    /// never from a line that leaves the choice open.
    pub fn in_text(text: &str, marker: &str) -> Option<Self> {
        let marked = after_last_marker(text, marker).and_then(|(_, rest)| Self::in_line(rest.lines().next()?));
        marked.or_else(|| Self::in_line(section(text, marker)?.lines().find(|line| !line.trim().is_empty())?))
    }

    fn in_line(line: &str) -> Option<Self> {
        let found = token(line, &Self::WORDS).and_then(Self::parse)?;
        let words = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let after = words.get(found.as_str().len()..)?.trim_start_matches(|c: char| c.is_whitespace() || "*_`]".contains(c));
        let open = after.starts_with(['|', '/']) || after.to_lowercase().starts_with("or ");
        (!open).then_some(found)
    }
}

pub const DIMENSIONS: [&str; 5] = ["accuracy", "completeness", "clarity", "relevance", "actionability"];

/// The scale of every score.
const WORST: f64 = 1.0;
const BEST: f64 = 10.0;

/// One juror's judgement of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assessment {
    /// What decides the matter, in at most 150 words.
    pub reasons: String,
    #[serde(default)]
    pub because: Because,
    pub scores: Scores,
    /// Your verdict in a word; null if you have none.
    pub verdict: Option<Ruling>,
    /// What to change, most important first, a sentence each; empty if nothing need be.
    pub recommendations: Vec<String>,
}

/// What each score rests on, in one sentence of at most 40 words; null where you give no score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Because {
    pub accuracy: Option<String>,
    pub completeness: Option<String>,
    pub clarity: Option<String>,
    pub relevance: Option<String>,
    pub actionability: Option<String>,
}

impl Because {
    /// In the order of `DIMENSIONS`; blank where nothing was said.
    pub fn whole(&self) -> [&str; 5] {
        [&self.accuracy, &self.completeness, &self.clarity, &self.relevance, &self.actionability].map(|why| why.as_deref().unwrap_or_default().trim())
    }
}

/// From 1 (worst) to 10 (best); null where you cannot tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    #[schemars(extend("x-range" = [1, 10]))]
    pub accuracy: Option<f64>,
    #[schemars(extend("x-range" = [1, 10]))]
    pub completeness: Option<f64>,
    #[schemars(extend("x-range" = [1, 10]))]
    pub clarity: Option<f64>,
    #[schemars(extend("x-range" = [1, 10]))]
    pub relevance: Option<f64>,
    #[schemars(extend("x-range" = [1, 10]))]
    pub actionability: Option<f64>,
}

impl Scores {
    /// In the order of `DIMENSIONS`, as whole numbers, halves upwards. A score off the scale is none, and costs no other.
    pub fn whole(&self) -> [Option<f64>; 5] {
        let given = [self.accuracy, self.completeness, self.clarity, self.relevance, self.actionability];
        given.map(|score| score.filter(|score| (WORST..=BEST).contains(score)).map(|score| (score + 0.5).floor()))
    }
}

impl TypedReply for Assessment {
    /// Scores from a table or from lines of their own, `VERDICT:` on its line, a list under `Recommendations`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let found = DIMENSIONS.map(|dimension| scored(text, dimension, WORST, BEST).unwrap_or_default());
        let [accuracy, completeness, clarity, relevance, actionability] = found.each_ref().map(|found| found.score);
        let scores = Scores { accuracy, completeness, clarity, relevance, actionability };
        let [accuracy, completeness, clarity, relevance, actionability] = found.map(|found| Some(found.remark).filter(|remark| !remark.is_empty()));
        Some(Self {
            reasons: text.trim().to_owned(),
            because: Because { accuracy, completeness, clarity, relevance, actionability },
            scores,
            verdict: Ruling::in_text(text, "VERDICT"),
            recommendations: section(text, "Recommendations").map(items).unwrap_or_default(),
        })
    }

    fn check(&self, _: &IdLists) -> Result<(), String> {
        let says_something = self.verdict.is_some() || self.scores.whole().iter().any(Option::is_some);
        if says_something { Ok(()) } else { Err("it holds neither a score nor a verdict; give at least one of them".into()) }
    }
}
