//! What every test of the store needs: a database of its own on each engine, a way round the store to tamper with it, child processes.

pub mod rows;

use sqlx::{AssertSqlSafe, Connection, Executor};
use std::process::{Command, Stdio};
use synod_store::{Store, StoreSettings};

/// A database that only this test knows.
pub struct Bed {
    pub location: String,
    pub sqlite: bool,
    pub folder: tempfile::TempDir,
}

impl Bed {
    pub async fn open(&self) -> Store {
        self.open_with(StoreSettings::default()).await
    }

    pub async fn open_with(&self, settings: StoreSettings) -> Store {
        Store::open(&self.location, settings).await.expect("the store opens")
    }

    /// Leases that have run out as soon as they are given.
    pub async fn open_without_lease(&self) -> Store {
        self.open_with(StoreSettings { lease_ms: 0, ..StoreSettings::default() }).await
    }

    /// Runs SQL behind the store's back. Returns how many rows it changed.
    pub async fn sql(&self, text: &str) -> u64 {
        sqlx::any::install_default_drivers();
        let url = if self.sqlite { format!("sqlite://{}", self.location) } else { self.location.clone() };
        let mut conn = sqlx::AnyConnection::connect(&url).await.expect("a second connection");
        let done = conn.execute(AssertSqlSafe(text.to_owned())).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        conn.close().await.expect("it closes");
        done.rows_affected()
    }

    pub async fn count(&self, table: &str) -> i64 {
        use sqlx::Row;
        sqlx::any::install_default_drivers();
        let url = if self.sqlite { format!("sqlite://{}", self.location) } else { self.location.clone() };
        let mut conn = sqlx::AnyConnection::connect(&url).await.expect("a second connection");
        let sql = format!("SELECT COUNT(*) FROM {table}");
        let row = conn.fetch_one(AssertSqlSafe(sql)).await.expect("a count");
        row.get(0)
    }
}

/// Runs a test on SQLite, and on PostgreSQL where `SYNOD_TEST_POSTGRES` names a server.
pub fn for_each_engine(test: impl AsyncFn(&Bed)) {
    on_sqlite(&test);
    let Ok(server) = std::env::var("SYNOD_TEST_POSTGRES") else { return };
    runtime().block_on(async {
        let schema = format!("synod_test_{}", uuid::Uuid::new_v4().simple());
        let joint = if server.contains('?') { '&' } else { '?' };
        let folder = tempfile::tempdir().expect("a folder");
        let admin = Bed { location: server.clone(), sqlite: false, folder: tempfile::tempdir().expect("a folder") };
        admin.sql(&format!("CREATE SCHEMA {schema}")).await;
        let bed = Bed { location: format!("{server}{joint}options[search_path]={schema}"), sqlite: false, folder };
        test(&bed).await;
        admin.sql(&format!("DROP SCHEMA {schema} CASCADE")).await;
    });
}

pub fn on_sqlite(test: impl AsyncFn(&Bed)) {
    let folder = tempfile::tempdir().expect("a folder");
    let bed = Bed { location: folder.path().join("synod.db").display().to_string(), sqlite: true, folder };
    runtime().block_on(test(&bed));
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// This test binary again, as another process that runs one ignored test and nothing else.
pub fn child(test: &str, location: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]).env("SYNOD_CHILD_DB", location);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Where a child process finds its database.
pub fn child_location() -> String {
    std::env::var("SYNOD_CHILD_DB").expect("set by the test that started this process")
}
