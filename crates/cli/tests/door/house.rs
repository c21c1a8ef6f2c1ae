//! A house of one's own for each test: folders, configuration, a model server, and the binary run in it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use synod_testkit::server::ModelServer;
use tempfile::TempDir;

pub struct House {
    pub folder: TempDir,
    pub server: ModelServer,
    runtime: tokio::runtime::Runtime,
}

/// A key that any endpoint of a house may have: `key_env = "SECRET"`.
pub const SECRET: &str = "sk-test/4f+9Zq7-hunter2";

/// What a command did.
pub struct Did {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl House {
    /// A house with an endpoint `x` and nothing else.
    pub fn new() -> Self {
        Self::with("")
    }

    /// More configuration below the endpoint.
    pub fn with(more: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        let server = runtime.block_on(ModelServer::start());
        let house = Self { folder, server, runtime };
        let config = format!("[endpoints.x]\nkind = \"openai\"\nbase_url = \"{}\"\nbackoff_ms = 1\n{more}", house.server.url());
        std::fs::create_dir_all(house.path("work")).expect("a working directory");
        house.write("config/synod/synod.toml", &config);
        house
    }

    /// A house with nothing configured.
    pub fn bare() -> Self {
        let house = Self::new();
        std::fs::remove_file(house.path("config/synod/synod.toml")).expect("the configuration goes");
        house
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_synod"));
        command.args(args).current_dir(self.path("work")).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.folder.path());
        command.env("XDG_CONFIG_HOME", self.path("config")).env("XDG_DATA_HOME", self.path("data"));
        command.env("SYNOD_OFFLINE", "1").env("USER", "ada").env("SECRET", SECRET);
        command
    }

    /// The same where looking around is allowed and finds this house's server as Ollama, and no other.
    pub fn with_ollama(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        command.env_remove("SYNOD_OFFLINE").env("OLLAMA_HOST", self.server.address().to_string());
        command
    }

    /// The same with a provider's key, its address being this house's server.
    pub fn with_key(&self, provider: &str, key: &str, args: &[&str]) -> Command {
        let root = format!("http://{}", self.server.address());
        let mut command = self.command(args);
        command.env_remove("SYNOD_OFFLINE").env("OLLAMA_HOST", "127.0.0.1:9").env(format!("{provider}_API_KEY"), key);
        command.env("ANTHROPIC_BASE_URL", &root).env("GEMINI_BASE_URL", &root);
        command.env("OPENAI_BASE_URL", self.server.url()).env("OPENROUTER_BASE_URL", self.server.url());
        command
    }

    pub fn synod(&self, args: &[&str]) -> Did {
        Did::of(self.command(args).output().expect("synod runs"))
    }

    /// Starts the binary and kills it (`kill -9`) so long after this has come true; a binary that ended by itself is let be.
    pub fn killed(&self, args: &[&str], ready: impl Fn() -> bool, later_ms: u64) {
        let mut child = self.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("synod runs");
        let until = Instant::now() + Duration::from_secs(60);
        while !ready() && child.try_wait().expect("its state").is_none() {
            assert!(Instant::now() < until, "`synod {}` did not come to where it is to be killed", args.join(" "));
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(later_ms));
        child.kill().expect("it is killed");
        child.wait().expect("it is gone");
    }

    /// The same at a terminal of its own, where somebody types these lines. What it prints is all in `out`.
    pub fn typing(&self, args: &[&str], lines: &[&str]) -> Did {
        use std::io::Write;
        let plain = self.command(args);
        let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.to_str().expect("UTF-8").replace('\'', r"'\''"));
        let words: Vec<String> = std::iter::once(plain.get_program()).chain(plain.get_args()).map(quoted).collect();
        // `script` (bsdutils) makes the terminal.
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", &words.join(" "), "/dev/null"]).current_dir(self.path("work"));
        command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "dumb").env("SHELL", "/bin/sh");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("script runs");
        let mut keys = child.stdin.take().expect("a keyboard");
        for line in lines {
            writeln!(keys, "{line}").expect("typed");
        }
        // The end of input, as a terminal has it.
        keys.write_all(b"\x04").expect("typed");
        drop(keys);
        Did::of(child.wait_with_output().expect("it ends"))
    }

    /// `ask` on three models and a chair, as JSON.
    pub fn ask(&self, mode: &str, more: &[&str]) -> Did {
        let mut args = vec!["ask", "--mode", mode, "--models", "x/a,x/b,x/c", "--chair", "x/d", "--seed", "7", "--json", "--quiet"];
        args.extend(more);
        args.push("Is tea better than coffee?");
        self.synod(&args)
    }

    /// The id of the newest run.
    pub fn last(&self) -> String {
        self.synod(&["runs", "--json"]).json()["runs"][0]["id"].as_str().expect("a run").to_owned()
    }

    pub fn db(&self) -> PathBuf {
        self.path("data/synod/synod.db")
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// A number out of the database.
    pub fn count(&self, sql: &str) -> i64 {
        use sqlx::{Connection, Row};
        self.runtime.block_on(async {
            sqlx::any::install_default_drivers();
            let mut db = sqlx::AnyConnection::connect(&format!("sqlite:{}", self.db().display())).await.expect("the database opens");
            let row = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned())).fetch_one(&mut db).await.expect("the query runs");
            row.try_get(0).expect("a number")
        })
    }

    /// Runs SQL on the database, behind the product's back.
    pub fn sql(&self, sql: &'static str) -> u64 {
        use sqlx::Connection;
        self.runtime.block_on(async {
            sqlx::any::install_default_drivers();
            let mut db = sqlx::AnyConnection::connect(&format!("sqlite:{}", self.db().display())).await.expect("the database opens");
            let changed = sqlx::query(sql).execute(&mut db).await.expect("the statement runs").rows_affected();
            db.close().await.expect("the database closes");
            changed
        })
    }
}

impl Did {
    pub fn run(command: &mut Command) -> Self {
        Self::of(command.output().expect("synod runs"))
    }

    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The one document on standard output.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\nexit {}\nout: {}\nerr: {}", self.code, self.out, self.err))
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\nout: {}\nerr: {}", self.out, self.err);
        self
    }
}

/// A verdict without what differs between two runs of one seed.
pub fn essence(verdict: &Value) -> Value {
    let mut verdict = verdict.clone();
    for volatile in ["run", "parent", "receipt"] {
        verdict.as_object_mut().expect("a verdict").remove(volatile);
    }
    verdict
}
