//! The dated table of providers, read from `providers.toml`, and the model servers people run themselves: endpoints that need no entry in a
//! configuration. Facts only: who is asked and seated is decided in `detect`.

use crate::registry::Env;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use synod_config::{EndpointConfig, EndpointKind};
use synod_types::Price;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Providers {
    pub date: String,
    pub provider: Vec<Provider>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    pub name: String,
    #[serde(deserialize_with = "kind")]
    pub kind: EndpointKind,
    pub base_url: String,
    pub key_env: String,
    /// Variables that may hold another address, the first that is set counts.
    #[serde(default)]
    pub address_env: Vec<String>,
    /// What such an address leaves out at its end.
    #[serde(default)]
    pub version: Option<String>,
    pub heavy: Vec<String>,
    pub light: String,
    pub prices: BTreeMap<String, Price>,
}

fn kind<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<EndpointKind, D::Error> {
    let name = String::deserialize(deserializer)?;
    EndpointKind::parse(&name).ok_or_else(|| serde::de::Error::custom(format!("unknown kind {name:?}")))
}

/// The table this binary was built with. A test reads it, so that it cannot fail later.
pub static PROVIDERS: LazyLock<Providers> =
    LazyLock::new(|| toml::from_str(include_str!("providers.toml")).expect("providers.toml is part of the binary"));

/// The published price of a model at this address. `None`: unknown, never free.
pub(crate) fn price(endpoint: &EndpointConfig, id: &str) -> Option<Price> {
    let provider = PROVIDERS.provider.iter().find(|provider| provider.base_url == endpoint.base_url)?;
    provider.prices.get(id).copied()
}

/// A model server on one's own machine: its endpoint's name, and the port it listens on unless told otherwise.
const LOCAL_SERVERS: [(&str, u16); 4] = [("ollama", 11434), ("llamacpp", 8080), ("lmstudio", 1234), ("vllm", 8000)];

/// Whichever of the local servers answers.
pub const LOCAL: &str = "local";

