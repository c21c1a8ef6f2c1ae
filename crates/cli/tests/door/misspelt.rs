//! A name that stands for nothing is answered with the one that was probably meant.

use crate::house::House;

#[track_caller]
fn suggests(house: &House, args: &[&str], meant: &str) {
    let did = house.synod(&[args, &["--json"]].concat()).exits(2);
    let errors = did.json()["errors"].clone();
    let found = errors.as_array().into_iter().flatten().any(|error| error["suggestion"] == meant);
    assert!(found, "{args:?}: {errors}");
    let text = house.synod(args).exits(2).err.to_lowercase();
    assert!(text.contains(&format!("did you mean {:?}?", meant.to_lowercase())) || text.contains("similar"), "{args:?}: {text}");
}

#[test]
fn the_nearest_name_is_suggested() {
    let house = House::with("[models.opus]\nendpoint = \"x\"\nid = \"a\"\n[panels.wide]\nseats = [\"opus\"]\n");
    let ask = |more: &[&'static str]| [&["ask"], more, &["Tea?"]].concat();
    suggests(&house, &ask(&["--mode", "concil"]), "council");
    suggests(&house, &["modes", "redteam_"], "red_team");
    suggests(&house, &ask(&["--mode", "roundtable", "--stlye", "socratic"]), "--style");
    suggests(&house, &ask(&["--mode", "roundtable", "--style", "socratc"]), "socratic");
    suggests(&house, &ask(&["--modles", "opus"]), "--models");
    suggests(&house, &ask(&["--panel", "wdie"]), "wide");
    suggests(&house, &ask(&["--models", "opsu"]), "opus");
    suggests(&house, &ask(&["--models", "olama/a"]), "ollama/a");
    suggests(&house, &ask(&["--models", "opus", "--role", "chairmn=opus"]), "chairman");
    suggests(&house, &ask(&["--mode", "crux", "--models", "opus", "--personas", "actury,founder"]), "actuary");
    suggests(&house, &["aks", "Tea?"], "ask");
}

#[test]
fn a_misspelt_setting_is_one_problem_with_its_right_name() {
    let house = House::new();
    house.write("config/synod/synod.toml", "[endpoints.x]\nkind = \"opnai\"\nbase_ulr = \"http://127.0.0.1:9/v1\"\n");
    suggests(&house, &["ask", "Tea?"], "base_url");
    suggests(&house, &["ask", "Tea?"], "openai");
}

#[test]
fn a_mistyped_run_leads_to_the_one_that_was_meant() {
    let house = House::new();
    assert!(house.synod(&["show", "nonsense"]).exits(2).err.contains("no run"), "there is none yet");
    house.ask("council", &[]).exits(0);
    let run = house.last();
    let mut typed: String = run.chars().take(13).collect();
    let last = typed.pop().expect("a digit");
    typed.push(if last == '0' { '1' } else { '0' });
    suggests(&house, &["show", &typed], &run);
    let far = house.synod(&["show", "nonsense"]).exits(2).err;
    assert!(far.contains("the newest") && far.contains(&run), "{far}");
}
