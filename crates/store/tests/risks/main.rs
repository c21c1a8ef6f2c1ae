//! What a store must withstand, on SQLite and, where `SYNOD_TEST_POSTGRES` names one, on PostgreSQL. One file a risk.

mod access;
mod chain;
mod conversations;
mod devices;
mod grouped;
mod inbox;
mod learned;
mod lease;
mod opening;
mod projections;
mod runs;
mod stats;
mod support;
mod tamper;
