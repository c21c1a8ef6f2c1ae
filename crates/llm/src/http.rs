//! The one HTTP client of a registry, made when the first endpoint needs it.
//!
//! Redirects are refused: a key must not follow one to another host. Plain http is HTTP/1.1; https may agree on HTTP/2.

use crate::scrub::{Secret, scrub};
use crate::wire::request::headers;
use futures::future::join_all;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::OnceLock;
use std::time::Duration;
use synod_config::{EndpointConfig, EndpointKind};

#[derive(Default)]
pub(crate) struct Http(OnceLock<Result<reqwest::Client, String>>);

impl Http {
    pub fn client(&self) -> Result<&reqwest::Client, String> {
        self.0.get_or_init(make).as_ref().map_err(Clone::clone)
    }
}

fn make() -> Result<reqwest::Client, String> {
    // An error only means that somebody in this process was first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("synod/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .build()
        .map_err(|error| format!("no HTTP client: {error}"))
}

/// What a provider's list says of one model. Claims, not measurements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The provider's own id.
    pub id: String,
    /// Tokens it can read.
    pub context: Option<u64>,
    /// Tokens it can write in one reply.
    pub max_output: Option<u64>,
    /// Whether it can think before it answers. `None`: the list does not say.
    pub thinks: Option<bool>,
}

/// Why there is no list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ListError {
    #[error("its key is refused ({0})")]
    KeyRefused(u16),
    #[error("its model list answers {0}")]
    Status(u16),
    #[error("its model list is not one we can read")]
    NotAList,
    #[error("nothing listens there ({0})")]
    NothingThere(String),
    #[error("{0}")]
    Broken(String),
}

/// More than any provider lists.
const LONGEST_LIST: usize = 16 * 1024 * 1024;

/// The models a provider lists. Costs nothing.
pub(crate) async fn list_models(
    client: &reqwest::Client,
    endpoint: &EndpointConfig,
    key: Option<&Secret>,
    within: Duration,
) -> Result<Vec<Listed>, ListError> {
    // Without these some list only their first page.
    let query = match endpoint.kind {
        EndpointKind::Anthropic => "?limit=1000",
        EndpointKind::Gemini => "?pageSize=1000",
        EndpointKind::OpenAi | EndpointKind::Rehearsal | EndpointKind::Cassette => "",
    };
    let mut request = client.get(format!("{}models{query}", endpoint.base_url)).timeout(within);
    for (name, value) in headers(endpoint.kind, key) {
        request = request.header(name, value);
    }
    let body = read_json(request, key).await?;
    let entries = body["data"].as_array().or(body["models"].as_array()).or(body.as_array()).ok_or(ListError::NotAList)?;
    Ok(entries.iter().filter_map(listed).collect())
}

