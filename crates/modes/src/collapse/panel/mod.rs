//! The weighted panel, called where scores cannot tell: what its seats are told, their ratings, the consensus, a hybrid of the two best positions,
//! and the ruling.

pub mod brief;
pub mod consensus;
pub mod hybrid;
pub mod rate;
pub mod ruling;
