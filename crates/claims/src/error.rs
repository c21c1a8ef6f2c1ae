//! Why something about a claim was refused. Each refusal has a stable code; doors give it their own form.

use synod_store::StoreError;
use synod_types::Problem;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("there is no claim {0:?}")]
    ClaimNotFound(String),
    #[error("there is no slot {0:?} of this claim")]
    SlotNotFound(String),
    #[error("there is no protocol {0:?}")]
    ProtocolNotFound(String),
    #[error("there is no flag {0:?} of this claim")]
    FlagNotFound(String),
    #[error("there is no comment {0:?} of this claim")]
    CommentNotFound(String),
    #[error("the claim has no record yet")]
    ConsensusNotFound,
    /// Another agent has it, or this agent has one that excludes it.
    #[error("{0}")]
    SlotConflict(String),
    /// The claim has moved on, waits for a person, or has ended.
    #[error("{0}")]
    SlotNotActive(String),
    #[error("the lease on this slot has run out; take it again")]
    LeaseExpired,
    #[error("this slot is not yours")]
    Forbidden,
    #[error("this slot was submitted already")]
    SlotDone,
    #[error("{}", told(.0))]
    Invalid(Vec<Problem>),
    #[error("the signature is not over this slot and output by the registered key")]
    BadSignature,
    #[error("this flag was cleared already")]
    AlreadyCleared,
    #[error("after {0} attempts a layer is not worked again: override_pass lets it pass, close ends the claim")]
    AttemptsSpent(u32),
    #[error("the same text came a moment ago")]
    Duplicate,
}

fn told(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Refusal {
    /// What programs branch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ClaimNotFound(_) => "claim_not_found",
            Self::SlotNotFound(_) => "slot_not_found",
            Self::ProtocolNotFound(_) => "protocol_not_found",
            Self::FlagNotFound(_) => "flag_not_found",
            Self::CommentNotFound(_) => "comment_not_found",
            Self::ConsensusNotFound => "consensus_not_found",
            Self::SlotConflict(_) => "slot_conflict",
            Self::SlotNotActive(_) => "slot_not_active",
            Self::LeaseExpired => "lease_expired",
            Self::Forbidden => "forbidden",
            Self::SlotDone => "slot_done_failed",
            Self::Invalid(_) => "invalid_payload",
            Self::BadSignature => "bad_signature",
            Self::AlreadyCleared => "already_cleared",
            Self::AttemptsSpent(_) => "attempts_spent",
            Self::Duplicate => "duplicate_spam",
        }
    }

    pub fn invalid(field: &str, got: impl Into<String>, want: impl Into<String>) -> Self {
        Self::Invalid(vec![Problem::new(field, got, want)])
    }
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClaimsError {
    #[error("{0}")]
    Refused(#[from] Refusal),
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ClaimsError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

pub type ClaimsResult<T> = Result<T, ClaimsError>;
/// Inside a transaction.
pub(crate) type Step<T> = Result<T, synod_store::Undone<Refusal>>;

/// Ends a transaction with a refusal: nothing of it stays.
pub(crate) fn refuse<T>(refusal: Refusal) -> Step<T> {
    Err(synod_store::Undone::Refused(refusal))
}
