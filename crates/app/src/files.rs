//! Which files a door lets its requests name. The command line reads what its user can read; a door for others reads one folder, or nothing.

use std::path::{Component, Path, PathBuf};
use synod_config::{FileError, read_text};
use synod_engine::PointerTarget;
use synod_types::{Attachment, Problem, sha256_hex};

/// The largest text file that makes sense in a prompt.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Every file the process can read; relative paths start from its working directory.
    Anywhere,
    /// Files below this folder; relative paths start from it, and no link leads out of it.
    Under(PathBuf),
    None,
}

impl FileAccess {
    /// The path itself, if it may be read.
    pub fn open(&self, field: &str, path: &Path) -> Result<PathBuf, Problem> {
        let refused = |why: &str| Err(Problem::new(field, format!("{}: {why}", path.display()), "text given with the request itself"));
        match self {
            Self::Anywhere => Ok(path.to_path_buf()),
            Self::None => refused("files are not read here"),
            Self::Under(folder) => {
                if path.components().any(|part| matches!(part, Component::ParentDir)) {
                    return refused("there is no such file in the folder that is read here");
                }
                // What cannot be resolved is refused in the same words: which files lie outside is nobody's business.
                match (folder.canonicalize(), folder.join(path).canonicalize()) {
                    (Ok(folder), Ok(real)) if real.starts_with(&folder) => Ok(real),
                    _ => refused("there is no such file in the folder that is read here"),
                }
            }
        }
    }

    /// A file's text, and nothing else than text.
    pub fn text(&self, field: &str, path: &Path, largest: u64) -> Result<String, Problem> {
        let real = self.open(field, path)?;
        read_text(&real, largest).map_err(|error| {
            let colon = if matches!(error, FileError::Io(_)) { ":" } else { "" };
            Problem::new(field, format!("{}{colon} {error}", path.display()), error.want())
        })
    }

    /// A text file to attach.
    pub fn attach(&self, field: &str, path: &Path) -> Result<Attachment, Problem> {
        let text = self.text(field, path, LARGEST_FILE)?;
        let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        Ok(Attachment { name, sha256: sha256_hex(&text), bytes: text.len() as u64, text })
    }

    /// What a pointer's path leads to, from this folder on.
    pub fn target(&self, folder: &Path, path: &str) -> PointerTarget {
        if *self == Self::None {
            return PointerTarget::NotLookedUp;
        }
        let Ok(real) = self.open("pointer", &folder.join(path)) else { return PointerTarget::Nothing };
        let Ok(real) = real.canonicalize() else { return PointerTarget::Nothing };
        // Who wrote a decision may point at what lies beside it, and at nothing else on the reader's disk.
        let base = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if *self == Self::Anywhere && !base.canonicalize().is_ok_and(|base| real.starts_with(base)) {
            return PointerTarget::Outside;
        }
        match std::fs::metadata(&real) {
            Ok(file) if file.is_file() => PointerTarget::File { bytes: file.len(), unread: None },
            Ok(_) => PointerTarget::NotAFile,
            Err(_) => PointerTarget::Nothing,
        }
    }

    /// What a pointer's file says, if it is text of a size that can be read.
    pub fn evidence(&self, folder: &Path, path: &str, largest: u64) -> Result<String, &'static str> {
        let real = self.open("pointer", &folder.join(path)).map_err(|_| "it cannot be read")?;
        read_text(&real, largest).map_err(|error| match error {
            FileError::TooLarge(_) => "it is too large to be shown",
            FileError::NotText => "it is not text",
            FileError::Io(_) | FileError::Folder | FileError::NotAFile => "it cannot be read",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_reads_what_it_may_and_nothing_else() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join("in")).expect("a folder");
        std::fs::write(home.path().join("secret"), "s").expect("a file");
        std::fs::write(home.path().join("in/a.md"), "text").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret", home.path().join("in/link")).expect("a link");
        let under = FileAccess::Under(home.path().join("in"));
        assert_eq!(under.attach("file", Path::new("a.md")).map(|file| file.text).as_deref(), Ok("text"));
        for path in ["../secret", "link", "in/../../secret", home.path().join("secret").to_str().expect("UTF-8")] {
            let refused = under.attach("file", Path::new(path)).expect_err(path);
            assert!(refused.got.contains("there is no such file"), "{path}: {refused}");
        }
        assert_eq!(under.target(Path::new(""), "a.md"), PointerTarget::File { bytes: 4, unread: None });
        assert_eq!(under.evidence(Path::new(""), "a.md", 100).as_deref(), Ok("text"));
        assert_eq!(under.evidence(Path::new(""), "a.md", 3), Err("it is too large to be shown"));
        assert_eq!(under.target(Path::new(""), "../secret"), PointerTarget::Nothing);
        assert_eq!(under.target(Path::new(""), "."), PointerTarget::NotAFile);
        assert!(FileAccess::None.attach("file", &home.path().join("in/a.md")).is_err());
        assert_eq!(FileAccess::None.target(Path::new(""), "a.md"), PointerTarget::NotLookedUp);
        let anywhere = FileAccess::Anywhere;
        assert!(anywhere.attach("file", &home.path().join("secret")).is_ok());
        assert_eq!(anywhere.target(home.path(), "missing"), PointerTarget::Nothing);
        let inner = home.path().join("in");
        assert_eq!(anywhere.target(&inner, "a.md"), PointerTarget::File { bytes: 4, unread: None });
        for outside in ["../secret", "link", home.path().join("secret").to_str().expect("UTF-8")] {
            assert_eq!(anywhere.target(&inner, outside), PointerTarget::Outside, "{outside}");
        }
    }
}
