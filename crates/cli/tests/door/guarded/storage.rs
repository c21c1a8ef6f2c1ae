//! Databases that are taken away, cannot be written, or are somebody else's.

use crate::house::{Did, House};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use synod_testkit::server::Fault;

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[test]
fn a_database_that_is_removed_during_a_run_stops_it_and_is_never_taken_for_kept() {
    for endings in [&["", "-wal", "-shm"][..], &[""]] {
        let house = House::new();
        house.server.script("c", Fault::latency_ms(1500));
        let args = ["ask", "--mode", "vote", "--models", "x/a,x/b,x/c", "--chair", "x/d", "--json", "-q", "Tea?"];
        let child = house.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("synod runs");
        while house.server.of_model("c") == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        for ending in endings {
            let _ = std::fs::remove_file(beside(&house.db(), ending));
        }
        let did = Did::of(child.wait_with_output().expect("it ends")).exits(4);
        assert_eq!(did.json()["stopped"]["reason"], "storage", "{}", did.out);
        assert!(did.out.contains("removed or replaced"), "{}", did.out);
    }
}

#[test]
fn what_can_only_be_read_can_be_shown_verified_and_exported() {
    let house = House::new();
    house.ask("council", &[]).exits(0);
    let run = house.last();
    let copy = house.path("elsewhere/copy.db");
    std::fs::create_dir(house.path("elsewhere")).expect("a folder");
    std::fs::copy(house.db(), &copy).expect("a copy");
    let before = std::fs::read(&copy).expect("the copy");
    let db = format!("sqlite:{}?mode=ro", copy.display());
    for args in [
        vec!["runs"],
        vec!["show", "last"],
        vec!["verify", "last"],
        vec!["export", &run],
        vec!["export", &run, "--format", "html"],
        vec!["replay", "last"],
        vec!["claim", "list"],
    ] {
        let did = house.synod(&[&args[..], &["--db", &db]].concat());
        assert_eq!(did.code, 0, "{args:?}: {}\n{}", did.out, did.err);
    }
    assert!(house.synod(&["verify", "last", "--db", &db]).out.contains("Intact"));
    let paid = house.server.total();
    let refused = house.ask("council", &["--db", &db]).exits(1);
    assert!(refused.out.contains("can be read and not written") && house.server.total() == paid, "{}", refused.out);
    assert_eq!(std::fs::read(&copy).expect("the copy"), before, "not one byte of it has changed");
    let names: Vec<_> = std::fs::read_dir(house.path("elsewhere")).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["copy.db"], "and nothing was left beside it");
    // A copy that can be written is a database like any other.
    house.synod(&["show", "last", "--db", &copy.display().to_string()]).exits(0);
}

#[test]
fn the_database_of_another_program_is_left_as_it_is() {
    let house = House::new();
    house.synod(&["runs"]).exits(0);
    let theirs = house.path("theirs/app.db");
    std::fs::create_dir(house.path("theirs")).expect("a folder");
    // One of SQLite's own making: ours, with its tables replaced.
    std::fs::copy(house.db(), &theirs).expect("a copy");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        use sqlx::{Connection, Executor, Row};
        sqlx::any::install_default_drivers();
        let mut db = sqlx::AnyConnection::connect(&format!("sqlite:{}", theirs.display())).await.expect("it opens");
        db.execute("PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF").await.expect("done");
        let tables =
            sqlx::query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetch_all(&mut db).await.expect("names");
        for table in tables {
            let sql = format!("DROP TABLE \"{}\"", table.try_get::<String, _>(0).expect("a name"));
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut db).await.expect("dropped");
        }
        db.execute("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')").await.expect("made");
        db.close().await.expect("closed");
    });
    let before = std::fs::read(&theirs).expect("theirs");
    for args in [&["runs"][..], &["ask", "--rehearse", "-q", "Tea?"], &["claim", "list"]] {
        let did = house.synod(&[args, &["--db", &theirs.display().to_string()]].concat()).exits(1);
        assert!(did.err.contains("the database of another program"), "{}", did.err);
    }
    assert_eq!(std::fs::read(&theirs).expect("theirs"), before);
    assert_eq!(std::fs::read_dir(house.path("theirs")).expect("a folder").count(), 1, "nothing was left beside it");
    // Nor is a file that is no database at all given a folder of locks.
    let text = house.write("texts/notes.txt", &"no database ".repeat(50));
    house.synod(&["runs", "--db", &text.display().to_string()]).exits(1);
    assert_eq!(std::fs::read_dir(house.path("texts")).expect("a folder").count(), 1);
}

#[test]
fn one_bad_row_does_not_hide_the_others() {
    let house = House::new();
    for _ in 0..3 {
        house.synod(&["ask", "--rehearse", "-q", "Tea?"]).exits(0);
    }
    house.sql("UPDATE runs SET state = 'nonsense' WHERE id = (SELECT MIN(id) FROM runs)");
    house.sql("UPDATE runs SET question = x'fffe', spent_usd = 'dear' WHERE id = (SELECT MAX(id) FROM runs)");
    let listed = house.synod(&["runs", "--json"]).exits(0).json();
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(3), "{listed}");
    let text = house.synod(&["runs"]).exits(0).out;
    assert_eq!((text.matches("unreadable").count(), text.matches("full").count()), (2, 1), "{text}");
}

#[test]
fn what_is_kept_is_its_owners_alone() {
    let house = House::new();
    house.server.script("c", Fault::latency_ms(400));
    let args = ["ask", "--mode", "vote", "--models", "x/a,x/b,x/c", "--chair", "x/d", "-q", "Tea?"];
    let mut child = house.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("synod runs");
    while house.server.of_model("c") == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let mode = |path: &Path| std::fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).permissions().mode() & 0o777;
    for ending in ["", "-wal", "-shm"] {
        assert_eq!(mode(&beside(&house.db(), ending)), 0o600, "{ending}");
    }
    assert_eq!(mode(house.db().parent().expect("a folder")), 0o700);
    child.wait().expect("it ends");
    house.synod(&["export", "last", "--out", "run.html", "--format", "html"]).exits(0);
    house.synod(&["claim", "run", "--rehearse", "-q", "Dogs smell"]).exits(0);
    house.synod(&["claim", "export", "last", "--out", "claim.md"]).exits(0);
    let bare = House::bare();
    bare.synod(&["init"]).exits(0);
    for file in [house.path("work/run.html"), house.path("work/claim.md"), bare.path("config/synod/synod.toml")] {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    // What is wider is noticed.
    let report = bare.synod(&["doctor", "--json"]).json();
    assert_eq!(report["exposed"], json!([]), "{report}");
    for file in [bare.db(), bare.path("config/synod/synod.toml")] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("changed");
    }
    let told = bare.synod(&["doctor"]).out;
    assert!(told.matches("exposed  ").count() >= 2 && told.contains("chmod 600"), "{told}");
}
