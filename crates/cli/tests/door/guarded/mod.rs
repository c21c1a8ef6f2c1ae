//! What must hold against endpoints that lie, files that were not trusted, texts that command, and streams without end.

mod ballots;
mod files;
mod money;
mod raw_server;
mod screen;
mod secrets;
mod storage;
mod streams;
mod trust;
