//! One tiny call to each seat of the standing panel, or to the models named.

use crate::app::App;
use crate::fix::{Fix, fix};
use crate::panel;
use futures::future::join_all;
use std::path::{Path, PathBuf};
use synod_engine::{Models, by_key};
use synod_llm::{Cure, DoctorLine, Registry};
use synod_types::{ModelCard, Problem};

/// What was found, and how each seat did.
pub struct DoctorReport {
    /// The configuration files that were read.
    pub files: Vec<String>,
    /// What was found without a configuration.
    pub found: Vec<String>,
    /// Nothing is configured and nothing was found.
    pub nothing_found: bool,
    /// Files of the user's that others can read.
    pub exposed: Vec<String>,
    pub seats: Vec<SeatCheck>,
    /// Names that stand for no model.
    pub problems: Vec<Problem>,
}

pub struct SeatCheck {
    pub card: ModelCard,
    pub result: DoctorLine,
    /// The line that would mend it.
    pub fix: Option<Fix>,
}

#[cfg(unix)]
fn is_exposed(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|file| file.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_exposed(_: &Path) -> bool {
    false
}

impl DoctorReport {
    pub fn healthy(&self) -> bool {
        self.problems.is_empty() && self.seats.iter().all(|seat| seat.result.ok)
    }
}

impl App {
    pub async fn doctor(&self, models: Vec<String>) -> DoctorReport {
        let detected = self.detect(false).await;
        let panel = panel::standing(&self.config, detected.as_ref());
        let standing = || panel.models.into_iter().chain(panel.chair).chain(panel.light).collect();
        let mut names: Vec<String> = if models.is_empty() { standing() } else { models };
        names.sort();
        names.dedup();
        let found = detected.as_ref().map(|detected| detected.lines.iter().chain(&detected.warnings).cloned().collect()).unwrap_or_default();
        let nothing_found = detected.as_ref().is_some_and(|detected| detected.rehearsal && detected.refused.is_empty());
        let refused: Vec<Problem> = detected.as_ref().map(|detected| detected.refused.clone()).unwrap_or_default();
        let local = self.find_local(names.iter().map(String::as_str)).await;
        let config = self.config_with(detected, local);
        let files = config.files.iter().map(|file| file.display().to_string()).collect();
        let registry = self.registry(config);
        let (mut cards, mut unresolved) = (Vec::new(), Vec::new());
        for name in &names {
            match registry.resolve("models", name) {
                Ok(card) => cards.push(card),
                Err(problem) => unresolved.push((name.clone(), problem)),
            }
        }
        let silent = if names.is_empty() { self.silent(&registry, &mut unresolved).await } else { Vec::new() };
        let problems = refused.into_iter().chain(by_key(unresolved)).collect();
        let results = join_all(cards.iter().map(|card| registry.check(card))).await;
        let fixed = |(card, result): (ModelCard, DoctorLine)| {
            let fix = result.cure.as_ref().and_then(|cure| fix(&self.config, &card.name, cure));
            SeatCheck { card, result, fix }
        };
        let seats = cards.into_iter().zip(results).chain(silent).map(fixed).collect();
        DoctorReport { files, found, nothing_found, exposed: self.exposed(), seats, problems }
    }

    /// The user's own files that others can read too: the database with all that was asked, and the configuration.
    fn exposed(&self) -> Vec<String> {
        let beside = |path: &Path, ending: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let database = self.store.file().into_iter().flat_map(|file| ["", "-wal"].map(|ending| beside(file, ending)));
        let files = database.chain(self.sources.user_file());
        files.filter(|file| is_exposed(file)).map(|file| file.display().to_string()).collect()
    }

    /// Endpoints that seat nobody, looked at without a call: one that does not answer may be why.
    async fn silent(&self, registry: &Registry, unresolved: &mut Vec<(String, Problem)>) -> Vec<(ModelCard, DoctorLine)> {
        let mut cards = Vec::new();
        for endpoint in self.config.endpoints.keys() {
            let name = format!("{endpoint}/MODEL-ID");
            match registry.resolve("models", &name) {
                Ok(card) => cards.push(card),
                Err(problem) => unresolved.push((name, problem)),
            }
        }
        let glances = join_all(cards.iter().map(|card| registry.glance(card))).await;
        let told = cards.into_iter().zip(glances).filter_map(|(card, glance)| {
            let cure = glance.cure.filter(|cure| !matches!(cure, Cure::Model { .. }))?;
            let (model, endpoint) = (card.name.clone(), card.endpoint.clone());
            Some((card, DoctorLine { model, endpoint, problem: glance.problem, cure: Some(cure), ..DoctorLine::default() }))
        });
        told.collect()
    }
}
