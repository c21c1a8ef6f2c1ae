//! What every test of claims needs: a database of its own on each engine, a way round the crate into its tables, and a claim under work.

pub mod case;
pub mod dice;
pub mod recount;
pub mod rules;
pub mod tables;

use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor, Row};
use synod_claims::{Agent, ClaimSettings, Claims, ClaimsError, ClaimsResult, Refusal};
use synod_store::{Store, StoreSettings};

/// A database that only this test knows.
pub struct Bed {
    pub location: String,
    pub sqlite: bool,
    _folder: tempfile::TempDir,
}

impl Bed {
    /// The claims of this database through a store of their own: each call gives another connection that writes.
    pub async fn claims(&self) -> Claims {
        self.claims_with(ClaimSettings::default()).await
    }

    pub async fn claims_with(&self, settings: ClaimSettings) -> Claims {
        Claims::new(Store::open(&self.location, StoreSettings::default()).await.expect("the store opens"), settings)
    }

    pub async fn several(&self, stores: usize) -> Vec<Claims> {
        let mut all = Vec::new();
        for _ in 0..stores {
            all.push(self.claims().await);
        }
        all
    }

    /// A connection that knows nothing of the crate.
    pub async fn connect(&self) -> AnyConnection {
        sqlx::any::install_default_drivers();
        let url = if self.sqlite { format!("sqlite://{}", self.location) } else { self.location.clone() };
        let mut conn = AnyConnection::connect(&url).await.expect("a second connection");
        if self.sqlite {
            conn.execute("PRAGMA busy_timeout = 10000").await.expect("patience");
        }
        conn
    }

    /// Runs SQL behind the crate's back. Returns how many rows it changed.
    pub async fn sql(&self, text: &str) -> u64 {
        let mut conn = self.connect().await;
        let done = conn.execute(AssertSqlSafe(text.to_owned())).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        conn.close().await.expect("it closes");
        done.rows_affected()
    }

    /// The one number that a query gives.
    pub async fn number(&self, text: &str) -> i64 {
        let mut conn = self.connect().await;
        let row = conn.fetch_one(AssertSqlSafe(text.to_owned())).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        row.get(0)
    }
}

/// Runs a test on SQLite, and on PostgreSQL where `SYNOD_TEST_POSTGRES` names a server.
pub fn for_each_engine(test: impl AsyncFn(&Bed)) {
    let folder = tempfile::tempdir().expect("a folder");
    let bed = Bed { location: folder.path().join("synod.db").display().to_string(), sqlite: true, _folder: folder };
    runtime().block_on(test(&bed));
    let Ok(server) = std::env::var("SYNOD_TEST_POSTGRES") else { return };
    runtime().block_on(async {
        let schema = format!("synod_test_{}", uuid::Uuid::new_v4().simple());
        let joint = if server.contains('?') { '&' } else { '?' };
        let on_server = |location: String| Bed { location, sqlite: false, _folder: tempfile::tempdir().expect("a folder") };
        let admin = on_server(server.clone());
        admin.sql(&format!("CREATE SCHEMA {schema}")).await;
        test(&on_server(format!("{server}{joint}options[search_path]={schema}"))).await;
        admin.sql(&format!("DROP SCHEMA {schema} CASCADE")).await;
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// An agent with a key and an owner of its own.
pub fn agent(name: &str) -> Agent {
    Agent::key(name, &format!("owner of {name}"))
}

pub fn refused<T: std::fmt::Debug>(outcome: ClaimsResult<T>) -> Refusal {
    match outcome {
        Err(ClaimsError::Refused(refusal)) => refusal,
        other => panic!("must be refused: {other:?}"),
    }
}

/// Outcomes that were given, by the code of their refusal; `ok` for those that were not refused.
pub fn codes<T>(outcomes: &[ClaimsResult<T>]) -> Vec<&'static str> {
    let code = |outcome: &ClaimsResult<T>| match outcome {
        Ok(_) => "ok",
        Err(ClaimsError::Refused(refusal)) => refusal.code(),
        Err(ClaimsError::Store(error)) => panic!("the database: {error}"),
    };
    let mut codes: Vec<&'static str> = outcomes.iter().map(code).collect();
    codes.sort_unstable();
    codes
}
