//! Who owns runs: one UUID a store, with a lock file beside the database that its process holds locked.
//!
//! The operating system frees the lock when the process dies, however it dies: that is how others know at once. On PostgreSQL
//! processes may sit on different machines, so there is no file and only the lease counts.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// This store's mark. Dropping it frees the lock and removes the file.
pub(crate) struct Owner {
    pub id: String,
    lock: Option<(PathBuf, File)>,
}

impl Owner {
    pub fn without_lock() -> Self {
        Self { id: Uuid::new_v4().to_string(), lock: None }
    }

    fn claim(folder: &Path) -> io::Result<Self> {
        let id = Uuid::new_v4().to_string();
        let path = folder.join(&id);
        let file = OpenOptions::new().create_new(true).write(true).open(&path)?;
        file.lock()?;
        Ok(Self { id, lock: Some((path, file)) })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some((path, file)) = self.lock.take() {
            // Removed while still locked: nobody can find the file free and take it for a crash.
            if let Err(error) = fs::remove_file(&path) {
                tracing::debug!(%error, path = %path.display(), "a lock file stays behind");
            }
            drop(file);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    Gone,
    /// It cannot be told: the lease decides.
    Unknown,
}

/// Whether the process behind an owner's id still lives.
pub(crate) fn life(folder: Option<&Path>, owner: &str) -> Life {
    let Some(folder) = folder else { return Life::Unknown };
    // The id comes from the database: nothing but a UUID may become part of a path.
    let Ok(id) = Uuid::parse_str(owner) else { return Life::Unknown };
    match File::open(folder.join(id.to_string())) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Life::Gone,
        Err(_) => Life::Unknown,
        // Shared, so that two who look at the same moment do not take each other for the owner.
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => Life::Gone,
            Err(TryLockError::WouldBlock) => Life::Alive,
            Err(TryLockError::Error(_)) => Life::Unknown,
        },
    }
}

/// Held while a store is opened: file creation, migrations and lock files happen one process at a time.
pub(crate) struct Opening {
    pub folder: PathBuf,
    pub owner: Owner,
    _lock: File,
}

/// Where the lock files of a database are.
pub(crate) fn folder_of(database: &Path) -> PathBuf {
    let mut folder = database.as_os_str().to_owned();
    folder.push(".owners");
    PathBuf::from(folder)
}

/// Makes the folder of lock files, waits for whoever is opening the same database, and claims an owner's id. Blocks.
pub(crate) fn open(database: &Path, patience: Duration) -> io::Result<Opening> {
    let folder = folder_of(database);
    // The operating system says what went wrong, not with what.
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(named)?;
    let lock = OpenOptions::new().create(true).write(true).truncate(false).open(folder.join("opening")).map_err(named)?;
    wait_for(&lock, patience).map_err(named)?;
    sweep(&folder);
    let owner = Owner::claim(&folder).map_err(named)?;
    Ok(Opening { folder, owner, _lock: lock })
}

/// Another process opens in milliseconds; one that was stopped in the middle of it must not hold everybody up for ever.
fn wait_for(lock: &File, patience: Duration) -> io::Result<()> {
    let until = Instant::now() + patience;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process is opening this database and does not finish"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Removes the lock files of killed processes. Nobody claims meanwhile: claims happen under the same lock.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| Uuid::parse_str(name).is_ok()) else { continue };
        if life(Some(folder), name) == Life::Gone
            && let Err(error) = fs::remove_file(entry.path())
        {
            tracing::debug!(%error, name, "a dead owner's lock file stays behind");
        }
    }
}
