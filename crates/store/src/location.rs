//! Where a database is: a path, a `sqlite:` URL or a `postgres://` URL, told apart here and nowhere else.

use crate::StoreError;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// As given: folders that do not exist yet are made when it is opened.
    File(PathBuf),
    /// To be read and never changed.
    ReadOnly(PathBuf),
    Postgres(String),
}

impl Location {
    pub fn parse(given: &str) -> Result<Self, StoreError> {
        let wrong = |why: &str| Err(StoreError::Location { given: hide_password(given), why: why.into() });
        if given.starts_with("postgres://") || given.starts_with("postgresql://") {
            return Ok(Self::Postgres(given.to_owned()));
        }
        let mut read_only = false;
        let path = match given.strip_prefix("sqlite:") {
            None if given.contains("://") => return wrong("give a path, sqlite:PATH or postgres://USER@HOST/DATABASE"),
            None => given.to_owned(),
            Some(rest) => {
                let rest = rest.strip_prefix("//").unwrap_or(rest);
                let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
                if !matches!(query, "" | "mode=rwc" | "mode=rw" | "mode=ro") {
                    return wrong("a sqlite URL takes no settings but mode=rw, mode=rwc or mode=ro");
                }
                read_only = query == "mode=ro";
                match percent_decoded(path) {
                    Some(path) => path,
                    None => return wrong("a % in a sqlite URL must be followed by two hexadecimal digits, and name UTF-8 text"),
                }
            }
        };
        if path.is_empty() {
            return wrong("it is empty; give a path or a URL");
        }
        if path == ":memory:" {
            return wrong("a journal must outlive its process; give the path of a file");
        }
        if path.contains('\0') {
            return wrong("a path cannot hold a NUL character");
        }
        if path.ends_with('/') || Path::new(&path).file_name().is_none() {
            return wrong("it names a folder; give the path of a file");
        }
        Ok(if read_only { Self::ReadOnly(path.into()) } else { Self::File(path.into()) })
    }

    pub fn engine(&self) -> Engine {
        match self {
            Self::File(_) | Self::ReadOnly(_) => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// For messages: without a password.
    pub fn shown(&self) -> String {
        match self {
            Self::File(path) | Self::ReadOnly(path) => path.display().to_string(),
            Self::Postgres(url) => hide_password(url),
        }
    }
}

/// The URL sqlx wants for a file. Everything but plain letters is encoded, so that no path can be mistaken for a setting.
pub(crate) fn sqlite_url(path: &Path, access: &str) -> String {
    let mut url = String::from("sqlite://");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url.push_str("?mode=");
    url.push_str(access);
    url
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            out.extend(hex::decode(digits).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

fn hide_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let Some((login, place)) = rest.rsplit_once('@') else { return url.to_owned() };
    let user = login.split(':').next().unwrap_or_default();
    format!("{scheme}://{user}@{place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(given: &str) -> String {
        Location::parse(given).expect_err("must be refused").to_string()
    }

    #[test]
    fn paths_and_urls_are_told_apart() {
        assert_eq!(Location::parse("a/b.db"), Ok(Location::File("a/b.db".into())));
        assert_eq!(Location::parse("sqlite:a%20b.db?mode=rwc"), Ok(Location::File("a b.db".into())));
        assert_eq!(Location::parse("sqlite:a.db?mode=ro"), Ok(Location::ReadOnly("a.db".into())));
        assert_eq!(Location::parse("sqlite:///tmp/a.db"), Ok(Location::File("/tmp/a.db".into())));
        assert_eq!(Location::parse("postgres://u@h/d").map(|l| l.engine()), Ok(Engine::Postgres));
    }

    #[test]
    fn what_cannot_be_a_database_is_refused_with_what_would_be_right() {
        assert!(why("mysql://h/d").contains("postgres://"));
        assert!(why("").contains("empty"));
        assert!(why("sqlite::memory:").contains("outlive"));
        assert!(why("sqlite:a.db?cache=shared").contains("mode=rwc"));
        assert!(why("folder/").contains("folder"));
        assert!(why("sqlite:a%2").contains('%'));
    }

    #[test]
    fn a_password_is_never_shown() {
        let location = Location::parse("postgres://user:secret@host/db").expect("a URL");
        assert_eq!(location.shown(), "postgres://user@host/db");
    }

    #[test]
    fn no_path_can_be_mistaken_for_a_setting() {
        assert_eq!(sqlite_url(Path::new("/a b/c?d#e%.db"), "rwc"), "sqlite:///a%20b/c%3Fd%23e%25.db?mode=rwc");
    }
}
