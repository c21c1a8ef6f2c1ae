//! A database that is open: its one writer, its readers, and this process's mark as an owner.

use crate::error::{StoreError, plain};
use crate::file::{DatabaseFile, GONE, denied};
use crate::location::{Engine, Location, sqlite_url};
use crate::migrations;
use crate::owner::{self, Opening, Owner};
use crate::settings::StoreSettings;
use crate::sql::file_error;
use crate::watch::Watchers;
use crate::writer::{Command, Job, Writer};
use crate::writer_connection::WriterConnection;
use futures::future::BoxFuture;
use rusqlite::OpenFlags;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::migrate::MigrateError;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, ConnectOptions, Executor, Row as _};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use synod_engine::{JournalError, JournalResult};
use tokio::sync::{mpsc, oneshot};

/// The journal and everything else that lasts. Cheap to clone; all clones share one writer.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    settings: StoreSettings,
    engine: Engine,
    readers: AnyPool,
    queue: mpsc::UnboundedSender<Command>,
    watchers: Arc<Watchers>,
    owner: String,
    owners: Option<PathBuf>,
    read_only: bool,
    file: Option<DatabaseFile>,
    /// The number of the last message handed out by a heartbeat. Locked while one is under way.
    heard: tokio::sync::Mutex<i64>,
}

