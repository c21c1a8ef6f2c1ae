//! From raw words to a typed value: find the object in the text, mend it where it is almost JSON, hold it against its schema.

pub mod extract;
mod format;
mod id_lists;
mod lenient_json;
mod place;
mod strict_json;

pub use format::{ReplyFormat, TypedReply};
pub use id_lists::IdLists;
pub use strict_json::object as strict_json;
