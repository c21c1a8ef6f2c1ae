//! Why a run stopped, and what lets it go on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Body of `stopped`: why, and what would let it go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "StoredStop")]
pub struct Stopped {
    pub reason: StopReason,
    pub detail: String,
    pub action: Action,
}

/// What lets a stopped run go on. The door says how it is done there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    /// Go on with what is missing.
    Resume,
    /// Go on with a larger budget; this much would be enough as far as is known.
    RaiseBudget { to_usd: f64 },
    /// Answer what it asks of a person.
    Answer,
    /// Start a new run that takes over what was said.
    Fork,
}

impl Stopped {
    /// With the action the reason calls for. A budget names its own.
    pub fn new(reason: StopReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into(), action: reason.action() }
    }
}

/// A `stopped` row of any version: the first wrote a command line in the place of the action.
#[derive(Deserialize, JsonSchema)]
struct StoredStop {
    reason: StopReason,
    detail: String,
    #[serde(default)]
    action: Option<Action>,
    #[serde(default)]
    next: String,
}

impl From<StoredStop> for Stopped {
    fn from(stored: StoredStop) -> Self {
        let budget = || stored.next.rsplit_once("--budget ").and_then(|(_, usd)| usd.trim().parse().ok());
        let action = match (stored.action, stored.reason) {
            (Some(action), _) => action,
            (None, StopReason::Budget) => budget().map_or(Action::Resume, |to_usd| Action::RaiseBudget { to_usd }),
            (None, reason) => reason.action(),
        };
        Self { reason: stored.reason, detail: stored.detail, action }
    }
}

words! {
    pub enum StopReason {
        Cancelled = "cancelled",
        Budget = "budget",
        Waiting = "waiting",
        LeaseLost = "lease_lost",
        Storage = "storage",
        /// An endpoint the next turn needs cannot be reached.
        Offline = "offline",
        /// The journal and what the mode would now ask disagree: fork.
        Diverged = "diverged",
        /// A bug in the mode; its rows are kept.
        Panic = "panic",
        /// Taken up again and again, and each time its process ended before anything new was written.
        Stuck = "stuck",
        /// Its process is ending and lets go of it; another takes it up. Never written: such a run is interrupted, not stopped.
        HandedOver = "handed_over",
    }
}

impl StopReason {
    fn action(self) -> Action {
        match self {
            Self::Cancelled | Self::Budget | Self::LeaseLost | Self::Storage | Self::Offline | Self::Stuck | Self::HandedOver => Action::Resume,
            Self::Waiting => Action::Answer,
            Self::Diverged | Self::Panic => Action::Fork,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_of_the_first_version_is_read_with_the_action_its_command_meant() {
        let read = |text: &str| serde_json::from_str::<Stopped>(text).expect("a stop").action;
        let old = |reason: &str, next: &str| format!(r#"{{"reason":"{reason}","detail":"d","next":"{next}"}}"#);
        assert_eq!(read(&old("budget", "synod resume 0190 --budget 0.25")), Action::RaiseBudget { to_usd: 0.25 });
        assert_eq!(read(&old("waiting", "synod review 0190")), Action::Answer);
        assert_eq!(read(&old("diverged", "synod resume 0190 --fork")), Action::Fork);
        assert_eq!(read(&old("cancelled", "synod resume 0190")), Action::Resume);
        let stopped = Stopped { action: Action::RaiseBudget { to_usd: 2.0 }, ..Stopped::new(StopReason::Budget, "d") };
        assert_eq!(serde_json::from_str::<Stopped>(&serde_json::to_string(&stopped).expect("JSON")).expect("a stop"), stopped);
    }
}
