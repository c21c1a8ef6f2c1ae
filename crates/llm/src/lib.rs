//! Models: what is found without a configuration, and how they are called.
//!
//! Implements the engine's `Models` and `Model`. Owns addresses, keys, limits, retries and the wire; refuses to know what a prompt is for.

mod cassette;
mod detect;
mod doctor;
mod endpoint;
mod http;
mod learned;
mod probe;
mod providers;
mod registry;
pub mod rehearsal;
mod scrub;
mod wire;

pub use detect::{DetectedModels, Detector, ENOUGH, detect};
pub use doctor::{Cure, DoctorLine, Glance};
pub use http::Listed;
pub use learned::Learned;
pub use providers::{LOCAL, PROVIDERS, Provider, Providers, built_in};
pub use registry::{Env, Registry, process_env};
#[cfg(feature = "fuzzing")]
pub use wire::fuzzed::read_reply;
