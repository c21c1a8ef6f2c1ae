//! Ballots, rankings, reading orders, agreement: the arithmetic of a panel.
//!
//! Owns the functions by which a set of judgements becomes a result, and the dice behind labels and orders. Refuses everything that would
//! make the same input give another result: no async, clock, I/O or hidden state; a seed is an argument. Items are indices into whatever
//! list the caller keeps; what they are called matters only to the last rung of a tie ladder.

pub mod agreement;
pub mod borda;
pub mod labels;
pub mod orders;
pub mod plurality;
pub mod rng;

pub use agreement::Agreement;
pub use borda::{Ranking, Rung, Standing, Tie, borda};
pub use labels::labels;
pub use orders::orders;
pub use plurality::{Tally, plurality};
pub use rng::Rng;
