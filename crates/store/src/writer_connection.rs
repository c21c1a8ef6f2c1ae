//! Where the writer works: the one connection that writes, made anew when it breaks, and the SQL texts made for it.

use crate::error::{Class, class};
use crate::location::Engine;
use crate::sql::{Conn, Statements};
use crate::store::Connector;
use sqlx::{AnyConnection, Connection};

/// The connection that writes, and the texts made for it.
pub(crate) struct WriterConnection {
    connector: Connector,
    connection: Option<AnyConnection>,
    /// SQLite's file, for what is written all the time. Only one of the two connections has a transaction open at any time.
    file: Option<rusqlite::Connection>,
    statements: Statements,
}

impl WriterConnection {
    pub fn new(connector: Connector, connection: AnyConnection, file: Option<rusqlite::Connection>) -> Self {
        let statements = Statements::new(connector.engine());
        Self { connector, connection: Some(connection), file, statements }
    }

    pub fn engine(&self) -> Engine {
        self.connector.engine()
    }

    /// Whether it may keep the thread it works on busy.
    pub fn blocks(&self) -> bool {
        self.file.is_some()
    }

    /// Where the journal is written.
    pub async fn parts(&mut self) -> sqlx::Result<(Conn<'_>, &mut Statements)> {
        if self.file.is_none() {
            let (connection, statements) = self.any_parts().await?;
            return Ok((Conn::Any(connection), statements));
        }
        let file = self.file.as_mut().ok_or(sqlx::Error::WorkerCrashed)?;
        Ok((Conn::File(file), &mut self.statements))
    }

    /// The connection for everything else, made anew if the last one broke.
    pub async fn any_parts(&mut self) -> sqlx::Result<(&mut AnyConnection, &mut Statements)> {
        if self.connection.is_none() {
            self.connection = Some(self.connector.connect().await?);
        }
        let connection = self.connection.as_mut().ok_or(sqlx::Error::WorkerCrashed)?;
        Ok((connection, &mut self.statements))
    }

    pub async fn connection(&mut self) -> sqlx::Result<&mut AnyConnection> {
        Ok(self.any_parts().await?.0)
    }

    /// Says what an error means, and lets go of a connection that is of no more use.
    pub fn judge(&mut self, error: &sqlx::Error) -> Class {
        let class = class(error);
        if class == Class::Broken {
            self.connection = None;
        }
        class
    }

    pub async fn close(self) {
        if let Some(connection) = self.connection
            && let Err(error) = connection.close().await
        {
            tracing::debug!(%error, "closing the write connection");
        }
    }
}
