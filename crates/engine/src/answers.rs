//! What came of asking many seats.

use crate::{Halt, Result};
use synod_types::{Failure, FailureKind, SeatIx};

/// A seat's reply.
#[derive(Clone, Debug)]
pub struct Given<T> {
    pub seat: SeatIx,
    pub key: String,
    pub value: T,
    /// Cut at the token limit, and the prompt allows it.
    pub partial: bool,
}

/// A seat that gave none, and why.
#[derive(Clone, Debug)]
pub struct Missed {
    pub seat: SeatIx,
    pub key: String,
    pub failure: Failure,
}

/// Replies in seat order of asking, and those who failed.
#[derive(Clone, Debug)]
pub struct Answers<T> {
    pub phase: String,
    pub given: Vec<Given<T>>,
    pub missed: Vec<Missed>,
}

impl<T> Answers<T> {
    /// The replies, if at least `least` seats spoke; else the run is lost, with each seat's reason.
    pub fn quorum(self, least: usize) -> Result<Self> {
        if self.given.len() >= least {
            return Ok(self);
        }
        let asked = self.given.len() + self.missed.len();
        let detail = format!("{} of {asked} seats answered in {}, and at least {least} must", self.given.len(), self.phase);
        Err(Halt::no_quorum(self.phase, detail))
    }

    /// Whether the run was closing when some of these would have been asked.
    pub fn closed(&self) -> bool {
        self.missed.iter().any(|missed| missed.failure.kind == FailureKind::Closed)
    }

    pub fn of(&self, seat: SeatIx) -> Option<&Given<T>> {
        self.given.iter().find(|given| given.seat == seat)
    }
}
