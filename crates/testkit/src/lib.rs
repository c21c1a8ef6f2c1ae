//! What the tests of every crate share. A dev-dependency only: nothing of it reaches the binary.

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
