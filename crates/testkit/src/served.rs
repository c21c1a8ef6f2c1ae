//! The real registry, pointed at a model server of a test: no retries that would blur counts, no breaker that would hide a fault.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use synod_config::{Config, EndpointConfig, EndpointKind, ModelConfig};
use synod_engine::{NoLibrary, Prompts, Runner, Setup, SystemClock};
use synod_llm::Registry;
use synod_modes::MODES;
use synod_store::{Store, StoreSettings};
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

/// A Runner as the product wires one: an endpoint `x`, every mode, a journal on disk. For benchmarks.
pub async fn runner_on_disk(url: &str, database: &Path, stream: bool) -> Result<(Runner, Arc<Store>), Box<dyn Error + Send + Sync>> {
    let store = Arc::new(Store::open(&database.display().to_string(), StoreSettings::default()).await?);
    let endpoint = EndpointConfig { concurrency: 100_000, stream, ..EndpointConfig::new(EndpointKind::OpenAi, url) };
    let config = Config { endpoints: [("x".to_owned(), endpoint)].into(), ..Config::default() };
    let setup = Setup {
        internal_modes: &[],
        library: Arc::new(NoLibrary),
        modes: MODES,
        models: Arc::new(Registry::new(config)),
        journal: store.clone(),
        prompts: Arc::new(Prompts::load(MODES, None)?),
        clock: Arc::new(SystemClock),
        binary: "benchmark".into(),
        live: false,
        allowance: None,
        heartbeat: Duration::from_secs(1),
    };
    Ok((Runner::new(setup), store))
}
