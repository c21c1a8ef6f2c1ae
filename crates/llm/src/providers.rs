//! The dated table of providers, read from `providers.toml`. Facts only: who is asked and seated is decided in `detect`.

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
    pub heavy: Vec<String>,
    pub light: String,
    pub prices: BTreeMap<String, Price>,
}

fn kind<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<EndpointKind, D::Error> {
    let name = String::deserialize(deserializer)?;
    let found = EndpointKind::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| serde::de::Error::custom(format!("unknown kind {name:?}")))
}

/// The table this binary was built with. A test reads it, so that it cannot fail later.
pub static PROVIDERS: LazyLock<Providers> =
    LazyLock::new(|| toml::from_str(include_str!("providers.toml")).expect("providers.toml is part of the binary"));

/// The published price of a model at this address. `None`: unknown, never free.
pub(crate) fn price(endpoint: &EndpointConfig, id: &str) -> Option<Price> {
    let provider = PROVIDERS.provider.iter().find(|provider| provider.base_url == endpoint.base_url)?;
    provider.prices.get(id).copied()
}

#[cfg(test)]
mod tests {
    use super::PROVIDERS;

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
