//! Where the writer works: the one connection that writes, made anew when it breaks, and the SQL texts made for it.

use crate::error::{Class, class};
use crate::location::Engine;
use crate::sql::Statements;
use crate::store::Connector;
use sqlx::{AnyConnection, Connection};

/// The connection that writes, and the texts made for it.
pub(crate) struct WriterConnection {
    connector: Connector,
    connection: Option<AnyConnection>,
    pub statements: Statements,
}

impl WriterConnection {
    pub fn new(connector: Connector, connection: AnyConnection) -> Self {
        let statements = Statements::new(connector.engine());
        Self { connector, connection: Some(connection), statements }
    }

    pub fn engine(&self) -> Engine {
        self.connector.engine()
    }

    /// The connection, made anew if the last one broke.
    pub async fn parts(&mut self) -> sqlx::Result<(&mut AnyConnection, &mut Statements)> {
        if self.connection.is_none() {
            self.connection = Some(self.connector.connect().await?);
        }
        let connection = self.connection.as_mut().ok_or(sqlx::Error::WorkerCrashed)?;
        Ok((connection, &mut self.statements))
    }

    pub async fn connection(&mut self) -> sqlx::Result<&mut AnyConnection> {
        Ok(self.parts().await?.0)
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
