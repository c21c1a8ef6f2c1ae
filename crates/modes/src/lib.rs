//! The deliberation protocols. One folder a mode, with its prompts; one list of them.
//!
//! A mode decides, the bench does: no clock, no dice, no storage, no provider here (`clippy.toml` says why for each).

mod attendance;
mod ballots;
pub mod blueprint;
pub mod brainstorm;
pub mod chain;
mod closing;
pub mod collapse;
pub mod confidence_weighted;
pub mod council;
pub mod crux;
pub mod debate;
pub mod decompose;
pub mod delphi;
pub mod fact_check;
mod first_reply;
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
mod tokens;
mod tools;
pub mod tournament;
pub mod vote;
mod work;

pub use ballots::{RankingBallot, VoteBallot};
use synod_engine::Mode;

macro_rules! modes {
    ($dollar:tt $($mode:ident,)*) => {
        /// Every mode. The command line, the API, the docs and the conformance tests are made from this table.
        pub static MODES: &[&Mode] = &[$(&$mode::MODE),*];

        /// Gives a macro the names of all modes behind whatever else it gets: tests are made of them, one a mode.
        #[macro_export]
        macro_rules! each_mode {
            ($dollar with:ident $dollar what:tt) => { $dollar with! { $dollar what $($mode)* } };
        }
    };
}

modes! { $
    council,
    vote,
    jury,
    debate,
    delphi,
    red_team,
    chain,
    specialist_panel,
    blueprint,
    peer_review,
    tournament,
    confidence_weighted,
    decompose,
    brainstorm,
    fact_check,
    roundtable,
    crux,
    collapse,
}

/// Work that is journaled like a run but deliberates nothing: no part of any list.
pub static INTERNAL: &[&Mode] = &[&crux::draft::MODE, &slot::MODE];

#[cfg(test)]
mod example_tests;
#[cfg(test)]
mod prompt_tests;
#[cfg(test)]
mod registry_tests;
