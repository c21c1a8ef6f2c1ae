//! `synod.toml`: everything wrong at once, and who overrides whom.

use crate::desk::{Desk, find};
use std::path::Path;
use synod_config::SchemaMode;
use synod_config::{Config, EndpointKind, Sources};
use synod_engine::Models;
use synod_llm::Registry;
use synod_types::Durability;
use synod_types::{Price, Tier};

#[test]
fn a_whole_file_is_read_as_written() {
    let desk = Desk::new().mine(
        r#"
        db = "runs.db"
        durability = "power"
        raw_retention_days = 30
        trusted = ["/srv/one"]
        [limits]
        budget_usd = 1.5
        deadline_secs = 600
        timeout_secs = 60
        [endpoints.local]
        kind = "openai"
        base_url = "http://127.0.0.1:11434/v1"
        concurrency = 2
        requests_per_minute = 30
        stream = false
        schema = "prompt"
        text_limit = 300
        retries = 1
        backoff_ms = 10
        [endpoints.claude]
        kind = "anthropic"
        key_env = "ANTHROPIC_API_KEY"
        [endpoints.tape]
        kind = "cassette"
        path = "replies.jsonl"
        record = "claude"
        [models.opus]
        endpoint = "claude"
        id = "claude-opus-5-5"
        price = { input = 5.0, cached_input = 0.5, output = 25.0 }
        [models.small]
        endpoint = "local"
        id = "qwen3:8b"
        tier = "light"
        [panels.default]
        seats = ["opus", "small", "local/org/other:4b", "rehearsal/ada"]
        chair = "opus"
        light = "small"
        "#,
    );
    let config = desk.load();
    let local = &config.endpoints["local"];
    assert_eq!((local.kind, local.base_url.as_str(), local.concurrency), (EndpointKind::OpenAi, "http://127.0.0.1:11434/v1/", 2));
    assert_eq!(
        (local.requests_per_minute, local.stream, local.schema, local.text_limit, local.retries, local.backoff_ms),
        (Some(30), false, SchemaMode::Prompt, Some(300), 1, 10)
    );
    assert_eq!(config.endpoints["claude"].base_url, "https://api.anthropic.com/v1/");
    assert!(config.endpoints["claude"].stream);
    assert_eq!(config.endpoints["tape"].path.as_deref(), Some(desk.path("mine/replies.jsonl").as_path()), "paths are relative to their file");
    assert_eq!(config.models["opus"].price, Some(Price { input: 5.0, cached_input: Some(0.5), output: 25.0 }));
    assert_eq!((config.models["opus"].tier, config.models["small"].tier), (Tier::Heavy, Tier::Light));
    assert_eq!(config.panels["default"].chair.as_deref(), Some("opus"));
    assert_eq!(config.db.as_deref().map(Path::new), Some(desk.path("mine/runs.db").as_path()));
    assert_eq!((config.durability, config.raw_retention_days), (Some(Durability::Power), Some(30)));
    let limits = config.limits;
    assert_eq!((limits.budget_usd, limits.deadline_secs, limits.timeout_secs), (Some(1.5), Some(600), Some(60)));
}

#[test]
fn every_error_is_found_at_once_with_its_place() {
    let problems = Desk::new()
        .mine(
            r#"
durability = "always"
raw_retention_days = 0
colour = "red"
[endpoints.local]
kind = "openapi"
base_url = "ftp://example.org"
concurrency = 0
stream = "yes"
basic_url = "typo"
[endpoints.bare]
base_url = "http://127.0.0.1:1/v1"
[endpoints.claude]
kind = "anthropic"
text_limit = 100
[endpoints.tape]
kind = "cassette"
record = "nobody"
[models.opus]
endpoint = "claud"
tier = "huge"
price = { input = -1, out = 3 }
[panels.default]
seats = ["opus", "nobody", "local/x"]
chair = 3
[panels.empty]
seats = []
[limits]
budget_usd = "much"
turn_secs = 5
"#,
        )
        .problems();
    let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
    for field in [
        "durability",
        "raw_retention_days",
        "colour",
        "endpoints.local.kind",
        "endpoints.local.base_url",
        "endpoints.local.concurrency",
        "endpoints.local.stream",
        "endpoints.local.basic_url",
        "endpoints.bare.kind",
        "endpoints.claude.key_env",
        "endpoints.claude.text_limit",
        "endpoints.tape.path",
        "models.opus.endpoint",
        "models.opus.id",
        "models.opus.tier",
        "models.opus.price.input",
        "models.opus.price.output",
        "models.opus.price.out",
        "panels.default.seats[1]",
        "panels.default.chair",
        "panels.empty.seats",
        "limits.budget_usd",
        "limits.turn_secs",
    ] {
        assert!(fields.contains(&field), "{field} is not in {fields:?}");
    }
    assert!(!fields.contains(&"panels.default.seats[2]"), "an endpoint with a typo in it still has its name");
    let url = find(&problems, "endpoints.local.base_url");
    assert!(url.got.contains("ftp://example.org") && url.got.ends_with("mine/synod.toml line 7"), "{url}");
    assert!(find(&problems, "endpoints.local.basic_url").want.contains("base_url"));
    assert!(find(&problems, "endpoints.claude.key_env").want.contains("ANTHROPIC_API_KEY"));
    assert!(find(&problems, "models.opus.endpoint").want.contains("claude"));
    assert!(find(&problems, "panels.default.seats[1]").want.contains("opus"));
}

