//! The reference pages say what the code says. Settings, fields and codes are asked of the reader, the schema and the binary, never of the page.

use crate::house::House;
use crate::readme::blocks;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use synod_app::{Config, Sources, claim_settings};
use synod_server::ServerSettings;
use synod_types::{Problem, RunState};

fn page(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"))).expect("a page")
}

/// One row of a table, with the `##` heading it stands under.
struct Row {
    heading: String,
    cells: Vec<String>,
}

impl Row {
    /// What the first cell names.
    fn name(&self) -> &str {
        self.cells[0].trim_matches('`')
    }
}

/// The rows of all tables of a page that have this head.
fn rows(page: &str, head: &str) -> Vec<Row> {
    let (mut heading, mut inside, mut rows) = ("", false, Vec::new());
    for line in page.lines() {
        heading = line.strip_prefix("## ").unwrap_or(heading);
        inside = line == head || inside && line.starts_with('|');
        if inside && line != head && !line.starts_with("|---") {
            let cells = line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
            rows.push(Row { heading: heading.to_owned(), cells });
        }
    }
    assert!(!rows.is_empty(), "no table with {head}");
    rows
}

/// A setting as the page has it: what it takes, and what holds without it.
struct Setting {
    value: String,
    default: String,
}

fn settings(page: &str) -> BTreeMap<String, Setting> {
    let rows = rows(page, "| setting | value | default | meaning |");
    let path = |row: &Row| match row.heading.strip_prefix("`[").and_then(|heading| heading.strip_suffix("]`")) {
        Some(table) => format!("{table}.{}", row.name()),
        None => row.name().to_owned(),
    };
    rows.into_iter().map(|row| (path(&row), Setting { value: row.cells[1].clone(), default: row.cells[2].clone() })).collect()
}

/// A configuration of the user's own, as the reader takes it.
fn read(folder: &Path, text: &str) -> Result<Config, Vec<Problem>> {
    let file = folder.join("given.toml");
    std::fs::write(&file, text).expect("a file");
    Config::load(&Sources { given: Some(file), directory: folder.to_owned(), ..Sources::default() }).map_err(|problems| problems.0)
}

/// What the reader wants at a path, when it finds something else there.
fn wanted(folder: &Path, path: &str, given: &str) -> Option<String> {
    let problems = read(folder, &format!("{path} = {given}\n")).expect_err("it is wrong");
    problems.into_iter().find(|problem| problem.field == path).map(|problem| problem.want)
}

/// Every setting of a table and of those inside it, with what the reader wants there. It lists what it knows when it is given what it does not.
fn known(folder: &Path, table: &str, found: &mut BTreeMap<String, String>) {
    let inside = |name: &str| if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") };
    let Some(names) = wanted(folder, &inside("nobody"), "1") else { return };
    let Some(names) = names.strip_prefix("one of ") else { return };
    for path in names.split(", ").map(inside) {
        // A list that holds a number is what no setting takes.
        let want = wanted(folder, &path, "[1]").unwrap_or_else(|| panic!("{path} takes anything"));
        found.insert(path.clone(), want);
        known(folder, &path, found);
        known(folder, &format!("{path}.NAME"), found);
    }
}

#[test]
fn every_setting_of_the_reader_is_in_the_reference_and_no_other() {
    let (folder, page) = (tempfile::tempdir().expect("a folder"), page("configuration.md"));
    let mut found = BTreeMap::new();
    known(folder.path(), "", &mut found);
    assert!(found.contains_key("models.NAME.price.cached_input") && found.len() > 45, "{found:?}");
    let (tables, known): (BTreeMap<_, _>, BTreeMap<_, _>) = found.into_iter().partition(|(_, want)| want.contains(", written ["));
    for (name, want) in tables {
        let heading = want.split_once('[').map(|(_, table)| format!("\n## `[{table}`\n")).unwrap_or_default();
        assert!(page.contains(&heading), "{name} has no heading{heading}");
    }
    let told: BTreeMap<String, String> = settings(&page).into_iter().map(|(path, setting)| (path, setting.value)).collect();
    assert_eq!(told, known);
}

#[test]
fn defaults_of_the_reference_change_nothing_where_they_are_written_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let least = "endpoints.NAME.kind = \"openai\"\nendpoints.NAME.base_url = \"http://127.0.0.1:1/v1\"\nmodels.NAME.endpoint = \"NAME\"\nmodels.NAME.id = \"m\"\n";
    let literal = |cell: &str| cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`')).filter(|cell| !cell.contains('`')).map(str::to_owned);
    let told = settings(&page("configuration.md"));
    let lines: Vec<String> = told.iter().filter_map(|(path, setting)| Some(format!("{path} = {}\n", literal(&setting.default)?))).collect();
    assert!(lines.len() > 20, "{lines:?}");
    let plain = read(folder.path(), least).expect("it is read");
    let spelt = read(folder.path(), &format!("{least}{}", lines.concat())).expect("it is read");
    assert_eq!((&spelt.endpoints, &spelt.models, &spelt.trusted), (&plain.endpoints, &plain.models, &plain.trusted));
    assert_eq!(spelt.durability.unwrap_or_default(), plain.durability.unwrap_or_default());
    let serving = |config: &Config| format!("{:?}", ServerSettings::of(&config.server, None, false));
    assert_eq!(serving(&spelt), serving(&plain));
    assert_eq!(spelt.limits.confirm_above(), plain.limits.confirm_above());
    assert_eq!((spelt.limits.budget_usd, spelt.limits.deadline_secs, spelt.limits.timeout_secs), (None, None, None));
    assert_eq!(claim_settings(&spelt), claim_settings(&plain));
    let per_minute = |config: &Config| (config.claims.claims_per_minute(), config.claims.comments_per_minute());
    assert_eq!(per_minute(&spelt), per_minute(&plain));
    let written = |path: &str| lines.iter().any(|line| line.starts_with(path));
    assert!(written("limits.") && written("claims.") && written("server."), "{lines:?}");
}

