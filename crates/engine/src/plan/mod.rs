//! From a spec to a plan: options read, seats filled, prices known, every mistake told at once, before anything is paid.

mod check;
mod config;
mod library;
mod limits;
pub mod options;
mod quote;
mod seating;
mod spec;

pub use check::{HISTORY_TURNS, Plan};
pub(crate) use check::{plan, unknown_mode};
pub use config::{Means, ModeConfig, PartList, RequestName, read_entries};
pub use library::{Library, NoLibrary};
pub use limits::LimitChanges;
pub use options::OptionValue;
pub use seating::{PanelRequest, by_key};
pub use spec::{RunSpec, Today};
