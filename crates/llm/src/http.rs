//! The one HTTP client of a registry, made when the first endpoint needs it.
//!
//! Redirects are refused: a key must not follow one to another host. Plain http is HTTP/1.1; https may agree on HTTP/2.

use crate::scrub::{Secret, scrub};
use crate::wire::request::headers;
use serde_json::Value;
use std::sync::OnceLock;
use std::time::Duration;
use synod_config::{EndpointConfig, EndpointKind};

#[derive(Default)]
pub(crate) struct Http(OnceLock<Result<reqwest::Client, String>>);

impl Http {
    pub fn client(&self) -> Result<&reqwest::Client, String> {
        self.0.get_or_init(make).as_ref().map_err(Clone::clone)
    }
}

fn make() -> Result<reqwest::Client, String> {
    // An error only means that somebody in this process was first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("synod/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .build()
        .map_err(|error| format!("no HTTP client: {error}"))
}

/// The ids a provider lists. Costs nothing.
pub(crate) async fn list_models(
    client: &reqwest::Client,
    endpoint: &EndpointConfig,
    key: Option<&Secret>,
    within: Duration,
) -> Result<Vec<String>, String> {
    // Without these some list only their first page.
    let query = match endpoint.kind {
        EndpointKind::Anthropic => "?limit=1000",
        EndpointKind::Gemini => "?pageSize=1000",
        EndpointKind::OpenAi | EndpointKind::Rehearsal | EndpointKind::Cassette => "",
    };
    let mut request = client.get(format!("{}models{query}", endpoint.base_url)).timeout(within);
    for (name, value) in headers(endpoint.kind, key) {
        request = request.header(name, value);
    }
    let plain = |error: reqwest::Error| scrub(&error.without_url().to_string(), key, 200);
    let response = request.send().await.map_err(plain)?;
    let status = response.status();
    if !status.is_success() {
        return Err(format!("its model list answers {}", status.as_u16()));
    }
    let body: Value = response.json().await.map_err(plain)?;
    let entries = body["data"].as_array().or(body["models"].as_array()).ok_or("its model list is not one we can read")?;
    let ids = entries.iter().filter_map(|entry| entry["id"].as_str().or(entry["name"].as_str()));
    Ok(ids.map(|id| id.strip_prefix("models/").unwrap_or(id).to_owned()).collect())
}
