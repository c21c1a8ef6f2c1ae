//! Whoever has one model or one key is served, and told what their panel is worth.

use crate::house::{Did, House};
use serde_json::{Value, json};
use synod_testkit::server::{Form, Thinking};

const HOLDS_ALL: &str = "holds all";

/// A bare house whose server has these models. The other usual ports may be anybody's, so nothing is said of them.
fn house(models: &[&str]) -> House {
    let house = House::bare();
    house.server.list_models(models);
    house
}

fn warnings(verdict: &Value) -> String {
    verdict["warnings"].to_string()
}

#[test]
fn one_local_model_is_seated_by_every_mode() {
    let house = house(&["qwen3:8b"]);
    let modes = house.synod(&["modes", "--json"]).json();
    for mode in modes["modes"].as_array().expect("modes").iter().filter_map(|mode| mode["id"].as_str()).filter(|mode| *mode != "collapse") {
        let did = Did::run(&mut house.with_ollama(&["ask", "--mode", mode, "--json", "-q", "--models", "ollama/qwen3:8b", "Tea?"]));
        let verdict = did.exits(0).json();
        assert!(warnings(&verdict).contains("ollama/qwen3:8b holds all"), "{mode}: {verdict}");
    }
}

#[test]
fn what_is_found_is_said_seated_and_worth_a_warning() {
    let house = house(&["qwen3:8b"]);
    let did = Did::run(&mut house.with_ollama(&["ask", "--json", "Tea?"])).exits(0);
    assert!(warnings(&did.json()).contains(HOLDS_ALL) || did.err.contains("Found "), "{}", did.err);
    assert!(did.err.contains("ollama/qwen3:8b"), "{}", did.err);
    assert_eq!(did.json()["rehearsal"], false);
}

#[test]
fn one_key_of_any_provider_is_enough_for_any_mode() {
    let models = ["claude-opus-5-5", "claude-haiku-5-5", "gpt-6.1-sol", "gpt-6-luna", "gemini-4-argon", "gemini-3.8-flash"];
    for (provider, heavy) in [("ANTHROPIC", "anthropic/claude-opus-5-5"), ("OPENAI", "openai/gpt-6.1-sol"), ("GEMINI", "gemini/gemini-4-argon")] {
        let house = house(&models);
        house.server.want_key("right");
        for mode in ["council", "tournament"] {
            let did = Did::run(&mut house.with_key(provider, "right", &["ask", "--mode", mode, "--json", "Tea?"])).exits(0);
            assert!(warnings(&did.json()).contains(heavy), "{provider} {mode}: {}", did.out);
            assert!(did.err.contains("One more key"), "{provider}: {}", did.err);
        }
        let wrong = Did::run(&mut house.with_key(provider, "wrong", &["ask", "--json", "Tea?"])).exits(2).json();
        assert_eq!(wrong["errors"][0]["hint"], format!("export {provider}_API_KEY=…"), "{wrong}");
        assert_eq!(wrong["errors"].as_array().map(Vec::len), Some(1), "{wrong}");
    }
}

#[test]
fn a_panel_of_one_in_a_configuration_is_filled_up_too() {
    let house = House::with("[panels.default]\nseats = [\"x/a\"]\n");
    let verdict = house.synod(&["ask", "--mode", "jury", "--json", "-q", "Tea?"]).exits(0).json();
    assert!(warnings(&verdict).contains("x/a holds all 3 seats of the panel"), "{verdict}");
    // Models without a panel are a panel.
    let models = House::with("[models.a]\nendpoint = \"x\"\nid = \"a\"\n[models.b]\nendpoint = \"x\"\nid = \"b\"\n");
    let verdict = models.synod(&["ask", "--json", "-q", "Tea?"]).exits(0).json();
    assert!(warnings(&verdict).contains("a holds 2 of the panel's 3 seats"), "{verdict}");
}

