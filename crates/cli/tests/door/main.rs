//! The product at its door: the real binary, a real model server on a socket, a real database file. Files are named after the risk.

mod decide;
mod first_run;
mod help;
mod house;
mod kills;
mod layers;
mod old_runs;
mod personas;
mod record;
mod requests;
mod seats_fail;
mod stops;
mod usage;
