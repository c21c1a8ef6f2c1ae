//! Opening: what is missing is made, what is wrong is said plainly, many may start at once, and a failing disk tears nothing.

use crate::support::rows::*;
use crate::support::{child, child_location, for_each_engine, on_sqlite, runtime};
use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use synod_engine::{Journal, JournalError};
use synod_store::{RunFilter, Store, StoreError, StoreSettings};
use synod_types::Status;

async fn why(location: &str) -> String {
    match Store::open(location, StoreSettings::default()).await {
        Ok(_) => panic!("{location} must not open"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn folders_that_are_missing_are_made() {
    on_sqlite(async |bed| {
        let path = bed.folder.path().join("a folder/über/synod?#%.db");
        let store = Store::open(&path.display().to_string(), StoreSettings::default()).await.expect("opens");
        let lease = store.create(&header(&new_run()), 1, vec![]).await.expect("created");
        assert!(path.is_file());
        store.close().await;
        let url = format!("sqlite:{}", path.display().to_string().replace('%', "%25").replace('?', "%3F"));
        let again = Store::open(&url, StoreSettings::default()).await.expect("opens by URL");
        assert_eq!(again.rows(&lease.run, 0).await.expect("rows").len(), 1);
    });
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    on_sqlite(async |bed| {
        let text = "Dear diary, today I wrote more than enough to look nothing like a database file header. ".repeat(20);
        std::fs::write(&bed.location, &text).expect("written");
        let error = why(&bed.location).await;
        assert!(error.contains("not a database") && error.contains(&bed.location), "{error}");
        assert_eq!(std::fs::read_to_string(&bed.location).expect("read"), text);
    });
}

#[test]
fn places_where_nothing_can_be_written_are_named() {
    on_sqlite(async |bed| {
        let file = bed.folder.path().join("file");
        std::fs::write(&file, "x").expect("written");
        let below = file.join("synod.db").display().to_string();
        assert!(why(&below).await.contains(&below));
        let folder = bed.folder.path().display().to_string();
        assert!(why(&folder).await.contains("it is a folder"));
        // Nobody, not even root, can make a folder here.
        if cfg!(target_os = "linux") {
            let error = why("/proc/synod/synod.db").await;
            assert!(error.starts_with("cannot open the database /proc/synod/synod.db"), "{error}");
        }
    });
}

#[test]
#[cfg(unix)]
fn a_database_that_cannot_be_written_to_is_read_and_every_write_is_refused() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    on_sqlite(async |bed| {
        bed.open().await.close().await;
        let set = |path: &std::path::Path, mode: u32| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
        let owners = bed.folder.path().join("synod.db.owners");
        for (path, mode) in [(bed.folder.path(), 0o777), (&owners, 0o777), (&owners.join("opening"), 0o666), (bed.location.as_ref(), 0o444)] {
            set(path, mode);
        }
        let mut process = child("opening::refused_process", &bed.location);
        if std::fs::metadata(bed.folder.path()).expect("a folder").uid() == 0 {
            // Permissions do not hold root back: somebody else has to try, with a copy of this binary that they may run.
            let copy = bed.folder.path().join("test");
            std::fs::copy(process.get_program(), &copy).expect("copied");
            set(&copy, 0o755);
            let arguments: Vec<_> = process.get_args().map(ToOwned::to_owned).collect();
            process = Command::new(copy);
            process.args(arguments).env("SYNOD_CHILD_DB", &bed.location).uid(65534).gid(65534);
        }
        let out = process.current_dir("/").output().expect("it ran");
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(text.contains("true, 0 runs, storage: the database cannot be written to"), "{text}{}", String::from_utf8_lossy(&out.stderr));
    });
}

#[test]
#[ignore = "the body of a child process: tests of this file start it with a database, and it has none by itself"]
fn refused_process() {
    runtime().block_on(async {
        let store = Store::open(&child_location(), StoreSettings::default()).await.expect("it can be read");
        let runs = store.runs(&RunFilter::default()).await.expect("they can be listed").len();
        let refused = store.revoke_key("key_1", 1).await.expect_err("nothing can be written");
        println!("{}, {runs} runs, {refused}", store.is_read_only());
    });
}

#[test]
fn a_server_that_is_not_there_is_named_without_its_password() {
    runtime().block_on(async {
        let error = why("postgres://ann:secret@127.0.0.1:1/synod").await;
        assert!(error.contains("postgres://ann@127.0.0.1:1/synod") && !error.contains("secret"), "{error}");
    });
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    for_each_engine(async |bed| {
        bed.open().await.close().await;
        let newer = if bed.sqlite { "x''" } else { "''" };
        let columns = "version, description, success, checksum, execution_time";
        bed.sql(&format!("INSERT INTO _sqlx_migrations ({columns}) VALUES (9999, 'later', TRUE, {newer}, 0)")).await;
        let opened = Store::open(&bed.location, StoreSettings::default()).await;
        assert!(matches!(opened.err(), Some(StoreError::Newer { version: 9999, .. })));
    });
}

/// What a database looked like before its eighth step, as far as that step and the next change it.
const BEFORE_STEP_EIGHT: &[&str] = &[
    "CREATE TABLE figures (run TEXT NOT NULL, seq BIGINT NOT NULL, mode TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (run, seq))",
    "CREATE TABLE turns (run TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (run, key))",
    "CREATE TABLE costs (run TEXT NOT NULL, model TEXT NOT NULL, PRIMARY KEY (run, model))",
    "INSERT INTO figures VALUES ('x', 1, 'council', 'tiebroken')",
    "INSERT INTO turns VALUES ('x', 'collect/answer@0')",
    "INSERT INTO costs VALUES ('x', 'opus')",
    "INSERT INTO messages (id, run_id, role, content, created_at) VALUES ('x:answer', 'x', 'assistant', 'Of a run outside any conversation.', 1)",
    "DROP INDEX runs_by_parent",
    "DROP INDEX runs_of_conversation",
    "DROP INDEX messages_of_conversation",
    "CREATE INDEX figures_by_name ON figures (mode, name)",
    "CREATE INDEX runs_by_parent ON runs (parent)",
    "CREATE INDEX runs_of_conversation ON runs (conversation)",
    "CREATE INDEX messages_of_conversation ON messages (conversation_id, created_at)",
    "ALTER TABLE raws ADD COLUMN sha256 TEXT NOT NULL DEFAULT ''",
    concat!(
        "CREATE TABLE stages (id TEXT NOT NULL PRIMARY KEY, run_id TEXT NOT NULL, message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,",
        " stage_type TEXT NOT NULL, stage_order BIGINT NOT NULL, seq BIGINT NOT NULL, model TEXT, role TEXT, content TEXT NOT NULL,",
        " parsed_data TEXT, response_time_ms BIGINT, created_at BIGINT NOT NULL)"
    ),
    "CREATE INDEX stages_of_run ON stages (run_id, stage_order)",
    "CREATE INDEX stages_of_message ON stages (message_id)",
    "INSERT INTO stages (id, run_id, message_id, stage_type, stage_order, seq, content, created_at) VALUES ('x:3', 'x', 'x:answer', 's', 0, 3, 'c', 1)",
    "DELETE FROM _sqlx_migrations WHERE version >= 8",
];

#[test]
fn a_database_of_two_steps_before_keeps_its_runs_and_raw_replies() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        council(&store, &header, Status::Full).await.expect("a run");
        let read = async |store: &Store| {
            let raw = store.raw(&header.run, "collect/answer@1", 0).await.expect("read");
            (store.stages(&header.run).await.expect("stages"), raw, store.usage(None, 0, 9000).await.expect("read"))
        };
        let before = read(&store).await;
        assert!(before.0.len() == 5 && before.1.is_some() && before.2.len() == 2);
        store.close().await;
        for sql in BEFORE_STEP_EIGHT {
            bed.sql(sql).await;
        }
        let store = bed.open().await;
        assert_eq!((read(&store).await, bed.count("messages").await), (before, 0));
        assert!(store.verify(&header.run).await.expect("verified").intact());
        council(&store, &self::header(&new_run()), Status::Full).await.expect("another run");
    });
}