impl Store {
    /// Opens a path, a `sqlite:` URL or a `postgres://` URL, and makes what is missing: folders, file, tables.
    pub async fn open(location: &str, settings: StoreSettings) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let location = Location::parse(location)?;
        let shown = location.shown();
        let (url, opening) = match &location {
            Location::Postgres(url) => (url.clone(), None),
            Location::ReadOnly(path) => return Self::open_read_only(path, settings, &shown).await,
            Location::File(path) => {
                let unopened = |error: std::io::Error| StoreError::Open { location: shown.clone(), why: error.to_string() };
                let file = DatabaseFile::prepare(path).map_err(unopened)?;
                not_anothers(&file.path, &settings, &shown).await?;
                if !file.is_writable() {
                    return Self::open_read_only(&file.path, settings, &shown).await;
                }
                let (path, patience) = (file.path.clone(), Duration::from_millis(u64::from(settings.busy_ms)));
                let opening = match tokio::task::spawn_blocking(move || owner::open(&path, patience)).await {
                    Ok(Ok(opening)) => opening,
                    // The folder of a database that can only be read.
                    Ok(Err(error)) if denied(&error) => return Self::open_read_only(&file.path, settings, &shown).await,
                    Ok(Err(error)) => return Err(unopened(error)),
                    Err(error) => return Err(StoreError::Open { location: shown, why: error.to_string() }),
                };
                (sqlite_url(&file.path, "rwc"), Some((opening, file)))
            }
        };
        let connector = Connector::new(&url, location.engine(), &settings)?;
        let cannot = |error: sqlx::Error| StoreError::Open { location: shown.clone(), why: plain(&error) };
        let mut connection = connector.connect().await.map_err(cannot)?;
        migrations::run(&mut connection).await.map_err(|error| match error {
            MigrateError::VersionMissing(version) => StoreError::Newer { location: shown.clone(), version },
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => cannot(error),
            other => StoreError::Open { location: shown.clone(), why: other.to_string() },
        })?;
        if connector.engine == Engine::Sqlite {
            // SQLite opens a file without write permission and fails at the first write: better to hear of it now.
            connection.execute("BEGIN IMMEDIATE; UPDATE posts SET n = n; ROLLBACK").await.map_err(cannot)?;
        }
        let direct = match &opening {
            Some((_, file)) => Some(connector.open_file(&file.path).map_err(|error| cannot(file_error(error)))?),
            None => None,
        };
        // From here on others may open the same file.
        let (owner, owners, file) = match opening {
            Some((Opening { folder, owner, .. }, file)) => (owner, Some(folder), Some(file)),
            None => (Owner::without_lock(), None, None),
        };
        Self::start(settings, connector, connection, direct, owner, owners, file).map_err(|error| cannot(error.into()))
    }

    /// Opens what can only be read: runs can be shown, verified and exported, and every write is refused.
    async fn open_read_only(path: &Path, settings: StoreSettings, shown: &str) -> Result<Self, StoreError> {
        let open = |why: String| StoreError::Open { location: shown.to_owned(), why };
        let path = path.canonicalize().map_err(|error| open(error.to_string()))?;
        not_anothers(&path, &settings, shown).await?;
        // As it lies there, so that nothing is made beside it; what is still in its log is read through the log.
        let access = if has_log(&path) { "ro" } else { "ro&immutable=true" };
        let connector = Connector { read_only: true, ..Connector::new(&sqlite_url(&path, access), Engine::Sqlite, &settings)? };
        let read = async {
            let mut connection = connector.connect().await?;
            let version = migrations::version(&mut connection).await?;
            Ok::<_, sqlx::Error>((connection, version))
        };
        let hint = if access == "ro" { "; its log (-wal) may be unreadable where it lies: copy both into a folder that can be written" } else { "" };
        let (connection, version) = read.await.map_err(|error| open(plain(&error) + hint))?;
        match version {
            newer if newer > migrations::LATEST => Err(StoreError::Newer { location: shown.to_owned(), version }),
            older if older < migrations::LATEST => {
                Err(open("it was written by an older version of Synod; open it once where it can be written".to_owned()))
            }
            _ => {
                let folder = owner::folder_of(&path);
                let owners = folder.is_dir().then_some(folder);
                Self::start(settings, connector, connection, None, Owner::without_lock(), owners, None).map_err(|error| open(error.to_string()))
            }
        }
    }
    fn start(
        settings: StoreSettings,
        connector: Connector,
        connection: AnyConnection,
        direct: Option<rusqlite::Connection>,
        owner: Owner,
        owners: Option<PathBuf>,
        file: Option<DatabaseFile>,
    ) -> std::io::Result<Self> {
        let watchers = Arc::new(Watchers::default());
        let (queue, commands) = mpsc::unbounded_channel();
        let shared = Shared {
            engine: connector.engine,
            readers: connector.pool(settings.readers),
            queue,
            watchers: watchers.clone(),
            owner: owner.id.clone(),
            owners: owners.clone(),
            read_only: connector.read_only,
            file: file.clone(),
            heard: tokio::sync::Mutex::new(0),
            settings,
        };
        let desk = WriterConnection::new(connector, connection, direct);
        let writer = Writer { desk, file, owner, owners, lease_ms: shared.settings.lease_ms, kept: None, held: HashMap::new(), weight: 0, watchers };
        if writer.desk.blocks() {
            let runtime = tokio::runtime::Handle::current();
            std::thread::Builder::new().name("synod-writer".into()).spawn(move || runtime.block_on(writer.run(commands)))?;
        } else {
            tokio::spawn(writer.run(commands));
        }
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Writes what is still queued and lets go of the database. Afterwards every call on any clone fails.
    pub async fn close(&self) {
        self.shared.readers.close().await;
        let (done, closed) = oneshot::channel();
        if self.shared.queue.send(Command::Close(done)).is_ok() {
            // Only fails when the writer is gone already, which is what was asked for.
            let _ = closed.await;
        }
    }

    pub fn settings(&self) -> &StoreSettings {
        &self.shared.settings
    }

    /// The id under which this store owns runs.
    pub fn owner(&self) -> &str {
        &self.shared.owner
    }

    /// Nothing can be written to this database.
    pub fn is_read_only(&self) -> bool {
        self.shared.read_only
    }

    /// The file it is in, where it is one that is written.
    pub fn file(&self) -> Option<&Path> {
        self.shared.file.as_ref().map(|file| file.path.as_path())
    }

    pub(crate) fn owners(&self) -> Option<&Path> {
        self.shared.owners.as_deref()
    }

    pub(crate) fn engine(&self) -> Engine {
        self.shared.engine
    }

    pub(crate) fn heard(&self) -> &tokio::sync::Mutex<i64> {
        &self.shared.heard
    }

    pub(crate) fn watchers(&self) -> &Arc<Watchers> {
        &self.shared.watchers
    }

    pub(crate) async fn reader(&self) -> Result<PoolConnection<Any>, sqlx::Error> {
        metrics::counter!("synod_database_reads_total").increment(1);
        self.shared.readers.acquire().await
    }

    /// Queues before it returns: the order of calls is the order of writing.
    pub(crate) fn send<T: Send + 'static>(
        &self,
        command: impl FnOnce(oneshot::Sender<JournalResult<T>>) -> Command,
    ) -> BoxFuture<'static, JournalResult<T>> {
        let (reply, answer) = oneshot::channel();
        let sent = self.shared.queue.send(command(reply)).is_ok();
        Box::pin(async move {
            let closed = || JournalError::Storage("the store is closed".into());
            if sent { answer.await.map_err(|_| closed())? } else { Err(closed()) }
        })
    }

    /// Runs something on the write connection, in its turn.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut WriterConnection) -> BoxFuture<'c, sqlx::Result<T>> + Send + 'static,
    {
        if self.shared.file.as_ref().is_some_and(|file| !file.is_there()) {
            return Err(StoreError::Storage(GONE.into()));
        }
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |desk| {
            Box::pin(async move {
                let outcome = work(desk).await;
                let outcome = outcome.map_err(|error| {
                    desk.judge(&error);
                    StoreError::from(error)
                });
                // A caller that went away does not undo what was written.
                let _ = reply.send(outcome);
            })
        });
        let closed = || StoreError::Storage("the store is closed".into());
        self.shared.queue.send(Command::Run(job)).map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

