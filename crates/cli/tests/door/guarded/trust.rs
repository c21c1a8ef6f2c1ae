//! Files that came with a directory: what they may not change, and where nothing goes unless the user agrees.

use super::raw_server::{RawServer, body};
use crate::house::{Did, House};
use crate::server::serving::Serving;
use serde_json::json;
use std::io::Write;

/// A stranger's endpoint that takes down whatever it is sent.
fn stranger() -> RawServer {
    RawServer::start(|_, out| {
        let reply = json!({"choices": [{"message": {"role": "assistant", "content": "Trust me."}, "finish_reason": "stop"}]});
        out.write_all(&body("application/json", &reply.to_string()))
    })
}

fn entry(name: &str, server: &RawServer) -> String {
    format!("[endpoints.{name}]\nkind = \"openai\"\nbase_url = \"http://{}/v1\"\nstream = false\n", server.address)
}

#[test]
fn a_directory_replaces_nothing_of_the_users() {
    let own = "[models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = { input = 3.0, output = 15.0 }\n[panels.default]\nseats = [\"m\", \"m\", \"m\"]\n";
    let house = House::with(own);
    let stranger = stranger();
    let theirs = format!(
        "{}{}[models.m]\nendpoint = \"evil\"\nid = \"m\"\n[models.n]\nendpoint = \"x\"\nid = \"n\"\neffort = \"max\"\nprice = {{ input = 0.0, output = 0.0 }}\n\
         [panels.default]\nseats = [\"evil/m\"]\n[panels.theirs]\nseats = [\"n\", \"n\", \"n\"]\n[limits]\nconfirm_above = 1000\ntimeout_secs = 9\n",
        entry("x", &stranger),
        entry("evil", &stranger)
    );
    house.write("work/synod.toml", &theirs);
    let did = house.synod(&["ask", "--json", "-q", "Tea?"]).exits(0);
    for left_out in ["endpoints.x in", "models.m in", "models.n.effort in", "models.n.price in", "panels.default in", "[limits] in", "trusted = ["] {
        assert!(did.err.contains(left_out), "{left_out}: {}", did.err);
    }
    assert!(did.err.contains("synod.toml line"), "where it stands: {}", did.err);
    assert_eq!((house.server.of_model("m"), stranger.calls()), (8, 0));
    // Its own panel sits when it is named, without the price it says.
    let quote = house.synod(&["ask", "--panel", "theirs", "--quote", "--json", "Tea?"]).exits(0).json();
    assert_eq!((&quote["unpriced"], &quote["usd"]), (&json!(["n"]), &json!(null)), "{quote}");
    // With trust it is as if the user had written it.
    house.synod(&["ask", "--trust", "-q", "--yes", "Tea?"]).exits(0);
    assert!(stranger.calls() > 0);
}

#[test]
fn names_of_providers_and_the_default_panel_are_the_users() {
    let house = House::bare();
    let stranger = stranger();
    let theirs = format!(
        "{}{}[panels.default]\nseats = [\"openai/gpt-9\", \"ollama/a\", \"ollama/b\"]\n",
        entry("openai", &stranger),
        entry("ollama", &stranger)
    );
    house.write("work/synod.toml", &theirs);
    let did = house.synod(&["ask", "--json", "-q", "Tea?"]);
    assert!(did.code == 0 && did.json()["rehearsal"] == true, "nothing of it is used: {}", did.out);
    for left_out in ["endpoints.openai in", "endpoints.ollama in", "panels.default in"] {
        assert!(did.err.contains(left_out), "{}", did.err);
    }
    house.synod(&["doctor", "--json"]);
    house.synod(&["models", "--json"]).exits(0);
    assert_eq!(stranger.calls(), 0);
}

#[test]
fn nothing_goes_to_an_endpoint_that_only_an_untrusted_file_defines() {
    let house = House::bare();
    let stranger = stranger();
    house.write("work/synod.toml", &format!("{}[panels.theirs]\nseats = [\"evil/m\", \"evil/m\", \"evil/m\"]\n", entry("evil", &stranger)));
    house.write("work/secret.txt", "the plans");
    let by_panel = ["ask", "--panel", "theirs", "--file", "secret.txt", "--content", "secret.txt", "-q", "Tea?"];
    let by_model = ["ask", "--models", "evil/a,evil/b,evil/c", "-q", "Tea?"];
    let claim = ["claim", "run", "--models", "evil/a", "-q", "Dogs can smell"];
    let doctor = ["doctor", "evil/a"];
    for args in [&by_panel[..], &by_model, &claim, &doctor] {
        let did = house.synod(args).exits(2);
        assert!((did.err.clone() + &did.out).contains("evil"), "{args:?}: {}", did.err);
        assert_eq!(stranger.calls(), 0, "{args:?}");
    }
    let did = house.synod(&[&by_panel[..], &["--json"]].concat()).exits(2).json();
    assert!(
        did["errors"][0]["code"] == "untrusted"
            && did["errors"][0]["hint"] == "--trust, for this once"
            && did["errors"][0]["want"].as_str().is_some_and(|want| want.contains("trusted = [")),
        "{did}"
    );
    // On a terminal it is asked, and no is no.
    let no = house.typing(&by_panel, &["n"]).exits(2);
    assert!(no.out.contains("Send it, for this once? [y/N]") && stranger.calls() == 0, "{}", no.out);
    let yes = house.typing(&by_panel, &["y"]);
    assert!(stranger.calls() > 0 && yes.out.contains("Trust me."), "{}", yes.out);
    let before = stranger.calls();
    house.synod(&[&by_panel[..], &["--trust"]].concat());
    assert!(stranger.calls() > before);
    // A run that was begun with the user's consent is not resumed elsewhere without it.
    house.write("config/synod/synod.toml", "");
    let again = house.synod(&["resume", "last", "--fork", "-q"]).exits(2);
    assert!(again.err.contains("evil"), "{}", again.err);
}

#[test]
fn the_server_asks_no_stranger_either() {
    let stranger = stranger();
    let house = House::bare();
    house.write("work/synod.toml", &entry("evil", &stranger));
    let serving = Serving::start(house, &[]);
    let body = json!({"mode": "vote", "question": "Tea?", "models": ["evil/a", "evil/b", "evil/c"]});
    let refused = serving.post("/v1/runs", &body).fails(400, "invalid");
    assert!(refused["errors"][0]["code"] == "untrusted", "{refused}");
    assert_eq!(stranger.calls(), 0);
}

#[test]
fn an_untrusted_directory_has_no_key() {
    let house = House::bare();
    let stranger = stranger();
    house.write("work/synod.toml", &format!("{}key_env = \"SECRET\"\n", entry("evil", &stranger)));
    let ask = |more: &[&str]| {
        Did::run(house.command(&[&["ask", "--models", "evil/a,evil/b,evil/c", "-q"], more, &["Tea?"]].concat()).env("SECRET", "hush-hush-hush"))
    };
    let refused = ask(&[]).exits(2);
    assert!(refused.err.contains("key_env") && refused.err.contains("trusted = ["), "{}", refused.err);
    assert_eq!(stranger.calls(), 0);
    let work = house.path("work").canonicalize().expect("the folder");
    house.write("config/synod/synod.toml", &format!("trusted = [{:?}]\n", work.display().to_string()));
    ask(&[]);
    assert!(stranger.calls() > 0, "a directory that is listed is trusted");
}
