//! What to seat when nothing is configured: providers whose key is in the environment, else the model servers on this machine, else rehearsal.
//!
//! Asks only what costs nothing: the providers' model lists, and the usual ports of this machine. `SYNOD_OFFLINE=1` forbids both.
//!
//! Nothing sits twice before everything found has a seat: heavy models first, one a vendor, then lighter ones. A model server beside a key is
//! told and not seated: whoever pays for large models did not ask for a small one among them.

use crate::http::{Http, ListError, Listed, list_models};
use crate::providers::{LOCAL, PROVIDERS, Provider, local_servers};
use crate::registry::Env;
use crate::rehearsal::Rehearsal;
use crate::scrub::Secret;
use futures::future::{join, join_all};
use std::time::Duration;
use synod_config::{Config, EndpointConfig, ModelConfig, PanelConfig, REHEARSAL};
use synod_types::{Problem, ProblemCode, Tier, nearest_first};

/// What was found, as configuration, and the lines that say so to a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DetectedModels {
    /// To be laid under the user's own configuration.
    pub config: Config,
    /// The same panel as `config.panels["default"]`: every model once. It may have fewer seats than a mode needs.
    pub panel: PanelConfig,
    /// Models that sit, where a mode has more seats than the panel, before anybody sits twice.
    pub reserve: Vec<String>,
    pub lines: Vec<String>,
    pub warnings: Vec<String>,
    /// Keys that their providers refuse. Where nothing else was found nobody is seated.
    pub refused: Vec<Problem>,
    pub rehearsal: bool,
}

/// Where to look. The defaults are the real ones; tests bring their own.
pub struct Detector {
    pub providers: Vec<Provider>,
    /// Model servers by the name of their endpoint.
    pub servers: Vec<(String, EndpointConfig)>,
    pub within: Duration,
    pub env: Env,
}

const PANEL: &str = "default";
/// A panel worth the name.
pub const ENOUGH: usize = 3;

/// Looks around, unless `offline` or `SYNOD_OFFLINE` forbids it.
pub async fn detect(env: Env, offline: bool) -> DetectedModels {
    Detector::here(env).detect(offline).await
}

impl Detector {
    /// The providers and the local servers, where the environment says they are.
    pub fn here(env: Env) -> Self {
        let providers = PROVIDERS.provider.iter().map(|provider| provider.placed(&env)).collect();
        Self { providers, servers: local_servers(&env), within: Duration::from_secs(2), env }
    }

    /// The endpoints of a configuration that seats nobody.
    pub fn over(config: &Config, env: Env) -> Self {
        let (mut providers, mut servers) = (Vec::new(), Vec::new());
        for (name, endpoint) in config.endpoints.iter().filter(|(_, endpoint)| !endpoint.base_url.is_empty()) {
            // A provider's own address: its table knows which of its many models to seat.
            let known = PROVIDERS.provider.iter().find(|provider| provider.base_url == endpoint.base_url);
            match (known, &endpoint.key_env) {
                (Some(known), Some(key_env)) => providers.push(Provider { name: name.clone(), key_env: key_env.clone(), ..known.clone() }),
                _ => servers.push((name.clone(), endpoint.clone())),
            }
        }
        Self { providers, servers, within: Duration::from_secs(2), env }
    }

    fn forbidden(&self) -> bool {
        (self.env)("SYNOD_OFFLINE").is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"))
    }

