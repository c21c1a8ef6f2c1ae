//! The models a process knows: names resolved, endpoints shared, keys read afresh.

use crate::cassette::Cassettes;
use crate::endpoint::Endpoint;
use crate::http::Http;
use crate::learned::Learned;
use crate::rehearsal::Rehearsal;
use crate::scrub::{Secret, Secrets};
use crate::wire::WireModel;
use crate::{probe, providers};
use futures::future::BoxFuture;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use synod_config::{Config, EndpointConfig, EndpointKind, PanelConfig};
use synod_engine::{Model, Models};
use synod_types::{ModelCard, Price, Problem, ProblemCode};

/// Looks up an environment variable. A value, so that tests need not change the process's own.
pub type Env = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The process's own environment.
pub fn process_env() -> Env {
    Arc::new(|name| std::env::var(name).ok())
}

pub struct Registry {
    config: Config,
    env: Env,
    pub(crate) http: Http,
    /// Limits and breakers, one per endpoint for all runs of the process.
    endpoints: Mutex<BTreeMap<String, Arc<Endpoint>>>,
    cassettes: Cassettes,
    pub(crate) learned: Arc<Learned>,
    /// When each endpoint last took a connection.
    pub(crate) reached: Mutex<BTreeMap<String, Instant>>,
}

impl Registry {
    pub fn new(config: Config) -> Self {
        Self::with_env(config, process_env())
    }

    pub fn with_env(config: Config, env: Env) -> Self {
        Self {
            config,
            env,
            http: Http::default(),
            endpoints: Mutex::default(),
            cassettes: Cassettes::default(),
            learned: Arc::default(),
            reached: Mutex::default(),
        }
    }

