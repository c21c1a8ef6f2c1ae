//! A configuration to start from. Never overwrites one.

use crate::error::{AppError, AppResult};
use std::path::PathBuf;
use synod_config::Sources;
use synod_types::{Problem, ProblemCode};

const STARTER: &str = include_str!("starter.toml");

/// Writes it into the working directory, or to the user's own place, and returns where it is.
pub fn write_starter(sources: &Sources, here: bool) -> AppResult<PathBuf> {
    let path = if here { Some(sources.directory.join("synod.toml")) } else { sources.user_file() };
    let path = path.ok_or_else(|| {
        AppError::usage(Problem::new("config", "no home directory is known", "a file in the working directory").code(ProblemCode::Missing))
    })?;
    let shown = path.display().to_string();
    if path.exists() {
        return Err(Problem::new("config", format!("{shown} is already there"), "edit it, or remove it first").into());
    }
    let broken = |error: std::io::Error| AppError::broken("config", format!("{shown}: {error}"), "a place that can be written");
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(broken)?;
    }
    std::fs::write(&path, STARTER).map_err(broken)?;
    Ok(path)
}
