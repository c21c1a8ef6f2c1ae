//! What the tests of every crate share. A dev-dependency only: nothing of it reaches the binary.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "a tool of the tests prints what it is told to")]

pub mod counted;
pub mod reading;
pub mod rig;
pub mod served;
pub mod server;
pub mod shuffled;
pub mod tiny;
pub mod tripwire;
pub mod turnstile;
pub mod voices;

/// Every model of the built-in table, for a server that stands in for all providers.
pub fn provider_models() -> Vec<String> {
    synod_llm::PROVIDERS.provider.iter().flat_map(|provider| provider.heavy.iter().chain([&provider.light])).cloned().collect()
}
