//! What the engine needs of storage. `store` implements it on SQL, `memory` for tests and rehearsals of the engine itself.

use super::Commits;
use futures::future::BoxFuture;
use synod_types::{Hash, Header, InboxItem, Millis, NewRow, Once, Row};

/// The right to append to one run. Whoever takes the run later has a higher epoch, and this one is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub run: String,
    pub epoch: i64,
}

/// How far a run's journal has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    pub seq: i64,
    pub head: Hash,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    #[error("no run {0}")]
    NoSuchRun(String),
    /// Another process has taken the run.
    #[error("this run now belongs to another process")]
    LeaseLost,
    /// The owner lives, or its lease has not run out yet.
    #[error("the run is held by a living process ({owner})")]
    Held { owner: String, wait_ms: Option<Millis> },
    /// A row with this key, kind and try is already there: a bug of the caller.
    #[error("the journal already has {0}")]
    Duplicate(String),
    /// The same request began a run already.
    #[error("this request has begun a run already")]
    Repeated,
    /// Disk full, read-only, broken connection.
    #[error("storage: {0}")]
    Storage(String),
}

pub type JournalResult<T> = Result<T, JournalError>;

/// Files by their SHA-256.
pub type Blobs = Vec<(String, Vec<u8>)>;

/// The append-only record of runs.
///
/// Appends of one run are committed in the order in which `append` was *called*: it queues before it returns its future.
pub trait Journal: Send + Sync {
    /// Writes the first row of a new run and takes its lease, in one transaction. `blobs` are kept once, by SHA-256.
    /// `once`: refused as `Repeated` if this principal's request has begun a run already.
    fn begin<'a>(&'a self, header: &'a Header, at: Millis, blobs: Blobs, once: Option<Once>) -> BoxFuture<'a, JournalResult<Lease>>;

    /// A run that no repeated request could mean.
    fn create<'a>(&'a self, header: &'a Header, at: Millis, blobs: Blobs) -> BoxFuture<'a, JournalResult<Lease>> {
        self.begin(header, at, blobs, None)
    }

    /// Appends rows, all or none. Returns where the journal then ends.
    fn append(&self, lease: &Lease, rows: Vec<NewRow>) -> BoxFuture<'static, JournalResult<Tail>>;

    /// Rows of a run with `seq > after`, in order.
    fn rows<'a>(&'a self, run: &'a str, after: i64) -> BoxFuture<'a, JournalResult<Vec<Row>>>;

    /// The first of those, up to so many.
    fn page<'a>(&'a self, run: &'a str, after: i64, most: usize) -> BoxFuture<'a, JournalResult<Vec<Row>>> {
        Box::pin(async move {
            let mut rows = self.rows(run, after).await?;
            rows.truncate(most);
            Ok(rows)
        })
    }

    /// The raw reply behind a `replied` row. `None`: expired.
    fn raw<'a>(&'a self, run: &'a str, key: &'a str, attempt: i64) -> BoxFuture<'a, JournalResult<Option<String>>>;

    fn blob<'a>(&'a self, sha256: &'a str) -> BoxFuture<'a, JournalResult<Option<Vec<u8>>>>;

    /// Takes a run nobody holds, under the next epoch. `Held` while its owner lives; with `wait_ms` where the lease will run out by itself.
    fn take<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<Lease>>;

    /// Once a second for the whole process: keeps every lease this journal holds (in one statement, when a third of the lease is gone) and
    /// returns the messages posted for those runs that this call has not handed out before (in one query). Its cost must not grow with the
    /// number of runs held. A lease lost meanwhile shows itself at that run's next append.
    fn heartbeat(&self) -> BoxFuture<'_, JournalResult<Vec<InboxItem>>>;

    /// Whether a living process holds the run: only then can rows still come.
    fn held<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<bool>>;

    /// Gives the run up: anybody may take it at once.
    fn release<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, JournalResult<()>>;

    /// Leaves a message for the run's owner. `Duplicate` when this question has been answered already: the first answer stands.
    fn post(&self, item: InboxItem) -> BoxFuture<'_, JournalResult<()>>;

    fn inbox<'a>(&'a self, run: &'a str) -> BoxFuture<'a, JournalResult<Vec<InboxItem>>>;

    /// Rows of a run as this process commits them, from this call on. `None`: this journal does not tell.
    fn commits(&self, run: &str) -> Option<Commits> {
        let _ = run;
        None
    }

    /// Whether this process holds the run: then all its rows come by `commits`. Costs nothing.
    fn holds(&self, run: &str) -> bool {
        let _ = run;
        false
    }

    /// Resolves when something may have been appended to, or posted for, this run since the call; at the latest after `within_ms`.
    fn changed<'a>(&'a self, run: &'a str, within_ms: Millis) -> BoxFuture<'a, ()>;
}
