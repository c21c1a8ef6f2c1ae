//! What others say to a run: people's answers, cancel, conclude. Written without a lease, read by the owner.

use crate::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question a run puts to a person, and waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Asking {
    pub question: String,
    /// Empty: any text will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonAnswer {
    pub answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InboxItem {
    pub run: String,
    /// The key of the question answered; empty for cancel and conclude.
    pub key: String,
    pub kind: InboxKind,
    /// The answer's JSON; empty for cancel and conclude.
    pub body: String,
    pub by: String,
    pub at: Millis,
}

words! {
    pub enum InboxKind { Answer = "answer", Cancel = "cancel", Conclude = "conclude" }
}