#[test]
fn six_processes_may_open_a_new_database_at_once() {
    for_each_engine(async |bed| {
        let start = |_| child("opening::opening_process", &bed.location).spawn().expect("a process");
        let processes: Vec<_> = (0..6).map(start).collect();
        for process in processes {
            let out = process.wait_with_output().expect("it ends");
            assert!(out.status.success(), "{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        }
        let store = bed.open().await;
        let runs = store.runs(&RunFilter::default()).await.expect("runs");
        assert_eq!(runs.len(), 6);
        for run in runs {
            assert!(store.verify(&run.id).await.expect("verified").intact());
        }
    });
}

#[test]
fn many_stores_in_one_process_may_open_a_new_database_at_once() {
    for_each_engine(async |bed| {
        let stores = futures::future::join_all((0..12).map(|_| Store::open(&bed.location, StoreSettings::default()))).await;
        for store in stores {
            store.expect("opens").create(&header(&new_run()), 1, vec![]).await.expect("created");
        }
        assert_eq!(bed.count("runs").await, 12);
    });
}

#[test]
fn lock_files_of_dead_processes_are_swept_away() {
    on_sqlite(async |bed| {
        let folder = bed.folder.path().join("synod.db.owners");
        let mut process = child("opening::sleeping_process", &bed.location).spawn().expect("a process");
        let mut line = String::new();
        let mut out = BufReader::new(process.stdout.take().expect("its output"));
        while !line.contains("ready") {
            line.clear();
            assert!(out.read_line(&mut line).expect("text") > 0, "it ended too soon");
        }
        let files = || std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(files(), 2, "its own, and the one for opening");
        process.kill().expect("killed");
        process.wait().expect("dead");
        let store = bed.open().await;
        assert_eq!(files(), 2, "the dead one's is gone, ours is there");
        store.close().await;
        assert_eq!(files(), 1);
    });
}

/// A file size limit stands in for a full disk: the write fails in the middle of a transaction.
#[test]
#[cfg(unix)]
fn a_disk_that_refuses_to_grow_stops_the_run_and_tears_nothing() {
    on_sqlite(async |bed| {
        bed.open().await.close().await;
        let inner = child("opening::filling_process", &bed.location);
        let mut limited = Command::new("sh");
        // Without the trap the signal would end the process before it could say anything.
        limited.args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$@\"", "sh"]).arg(inner.get_program()).args(inner.get_args());
        let out = limited.env("SYNOD_CHILD_DB", &bed.location).output().expect("it ran");
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
        let said = text.lines().find_map(|line| line.split("filled ").nth(1)).expect("it says how far it came");
        let (run, seq) = said.split_once(' ').expect("run and number");
        let store = bed.open().await;
        assert_eq!(store.rows(run, 0).await.expect("rows").len().to_string(), seq, "what was acknowledged, and nothing else");
        assert!(store.verify(run).await.expect("verified").intact());
        let lease = store.take(run).await.expect("taken");
        store.append(&lease, vec![phase("room again", 1)]).await.expect("goes on");
    });
}

