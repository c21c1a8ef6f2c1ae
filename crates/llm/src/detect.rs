//! What to seat when nothing is configured: providers whose key is in the environment, else a model server on this machine, else rehearsal.
//!
//! Asks only what costs nothing: the providers' model lists, and the usual ports of 127.0.0.1. `SYNOD_OFFLINE=1` forbids both.

use crate::http::{Http, list_models};
use crate::providers::{PROVIDERS, Provider};
use crate::registry::Env;
use crate::rehearsal::Rehearsal;
use crate::scrub::Secret;
use futures::future::join_all;
use std::time::Duration;
use synod_config::{Config, EndpointConfig, EndpointKind, ModelConfig, PanelConfig, REHEARSAL};
use synod_types::Tier;

/// What was found, as configuration, and the lines that say so to a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DetectedModels {
    /// To be laid under the user's own configuration.
    pub config: Config,
    /// The same panel as `config.panels["default"]`.
    pub panel: PanelConfig,
    pub lines: Vec<String>,
    pub warnings: Vec<String>,
    pub rehearsal: bool,
}

/// Where to look. The defaults are the real ones; tests bring their own.
pub struct Detector {
    pub providers: Vec<Provider>,
    /// Ports of 127.0.0.1 that local model servers use.
    pub ports: Vec<u16>,
    pub within: Duration,
    pub env: Env,
}

/// Ollama, llama.cpp, LM Studio, vLLM.
pub const PORTS: [u16; 4] = [11434, 8080, 1234, 8000];

const PANEL: &str = "default";
/// A panel worth the name.
const ENOUGH: usize = 3;

/// Looks around, unless `offline` or `SYNOD_OFFLINE` forbids it.
pub async fn detect(env: Env, offline: bool) -> DetectedModels {
    let detector = Detector { providers: PROVIDERS.provider.clone(), ports: PORTS.to_vec(), within: Duration::from_secs(2), env };
    detector.detect(offline).await
}

impl Detector {
    pub async fn detect(&self, offline: bool) -> DetectedModels {
        let forbidden = (self.env)("SYNOD_OFFLINE").is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"));
        if offline || forbidden {
            return rehearse("Nothing is configured, and looking around is forbidden (SYNOD_OFFLINE)");
        }
        let http = Http::default();
        let client = match http.client() {
            Ok(client) => client,
            Err(error) => return rehearse(&format!("Nothing is configured, and nothing can be asked: {error}")),
        };
        let mut found = self.keyed(client).await;
        if found.panel.seats.is_empty() {
            let local = self.local(client).await;
            found.warnings.extend(local.warnings.iter().cloned());
            if local.panel.seats.is_empty() {
                let mut rehearsal = rehearse("Nothing is configured, no key is in the environment, and no model server answers on this machine");
                rehearsal.warnings = found.warnings;
                rehearsal.lines.extend(found.lines);
                return rehearsal;
            }
            found = DetectedModels { warnings: found.warnings, ..local };
        }
        found.config.panels.insert(PANEL.to_owned(), found.panel.clone());
        found
    }

    async fn keyed(&self, client: &reqwest::Client) -> DetectedModels {
        let set = |provider: &&Provider| (self.env)(&provider.key_env).is_some_and(|key| !key.trim().is_empty());
        let providers: Vec<&Provider> = self.providers.iter().filter(set).collect();
        let lists = join_all(providers.iter().map(|provider| {
            let key = (self.env)(&provider.key_env).map(|key| Secret::new(key.trim()));
            let endpoint = endpoint(provider);
            async move { list_models(client, &endpoint, key.as_ref(), self.within).await }
        }))
        .await;
        let mut found = DetectedModels::default();
        for (provider, list) in providers.into_iter().zip(lists) {
            seat(&mut found, provider, list);
        }
        found
    }

