//! The rounds: every card is verified and doubted, goes through the gates, is scored, and is revised by its author where that helps; a person
//! is asked for what only a person may approve.

pub mod converge;
pub mod docket;
pub mod doubt;
pub mod examine;
pub mod exhibits;
pub mod people;
pub mod position;
pub mod revise;
pub mod seats;
pub mod verify;
