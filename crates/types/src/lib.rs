//! The nouns of Synod: what is asked, who sits, what was said, what is recorded and what comes out.
//!
//! Owns the wire and journal shapes (serde) and nothing that acts on them: no clock, no I/O, no policy.

#[macro_use]
mod words;

mod access;
mod bytes;
mod cards;
mod claim;
pub mod clip;
mod date;
mod event;
mod exhibit;
mod failure;
mod fold;
mod header;
mod json;
mod nearest;
mod person;
mod problem;
mod quote;
mod request;
mod row;
mod settings;
mod shapes;
mod stop;
mod verdict;

pub use access::*;
pub use bytes::*;
pub use cards::*;
pub use claim::*;
pub use date::*;
pub use event::*;
pub use exhibit::*;
pub use failure::*;
pub use fold::*;
pub use header::*;
pub use json::*;
pub use nearest::*;
pub use person::*;
pub use problem::*;
pub use quote::*;
pub use request::*;
pub use row::*;
pub use settings::*;
pub use shapes::*;
pub use stop::*;
pub use verdict::*;

/// A seat's place at the table. Seats are known by index, never by model id: the same model may sit twice.
pub type SeatIx = u32;

/// Milliseconds since the Unix epoch, or a span of them.
pub type Millis = i64;

/// SHA-256 of some bytes, in lower-case hex.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    use sha2::Digest;
    let mut hex = [0; 64];
    // Never refused: it is twice as long as the hash.
    let _ = hex::encode_to_slice(sha2::Sha256::digest(bytes.as_ref()), &mut hex);
    String::from_utf8_lossy(&hex).into_owned()
}

/// For fields that are left out where they say nothing.
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}