#[test]
fn voices_of_different_names_are_different_and_one_voice_twice_is_not() {
    let house = House::bare();
    let verdict = house.synod(&["ask", "--rehearse", "--json", "-q", "Tea?"]).exits(0).json();
    assert!(!warnings(&verdict).contains("holds"), "{verdict}");
    let twice = ["ask", "--models", "rehearsal/engineer,rehearsal/engineer,rehearsal/sceptic", "--json", "-q", "Tea?"];
    let verdict = house.synod(&twice).exits(0).json();
    assert!(warnings(&verdict).contains("rehearsal/engineer holds 2 of the panel's 3 seats"), "{verdict}");
    // Two names for one model are one model.
    let named = House::with("[models.a]\nendpoint = \"x\"\nid = \"a\"\n");
    let verdict = named.synod(&["ask", "--models", "a,x/a,x/b", "--json", "-q", "Tea?"]).exits(0).json();
    assert!(warnings(&verdict).contains("holds 2 of the panel's 3 seats"), "{verdict}");
}

#[test]
fn endpoints_that_need_no_entry_lie_under_those_of_a_configuration() {
    let house = House::new();
    let mut command = house.command(&["ask", "--models", "x/a,ollama/b,local/c", "--json", "-q", "Tea?"]);
    Did::run(command.env_remove("SYNOD_OFFLINE").env("OLLAMA_HOST", house.server.address().to_string())).exits(0);
    assert_eq!(house.server.of_model("b"), 2);
    // An entry of the same name wins.
    let own = house.server.url();
    house.write(
        "config/synod/synod.toml",
        &format!("[endpoints.ollama]\nkind = \"openai\"\nbase_url = \"{own}\"\n[panels.default]\nseats = [\"ollama/m\"]\n"),
    );
    Did::run(house.command(&["ask", "-q", "Tea?"]).env("OLLAMA_HOST", "127.0.0.1:9")).exits(0);
    // A key does not travel in the clear.
    let mut command = house.command(&["models", "--json"]);
    command.env_remove("SYNOD_OFFLINE").env("OPENAI_API_KEY", "k").env("OPENAI_BASE_URL", "http://no.such.host.invalid/v1");
    assert!(!Did::run(&mut command).exits(0).out.contains("\"k\""));
}

#[test]
fn models_lists_what_can_be_seated_and_where_it_comes_from() {
    let more = "[models.m]\nendpoint = \"x\"\nid = \"test-model\"\nprice = { input = 3.0, output = 15.0 }\n";
    let house = House::with(more);
    let list = house.synod(&["models", "--json"]).exits(0).json();
    let models = list["models"].as_array().expect("models");
    let find = |name: &str| models.iter().find(|model| model["name"] == name).unwrap_or_else(|| panic!("{name} in {list}"));
    assert_eq!(find("m")["price"]["output"], json!(15.0));
    assert!(find("x/test-model-light")["from"].as_str().is_some_and(|from| from.ends_with("synod.toml")), "{list}");
    assert_eq!((&find("x/test-model-light")["price"], &find("x/test-model-light")["thinks"]), (&Value::Null, &Value::Null));
    let text = house.synod(&["models", "light"]).exits(0).out;
    assert!(text.contains("x/test-model-light") && text.contains("unknown") && !text.contains("\nm "), "{text}");
    let keyed = crate::one_model::house(&["gpt-6.1-sol"]);
    let list = Did::run(&mut keyed.with_key("OPENAI", "k", &["models", "--json"])).exits(0).json();
    assert_eq!((&list["models"][0]["name"], &list["models"][0]["from"]), (&json!("openai/gpt-6.1-sol"), &json!("OPENAI_API_KEY")));
    assert_eq!(house.server.total() + keyed.server.total(), 0, "nothing is paid");
}

