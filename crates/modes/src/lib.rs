//! The deliberation protocols. One folder a mode, with its prompts; one list of them.
//!
//! A mode decides, the bench does: no clock, no dice, no storage, no provider here (`clippy.toml` says why for each).

mod ballots;
pub mod council;
mod labelled;
pub mod vote;

pub use ballots::{RankingBallot, VoteBallot};
use synod_engine::Mode;

/// Every mode. The command line, the API, the docs and the conformance tests are made from this table.
pub static MODES: &[&Mode] = &[&council::MODE, &vote::MODE];
