//! Conversations: questions and answers in order, for people and as the history of the next question.

use crate::StoreError;
use crate::sql::storable;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, Row as _};
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

/// A conversation as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationSummary {
    pub id: String,
    /// `None` until its first message fixes it.
    pub mode: Option<String>,
    pub title: String,
    /// Somebody named it: no title takes the name's place.
    pub renamed: bool,
    pub principal: String,
    pub created_at: Millis,
    pub updated_at: Millis,
    pub messages: i64,
}

/// A conversation that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewConversation {
    pub id: String,
    pub mode: Option<String>,
    pub title: String,
    pub renamed: bool,
    pub principal: String,
}

/// Which conversations to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversationFilter {
    /// Whose. `None`: everybody's.
    pub principal: Option<String>,
    pub mode: Option<String>,
    /// Where the last page ended.
    pub before: Option<(Millis, String)>,
    pub limit: Option<u32>,
}

const SUMMARY: &str = concat!(
    "SELECT id, mode, title, renamed, principal, created_at, updated_at,",
    " (SELECT COUNT(*) FROM messages WHERE messages.conversation_id = conversations.id) FROM conversations"
);

fn summary(row: &sqlx::any::AnyRow) -> sqlx::Result<ConversationSummary> {
    Ok(ConversationSummary {
        id: row.try_get(0)?,
        mode: Some(row.try_get::<String, _>(1)?).filter(|mode| !mode.is_empty()),
        title: row.try_get(2)?,
        renamed: row.try_get::<i64, _>(3)? != 0,
        principal: row.try_get(4)?,
        created_at: row.try_get(5)?,
        updated_at: row.try_get(6)?,
        messages: row.try_get(7)?,
    })
}

impl Store {
    /// A new, empty conversation under an id of the caller's.
    pub async fn create_conversation(&self, new: NewConversation, at: Millis) -> Result<(), StoreError> {
        self.write(move |desk| {
            Box::pin(async move {
                let sql = concat!(
                    "INSERT INTO conversations (id, mode, title, renamed, principal, created_at, updated_at)",
                    " VALUES ($1, $2, $3, $4, $5, $6, $6)"
                );
                let insert = sqlx::query(sql).bind(&new.id).bind(new.mode.as_deref().unwrap_or_default()).bind(storable(&new.title));
                insert.bind(i64::from(new.renamed)).bind(&new.principal).bind(at).execute(desk.connection().await?).await?;
                Ok(())
            })
        })
        .await
    }

    pub async fn conversation(&self, id: &str) -> Result<ConversationSummary, StoreError> {
        let mut conn = self.reader().await?;
        let row = sqlx::query(AssertSqlSafe(format!("{SUMMARY} WHERE id = $1"))).bind(id).fetch_optional(&mut *conn).await?;
        Ok(summary(&row.ok_or_else(|| StoreError::NoSuchConversation(id.to_owned()))?)?)
    }

    /// Newest first, by the last message.
    pub async fn conversations(&self, filter: &ConversationFilter) -> Result<Vec<ConversationSummary>, StoreError> {
        let mut conn = self.reader().await?;
        let sql = format!(
            "{SUMMARY} WHERE ($1 = '' OR principal = $1) AND ($2 = '' OR mode = $2) AND (updated_at < $3 OR updated_at = $3 AND id < $4)
             ORDER BY updated_at DESC, id DESC LIMIT $5"
        );
        let (before, id) = filter.before.clone().unwrap_or((Millis::MAX, String::new()));
        let query = sqlx::query(AssertSqlSafe(sql)).bind(filter.principal.as_deref().unwrap_or_default());
        let query = query.bind(filter.mode.as_deref().unwrap_or_default()).bind(before).bind(id);
        let rows = query.bind(filter.limit.map_or(i64::MAX, i64::from)).fetch_all(&mut *conn).await?;
        Ok(rows.iter().map(summary).collect::<sqlx::Result<_>>()?)
    }

    /// Gives a conversation a name of somebody's own: no title takes its place.
    pub async fn rename_conversation(&self, id: &str, title: &str) -> Result<(), StoreError> {
        let (given, title) = (id.to_owned(), storable(title));
        let renamed = self.write(move |desk| {
            Box::pin(async move {
                let rename = sqlx::query("UPDATE conversations SET title = $1, renamed = 1 WHERE id = $2").bind(&title).bind(&given);
                Ok(rename.execute(desk.connection().await?).await?.rows_affected())
            })
        });
        if renamed.await? == 0 { Err(StoreError::NoSuchConversation(id.to_owned())) } else { Ok(()) }
    }

    /// Another name for one that nobody has named and that is still called `before`.
    pub async fn name_conversation(&self, id: &str, before: &str, title: &str) -> Result<(), StoreError> {
        let (id, before, title) = (id.to_owned(), before.to_owned(), storable(title));
        self.write(move |desk| {
            Box::pin(async move {
                let sql = "UPDATE conversations SET title = $1 WHERE id = $2 AND title = $3 AND renamed = 0";
                sqlx::query(sql).bind(&title).bind(&id).bind(&before).execute(desk.connection().await?).await?;
                Ok(())
            })
        })
        .await
    }

    /// The mode of a conversation, which its first message fixes. One that is fixed already stays.
    pub async fn fix_mode(&self, id: &str, mode: &str) -> Result<String, StoreError> {
        let (given, mode) = (id.to_owned(), mode.to_owned());
        let fixed = self.write(move |desk| {
            Box::pin(async move {
                let conn = desk.connection().await?;
                sqlx::query("UPDATE conversations SET mode = $1 WHERE id = $2 AND mode = ''").bind(&mode).bind(&given).execute(&mut *conn).await?;
                let row = sqlx::query("SELECT mode FROM conversations WHERE id = $1").bind(&given).fetch_optional(conn).await?;
                row.map(|row| row.try_get::<String, _>(0)).transpose()
            })
        });
        fixed.await?.ok_or_else(|| StoreError::NoSuchConversation(id.to_owned()))
    }

    /// Takes back a conversation that was made for a run which did not begin. One with a message stays.
    pub async fn drop_empty_conversation(&self, id: &str) -> Result<(), StoreError> {
        let id = id.to_owned();
        self.write(move |desk| {
            Box::pin(async move {
                let sql = "DELETE FROM conversations WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = $1)";
                sqlx::query(sql).bind(&id).execute(desk.connection().await?).await?;
                Ok(())
            })
        })
        .await
    }

    /// Its messages, oldest first.
    pub async fn messages(&self, id: &str) -> Result<Vec<StoredMessage>, StoreError> {
        self.conversation(id).await?;
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
        self.conversation(conversation).await?;
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
}
