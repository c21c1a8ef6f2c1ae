//! What to write where, for a model that does not answer: a line of a configuration file or of the shell, ready to be applied.

use crate::app::App;
use crate::error::AppResult;
use futures::future::join_all;
use serde::Serialize;
use synod_config::{Config, PanelConfig};
use synod_engine::Models;
use synod_llm::{Cure, PROVIDERS, process_env};
use synod_types::{FailureKind, Missing, ModelCard};

/// A line that mends something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The file the line stands in. `None`: it is for the shell, or for whoever started what does not answer.
    pub file: Option<String>,
    /// The table it stands under: `endpoints.local`.
    pub table: Option<String>,
    /// The line as it should be.
    pub line: String,
}

/// Something wrong with a seat, found without a paid call.
#[derive(Clone, Debug, Serialize)]
pub struct Mending {
    pub model: String,
    pub problem: String,
    pub fix: Option<Fix>,
    /// Another model that was probably meant, where no file names this one.
    pub meant: Option<String>,
}

impl App {
    /// Why seats that failed did so, where their endpoints can tell for nothing.
    pub async fn explain(&self, run: &str, missing: &[Missing]) -> AppResult<Vec<Mending>> {
        let view = self.view(run).await?;
        let Some(header) = &view.header else { return Ok(Vec::new()) };
        let told =
            |missing: &&Missing| matches!(missing.why, FailureKind::Auth | FailureKind::ModelGone | FailureKind::Server | FailureKind::Unreadable);
        let mut cards: Vec<&ModelCard> = missing.iter().filter(told).filter_map(|missing| header.card(missing.seat)).collect();
        cards.sort_by(|a, b| a.name.cmp(&b.name));
        cards.dedup_by(|a, b| a.name == b.name);
        if cards.is_empty() {
            return Ok(Vec::new());
        }
        let local = self.find_local(cards.iter().map(|card| card.name.as_str())).await;
        let registry = self.registry(self.config_with(None, local));
        let known: Vec<ModelCard> = cards.into_iter().filter(|card| registry.resolve("models", &card.name).is_ok()).cloned().collect();
        let glances = join_all(known.iter().map(|card| registry.glance(card))).await;
        let mendings = known.iter().zip(glances).filter_map(|(card, glance)| {
            let fix = glance.cure.as_ref().and_then(|cure| fix(&self.config, &card.name, cure));
            let meant = match glance.cure {
                Some(Cure::Model { endpoint, id }) if fix.is_none() => Some(format!("{endpoint}/{id}")),
                _ => None,
            };
            Some(Mending { model: card.name.clone(), problem: glance.problem?, fix, meant })
        });
        Ok(mendings.collect())
    }
}

/// The line that applies a cure for the model of this name.
pub(crate) fn fix(config: &Config, name: &str, cure: &Cure) -> Option<Fix> {
    let shell = |line: String| Fix { file: None, table: None, line };
    Some(match cure {
        Cure::Key { variable } => shell(format!("export {variable}=…")),
        Cure::Start { .. } => return None,
        Cure::Address { endpoint, base_url } => {
            let table = format!("endpoints.{}", key(endpoint));
            let set_by = format!("SYNOD_ENDPOINTS__{}__BASE_URL", endpoint.to_uppercase().replace(['-', '.'], "_"));
            if std::env::var_os(&set_by).is_some() {
                return Some(shell(format!("export {set_by}={base_url}")));
            }
            match file_with(config, "endpoints", endpoint) {
                Some(file) => Fix { file: Some(file), table: Some(table), line: format!("base_url = {base_url:?}") },
                None => {
                    let provider = PROVIDERS.provider.iter().find(|provider| provider.name == *endpoint)?;
                    shell(format!("export {}={base_url}", provider.moved(&process_env())?.0))
                }
            }
        }
        Cure::Model { endpoint, id } => {
            let full = format!("{endpoint}/{id}");
            if let Some(file) = file_with(config, "models", name) {
                return Some(Fix { file: Some(file), table: Some(format!("models.{}", key(name))), line: format!("id = {id:?}") });
            }
            // The default panel first: it is the one most runs seat.
            let mut panels: Vec<(&String, &PanelConfig)> = config.panels.iter().collect();
            panels.sort_by_key(|(panel, _)| *panel != "default");
            panels.into_iter().find_map(|(panel, seats)| {
                let line = line_of_panel(seats, name, &full)?;
                Some(Fix { file: Some(file_with(config, "panels", panel)?), table: Some(format!("panels.{}", key(panel))), line })
            })?
        }
    })
}

/// The panel's line that names a model, with another in its place.
fn line_of_panel(panel: &PanelConfig, name: &str, other: &str) -> Option<String> {
    if panel.seats.iter().any(|seat| seat == name) {
        let seats: Vec<&str> = panel.seats.iter().map(|seat| if seat == name { other } else { seat.as_str() }).collect();
        return Some(format!("seats = {seats:?}"));
    }
    let fields = [("chair", &panel.chair), ("light", &panel.light)];
    fields.into_iter().find(|(_, seat)| seat.as_deref() == Some(name)).map(|(field, _)| format!("{field} = {other:?}"))
}

/// The configuration file that has this entry; the first that was read wins.
fn file_with(config: &Config, section: &str, name: &str) -> Option<String> {
    let has =
        |text: &str| toml::from_str::<toml::Table>(text).is_ok_and(|table| table.get(section).is_some_and(|section| section.get(name).is_some()));
    let file = config.files.iter().find(|file| synod_config::read_text(file, 1 << 20).is_ok_and(|text| has(&text)))?;
    Some(file.display().to_string())
}

/// A name as TOML wants it in a header.
pub(crate) fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare { name.to_owned() } else { format!("{name:?}") }
}