    /// With what was learned before about models.
    pub fn knowing(mut self, learned: Arc<Learned>) -> Self {
        self.learned = learned;
        self
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn panel(&self, name: &str) -> Option<&PanelConfig> {
        self.config.panels.get(name)
    }

    fn shared(&self, name: &str, config: &EndpointConfig) -> Arc<Endpoint> {
        let mut endpoints = self.endpoints.lock().unwrap_or_else(PoisonError::into_inner);
        endpoints.entry(name.to_owned()).or_insert_with(|| Arc::new(Endpoint::new(name, config.clone()))).clone()
    }

    /// The endpoint's key, if it has one. A variable that is named but not set is a problem of whoever named it.
    pub(crate) fn key(&self, name: &str, endpoint: &EndpointConfig) -> Result<Option<Secret>, Problem> {
        let Some(variable) = &endpoint.key_env else { return Ok(None) };
        match (self.env)(variable).filter(|key| !key.trim().is_empty()) {
            Some(key) => Ok(Some(Secret::new(key.trim()))),
            None => Err(Problem::new(
                format!("endpoints.{name}.key_env"),
                format!("{variable} is not set"),
                format!("{variable} in the environment, or models of another endpoint"),
            )
            .code(ProblemCode::NoKey)),
        }
    }

    /// The keys of all endpoints: one may say back what another was sent.
    fn secrets(&self) -> Secrets {
        let mut variables: Vec<&String> = self.config.endpoints.values().filter_map(|endpoint| endpoint.key_env.as_ref()).collect();
        variables.sort_unstable();
        variables.dedup();
        let keys = variables.into_iter().filter_map(|variable| (self.env)(variable)).map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        Secrets::new(keys.map(Secret::new).collect())
    }

    fn open_endpoint(&self, field: &str, name: &str, thinking_tokens: Option<u32>, depth: u8) -> Result<Arc<dyn Model>, Problem> {
        let Some(endpoint) = self.config.endpoint(name) else {
            return Err(Problem::new(field, format!("endpoint `{name}`, which is not configured"), self.config.names()));
        };
        match endpoint.kind {
            EndpointKind::Rehearsal => Ok(Arc::new(Rehearsal::new())),
            EndpointKind::Cassette => {
                let inner = match &endpoint.record {
                    Some(_) if depth > 0 => {
                        return Err(Problem::new(format!("endpoints.{name}.record"), "another cassette", "an endpoint that answers by itself"));
                    }
                    Some(inner) => {
                        let key = match self.config.endpoint(inner) {
                            Some(config) => self.key(inner, &config)?,
                            None => None,
                        };
                        Some((self.open_endpoint(field, inner, thinking_tokens, depth + 1)?, key))
                    }
                    None => None,
                };
                self.cassettes.open(name, &endpoint, inner)
            }
            EndpointKind::OpenAi | EndpointKind::Anthropic | EndpointKind::Gemini => {
                let key = self.key(name, &endpoint)?;
                let http = self.http.client().map_err(|error| Problem::new(field, error, "a working TLS setup on this machine"))?.clone();
                let thinking_tokens = thinking_tokens.or(endpoint.thinking_tokens);
                let (endpoint, learned, secrets) = (self.shared(name, &endpoint), self.learned.clone(), self.secrets());
                Ok(Arc::new(WireModel { endpoint, http, key, secrets, learned, thinking_tokens }))
            }
        }
    }

    /// Nothing goes to an endpoint that only the file of an untrusted directory defines.
    fn trusted(&self, field: &str, name: &str, endpoint: &str) -> Result<(), Problem> {
        if self.config.untrusted.is_empty() {
            return Ok(());
        }
        let Some((real, config)) = self.real(endpoint).filter(|(real, _)| self.config.untrusted.contains(*real)) else { return Ok(()) };
        if config.base_url.is_empty() {
            return Ok(());
        }
        let got = format!(
            "{name:?} of endpoint `{real}` ({}), which only the file of this directory defines, and you have not trusted it",
            config.base_url
        );
        Err(Problem::new(field, got, self.config.foreign.trust_line.clone()).code(ProblemCode::Untrusted))
    }

    /// What a name that is no model here may have meant.
    fn near(&self, name: &str) -> Vec<String> {
        let of_endpoint = name.split_once('/').into_iter().flat_map(|(_, id)| self.config.endpoints.keys().map(move |known| format!("{known}/{id}")));
        let by_id = self.config.models.values().map(|model| format!("{}/{}", model.endpoint, model.id));
        self.config.models.keys().cloned().chain(by_id).chain(of_endpoint).collect()
    }

    /// The endpoint that really answers: a recording cassette's, else the card's own.
    pub(crate) fn real<'a>(&'a self, name: &'a str) -> Option<(&'a str, Cow<'a, EndpointConfig>)> {
        let endpoint = self.config.endpoint(name)?;
        match &endpoint.record {
            Some(inner) => {
                let (inner, _) = self.config.endpoints.get_key_value(inner)?;
                Some((inner, self.config.endpoint(inner)?))
            }
            None => Some((name, endpoint)),
        }
    }
}

impl Models for Registry {
    fn resolve(&self, field: &str, name: &str) -> Result<ModelCard, Problem> {
        let Some(model) = self.config.find(name) else {
            let near = self.near(name);
            return Err(Problem::new(field, format!("{name:?}, which is no model here"), format!("one of {}", self.config.names()))
                .unknown(name, near.iter().map(String::as_str)));
        };
        let Some(endpoint) = self.config.endpoint(&model.endpoint) else {
            return Err(Problem::new(field, format!("{name:?} of endpoint `{}`, which is not configured", model.endpoint), self.config.names()));
        };
        self.trusted(field, name, &model.endpoint)?;
        self.key(&model.endpoint, &endpoint)?;
        let rehearsal = endpoint.kind == EndpointKind::Rehearsal;
        let price = if rehearsal { Some(Price::FREE) } else { model.price.or_else(|| providers::price(&endpoint, &model.id)) };
        let effort = model.effort.or(endpoint.effort);
        Ok(ModelCard { name: name.to_owned(), endpoint: model.endpoint, id: model.id, tier: model.tier, price, effort, rehearsal })
    }

    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem> {
        let field = format!("models.{}", card.name);
        self.trusted(&field, &card.name, &card.endpoint)?;
        let thinking_tokens = self.config.find(&card.name).and_then(|model| model.thinking_tokens);
        self.open_endpoint(&field, &card.endpoint, thinking_tokens, 0)
    }

    fn probe<'a>(&'a self, cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>> {
        Box::pin(probe::probe(self, cards))
    }
}
