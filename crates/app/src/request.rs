//! What a user asks for, in one value. Every door makes one; [`crate::App::prepare`] makes a plan of it.

use std::path::PathBuf;
use synod_engine::OptionValue;
use synod_types::Question;

/// A deliberation as asked for: nothing is looked up or checked yet.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// `None`: the default mode, or that of the run it is based on.
    pub mode: Option<String>,
    pub base: Base,
    /// Left empty on a fork, which keeps its parent's.
    pub question: Question,
    pub panel: PanelChoice,
    pub chair: ChairChoice,
    /// A model for one role each.
    pub roles: Vec<(String, String)>,
    pub options: Vec<(String, OptionValue)>,
    pub limits: LimitChoice,
    pub seed: Option<u64>,
    pub conversation: Option<ConversationChoice>,
    /// A conversation that begins with it is given a title, by a turn beside the deliberation.
    pub titled: bool,
    /// The key it is asked with. `None`: the user of this machine.
    pub principal: Option<String>,
    /// Where evidence pointers in the options start from.
    pub evidence_folder: PathBuf,
    /// Work behind a door's own command, in a mode that is in no list.
    pub internal: bool,
}

/// What a run starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Base {
    #[default]
    Nothing,
    /// A new run that takes over every turn of this one that is still asked the same.
    Fork(String),
    /// The same, one round further than this finished run went.
    Continue(String),
}

impl Base {
    pub fn parent(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Fork(run) | Self::Continue(run) => Some(run),
        }
    }
}

/// Who sits on the panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PanelChoice {
    /// The configuration's own panel, else whatever is found; on a fork, the parent's.
    #[default]
    Standing,
    /// The same, and a mistake where there is none; also on a fork.
    StandingRequired,
    /// A panel of the configuration.
    Named(String),
    Models(Vec<String>),
    /// Models by place; where none is named, whoever would sit there otherwise.
    Places(Vec<Option<String>>),
    /// One model: the standing panel's chair, else its first seat.
    Writer,
    /// Built-in voices.
    Rehearsal,
    /// No models at all, for modes that need none.
    Nobody,
}

/// Who chairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ChairChoice {
    /// The panel's own chair, if it has one.
    #[default]
    OfPanel,
    Model(String),
    /// Nobody, whatever the panel says.
    Nobody,
}

/// Limits of one run; what is `None` comes from the configuration or, on a fork, from the parent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitChoice {
    pub budget_usd: Option<f64>,
    pub deadline_secs: Option<f64>,
    pub timeout_secs: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationChoice {
    New,
    Join(String),
}
