//! The real registry, pointed at a model server of a test: no retries that would blur counts, no breaker that would hide a fault.

use std::sync::Arc;
use synod_config::{Config, EndpointConfig, EndpointKind, ModelConfig};
use synod_llm::Registry;
use synod_types::Price;

/// Models of these names, each under its own id, at one OpenAI-compatible endpoint.
pub fn served(url: &str, names: &[String]) -> Arc<Registry> {
    let endpoint =
        EndpointConfig { retries: 0, backoff_ms: 1, breaker_failures: 0, concurrency: 16, ..EndpointConfig::new(EndpointKind::OpenAi, url) };
    // Without a price: nothing is counted in tokens, and a process that lives for an instant need not load a vocabulary.
    served_at(endpoint, None, names)
}

/// The same at any endpoint, for a price.
pub fn served_at(endpoint: EndpointConfig, price: Option<Price>, names: &[String]) -> Arc<Registry> {
    let model = |name: &String| (name.clone(), ModelConfig { price, ..ModelConfig::new("test", name.as_str()) });
    Arc::new(Registry::with_env(
        Config { endpoints: [("test".to_owned(), endpoint)].into(), models: names.iter().map(model).collect(), ..Config::default() },
        Arc::new(|_| None),
    ))
}
