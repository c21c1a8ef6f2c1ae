//! `synod.toml` and its environment: what they may say, where they are looked for, whom they may be trusted by, and everything that is wrong
//! with them at once. The doors read it; `llm` and `store` take the settings.
//!
//! Precedence, first wins: the environment, the file of a working directory that the user trusts, the user's file, the file of one that is not
//! trusted. A file named by the user replaces all of them. An entry (an endpoint, a model, a panel) is taken whole from one file; only the
//! environment changes single fields of it.
//! Refuses to guess: an unknown setting is an error, and so is a key or a recording in a directory the user has not trusted.

mod check;
mod claims;
mod environment;
mod file;
mod foreign;
mod load;
mod origin;
mod section;
mod server;
mod tree;
mod trust;

pub use claims::ClaimsConfig;
pub use file::{FileError, read_text, text_of, write_private};
pub use foreign::Foreign;
pub use load::Sources;
pub use server::ServerConfig;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use synod_types::{Durability, Effort, Price, Problems, Tier, plain_words};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    pub endpoints: BTreeMap<String, EndpointConfig>,
    pub models: BTreeMap<String, ModelConfig>,
    pub panels: BTreeMap<String, PanelConfig>,
    /// Directories whose own `synod.toml` counts as the user's.
    pub trusted: Vec<PathBuf>,
    /// A path or URL. Relative paths are already resolved against the file that gave them.
    pub db: Option<String>,
    pub durability: Option<Durability>,
    /// How long raw replies are kept. `None`: for ever.
    pub raw_retention_days: Option<u32>,
    pub limits: LimitsConfig,
    /// What the working directory's file adds, where the user has not trusted it.
    pub foreign: Foreign,
    /// Endpoints that only such a file defines: nothing goes there unless the user agrees.
    pub untrusted: BTreeSet<String>,
    /// Models of such a file, once they are laid under the others.
    pub admitted: BTreeSet<String>,
    /// What such a file would have changed, a sentence each.
    pub left_out: Vec<String>,
    pub server: ServerConfig,
    pub claims: ClaimsConfig,
    /// The files that were read, in order of precedence.
    pub files: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EndpointConfig {
    pub kind: EndpointKind,
    /// Ends in a slash. Empty for kinds that have no address.
    pub base_url: String,
    /// The environment variable that holds the key. The key itself is never in a file.
    pub key_env: Option<String>,
    /// Calls in flight at once; the others wait.
    pub concurrency: usize,
    pub requests_per_minute: Option<u32>,
    pub stream: bool,
    /// Turns that are offered tools may also use the provider's own web search. What it charges for searches is in no quote and no budget.
    pub web_search: bool,
    pub schema: SchemaMode,
    /// No text of a typed reply is longer than so many characters, no list longer than a few entries, and a number between two bounds comes in
    /// steps. For servers that turn a schema into a grammar (llama.cpp and others): a small model often never closes a text by itself, and its
    /// reply is then cut and lost.
    pub text_limit: Option<u32>,
    /// How hard its models are to think, unless a model says otherwise. `None`: as the provider has it.
    pub effort: Option<Effort>,
    /// Tokens a model may think before it answers, on top of what a reader sees. `None`: by effort, and by what the model was seen to need.
    pub thinking_tokens: Option<u32>,
    /// How often a call is tried again after 429, 5xx or a refused connection.
    pub retries: usize,
    /// The first pause between tries; each next one is twice as long, up to 30 s, with jitter.
    pub backoff_ms: u64,
    /// So many calls in a row that the endpoint failed, and it is left alone for `breaker_ms`. 0: never.
    pub breaker_failures: u32,
    pub breaker_ms: u64,
    /// Bytes of one reply that are read, frames and all; a reply that may be long gets more.
    pub reply_bytes: usize,
    /// Cassettes: the file with the recording.
    pub path: Option<PathBuf>,
    /// Cassettes: the endpoint whose replies are recorded. Without it the recording is played back. What is on the tape already stays there:
    /// new entries are added, and of two for the same request the newer is played.
    pub record: Option<String>,
}

impl EndpointConfig {
    /// All defaults, for a kind and an address.
    pub fn new(kind: EndpointKind, base_url: impl Into<String>) -> Self {
        let mut base_url = base_url.into();
        if !base_url.is_empty() && !base_url.ends_with('/') {
            base_url.push('/');
        }
        Self {
            kind,
            base_url,
            key_env: None,
            concurrency: 8,
            requests_per_minute: None,
            stream: true,
            web_search: false,
            schema: SchemaMode::Native,
            text_limit: None,
            effort: None,
            thinking_tokens: None,
            retries: 3,
            backoff_ms: 500,
            breaker_failures: 5,
            breaker_ms: 15_000,
            reply_bytes: 16 * 1024 * 1024,
            path: None,
            record: None,
        }
    }

    /// True when the address is this machine's own.
    pub fn is_loopback(&self) -> bool {
        let url = url::Url::parse(&self.base_url).ok();
        url.is_some_and(|url| match url.host_str() {
            Some(host) => {
                let bare = host.trim_start_matches('[').trim_end_matches(']');
                host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
            }
            None => false,
        })
    }
}

