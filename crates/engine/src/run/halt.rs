//! Control, never data: why a run cannot go on now. A failed turn is not a halt.

use synod_types::{Status, StopReason};

pub type Result<T, E = Halt> = std::result::Result<T, E>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// Resume goes on from here.
    #[error("{detail}")]
    Stopped { reason: StopReason, detail: String },
    /// The journal answers another question than the one now asked: fork.
    #[error("{key}: {detail}")]
    Diverged { key: String, detail: String },
    /// The protocol cannot be held: fork.
    #[error("{detail}")]
    Lost { status: Status, phase: String, detail: String },
}

impl Halt {
    pub fn stopped(reason: StopReason, detail: impl Into<String>) -> Self {
        Self::Stopped { reason, detail: detail.into() }
    }
    pub fn diverged(key: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Diverged { key: key.into(), detail: detail.into() }
    }
    /// Fewer spoke than the mode needs.
    pub fn no_quorum(phase: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Lost { status: Status::NoQuorum, phase: phase.into(), detail: detail.into() }
    }
    /// Somebody spoke, but the mode has no answer to give.
    pub fn failed(phase: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Lost { status: Status::Failed, phase: phase.into(), detail: detail.into() }
    }
}
