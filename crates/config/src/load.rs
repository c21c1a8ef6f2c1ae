//! Finds the files, reads them, lays them over each other.

use crate::file::{FileError, read_text};
use crate::origin::Layer;
use crate::tree::{self, Is, Node, Table};
use crate::trust::Trust;
use crate::{Config, check, environment, foreign};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use synod_types::{Problem, Problems};

pub const FILE: &str = "synod.toml";
/// Settings, not a library.
const LARGEST: u64 = 1024 * 1024;

/// Where settings may come from. A value, so that tests need neither a home directory nor a changed environment.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// A file named by the user: replaces both others and must exist.
    pub given: Option<PathBuf>,
    /// The working directory.
    pub directory: PathBuf,
    /// The user's config directory.
    pub user_directory: Option<PathBuf>,
    pub env: BTreeMap<String, String>,
    /// The user vouches for the working directory, for this once.
    pub trust: bool,
    /// The user agreed to the endpoints that only the working directory's file defines, for this once.
    pub accept_endpoints: bool,
}

impl Sources {
    pub fn of_process(given: Option<PathBuf>) -> io::Result<Self> {
        // Variables that are not UTF-8 cannot be settings of ours.
        let env: BTreeMap<String, String> =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect();
        let user_directory = user_directory(&env);
        Ok(Self { given, directory: std::env::current_dir()?, user_directory, env, ..Self::default() })
    }

    /// The file the user's own settings are in, or would be.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.user_directory.as_ref().map(|directory| directory.join(FILE))
    }
}

fn user_directory(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    let set = |name: &str| env.get(name).filter(|value| !value.is_empty());
    // A relative XDG_CONFIG_HOME is to be ignored, says the convention.
    if let Some(config) = set("XDG_CONFIG_HOME").map(Path::new).filter(|path| path.is_absolute()) {
        return Some(config.join("synod"));
    }
    set("HOME").map(|home| Path::new(home).join(".config").join("synod"))
}

pub(crate) fn load(sources: &Sources) -> Result<Config, Problems> {
    let mut problems = Vec::new();
    let mut files = Vec::new();
    let mut tree = Table::new();
    let mut left_out = Vec::new();
    if let Some(given) = &sources.given {
        match read_text(given, LARGEST) {
            Ok(text) => {
                files.push(given.clone());
                tree = tree::of_file(given, &text, Layer::Own, &mut problems);
            }
            Err(error) => problems.push(Problem::new("config", told(given, &error), "a readable TOML file")),
        }
    } else {
        let user = sources.user_file();
        let local = sources.directory.join(FILE);
        if let Some(user) = &user
            && let Some(text) = read(user, &mut problems)
        {
            tree = tree::of_file(user, &text, Layer::Own, &mut problems);
            files.push(user.clone());
        }
        // Run from within the config directory, both are the same file, and it is the user's own.
        let is_users = user.as_ref().is_some_and(|user| same_file(user, &local));
        if !is_users && let Some(text) = read(&local, &mut problems) {
            let mut over = without_trust(tree::of_file(&local, &text, Layer::Directory, &mut problems), &mut problems);
            if !Trust::new(sources, &trusted_in(&tree)).of_directory() {
                let mut own = tree.clone();
                environment::lay_over(&mut own, &sources.env);
                left_out = foreign::set_aside(&mut over, &own);
            }
            tree::lay_over(&mut tree, over);
            files.insert(0, local);
        }
    }
    environment::lay_over(&mut tree, &sources.env);
    let mut config = check::check(&tree, sources, &mut problems);
    (config.files, config.left_out) = (files, left_out);
    if problems.is_empty() { Ok(config) } else { Err(Problems(problems)) }
}

/// A directory cannot vouch for itself.
fn without_trust(mut table: Table, problems: &mut Vec<Problem>) -> Table {
    if let Some(node) = table.remove("trusted") {
        problems.push(Problem::new("trusted", format!("{} in {}", node.shown(), node.origin), "`trusted` only in your own config file"));
    }
    table
}

/// A file that is not there is no problem; one that cannot be read is.
fn read(path: &Path, problems: &mut Vec<Problem>) -> Option<String> {
    match read_text(path, LARGEST) {
        Ok(text) => Some(text),
        Err(error) if error.is_missing() => None,
        Err(error) => {
            problems.push(Problem::new(path.display().to_string(), error.to_string(), "a readable TOML file"));
            None
        }
    }
}

fn told(path: &Path, error: &FileError) -> String {
    format!("{}: {error}", path.display())
}

/// The directories that the user's own file lists as trusted.
fn trusted_in(tree: &Table) -> Vec<PathBuf> {
    let Some(Is::List(items)) = tree.get("trusted").map(|node| &node.is) else { return Vec::new() };
    let path = |node: &Node| if let Is::Text(text) = &node.is { Some(PathBuf::from(text)) } else { None };
    items.iter().filter_map(path).filter(|path| path.is_absolute()).collect()
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
