//! The server at its socket: the real binary, real HTTP, a real database file. Files are named after the risk.

mod claims;
mod claims_refused;
mod claims_sign_in;
mod client;
mod conversations;
mod council;
mod every_mode;
mod hostile;
pub mod http;
mod keys;
mod life;
mod limits;
mod numbers;
mod people;
pub mod serving;
mod streams;
