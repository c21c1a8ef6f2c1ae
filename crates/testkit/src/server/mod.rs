//! A model server on a real loopback socket: OpenAI's, Anthropic's and Gemini's wire formats, streamed and not.
//!
//! It answers by script, or deterministically by schema; misbehaves by name; counts and logs what it was asked. It refuses to be clever:
//! no tokeniser, no rate limits of its own, no memory between requests beside the scripts.
//!
//! ```no_run
//! # async fn example() {
//! use synod_testkit::server::{Fault, ModelServer, Say};
//! let server = ModelServer::start().await;
//! server.script("slow-model", Fault::latency_ms(50));
//! server.script_next("shaky-model", 2, Fault::server_error());
//! server.reply("wise-model", |ask| Say::text(format!("You asked: {}", ask.last())));
//! println!("{}", server.url());
//! # }
//! ```

mod anthropic;
mod ask;
mod counts;
mod fault;
mod fill;
mod frames;
mod gemini;
mod openai;
mod say;
mod serve;

#[cfg(test)]
mod fill_tests;
#[cfg(test)]
mod server_tests;

pub use ask::{Ask, AskTool, Wire};
pub use fault::Fault;
pub use fill::fill;
pub use say::{End, Form, Say, Thinking};

use axum::serve::ListenerExt;
use counts::Counts;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

#[derive(Clone, Debug)]
pub struct Settings {
    /// 0: any free port.
    pub port: u16,
    /// Waited before every reply.
    pub latency: Duration,
    /// How many words a free text has.
    pub words: usize,
    /// How many bytes a streamed piece has, about.
    pub piece: usize,
    /// Keep every request for `requests()`. A benchmark turns it off.
    pub log: bool,
    /// What the model list has.
    pub models: Vec<String>,
    /// Refuse models that are not in the list.
    pub only_listed: bool,
    /// Whoever shows another key, or none, is refused.
    pub key: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let models = vec!["test-model".to_owned(), "test-model-light".to_owned()];
        Self { port: 0, latency: Duration::ZERO, words: 8, piece: 16, log: true, models, only_listed: false, key: None }
    }
}

/// Which requests a fault meets.
enum When {
    /// The next so many requests for a model.
    Next(String, u32),
    Always(String),
}

type Script = Arc<dyn Fn(&Ask) -> Say + Send + Sync>;

struct Shared {
    settings: Settings,
    counts: Arc<Counts>,
    faults: Mutex<Vec<(When, Fault)>>,
    scripts: Mutex<BTreeMap<String, Script>>,
    thinking: Mutex<BTreeMap<String, Thinking>>,
    models: Mutex<Vec<String>>,
    key: Mutex<Option<String>>,
    seen: Mutex<Vec<Arc<Ask>>>,
}

/// Matches every model in `script`, `script_next` and `reply`.
pub const ANY: &str = "*";

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// What was queued for the model first, then what always holds for it.
    fn fault_for(&self, ask: &Ask) -> Option<Fault> {
        let mut faults = held(&self.faults);
        let of = |name: &str| name == ask.model || name == ANY;
        for (when, fault) in faults.iter_mut() {
            if let When::Next(model, left) = when
                && *left > 0
                && of(model)
            {
                *left -= 1;
                return Some(fault.clone());
            }
        }
        faults.iter().rev().find(|(when, _)| matches!(when, When::Always(model) if of(model))).map(|(_, fault)| fault.clone())
    }

    fn say(&self, ask: &Ask) -> Say {
        let scripts = held(&self.scripts);
        let script = scripts.get(&ask.model).or_else(|| scripts.get(ANY)).cloned();
        drop(scripts);
        let mut say = match script {
            Some(script) => script(ask),
            None => Say::by_default(ask, self.settings.words),
        };
        let thinking = held(&self.thinking);
        if let Some(thinking) = thinking.get(&ask.model).or_else(|| thinking.get(ANY)).filter(|_| say.thinking.tokens == 0) {
            say.thinking = *thinking;
        }
        say
    }

    fn log(&self, ask: &Arc<Ask>) {
        if self.settings.log {
            held(&self.seen).push(ask.clone());
        }
    }

    /// Whether the request shows the key that is wanted, as any of the providers has it shown.
    fn admits(&self, headers: &BTreeMap<String, String>) -> bool {
        let Some(wanted) = held(&self.key).clone() else { return true };
        let shown = ["authorization", "x-api-key", "x-goog-api-key"].iter().filter_map(|name| headers.get(*name));
        shown.map(|value| value.strip_prefix("Bearer ").unwrap_or(value)).any(|shown| shown == wanted)
    }

    fn models(&self) -> Vec<String> {
        held(&self.models).clone()
    }
}

