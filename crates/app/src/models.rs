//! What can be seated: the configuration's models, and whatever the endpoints within reach list.

use crate::app::App;
use futures::future::join_all;
use serde::Serialize;
use synod_engine::Models;
use synod_llm::{DetectedModels, Detector, Listed, PROVIDERS, Registry, process_env};
use synod_types::Price;

/// A model that can be named for a seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatableModel {
    /// As it is named for a seat.
    pub name: String,
    /// USD per million tokens. `None`: unknown.
    pub price: Option<Price>,
    /// Tokens it can read, as its endpoint says.
    pub context: Option<u64>,
    pub max_output: Option<u64>,
    /// Whether it can think before it answers. `None`: its endpoint does not say.
    pub thinks: Option<bool>,
    /// A configuration file, the variable of a key, or an address on this machine.
    pub from: String,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct ModelList {
    pub models: Vec<SeatableModel>,
    /// The models of the standing panel, in seat order.
    pub panel: Vec<String>,
    /// Endpoints that gave no list, and why.
    pub silent: Vec<String>,
}

impl App {
    /// Every model within reach. Costs nothing: lists are asked for, models are not.
    pub async fn models(&self) -> ModelList {
        let env = process_env();
        let around = Detector::here(env.clone()).detect(false).await;
        let around = if around.rehearsal { DetectedModels::default() } else { around };
        let detected = self.detect(false).await;
        let panel = crate::panel::standing(&self.config, detected.as_ref()).models;
        let found: Vec<String> = around.config.endpoints.keys().cloned().collect();
        let config = self.config_with(Some(around), None);
        let files: Vec<String> = self.config.files.iter().map(|file| file.display().to_string()).collect();
        let file = files.first().cloned().unwrap_or_else(|| "the environment".to_owned());
        let registry = self.registry(config);
        let ours = |name: &String| self.config.endpoints.contains_key(name);
        // `local` is one of the others under a second name.
        let asked: Vec<&String> = registry
            .config()
            .endpoints
            .iter()
            .filter(|(name, endpoint)| !endpoint.base_url.is_empty() && (ours(name) || (found.contains(name) && name.as_str() != synod_llm::LOCAL)))
            .map(|(name, _)| name)
            .collect();
        let lists = join_all(asked.iter().map(|name| registry.list(name))).await;
        let mut list = ModelList { panel, ..ModelList::default() };
        let mut known: Vec<(&String, Vec<Listed>)> = Vec::new();
        for (name, models) in asked.into_iter().zip(lists) {
            match models {
                Ok(models) => known.push((name, models)),
                Err(why) => list.silent.push(format!("{name}: {why}")),
            }
        }
        for (name, model) in &self.config.models {
            let listed = known
                .iter()
                .find(|(endpoint, _)| **endpoint == model.endpoint)
                .and_then(|(_, models)| models.iter().find(|listed| listed.id == model.id));
            list.models.push(seatable(&registry, name.clone(), listed, file.clone()));
        }
        for (endpoint, models) in &known {
            let from = if ours(endpoint) { file.clone() } else { origin(&registry, endpoint) };
            for listed in models {
                list.models.push(seatable(&registry, format!("{endpoint}/{}", listed.id), Some(listed), from.clone()));
            }
        }
        list
    }
}

fn seatable(registry: &Registry, name: String, listed: Option<&Listed>, from: String) -> SeatableModel {
    let price = registry.resolve("models", &name).ok().and_then(|card| card.price);
    let listed = listed.cloned().unwrap_or_default();
    SeatableModel { name, price, context: listed.context, max_output: listed.max_output, thinks: listed.thinks, from }
}

/// How an endpoint that nobody configured was found.
fn origin(registry: &Registry, endpoint: &str) -> String {
    let provider = PROVIDERS.provider.iter().find(|provider| provider.name == endpoint);
    let address = registry.config().endpoints.get(endpoint).map_or("", |endpoint| endpoint.base_url.as_str());
    let place = address.split_once("://").map_or(address, |(_, rest)| rest).split('/').next().unwrap_or_default();
    provider.map_or_else(|| place.to_owned(), |provider| provider.key_env.clone())
}
