//! What the product says of itself.

use crate::house::House;
use serde_json::{Value, json};

#[test]
fn every_mode_shows_its_whole_definition() {
    let shown = House::bare().synod(&["modes", "--json"]).exits(0).json();
    let council = shown["modes"].as_array().expect("modes").iter().find(|mode| mode["id"] == "council").expect("council").clone();
    let seed = json!({"id": "council", "name": "Council", "family": "evaluation",
        "description": "Models answer, rank each other anonymously, then a chairman synthesizes.", "minModels": 3, "maxModels": 7,
        "requiresSpecialRole": true, "supportsMultiTurn": true, "estimatedDurationMs": 120_000});
    for (field, want) in seed.as_object().expect("fields") {
        assert_eq!(&council[field], want, "{field}");
    }
    for field in ["phases", "options", "defaults", "decision", "turnSeconds", "runSeconds", "calls", "specialRole", "failureRule"] {
        assert_ne!(council[field], Value::Null, "{field}");
    }
}

#[test]
fn the_modes_reference_is_what_the_registry_says() {
    let made = House::bare().synod(&["modes", "--markdown"]).exits(0).out;
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/modes.md")).expect("docs/modes.md");
    assert_eq!(kept, made, "regenerate it: cargo run -p synod -- modes --markdown > docs/modes.md");
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
