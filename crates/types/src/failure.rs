//! How a turn can fail: data, journaled.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a turn gave no usable reply. Journaled, so that quorum decisions replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub kind: FailureKind,
    pub detail: String,
}

words! {
    #[derive(Hash, PartialOrd, Ord)]
    pub enum FailureKind {
        Timeout = "timeout",
        RateLimited = "rate_limited",
        Auth = "auth",
        ModelGone = "model_gone",
        ContextTooLong = "context_too_long",
        Refused = "refused",
        Truncated = "truncated",
        Server = "server",
        Empty = "empty",
        Unreadable = "unreadable",
        /// The run was closing when the turn would have started: nothing was sent, nothing was paid.
        Closed = "closed",
    }
}

impl FailureKind {
    /// The provider would not take the request: nothing can have been billed for it.
    pub fn turned_away(self) -> bool {
        match self {
            Self::Auth | Self::RateLimited | Self::ModelGone | Self::ContextTooLong => true,
            Self::Timeout | Self::Refused | Self::Truncated | Self::Server | Self::Empty | Self::Unreadable | Self::Closed => false,
        }
    }

    /// What a person would call it.
    pub fn plain(self) -> &'static str {
        match self {
            Self::Timeout => "did not answer in time",
            Self::RateLimited => "was rate limited",
            Self::Auth => "refused the key",
            Self::ModelGone => "no longer has this model",
            Self::ContextTooLong => "was given more than it can read",
            Self::Refused => "declined to answer",
            Self::Truncated => "was cut off at its token limit",
            Self::Server => "broke on the provider's side",
            Self::Empty => "sent an empty reply",
            Self::Unreadable => "sent a reply that could not be read",
            Self::Closed => "was not asked: the run was closing",
        }
    }
}

impl Failure {
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail.is_empty() { f.write_str(self.kind.as_str()) } else { write!(f, "{}: {}", self.kind.as_str(), self.detail) }
    }
}
