//! What users keep in files and name in options: personas, for now. Read while a run is planned, never during it.

use synod_types::Problem;

/// Texts by kind and name. The command line has one over the user's files; a server may have one that reads fewer places.
pub trait Library: Send + Sync {
    /// A text of this name. `None`: there is none; an error: it is there and cannot be read.
    fn find(&self, kind: &str, name: &str) -> Option<Result<String, Problem>>;
    /// Every name of a kind, sorted.
    fn names(&self, kind: &str) -> Vec<String>;
}

/// Nothing but what is built in.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLibrary;

impl Library for NoLibrary {
    fn find(&self, _kind: &str, _name: &str) -> Option<Result<String, Problem>> {
        None
    }
    fn names(&self, _kind: &str) -> Vec<String> {
        Vec::new()
    }
}
