//! What is seated when nothing is configured, and what is said about it.

use crate::common::*;
use std::time::Duration;
use synod_config::{EndpointConfig, EndpointKind};
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
    let at = |port: &u16| EndpointConfig::new(EndpointKind::OpenAi, format!("http://127.0.0.1:{port}/v1"));
    let servers = ports.iter().enumerate().map(|(n, port)| (format!("server{n}"), at(port))).collect();
    Detector { providers: providers(server), servers, within: Duration::from_millis(500), env }
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
    let lighter = format!("anthropic/{}", PROVIDERS.provider[0].light);
    let seats = [format!("anthropic/{}", heavy("anthropic")), format!("openai/{}", heavy("openai")), lighter.clone()];
    assert_eq!(found.panel.seats, seats, "both heavy ones, then a lighter one before anybody sits twice");
    assert_eq!(found.reserve, [format!("openai/{}", PROVIDERS.provider[1].light)], "for modes with more seats");
    assert!(!found.rehearsal && found.warnings.is_empty(), "{found:?}");
    assert_eq!(found.lines.len(), 2, "{:?}", found.lines);
    assert_eq!(found.config.panels["default"], found.panel);

    let registry = Registry::with_env(found.config, env);
    for seat in &found.panel.seats {
        let card = registry.resolve("seats", seat).expect("resolves");
        assert!(card.price.is_some() && (card.tier == Tier::Heavy) == (*seat != lighter), "{card:?}");
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
    assert_eq!(found.panel.seats.len(), 2, "as the table has it");
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
    let looking = detector(&server, ports, env(&[]));
    assert_eq!(looking.find_local(&[]).await.map(|found| found.base_url), Some(server.url() + "/"));
    let found = looking.detect(false).await;
    assert_eq!(found.panel.seats, ["server1/qwen3:8b", "server1/org/other:4b"]);
    assert!(found.lines[0].contains(&server.address().port().to_string()), "{:?}", found.lines);
    let registry = Registry::with_env(found.config, env(&[]));
    let card = registry.resolve("seats", "local/org/other:4b").expect("resolves");
    assert_eq!((card.id.as_str(), card.price), ("org/other:4b", None), "a price nobody gave is unknown, not zero");
    let request = request(&card.id);
    registry.open(&card).expect("opens").call(&request, &context()).await.expect("answers");
}

#[tokio::test]
async fn every_local_server_that_answers_is_found_and_seated_in_turn() {
    let (first, second) = (ModelServer::start().await, ModelServer::start().await);
    first.list_models(&["a", "b"]);
    second.list_models(&["c"]);
    let ports = vec![first.address().port(), second.address().port()];
    let looking = detector(&first, ports.clone(), env(&[]));
    let found = looking.detect(false).await;
    assert_eq!(found.panel.seats, ["server0/a", "server1/c", "server0/b"]);
    assert_eq!(looking.find_local(&["c"]).await.map(|found| found.base_url), Some(second.url() + "/"), "`local` is the server that has the model");
    let keyed = detector(&first, ports, env(&[("OPENAI_API_KEY", "k")])).detect(false).await;
    assert!(keyed.panel.seats.iter().all(|seat| seat.starts_with("openai/")), "{:?}", keyed.panel);
    assert!(keyed.lines.iter().any(|line| line.contains("server1/c") && line.contains("not seated")), "{:?}", keyed.lines);
    Registry::with_env(keyed.config, env(&[])).resolve("models", "server1/c").expect("it can be named all the same");
}

#[tokio::test]
async fn a_key_that_is_refused_seats_nobody_and_is_told() {
    let server = ModelServer::start().await;
    everything_listed(&server);
    server.want_key("right");
    let found = detector(&server, vec![], env(&[("OPENAI_API_KEY", "right"), ("ANTHROPIC_API_KEY", "wrong")])).detect(false).await;
    assert!(found.panel.seats.iter().all(|seat| seat.starts_with("openai/")), "{:?}", found.panel);
    assert!(found.warnings.iter().any(|warning| warning.contains("ANTHROPIC_API_KEY")), "{:?}", found.warnings);
    let alone = detector(&server, vec![], env(&[("ANTHROPIC_API_KEY", "wrong")])).detect(false).await;
    assert!(alone.rehearsal && alone.refused[0].field == "ANTHROPIC_API_KEY", "{alone:?}");
}

#[tokio::test]
async fn a_provider_that_has_nothing_of_the_table_seats_what_is_most_like_it() {
    let server = ModelServer::start().await;
    let successor = format!("{}b", heavy("openai"));
    server.list_models(&["text-embedding-9", "whisper-9", "another", &successor]);
    let found = detector(&server, vec![], env(&[("OPENAI_API_KEY", "k")])).detect(false).await;
    assert_eq!(found.panel.seats, [format!("openai/{successor}")]);
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