    async fn local(&self, client: &reqwest::Client) -> DetectedModels {
        let endpoints: Vec<(u16, EndpointConfig)> =
            self.ports.iter().map(|port| (*port, EndpointConfig::new(EndpointKind::OpenAi, format!("http://127.0.0.1:{port}/v1")))).collect();
        let lists = join_all(endpoints.iter().map(|(_, endpoint)| list_models(client, endpoint, None, self.within))).await;
        let mut found = DetectedModels::default();
        for ((port, endpoint), list) in endpoints.into_iter().zip(lists) {
            let Ok(ids) = list else { continue };
            let ids: Vec<String> = ids.into_iter().filter(|id| !id.contains("embed")).collect();
            if ids.is_empty() {
                found.warnings.push(format!("The model server on 127.0.0.1:{port} has no model to talk to."));
                continue;
            }
            found.panel.seats = ids.iter().take(ENOUGH).map(|id| format!("local/{id}")).collect();
            // A model server on this machine mostly has one graphics card.
            let endpoint = EndpointConfig { concurrency: 2, ..endpoint };
            found.config.endpoints.insert("local".to_owned(), endpoint);
            found.lines.push(format!(
                "Found a model server on 127.0.0.1:{port} with {}: seating {}.",
                count(ids.len()),
                found.panel.seats.join(", ")
            ));
            break;
        }
        found
    }
}

fn count(models: usize) -> String {
    if models == 1 { "one model".to_owned() } else { format!("{models} models") }
}

fn endpoint(provider: &Provider) -> EndpointConfig {
    EndpointConfig { key_env: Some(provider.key_env.clone()), ..EndpointConfig::new(provider.kind, provider.base_url.as_str()) }
}

/// Seats a provider's models, as far as its own list has them.
fn seat(found: &mut DetectedModels, provider: &Provider, list: Result<Vec<String>, String>) {
    let listed = |id: &str| list.as_ref().map_or(true, |ids| ids.iter().any(|known| known == id));
    if let Err(why) = &list {
        found.warnings.push(format!("{}: {why}; its models could not be compared with the built-in table of {}.", provider.name, PROVIDERS.date));
    }
    // A provider of many vendors only fills up, and brings no vendor that sits already.
    let fills_up = provider.heavy.len() > 1;
    let mut seated = Vec::new();
    for id in &provider.heavy {
        let vendor = id.split_once('/').map_or(provider.name.as_str(), |(vendor, _)| vendor);
        let vendor = if vendor == "google" { "gemini" } else { vendor };
        if fills_up && (found.panel.seats.len() >= ENOUGH || found.panel.seats.iter().any(|seat| seat.split('/').next() == Some(vendor))) {
            continue;
        }
        if listed(id) {
            seated.push(name_model(found, provider, id, Tier::Heavy));
        } else {
            found
                .warnings
                .push(format!("{} no longer lists {id}, which the built-in table of {} names; it is not seated.", provider.name, PROVIDERS.date));
        }
    }
    if listed(&provider.light) {
        let light = name_model(found, provider, &provider.light, Tier::Light);
        // Better a light seat than none.
        if seated.is_empty() && !fills_up {
            seated.push(light.clone());
        }
        found.panel.light.get_or_insert(light);
    }
    if seated.is_empty() {
        return;
    }
    found.lines.push(format!("{} is set: seating {}.", provider.key_env, seated.join(", ")));
    found.panel.seats.extend(seated);
}

fn name_model(found: &mut DetectedModels, provider: &Provider, id: &str, tier: Tier) -> String {
    found.config.endpoints.entry(provider.name.clone()).or_insert_with(|| endpoint(provider));
    let model = ModelConfig { tier, price: provider.prices.get(id).copied(), ..ModelConfig::new(provider.name.as_str(), id) };
    // Named by `endpoint/id` everywhere; the entry only adds tier and price.
    found.config.models.insert(id.replace('/', "-"), model);
    format!("{}/{id}", provider.name)
}

fn rehearse(why: &str) -> DetectedModels {
    let mut seats: Vec<String> = Rehearsal::voices().take(ENOUGH + 1).map(|voice| format!("{REHEARSAL}/{voice}")).collect();
    let panel = PanelConfig { chair: seats.pop(), seats, light: None };
    let mut config = Config::default();
    config.panels.insert(PANEL.to_owned(), panel.clone());
    let lines = vec![
        format!("{why}: this is a rehearsal with built-in voices."),
        "Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, start a local model server, or write a configuration."
            .to_owned(),
    ];
    DetectedModels { config, panel, lines, warnings: Vec::new(), rehearsal: true }
}
