//! From what was typed to what it means. Every field is looked at; nothing stops at the first error.

use crate::origin::Origin;
use crate::section::Section;
use crate::tree::{Is, Table};
use crate::trust::Trust;
use crate::{BUILT_IN, Config, EndpointConfig, EndpointKind, LimitsConfig, ModelConfig, PanelConfig, REHEARSAL, SchemaMode, Sources};
use std::collections::BTreeMap;
use std::path::PathBuf;
use synod_types::{Durability, Effort, Price, Problem, Tier};

const TRUSTED: &str = "a list of absolute paths";

pub(crate) fn check(tree: &Table, sources: &Sources, problems: &mut Vec<Problem>) -> Config {
    let known = Known::of(tree);
    let mut top = Section::new("", tree, problems);
    let trusted: Vec<PathBuf> = top.list("trusted", TRUSTED).unwrap_or_default().into_iter().map(PathBuf::from).collect();
    // A path that depends on where one is would trust whatever one is in.
    if !trusted.iter().all(|path| path.is_absolute()) {
        top.wrong("trusted", TRUSTED);
    }
    let trust = Trust::new(sources, &trusted);
    let durability = top.choice("durability", &Durability::WORDS, Durability::parse);
    let raw_retention_days = raw_retention_days(&mut top, &trust);
    let db = db(&mut top, &trust);
    let limits = top.table("limits");
    let server = top.table("server");
    let claims = top.table("claims");
    let claims_origin = top.origin("claims");
    let server_origin = top.origin("server");
    let endpoints = top.entries("endpoints");
    let authors: BTreeMap<&str, &Origin> = endpoints.iter().map(|(name, _, origin)| (name.as_str(), *origin)).collect();
    let models = top.entries("models");
    let panels = top.entries("panels");
    top.finish();

    let mut config = Config { trusted, db, durability, raw_retention_days, ..Config::default() };
    (config.foreign.trust_line, config.foreign.accepted) = (trust.line().to_owned(), sources.accept_endpoints);
    if let Some(table) = limits {
        config.limits = limits_of(Section::new("limits", table, problems));
    }
    if let Some(table) = claims {
        config.claims = crate::claims::claims_of(Section::new("claims", table, problems), claims_origin, &trust);
    }
    if let Some(table) = server {
        config.server = crate::server::server_of(Section::new("server", table, problems), server_origin, &trust);
    }
    for (name, table, origin) in endpoints {
        let section = Section::new(format!("endpoints.{name}"), table, problems);
        if let Some(endpoint) = endpoint(name, section, origin, &trust, &known) {
            let theirs = trust.refuses(origin).is_some();
            if theirs { &mut config.foreign.endpoints } else { &mut config.endpoints }.insert(name.clone(), endpoint);
        }
    }
    for (name, table, origin) in models {
        if let Some(model) = model(name, Section::new(format!("models.{name}"), table, problems), &known, &authors, &trust) {
            let theirs = trust.refuses(origin).is_some();
            if theirs { &mut config.foreign.models } else { &mut config.models }.insert(name.clone(), model);
        }
    }
    for (name, table, origin) in panels {
        if let Some(panel) = panel(Section::new(format!("panels.{name}"), table, problems), &known) {
            let theirs = trust.refuses(origin).is_some();
            if theirs { &mut config.foreign.panels } else { &mut config.panels }.insert(name.clone(), panel);
        }
    }
    config
}

/// The names that exist, right or wrong: a model whose endpoint has a typo in its address is not itself a problem.
struct Known {
    endpoints: Vec<String>,
    models: Vec<String>,
}

impl Known {
    fn of(tree: &Table) -> Self {
        let names = |section: &str| match tree.get(section).map(|node| &node.is) {
            Some(Is::Table(table)) => table.keys().cloned().collect(),
            _ => Vec::new(),
        };
        let mut endpoints: Vec<String> = names("endpoints");
        for name in BUILT_IN.iter().chain([&REHEARSAL]) {
            if !endpoints.iter().any(|known| known == name) {
                endpoints.push((*name).to_owned());
            }
        }
        Self { endpoints, models: names("models") }
    }

    fn is_model(&self, name: &str) -> bool {
        let by_endpoint = name.split_once('/').is_some_and(|(endpoint, id)| !id.is_empty() && self.endpoints.iter().any(|known| known == endpoint));
        by_endpoint || self.models.iter().any(|known| known == name)
    }

