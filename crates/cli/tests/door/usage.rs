//! Bad input: every error at once, each with what would be right, exit 2, nothing paid and nothing written.

use crate::house::House;

fn fields(did: &crate::house::Did) -> Vec<String> {
    let document = did.json();
    let errors = document["errors"].as_array().expect("errors");
    for error in errors {
        for part in ["field", "got", "want"] {
            assert!(error[part].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        }
    }
    errors.iter().filter_map(|error| error["field"].as_str().map(str::to_owned)).collect()
}

#[test]
fn everything_wrong_is_told_at_once_and_nothing_is_paid() {
    let house = House::new();
    let did = house.synod(&[
        "ask",
        "--mode",
        "vote",
        "--models",
        "x/a,nobody",
        "--bogus",
        "1",
        "--answer-tokens",
        "7",
        "--budget",
        "lots",
        "--seed",
        "-4",
        "--deadline",
        "0",
        "--role",
        "king=x/a",
        "--file",
        "/no/such/file",
        "--json",
        "Tea?",
    ]);
    let did = did.exits(2);
    let fields = fields(&did);
    for field in ["options.bogus", "options.answer_tokens", "models[1]", "budget", "seed", "deadline", "role", "file"] {
        assert!(fields.iter().any(|found| found == field), "{field} is not among {fields:?}");
    }
    assert_eq!(house.server.total(), 0);
    assert_eq!(house.synod(&["runs", "--json"]).json()["runs"], serde_json::json!([]));
}

#[test]
fn a_role_of_every_seat_cannot_be_given_to_one() {
    let did = House::new().ask("council", &["--role", "member=x/z"]).exits(2);
    assert!(did.out.contains("--models"), "{}", did.out);
}

#[test]
fn what_a_configuration_says_reaches_the_terminal_as_text() {
    let house = House::new();
    house.write("work/synod.toml", "[endpoints.\"e\\u001b]0;pwned\\u0007\"]\nkind = 3\n");
    let did = house.synod(&["ask", "Tea?"]).exits(2);
    assert!(!did.err.contains(['\u{1b}', '\u{7}']) && did.err.contains("endpoints.e"), "{:?}", did.err);
}

#[test]
fn output_that_cannot_be_written_is_told_and_loses_no_run() {
    let house = House::new();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let args = ["ask", "--models", "x/a,x/b,x/c", "Tea?"];
    let did = crate::house::Did::of(house.command(&args).stdout(full()).output().expect("synod runs")).exits(1);
    assert!(did.err.contains("could be written") && !did.err.contains("panicked"), "{}", did.err);
    crate::house::Did::of(house.command(&args).stderr(full()).output().expect("synod runs")).exits(0);
    assert_eq!(house.synod(&["runs", "--json"]).json()["runs"].as_array().map(Vec::len), Some(2));
    let mut child = house.command(&["export", "last", "--format", "html"]).stdout(std::process::Stdio::piped()).spawn().expect("synod runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "a reader that went away is no failure");
}

#[test]
fn an_argument_that_is_not_text_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let house = House::new();
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    crate::house::Did::of(house.command(&["ask"]).arg(odd).output().expect("synod runs")).exits(2);
}

#[test]
fn an_unknown_mode_names_the_known_ones() {
    let did = House::new().ask("vot", &[]).exits(2);
    assert!(did.out.contains("council, vote"), "{}", did.out);
    assert_eq!(did.json()["errors"][0]["suggestion"], "vote");
}

#[test]
fn too_many_seats_are_an_error_and_too_few_are_filled() {
    let house = House::new();
    let did = house.synod(&["ask", "--models", "x/a,x/b,x/c,x/d,x/e,x/f,x/g,x/h", "--json", "Tea?"]).exits(2);
    assert!(did.out.contains("3 to 7 seats"), "{}", did.out);
    let two = house.synod(&["ask", "--models", "x/a,x/b", "--json", "-q", "Tea?"]).exits(0).json();
    let told = "x/a holds 2 of the panel's 3 seats: they share its mistakes, so their agreement is worth less.";
    assert_eq!(two["warnings"][0], told);
    // With a chair of its own two on the panel are all that council needs.
    let three = house.synod(&["ask", "--models", "x/a,x/b", "--chair", "x/c", "--json", "-q", "Tea?"]).exits(0).json();
    assert!(!three["warnings"].to_string().contains("holds"), "{}", three["warnings"]);
    let none = house.synod(&["ask", "--json", "Tea?"]).exits(2);
    assert!(none.out.contains("no seats") && none.out.contains("synod models"), "{}", none.out);
}

#[test]
fn of_a_standing_panel_those_without_a_seat_stay_out_and_are_named() {
    let house = House::with("[panels.default]\nseats = [\"x/a\", \"x/b\", \"x/c\", \"x/d\"]\n");
    let verdict = house.synod(&["ask", "--mode", "red_team", "--json", "-q", "Tea?"]).exits(0).json();
    assert_eq!(verdict["warnings"][0], "Red Team seats 3 of this panel: x/d stayed out.");
    let two = house.synod(&["ask", "--mode", "crux", "--personas", "actuary,founder", "--rooms", "0", "--json", "-q", "Tea?"]).exits(0).json();
    assert_eq!(two["warnings"][0], "Crux seats 2 of this panel: x/c, x/d stayed out.");
    // Whoever is named for this question is meant.
    house.synod(&["ask", "--mode", "red_team", "--models", "x/a,x/b,x/c,x/d", "-q", "Tea?"]).exits(2);
}

#[test]
fn an_unreachable_endpoint_is_found_before_the_run() {
    let house = House::with("[endpoints.dead]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\n");
    let did = house.synod(&["ask", "--models", "x/a,dead/b,x/c", "--json", "Tea?"]).exits(2);
    assert!(did.out.contains("dead"), "{}", did.out);
    assert_eq!(house.server.total(), 0);
}

#[test]
fn a_missing_key_names_its_variable() {
    let house = House::bare();
    let config = "[endpoints.claude]\nkind = \"anthropic\"\nkey_env = \"NO_SUCH_KEY\"\nbase_url = \"http://127.0.0.1:9/v1/\"\n";
    house.write("config/synod/synod.toml", config);
    let did = house.synod(&["ask", "--models", "claude/a,claude/b,claude/c", "--chair", "claude/d", "--json", "Tea?"]).exits(2);
    let errors = did.json()["errors"].clone();
    assert_eq!((errors.as_array().map(Vec::len), &errors[0]["code"]), (Some(1), &serde_json::json!("no_key")), "{errors}");
    assert_eq!(errors[0]["got"], "NO_SUCH_KEY is not set; needed by claude/a, claude/b, claude/c, claude/d");
    assert_eq!(errors[0]["hint"], "export NO_SUCH_KEY=…");
}

#[test]
fn an_unreadable_configuration_says_where() {
    let house = House::new();
    house.write("work/synod.toml", "[endpoints.x\nkind = 3\n");
    let did = house.ask("council", &[]).exits(2);
    assert!(did.out.contains("synod.toml"), "{}", did.out);
}

#[test]
fn a_budget_with_an_unpriced_model_is_an_error() {
    let did = House::new().ask("council", &["--budget", "1"]).exits(2);
    assert!(did.out.contains("no price"), "{}", did.out);
}

#[test]
fn an_unknown_run_says_what_would_be_right() {
    let house = House::new();
    for verb in ["show", "resume", "verify", "replay", "watch", "cancel", "review", "export"] {
        let did = house.synod(&[verb, "nonsense"]).exits(2);
        assert!(did.err.contains("nonsense"), "{verb}: {}", did.err);
    }
}

#[test]
fn a_database_that_cannot_be_written_loses_nothing_and_makes_no_run() {
    let house = House::new();
    let blocked = house.write("blocked", "a file, not a folder");
    let db = blocked.join("synod.db").display().to_string();
    let did = house.ask("council", &["--db", &db]).exits(1);
    assert!(did.json()["errors"][0]["field"] == "db", "{}", did.out);
    assert_eq!(house.server.total(), 0);
    let not_a_db = house.write("not.db", &"no database here. ".repeat(100)).display().to_string();
    house.ask("council", &["--db", &not_a_db]).exits(1);
    assert_eq!(house.server.total(), 0);
}

#[test]
fn an_option_may_be_read_from_a_file() {
    let house = House::new();
    house.write("work/criteria.json", "[\"accuracy\",\n \"wit, dry\"]\n");
    house.write("work/criteria.txt", "wit,depth\n");
    for (flags, want) in [
        (["--criteria", "@criteria.json"], "\n- wit, dry\n"),
        (["--set", "criteria=@criteria.txt"], "first:\n- wit\n- depth\n"),
        (["--criteria", "@@home"], "first:\n- @home\n"),
    ] {
        house.ask("council", &flags).exits(0);
        assert!(house.server.requests().iter().any(|ask| ask.text().contains(want)), "{flags:?}");
    }
    let paid = house.server.total();
    house.write("work/broken.json", "[\"accuracy\",");
    house.write("work/rubric.json", &format!("{{\"criteria\": \"{}\"}}", "long ".repeat(200)));
    for (value, want) in [("@none.json", "none.json"), ("@broken.json", "broken.json: EOF"), ("@rubric.json", "rubric.json: {"), ("@", "@FILE")] {
        let did = house.ask("council", &["--criteria", value]).exits(2);
        assert_eq!(fields(&did), ["options.criteria"], "{value}");
        assert!(did.out.contains(want) && did.out.len() < 600, "{value}: {}", did.out);
    }
    assert_eq!(house.server.total(), paid);
    assert!(house.synod(&["ask", "--help"]).exits(0).out.contains("@FILE"));
}
