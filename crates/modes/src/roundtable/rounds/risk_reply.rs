//! A seat's word on the open risks: with its turn, and after the last round by itself.

use super::reply::Turn;
use crate::text::{bare, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use synod_engine::{IdLists, TypedReply};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mitigation {
    #[schemars(extend("x-ids" = "risks"))]
    pub id: String,
    /// True where you have an answer. False where you have none: the risk stands.
    pub answered: bool,
    /// What prevents it or limits it; where it stands, why.
    pub text: String,
}

impl Mitigation {
    /// Whether it says anything: an answer without words is none.
    pub fn is_given(&self) -> bool {
        !self.answered || !self.text.trim().is_empty()
    }

    /// `R1: a limit and an alarm`, or `R1 stands: why`.
    pub fn in_words(&self) -> String {
        let stands = if self.answered { "" } else { " stands" };
        format!("{}{stands}: {}", self.id, self.text.trim())
    }
}

/// Without second words on one risk: the first counts.
pub fn each_once(mut words: Vec<Mitigation>) -> Vec<Mitigation> {
    let mut named = BTreeSet::new();
    words.retain(|word| named.insert(word.id.clone()));
    words
}

/// Lines `R1 ANSWERED: …` and `R1 STANDS: …` of a plain text, one for each open risk at most.
pub fn risk_lines(text: &str, terms: &IdLists) -> Vec<Mitigation> {
    let line = |line: &str, id: &String| {
        let (word, text) = line.trim_start_matches(|c: char| !c.is_alphanumeric()).strip_prefix(id.as_str())?.split_once(':')?;
        let answered = token(word, &["ANSWERED", "STANDS"])? == "ANSWERED";
        Some(Mitigation { id: id.clone(), answered, text: bare(text).to_owned() })
    };
    terms.list("risks").iter().filter_map(|id| text.lines().find_map(|said| line(said, id))).collect()
}

/// What is handed in after the last round, and nothing else is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClosingAnswers {
    /// What you weighed to answer them.
    pub reasons: String,
    /// A word on each open risk: an answer, or that it stands.
    #[schemars(extend("x-each" = "risks"))]
    pub mitigations: Vec<Mitigation>,
}

impl TypedReply for ClosingAnswers {
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let mitigations = risk_lines(text, terms);
        (!mitigations.is_empty()).then(|| Self { reasons: text.trim().to_owned(), mitigations })
    }
}

impl From<ClosingAnswers> for Turn {
    /// A turn that takes no position, so none is changed by it.
    fn from(said: ClosingAnswers) -> Self {
        Self { reasons: said.reasons, mitigations: each_once(said.mitigations), ..Self::default() }
    }
}
