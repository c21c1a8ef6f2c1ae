//! What the engine needs of the world, as traits: a journal, models, a clock. `store`, `llm` and `testkit` implement them.

mod allowance;
mod clock;
mod commits;
mod journal;
mod memory;
mod model;

pub use allowance::{Allowance, Purse, SetAside};
pub use clock::{Clock, SystemClock};
pub use commits::{Commit, Commits, Tellers};
pub use journal::{Blobs, Journal, JournalError, JournalResult, Lease, Tail};
pub use memory::MemoryJournal;
pub use model::{CallContext, Deltas, EndpointSlot, Model, Models};
