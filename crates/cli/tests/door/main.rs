//! The product at its door: the real binary, a real model server on a socket, a real database file. Files are named after the risk.

mod claims;
mod completions;
mod decide;
mod docs;
mod first_run;
mod first_ten_minutes;
mod guarded;
mod help;
mod house;
mod kills;
mod layers;
mod misspelt;
mod old_runs;
mod one_model;
mod personas;
mod readme;
mod record;
mod requests;
mod seats_fail;
mod server;
mod stops;
mod usage;
