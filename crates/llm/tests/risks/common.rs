//! What the tests of this crate share: a registry on the test server's address, requests, and somebody who watches.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use synod_config::{Config, EndpointConfig, EndpointKind};
use synod_engine::{CallContext, Deltas, Model, Models};
use synod_llm::{Env, Registry};
use synod_testkit::server::ModelServer;
use synod_types::{Failure, Message, Reply, ReplySchema, Request, Sending, ToolDef};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub const KEY: &str = "test-key-0123456789";

pub fn env(pairs: &[(&str, &str)]) -> Env {
    let pairs: BTreeMap<String, String> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Arc::new(move |name| pairs.get(name).cloned())
}

/// An endpoint of this kind on the test server, with a key, quick retries and no breaker.
pub fn endpoint(server: &ModelServer, kind: EndpointKind) -> EndpointConfig {
    let url = if kind == EndpointKind::Gemini { server.gemini_url() } else { server.url() };
    EndpointConfig { key_env: Some("TEST_KEY".to_owned()), backoff_ms: 1, breaker_failures: 0, ..EndpointConfig::new(kind, url) }
}

pub fn registry(endpoint: EndpointConfig) -> Registry {
    let mut config = Config::default();
    config.endpoints.insert("it".to_owned(), endpoint);
    Registry::with_env(config, env(&[("TEST_KEY", KEY)]))
}

pub fn open(registry: &Registry, id: &str) -> Arc<dyn Model> {
    let card = registry.resolve("--models", &format!("it/{id}")).expect("resolves");
    registry.open(&card).expect("opens")
}

pub fn model(endpoint: EndpointConfig, id: &str) -> Arc<dyn Model> {
    open(&registry(endpoint), id)
}

pub fn context() -> CallContext {
    CallContext {
        run: "r".to_owned(),
        key: "ask@0".to_owned(),
        seed: 1,
        idle_ms: 5_000,
        total_ms: 10_000,
        sending: Sending { tokens: 321, effort: None },
        deltas: None,
    }
}

pub fn request(id: &str) -> Request {
    Request {
        model: id.to_owned(),
        messages: vec![Message::system("You weigh things."), Message::user("Which is heavier?")],
        schema: None,
        tools: Vec::new(),
        temperature: Some(0.5),
        max_tokens: 321,
        effort: None,
        hint: None,
    }
}

pub fn ballot() -> ReplySchema {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["reasons", "choice"],
        "properties": { "reasons": { "type": "string" }, "choice": { "type": "string", "enum": ["K3", "T9"] } }
    });
    ReplySchema { name: "ballot".to_owned(), schema }
}

pub fn with_schema(mut request: Request, schema: Value) -> Request {
    request.schema = Some(ReplySchema { name: "reply".to_owned(), schema });
    request
}

pub async fn call(endpoint: EndpointConfig, id: &str) -> Result<Reply, Failure> {
    model(endpoint, id).call(&request(id), &context()).await
}

/// As a run does it: a place first, held over the call.
pub async fn turn(model: &dyn Model, request: &Request, context: &CallContext) -> Result<Reply, Failure> {
    let _place = model.slot().await;
    model.call(request, context).await
}

/// Keeps what was shown; a restart leaves a mark.
#[derive(Default)]
pub struct Watcher(pub Mutex<Vec<String>>);

pub const RESTART: &str = "<restart>";

impl Deltas for Watcher {
    fn push(&self, text: &str) {
        self.0.lock().expect("not poisoned").push(text.to_owned());
    }
    fn restart(&self) {
        self.0.lock().expect("not poisoned").push(RESTART.to_owned());
    }
}

impl Watcher {
    pub fn pieces(&self) -> Vec<String> {
        self.0.lock().expect("not poisoned").clone()
    }
    pub fn text(&self) -> String {
        self.pieces().concat()
    }
}

pub fn watched() -> (Arc<Watcher>, CallContext) {
    let watcher = Arc::new(Watcher::default());
    (watcher.clone(), CallContext { deltas: Some(watcher), ..context() })
}

/// The three wire formats, streamed and not.
pub fn all(server: &ModelServer) -> Vec<(String, EndpointConfig)> {
    let mut all = Vec::new();
    for kind in [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini] {
        for stream in [true, false] {
            let how = if stream { "streamed" } else { "whole" };
            all.push((format!("{} {how}", kind.as_str()), EndpointConfig { stream, ..endpoint(server, kind) }));
        }
    }
    all
}

pub const SSE: &str = "text/event-stream; charset=utf-8";

/// Asks a server that answers one request with these very bytes and hangs up.
pub async fn answered_with(kind: EndpointKind, stream: bool, content: &str, body: &str) -> (Result<Reply, Failure>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let response = format!("HTTP/1.1 200 OK\r\ncontent-type: {content}\r\nconnection: close\r\n\r\n{body}");
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("a caller");
        let (mut asked, mut buffer) = (Vec::new(), [0; 4096]);
        while !asked.ends_with(b"}") {
            let n = socket.read(&mut buffer).await.expect("reads");
            asked.extend_from_slice(&buffer[..n]);
        }
        // A caller may have heard enough before the end.
        drop(socket.write_all(response.as_bytes()).await);
    });
    let config = EndpointConfig { stream, retries: 0, ..EndpointConfig::new(kind, url) };
    let (watcher, context) = watched();
    let look = ToolDef { name: "look".to_owned(), description: "Looks.".to_owned(), input: json!({ "type": "object" }) };
    let reply = model(config, "m").call(&Request { tools: vec![look], ..request("m") }, &context).await;
    server.await.expect("no panic");
    (reply, watcher.text())
}

/// The same for a stream.
pub async fn answered_by(kind: EndpointKind, body: &str) -> (Result<Reply, Failure>, String) {
    answered_with(kind, true, SSE, body).await
}
