//! Files as they are read everywhere: plain ones only, up to a stated size, and nothing else than text.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Why a file's text is not to be had. Never quotes what is in it.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{0}")]
    Io(#[from] Error),
    #[error("is a folder")]
    Folder,
    #[error("is no plain file but a device, a socket or a pipe")]
    NotAFile,
    #[error("has more than {0} bytes")]
    TooLarge(u64),
    #[error("is not text in UTF-8")]
    NotText,
}

impl FileError {
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
    }

    /// What would be right.
    pub fn want(&self) -> String {
        match self {
            Self::Io(_) | Self::Folder | Self::NotAFile => "a file that can be read".to_owned(),
            Self::TooLarge(most) => format!("at most {most} bytes of text"),
            Self::NotText => "a text file in UTF-8".to_owned(),
        }
    }
}

/// The text of a plain file.
pub fn read_text(path: &Path, largest: u64) -> Result<String, FileError> {
    check(&std::fs::metadata(path)?)?;
    let file = open(path)?;
    // What was opened may be another file than what was looked at.
    check(&file.metadata()?)?;
    text_of(file, largest)
}

/// Text from wherever it comes, up to this size.
pub fn text_of(from: impl Read, largest: u64) -> Result<String, FileError> {
    let mut bytes = Vec::new();
    from.take(largest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(FileError::TooLarge(largest));
    }
    String::from_utf8(bytes).map_err(|_| FileError::NotText)
}

/// Writes a file that is its owner's alone.
pub fn write_private(path: &Path, text: &str, replace: bool) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.write(true).truncate(replace).create(replace).create_new(!replace);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    std::io::Write::write_all(&mut file, text.as_bytes())
}

fn check(file: &std::fs::Metadata) -> Result<(), FileError> {
    match file {
        file if file.is_dir() => Err(FileError::Folder),
        file if !file.is_file() => Err(FileError::NotAFile),
        _ => Ok(()),
    }
}

/// A pipe that took the file's place meanwhile must not be waited for.
fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    options.read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_files_up_to_a_size_are_read_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a"), "text").expect("a file");
        std::fs::write(path("b"), b"\xff\xfe").expect("a file");
        assert_eq!(read_text(&path("a"), 4).ok().as_deref(), Some("text"));
        assert!(matches!(read_text(&path("a"), 3), Err(FileError::TooLarge(3))));
        assert!(matches!(read_text(&path("b"), 9), Err(FileError::NotText)));
        assert!(matches!(read_text(folder.path(), 9), Err(FileError::Folder)));
        assert!(read_text(&path("c"), 9).is_err_and(|error| error.is_missing()));
        #[cfg(unix)]
        {
            let _socket = std::os::unix::net::UnixListener::bind(path("socket")).expect("a socket");
            rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RWXU).expect("a pipe");
            for odd in [path("socket"), path("pipe"), "/dev/zero".into(), "/dev/null".into()] {
                assert!(matches!(read_text(&odd, 9), Err(FileError::NotAFile)), "{}", odd.display());
            }
        }
    }
}