/// A JSON body of a bounded length.
pub(crate) async fn read_json(request: reqwest::RequestBuilder, key: Option<&Secret>) -> Result<Value, ListError> {
    let plain = |error: reqwest::Error| {
        let refused = error.is_connect();
        let text = scrub(&causes(error.without_url()), key, 200);
        if refused { ListError::NothingThere(text) } else { ListError::Broken(text) }
    };
    let mut response = request.send().await.map_err(plain)?;
    match response.status().as_u16() {
        200..=299 => {}
        refused @ (401 | 403) => return Err(ListError::KeyRefused(refused)),
        other => return Err(ListError::Status(other)),
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(plain)? {
        if bytes.len() + chunk.len() > LONGEST_LIST {
            return Err(ListError::NotAList);
        }
        bytes.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&bytes).map_err(|_| ListError::NotAList)
}

/// The error's innermost cause: what the system said, not what the library makes of it.
fn causes(error: reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// One entry of a list, whoever wrote it; `None` where it is no model that answers in words.
fn listed(entry: &Value) -> Option<Listed> {
    let id = entry["id"].as_str().or(entry["name"].as_str())?;
    let of = |list: &Value, wanted: &[&str]| {
        list.as_array().map(|items| items.iter().any(|item| item.as_str().is_some_and(|item| wanted.contains(&item))))
    };
    // Gemini's and Mistral's way to say that a model only embeds.
    let mute = of(&entry["supportedGenerationMethods"], &["generateContent"]) == Some(false) || entry["capabilities"]["completion_chat"] == false;
    if mute {
        return None;
    }
    let number = |places: &[&str]| places.iter().find_map(|place| entry.pointer(place).and_then(Value::as_u64)).filter(|number| *number > 0);
    Some(Listed {
        id: id.strip_prefix("models/").unwrap_or(id).to_owned(),
        context: number(&[
            "/context_length",
            "/max_input_tokens",
            "/inputTokenLimit",
            "/max_context_length",
            "/max_model_len",
            "/context_window",
            "/meta/n_ctx",
            "/meta/n_ctx_train",
        ]),
        max_output: number(&[
            "/top_provider/max_completion_tokens",
            "/max_output_tokens",
            "/max_completion_tokens",
            "/max_tokens",
            "/outputTokenLimit",
        ]),
        thinks: ["/thinking", "/capabilities/thinking", "/capabilities/reasoning", "/reasoning"]
            .iter()
            .find_map(|place| said(entry.pointer(place)?))
            .or_else(|| of(&entry["capabilities"], &["thinking"]))
            .or_else(|| of(&entry["supported_parameters"], &["reasoning", "include_reasoning", "reasoning_effort"])),
    })
}

/// Yes or no, alone or as `supported` beside details.
fn said(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::Object(details) => Some(details.get("supported").and_then(Value::as_bool).unwrap_or(true)),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

/// What a model server on this machine says of its models beside the list: Ollama and LM Studio have addresses of their own for that. Asks only
/// this machine, and keeps to what the list says where nobody answers.
pub(crate) async fn ask_for_facts(client: &reqwest::Client, endpoint: &EndpointConfig, models: &mut [Listed], within: Duration) {
    const MOST: usize = 64;
    let Some(root) = endpoint.base_url.strip_suffix("v1/").filter(|_| endpoint.kind == EndpointKind::OpenAi && endpoint.is_loopback()) else {
        return;
    };
    if models.is_empty() || models.iter().all(|model| model.context.is_some() && model.thinks.is_some()) {
        return;
    }
    let show = |id: String| read_json(client.post(format!("{root}api/show")).json(&json!({ "model": id })).timeout(within), None);
    if let Ok(first) = show(models[0].id.clone()).await {
        add_facts(&mut models[0], &first);
        let ids: Vec<String> = models.iter().skip(1).take(MOST).map(|model| model.id.clone()).collect();
        for (model, facts) in models.iter_mut().skip(1).zip(join_all(ids.into_iter().map(show)).await) {
            if let Ok(facts) = facts {
                add_facts(model, &facts);
            }
        }
        return;
    }
    if let Ok(list) = read_json(client.get(format!("{root}api/v0/models")).timeout(within), None).await {
        let facts: Vec<Listed> = list["data"].as_array().into_iter().flatten().filter_map(listed).collect();
        for model in models {
            if let Some(known) = facts.iter().find(|known| known.id == model.id) {
                model.context = model.context.or(known.context);
                model.thinks = model.thinks.or(known.thinks);
            }
        }
    }
}

/// Ollama's description of one model.
fn add_facts(model: &mut Listed, facts: &Value) {
    let context = facts["model_info"].as_object().into_iter().flatten().find(|(name, _)| name.ends_with(".context_length"));
    model.context = model.context.or(context.and_then(|(_, tokens)| tokens.as_u64()));
    let abilities = facts["capabilities"].as_array();
    model.thinks = model.thinks.or(abilities.map(|abilities| abilities.iter().any(|ability| ability == "thinking")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_each_provider_writes_them() {
        let model = |context, max_output, thinks| Some((context, max_output, thinks));
        for (entry, want) in [
            (
                json!({"id": "a", "context_length": 9, "top_provider": {"max_completion_tokens": 5}, "supported_parameters": ["tools"]}),
                model(Some(9), Some(5), Some(false)),
            ),
            (json!({"id": "a", "reasoning": {"mandatory": false}, "context_length": 9}), model(Some(9), None, Some(true))),
            (json!({"id": "a", "reasoning": null, "supported_parameters": ["include_reasoning"]}), model(None, None, Some(true))),
            (
                json!({"id": "a", "max_input_tokens": 7, "max_tokens": 3, "capabilities": {"thinking": {"supported": false}}}),
                model(Some(7), Some(3), Some(false)),
            ),
            (
                json!({"name": "models/a", "inputTokenLimit": 7, "outputTokenLimit": 3, "thinking": true, "supportedGenerationMethods": ["generateContent"]}),
                model(Some(7), Some(3), Some(true)),
            ),
            (json!({"name": "models/a", "supportedGenerationMethods": ["embedContent"]}), None),
            (
                json!({"id": "a", "capabilities": {"reasoning": false, "completion_chat": true}, "max_context_length": 7}),
                model(Some(7), None, Some(false)),
            ),
            (json!({"id": "a", "max_model_len": 4096}), model(Some(4096), None, None)),
            (json!({"id": "a", "meta": {"n_ctx_train": 4096}}), model(Some(4096), None, None)),
            (json!({"id": "a", "capabilities": "odd", "context_length": "many", "thinking": "?"}), model(None, None, None)),
            (json!("a"), None),
        ] {
            let read = listed(&entry).map(|model| {
                assert_eq!(model.id, "a");
                (model.context, model.max_output, model.thinks)
            });
            assert_eq!(read, want, "{entry}");
        }
    }

    #[test]
    fn what_ollama_shows_of_a_model_is_added_to_its_list() {
        let mut model = Listed { id: "qwen3:8b".to_owned(), ..Listed::default() };
        add_facts(
            &mut model,
            &json!({"capabilities": ["completion", "thinking"], "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960}}),
        );
        assert_eq!((model.context, model.thinks), (Some(40960), Some(true)));
        add_facts(&mut model, &json!({"capabilities": "odd"}));
        assert_eq!((model.context, model.thinks), (Some(40960), Some(true)));
    }
}