#[test]
fn configurations_of_the_reference_are_accepted() {
    let (house, page) = (House::bare(), page("configuration.md"));
    let configs: Vec<String> = blocks(&page).into_iter().filter(|(kind, _)| kind == "toml").map(|(_, body)| body).collect();
    assert!(configs.len() >= 8, "{} blocks", configs.len());
    for config in &configs {
        house.write("config/synod/synod.toml", config);
        house.synod(&["ask", "--rehearse", "--json", "-q", "Tea?"]).exits(0);
    }
    // The complete example is the last one; the variables change it.
    let variables = blocks(&page).into_iter().find(|(_, body)| body.starts_with("SYNOD_")).expect("variables").1;
    let mut command = house.command(&["ask", "--rehearse", "--json", "-q", "Tea?"]);
    for (name, value) in variables.lines().filter_map(|line| line.split_once('=')).filter(|(name, _)| *name != "SYNOD_DB") {
        command.env(name, value.trim_matches('\''));
    }
    crate::house::Did::run(&mut command).exits(0);
}

/// What a schema says of a field.
#[derive(Debug, PartialEq)]
enum Holds {
    Always,
    OrNull,
    Anything,
    /// It may be left out.
    Sometimes,
}

#[derive(Default)]
struct Fields {
    by_path: BTreeMap<String, Holds>,
    /// Whatever fields with a closed list of values may hold.
    words: BTreeSet<String>,
}

/// The forms a value may have, references followed.
fn forms<'a>(schema: &'a Value, all: &'a Value) -> Vec<&'a Value> {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return forms(&all[name], all);
    }
    match schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        Some(several) => several.iter().flat_map(|one| forms(one, all)).collect(),
        None => vec![schema],
    }
}

impl Fields {
    fn walk(&mut self, schema: &Value, all: &Value, at: &str) {
        let forms = forms(schema, all);
        for form in &forms {
            let words = form["enum"].as_array().into_iter().flatten().chain([&form["const"]]);
            self.words.extend(words.filter_map(Value::as_str).map(str::to_owned));
            if form["items"].is_object() {
                self.walk(&form["items"], all, &format!("{at}[]"));
            }
            for (name, field) in form["properties"].as_object().into_iter().flatten() {
                let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                let required = |form: &&Value| form["required"].as_array().is_some_and(|required| required.iter().any(|known| known == name));
                let null =
                    |form: &&Value| form["type"] == "null" || form["type"].as_array().is_some_and(|types| types.iter().any(|one| one == "null"));
                let below = self::forms(field, all);
                let free = below.iter().all(|form| form["type"].is_null() && form["const"].is_null() && form["enum"].is_null());
                let holds = match () {
                    () if !forms.iter().filter(|form| !null(form)).all(required) => Holds::Sometimes,
                    () if free => Holds::Anything,
                    () if below.iter().any(null) => Holds::OrNull,
                    () => Holds::Always,
                };
                self.by_path.insert(path.clone(), holds);
                self.walk(field, all, &path);
            }
        }
    }
}

/// The paths of a document, down to what may be anything.
fn paths(document: &Value, at: &str, free: &BTreeSet<String>, found: &mut BTreeSet<String>) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                found.insert(path.clone());
                if !free.contains(&path) {
                    paths(value, &path, free, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| paths(item, &format!("{at}[]"), free, found)),
        _ => {}
    }
}

