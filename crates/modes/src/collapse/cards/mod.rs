//! What is decided on: cards, what comes with them and the policy. How they are read from a file, checked, written by seats and put in words.

pub mod card;
pub mod check;
pub mod draft;
pub mod evidence;
pub mod excerpt;
pub mod file;
pub mod import;
pub mod policy;
pub mod records;
pub mod text;