#[test]
fn init_writes_what_is_found_and_the_file_runs_as_it_is() {
    for here in [false, true] {
        let house = house(&["gpt-6.1-sol", "gpt-6-luna"]);
        let file = if here { "work/synod.toml" } else { "config/synod/synod.toml" };
        let flags: &[&str] = if here { &["init", "--here"] } else { &["init"] };
        let wrote = Did::run(&mut house.with_key("OPENAI", "k", flags)).exits(0);
        assert_eq!(wrote.out.contains("trusted = ["), here, "{}", wrote.out);
        let text = std::fs::read_to_string(house.path(file)).expect("a file");
        assert!(text.contains("\n[panels.default]\nseats = [") && text.contains("gpt-6.1-sol") && !text.contains("\"k\""), "{text}");
        // The user's own counts at once, a directory's where it is trusted.
        let trust: &[&str] = if here { &["--trust"] } else { &[] };
        Did::run(&mut house.with_key("OPENAI", "k", &[&["doctor"], trust].concat())).exits(0);
        let verdict = Did::run(&mut house.with_key("OPENAI", "k", &[&["ask", "--json", "-q", "Tea?"], trust].concat())).exits(0).json();
        assert_eq!(verdict["rehearsal"], false);
        Did::run(&mut house.with_key("OPENAI", "k", flags)).exits(2);
        assert_eq!(std::fs::read_to_string(house.path(file)).expect("a file"), text, "never overwritten");
    }
}

#[test]
fn the_doctor_gives_the_line_that_mends_an_address() {
    let house = House::bare();
    let root = format!("http://{}", house.server.address());
    let config = format!("[endpoints.box]\nkind = \"openai\"\nbase_url = \"{root}\"\n[panels.default]\nseats = [\"box/test-model\"]\n");
    house.write("config/synod/synod.toml", &config);
    let report = house.synod(&["doctor", "--json"]).exits(2).json();
    let fix = &report["seats"][0]["fix"];
    assert_eq!((&fix["table"], &fix["line"]), (&json!("endpoints.box"), &json!(format!("base_url = \"{root}/v1\""))), "{report}");
    assert!(fix["file"].as_str().is_some_and(|file| file.ends_with("config/synod/synod.toml")), "{report}");
    let asked = house.synod(&["ask", "-q", "Tea?"]).exits(3);
    assert!(asked.err.contains(&format!("base_url = \"{root}/v1\"")) && asked.err.contains("synod doctor"), "{}", asked.err);
}

#[test]
fn endpoints_alone_are_asked_what_they_have() {
    let house = house(&["qwen3:8b"]);
    let root = format!("http://{}", house.server.address());
    let config = |address: &str| house.write("config/synod/synod.toml", &format!("[endpoints.box]\nkind = \"openai\"\nbase_url = \"{address}\"\n"));
    config(&format!("{root}/v1"));
    let did = Did::run(&mut house.with_ollama(&["ask", "--json", "Tea?"])).exits(0);
    assert!(warnings(&did.json()).contains("box/qwen3:8b holds all 3 seats"), "{}", did.out);
    config(&root);
    let did = Did::run(&mut house.with_ollama(&["ask", "Tea?"])).exits(0);
    assert!(did.err.contains("(box) none has a model to seat; synod doctor says why"), "{}", did.err);
    let report = house.synod(&["doctor", "--json"]).exits(2).json();
    assert_eq!(report["seats"][0]["fix"]["line"], format!("base_url = \"{root}/v1\""), "{report}");
}

/// A model that thinks is told of as one, with how much; the quote tells the likely and the worst case apart; the receipt counts it.
#[test]
fn what_a_model_thinks_is_told_quoted_and_counted() {
    let price = "[models.deep]\nendpoint = \"x\"\nid = \"deep\"\nprice = { input = 3.0, output = 15.0 }\n";
    let house = House::with(&format!("\n{price}\n[panels.default]\nseats = [\"deep\"]\n"));
    house.server.list_models(&["deep"]);
    house.server.thinks("deep", Thinking::of(900, Form::Tags));
    let doctor = house.synod(&["doctor"]).exits(0).out;
    assert!(doctor.contains(", thinks (") && doctor.contains(" tokens about a small sum)"), "{doctor}");
    let quote = house.synod(&["ask", "--quote", "Is it deep?"]).exits(0).out;
    assert!(quote.contains("likely $") && quote.contains("at worst $") && quote.contains("room to think for"), "{quote}");
    let asked = house.synod(&["ask", "-q", "Is it deep?"]).exits(0).out;
    assert!(asked.contains(", of which ") && asked.contains(" thinking"), "{asked}");
    assert!(!asked.contains("hm, "), "a thought is no answer: {asked}");
    let models = house.synod(&["models"]).exits(0).out;
    assert!(models.lines().any(|line| line.contains("x/deep") && line.contains("yes")), "{models}");
}
