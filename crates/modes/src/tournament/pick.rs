//! A judge's typed word on one pair, and its text form.

use crate::ballots::label_in;
use crate::text::{after_first_marker, after_last_marker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};

/// The better of two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pick {
    /// What decides between the two, by label, in two or three sentences.
    pub reasons: String,
    /// The label of the better answer.
    #[schemars(extend("x-ids" = "labels"))]
    pub winner: String,
}

impl TypedReply for Pick {
    /// A line that begins with `WINNER:` (the last one) and holds one label; before it `REASONING:`, or simply text.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let (before, rest) = after_last_marker(text, "WINNER:")?;
        let winner = label_in(rest.lines().next()?, terms.list("labels"))?;
        let reasons = after_first_marker(before, "REASONING:").map_or(before, |(_, reasons)| reasons);
        Some(Self { reasons: reasons.trim().to_owned(), winner })
    }
}
