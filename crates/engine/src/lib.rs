//! The engine: makes an ordinary async function, a mode, into a run that can be stopped, resumed, replayed and forked.
//!
//! Reading order: [`mode`] (what a mode is), `plan/` (what is asked for becomes a plan), `run/` (the plan becomes a run: Runner, Bench, turns, the
//! record), `prompt/` (what a turn sends), `reply/` (what comes back), `schema/` (what it must be), `ports/` (storage, models and clock as traits).
//!
//! Knows no mode, no database, no provider and no door by name: what a user types or clicks is nowhere in here.

mod mode;
mod plan;
mod ports;
mod prompt;
mod reply;
mod run;
pub mod schema;

pub use mode::*;
pub use plan::*;
pub use ports::*;
pub use prompt::{Prompt, PromptSettings, Prompts, RenderedPrompt, tokens};
pub use reply::*;
pub use run::*;
pub use schema::{row_schema_of, schema_of};
#[doc(hidden)]
pub use synod_types::Json;