plain_words! {
    pub enum EndpointKind {
        /// OpenAI's chat completions, and every server that speaks them.
        OpenAi = "openai",
        Anthropic = "anthropic",
        Gemini = "gemini",
        Rehearsal = "rehearsal",
        Cassette = "cassette",
    }
}

impl EndpointKind {
    /// The provider's own address and the variable its key is usually in.
    pub fn home(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::OpenAi => Some(("https://api.openai.com/v1/", "OPENAI_API_KEY")),
            Self::Anthropic => Some(("https://api.anthropic.com/v1/", "ANTHROPIC_API_KEY")),
            Self::Gemini => Some(("https://generativelanguage.googleapis.com/v1beta/", "GEMINI_API_KEY")),
            Self::Rehearsal | Self::Cassette => None,
        }
    }
}

plain_words! {
    /// How a reply's schema reaches the model.
    pub enum SchemaMode {
        /// The provider's structured output.
        Native = "native",
        /// An instruction in the prompt: prose, then one fenced block.
        Prompt = "prompt",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    pub endpoint: String,
    /// The provider's own id.
    pub id: String,
    pub tier: Tier,
    pub price: Option<Price>,
    /// As for its endpoint; this one wins.
    pub effort: Option<Effort>,
    pub thinking_tokens: Option<u32>,
}

impl ModelConfig {
    /// All defaults, for an endpoint and an id.
    pub fn new(endpoint: impl Into<String>, id: impl Into<String>) -> Self {
        Self { endpoint: endpoint.into(), id: id.into(), tier: Tier::Heavy, price: None, effort: None, thinking_tokens: None }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PanelConfig {
    pub seats: Vec<String>,
    pub chair: Option<String>,
    pub light: Option<String>,
}

/// Defaults for the flags of the same meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitsConfig {
    pub budget_usd: Option<f64>,
    pub deadline_secs: Option<u64>,
    /// Without a byte from the provider.
    pub timeout_secs: Option<u64>,
    /// A run that is likely to cost more US dollars is confirmed first.
    pub confirm_above: Option<f64>,
}

impl LimitsConfig {
    pub fn confirm_above(&self) -> f64 {
        self.confirm_above.unwrap_or(1.0)
    }
}

/// Endpoints that need no entry: the providers by their names, model servers on this machine by theirs, and `local` for whichever of those
/// answers. Where they are is known to the crate that calls them; an entry of the same name replaces one.
pub const BUILT_IN: [&str; 9] = ["anthropic", "openai", "gemini", "openrouter", "ollama", "llamacpp", "lmstudio", "vllm", "local"];

/// The endpoint that is always there.
pub const REHEARSAL: &str = "rehearsal";

impl Config {
    /// Reads and checks everything. Nothing is opened, nothing is called.
    pub fn load(sources: &Sources) -> Result<Self, Problems> {
        load::load(sources)
    }

    /// True when there is nothing to ask: no endpoint, no model, no panel. Detection is for this case.
    pub fn is_empty(&self) -> bool {
        self.endpoints.is_empty() && self.models.is_empty() && self.panels.is_empty()
    }

    /// Fills in what is missing from another configuration; what is here stays.
    pub fn fill_from(&mut self, other: Config) {
        for (name, endpoint) in other.endpoints {
            self.endpoints.entry(name).or_insert(endpoint);
        }
        for (name, model) in other.models {
            self.models.entry(name).or_insert(model);
        }
        for (name, panel) in other.panels {
            self.panels.entry(name).or_insert(panel);
        }
    }

    /// An endpoint by name; `rehearsal` needs no entry.
    pub fn endpoint(&self, name: &str) -> Option<std::borrow::Cow<'_, EndpointConfig>> {
        match self.endpoints.get(name) {
            Some(endpoint) => Some(std::borrow::Cow::Borrowed(endpoint)),
            None if name == REHEARSAL => Some(std::borrow::Cow::Owned(EndpointConfig::new(EndpointKind::Rehearsal, ""))),
            None => None,
        }
    }

    /// What a name stands for: a configured model, or `endpoint/model-id` (an id may hold slashes and colons of its own).
    pub fn find(&self, name: &str) -> Option<ModelConfig> {
        if let Some(model) = self.models.get(name) {
            return Some(model.clone());
        }
        let (endpoint, id) = name.split_once('/')?;
        if id.is_empty() || self.endpoint(endpoint).is_none() {
            return None;
        }
        // The same model may be configured under a name: tier and price are known then.
        // What an untrusted directory says of it counts for endpoints of its own only.
        let counts = |name: &String| !self.admitted.contains(name) || self.untrusted.contains(endpoint);
        let known =
            self.models.iter().find(|(name, model)| model.endpoint == endpoint && model.id == id && counts(name)).map(|(_, model)| model.clone());
        Some(known.unwrap_or_else(|| ModelConfig::new(endpoint, id)))
    }

    /// What could be named here, for messages.
    pub fn names(&self) -> String {
        let mut names: Vec<String> = self.models.keys().cloned().collect();
        names.extend(self.endpoints.keys().filter(|name| *name != REHEARSAL).map(|name| format!("{name}/MODEL-ID")));
        names.push(format!("{REHEARSAL}/NAME"));
        names.join(", ")
    }
}
