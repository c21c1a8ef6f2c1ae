//! One test binary, one file per risk. Everything goes over real sockets and real files.

mod almost_openai;
mod breaker_and_limits;
mod broken_off;
mod cassette;
mod common;
mod detection;
mod failures;
#[cfg(unix)]
mod linked_tape;
mod retry;
mod schema_replies;
mod streaming;
mod thinking;
mod traps;