    pub async fn detect(&self, offline: bool) -> DetectedModels {
        if offline || self.forbidden() {
            return rehearse("Nothing is configured, and looking around is forbidden (SYNOD_OFFLINE)");
        }
        let http = Http::default();
        let client = match http.client() {
            Ok(client) => client,
            Err(error) => return rehearse(&format!("Nothing is configured, and nothing can be asked: {error}")),
        };
        let (mut found, servers) = join(self.keyed(client), self.local(client)).await;
        self.add_local(&mut found, servers);
        if found.panel.seats.is_empty() && !found.refused.is_empty() {
            return DetectedModels { rehearsal: true, config: Config::default(), ..found };
        }
        if found.panel.seats.is_empty() {
            let why = if self.providers.iter().any(|provider| provider.has_key(&self.env)) {
                "Nothing is configured, and neither a provider nor this machine has a model to seat"
            } else {
                "Nothing is configured, no key is in the environment, and no model server answers on this machine"
            };
            let mut rehearsal = rehearse(why);
            rehearsal.warnings = found.warnings;
            rehearsal.lines.extend(found.lines);
            return rehearsal;
        }
        found.warnings.extend(found.refused.iter().map(|refused| format!("{}: {}; its models are not seated.", refused.field, refused.got)));
        found.config.panels.insert(PANEL.to_owned(), found.panel.clone());
        found
    }

    /// The local server that `local` stands for: the one that has most of these models, else the first that answers.
    pub async fn find_local(&self, ids: &[&str]) -> Option<EndpointConfig> {
        if self.forbidden() {
            return None;
        }
        let http = Http::default();
        let servers = self.local(http.client().ok()?).await;
        let has = |server: &LocalServer| server.models.iter().filter(|model| ids.contains(&model.id.as_str())).count();
        // Of several, `max_by_key` takes the last.
        servers.iter().rev().max_by_key(|server| has(server)).map(|server| server.endpoint.clone())
    }

    async fn keyed(&self, client: &reqwest::Client) -> DetectedModels {
        let providers: Vec<&Provider> = self.providers.iter().filter(|provider| provider.has_key(&self.env)).collect();
        let lists = join_all(providers.iter().map(|provider| {
            let endpoint = provider.endpoint();
            let key = endpoint.key_env.as_ref().and_then(|variable| (self.env)(variable)).map(|key| Secret::new(key.trim()));
            async move { list_models(client, &endpoint, key.as_ref(), self.within).await }
        }))
        .await;
        let mut found = DetectedModels::default();
        let mut offers = Vec::new();
        for (provider, list) in providers.into_iter().zip(lists) {
            if provider.endpoint().key_env.is_none() {
                let told = format!("{} is neither https nor this machine: {} is not sent to it.", provider.base_url, provider.key_env);
                found.warnings.push(told);
            }
            offers.extend(offer(&mut found, provider, list));
        }
        seat(&mut found, &offers);
        found
    }

    /// The local servers that answer, in the order of the table.
    async fn local(&self, client: &reqwest::Client) -> Vec<LocalServer> {
        let lists = self.servers.iter().map(|(_, endpoint)| {
            let key = endpoint.key_env.as_ref().and_then(|variable| (self.env)(variable)).map(|key| Secret::new(key.trim()));
            async move { list_models(client, endpoint, key.as_ref(), self.within).await }
        });
        let lists = join_all(lists).await;
        let answered = self.servers.iter().zip(lists).filter_map(|((name, endpoint), list)| {
            let models = list.ok()?.into_iter().filter(|model| talks(&model.id)).collect();
            Some(LocalServer { name: name.clone(), endpoint: endpoint.clone(), models })
        });
        answered.collect()
    }

