//! `synod.toml`: everything wrong at once, who overrides whom, and what a cloned repository may not do.

use std::collections::BTreeMap;
use std::path::Path;
use synod_engine::Models;
use synod_llm::config::{Durability, SchemaMode};
use synod_llm::{Config, EndpointKind, Registry, Sources};
use synod_types::{Price, Problem, Tier};

struct Desk {
    folder: tempfile::TempDir,
    env: BTreeMap<String, String>,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["here", "mine"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self { folder, env: BTreeMap::new() }
    }
    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
    /// The working directory's file.
    fn here(self, text: &str) -> Self {
        std::fs::write(self.path("here/synod.toml"), text).expect("writes");
        self
    }
    /// The user's own file.
    fn mine(self, text: &str) -> Self {
        std::fs::write(self.path("mine/synod.toml"), text).expect("writes");
        self
    }
    fn set(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }
    fn sources(&self) -> Sources {
        Sources { given: None, directory: self.path("here"), user_directory: Some(self.path("mine")), env: self.env.clone() }
    }
    fn load(&self) -> Config {
        Config::load(&self.sources()).unwrap_or_else(|problems| panic!("{problems}"))
    }
    fn problems(&self) -> Vec<Problem> {
        Config::load(&self.sources()).expect_err("something is wrong").0
    }
}

fn find<'a>(problems: &'a [Problem], field: &str) -> &'a Problem {
    problems.iter().find(|problem| problem.field == field).unwrap_or_else(|| panic!("no problem with {field} in {problems:#?}"))
}

#[test]
fn a_whole_file_is_read_as_written() {
    let desk = Desk::new().mine(
        r#"
        db = "runs.db"
        durability = "power"
        trusted = ["/srv/one"]
        [limits]
        budget_usd = 1.5
        timeout_secs = 60
        [endpoints.local]
        kind = "openai"
        base_url = "http://127.0.0.1:11434/v1"
        concurrency = 2
        requests_per_minute = 30
        stream = false
        schema = "prompt"
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
        (local.requests_per_minute, local.stream, local.schema, local.retries, local.backoff_ms),
        (Some(30), false, SchemaMode::Prompt, 1, 10)
    );
    assert_eq!(config.endpoints["claude"].base_url, "https://api.anthropic.com/v1/");
    assert!(config.endpoints["claude"].stream);
    assert_eq!(config.endpoints["tape"].path.as_deref(), Some(desk.path("mine/replies.jsonl").as_path()), "paths are relative to their file");
    assert_eq!(config.models["opus"].price, Some(Price { input: 5.0, cached_input: Some(0.5), output: 25.0 }));
    assert_eq!((config.models["opus"].tier, config.models["small"].tier), (Tier::Heavy, Tier::Light));
    assert_eq!(config.panels["default"].chair.as_deref(), Some("opus"));
    assert_eq!(config.db.as_deref().map(Path::new), Some(desk.path("mine/runs.db").as_path()));
    assert_eq!((config.durability, config.limits.budget_usd, config.limits.timeout_secs), (Some(Durability::Power), Some(1.5), Some(60)));
}

#[test]
fn every_error_is_found_at_once_with_its_place() {
    let problems = Desk::new()
        .mine(
            r#"
durability = "always"
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
"#,
        )
        .problems();
    let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
    for field in [
        "durability",
        "colour",
        "endpoints.local.kind",
        "endpoints.local.base_url",
        "endpoints.local.concurrency",
        "endpoints.local.stream",
        "endpoints.local.basic_url",
        "endpoints.bare.kind",
        "endpoints.claude.key_env",
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
    ] {
        assert!(fields.contains(&field), "{field} is not in {fields:?}");
    }
    assert!(!fields.contains(&"panels.default.seats[2]"), "an endpoint with a typo in it still has its name");
    let url = find(&problems, "endpoints.local.base_url");
    assert!(url.got.contains("ftp://example.org") && url.got.ends_with("mine/synod.toml line 6"), "{url}");
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
    let desk = Desk::new().mine(USERS).here("[models.a]\nendpoint = \"local\"\nid = \"here\"\n");
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
    assert_eq!(problems[0].field, "--config");
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
        .set("SYNOD_OFFLINE", "1")
        .set("SYNODICAL", "x")
        .load();
    assert_eq!(config.models["fast"].id, "8");
    assert_eq!(config.models["fast"].price, Some(Price { input: 1.0, cached_input: None, output: 2.0 }));
    assert_eq!(config.panels["default"].seats, ["fast", "box/other:1b"]);
    assert_eq!((config.limits.budget_usd, config.db.as_deref()), (Some(2.5), Some("here.db")));
}

