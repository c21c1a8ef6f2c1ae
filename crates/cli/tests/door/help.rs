//! What the product says of itself.

use crate::house::House;
use serde_json::Value;

#[test]
fn every_mode_shows_its_whole_definition() {
    let house = House::bare();
    let shown = house.synod(&["modes", "--json"]).exits(0).json();
    let modes = shown["modes"].as_array().expect("modes").clone();
    assert!(modes.len() >= 15, "{} modes", modes.len());
    let fields = [
        "id",
        "name",
        "family",
        "description",
        "pick",
        "minModels",
        "maxModels",
        "requiresSpecialRole",
        "supportsMultiTurn",
        "estimatedDurationMs",
        "phases",
        "stages",
        "options",
        "defaults",
        "decision",
        "turnSeconds",
        "runSeconds",
        "cost",
        "calls",
        "example",
        "failureRule",
    ];
    let listed = house.synod(&["modes"]).exits(0).out;
    for mode in &modes {
        for field in fields {
            assert_ne!(mode[field], Value::Null, "{}: {field}", mode["id"]);
        }
        let id = mode["id"].as_str().expect("an id");
        let line = listed.lines().find(|line| line.split_whitespace().next() == Some(id)).unwrap_or_else(|| panic!("{id} is not listed"));
        assert!(line.contains(mode["phases"][0].as_str().expect("a phase")), "{line}");
        let explained = house.synod(&["modes", id]).exits(0).out;
        for option in mode["options"]["properties"].as_object().into_iter().flatten() {
            assert!(explained.contains(&format!("--{} (default", option.0.replace('_', "-"))), "{id}: {}", option.0);
        }
        for said in [&mode["example"], &mode["name"]] {
            assert!(explained.contains(said.as_str().expect("text")), "{id}: {said}");
        }
    }
}

#[test]
fn the_modes_reference_is_what_the_registry_says() {
    let made = House::bare().synod(&["modes", "--markdown"]).exits(0).out;
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/modes.md")).expect("docs/modes.md");
    let differs = kept.lines().zip(made.lines()).find(|(kept, made)| kept != made);
    let regenerate = "regenerate it: cargo run -p synod -- modes --markdown > docs/modes.md";
    assert_eq!((differs, kept.lines().count()), (None, made.lines().count()), "{regenerate}");
}

#[test]
fn init_writes_a_configuration_that_loads_and_never_overwrites_one() {
    let house = House::bare();
    house.synod(&["init"]).exits(0);
    house.synod(&["modes"]).exits(0);
    house.synod(&["doctor"]).exits(0);
    let again = house.synod(&["init"]).exits(2);
    assert!(again.err.contains("already there"), "{}", again.err);
}

#[test]
fn doctor_makes_one_small_call_a_seat_and_names_what_fails() {
    let house = House::new();
    house.server.script("gone", synod_testkit::server::Fault::ModelGone);
    let well = house.synod(&["doctor", "--models", "x/a"]).exits(0);
    assert!(well.out.contains("ok"), "{}", well.out);
    let ill = house.synod(&["doctor", "--models", "x/a,x/gone"]).exits(2);
    assert!(ill.out.contains("FAILED   x/gone"), "{}", ill.out);
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(House::bare().synod(&["completions", shell]).exits(0).out.contains("synod"), "{shell}");
    }
}
