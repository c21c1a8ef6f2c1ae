//! What one call costs beside a bare HTTP client that makes the same: CPU microseconds, streamed and not.
//!
//! `cargo run --release -p synod-llm --example call_cost [CALLS]` compares; `call_cost adapter|bare stream|whole CALLS URL` makes the calls of
//! one side, for a profiler. The model server and each side are processes of their own.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "an example prints")]

use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use synod_config::{Config, EndpointConfig, EndpointKind};
use synod_engine::{CallContext, Deltas, Model, Models};
use synod_llm::Registry;
use synod_testkit::server::{ModelServer, Settings};
use synod_types::{Message, ReplySchema, Request};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const AT_ONCE: usize = 16;
/// A paragraph or two, one word a streamed piece, as providers send about one token.
const WORDS: usize = 120;
const PIECE: usize = 6;
const RULES: &str = "You judge answers that others gave to one question. Their authors are hidden, and the labels say nothing about quality.";
const QUESTION: &str = "Should a small team split its service in two this year?";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["serve"] => {
            let server = ModelServer::start_with(Settings { log: false, words: WORDS, piece: PIECE, ..Settings::default() }).await?;
            println!("{}", server.url());
            server.wait().await;
            Ok(())
        }
        [who, how, calls, url] => make(who, *how == "stream", calls.parse()?, url).await,
        [] => compare(4000),
        [calls] => compare(calls.parse()?),
        _ => Err("see the head of this file".into()),
    }
}

fn compare(calls: usize) -> Outcome {
    let mut server = Command::new(std::env::current_exe()?).arg("serve").stdout(Stdio::piped()).spawn()?;
    let compared = compare_on(&mut server, calls);
    server.kill()?;
    server.wait()?;
    compared
}

fn compare_on(server: &mut Child, calls: usize) -> Outcome {
    let mut url = String::new();
    BufReader::new(server.stdout.take().ok_or("the model server has no output")?).read_line(&mut url)?;
    for how in ["whole", "stream"] {
        // Turn about, because machines are noisy; the least is the one that was least disturbed.
        let mut least = [f64::INFINITY; 2];
        for _ in 0..3 {
            for (i, who) in ["adapter", "bare"].into_iter().enumerate() {
                let out =
                    Command::new(std::env::current_exe()?).args([who, how, &calls.to_string(), url.trim()]).stderr(Stdio::inherit()).output()?;
                least[i] = least[i].min(String::from_utf8(out.stdout)?.trim().parse()?);
            }
        }
        let [adapter, bare] = least;
        println!("{how:<8} adapter {adapter:>8.1} us a call, bare {bare:>8.1}, {:.2} times", adapter / bare);
    }
    Ok(())
}

async fn make(who: &str, stream: bool, calls: usize, url: &str) -> Outcome {
    let maker = match who {
        "adapter" => Maker::adapter(stream, url)?,
        "bare" => Maker::bare(stream, url)?,
        other => return Err(format!("nobody is called {other}").into()),
    };
    maker.many(AT_ONCE * 2).await?;
    let before = cpu_us()?;
    maker.many(calls).await?;
    println!("{}", (cpu_us()? - before) / calls as f64);
    Ok(())
}

/// Somebody watches, as in a run.
struct Watching;

impl Deltas for Watching {
    fn push(&self, text: &str) {
        std::hint::black_box(text);
    }
    fn restart(&self) {}
}

enum Maker {
    Adapter { model: Arc<dyn Model>, request: Box<Request>, context: Box<CallContext> },
    Bare { client: reqwest::Client, url: String, stream: bool },
}

impl Maker {
    fn adapter(stream: bool, url: &str) -> Outcome<Self> {
        let mut config = Config::default();
        let endpoint = EndpointConfig { stream, concurrency: AT_ONCE, ..EndpointConfig::new(EndpointKind::OpenAi, url) };
        config.endpoints.insert("it".to_owned(), endpoint);
        let registry = Registry::new(config);
        let model = registry.open(&registry.resolve("m", "it/m").map_err(|problem| problem.to_string())?).map_err(|problem| problem.to_string())?;
        let request = Request {
            model: "m".to_owned(),
            messages: vec![Message::system(RULES), Message::user(QUESTION)],
            schema: Some(ReplySchema { name: "ballot".to_owned(), schema: ballot() }),
            tools: Vec::new(),
            temperature: Some(0.5),
            max_tokens: 4096,
            effort: None,
            hint: None,
        };
        let deltas: Arc<dyn Deltas> = Arc::new(Watching);
        let sending = model.sending(&request, synod_types::Tier::Heavy);
        let context =
            CallContext { run: "r".to_owned(), key: "k@0".to_owned(), seed: 1, idle_ms: 10_000, total_ms: 60_000, sending, deltas: Some(deltas) };
        Ok(Self::Adapter { model, request: Box::new(request), context: Box::new(context) })
    }

    fn bare(stream: bool, url: &str) -> Outcome<Self> {
        // An error only means that somebody in this process was first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self::Bare { client: reqwest::Client::new(), url: format!("{url}/chat/completions"), stream })
    }

    async fn many(&self, calls: usize) -> Outcome {
        futures::stream::iter(0..calls).map(|_| self.one()).buffer_unordered(AT_ONCE).try_collect().await
    }

    async fn one(&self) -> Outcome {
        let text = match self {
            Self::Adapter { model, request, context } => {
                let _place = model.slot().await;
                model.call(request, context).await.map_err(|failure| failure.to_string())?.text
            }
            Self::Bare { client, url, stream } => bare(client, url, *stream).await?,
        };
        if text.len() > 100 { Ok(()) } else { Err(format!("only {text:?}").into()) }
    }
}

fn ballot() -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": ["reasons", "ranking"], "properties": {
        "reasons": { "type": "string" },
        "ranking": { "type": "array", "items": { "type": "string", "enum": ["K3", "T9"] }, "minItems": 2, "maxItems": 2 },
    } })
}

async fn bare(client: &reqwest::Client, url: &str, stream: bool) -> Outcome<String> {
    let mut body = json!({
        "model": "m", "max_tokens": 4096, "temperature": 0.5, "stream": stream,
        "messages": [{ "role": "system", "content": RULES }, { "role": "user", "content": QUESTION }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "ballot", "strict": true, "schema": ballot() } },
    });
    if stream {
        body["stream_options"] = json!({ "include_usage": true });
    }
    let response = client.post(url).json(&body).send().await?.error_for_status()?;
    let content = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    if !stream {
        return Ok(content(&response.json::<Value>().await?["choices"][0]["message"]));
    }
    let (mut text, mut rest, mut chunks) = (String::new(), Vec::new(), response.bytes_stream());
    while let Some(chunk) = chunks.next().await {
        rest.extend_from_slice(&chunk?);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            if !data.starts_with(b"[DONE]") {
                text.push_str(&content(&serde_json::from_slice::<Value>(data)?["choices"][0]["delta"]));
            }
        }
    }
    Ok(text)
}

/// User and system time of this process so far, in the kernel's ticks of 10 ms.
fn cpu_us() -> Outcome<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').ok_or("unreadable /proc/self/stat")?.1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks * 10_000.0)
}
