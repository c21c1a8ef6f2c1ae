//! Where a run stands.

use crate::{Kind, Status, StopReason, Stopped};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    #[default]
    Running,
    /// Stopped until a person answers.
    Waiting,
    Stopped,
    /// Running, and the process that held it is gone: rows alone cannot say so, whoever knows the lease can.
    Interrupted,
    Complete,
    Lost,
}

impl RunState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::Complete => "complete",
            Self::Lost => "lost",
        }
    }

    /// Also for what users type.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Running, Self::Waiting, Self::Stopped, Self::Interrupted, Self::Complete, Self::Lost].into_iter().find(|state| state.as_str() == text)
    }

    /// There is a verdict: nothing more will happen.
    pub fn ended(self) -> bool {
        matches!(self, Self::Complete | Self::Lost)
    }

    /// The state once one more row is there. An end is final, and only `resumed` undoes a stop.
    pub fn after(self, kind: Kind, body: &str) -> Self {
        #[derive(Deserialize)]
        struct Ended {
            status: Status,
        }
        match kind {
            Kind::Verdict => {
                let completes = serde_json::from_str::<Ended>(body).is_ok_and(|ended| ended.status.completes());
                if completes { Self::Complete } else { Self::Lost }
            }
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