#[test]
fn every_field_of_a_verdict_a_stop_and_an_error_is_in_the_reference_and_no_other() {
    let page = page("verdict.md");
    let told = rows(&page, "| field | type | meaning |");
    let openapi = synod_server::openapi_document();
    let all = &openapi["components"]["schemas"];
    let house = House::with("[models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = { input = 3.0, output = 15.0 }\n");
    let asked = |code: i32, more: &[&str]| house.synod(&[&["ask", "--json", "-q", "Tea?"], more].concat()).exits(code).json();
    let tables = [
        ("A verdict", "Verdict", "", asked(0, &["--rehearse"])),
        ("A stop", "Stopped", "stopped", asked(4, &["--models", "m,m,m", "--budget", "0.1"])),
        ("Errors", "Problem", "errors[]", asked(2, &["--rehearse", "--mode", "councl"])),
    ];
    for (heading, name, at, real) in tables {
        let mut fields = Fields::default();
        assert!(all[name].is_object(), "{name} has no schema");
        fields.walk(&all[name], all, at);
        for word in &fields.words {
            assert!(page.contains(&format!("`{word}`")), "{name}: {word} is not explained");
        }
        let free = fields.by_path.iter().filter(|(_, holds)| **holds == Holds::Anything).map(|(path, _)| path.clone()).collect();
        let mut there: BTreeSet<String> = fields.by_path.keys().cloned().collect();
        paths(&real, "", &free, &mut there);
        let told: Vec<&Row> = told.iter().filter(|row| row.heading == heading).collect();
        assert_eq!(told.iter().map(|row| row.name().to_owned()).collect::<BTreeSet<_>>(), there, "{heading}");
        for row in told {
            let Some(holds) = fields.by_path.get(row.name()) else { continue };
            let says = match (row.cells[1].as_str(), row.cells[2].contains("; absent ")) {
                (_, true) => Holds::Sometimes,
                ("any", false) => Holds::Anything,
                (kind, false) if kind.ends_with(" or null") => Holds::OrNull,
                (_, false) => Holds::Always,
            };
            assert_eq!(says, *holds, "{heading}: {}", row.name());
        }
        // The example that is shown has no field that the real one has not.
        let shown = blocks(&page).into_iter().filter(|(kind, _)| kind == "json").map(|(_, body)| serde_json::from_str::<Value>(&body).expect("JSON"));
        let of_kind = |document: &Value| real.as_object().is_some_and(|real| real.keys().all(|key| document.get(key).is_some()));
        let shown = shown.into_iter().find(of_kind).unwrap_or_else(|| panic!("{heading} shows no example"));
        let mut in_example = BTreeSet::new();
        paths(&shown, "", &free, &mut in_example);
        assert!(in_example.is_subset(&there), "{heading}: {in_example:?}");
    }
    let broken = house.synod(&["--db", "/dev/null/x.db", "runs", "--json"]).exits(1).json();
    let code = broken["errors"][0]["code"].as_str().expect("a code");
    assert!(page.contains(&format!("| `{code}` |")), "{code} is not explained");
}

#[test]
fn every_exit_code_is_in_the_reference_and_no_other() {
    let constant = |line: &str| line.strip_prefix("pub const ")?.split_once(": u8 = ")?.1.strip_suffix(';').map(str::to_owned);
    let codes: BTreeSet<String> = include_str!("../../src/exit.rs").lines().filter_map(constant).collect();
    assert!(codes.len() > 3, "{codes:?}");
    let told: BTreeSet<String> = rows(&page("verdict.md"), "| code | meaning | what to do |").iter().map(|row| row.name().to_owned()).collect();
    assert_eq!(told, codes);
}

#[test]
fn every_state_of_a_run_is_in_the_reference_and_no_other() {
    let told: Vec<String> = rows(&page("verdict.md"), "| state | meaning |").iter().map(|row| row.name().to_owned()).collect();
    assert_eq!(told, RunState::WORDS);
}

#[test]
fn documents_of_other_commands_have_the_fields_of_the_reference_and_no_other() {
    let house = House::bare();
    house.synod(&["ask", "--rehearse", "--json", "-q", "Tea?"]).exits(0);
    let told = rows(&page("verdict.md"), "| command | field | type | meaning |");
    let commands: [(&str, &[&str], i32); 18] = [
        ("runs", &["runs"], 0),
        ("show", &["show", "last"], 0),
        ("stats", &["stats"], 0),
        ("doctor", &["doctor", "--models", "rehearsal/sceptic"], 0),
        ("claim run", &["claim", "run", "--rehearse", "-q", "Dogs smell"], 0),
        ("agent work", &["agent", "work", "--rehearse", "--once", "-q"], 2),
        ("ask --quote", &["ask", "--quote", "--rehearse", "Tea?"], 0),
        ("verify", &["verify", "last"], 0),
        ("replay", &["replay", "last"], 0),
        ("models", &["models"], 0),
        ("modes", &["modes"], 0),
        ("persona list", &["persona", "list"], 0),
        ("key new", &["key", "new", "Ada"], 0),
        ("key list", &["key", "list"], 0),
        ("memory list", &["memory", "list"], 0),
        ("claim list", &["claim", "list"], 0),
        ("claim protocols", &["claim", "protocols"], 0),
        ("init", &["init"], 0),
    ];
    for (command, line, code) in commands {
        let real = house.synod(&[line, &["--json"]].concat()).exits(code).json();
        let told = told.iter().filter(|row| row.name() == command).map(|row| row.cells[1].trim_matches('`').to_owned());
        let real: BTreeSet<String> = real.as_object().expect("an object").keys().cloned().collect();
        assert_eq!(told.collect::<BTreeSet<_>>(), real, "{command}");
    }
    assert_eq!(told.iter().map(Row::name).collect::<BTreeSet<_>>(), commands.map(|(command, ..)| command).into());
}