    fn add_local(&self, found: &mut DetectedModels, servers: Vec<LocalServer>) {
        let keyed = !found.panel.seats.is_empty();
        for server in &servers {
            found.config.endpoints.insert(server.name.clone(), server.endpoint.clone());
            found.config.endpoints.entry(LOCAL.to_owned()).or_insert_with(|| server.endpoint.clone());
            if server.models.is_empty() {
                found.warnings.push(format!("The model server at {} has no model to talk to.", server.address()));
            }
        }
        let mut servers: Vec<LocalServer> = servers.into_iter().filter(|server| !server.models.is_empty()).collect();
        if keyed {
            found.lines.extend(servers.iter().map(|server| {
                let (name, model) = (&server.name, &server.models[0].id);
                format!("{} is there too and not seated: {name}/{model} names its first model.", server.found())
            }));
            return;
        }
        // One model of each server in turn.
        let mut turn = 0;
        let mut seated: Vec<Vec<String>> = vec![Vec::new(); servers.len()];
        while found.panel.seats.len() < ENOUGH && servers.iter().any(|server| !server.models.is_empty()) {
            let at = turn % servers.len();
            turn += 1;
            if !servers[at].models.is_empty() {
                let model = servers[at].models.remove(0);
                let name = format!("{}/{}", servers[at].name, model.id);
                found.panel.seats.push(name.clone());
                seated[at].push(name);
            }
        }
        let left = servers.iter().flat_map(|server| server.models.iter().map(|model| format!("{}/{}", server.name, model.id)));
        found.reserve = left.take(ENOUGH).collect();
        for (server, seated) in servers.iter().zip(&seated) {
            let seating = if seated.is_empty() { "none is seated".to_owned() } else { format!("seating {}", seated.join(", ")) };
            let all = seated.len() + server.models.len();
            found.lines.push(format!("Found {} at {} with {}: {seating}.", server.name, server.address(), count(all)));
        }
        if let [only] = found.panel.seats.as_slice() {
            let advice = format!("Only {only} is there. One more model, or a key, e.g. {}, seats a second one.", self.next_key());
            found.lines.push(advice);
        }
    }

    /// The key to name to somebody who has none of it.
    fn next_key(&self) -> &str {
        self.providers.iter().find(|provider| !provider.has_key(&self.env)).map_or("OPENAI_API_KEY", |provider| provider.key_env.as_str())
    }
}

struct LocalServer {
    name: String,
    endpoint: EndpointConfig,
    models: Vec<Listed>,
}

impl LocalServer {
    /// Host and port, as people say it.
    fn address(&self) -> &str {
        address(&self.endpoint.base_url)
    }
    fn found(&self) -> String {
        format!("{} at {} with {}", self.name, self.address(), count(self.models.len()))
    }
}

/// Host and port of an address.
pub(crate) fn address(base_url: &str) -> &str {
    let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest);
    host.rsplit('@').next().unwrap_or(host)
}

fn count(models: usize) -> String {
    if models == 1 { "one model".to_owned() } else { format!("{models} models") }
}

/// False for a model that by its name answers in something else than words.
fn talks(id: &str) -> bool {
    let id = id.to_lowercase();
    let others = ["embed", "rerank", "whisper", "tts", "transcribe", "moderation", "dall-e", "image", "audio", "realtime", "veo", "sora"];
    !others.iter().any(|other| id.contains(other))
}

/// A model that a provider has and that may be seated.
struct Offer {
    name: String,
    key_env: String,
    vendor: String,
    tier: Tier,
    /// From a provider of many vendors, who only fills up.
    fills_up: bool,
}

