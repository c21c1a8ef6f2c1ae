//! A configuration to start from: what was found filled in, the rest as commented lines. Never overwrites one.

use crate::error::{AppError, AppResult};
use crate::fix::key;
use std::path::PathBuf;
use synod_config::{Config, EndpointConfig, ModelConfig, Sources, write_private};
use synod_llm::{DetectedModels, ENOUGH, detect, process_env};
use synod_types::{Problem, ProblemCode, Tier};

const STARTER: &str = include_str!("starter.toml");

/// A configuration that was written.
#[derive(Clone, Debug)]
pub struct Starter {
    pub path: PathBuf,
    /// What was found and is in it; empty: every line of it is a comment.
    pub seats: Vec<String>,
    pub warnings: Vec<String>,
}

/// Writes it into the working directory, or to the user's own place.
pub async fn write_starter(sources: &Sources, here: bool) -> AppResult<Starter> {
    let path = if here { Some(sources.directory.join("synod.toml")) } else { sources.user_file() };
    let path = path.ok_or_else(|| {
        AppError::usage(Problem::new("config", "no home directory is known", "a file in the working directory").code(ProblemCode::Missing))
    })?;
    let shown = path.display().to_string();
    if path.exists() {
        return Err(Problem::new("config", format!("{shown} is already there"), "edit it, or remove it first").into());
    }
    let found = detect(process_env(), false).await;
    let (text, seats) = if found.rehearsal { (STARTER.to_owned(), Vec::new()) } else { filled(&found, here) };
    let broken = |error: std::io::Error| AppError::broken("config", format!("{shown}: {error}"), "a place that can be written");
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(broken)?;
    }
    // Whoever made the file in the meantime keeps it.
    write_private(&path, &text, false).map_err(broken)?;
    let refused = found.refused.iter().filter(|_| found.rehearsal).map(|refused| format!("{}: {}.", refused.field, refused.got));
    Ok(Starter { path, seats, warnings: refused.chain(found.warnings).collect() })
}

/// The file with what was found, and its seats. A folder's own file may name no key: there the endpoints stay those that need no entry.
fn filled(found: &DetectedModels, here: bool) -> (String, Vec<String>) {
    let Config { endpoints, models, .. } = &found.config;
    let used = |name: &str| found.panel.seats.iter().chain(&found.panel.light).any(|seat| seat.split('/').next() == Some(name));
    let written = |name: &str, endpoint: &EndpointConfig| used(name) && !(here && endpoint.key_env.is_some());
    let mut text = String::from("# Synod's configuration, with what was found when it was written. Every line is optional.\n");
    text.push_str("# A model can also be named without an entry, as endpoint/model-id.\n\n");
    for (name, endpoint) in endpoints {
        if written(name, endpoint) {
            text.push_str(&endpoint_table(name, endpoint));
        } else if used(name) {
            let variable = endpoint.key_env.as_deref().unwrap_or_default();
            text.push_str(&format!("# {name} needs no entry: its key is read from {variable}.\n\n"));
        }
    }
    // An entry where its endpoint has one; elsewhere the name says all there is.
    let entry = |seat: &str| {
        let (endpoint, id) = seat.split_once('/')?;
        let of = |(_, model): &(&String, &ModelConfig)| model.endpoint == endpoint && model.id == id;
        models.iter().find(of).filter(|_| endpoints.get(endpoint).is_some_and(|config| written(endpoint, config)))
    };
    let named = |seat: &String| entry(seat).map_or_else(|| seat.clone(), |(name, _)| name.clone());
    let mut told: Vec<&String> = Vec::new();
    for seat in found.panel.seats.iter().chain(&found.panel.light) {
        if let Some((name, model)) = entry(seat)
            && !told.contains(&name)
        {
            told.push(name);
            text.push_str(&model_table(name, model));
        }
    }
    let seats: Vec<String> = found.panel.seats.iter().map(named).cycle().take(found.panel.seats.len().max(ENOUGH)).collect();
    if found.panel.seats.len() < ENOUGH {
        text.push_str("# A model that sits more than once agrees with itself: more models are worth more.\n");
    }
    text.push_str(&format!("[panels.default]\nseats = {seats:?}\n"));
    if let Some(light) = &found.panel.light {
        text.push_str(&format!("light = {:?}\n", named(light)));
    }
    let rest = STARTER.split_once("\n\n").map_or(STARTER, |(_, rest)| rest);
    text.push_str(&format!("\n# What else there is.\n\n{rest}"));
    (text, seats)
}

fn endpoint_table(name: &str, endpoint: &EndpointConfig) -> String {
    let address = endpoint.base_url.trim_end_matches('/');
    let mut table = format!("[endpoints.{}]\nkind = {:?}\nbase_url = {address:?}\n", key(name), endpoint.kind.as_str());
    if let Some(variable) = &endpoint.key_env {
        table.push_str(&format!("# The key stays in the environment.\nkey_env = {variable:?}\n"));
    }
    if endpoint.concurrency != EndpointConfig::new(endpoint.kind, "").concurrency {
        table.push_str(&format!("concurrency = {}\n", endpoint.concurrency));
    }
    table + "\n"
}

fn model_table(name: &str, model: &ModelConfig) -> String {
    let mut table = format!("[models.{}]\nendpoint = {:?}\nid = {:?}\n", key(name), model.endpoint, model.id);
    if model.tier == Tier::Light {
        table.push_str("tier = \"light\"\n");
    }
    match model.price {
        Some(price) => {
            let cached = price.cached_input.map(|usd| format!("cached_input = {usd:?}, ")).unwrap_or_default();
            table.push_str(&format!("price = {{ input = {:?}, {cached}output = {:?} }}\n", price.input, price.output));
        }
        None => table.push_str("# US dollars per million tokens: price = { input = 5.0, output = 25.0 }\n"),
    }
    table + "\n"
}
