//! The server at its socket: the real binary, real HTTP, a real database file. Files are named after the risk.

mod every_mode;
mod hostile;
mod http;
mod keys;
mod life;
mod limits;
mod people;
mod serving;
mod streams;