    fn models_wanted(&self) -> String {
        let endpoints = self.endpoints.iter().map(|name| format!("{name}/MODEL-ID"));
        let names: Vec<String> = self.models.iter().cloned().chain(endpoints).collect();
        format!("one of {}", names.join(", "))
    }

    /// What a name that is no model may have meant: another model, or the same id of another endpoint.
    fn near(&self, name: &str) -> Vec<String> {
        let of_endpoint = name.split_once('/').into_iter().flat_map(|(_, id)| self.endpoints.iter().map(move |known| format!("{known}/{id}")));
        self.models.iter().cloned().chain(of_endpoint).collect()
    }
}

fn db(top: &mut Section<'_, '_>, trust: &Trust) -> Option<String> {
    let given = top.text("db", "a path or a database URL")?;
    let origin = top.origin("db")?;
    if let Some(line) = trust.refuses(origin)
        && let Err(why) = trust.database_inside(&given)
    {
        let got = format!("{given:?} in {origin}, {why}, in a directory you have not listed as trusted");
        top.problem("db", got, format!("a plain path below it, or, {line}"));
        return None;
    }
    if given.contains(':') {
        return Some(given);
    }
    if given.starts_with('~') {
        top.wrong("db", "a path without ~, which only a shell fills in, or a database URL");
        return None;
    }
    Some(origin.base().map_or(given.clone(), |base| base.join(&given).display().to_string()))
}

/// Raw replies older than this are deleted from the user's database, so it is theirs to say.
fn raw_retention_days(top: &mut Section<'_, '_>, trust: &Trust) -> Option<u32> {
    let days = top.number("raw_retention_days", 1.0..=36_500.0, true)?;
    let origin = top.origin("raw_retention_days")?;
    if let Some(line) = trust.refuses(origin) {
        top.problem("raw_retention_days", format!("{days} in {origin}, in a directory you have not listed as trusted"), line);
        return None;
    }
    Some(days as u32)
}

/// Of an untrusted directory there are none: they were set aside with the rest that is the user's alone.
fn limits_of(mut section: Section<'_, '_>) -> LimitsConfig {
    let secs = |section: &mut Section<'_, '_>, name| section.number(name, 1.0..=31_536_000.0, true).map(|secs| secs as u64);
    let limits = LimitsConfig {
        budget_usd: section.number("budget_usd", 0.0..=f64::INFINITY, false),
        deadline_secs: secs(&mut section, "deadline_secs"),
        timeout_secs: secs(&mut section, "timeout_secs"),
        confirm_above: section.number("confirm_above", 0.0..=f64::INFINITY, false),
    };
    section.finish();
    limits
}

fn endpoint(name: &str, mut section: Section<'_, '_>, origin: &Origin, trust: &Trust, known: &Known) -> Option<EndpointConfig> {
    let kind = section.choice("kind", &EndpointKind::WORDS, EndpointKind::parse);
    if kind.is_none() && section.origin("kind").is_none() {
        section.problem("kind", "nothing", format!("one of {}", EndpointKind::WORDS.join(", ")));
    }
    // A rehearsal promises that nothing is called and nothing is paid.
    if name == REHEARSAL && kind.is_some_and(|kind| kind != EndpointKind::Rehearsal) {
        section.wrong("kind", "\"rehearsal\", or another name for the endpoint: this one is what rehearsals run on");
    }
    let mut endpoint = EndpointConfig::new(kind.unwrap_or(EndpointKind::OpenAi), "");
    let base_url = base_url(&mut section, kind);
    endpoint.key_env = key_env(&mut section, origin, trust);
    if let Some(n) = section.number("concurrency", 1.0..=100_000.0, true) {
        endpoint.concurrency = n as usize;
    }
    endpoint.requests_per_minute = section.number("requests_per_minute", 1.0..=1e6, true).map(|n| n as u32);
    if let Some(stream) = section.flag("stream") {
        endpoint.stream = stream;
    }
    if let Some(web_search) = section.flag("web_search") {
        endpoint.web_search = web_search;
    }
    if let Some(schema) = section.choice("schema", &SchemaMode::WORDS, SchemaMode::parse) {
        endpoint.schema = schema;
    }
    endpoint.text_limit = section.number("text_limit", 40.0..=2000.0, true).map(|n| n as u32);
    if endpoint.text_limit.is_some() && kind.is_some_and(|kind| kind != EndpointKind::OpenAi) {
        section.wrong("text_limit", "an endpoint of kind \"openai\": the other providers bound no texts");
    }
    (endpoint.effort, endpoint.thinking_tokens) = thinking(&mut section);
    if let Some(n) = section.number("retries", 0.0..=20.0, true) {
        endpoint.retries = n as usize;
    }
    if let Some(n) = section.number("backoff_ms", 1.0..=60_000.0, true) {
        endpoint.backoff_ms = n as u64;
    }
    if let Some(n) = section.number("breaker_failures", 0.0..=1000.0, true) {
        endpoint.breaker_failures = n as u32;
    }
    if let Some(n) = section.number("breaker_ms", 1.0..=3_600_000.0, true) {
        endpoint.breaker_ms = n as u64;
    }
    if let Some(n) = section.number("reply_bytes", 65_536.0..=1_073_741_824.0, true) {
        endpoint.reply_bytes = n as usize;
    }
    cassette(&mut section, &mut endpoint, kind, Author { origin, trust }, known);
    if name.contains('/') {
        section.problem("", format!("{name:?}"), "a name without a slash: `endpoint/model-id` is how models are named");
    }
    // Nobody answers at a provider's own address without a key.
    if let Some((home, key)) = kind.and_then(EndpointKind::home)
        && base_url.as_deref() == Some(home)
        && endpoint.key_env.is_none()
        && section.origin("key_env").is_none()
    {
        section.problem("key_env", "nothing", format!("the variable that holds your key: key_env = {key:?}"));
    }
    section.finish();
    endpoint.base_url = EndpointConfig::new(endpoint.kind, base_url?).base_url;
    kind.map(|_| endpoint)
}

