//! The server at its socket: the real binary, real HTTP, a real database file. Files are named after the risk.

mod every_mode;
mod hostile;
#[path = "../door/house.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line, which use more of it")]
mod house;
mod http;
mod keys;
mod life;
mod limits;
mod people;
mod serving;
mod streams;
