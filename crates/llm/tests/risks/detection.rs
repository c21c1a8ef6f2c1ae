//! What is seated when nothing is configured, and what is said about it.

use crate::common::*;
use std::time::Duration;
use synod_config::EndpointKind;
use synod_engine::Models;
use synod_llm::{DetectedModels, Detector, Env, PROVIDERS, Provider, Registry};
use synod_testkit::server::ModelServer;
use synod_types::{Price, Tier};

/// The real table, at the test server's address.
fn providers(server: &ModelServer) -> Vec<Provider> {
    PROVIDERS
        .provider
        .iter()
        .cloned()
        .map(|provider| Provider {
            base_url: if provider.kind == EndpointKind::Gemini { server.gemini_url() } else { server.url() } + "/",
            ..provider
        })
        .collect()
}

fn detector(server: &ModelServer, ports: Vec<u16>, env: Env) -> Detector {
    Detector { providers: providers(server), ports, within: Duration::from_millis(500), env }
}

fn everything_listed(server: &ModelServer) {
    let ids: Vec<&str> = PROVIDERS.provider.iter().flat_map(|provider| provider.heavy.iter().chain([&provider.light])).map(String::as_str).collect();
    server.list_models(&ids);
}

fn heavy(name: &str) -> &'static str {
    &PROVIDERS.provider.iter().find(|provider| provider.name == name).expect("in the table").heavy[0]
}

async fn nothing_there() -> u16 {
    let server = ModelServer::start().await;
    let port = server.address().port();
    server.stop().await;
    port
}

#[tokio::test]
async fn providers_whose_key_is_set_are_seated_with_their_heavy_models() {
    let server = ModelServer::start().await;
    everything_listed(&server);
    let env = env(&[("OPENAI_API_KEY", "k1"), ("ANTHROPIC_API_KEY", "k2")]);
    let found = detector(&server, vec![], env.clone()).detect(false).await;
    assert_eq!(found.panel.seats, [format!("anthropic/{}", heavy("anthropic")), format!("openai/{}", heavy("openai"))]);
    assert!(!found.rehearsal && found.warnings.is_empty(), "{found:?}");
    assert_eq!(found.lines.len(), 2, "{:?}", found.lines);
    assert_eq!(found.config.panels["default"], found.panel);

    let registry = Registry::with_env(found.config, env);
    for seat in &found.panel.seats {
        let card = registry.resolve("seats", seat).expect("resolves");
        assert!(card.price.is_some() && card.tier == Tier::Heavy, "{card:?}");
    }
    let light = registry.resolve("light", found.panel.light.as_deref().expect("a light model")).expect("resolves");
    assert_eq!(light.tier, Tier::Light);
    assert_eq!(server.total(), 0, "nothing was asked that costs");
}

#[tokio::test]
async fn a_model_the_provider_no_longer_lists_is_not_seated_and_said() {
    let server = ModelServer::start().await;
    server.list_models(&[&PROVIDERS.provider[0].light]);
    let found = detector(&server, vec![], env(&[("ANTHROPIC_API_KEY", "k")])).detect(false).await;
    assert_eq!(found.panel.seats, [format!("anthropic/{}", PROVIDERS.provider[0].light)], "better a light seat than none");
    assert!(found.warnings.iter().any(|warning| warning.contains(heavy("anthropic")) && warning.contains(&PROVIDERS.date)), "{:?}", found.warnings);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_a_warning_and_no_more() {
    let server = ModelServer::start().await;
    let url = format!("http://127.0.0.1:{}/v1/", nothing_there().await);
    let mut detector = detector(&server, vec![], env(&[("ANTHROPIC_API_KEY", "a-secret-key")]));
    detector.providers.iter_mut().for_each(|provider| provider.base_url = url.clone());
    let found = detector.detect(false).await;
    assert_eq!(found.panel.seats.len(), 1);
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
    assert!(!format!("{found:?}").contains("a-secret-key"));
}

#[tokio::test]
async fn one_key_for_many_vendors_fills_the_table_up() {
    let server = ModelServer::start().await;
    everything_listed(&server);
    let alone = detector(&server, vec![], env(&[("OPENROUTER_API_KEY", "k")])).detect(false).await;
    assert_eq!(alone.panel.seats.len(), 3, "{:?}", alone.panel);
    let with = detector(&server, vec![], env(&[("OPENROUTER_API_KEY", "k"), ("OPENAI_API_KEY", "k")])).detect(false).await;
    let vendors: Vec<bool> = with.panel.seats.iter().map(|seat| seat.contains("gpt")).collect();
    assert_eq!(vendors.iter().filter(|gpt| **gpt).count(), 1, "nobody sits twice: {:?}", with.panel);
    assert_eq!(with.panel.seats.len(), 3, "{:?}", with.panel);
}

#[tokio::test]
async fn without_keys_a_model_server_on_this_machine_is_used() {
    let server = ModelServer::start().await;
    server.list_models(&["qwen3:8b", "nomic-embed-text", "org/other:4b"]);
    let ports = vec![nothing_there().await, server.address().port()];
    let found = detector(&server, ports, env(&[])).detect(false).await;
    assert_eq!(found.panel.seats, ["local/qwen3:8b", "local/org/other:4b"]);
    assert!(found.lines[0].contains(&server.address().port().to_string()), "{:?}", found.lines);
    let registry = Registry::with_env(found.config, env(&[]));
    let card = registry.resolve("seats", "local/org/other:4b").expect("resolves");
    assert_eq!((card.id.as_str(), card.price), ("org/other:4b", None), "a price nobody gave is unknown, not zero");
    let request = request(&card.id);
    registry.open(&card).expect("opens").call(&request, &context()).await.expect("answers");
}

fn is_rehearsal(found: &DetectedModels) {
    assert!(found.rehearsal);
    assert!(found.lines[0].contains("rehearsal"), "{:?}", found.lines);
    let registry = Registry::with_env(found.config.clone(), env(&[]));
    assert!(found.panel.seats.len() >= 3);
    for seat in &found.panel.seats {
        let card = registry.resolve("seats", seat).expect("resolves");
        assert!(card.rehearsal && card.price == Some(Price::FREE), "{card:?}");
    }
}

#[tokio::test]
async fn with_nothing_at_all_it_is_a_rehearsal_and_says_so() {
    let server = ModelServer::start().await;
    is_rehearsal(&detector(&server, vec![nothing_there().await], env(&[])).detect(false).await);
}

#[tokio::test]
async fn offline_looks_nowhere() {
    let server = ModelServer::start().await;
    everything_listed(&server);
    let ports = vec![server.address().port()];
    is_rehearsal(&detector(&server, ports.clone(), env(&[("OPENAI_API_KEY", "k")])).detect(true).await);
    is_rehearsal(&detector(&server, ports, env(&[("OPENAI_API_KEY", "k"), ("SYNOD_OFFLINE", "1")])).detect(false).await);
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn an_empty_key_is_no_key() {
    let server = ModelServer::start().await;
    is_rehearsal(&detector(&server, vec![], env(&[("OPENAI_API_KEY", "  ")])).detect(false).await);
}
