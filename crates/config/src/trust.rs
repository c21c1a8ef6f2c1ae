//! What a working directory's own file may not do: a cloned repository must not send a key anywhere, nor write outside of itself.
//!
//! Refuses to be led: a path counts where its links lead, not where it is written.

use crate::Sources;
use crate::origin::{Layer, Origin};
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Component, Path, PathBuf};

pub(crate) struct Trust {
    /// The working directory, canonical.
    directory: PathBuf,
    trusted: Vec<PathBuf>,
    /// The line to add to the user's file, and where.
    line: String,
}

impl Trust {
    pub fn new(sources: &Sources, trusted: &[PathBuf]) -> Self {
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let directory = canonical(&sources.directory);
        let mut listed: Vec<String> = trusted.iter().map(|path| format!("{:?}", path.display().to_string())).collect();
        listed.push(format!("{:?}", directory.display().to_string()));
        let file = sources.user_file().map_or_else(|| "your config file".to_owned(), |file| file.display().to_string());
        let line = format!("if you trust this directory, this line in {file}: trusted = [{}]", listed.join(", "));
        let vouched = sources.trust.then(|| directory.clone());
        Self { trusted: trusted.iter().map(|path| canonical(path)).chain(vouched).collect(), directory, line }
    }

    /// Whether the working directory is trusted.
    pub fn of_directory(&self) -> bool {
        self.trusted.contains(&self.directory)
    }

    /// How the user would trust it.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// What to do about a setting that only a trusted directory may make; `None` when it may.
    pub fn refuses(&self, origin: &Origin) -> Option<&str> {
        match origin.layer {
            Layer::Own => None,
            Layer::Directory if self.of_directory() => None,
            Layer::Directory => Some(&self.line),
        }
    }
    /// Whether a path of the directory's own file stays below the directory, links followed, and is no link itself; else why not.
    pub fn inside(&self, given: &str) -> Result<(), &'static str> {
        self.file_inside(given).map(drop)
    }

    /// The same for a database, for all that is kept beside it, and for a URL that hides where it leads.
    pub fn database_inside(&self, given: &str) -> Result<(), &'static str> {
        let path = match given.strip_prefix("sqlite:") {
            Some(url) if url.contains('%') => return Err("which hides its path"),
            Some(url) => url.split_once('?').map_or(url, |(path, _)| path),
            None => given,
        };
        if path.contains(':') {
            return Err("which is not a path");
        }
        let path = self.file_inside(path)?;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().map(OsStr::as_encoded_bytes)) else { return Err("which names no file") };
        // The write-ahead log, the journal, the owners' lock files.
        let beside = |entry: &DirEntry| entry.file_name().as_encoded_bytes().starts_with(name);
        if links_in(folder, &beside) { Err("with a symbolic link beside it") } else { Ok(()) }
    }

    fn file_inside(&self, given: &str) -> Result<PathBuf, &'static str> {
        const OUTSIDE: &str = "outside of it";
        if !Path::new(given).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(OUTSIDE);
        }
        let path = self.directory.join(given);
        if is_link(&path) {
            return Err("a symbolic link");
        }
        // What is not there yet cannot lead anywhere; what is there, a link to nothing included, must lead inside.
        let there = path.ancestors().skip(1).find(|folder| folder.symlink_metadata().is_ok());
        match there.and_then(|folder| folder.canonicalize().ok()) {
            Some(real) if real.starts_with(&self.directory) => Ok(path),
            _ => Err(OUTSIDE),
        }
    }
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|entry| entry.is_symlink())
}

/// True when a chosen entry of the folder is a link, or is itself a folder with one in it.
fn links_in(folder: &Path, chosen: &dyn Fn(&DirEntry) -> bool) -> bool {
    let Ok(entries) = folder.read_dir() else { return false };
    entries.flatten().filter(chosen).any(|entry| is_link(&entry.path()) || links_in(&entry.path(), &|_| true))
}
