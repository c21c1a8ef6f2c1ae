//! Ballots, rankings, brackets, spreads, weights, scores: the arithmetic of a panel.
//!
//! Owns the functions by which a set of judgements becomes a result, and the dice behind labels and orders. Refuses everything that would
//! make the same input give another result: no async, clock, I/O or hidden state; a seed is an argument. Items are indices into whatever
//! list the caller keeps; what they are called matters only to the last rung of a tie ladder.

#[macro_use]
mod words;

pub mod agreement;
pub mod beta;
pub mod borda;
pub mod bracket;
pub mod bradley_terry;
pub mod changes;
pub mod collapse;
pub mod consensus;
pub mod convergence;
pub mod dag;
pub mod debate;
pub mod expression;
pub mod groups;
pub mod jury;
pub mod labels;
pub mod likeness;
pub mod matching;
pub mod numbers;
pub mod orders;
pub mod pair_tracker;
pub mod passages;
pub mod plurality;
pub mod relevance;
pub mod reliability;
pub mod rng;
pub mod rounding;
pub mod rubric;
pub mod spread;
pub mod standard;
pub mod verbatim;
pub mod weights;

pub use agreement::{Agreement, Choice, JudgedThing, Measured, Unmeasured};
pub use borda::{RankedItem, Ranking, Rung, Tie, borda};
pub use bradley_terry::bradley_terry;
pub use changes::{Step, changes};
pub use consensus::{Consensus, Sides, common, consensus};
pub use convergence::{Reception, Stance, Support, convergence};
pub use dag::Dag;
pub use labels::{labels, labels_apart};
pub use orders::orders;
pub use passages::{Index, passages};
pub use plurality::{Tally, plurality};
pub use relevance::relevant;
pub use reliability::{Band, reliability};
pub use rng::Rng;
pub use spread::{Summary, Yardstick};
pub use standard::standard;
pub use verbatim::Verbatim;
