//! One tiny real call per seat, for a doctor's check: does it answer, how fast, does it stream, does it keep to a schema, is it listed. And,
//! without any call that costs: what would mend a seat that does not answer.

use crate::detect::address;
use crate::http::{ListError, Listed, ask_for_facts, list_models};
use crate::registry::Registry;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use synod_config::{EndpointConfig, EndpointKind};
use synod_engine::{CallContext, Deltas, Models};
use synod_types::{FailureKind, Message, ModelCard, Reply, ReplySchema, Request, Sending, Tier, Usage, nearest_first};

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
    /// Some of what the provider has instead, when the model is not listed: the nearest first.
    pub instead: Vec<String>,
    /// Whether it can think before it answers. `None`: nobody says.
    pub thinks: Option<bool>,
    pub usage: Option<Usage>,
    /// It was seen to write more than twice what it was allowed.
    pub overran: bool,
    /// What is wrong.
    pub problem: Option<String>,
    /// What would mend it, where that is known.
    pub cure: Option<Cure>,
}

/// What would mend a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cure {
    /// At this address the endpoint lists its models; at the one it has it does not.
    Address { endpoint: String, base_url: String },
    /// The variable holds no key, or one that is refused.
    Key { variable: String },
    /// Another model of the same endpoint, the one most like it.
    Model { endpoint: String, id: String },
    /// Nothing listens at the endpoint's address.
    Start { endpoint: String, address: String },
}

/// What an endpoint says of a model without being paid.
#[derive(Clone, Debug, Default)]
pub struct Glance {
    pub listed: Option<bool>,
    pub instead: Vec<String>,
    pub thinks: Option<bool>,
    pub cure: Option<Cure>,
    /// What is wrong, where something is for certain.
    pub problem: Option<String>,
}