#[test]
fn a_variable_finds_names_with_dashes_and_a_wrong_one_is_named() {
    let desk = Desk::new().mine(USERS).mine(&USERS.replace("models.a", "models.my-model")).set("SYNOD_MODELS__MY_MODEL__ID", "new");
    assert_eq!(desk.load().models["my-model"].id, "new");
    let problems = desk.set("SYNOD_ENDPOINTS__LOCAL__CONCURRENCY", "many").set("SYNOD_ENDPOINTS__LOCAL__COLOUR", "red").problems();
    assert!(find(&problems, "endpoints.local.concurrency").got.contains("SYNOD_ENDPOINTS__LOCAL__CONCURRENCY"));
    assert!(find(&problems, "endpoints.local.colour").got.contains("SYNOD_ENDPOINTS__LOCAL__COLOUR"));
}

const WITH_KEY: &str = "[endpoints.x]\nkind = \"openai\"\nbase_url = \"https://evil.example/v1\"\nkey_env = \"OPENAI_API_KEY\"\n";

#[test]
fn a_directory_nobody_trusts_may_not_name_a_key() {
    let desk = Desk::new().here(WITH_KEY).mine("trusted = [\"/srv/one\"]\n");
    let problems = desk.problems();
    let problem = find(&problems, "endpoints.x.key_env");
    let directory = desk.path("here").canonicalize().expect("exists");
    let line = format!("trusted = [\"/srv/one\", {:?}]", directory.display().to_string());
    assert!(problem.want.contains(&line), "{problem}");
    assert!(problem.want.contains("mine/synod.toml"), "{problem}");
    assert_eq!(problems.len(), 1, "{problems:#?}");

    let desk = desk.mine(&format!("{line}\n"));
    assert_eq!(desk.load().endpoints["x"].key_env.as_deref(), Some("OPENAI_API_KEY"), "the line to add is the line that helps");
}

#[cfg(unix)]
#[test]
fn trust_is_of_the_real_directory() {
    let desk = Desk::new().here(WITH_KEY);
    std::os::unix::fs::symlink(desk.path("here"), desk.path("link")).expect("links");
    let desk = desk.mine("").mine(&format!("trusted = [{:?}]\n", "PLACE"));
    let trusting =
        |place: &Path| std::fs::write(desk.path("mine/synod.toml"), format!("trusted = [{:?}]\n", place.display().to_string())).expect("writes");
    trusting(&desk.path("link"));
    assert!(Config::load(&desk.sources()).is_ok(), "a link to it is it");
    trusting(&desk.path("mine"));
    assert!(Config::load(&Sources { directory: desk.path("link"), ..desk.sources() }).is_err());
}

#[test]
fn a_directory_cannot_trust_itself() {
    let desk = Desk::new();
    let own = format!("trusted = [{:?}]\n{WITH_KEY}", desk.path("here").display().to_string());
    let problems = desk.here(&own).problems();
    find(&problems, "trusted");
    find(&problems, "endpoints.x.key_env");
}

#[test]
fn a_directory_cannot_bend_the_users_key_to_its_own_address() {
    // The user's endpoint has a key; the directory redefines the endpoint without naming one.
    let bent = "[endpoints.local]\nkind = \"openai\"\nbase_url = \"https://evil.example/v1\"\n";
    let config = Desk::new().mine(USERS).here(bent).load();
    assert_eq!(config.endpoints["local"].base_url, "https://evil.example/v1/");
    assert_eq!(config.endpoints["local"].key_env, None, "an entry is taken whole");
    // Nor may the user's environment lend it one.
    let problems = Desk::new().mine(USERS).here(bent).set("SYNOD_ENDPOINTS__LOCAL__KEY_ENV", "MY_KEY").problems();
    find(&problems, "endpoints.local.key_env");
}

#[test]
fn a_directory_writes_nothing_outside_of_itself() {
    let escaping = "db = \"../elsewhere.db\"\n[endpoints.tape]\nkind = \"cassette\"\npath = \"/tmp/tape.jsonl\"\nrecord = \"rehearsal\"\n";
    let problems = Desk::new().here(escaping).problems();
    find(&problems, "db");
    find(&problems, "endpoints.tape.path");
    let problems = Desk::new().here("db = \"postgres://evil.example/runs\"\n").problems();
    find(&problems, "db");
    let desk = Desk::new().here("db = \"runs.db\"\n[endpoints.tape]\nkind = \"cassette\"\npath = \"tapes/a.jsonl\"\n");
    assert_eq!(desk.load().endpoints["tape"].path.as_deref(), Some(desk.path("here/tapes/a.jsonl").as_path()));
}

#[test]
fn the_users_own_file_may_do_all_of_it_from_wherever_it_is_read() {
    let desk = Desk::new().mine(WITH_KEY);
    assert!(Config::load(&desk.sources()).is_ok());
    // Standing in the config directory, its file is still the user's own.
    assert!(Config::load(&Sources { directory: desk.path("mine"), ..desk.sources() }).is_ok());
    let given = Sources { given: Some(desk.path("mine/synod.toml")), user_directory: None, ..desk.sources() };
    assert!(Config::load(&given).is_ok());
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
