//! Conversations: questions and answers in order, for people and as the history of the next question.

use crate::StoreError;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use std::time::{SystemTime, UNIX_EPOCH};
use synod_types::{Millis, PastTurn};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMessage {
    pub id: String,
    /// `user` or `assistant`.
    pub role: String,
    pub content: String,
    pub run: String,
    /// What kind of answer it is; `None` for a question, and for a verdict without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_kind: Option<String>,
    pub created_at: Millis,
}

impl Store {
    /// A new, empty conversation under an id of the caller's.
    pub async fn create_conversation(&self, id: &str, mode: &str, title: &str) -> Result<(), StoreError> {
        let (id, mode, title) = (id.to_owned(), mode.to_owned(), crate::sql::storable(title));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as Millis);
        self.write(move |desk| {
            Box::pin(async move {
                let sql = "INSERT INTO conversations (id, mode, title, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)";
                sqlx::query(sql).bind(&id).bind(&mode).bind(&title).bind(now).execute(desk.connection().await?).await?;
                Ok(())
            })
        })
        .await
    }

    pub async fn conversation_mode(&self, id: &str) -> Result<String, StoreError> {
        let mut conn = self.reader().await?;
        let row = sqlx::query("SELECT mode FROM conversations WHERE id = $1").bind(id).fetch_optional(&mut *conn).await?;
        Ok(row.ok_or_else(|| StoreError::NoSuchConversation(id.to_owned()))?.try_get(0)?)
    }

    pub async fn conversation_title(&self, id: &str) -> Result<String, StoreError> {
        let mut conn = self.reader().await?;
        let row = sqlx::query("SELECT title FROM conversations WHERE id = $1").bind(id).fetch_optional(&mut *conn).await?;
        Ok(row.ok_or_else(|| StoreError::NoSuchConversation(id.to_owned()))?.try_get(0)?)
    }

    /// Its messages, oldest first.
    pub async fn conversation(&self, id: &str) -> Result<Vec<StoredMessage>, StoreError> {
        self.conversation_mode(id).await?;
        let mut conn = self.reader().await?;
        let sql = concat!(
            "SELECT id, role, content, run_id, answer_kind, created_at FROM messages WHERE conversation_id = $1",
            " ORDER BY created_at, run_id, role DESC"
        );
        let rows = sqlx::query(sql).bind(id).fetch_all(&mut *conn).await?;
        let read = |row: &sqlx::any::AnyRow| {
            Ok(StoredMessage {
                id: row.try_get(0)?,
                role: row.try_get(1)?,
                content: row.try_get(2)?,
                run: row.try_get(3)?,
                answer_kind: row.try_get(4)?,
                created_at: row.try_get(5)?,
            })
        };
        Ok(rows.iter().map(read).collect::<sqlx::Result<_>>()?)
    }

    /// The last `last_n` exchanges, oldest first: only those that ended with an answer, and of a run and its forks the last to answer.
    pub async fn history(&self, conversation: &str, last_n: u32) -> Result<Vec<PastTurn>, StoreError> {
        self.conversation_mode(conversation).await?;
        let mut conn = self.reader().await?;
        let sql = concat!(
            "SELECT q.content, a.content FROM messages a JOIN messages q ON q.run_id = a.run_id AND q.role = 'user'",
            " WHERE a.conversation_id = $1 AND q.conversation_id = $1 AND a.role = 'assistant' AND a.answer_kind IS NOT NULL",
            " AND NOT EXISTS (SELECT 1 FROM runs f JOIN messages m ON m.run_id = f.id AND m.role = 'assistant' AND m.answer_kind IS NOT NULL",
            " WHERE f.parent = a.run_id AND f.conversation = $1)",
            " ORDER BY a.created_at DESC, a.run_id DESC LIMIT $2"
        );
        let rows = sqlx::query(sql).bind(conversation).bind(i64::from(last_n)).fetch_all(&mut *conn).await?;
        let read = |row: &sqlx::any::AnyRow| Ok(PastTurn { question: row.try_get(0)?, answer: row.try_get(1)? });
        Ok(rows.iter().rev().map(read).collect::<sqlx::Result<_>>()?)
    }

    /// Deletes a conversation with its messages and their stage rows. The journals of its runs stay.
    pub async fn delete_conversation(&self, id: &str) -> Result<(), StoreError> {
        let given = id.to_owned();
        let deleted = self.write(move |desk| {
            Box::pin(async move {
                let delete = sqlx::query("DELETE FROM conversations WHERE id = $1").bind(&given);
                Ok(delete.execute(desk.connection().await?).await?.rows_affected())
            })
        });
        if deleted.await? == 0 { Err(StoreError::NoSuchConversation(id.to_owned())) } else { Ok(()) }
    }
}