/// So long a list may take.
const WITHIN: Duration = Duration::from_secs(5);
/// So many other models are named for one that is gone.
const INSTEAD: usize = 8;

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
        if let Some((_, endpoint)) = self.real(&card.endpoint) {
            line.overran = self.learned.habits(&endpoint.base_url, &card.id).overran;
            line.streams = endpoint.stream && endpoint.kind != EndpointKind::Cassette;
            line.schema = endpoint.schema.as_str().to_owned();
        }
        let glance = self.glance(card).await;
        (line.listed, line.instead, line.thinks) = (glance.listed, glance.instead, glance.thinks);
        // Where nobody lists models, or the key is refused, there is no reply to wait for.
        if let (Some(problem), Some(Cure::Address { .. } | Cure::Start { .. } | Cure::Key { .. })) = (&glance.problem, &glance.cure) {
            (line.problem, line.cure) = (Some(problem.clone()), glance.cure);
            return line;
        }
        let _place = model.slot().await;
        let start = Instant::now();
        let words = Arc::new(FirstWords { start, first: AtomicU64::new(0) });
        let question = question(card);
        let context = CallContext {
            run: "doctor".to_owned(),
            key: "doctor@0".to_owned(),
            seed: 0,
            idle_ms: 60_000,
            // A model that thinks takes its time.
            total_ms: 300_000,
            sending: model.sending(&question, Tier::Heavy),
            deltas: Some(words.clone()),
        };
        let mut reply = model.call(&question, &context).await;
        if reply.as_ref().is_ok_and(Reply::starved) {
            let sending = Sending { tokens: context.sending.tokens.saturating_mul(4).max(25_000), ..context.sending };
            reply = model.call(&question, &CallContext { sending, ..context }).await;
        }
        line.latency_ms = start.elapsed().as_millis() as u64;
        match reply {
            Ok(reply) => {
                let first = words.first.load(Relaxed);
                line.first_words_ms = (line.streams && first > 0).then(|| first - 1);
                line.usage = reply.usage;
                if reply.thought() > 0 || reply.starved() {
                    line.thinks = Some(true);
                }
                line.schema_kept = kept(&reply.text);
                line.ok = line.schema_kept;
                if reply.starved() {
                    let spent = reply.usage.map_or(0, |usage| usage.output);
                    let name = &card.endpoint;
                    line.problem = Some(format!(
                        "it thought for {spent} tokens about a small sum and said nothing; give endpoints.{name} more thinking_tokens or a lower effort"
                    ));
                } else if reply.text.trim().is_empty() {
                    line.problem = Some("the reply is empty".to_owned());
                } else if !line.ok {
                    line.problem = Some(format!(
                        "the reply does not fit its schema ({}); try schema = \"prompt\" for endpoints.{}",
                        crate::scrub::scrub(&reply.text, None, 120),
                        card.endpoint
                    ));
                }
            }
            Err(failure) if failure.kind == FailureKind::ModelGone => {
                (line.problem, line.cure) = (Some(glance.problem.unwrap_or_else(|| failure.to_string())), glance.cure);
            }
            Err(failure) => {
                let variable = self.real(&card.endpoint).and_then(|(_, endpoint)| endpoint.key_env.clone());
                line.cure = variable.filter(|_| failure.kind == FailureKind::Auth).map(|variable| Cure::Key { variable });
                line.problem = Some(failure.to_string());
            }
        }
        line
    }

    /// What the endpoint's own list says of a model, and what would mend it. Costs nothing.
    pub async fn glance(&self, card: &ModelCard) -> Glance {
        let mut glance = Glance::default();
        let Some((name, endpoint)) = self.real(&card.endpoint) else { return glance };
        let endpoint = endpoint.into_owned();
        match endpoint.kind {
            EndpointKind::OpenAi | EndpointKind::Anthropic | EndpointKind::Gemini => {}
            EndpointKind::Rehearsal | EndpointKind::Cassette => return glance,
        }
        let key = match self.key(name, &endpoint) {
            Ok(key) => key,
            Err(problem) => {
                glance.problem = Some(problem.got);
                glance.cure = endpoint.key_env.map(|variable| Cure::Key { variable });
                return glance;
            }
        };
        let Ok(client) = self.http.client() else { return glance };
        match list_models(client, &endpoint, key.as_ref(), WITHIN).await {
            Ok(list) => {
                let known = list.iter().position(|model| model.id == card.id);
                glance.listed = Some(known.is_some());
                match known {
                    Some(at) => {
                        let mut model = [list[at].clone()];
                        ask_for_facts(client, &endpoint, &mut model, WITHIN).await;
                        self.learned.listed(&endpoint.base_url, &model[0]);
                        glance.thinks = model[0].thinks;
                    }
                    None => {
                        let near = nearest_first(&card.id, list.into_iter().map(|model| model.id).collect());
                        glance.problem = Some(format!("{name} has no model {}", card.id));
                        glance.cure = near.first().map(|id| Cure::Model { endpoint: card.endpoint.clone(), id: id.clone() });
                        glance.instead = near.into_iter().take(INSTEAD).collect();
                    }
                }
            }
            Err(ListError::KeyRefused(status)) => match endpoint.key_env {
                Some(variable) => {
                    glance.problem = Some(format!("{name} refuses the key in {variable} ({status})"));
                    glance.cure = Some(Cure::Key { variable });
                }
                None => glance.problem = Some(format!("{name} wants a key ({status}), and the endpoint names no variable for one (key_env)")),
            },
            Err(ListError::NothingThere(why)) => {
                let address = address(&endpoint.base_url).to_owned();
                glance.problem = Some(format!("nothing answers at {address} ({why})"));
                glance.cure = Some(Cure::Start { endpoint: name.to_owned(), address });
            }
            Err(ListError::Status(_) | ListError::NotAList) => {
                // The mistake everybody makes once: the address of the server instead of that of its interface.
                let version = if endpoint.kind == EndpointKind::Gemini { "v1beta" } else { "v1" };
                let longer = EndpointConfig { base_url: format!("{}{version}/", endpoint.base_url), ..endpoint.clone() };
                if let Ok(list) = list_models(client, &longer, key.as_ref(), WITHIN).await
                    && !list.is_empty()
                {
                    let base_url = longer.base_url.trim_end_matches('/').to_owned();
                    glance.problem = Some(format!("{} has no models; {base_url} has {}", endpoint.base_url, list.len()));
                    glance.cure = Some(Cure::Address { endpoint: name.to_owned(), base_url });
                }
            }
            Err(ListError::Broken(_)) => {}
        }
        glance
    }

    /// Everything an endpoint lists, with what it says of each.
    pub async fn list(&self, endpoint: &str) -> Result<Vec<Listed>, String> {
        let (name, config) = self.real(endpoint).ok_or("it is not configured")?;
        let key = self.key(name, &config).map_err(|problem| problem.got)?;
        let client = self.http.client()?;
        let mut list = list_models(client, &config, key.as_ref(), WITHIN).await.map_err(|error| error.to_string())?;
        ask_for_facts(client, &config, &mut list, WITHIN).await;
        for model in &mut list {
            // Where the list does not say, what was seen does.
            model.thinks = model.thinks.or(self.learned.habits(&config.base_url, &model.id).thinks().then_some(true));
        }
        Ok(list)
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
