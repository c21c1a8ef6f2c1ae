//! Personas at the door: listed, read, checked whole, drafted from texts, seated by name, file and deck, and frozen into the run.

use crate::house::House;
use serde_json::json;

#[test]
fn personas_are_listed_shown_and_checked() {
    let house = House::bare();
    let listed = house.synod(&["persona", "list", "--json"]).exits(0).json();
    let personas = listed["personas"].as_array().expect("a list").clone();
    assert!(personas.len() >= 12 && personas.iter().all(|persona| persona["own"] == false), "{listed}");
    for deck in ["markets", "work", "public", "technology"] {
        assert!(listed["decks"].as_array().expect("decks").iter().any(|known| known["name"] == deck), "{deck}");
        assert!(house.synod(&["persona", "list", "--deck", deck]).exits(0).out.contains(deck));
    }
    assert!(house.synod(&["persona", "list", "--deck", "cooking"]).exits(2).err.contains("markets"));
    assert!(house.synod(&["persona", "show", "actuary"]).exits(0).out.contains("What would change their mind"));
    assert!(house.synod(&["persona", "show", "actuary", "--prompt"]).exits(0).out.starts_with("You are Ingrid Solheim"));
    assert!(house.synod(&["persona", "show", "nobody"]).exits(2).err.contains("actuary"));

    let file = house.synod(&["persona", "show", "actuary", "--file"]).exits(0).out;
    house.write("config/synod/personas/auditor.toml", &file.replace("Ingrid Solheim", "Nell Ashby"));
    let broken = house.write("work/broken.toml", "name = \"X\"\ncolour = \"red\"\n");
    assert!(house.synod(&["persona", "check"]).exits(0).out.contains("auditor: Nell Ashby"));
    let errors = house.synod(&["persona", "check", &broken.display().to_string(), "--json"]).exits(2).json();
    let fields: Vec<&str> = errors["errors"].as_array().expect("errors").iter().filter_map(|error| error["field"].as_str()).collect();
    for field in ["colour", "handle", "stakes", "evidence"] {
        assert!(fields.iter().any(|found| found.ends_with(field)), "{field} is not among {fields:?}");
    }
    let own = house.synod(&["persona", "list", "--deck", "markets", "--json"]).exits(0).json();
    assert!(own["personas"].as_array().expect("a list").iter().any(|persona| persona["id"] == "auditor" && persona["own"] == true));

    house.write("config/synod/personas/other.toml", &format!("id = \"farmer\"\n{file}").replace("Ingrid Solheim", "Ada Vale"));
    house.write("config/synod/personas/broken.toml", "name = \"X\"\n");
    let listed = house.synod(&["persona", "list", "--json"]).exits(2).json();
    let farmers = listed["personas"].as_array().expect("a list").iter().filter(|persona| persona["id"] == "farmer").count();
    assert_eq!(farmers, 1, "one's own of the same id takes the place of the built-in one: {listed}");
    house.synod(&["ask", "--mode", "crux", "--rehearse", "--aspects", "1", "--deck", "work", "--json", "Is it safe?"]).exits(0);
}

#[test]
fn a_persona_is_seated_by_name_or_file_and_the_run_keeps_it_whole() {
    let house = House::bare();
    let file = house.synod(&["persona", "show", "nurse", "--file"]).exits(0).out;
    let own = house.write("work/medic.toml", &file.replace("Ruth Nakamba", "Orla Finch"));
    let personas = "./medic.toml,founder,clerk";
    let did = house.synod(&["ask", "--mode", "crux", "--rehearse", "--aspects", "1", "--personas", personas, "--json", "Is it safe?"]).exits(0);
    assert_eq!(did.json()["data"]["personas"][0]["name"], "Orla Finch");
    std::fs::remove_file(own).expect("the file goes");
    let run = house.last();
    house.synod(&["replay", &run]).exits(0);
    let errors = house.synod(&["ask", "--mode", "crux", "--rehearse", "--personas", "nobody,noone", "--json", "Is it safe?"]).exits(2).json();
    assert_eq!(errors["errors"].as_array().expect("errors").iter().filter(|error| error["field"] == "options.personas").count(), 2, "{errors}");
}

