//! What a working directory's own file may not do: a cloned repository must not send a key anywhere, nor write outside of itself.

use super::Sources;
use super::origin::{Layer, Origin};
use std::path::{Component, Path, PathBuf};

pub(super) struct Trust {
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
        Self { trusted: trusted.iter().map(|path| canonical(path)).collect(), directory, line }
    }

    /// What to do about a setting that only a trusted directory may make; `None` when it may.
    pub fn refuses(&self, origin: &Origin) -> Option<&str> {
        match origin.layer {
            Layer::Own => None,
            Layer::Directory if self.trusted.contains(&self.directory) => None,
            Layer::Directory => Some(&self.line),
        }
    }
}

/// True when a path stays below the directory it is relative to.
pub(super) fn stays_inside(path: &str) -> bool {
    let path = path.strip_prefix("sqlite:").unwrap_or(path);
    !path.contains("://") && Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
