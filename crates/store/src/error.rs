//! Errors of the store, sorted by what the reader must do next, and the plain words for what a database says.

use synod_engine::JournalError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Name another place.
    #[error("cannot use {given:?} as a database: {why}")]
    Location { given: String, why: String },
    /// Look at the file, the disk or the server.
    #[error("cannot open the database {location}: {why}")]
    Open { location: String, why: String },
    /// Update the program.
    #[error("the database {location} was written by a newer version of Synod (schema step {version}); update Synod to read it")]
    Newer { location: String, version: i64 },
    /// Name another run.
    #[error("no run {given:?}: {want}")]
    NoSuchRun { given: String, want: String },
    #[error("no conversation {0:?}")]
    NoSuchConversation(String),
    #[error("storage: {0}")]
    Storage(String),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Storage(plain(&error))
    }
}

impl From<StoreError> for JournalError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuchRun { given, .. } => Self::NoSuchRun(given),
            StoreError::Storage(why) => Self::Storage(why),
            other => Self::Storage(other.to_string()),
        }
    }
}

/// What a failed statement means for the batch it was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A row was refused: the others of the batch may be fine.
    Constraint,
    /// The server asks to try the same again (deadlock, serialisation).
    Again,
    /// The connection is of no more use, and nobody knows whether the last commit went through.
    Broken,
    Other,
}

pub(crate) fn class(error: &sqlx::Error) -> Class {
    match error {
        sqlx::Error::Database(error) => {
            if error.is_unique_violation() || error.is_foreign_key_violation() || error.is_check_violation() {
                return Class::Constraint;
            }
            match error.code().as_deref() {
                Some("40001" | "40P01") => Class::Again,
                // Administrators' shutdowns, and connections the server is about to drop.
                Some(code) if code.len() == 5 && (code.starts_with("57P") || code.starts_with("08")) => Class::Broken,
                _ => Class::Other,
            }
        }
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed | sqlx::Error::BeginFailed => Class::Broken,
        _ => Class::Other,
    }
}

/// What happened, in words that say what to look at.
pub(crate) fn plain(error: &sqlx::Error) -> String {
    let sqlx::Error::Database(database) = error else {
        return match error {
            sqlx::Error::PoolTimedOut => "no read connection became free in time".into(),
            sqlx::Error::Io(error) => format!("the connection to the database broke: {error}"),
            sqlx::Error::WorkerCrashed | sqlx::Error::PoolClosed => "the store is closed".into(),
            other => other.to_string(),
        };
    };
    let message = database.message();
    // SQLite's extended codes carry the primary one in their last byte; SQLSTATEs are five characters.
    let primary = database.code().filter(|code| code.len() < 5).and_then(|code| code.parse::<u32>().ok()).map(|code| code & 0xff);
    match primary {
        Some(5 | 6) => format!("another process keeps the database locked ({message})"),
        Some(8) => format!("the database cannot be written to ({message})"),
        Some(10) => format!("the disk refused to read or write ({message})"),
        Some(11) => format!("the database file is damaged ({message})"),
        Some(13) => format!("the disk is full ({message})"),
        Some(14) => format!("the file cannot be opened or created ({message})"),
        Some(26) => "the file is not a database".into(),
        _ => message.to_owned(),
    }
}