fn base_url(section: &mut Section<'_, '_>, kind: Option<EndpointKind>) -> Option<String> {
    let given = section.text("base_url", "an address such as \"http://127.0.0.1:11434/v1\"");
    let home = kind.and_then(EndpointKind::home);
    match (kind, given) {
        (Some(EndpointKind::Rehearsal | EndpointKind::Cassette), Some(_)) => {
            section.wrong("base_url", "no address: this kind has none");
            Some(String::new())
        }
        (Some(EndpointKind::Rehearsal | EndpointKind::Cassette), None) => Some(String::new()),
        (_, None) if section.origin("base_url").is_some() => None,
        (_, None) => Some(home.map_or_else(String::new, |(url, _)| url.to_owned())),
        (_, Some(given)) => match url::Url::parse(&given) {
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                let field = section.field("base_url");
                section.secret(
                    &field,
                    "an address with a name or a password in it",
                    "the address alone; a key stays in the environment, named by key_env",
                );
                None
            }
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.host_str().is_some() && url.query().is_none() => Some(given),
            _ => {
                section.wrong("base_url", "an http or https address without a query, such as \"http://127.0.0.1:11434/v1\"");
                None
            }
        },
    }
}

/// The variable's name. Whoever wrote the endpoint chose where its key goes, so it is the endpoint's origin that must be trusted, whether the
/// field comes from the same file or from the environment.
fn key_env(section: &mut Section<'_, '_>, endpoint: &Origin, trust: &Trust) -> Option<String> {
    let key_env = section.text("key_env", "the name of an environment variable")?;
    let origin = section.origin("key_env")?;
    if let Some(line) = trust.refuses(endpoint).or_else(|| trust.refuses(origin)) {
        section.problem("key_env", format!("{key_env:?} in {origin}, for an endpoint of a directory you have not listed as trusted"), line);
        return None;
    }
    if key_env.is_empty() || key_env.contains(['=', '\0', ' ']) {
        section.wrong("key_env", "the name of an environment variable, not the key itself");
        return None;
    }
    Some(key_env)
}

/// Who wrote an endpoint, and whether they are trusted.
struct Author<'a> {
    origin: &'a Origin,
    trust: &'a Trust,
}

