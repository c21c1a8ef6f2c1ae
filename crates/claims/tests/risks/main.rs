//! What the claim pipeline must withstand, on SQLite and, where `SYNOD_TEST_POSTGRES` names one, on PostgreSQL. One file a risk.

mod checker;
mod flags;
mod independence;
mod invariants;
mod leases;
mod machine;
mod points;
mod protocols;
mod races;
mod routing;
mod submissions;
mod support;
