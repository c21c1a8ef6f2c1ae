//! A run under way: the Runner that starts and resumes it, the bench its mode works at, one turn, and the record it is replayed from.

mod answers;
mod bench;
mod bill;
mod core;
mod counters;
mod drive;
mod exchange;
mod halt;
mod here;
mod hub;
mod inbox;
mod record;
mod recover;
mod runner;
mod title;
mod turn;
mod watch;

pub use answers::{Answers, SeatFailure, SeatReply};
pub use bench::{Bench, ReplyWithTools};
pub use drive::Ending;
pub use halt::{Halt, Result};
pub use record::Record;
pub use recover::Recovery;
pub use runner::{ReplayResult, ResumeOutcome, RunError, RunHandle, Runner, Setup};
pub use title::of_question as title_of;
pub use turn::Toolbox;
pub use watch::{News, WatchEnd, Watched};
