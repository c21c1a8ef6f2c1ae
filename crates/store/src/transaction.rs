//! Transactions for whoever keeps tables of its own beside the journal: on the one writer, in its turn, or not at all.

use crate::StoreError;
use crate::error::Class;
use crate::location::Engine;
use crate::owner::{Life, life};
use crate::store::Store;
use crate::writer_connection::WriterConnection;
use futures::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection};
use synod_types::Millis;

/// Deadlocks and serialisation failures are the database's way of asking to try again.
const TRIES: usize = 4;

/// A transaction under way. Everything in it happens, or nothing.
pub struct Transaction<'c> {
    pub conn: &'c mut AnyConnection,
    /// The database's clock, read when the transaction began.
    pub now: Millis,
    engine: Engine,
}

impl Transaction<'_> {
    /// Reads the clock again: after waiting for a lock, say.
    pub async fn look_at_clock(&mut self) -> sqlx::Result<Millis> {
        self.now = crate::lease::now(self.conn, self.engine).await?;
        Ok(self.now)
    }
}

/// Why a transaction was undone.
#[derive(Debug)]
pub enum Undone<E> {
    Database(sqlx::Error),
    /// By whoever worked in it.
    Refused(E),
}

impl<E> From<sqlx::Error> for Undone<E> {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl Store {
    /// Does `work` in one transaction on the writer. It may be called again, after a deadlock: nothing of the try before is left then.
    pub async fn transaction<T, E, F>(&self, work: F) -> Result<Result<T, E>, StoreError>
    where
        T: Send + 'static,
        E: Send + 'static,
        F: for<'c> Fn(&'c mut Transaction<'_>) -> BoxFuture<'c, Result<T, Undone<E>>> + Send + Sync + 'static,
    {
        self.write(move |desk| {
            Box::pin(async move {
                let mut tries = 1;
                loop {
                    let (error, begun) = match attempt(desk, &work).await {
                        Ok(ended) => return Ok(ended),
                        Err(failed) => failed,
                    };
                    let again = match desk.judge(&error) {
                        Class::Again => true,
                        // An idle connection that the server has dropped: a new one will do.
                        Class::Broken => !begun,
                        Class::Constraint | Class::Other => false,
                    };
                    if !again || tries >= TRIES {
                        return Err(error);
                    }
                    tries += 1;
                }
            })
        })
        .await
    }

    /// A connection that reads.
    pub async fn reading(&self) -> Result<PoolConnection<Any>, StoreError> {
        Ok(self.reader().await?)
    }

    /// The database's clock.
    pub async fn now(&self) -> Result<Millis, StoreError> {
        match self.engine() {
            Engine::Sqlite => Ok(synod_engine::Clock::now(&synod_engine::SystemClock)),
            Engine::Postgres => {
                let mut conn = self.reader().await?;
                Ok(crate::lease::now(&mut conn, Engine::Postgres).await?)
            }
        }
    }

    /// Whether the process that goes by this owner's id is known to be gone. One that never held a run has no lease to judge by.
    pub async fn is_owner_gone(&self, owner: &str) -> Result<bool, StoreError> {
        match life(self.owners(), owner) {
            Life::Alive => Ok(false),
            Life::Gone => Ok(true),
            Life::Unknown => {
                let mut conn = self.reader().await?;
                let now = crate::lease::now(&mut conn, self.engine()).await?;
                let row = sqlx::query("SELECT lease_until FROM owners WHERE id = $1").bind(owner).fetch_optional(&mut *conn).await?;
                let until = row.map(|row| sqlx::Row::try_get::<Millis, _>(&row, 0)).transpose()?;
                Ok(until.is_some_and(|until| until <= now))
            }
        }
    }
}

/// One try. An error comes with whether the transaction had begun.
async fn attempt<T, E, F>(desk: &mut WriterConnection, work: &F) -> Result<Result<T, E>, (sqlx::Error, bool)>
where
    F: for<'c> Fn(&'c mut Transaction<'_>) -> BoxFuture<'c, Result<T, Undone<E>>>,
{
    let engine = desk.engine();
    let conn = desk.connection().await.map_err(|error| (error, false))?;
    let mut begun = crate::sql::begin(conn, engine).await.map_err(|error| (error, false))?;
    let failed = |error| (error, true);
    let now = crate::lease::now(&mut begun, engine).await.map_err(failed)?;
    match work(&mut Transaction { conn: &mut begun, now, engine }).await {
        Ok(value) => begun.commit().await.map(|()| Ok(value)).map_err(failed),
        Err(Undone::Refused(refusal)) => begun.rollback().await.map(|()| Err(refusal)).map_err(failed),
        Err(Undone::Database(error)) => {
            // The first error says more than what a broken connection says to this.
            let _ = begun.rollback().await;
            Err(failed(error))
        }
    }
}
