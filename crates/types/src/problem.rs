//! How a request can be wrong: told before anything is paid, never journaled.

use crate::nearest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing wrong with what was asked for: where, what it was, and what would be right. The door puts it into its own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    #[serde(default)]
    pub code: ProblemCode,
    pub field: String,
    pub got: String,
    pub want: String,
    /// What was probably meant, where something of a similar name is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

words! {
    /// What kind of wrong it is. Programs branch on this, so a code keeps its meaning.
    #[derive(Default, Hash)]
    pub enum ProblemCode {
        /// The value is not one that is allowed here.
        #[default]
        Invalid = "invalid",
        /// Nothing was given where something is needed.
        Missing = "missing",
        /// It names something that is not there.
        Unknown = "unknown",
        /// Two things were given that exclude each other.
        Conflict = "conflict",
        /// More than fits: bytes, seats, turns.
        TooMuch = "too_much",
        /// Fewer than needed.
        TooFew = "too_few",
        /// It was fixed when the run began; a fork may change it.
        Frozen = "frozen",
        /// The run was begun by another version of its mode; it can be shown, verified, exported and forked.
        OtherVersion = "other_version",
        /// The run has ended already.
        Ended = "ended",
        /// An endpoint that does not answer.
        Unreachable = "unreachable",
        /// A key that is not set.
        NoKey = "no_key",
        /// A price that is not known, where a budget needs one.
        NoPrice = "no_price",
        /// An endpoint that only a file defines which the user has not trusted.
        Untrusted = "untrusted",
    }
}

impl Problem {
    pub fn new(field: impl Into<String>, got: impl Into<String>, want: impl Into<String>) -> Self {
        Self { code: ProblemCode::Invalid, field: field.into(), got: got.into(), want: want.into(), suggestion: None }
    }
    pub fn code(mut self, code: ProblemCode) -> Self {
        self.code = code;
        self
    }
    /// A name that stands for nothing here, beside those that would: the nearest of them is suggested.
    pub fn unknown<'a>(mut self, given: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        self.code = ProblemCode::Unknown;
        self.suggestion = nearest(given, known).map(str::to_owned);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (want: {})", self.field, self.got, self.want)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; did you mean {suggestion:?}?"),
            None => Ok(()),
        }
    }
}

/// Everything wrong with a request, found before anything was paid.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}
