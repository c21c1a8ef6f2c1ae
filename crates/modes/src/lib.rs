//! The deliberation protocols. One folder a mode, with its prompts; one list of them.
//!
//! A mode decides, the bench does: no clock, no dice, no storage, no provider here (`clippy.toml` says why for each).

mod ballots;
pub mod blueprint;
pub mod brainstorm;
pub mod chain;
pub mod collapse;
pub mod confidence_weighted;
pub mod council;
pub mod crux;
pub mod debate;
pub mod decompose;
pub mod delphi;
pub mod fact_check;
pub mod jury;
mod labelled;
mod markdown;
pub mod peer_review;
pub mod red_team;
mod revision;
pub mod roundtable;
mod scores;
pub mod slot;
pub mod specialist_panel;
mod tally;
mod text;
pub mod tournament;
pub mod vote;
mod work;

pub use ballots::{RankingBallot, VoteBallot};
use synod_engine::Mode;

/// Every mode. The command line, the API, the docs and the conformance tests are made from this table.
pub static MODES: &[&Mode] = &[
    &council::MODE,
    &vote::MODE,
    &jury::MODE,
    &debate::MODE,
    &delphi::MODE,
    &red_team::MODE,
    &chain::MODE,
    &specialist_panel::MODE,
    &blueprint::MODE,
    &peer_review::MODE,
    &tournament::MODE,
    &confidence_weighted::MODE,
    &decompose::MODE,
    &brainstorm::MODE,
    &fact_check::MODE,
    &roundtable::MODE,
    &crux::MODE,
    &collapse::MODE,
];

/// Work that is journaled like a run but deliberates nothing: no part of any list.
pub static INTERNAL: &[&Mode] = &[&crux::draft::MODE, &slot::MODE];
