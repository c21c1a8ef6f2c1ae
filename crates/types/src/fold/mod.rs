//! The one fold of a run's rows into what it sent, what that cost and where it stands. Budgets, stored projections and reports all use it, so
//! that they cannot disagree.

mod ledger;
mod state;

pub use ledger::{Ledger, SentRequest};
pub use state::RunState;
