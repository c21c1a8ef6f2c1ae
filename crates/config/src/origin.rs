//! Where a setting came from, so that a problem can point at it and trust can be decided.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whose word a setting is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// `synod.toml` in the working directory: anybody's, it may have come with a cloned repository.
    Directory,
    /// The user's own: their config directory, a file they named, or the environment.
    Own,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub layer: Layer,
    pub place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File(Arc<PathBuf>, usize),
    Variable(String),
}

impl Origin {
    /// What relative paths in this setting are relative to. `None`: the working directory of the process.
    pub fn base(&self) -> Option<&Path> {
        match &self.place {
            Place::File(path, _) => path.parent(),
            Place::Variable(_) => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File(path, line) => write!(f, "{} line {line}", path.display()),
            Place::Variable(name) => write!(f, "environment variable {name}"),
        }
    }
}