/// Something was written that is not in the file itself yet.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

/// Refuses the database of another program, before anything of it is changed. It is read as it lies there: not even a log is made beside it.
async fn not_anothers(path: &Path, settings: &StoreSettings, shown: &str) -> Result<(), StoreError> {
    // What another program has not yet moved out of its log counts too.
    let access = if has_log(path) { "ro" } else { "ro&immutable=true" };
    let connector = Connector { read_only: true, ..Connector::new(&sqlite_url(path, access), Engine::Sqlite, settings)? };
    let tables = async {
        let mut connection = connector.connect().await?;
        let sql = "SELECT CAST(COUNT(*) AS BIGINT), CAST(COALESCE(SUM(name IN ('runs', 'journal')), 0) AS BIGINT) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\'";
        let row = sqlx::query(sql).fetch_one(&mut connection).await?;
        Ok::<(i64, i64), sqlx::Error>((row.try_get(0)?, row.try_get(1)?))
    };
    match tables.await {
        Ok((all, ours)) if all > 0 && ours < 2 => {
            let why = "it is the database of another program, and was left as it is; give a path of its own".to_owned();
            Err(StoreError::Open { location: shown.to_owned(), why })
        }
        // What cannot be read like this, and what is empty, is opened as usual: then it is told what is wrong, if anything is.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// How connections to one database are made.
#[derive(Clone)]
pub(crate) struct Connector {
    engine: Engine,
    options: AnyConnectOptions,
    durability: synod_types::Durability,
    busy_ms: u32,
    read_only: bool,
}

impl Connector {
    fn new(url: &str, engine: Engine, settings: &StoreSettings) -> Result<Self, StoreError> {
        let options: AnyConnectOptions = url.parse().map_err(|error: sqlx::Error| StoreError::Location {
            given: Location::parse(url).map(|location| location.shown()).unwrap_or_default(),
            why: error.to_string(),
        })?;
        let options = options.disable_statement_logging();
        Ok(Self { engine, options, durability: settings.durability, busy_ms: settings.busy_ms, read_only: false })
    }

    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// A connection that writes.
    pub async fn connect(&self) -> sqlx::Result<AnyConnection> {
        let mut connection = self.options.connect().await?;
        if self.read_only {
            connection.execute(AssertSqlSafe(format!("PRAGMA busy_timeout = {}; PRAGMA query_only = 1", self.busy_ms))).await?;
        } else if self.engine == Engine::Sqlite {
            connection.execute(AssertSqlSafe(self.pragmas())).await?;
        }
        Ok(connection)
    }

    /// SQLite's file without sqlx in between, to write to.
    fn open_file(&self, path: &Path) -> rusqlite::Result<rusqlite::Connection> {
        let file = rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        file.execute_batch(&self.pragmas())?;
        file.set_prepared_statement_cache_capacity(64);
        Ok(file)
    }

    /// What a connection that writes to SQLite is set to.
    fn pragmas(&self) -> String {
        let synchronous = match self.durability {
            synod_types::Durability::Process => "NORMAL",
            synod_types::Durability::Power => "FULL",
        };
        // Pages are kept, and a page that is written again and again is copied into the database less often: both measured under load.
        format!(
            "PRAGMA busy_timeout = {}; PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous}; PRAGMA cache_size = -8000; \
             PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY; {FOREIGN_KEYS}",
            self.busy_ms
        )
    }

    /// Connections that read, so that no reader waits for the writer.
    fn pool(&self, readers: u32) -> AnyPool {
        let (engine, busy_ms) = (self.engine, self.busy_ms);
        AnyPoolOptions::new()
            .max_connections(readers.max(1))
            .acquire_timeout(Duration::from_secs(30))
            .test_before_acquire(engine == Engine::Postgres)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if engine == Engine::Sqlite {
                        connection.execute(AssertSqlSafe(format!("PRAGMA busy_timeout = {busy_ms}; PRAGMA query_only = 1"))).await?;
                    }
                    Ok(())
                })
            })
            .connect_lazy_with(self.options.clone())
    }
}

const FOREIGN_KEYS: &str = "PRAGMA foreign_keys = ON";
