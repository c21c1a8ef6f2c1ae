//! What came of asking many seats.

use crate::{Halt, Result};
use synod_types::{Failure, FailureKind, Millis, SeatIx};

/// A seat's reply.
#[derive(Clone, Debug)]
pub struct SeatReply<T> {
    pub seat: SeatIx,
    pub key: String,
    pub value: T,
    /// Cut at the token limit, and the prompt allows it.
    pub partial: bool,
    /// How long its model took, as the journal has it: the same on replay. 0 for built-in voices.
    pub ms: Millis,
}

/// A seat that gave none, and why.
#[derive(Clone, Debug)]
pub struct SeatFailure {
    pub seat: SeatIx,
    pub key: String,
    pub failure: Failure,
}

/// Replies in seat order of asking, and those who failed.
#[derive(Clone, Debug)]
pub struct Answers<T> {
    pub phase: String,
    pub replies: Vec<SeatReply<T>>,
    pub failures: Vec<SeatFailure>,
}

impl<T> Answers<T> {
    /// The replies, if at least `least` seats spoke; else the run is lost, with each seat's reason.
    pub fn quorum(self, least: usize) -> Result<Self> {
        if self.replies.len() >= least {
            return Ok(self);
        }
        let asked = self.replies.len() + self.failures.len();
        let detail = format!("{} of {asked} seats answered in {}, and at least {least} must", self.replies.len(), self.phase);
        Err(Halt::no_quorum(self.phase, detail))
    }

    /// Whether the run was closing when some of these would have been asked.
    pub fn closed(&self) -> bool {
        self.failures.iter().any(|missed| missed.failure.kind == FailureKind::Closed)
    }

    pub fn of(&self, seat: SeatIx) -> Option<&SeatReply<T>> {
        self.replies.iter().find(|given| given.seat == seat)
    }

    pub fn failure_of(&self, seat: SeatIx) -> Option<&SeatFailure> {
        self.failures.iter().find(|missed| missed.seat == seat)
    }

    /// What came of asking this seat. `None`: it was not asked.
    pub fn outcome(&self, seat: SeatIx) -> Option<Result<&SeatReply<T>, &SeatFailure>> {
        self.of(seat).map(Ok).or_else(|| self.failure_of(seat).map(Err))
    }
}
