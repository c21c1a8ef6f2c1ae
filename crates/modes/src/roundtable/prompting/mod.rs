//! What the seats are asked and shown: their prompts, and the record, earlier rounds, material and perspectives that go into them.

pub mod contribution;
mod material;
pub mod packet;
mod perspectives;
mod summary;
mod turn_prompt;

pub use material::{MaterialPart, material, reserve};
pub use perspectives::{Perspective, Perspectives, one_per_seat};
pub use summary::{RoundSummary, SeatMoves};
