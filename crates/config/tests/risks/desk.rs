//! A user's desk: a working directory, a config directory, and what both say.

use std::collections::BTreeMap;
use synod_config::{Config, Sources};
use synod_types::Problem;

pub struct Desk {
    folder: tempfile::TempDir,
    env: BTreeMap<String, String>,
    trust: bool,
}

impl Desk {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["here", "mine"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self { folder, env: BTreeMap::new(), trust: false }
    }
    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
    /// The user vouches for the working directory.
    pub fn trusting(mut self) -> Self {
        self.trust = true;
        self
    }
    /// The working directory's file.
    pub fn here(self, text: &str) -> Self {
        std::fs::write(self.path("here/synod.toml"), text).expect("writes");
        self
    }
    /// The user's own file.
    pub fn mine(self, text: &str) -> Self {
        std::fs::write(self.path("mine/synod.toml"), text).expect("writes");
        self
    }
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }
    pub fn sources(&self) -> Sources {
        Sources {
            given: None,
            directory: self.path("here"),
            user_directory: Some(self.path("mine")),
            env: self.env.clone(),
            trust: self.trust,
            ..Sources::default()
        }
    }
    pub fn load(&self) -> Config {
        Config::load(&self.sources()).unwrap_or_else(|problems| panic!("{problems}"))
    }
    pub fn problems(&self) -> Vec<Problem> {
        Config::load(&self.sources()).expect_err("something is wrong").0
    }
}

pub fn find<'a>(problems: &'a [Problem], field: &str) -> &'a Problem {
    problems.iter().find(|problem| problem.field == field).unwrap_or_else(|| panic!("no problem with {field} in {problems:#?}"))
}