fn set(env: &Env, variable: &str) -> Option<String> {
    env(variable).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

impl Provider {
    pub fn has_key(&self, env: &Env) -> bool {
        set(env, &self.key_env).is_some()
    }

    /// The variable that moves this provider to another address, and that address.
    pub fn moved(&self, env: &Env) -> Option<(&str, String)> {
        self.address_env.iter().find_map(|variable| {
            let mut address = set(env, variable)?;
            if let Some(version) = &self.version
                && !address.trim_end_matches('/').ends_with(version.as_str())
            {
                address = format!("{}/{version}", address.trim_end_matches('/'));
            }
            Some((variable.as_str(), address))
        })
    }

    /// Where the environment says it is. Published prices are those of the provider's own address.
    pub fn placed(&self, env: &Env) -> Self {
        match self.moved(env) {
            Some((_, base_url)) => Self { base_url, prices: BTreeMap::new(), ..self.clone() },
            None => self.clone(),
        }
    }

    /// Its endpoint. A key goes to https or to this machine, and nowhere else.
    pub fn endpoint(&self) -> EndpointConfig {
        let endpoint = EndpointConfig::new(self.kind, self.base_url.as_str());
        let may_have_key = endpoint.base_url.starts_with("https://") || endpoint.is_loopback();
        EndpointConfig { key_env: may_have_key.then(|| self.key_env.clone()), ..endpoint }
    }
}

/// The endpoint of a model server on one's own machine, which mostly has one graphics card.
fn local_endpoint(base_url: &str) -> EndpointConfig {
    EndpointConfig { concurrency: 2, ..EndpointConfig::new(EndpointKind::OpenAi, base_url) }
}

/// The local servers with their addresses; Ollama's may be moved by its own variable.
pub(crate) fn local_servers(env: &Env) -> Vec<(String, EndpointConfig)> {
    let address = |name: &str, port: u16| match set(env, "OLLAMA_HOST").filter(|_| name == "ollama").and_then(|host| ollama_address(&host)) {
        Some(address) => address,
        None => format!("http://127.0.0.1:{port}/v1"),
    };
    LOCAL_SERVERS.iter().map(|(name, port)| ((*name).to_owned(), local_endpoint(&address(name, *port)))).collect()
}

/// `OLLAMA_HOST` as its tools read it: a host, a port, both, or a whole address. A server that listens everywhere is asked on this machine.
fn ollama_address(host: &str) -> Option<String> {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (place, path) = rest.trim_end_matches('/').split_once('/').unwrap_or((rest.trim_end_matches('/'), ""));
    let url =
        reqwest::Url::parse(&format!("{scheme}://{}", if place.starts_with(':') { format!("127.0.0.1{place}") } else { place.to_owned() })).ok()?;
    let name = match url.host_str()? {
        "0.0.0.0" | "[::]" => "127.0.0.1",
        other => other,
    };
    // Without a port, a plain host means Ollama's own; an address with a scheme means the scheme's.
    let port = match (url.port(), host.contains("://")) {
        (Some(port), _) => format!(":{port}"),
        (None, true) => String::new(),
        (None, false) => format!(":{}", LOCAL_SERVERS[0].1),
    };
    let path = path.strip_suffix("v1").unwrap_or(path).trim_matches('/');
    Some(if path.is_empty() { format!("{scheme}://{name}{port}/v1") } else { format!("{scheme}://{name}{port}/{path}/v1") })
}

/// Every endpoint that needs no entry, by name. `local` stands where Ollama does until somebody has looked which server answers.
pub fn built_in(env: &Env) -> BTreeMap<String, EndpointConfig> {
    let keyed = PROVIDERS.provider.iter().map(|provider| (provider.name.clone(), provider.placed(env).endpoint()));
    let servers = local_servers(env);
    let first = servers.first().map(|(_, endpoint)| (LOCAL.to_owned(), endpoint.clone()));
    keyed.chain(servers).chain(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_configuration_knows_the_same_names() {
        let mut known = synod_config::BUILT_IN.to_vec();
        known.sort_unstable();
        let nothing: Env = Arc::new(|_| None);
        assert_eq!(built_in(&nothing).keys().map(String::as_str).collect::<Vec<_>>(), known);
    }

    #[test]
    fn an_address_in_the_environment_moves_an_endpoint_and_keys_stay_on_safe_roads() {
        let moved = |name: &'static str, variable: &'static str, value: &'static str| {
            let env: Env = Arc::new(move |asked| (asked == variable).then(|| value.to_owned()));
            let endpoint = built_in(&env).remove(name).expect("built in");
            (endpoint.base_url, endpoint.key_env.is_some())
        };
        let url = |text: &str, key: bool| (text.to_owned(), key);
        assert_eq!(moved("anthropic", "ANTHROPIC_BASE_URL", "https://gate.example"), url("https://gate.example/v1/", true));
        assert_eq!(moved("gemini", "GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9/v1beta/"), url("http://127.0.0.1:9/v1beta/", true));
        assert_eq!(moved("openai", "OPENAI_BASE_URL", "http://gate.example/v1"), url("http://gate.example/v1/", false));
        for (given, want) in [
            ("0.0.0.0", "http://127.0.0.1:11434/v1/"),
            (":8", "http://127.0.0.1:8/v1/"),
            ("box:11434", "http://box:11434/v1/"),
            ("https://box/ollama/v1", "https://box/ollama/v1/"),
        ] {
            assert_eq!(moved("ollama", "OLLAMA_HOST", given), url(want, false), "{given}");
        }
    }

    #[test]
    fn every_model_that_detection_seats_has_a_price() {
        assert_eq!(PROVIDERS.provider.len(), 4);
        for provider in &PROVIDERS.provider {
            for id in provider.heavy.iter().chain([&provider.light]) {
                assert!(provider.prices.contains_key(id), "{} has no price for {id}", provider.name);
            }
            assert!(provider.base_url.ends_with('/') && provider.base_url.starts_with("https://"), "{}", provider.base_url);
        }
    }
}
