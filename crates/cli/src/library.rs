//! What the user keeps in files: by name in the configuration directory, or by path.

use std::path::{Path, PathBuf};
use synod_engine::Library;
use synod_types::Problem;

const ENDINGS: [&str; 2] = ["toml", "json"];

pub struct Files {
    /// The user's configuration directory.
    pub directory: Option<PathBuf>,
}

impl Files {
    pub fn folder(&self, kind: &str) -> Option<PathBuf> {
        self.directory.as_ref().map(|directory| directory.join(kind))
    }

    fn path(&self, kind: &str, name: &str) -> Option<PathBuf> {
        let given = Path::new(name);
        let is_path =
            name.contains(std::path::MAIN_SEPARATOR) || given.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        if is_path {
            return Some(given.to_path_buf());
        }
        let folder = self.folder(kind)?;
        ENDINGS.iter().map(|ending| folder.join(format!("{name}.{ending}"))).find(|path| path.exists())
    }
}

impl Library for Files {
    fn find(&self, kind: &str, name: &str) -> Option<Result<String, Problem>> {
        let path = self.path(kind, name)?;
        Some(
            std::fs::read_to_string(&path)
                .map_err(|error| Problem::new(kind, format!("{}: {error}", path.display()), "a text file that can be read")),
        )
    }

    fn names(&self, kind: &str) -> Vec<String> {
        let Some(entries) = self.folder(kind).and_then(|folder| std::fs::read_dir(folder).ok()) else { return Vec::new() };
        let known = |path: &PathBuf| path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.path()).filter(known).filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
        names.sort();
        names.dedup();
        names
    }
}
