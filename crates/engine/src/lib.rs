//! The engine: turns a mode (an ordinary async function) into a run that can be stopped, resumed, replayed and forked.

mod journal;
mod model;

pub use journal::*;
pub use model::*;