#[test]
fn broken_toml_names_file_and_line() {
    let problems = Desk::new().mine("db = \"x\"\n[endpoints.local\nkind = \"openai\"\n").problems();
    assert!(problems[0].field.ends_with("mine/synod.toml line 2"), "{problems:#?}");
}

const USERS: &str = "[endpoints.local]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nkey_env = \"MY_KEY\"\n[models.a]\nendpoint = \"local\"\nid = \"users\"\n";

#[test]
fn the_working_directory_comes_before_the_user_and_the_environment_before_both() {
    let desk = Desk::new().mine(USERS).here("[models.a]\nendpoint = \"local\"\nid = \"here\"\n").trusting();
    assert_eq!(desk.load().models["a"].id, "here");
    let desk = desk.set("SYNOD_MODELS__A__ID", "env").set("SYNOD_ENDPOINTS__LOCAL__CONCURRENCY", "7").set("SYNOD_ENDPOINTS__LOCAL__STREAM", "false");
    let config = desk.load();
    assert_eq!((config.models["a"].id.as_str(), config.endpoints["local"].concurrency, config.endpoints["local"].stream), ("env", 7, false));
    assert_eq!(config.files, [desk.path("here/synod.toml"), desk.path("mine/synod.toml")]);
}

#[test]
fn a_given_file_replaces_both() {
    let desk = Desk::new().mine(USERS).here("[models.b]\nendpoint = \"local\"\nid = \"here\"\n");
    let given = desk.path("given.toml");
    std::fs::write(&given, "[models.c]\nendpoint = \"rehearsal\"\nid = \"x\"\n").expect("writes");
    let config = Config::load(&Sources { given: Some(given.clone()), ..desk.sources() }).expect("loads");
    assert_eq!(config.models.keys().collect::<Vec<_>>(), ["c"]);
    let missing = Sources { given: Some(desk.path("nowhere.toml")), ..desk.sources() };
    let problems = Config::load(&missing).expect_err("no such file").0;
    assert_eq!(problems[0].field, "config");
}

#[test]
fn anything_can_be_set_by_the_environment_alone() {
    let config = Desk::new()
        .set("SYNOD_ENDPOINTS__BOX__KIND", "openai")
        .set("SYNOD_ENDPOINTS__BOX__BASE_URL", "http://127.0.0.1:9/v1")
        .set("SYNOD_MODELS__FAST__ENDPOINT", "box")
        .set("SYNOD_MODELS__FAST__ID", "8")
        .set("SYNOD_MODELS__FAST__PRICE", "{ input = 1, output = 2 }")
        .set("SYNOD_PANELS__DEFAULT__SEATS", "fast, box/other:1b")
        .set("SYNOD_LIMITS__BUDGET_USD", "2.5")
        .set("SYNOD_DB", "here.db")
        .set("SYNOD_RAW_RETENTION_DAYS", "90")
        .set("SYNOD_OFFLINE", "1")
        .set("SYNODICAL", "x")
        .load();
    assert_eq!(config.models["fast"].id, "8");
    assert_eq!(config.models["fast"].price, Some(Price { input: 1.0, cached_input: None, output: 2.0 }));
    assert_eq!(config.panels["default"].seats, ["fast", "box/other:1b"]);
    assert_eq!((config.limits.budget_usd, config.db.as_deref(), config.raw_retention_days), (Some(2.5), Some("here.db"), Some(90)));
}

