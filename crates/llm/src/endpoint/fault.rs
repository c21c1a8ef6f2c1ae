//! A failed try: what it is to the run (a typed failure), whether it may be tried again, and what it says about the endpoint.

use super::breaker::Health;
use std::time::Duration;
use synod_types::{Failure, FailureKind};

#[derive(Debug)]
pub(crate) struct Fault {
    pub failure: Failure,
    pub again: Retry,
    pub health: Health,
}

/// Whether another try makes sense. Never after a timeout or a broken stream: such a call may have been billed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    Never,
    /// After a pause of our choosing.
    Soon,
    /// The provider said when.
    After(Duration),
    /// At once, because the request has been changed to suit. Does not count as a retry.
    Mended,
}

/// The longest wait a provider is believed to ask for. No call lasts that long, so a longer one changes nothing.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

impl Fault {
    /// The same after output had begun: that is billed, so it is not tried again and does not count as turned away.
    pub fn after_output(mut self) -> Self {
        self.again = Retry::Never;
        if self.failure.kind.turned_away() {
            self.failure.kind = FailureKind::Server;
        }
        self
    }

    pub fn final_(kind: FailureKind, detail: impl Into<String>, health: Health) -> Self {
        Self { failure: Failure::new(kind, detail), again: Retry::Never, health }
    }
}
