//! Where a run stands.

use crate::{Kind, Status, StopReason, Stopped};
use serde::Deserialize;

words! {
    #[derive(Default, Hash)]
    pub enum RunState {
        #[default]
        Running = "running",
        /// Stopped until a person answers.
        Waiting = "waiting",
        Stopped = "stopped",
        /// Running, and the process that held it is gone: rows alone cannot say so, whoever knows the lease can.
        Interrupted = "interrupted",
        Complete = "complete",
        Lost = "lost",
    }
}

impl RunState {
    /// There is a verdict: nothing more will happen.
    pub fn ended(self) -> bool {
        matches!(self, Self::Complete | Self::Lost)
    }

    /// The state once there is a verdict of this status.
    pub fn at_end(status: Status) -> Self {
        if status.completes() { Self::Complete } else { Self::Lost }
    }

    /// The state once one more row is there. An end is final, and only `resumed` undoes a stop.
    pub fn after(self, kind: Kind, body: &str) -> Self {
        #[derive(Deserialize)]
        struct Ended {
            status: Status,
        }
        match kind {
            Kind::Verdict => serde_json::from_str::<Ended>(body).map_or(Self::Lost, |ended| Self::at_end(ended.status)),
            _ if self.ended() => self,
            Kind::Resumed => Self::Running,
            Kind::Stopped => match serde_json::from_str::<Stopped>(body) {
                Ok(Stopped { reason: StopReason::Waiting, .. }) => Self::Waiting,
                _ => Self::Stopped,
            },
            _ => self,
        }
    }
}