/// What a provider can seat: the table's models as far as its own list has them.
fn offer(found: &mut DetectedModels, provider: &Provider, list: Result<Vec<Listed>, ListError>) -> Vec<Offer> {
    let date = &PROVIDERS.date;
    let list = match list {
        Ok(list) => Some(list),
        Err(ListError::KeyRefused(status)) => {
            let got = format!("{} refuses the key in it ({status})", provider.name);
            found.refused.push(Problem::new(&provider.key_env, got, format!("a key that {} takes", provider.name)).code(ProblemCode::NoKey));
            return Vec::new();
        }
        Err(why) => {
            found.warnings.push(format!("{}: {why}; its models could not be compared with the built-in table of {date}.", provider.name));
            None
        }
    };
    let listed = |id: &str| list.as_ref().is_none_or(|list| list.iter().any(|known| known.id == id));
    let mut ids: Vec<(String, Tier)> = Vec::new();
    for (id, tier) in provider.heavy.iter().map(|id| (id, Tier::Heavy)).chain([(&provider.light, Tier::Light)]) {
        if listed(id) {
            ids.push((id.clone(), tier));
        } else if tier == Tier::Heavy {
            found.warnings.push(format!("{} no longer lists {id}, which the built-in table of {date} names; it is not seated.", provider.name));
        }
    }
    if ids.is_empty() {
        // The table is older than the provider's list, or the address leads elsewhere: whatever is most like what was looked for.
        let known = list.into_iter().flatten().map(|model| model.id).filter(|id| talks(id)).collect();
        let near = nearest_first(&provider.heavy[0], known);
        ids.extend(near.into_iter().take(if provider.heavy.len() > 1 { ENOUGH } else { 1 }).map(|id| (id, Tier::Heavy)));
    }
    let fills_up = provider.heavy.len() > 1;
    let offers = ids.into_iter().map(|(id, tier)| {
        let vendor = id.split_once('/').filter(|_| fills_up).map_or(provider.name.as_str(), |(vendor, _)| vendor);
        let vendor = if vendor == "google" { "gemini" } else { vendor }.to_owned();
        Offer { name: name_model(found, provider, &id, tier), key_env: provider.key_env.clone(), vendor, tier, fills_up }
    });
    offers.collect()
}

/// Seats what is offered, each model once: the vendors' own heavy models, heavy ones of vendors that do not sit yet, then lighter ones.
fn seat(found: &mut DetectedModels, offers: &[Offer]) {
    let mut seated: Vec<&Offer> = offers.iter().filter(|offer| offer.tier == Tier::Heavy && !offer.fills_up).collect();
    let fills_up = |offer: &&Offer| offer.tier == Tier::Heavy && offer.fills_up;
    for offer in offers.iter().filter(fills_up) {
        if seated.len() < ENOUGH && !seated.iter().any(|other| other.vendor == offer.vendor) {
            seated.push(offer);
        }
    }
    let mut lighter: Vec<&Offer> = offers.iter().filter(|offer| offer.tier == Tier::Light).collect();
    lighter.sort_by_key(|offer| offer.fills_up);
    found.panel.light = lighter.first().map(|offer| offer.name.clone());
    for offer in lighter {
        let sits = |other: &&Offer| offer.fills_up && !other.fills_up && other.vendor == offer.vendor;
        if seated.len() < ENOUGH {
            seated.push(offer);
        } else if !seated.iter().any(sits) {
            found.reserve.push(offer.name.clone());
        }
    }
    let mut keys: Vec<&str> = Vec::new();
    for offer in offers {
        if !keys.contains(&offer.key_env.as_str()) {
            keys.push(&offer.key_env);
        }
    }
    for key in keys {
        let names: Vec<&str> = seated.iter().filter(|offer| offer.key_env == key).map(|offer| offer.name.as_str()).collect();
        let seating = if names.is_empty() { "its models are not needed".to_owned() } else { format!("seating {}", names.join(", ")) };
        found.lines.push(format!("{key} is set: {seating}."));
    }
    if let Some(first) = seated.first()
        && seated.iter().all(|offer| offer.vendor == first.vendor)
    {
        let other = PROVIDERS.provider.iter().find(|provider| provider.name != first.vendor && provider.key_env != first.key_env);
        let key = other.map_or("OPENAI_API_KEY", |provider| provider.key_env.as_str());
        found.lines.push(format!("Every seat is one vendor's. One more key, e.g. {key}, seats a second vendor."));
    }
    found.panel.seats = seated.iter().map(|offer| offer.name.clone()).collect();
}

fn name_model(found: &mut DetectedModels, provider: &Provider, id: &str, tier: Tier) -> String {
    found.config.endpoints.entry(provider.name.clone()).or_insert_with(|| provider.endpoint());
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
    DetectedModels { config, panel, lines, rehearsal: true, ..DetectedModels::default() }
}
