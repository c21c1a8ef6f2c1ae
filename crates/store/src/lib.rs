//! Everything that lasts: the journal on SQL, who owns a run, the inbox, and readings of the journal (stages, costs, messages, numbers).
//!
//! One writer a process appends; readers have connections of their own. SQLite by default, PostgreSQL by URL, one SQL text for both.
//! Refuses to know modes, prices or prompts: it stores rows and folds them, nothing else.

mod access;
mod batch;
mod conversations;
mod delete;
mod devices;
mod error;
mod experiences;
mod file;
mod journal;
mod learned;
mod lease;
mod location;
mod migrations;
mod orphans;
mod owner;
mod project;
mod projections;
mod raws;
mod runs;
mod settings;
mod sql;
mod stages;
mod stats;
mod store;
mod transaction;
mod turns;
mod usage;
mod verify;
mod watch;
mod writer;
mod writer_connection;

pub use access::{Repeat, Used};
pub use conversations::{ConversationFilter, ConversationSummary, NewConversation, StoredMessage};
pub use delete::{ConversationDeletion, Deletion, Tombstone};
pub use devices::{DeviceProblem, DeviceRequest, SignedIn};
pub use error::StoreError;
pub use experiences::ExperienceRow;
pub use learned::LearnedRow;
pub use project::{Message, NotedFigure, Projection, project};
pub use runs::{RunFilter, RunSummary, WaitingFor};
pub use settings::StoreSettings;
pub use sql::storable;
pub use stages::{Raws, StageRow, stages};
pub use stats::{DayStats, DayTotals, FigureStats, ModelStats, Stats, StatsFilter, StatsOfRun, Votes};
pub use store::Store;
pub use synod_types::RunState;
pub use transaction::{Transaction, Undone};
pub use turns::{ModelCost, TurnOutcome, TurnSummary};
pub use usage::DayUsage;
pub use verify::{Fault, Verification};
