//! What the list of modes and their prompts say of themselves.

mod prompts;
mod registry;
