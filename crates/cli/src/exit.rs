//! How a command ends: an exit code, and one document or message that says why.

use crate::say::say;
use serde_json::{Value, json};
use synod_engine::{JournalError, RunError};
use synod_report::{clean, one_line};
use synod_store::StoreError;
use synod_types::{Problem, Problems};

/// One document on standard output, with nothing in it that a terminal might obey.
pub fn print_json(document: &impl serde::Serialize) {
    say!("{}", synod_report::json_text(&serde_json::to_value(document).unwrap_or_default()));
}

pub const DECIDED: u8 = 0;
pub const BROKEN: u8 = 1;
pub const USAGE: u8 = 2;
pub const UNDECIDED: u8 = 3;
pub const STOPPED: u8 = 4;

#[derive(Debug)]
pub enum CliError {
    /// What was asked for is wrong: exit 2.
    Usage(Problems),
    /// Something outside the request is: disk, database, a bug. Exit 1.
    Broken { field: String, detail: String, want: String },
}

pub type CliResult<T = u8> = Result<T, CliError>;

impl CliError {
    pub fn usage(field: &str, got: impl Into<String>, want: impl Into<String>) -> Self {
        Self::Usage(Problem::new(field, got, want).into())
    }
    pub fn broken(field: &str, detail: impl ToString, want: &str) -> Self {
        Self::Broken { field: field.into(), detail: detail.to_string(), want: want.into() }
    }

    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => USAGE,
            Self::Broken { .. } => BROKEN,
        }
    }

    pub fn json(&self) -> Value {
        match self {
            Self::Usage(problems) => json!({ "errors": problems.0 }),
            Self::Broken { field, detail, want } => json!({"errors": [Problem::new(field, detail, want)]}),
        }
    }

    /// For a person: what happened, to what, and what would be right.
    pub fn text(&self) -> String {
        match self {
            Self::Usage(problems) => {
                let lines: Vec<String> = problems
                    .0
                    .iter()
                    .map(|problem| format!("  {}: {}\n      want: {}", one_line(&problem.field), clean(&problem.got), clean(&problem.want)))
                    .collect();
                let head = match problems.0.len() {
                    1 => "One thing is wrong; nothing was run.".to_owned(),
                    n => format!("{n} things are wrong; nothing was run."),
                };
                format!("{head}\n{}", lines.join("\n"))
            }
            Self::Broken { field, detail, want } => {
                let hint = if want.is_empty() { String::new() } else { format!("\n      {want}") };
                clean(&format!("{field}: {detail}{hint}"))
            }
        }
    }
}

impl From<Problems> for CliError {
    fn from(problems: Problems) -> Self {
        Self::Usage(problems)
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuchRun { given, want } => {
                Self::usage("run", format!("{given} ({want})"), "a run's id, a unique beginning or end of it, or last: synod runs lists them")
            }
            StoreError::NoSuchConversation(given) => Self::usage("conversation", given, "an id printed by an earlier ask, or new"),
            StoreError::Location { given, why } => Self::usage("db", format!("{given}: {why}"), "a file path, sqlite: or postgres:// URL"),
            error @ (StoreError::Open { .. } | StoreError::Newer { .. } | StoreError::Storage(_)) => {
                Self::broken("db", error, "a database that can be opened and written: --db PATH names another")
            }
        }
    }
}

impl From<JournalError> for CliError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::NoSuchRun(run) => Self::usage("run", run, "a run that synod runs lists"),
            JournalError::Held { owner, .. } => Self::usage(
                "run",
                format!("it is under way in another process ({owner})"),
                "synod watch RUN to follow it, synod cancel RUN to stop it",
            ),
            JournalError::Duplicate(what) => Self::usage("answer", format!("{what} is already there; the first one stands"), "nothing more to do"),
            error @ (JournalError::LeaseLost | JournalError::Storage(_)) => Self::broken("db", error, "room and permission to write the database"),
        }
    }
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Usage(problems) => Self::Usage(problems),
            RunError::Journal(error) => error.into(),
            RunError::Unreadable(error) => Self::broken("journal", error, "synod verify RUN says what was altered"),
        }
    }
}