#[test]
fn a_variable_finds_names_with_dashes_and_a_wrong_one_is_named() {
    let desk = Desk::new().mine(USERS).mine(&USERS.replace("models.a", "models.my-model")).set("SYNOD_MODELS__MY_MODEL__ID", "new");
    assert_eq!(desk.load().models["my-model"].id, "new");
    let problems = desk.set("SYNOD_ENDPOINTS__LOCAL__CONCURRENCY", "many").set("SYNOD_ENDPOINTS__LOCAL__COLOUR", "red").problems();
    assert!(find(&problems, "endpoints.local.concurrency").got.contains("SYNOD_ENDPOINTS__LOCAL__CONCURRENCY"));
    assert!(find(&problems, "endpoints.local.colour").got.contains("SYNOD_ENDPOINTS__LOCAL__COLOUR"));
}

#[test]
fn a_variable_of_no_section_is_an_error_an_empty_one_is_not_set_and_others_are_not_ours() {
    let desk = Desk::new().set("SYNOD_LIMIT__BUDGET_USD", "2").set("SYNOD_DB", "").set("SYNOD_OFFLINE", "1");
    let problems = desk.problems();
    find(&problems, "limit");
    assert_eq!(problems.len(), 1, "{problems:#?}");
    let problems = Desk::new().mine("db = \"~/runs.db\"\n").problems();
    assert!(find(&problems, "db").want.contains('~'), "{problems:#?}");
}

#[test]
fn models_are_named_by_name_or_by_endpoint_and_id() {
    let config = Desk::new().mine(&format!("{USERS}price = {{ input = 1, output = 2 }}\n")).load();
    let registry = Registry::with_env(config, std::sync::Arc::new(|name| (name == "MY_KEY").then(|| "k".to_owned())));
    let card = registry.resolve("--models", "a").expect("by name");
    assert_eq!((card.name.as_str(), card.endpoint.as_str(), card.id.as_str()), ("a", "local", "users"));
    let card = registry.resolve("--models", "local/org/name:8b").expect("by endpoint and id");
    assert_eq!((card.endpoint.as_str(), card.id.as_str(), card.price), ("local", "org/name:8b", None));
    assert_eq!(
        registry.resolve("--models", "local/users").expect("the same model").price,
        Some(Price { input: 1.0, cached_input: None, output: 2.0 })
    );
    let problem = registry.resolve("--chair", "opuss").expect_err("no such model");
    assert_eq!(problem.field, "--chair");
    assert!(problem.got.contains("opuss") && problem.want.contains("a, local/MODEL-ID, rehearsal/NAME"), "{problem}");
}

#[test]
fn published_prices_are_known_and_a_machines_own_are_not() {
    let config = Desk::new()
        .mine("[endpoints.c]\nkind = \"anthropic\"\nkey_env = \"K\"\n[endpoints.l]\nkind = \"openai\"\nbase_url = \"http://localhost:1/v1\"\n")
        .load();
    assert!(config.endpoints["l"].is_loopback() && !config.endpoints["c"].is_loopback());
    let registry = Registry::with_env(config, std::sync::Arc::new(|_| Some("k".to_owned())));
    assert!(registry.resolve("m", "c/claude-opus-5-5").expect("resolves").price.is_some());
    assert_eq!(registry.resolve("m", "c/some-new-model").expect("resolves").price, None);
    assert_eq!(registry.resolve("m", "l/claude-opus-5-5").expect("resolves").price, None);
}

#[test]
fn nothing_configured_is_an_empty_configuration() {
    assert!(Desk::new().load().is_empty());
}

#[test]
fn a_rehearsal_is_never_anything_else() {
    let real = |kind: &str| format!("[endpoints.rehearsal]\nkind = {kind:?}\n");
    for kind in ["openai", "anthropic", "gemini", "cassette"] {
        for desk in [Desk::new().here(&real(kind)), Desk::new().mine(&real(kind)), Desk::new().set("SYNOD_ENDPOINTS__REHEARSAL__KIND", kind)] {
            let problems = desk.problems();
            let problem = find(&problems, "endpoints.rehearsal.kind");
            assert!(problem.got.contains(kind) && problem.want.contains("\"rehearsal\""), "{problem}");
        }
    }
    let bent = Desk::new().mine(&real("rehearsal")).set("SYNOD_ENDPOINTS__REHEARSAL__KIND", "openai");
    find(&bent.problems(), "endpoints.rehearsal.kind");
    assert_eq!(Desk::new().here(&real("rehearsal")).load().foreign.endpoints["rehearsal"].kind, EndpointKind::Rehearsal);
}
