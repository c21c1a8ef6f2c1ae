//! The weighted panel, called where scores cannot tell: its ratings, their consensus, a hybrid of the two best positions, and the ruling.

pub mod consensus;
pub mod hybrid;
pub mod rate;
pub mod ruling;
