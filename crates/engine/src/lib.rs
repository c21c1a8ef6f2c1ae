//! The engine: makes an ordinary async function, a mode, into a run that can be stopped, resumed, replayed and forked.
//!
//! Owns the bench a mode works at, the Runner that drives it, and the traits for storage and models. Knows no mode, no database and
//! no provider by name.

mod answers;
mod bench;
mod clock;
mod core;
pub mod extract;
mod halt;
mod hub;
mod inbox;
mod journal;
mod ledger;
mod library;
mod memory;
mod mend;
mod mode;
mod model;
pub mod options;
mod plan;
mod prompt;
mod record;
mod run;
mod runner;
mod seating;
mod speech;
mod terms;
pub mod tokens;
mod turn;
mod watch;

pub use answers::{Answers, Given, Missed};
pub use bench::{Bench, Worked};
pub use clock::{Clock, SystemClock};
pub use halt::{Halt, Result};
pub use journal::{Journal, JournalError, JournalResult, Lease, Tail};
pub use ledger::Ledger;
pub use library::{Library, NoLibrary};
pub use memory::MemoryJournal;
pub use mode::*;
pub use model::{CallContext, Deltas, Model, Models, Standing};
pub use options::Typed;
pub use plan::{HISTORY_TURNS, Order, Plan};
pub use prompt::{Prompt, PromptSettings, Prompts, Rendered};
pub use record::Record;
pub use run::Ending;
pub use runner::{Changes, Replayed, RunError, RunHandle, Runner, Setup};
pub use seating::Called;
pub use speech::{Form, Speech, schema_of};
pub use terms::Terms;
pub use turn::Toolbox;
