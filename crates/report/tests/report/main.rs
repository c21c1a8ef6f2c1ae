//! The report crate at its door: rows in, what people see out. One file a risk.

mod claim_hostile;
mod claim_media;
mod claims;
mod fold;
mod hostile;
mod larger;
mod media;
mod pages;
mod reading;
mod rooms;
mod runs;
mod shapes;
