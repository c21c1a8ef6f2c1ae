//! What can go wrong outside a run, sorted by whose turn it is: the user's, to ask for something else, or the machine's keeper.

use synod_claims::{ClaimsError, Refusal};
use synod_engine::{JournalError, RunError};
use synod_store::StoreError;
use synod_types::{Problem, ProblemCode, Problems};

#[derive(Debug)]
pub enum AppError {
    /// What was asked for is wrong.
    Usage(Problems),
    /// Something outside the request is: disk, database, a bug. `want` may be empty.
    Broken { field: String, detail: String, want: String },
}

pub type AppResult<T> = Result<T, AppError>;

impl AppError {
    pub fn usage(problem: Problem) -> Self {
        Self::Usage(problem.into())
    }
    pub fn broken(field: &str, detail: impl ToString, want: &str) -> Self {
        Self::Broken { field: field.into(), detail: detail.to_string(), want: want.into() }
    }
}

impl From<Problems> for AppError {
    fn from(problems: Problems) -> Self {
        Self::Usage(problems)
    }
}

impl From<Problem> for AppError {
    fn from(problem: Problem) -> Self {
        Self::Usage(problem.into())
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuchRun { given, want } => no_run(format!("{given} ({want})")),
            StoreError::NoSuchConversation(given) => {
                Problem::new("conversation", given, "a conversation that was begun earlier, or a new one").code(ProblemCode::Unknown).into()
            }
            StoreError::Location { given, why } => Problem::new("db", format!("{given}: {why}"), "a file path, sqlite: or postgres:// URL").into(),
            error @ (StoreError::Open { .. } | StoreError::Newer { .. } | StoreError::Storage(_)) => {
                Self::broken("db", error, "a database that can be opened and written")
            }
        }
    }
}

fn no_run(got: String) -> AppError {
    Problem::new("run", got, "a run's id, a unique beginning or end of it, or last").code(ProblemCode::Unknown).into()
}

impl From<JournalError> for AppError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::NoSuchRun(run) => no_run(run),
            JournalError::Held { owner, .. } => {
                Problem::new("run", format!("it is under way in another process ({owner})"), "a run that nobody holds")
                    .code(ProblemCode::Conflict)
                    .into()
            }
            JournalError::Repeated => {
                Problem::new("idempotency_key", "it has begun a run already", "another key, or that run").code(ProblemCode::Conflict).into()
            }
            JournalError::Duplicate(what) => Problem::new("answer", format!("{what} is already there; the first one stands"), "nothing more to do")
                .code(ProblemCode::Conflict)
                .into(),
            error @ (JournalError::LeaseLost | JournalError::Storage(_)) => Self::broken("db", error, "room and permission to write the database"),
        }
    }
}

impl From<RunError> for AppError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Usage(problems) => Self::Usage(problems),
            RunError::Journal(error) => error.into(),
            RunError::Unreadable(error) => Self::broken("journal", error, "a record as it was written"),
        }
    }
}

impl From<ClaimsError> for AppError {
    fn from(error: ClaimsError) -> Self {
        match error {
            ClaimsError::Store(error) => error.into(),
            ClaimsError::Refused(Refusal::Invalid(problems)) => Problems(problems).into(),
            ClaimsError::Refused(refusal) => {
                let (field, code, want) = match &refusal {
                    Refusal::ClaimNotFound(_) => ("claim", ProblemCode::Unknown, "a claim's id or the beginning of one"),
                    Refusal::ProtocolNotFound(_) => ("protocol", ProblemCode::Unknown, "a protocol's name, or auto"),
                    Refusal::FlagNotFound(_) => ("flag", ProblemCode::Unknown, "a flag of this claim"),
                    Refusal::AlreadyCleared => ("flag", ProblemCode::Ended, "a flag that waits for a person"),
                    Refusal::AttemptsSpent(_) => ("resolution", ProblemCode::Conflict, "override_pass or close"),
                    Refusal::Duplicate => ("claim", ProblemCode::Conflict, "other words, or half a minute's patience"),
                    _ => ("claim", ProblemCode::Conflict, "what the claim's state allows"),
                };
                Problem::new(field, refusal.to_string(), want).code(code).into()
            }
        }
    }
}
