//! The file of a SQLite database: whose it is, who may read it, and whether it is still there.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What every database of SQLite begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// What is written to a file without a name is lost with the process: nobody may take it for kept.
pub(crate) const GONE: &str = "the database file was removed or replaced while it was in use";

/// A file that was opened, known again by more than its name.
#[derive(Clone, Debug)]
pub(crate) struct DatabaseFile {
    pub path: PathBuf,
    id: Option<(u64, u64)>,
}

impl DatabaseFile {
    /// The folder and the file, made if need be and then for their owner alone, and the file's one true path: two names of one database must
    /// share their lock files. Refuses what is no database, and touches nothing that was there.
    pub fn prepare(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; give the path of a file"));
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it names no file"));
        };
        make_folder(folder)?;
        let path = folder.canonicalize()?.join(name);
        match std::fs::metadata(&path) {
            Ok(file) if !file.is_file() => return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file")),
            Ok(file) if file.len() > 0 => looks_like_one(&path)?,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_file(&path)?,
            Err(error) => return Err(error),
        }
        let id = id(&std::fs::metadata(&path)?);
        Ok(Self { path, id })
    }

    /// Whether its name still leads to it. Whatever is written to a file without a name is gone when the process is.
    pub fn is_there(&self) -> bool {
        self.id.is_none() || std::fs::metadata(&self.path).is_ok_and(|file| id(&file) == self.id)
    }

    /// Whether it can be written, as far as its own mode says.
    pub fn is_writable(&self) -> bool {
        !matches!(OpenOptions::new().append(true).open(&self.path), Err(error) if denied(&error))
    }
}

/// Nobody is to write there.
pub(crate) fn denied(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn looks_like_one(path: &Path) -> io::Result<()> {
    let mut head = Vec::new();
    std::fs::File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut head)?;
    if head == MAGIC { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "the file is not a database")) }
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(unix)]
fn make_file(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    // SQLite gives its write-ahead log the mode of the database.
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).map(drop)
}

#[cfg(unix)]
fn id(file: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(folder)
}

#[cfg(not(unix))]
fn make_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path).map(drop)
}

#[cfg(not(unix))]
fn id(_: &Metadata) -> Option<(u64, u64)> {
    None
}
