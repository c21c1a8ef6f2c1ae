//! One tiny real call per seat, for a doctor's check: does it answer, how fast, does it stream, does it keep to a schema, is it listed.

use crate::http::list_models;
use crate::registry::Registry;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use synod_config::{EndpointKind, SchemaMode};
use synod_engine::{CallContext, Deltas, Models};
use synod_types::{Message, ModelCard, ReplySchema, Request, Tier, Usage};

/// What is known of one seat's model after asking it once.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DoctorLine {
    pub model: String,
    pub endpoint: String,
    pub id: String,
    /// The reply came and kept to its schema.
    pub ok: bool,
    pub latency_ms: u64,
    /// When the first words arrived. `None`: all came at once, or no words were streamed.
    pub first_words_ms: Option<u64>,
    pub streams: bool,
    /// `native` or `prompt`, and whether the reply fitted.
    pub schema: String,
    pub schema_kept: bool,
    /// Whether the provider's own list has the model. `None`: it has no list we can read.
    pub listed: Option<bool>,
    /// Some of what the provider has instead, when the model is not listed.
    pub instead: Vec<String>,
    pub usage: Option<Usage>,
    /// What is wrong and what to do next.
    pub problem: Option<String>,
}

struct FirstWords {
    start: Instant,
    /// Milliseconds after the start, plus one; 0: nothing yet.
    first: AtomicU64,
}

impl Deltas for FirstWords {
    fn push(&self, _: &str) {
        let ms = self.start.elapsed().as_millis() as u64 + 1;
        // Only the first one is kept; losing the race to another push is the same.
        let _ = self.first.compare_exchange(0, ms, Relaxed, Relaxed);
    }
    fn restart(&self) {
        self.first.store(0, Relaxed);
    }
}

impl Registry {
    /// Asks one model one small question. Costs a few tokens.
    pub async fn check(&self, card: &ModelCard) -> DoctorLine {
        let mut line = DoctorLine { model: card.name.clone(), endpoint: card.endpoint.clone(), id: card.id.clone(), ..DoctorLine::default() };
        let model = match self.open(card) {
            Ok(model) => model,
            Err(problem) => {
                line.problem = Some(problem.to_string());
                return line;
            }
        };
        if let Some((name, endpoint)) = self.real(&card.endpoint) {
            line.streams = endpoint.stream && endpoint.kind != EndpointKind::Cassette;
            line.schema = if endpoint.schema == SchemaMode::Native { "native" } else { "prompt" }.to_owned();
            let reaches_out = matches!(endpoint.kind, EndpointKind::OpenAi | EndpointKind::Anthropic | EndpointKind::Gemini);
            if reaches_out
                && let (Ok(client), Ok(key)) = (self.http.client(), self.key("doctor", name, &endpoint))
                && let Ok(ids) = list_models(client, &endpoint, key.as_ref(), Duration::from_secs(5)).await
            {
                let listed = ids.contains(&card.id);
                line.listed = Some(listed);
                if !listed {
                    line.instead = ids.into_iter().take(8).collect();
                }
            }
        }
        let _place = model.slot().await;
        let start = Instant::now();
        let words = Arc::new(FirstWords { start, first: AtomicU64::new(0) });
        let question = question(card);
        let context = CallContext {
            run: "doctor".to_owned(),
            key: "doctor@0".to_owned(),
            seed: 0,
            idle_ms: 30_000,
            total_ms: 60_000,
            sending: model.sending(&question, Tier::Heavy),
            deltas: Some(words.clone()),
        };
        let reply = model.call(&question, &context).await;
        line.latency_ms = start.elapsed().as_millis() as u64;
        match reply {
            Ok(reply) => {
                let first = words.first.load(Relaxed);
                line.first_words_ms = (line.streams && first > 0).then(|| first - 1);
                line.usage = reply.usage;
                line.schema_kept = kept(&reply.text);
                line.ok = line.schema_kept;
                if reply.text.trim().is_empty() {
                    line.problem =
                        Some("the reply is empty; a model that thinks before it answers may need more tokens than it was given".to_owned());
                } else if !line.ok {
                    line.problem = Some(format!(
                        "the reply does not fit its schema ({}); try schema = \"prompt\" for endpoints.{}",
                        crate::scrub::scrub(&reply.text, None, 120),
                        card.endpoint
                    ));
                }
            }
            Err(failure) => line.problem = Some(failure.to_string()),
        }
        line
    }
}

fn question(card: &ModelCard) -> Request {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["reasons", "sum"],
        "properties": { "reasons": { "type": "string", "description": "One short sentence." }, "sum": { "type": "integer" } }
    });
    Request {
        model: card.id.clone(),
        messages: vec![Message::user("What is two plus two? Answer in the form asked for.")],
        schema: Some(ReplySchema { name: "sum".to_owned(), schema }),
        tools: Vec::new(),
        temperature: None,
        max_tokens: 1024,
        effort: card.effort,
        hint: None,
    }
}

/// The last thing in the reply that is a JSON object has the fields asked for.
fn kept(text: &str) -> bool {
    let body = match text.rfind("```json") {
        Some(at) => text[at + "```json".len()..].split("```").next().unwrap_or_default(),
        None => text,
    };
    serde_json::from_str::<Value>(body.trim()).is_ok_and(|value| value["reasons"].is_string() && value["sum"].is_i64())
}
