//! Text that commands a terminal: names, keys, ids, states and errors from files, models and databases, in every command that prints them.

use crate::house::House;
use synod_testkit::server::{ANY, Fault};

/// Clears the screen, sets the title, turns the direction, and makes a line of its own.
const EVIL: &str = "e\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}\u{9b}31m";

fn harmless(step: &str, text: &str) {
    let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c) || *c == '\u{feff}');
    assert!(bad.is_none(), "{step}: {bad:?} in {text:?}");
}

#[test]
fn nothing_that_others_wrote_commands_a_terminal() {
    let toml = |text: &str| {
        format!("{text:?}").replace("\\u{1b}", "\\u001b").replace("\\u{7}", "\\u0007").replace("\\u{202e}", "\\u202e").replace("\\u{9b}", "\\u009b")
    };
    let name = toml(EVIL);
    let house = House::with(&format!(
        "[models.{name}]\nendpoint = \"x\"\nid = {name}\n[panels.{name}]\nseats = [{name}, {name}, {name}]\n[panels.default]\nseats = [{name}, {name}, {name}]\n"
    ));
    let check = |args: &[&str]| {
        let did = house.synod(args);
        harmless(&format!("{args:?} out"), &did.out);
        harmless(&format!("{args:?} err"), &did.err);
        did
    };
    check(&["ask", "--quote", "Tea?"]);
    check(&["ask", "--quote", "--json", "Tea?"]);
    check(&["ask", EVIL]);
    check(&["doctor"]);
    check(&["models"]);
    check(&["ask", "--panel", EVIL, "-q", "Tea?"]);
    check(&["ask", "--models", EVIL, "--chair", EVIL, "--mode", EVIL, "Tea?"]);
    house.server.script(ANY, Fault::Status(400, format!("no such thing: {EVIL}")));
    check(&["ask", "Tea?"]);
    check(&["show", "last"]);
    house.server.behave();
    check(&["ask", "Tea?"]).exits(0);
    // A database is no more to be believed than a model.
    let evil = "char(27) || '[2J' || char(27) || ']0;owned' || char(7) || char(8238)";
    for column in ["mode", "status", "question"] {
        let sql: &'static str = Box::leak(format!("UPDATE runs SET {column} = 'x' || {evil}").into_boxed_str());
        house.sql(sql);
        check(&["runs"]);
        check(&["runs", "--json"]);
    }
    let sql: &'static str = Box::leak(format!("UPDATE journal SET key = key || {evil} WHERE kind IN ('said', 'phase', 'waiting')").into_boxed_str());
    house.sql(sql);
    for args in [["verify", "last"], ["show", "last"], ["watch", "last"], ["replay", "last"], ["export", "last"], ["resume", "last"]] {
        check(&args);
    }
    for format in ["md", "html", "json"] {
        check(&["export", "last", "--format", format]);
    }
    check(&["--config", EVIL, "runs"]);
    check(&["--db", EVIL, "show", EVIL]);
    check(&[EVIL]);
}

/// Whoever prints around the one function is refused: by the type, which only the report can make (a test of its own that must not compile),
/// and by lints, which every crate has.
#[test]
fn every_crate_is_held_to_the_one_way_to_the_terminal() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let read = |path: &str| std::fs::read_to_string(format!("{root}/{path}")).unwrap_or_else(|error| panic!("{path}: {error}"));
    let workspace = read("Cargo.toml");
    for lint in ["print_stdout = \"deny\"", "print_stderr = \"deny\"", "disallowed_methods = \"deny\""] {
        assert!(workspace.contains(lint), "{lint}");
    }
    let clippy = read("clippy.toml");
    for method in ["std::io::stdout", "std::io::stderr", "indicatif::MultiProgress::println"] {
        assert!(clippy.contains(method), "{method}");
    }
    for entry in std::fs::read_dir(format!("{root}/crates")).expect("crates").flatten() {
        let name = entry.file_name().into_string().expect("UTF-8");
        assert!(read(&format!("crates/{name}/Cargo.toml")).contains("[lints]\nworkspace = true"), "{name}");
    }
    // And few places are let off.
    let let_off = std::process::Command::new("grep")
        .args(["-rlE", "disallowed_methods|print_std(out|err)", &format!("{root}/crates"), "--include=*.rs"])
        .output()
        .expect("grep runs");
    let mut files: Vec<&str> =
        std::str::from_utf8(&let_off.stdout).expect("text").lines().filter(|line| line.contains("/src/") && !line.contains("/testkit/")).collect();
    files.sort_unstable();
    let ends: Vec<bool> = files.iter().zip(["cli/src/progress.rs", "cli/src/say.rs"]).map(|(file, end)| file.ends_with(end)).collect();
    assert!(files.len() == 2 && ends.iter().all(|ends| *ends), "{files:?}");
}