#[test]
fn a_persona_may_be_yaml_json_or_markdown_and_is_the_same() {
    let house = House::bare();
    let toml = house.synod(&["persona", "show", "clerk", "--file"]).exits(0).out;
    let mut value: serde_json::Value = toml::from_str(&toml).expect("TOML");
    house.write("work/a.json", &value.to_string());
    house.write("work/b.yaml", &format!("# {{}}\n{}", serde_json::to_string_pretty(&value).expect("JSON")));
    let stakes = value.as_object_mut().expect("fields").remove("stakes").expect("stakes");
    let horizon = value.as_object_mut().expect("fields").remove("time_horizon").expect("a horizon");
    let head = toml::to_string(&value).expect("TOML");
    let body = format!("## Stakes\n{}\n\n## Time horizon\n\n{}\n", stakes.as_str().expect("text"), horizon.as_str().expect("text"));
    house.write("work/c.md", &format!("+++\n{head}+++\n\n{body}"));
    house.write("work/d.md", &format!("---\n{value}\n---\n{body}"));
    let prompt = |name: &str| house.synod(&["persona", "show", name, "--prompt"]).exits(0).out;
    let want = prompt("clerk");
    for name in ["./a.json", "./b.yaml", "./c.md", "d.md"] {
        assert_eq!(prompt(name).split_whitespace().collect::<Vec<_>>(), want.split_whitespace().collect::<Vec<_>>(), "{name}");
    }
    for (text, wrong) in [
        ("## Stakes\nAll.", "no head"),
        ("+++\nname = \"X\"\n", "no closing +++"),
        ("---\nstakes: x\n---\n## Stakes\ny", "stands twice"),
        ("+++\nname = \n+++\n", "TOML parse error"),
    ] {
        house.write("work/broken.md", text);
        let did = house.synod(&["persona", "check", "./broken.md"]).exits(2);
        assert!(did.err.contains(wrong), "{wrong}: {}", did.err);
    }
    house.write("work/broken.yaml", "name: [\n");
    assert!(house.synod(&["persona", "check", "./broken.yaml"]).exits(2).err.contains("YAML"));
}

#[test]
fn a_debate_rehearses_with_a_card_and_reads_like_one() {
    let house = House::bare();
    let did = house.synod(&["ask", "--mode", "crux", "--deck", "markets", "--rehearse", "Is Bitcoin a good investment?"]).exits(0);
    for part in ["Opening", "└ ", "alone: ", "At the table: ", "Who moved", "Octavia Brandt"] {
        assert!(did.out.contains(part), "{part} is missing: {}", did.out);
    }
    let page = house.synod(&["export", "last", "--format", "html"]).exits(0).out;
    for part in ["class=\"said in-1\"", "<details class=\"exhibit aside\">", "class=\"exhibit crux\"", "<ul class=\"shifts\">"] {
        assert!(page.contains(part), "{part} is missing");
    }
}

#[test]
fn a_persona_is_drafted_from_texts_and_only_their_own_words_are_quoted() {
    let house = House::new();
    let text = "I count the boats. Nobody thanks the man who kept the harbour light.\n";
    let letters = house.write("work/letters.txt", text).display().to_string();
    house.server.reply("a", |ask| {
        let schema = ask.schema.as_ref().map(|schema| schema["properties"].clone()).unwrap_or_default();
        if schema.get("passages").is_some() {
            let passages = json!({"reasons": "so", "passages": ["I count the boats.", "I never said this at all."]});
            return synod_testkit::server::Say::json(&passages);
        }
        if schema.get("text").is_some() {
            let text = "You count what others only look at, and you say the figure before you say what you think of it. ".repeat(2);
            return synod_testkit::server::Say::json(&json!({"reasons": "so", "text": text}));
        }
        synod_testkit::server::Say::by_default(ask, 16)
    });
    let did = house.synod(&["persona", "new", "Ada Light", "--from", &letters, "--deck", "work", "--model", "x/a"]).exits(0);
    assert_eq!(house.server.total(), 9);
    let file = std::fs::read_to_string(house.path("config/synod/personas/ada-light.toml")).expect("a file is written");
    assert!(file.contains("I count the boats.") && !file.contains("never said this"), "{file}");
    assert!(did.out.contains("1 of 2 sayings"), "{}", did.out);
    let version = file.lines().find(|line| line.starts_with("version = ")).expect("a version");
    assert!(version.len() == "version = \"2026-03-01T14:02:09Z\"".len() && version.contains('T'), "{version}");
    let asked = house.server.total();
    for args in [&["Ada Light", "--id", "3-wise"][..], &["Ada Light", "--id", "Ada"], &["Лев"]] {
        let args = [&["persona", "new"][..], args, &["--from", letters.as_str(), "--model", "x/a"]].concat();
        assert!(house.synod(&args).exits(2).err.contains("beginning with a letter"), "{args:?}");
    }
    assert_eq!(house.server.total(), asked, "an id that cannot be is told before anything is asked");
    assert!(house.synod(&["persona", "check", "ada-light"]).exits(0).out.contains("Ada Light"));
    assert!(house.synod(&["persona", "new", "Ada Light", "--from", &letters, "--model", "x/a"]).exits(2).err.contains("exists"));
    assert!(house.synod(&["show", "last"]).exits(0).out.contains("persona_draft"), "a draft is a run like any other");
}