#[test]
#[ignore = "the body of a child process: tests of this file start it with a database, and it has none by itself"]
fn opening_process() {
    runtime().block_on(async {
        let store = Store::open(&child_location(), StoreSettings::default()).await.expect("opens");
        council(&store, &header(&new_run()), synod_types::Status::Full).await.expect("a run");
        store.close().await;
    });
}

#[test]
#[ignore = "the body of a child process: tests of this file start it with a database, and it has none by itself"]
fn sleeping_process() {
    runtime().block_on(async {
        let _store = Store::open(&child_location(), StoreSettings::default()).await.expect("opens");
        println!("ready");
        #[expect(clippy::disallowed_methods, reason = "whoever started it reads line by line")]
        std::io::stdout().flush().expect("flushed");
        std::future::pending::<()>().await;
    });
}

#[test]
#[ignore = "the body of a child process: tests of this file start it with a database, and it has none by itself"]
fn filling_process() {
    runtime().block_on(async {
        let store = Store::open(&child_location(), StoreSettings::default()).await.expect("opens");
        let lease = store.create(&header(&new_run()), 1, vec![]).await.expect("created");
        let mut seq = 1;
        let error = loop {
            let row = synod_types::NewRow::new(format!("fill {seq}"), synod_types::Kind::Warning, 1, &"x".repeat(20_000));
            match store.append(&lease, vec![row]).await {
                Ok(tail) => seq = tail.seq,
                Err(error) => break error,
            }
            assert!(seq < 1000, "the limit must hold");
        };
        assert!(matches!(&error, JournalError::Storage(why) if why.contains("disk")), "{error}");
        println!("filled {} {seq}", lease.run);
    });
}
