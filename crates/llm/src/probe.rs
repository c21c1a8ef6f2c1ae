//! Is anybody there? One connection per endpoint before a run, at no cost.
//!
//! Only what is certain counts: a name that does not exist, or a refused connection. A slow network is not a problem yet. Behind a proxy
//! only the proxy can tell, so nothing is tried.

use crate::registry::Registry;
use futures::future::join_all;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant};
use synod_config::{EndpointConfig, EndpointKind};
use synod_types::{ModelCard, Problem, ProblemCode};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

const WITHIN: Duration = Duration::from_secs(1);
/// An endpoint that took a connection so recently is not tried again: a server starts many runs a second.
const FRESH: Duration = Duration::from_secs(30);

pub(crate) async fn probe(registry: &Registry, cards: &[&ModelCard]) -> Vec<Problem> {
    let reached = || registry.reached.lock().unwrap_or_else(PoisonError::into_inner);
    let mut endpoints: BTreeMap<&str, (Cow<'_, EndpointConfig>, Vec<&str>)> = BTreeMap::new();
    for card in cards {
        if let Some((name, endpoint)) = registry.real(&card.endpoint)
            && reached().get(name).is_none_or(|at| at.elapsed() > FRESH)
        {
            endpoints.entry(name).or_insert((endpoint, Vec::new())).1.push(&card.name);
        }
    }
    let tried = join_all(endpoints.iter().map(|(name, (endpoint, models))| one(name, endpoint, models))).await;
    for (name, problem) in endpoints.keys().zip(&tried) {
        if problem.is_none() {
            reached().insert((*name).to_owned(), Instant::now());
        }
    }
    tried.into_iter().flatten().collect()
}

async fn one(name: &str, endpoint: &EndpointConfig, models: &[&str]) -> Option<Problem> {
    match endpoint.kind {
        EndpointKind::OpenAi | EndpointKind::Anthropic | EndpointKind::Gemini => {}
        EndpointKind::Rehearsal | EndpointKind::Cassette => return None,
    }
    if !endpoint.is_loopback()
        && ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].iter().any(|name| std::env::var_os(name).is_some())
    {
        return None;
    }
    let url = reqwest::Url::parse(&endpoint.base_url).ok()?;
    let host = url.host_str()?.trim_start_matches('[').trim_end_matches(']').to_owned();
    let port = url.port_or_known_default()?;
    let why = timeout(WITHIN, reach(&host, port)).await.ok()?.err()?;
    let field = format!("endpoints.{name}.base_url");
    Some(
        Problem::new(
            field,
            format!("{host}:{port} ({why}), needed by {}", models.join(", ")),
            "an address that answers, or models of another endpoint",
        )
        .code(ProblemCode::Unreachable),
    )
}

/// The first address that takes the connection; else why none did, if that is certain.
async fn reach(host: &str, port: u16) -> Result<(), String> {
    let addresses = match lookup_host((host, port)).await {
        Ok(addresses) => addresses,
        Err(error) => return Err(format!("no such host: {error}")),
    };
    let mut refused = None;
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => refused = Some(error.to_string()),
            // Anything else may pass; the call itself will tell.
            Err(_) => return Ok(()),
        }
    }
    refused.map_or(Ok(()), Err)
}