/// Stops listening when dropped.
pub struct ModelServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl ModelServer {
    /// On a free port of 127.0.0.1. Panics when there is none: a test cannot go on without it.
    pub async fn start() -> Self {
        Self::start_with(Settings::default()).await.expect("a free port on 127.0.0.1")
    }

    pub async fn start_with(settings: Settings) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            counts: Arc::default(),
            faults: Mutex::default(),
            scripts: Mutex::default(),
            thinking: Mutex::default(),
            models: Mutex::new(settings.models.clone()),
            key: Mutex::new(settings.key.clone()),
            settings,
            seen: Mutex::default(),
        });
        let app = axum::Router::new().fallback(serve::handle).with_state(shared.clone());
        // Without this a small reply may wait for the client's acknowledgement of the one before.
        let counts = shared.counts.clone();
        let listener = listener.tap_io(move |stream| {
            counts.connected();
            drop(stream.set_nodelay(true));
        });
        let accepting = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                eprintln!("the model server stopped: {error}");
            }
        });
        Ok(Self { shared, address, accepting })
    }

    /// The base address an `openai` or `anthropic` endpoint is given: `http://127.0.0.1:PORT/v1`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
    /// The base address a `gemini` endpoint is given.
    pub fn gemini_url(&self) -> String {
        format!("http://{}/v1beta", self.address)
    }
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request for this model meets this fault, until another is set.
    pub fn script(&self, model: impl Into<String>, fault: Fault) {
        held(&self.shared.faults).push((When::Always(model.into()), fault));
    }
    /// The next `times` requests for this model meet this fault. Several are used up in the order given.
    pub fn script_next(&self, model: impl Into<String>, times: u32, fault: Fault) {
        held(&self.shared.faults).push((When::Next(model.into(), times), fault));
    }
    /// What this model says, from now on.
    pub fn reply(&self, model: impl Into<String>, script: impl Fn(&Ask) -> Say + Send + Sync + 'static) {
        held(&self.shared.scripts).insert(model.into(), Arc::new(script));
    }
    /// How much this model thinks before whatever it says.
    pub fn thinks(&self, model: impl Into<String>, thinking: Thinking) {
        held(&self.shared.thinking).insert(model.into(), thinking);
    }
    /// Forgets all faults and scripts. Counts and the log stay.
    pub fn behave(&self) {
        held(&self.shared.faults).clear();
        held(&self.shared.scripts).clear();
    }
    /// What `/v1/models` lists.
    pub fn list_models(&self, ids: &[&str]) {
        *held(&self.shared.models) = ids.iter().map(|id| (*id).to_owned()).collect();
    }

    /// Whoever shows another key from now on, or none, is refused.
    pub fn want_key(&self, key: &str) {
        *held(&self.shared.key) = Some(key.to_owned());
    }

    /// Every request for a reply so far, in order of arrival. Model lists are not logged or counted.
    pub fn requests(&self) -> Vec<Arc<Ask>> {
        held(&self.shared.seen).clone()
    }
    pub fn total(&self) -> u64 {
        self.shared.counts.total()
    }
    /// How many connections were accepted.
    pub fn connections(&self) -> u64 {
        self.shared.counts.connections()
    }
    pub fn in_flight(&self) -> u64 {
        self.shared.counts.in_flight()
    }
    /// The most requests that were in flight at once.
    pub fn most_in_flight(&self) -> u64 {
        self.shared.counts.most()
    }
    pub fn per_model(&self) -> BTreeMap<String, u64> {
        self.shared.counts.per_model()
    }
    pub fn of_model(&self, model: &str) -> u64 {
        self.per_model().get(model).copied().unwrap_or(0)
    }
    /// Closes the port: whoever connects from now on is refused.
    pub async fn stop(mut self) {
        self.accepting.abort();
        // Only when the task is gone is its socket closed. The error says that it was aborted, which is what we asked for.
        let _ = (&mut self.accepting).await;
    }
    /// Runs until the process ends.
    pub async fn wait(mut self) {
        if let Err(error) = (&mut self.accepting).await {
            eprintln!("the model server stopped: {error}");
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
