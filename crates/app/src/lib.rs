//! What every door shares: from a configuration to a working Runner, and from what a user asks ([`RunRequest`]) to a plan, a run and its view.
//!
//! Reading order: [`App`] (the parts wired together), `request` and `prepare` (a request becomes a plan), `panel` (who sits), `runs` (what can be
//! done with a run that exists), `files` (which files a door lets its requests name) and what is read through it: `library`, `decision`,
//! `evidence`; then `conversations`, `analytics`, `experience`, `continuation`, `personas`; then what helps a beginner: `models`, `starter`,
//! `doctor`, `fix`.
//!
//! Refuses to parse arguments, to print and to know exit codes or status codes: those are the doors'.

mod access;
mod analytics;
mod app;
mod continuation;
mod conversations;
mod decision;
mod devices;
mod doctor;
mod document;
mod error;
mod evidence;
mod experience;
mod files;
mod fix;
mod library;
mod models;
mod modes;
mod panel;
mod personas;
mod prepare;
mod request;
mod runs;
mod starter;
mod worker;

pub use access::{Limited, NewKey};
pub use analytics::{
    Analytics, AnalyticsRequest, DayNumbers, FigureNumbers, ModeNumbers, ModelEntry, ModelNumbers, Range, ResponseTimes, RunBehind, Share,
    Used as UsedByModels,
};
pub use app::{App, BINARY, claim_settings};
pub use decision::{decision_from, decision_request};
pub use devices::{CODE_LASTS_SECS, DeviceCode, SignIn};
pub use doctor::{DoctorReport, SeatCheck};
pub use document::parse as parse_document;
pub use error::{AppError, AppResult};
pub use files::FileAccess;
pub use fix::{Fix, Mending};
pub use library::PersonaFiles;
pub use models::{ModelList, SeatableModel};
pub use modes::{describe_mode, planned};
pub use personas::{DraftRequest, PersonaList, id_from_name, list_personas};
pub use prepare::{Notes, PreparedRun};
pub use request::{Base, ChairChoice, ConversationChoice, LimitChoice, PanelChoice, RunRequest};
pub use runs::{ExportFormat, ListedRun};
pub use starter::{Starter, write_starter};
pub use synod_config::{BUILT_IN, ClaimsConfig, Config, ServerConfig, Sources, text_of, write_private};
pub use synod_llm::Cure;
pub use synod_store::{
    ConversationDeletion, ConversationFilter, ConversationSummary, DayUsage, Deletion, DeviceProblem, DeviceRequest, ExperienceRow, Fault, Repeat,
    RunFilter, RunSummary, StageRow, StoredMessage, Tombstone, Used, Verification, WaitingFor,
};
pub use worker::{OnEvent, WorkEnd, WorkEvent, WorkOrder, WorkScope};