fn cassette(section: &mut Section<'_, '_>, endpoint: &mut EndpointConfig, kind: Option<EndpointKind>, author: Author<'_>, known: &Known) {
    let is_cassette = kind == Some(EndpointKind::Cassette);
    let path = section.text("path", "the path of a recording");
    let record = section.text("record", "the name of the endpoint to record");
    if !is_cassette {
        for name in ["path", "record"] {
            if kind.is_some() && section.origin(name).is_some() {
                section.wrong(name, "nothing: only a cassette has it");
            }
        }
        return;
    }
    let Some((path, origin)) = path.zip(section.origin("path")) else {
        if section.origin("path").is_none() {
            section.problem("path", "nothing", "the path of the recording: path = \"replies.jsonl\"");
        }
        return;
    };
    if let Some(line) = author.trust.refuses(origin)
        && let Err(why) = author.trust.inside(&path)
    {
        section.problem("path", format!("{path:?} in {origin}, {why}, in a directory you have not listed as trusted"), line);
    }
    // A recording is written where the endpoint's author says, so it is they who must be trusted, whoever asked for it.
    if let Some(given) = section.origin("record")
        && let Some(line) = author.trust.refuses(author.origin).or_else(|| author.trust.refuses(given))
    {
        section.problem("record", format!("a recording in {given}, for an endpoint of a directory you have not listed as trusted"), line);
    }
    if let Some(record) = &record
        && !known.endpoints.contains(record)
    {
        section.unknown("record", record, format!("one of {}", known.endpoints.join(", ")), known.endpoints.iter().map(String::as_str));
    }
    endpoint.path = Some(origin.base().map_or_else(|| PathBuf::from(&path), |base| base.join(&path)));
    endpoint.record = record;
}

fn model(name: &str, mut section: Section<'_, '_>, known: &Known, authors: &BTreeMap<&str, &Origin>, trust: &Trust) -> Option<ModelConfig> {
    let endpoint = section.text("endpoint", "the name of an endpoint");
    let id = section.text("id", "the provider's own id of the model");
    let tier = section.choice("tier", &Tier::WORDS, Tier::parse);
    let price = price(&mut section, endpoint.as_deref().and_then(|endpoint| authors.get(endpoint).copied()), trust);
    for (field, want) in [("endpoint", format!("one of {}", known.endpoints.join(", "))), ("id", "the provider's own id of the model".to_owned())] {
        if section.origin(field).is_none() {
            section.problem(field, "nothing", want);
        }
    }
    if let Some(endpoint) = &endpoint
        && !known.endpoints.contains(endpoint)
    {
        section.unknown("endpoint", endpoint, format!("one of {}", known.endpoints.join(", ")), known.endpoints.iter().map(String::as_str));
    }
    if name.contains('/') {
        section.problem("", format!("{name:?}"), "a name without a slash: a slash means `endpoint/model-id`");
    }
    let (effort, thinking_tokens) = thinking(&mut section);
    section.finish();
    Some(ModelConfig { endpoint: endpoint?, id: id?, tier: tier.unwrap_or_default(), price, effort, thinking_tokens })
}

fn thinking(section: &mut Section<'_, '_>) -> (Option<Effort>, Option<u32>) {
    let effort = section.choice("effort", &Effort::WORDS, Effort::parse);
    (effort, section.number("thinking_tokens", 0.0..=1e6, true).map(|n| n as u32))
}

/// A budget is only worth what the prices are. A cloned repository may say what its own endpoint costs, which can hold no key of the user's,
/// and of no other.
fn price(section: &mut Section<'_, '_>, endpoint: Option<&Origin>, trust: &Trust) -> Option<Price> {
    let price = section.price("price");
    let origin = section.origin("price")?;
    let its_own = endpoint.is_some_and(|endpoint| trust.refuses(endpoint).is_some());
    if let Some(line) = trust.refuses(origin)
        && !its_own
    {
        let got = format!("a price in {origin}, for an endpoint that is not its own, in a directory you have not listed as trusted");
        section.problem("price", got, line);
        return None;
    }
    price
}

fn panel(mut section: Section<'_, '_>, known: &Known) -> Option<PanelConfig> {
    let seats = section.list("seats", "a list of models: seats = [\"opus\", \"local/qwen3:8b\"]");
    let chair = section.text("chair", "a model");
    let light = section.text("light", "a model");
    if section.origin("seats").is_none() || seats.as_ref().is_some_and(Vec::is_empty) {
        section.problem("seats", "nothing", "a list of models: seats = [\"opus\", \"local/qwen3:8b\"]");
    }
    for (i, seat) in seats.iter().flatten().enumerate() {
        if !known.is_model(seat) {
            section.unknown(&format!("seats[{i}]"), seat, known.models_wanted(), known.near(seat).iter().map(String::as_str));
        }
    }
    for (field, name) in [("chair", &chair), ("light", &light)] {
        if let Some(name) = name
            && !known.is_model(name)
        {
            section.unknown(field, name, known.models_wanted(), known.near(name).iter().map(String::as_str));
        }
    }
    section.finish();
    Some(PanelConfig { seats: seats?, chair, light })
}
