//! What agents and people say beside the layers.

use crate::book::{Agent, Change, ClaimSettings, Claims, new_id, text};
use crate::error::{ClaimsResult, Refusal, Step, refuse};
use crate::held::HeldClaim;
use crate::record;
use futures::future::BoxFuture;
use serde::Serialize;
use sqlx::Row as _;
use synod_store::Transaction;
use synod_types::{AuthorType, Millis, Problem, sha256_hex, words};

const LONGEST: usize = 10_000;
/// The same text of the same author within this time is taken for a slip.
const SAME_AGAIN_MS: Millis = 20_000;

pub const COMMENT_TYPES: [&str; 8] = ["question", "criticism", "supporting_evidence", "counter_evidence", "addition", "defense", "answer", "draft"];

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    pub id: String,
    pub claim_id: String,
    pub parent_comment_id: Option<String>,
    pub body: String,
    pub comment_type: String,
    pub author_id: String,
    pub author_name: String,
    pub author_type: AuthorType,
    pub author_model: Option<String>,
    pub created_at: Millis,
}

words! {
    /// The orders that comments are listed in; `top`: those first that have the most replies.
    #[derive(Default)]
    pub enum CommentSort {
        #[default]
        New = "new",
        Old = "old",
        Top = "top",
    }
}

struct Add(Comment);

impl Change<Comment> for Add {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<Comment>> {
        Box::pin(async move {
            let comment = Comment { created_at: tx.now, ..self.0.clone() };
            HeldClaim::take(tx, &comment.claim_id).await?;
            if let Some(parent) = &comment.parent_comment_id {
                let sql = "SELECT 1 FROM claim_comments WHERE id = $1 AND claim_id = $2";
                let row = sqlx::query(sql).bind(parent).bind(&comment.claim_id).fetch_optional(&mut *tx.conn).await?;
                record::found(row, Refusal::CommentNotFound(parent.clone()))?;
            }
            let sha256 = sha256_hex(&comment.body);
            let sql = concat!(
                "SELECT CAST(COUNT(*) AS BIGINT) FROM claim_comments WHERE claim_id = $1 AND author_id = $2 AND body_sha256 = $3",
                " AND created_at > $4"
            );
            let same = sqlx::query(sql).bind(&comment.claim_id).bind(&comment.author_id).bind(&sha256).bind(tx.now - SAME_AGAIN_MS);
            if record::count(&same.fetch_one(&mut *tx.conn).await?)? > 0 {
                return refuse(Refusal::Duplicate);
            }
            let sql = concat!(
                "INSERT INTO claim_comments (id, claim_id, parent_id, body, body_sha256, comment_type, author_id, author_name, author_type,",
                " author_model, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
            );
            let insert = sqlx::query(sql).bind(&comment.id).bind(&comment.claim_id).bind(&comment.parent_comment_id).bind(&comment.body);
            let insert = insert.bind(sha256).bind(&comment.comment_type).bind(&comment.author_id).bind(&comment.author_name);
            let insert = insert.bind(comment.author_type.as_str()).bind(&comment.author_model).bind(tx.now);
            insert.execute(&mut *tx.conn).await?;
            let sql = "UPDATE claims SET comment_count = comment_count + 1, updated_at = $1 WHERE id = $2";
            sqlx::query(sql).bind(tx.now).bind(&comment.claim_id).execute(&mut *tx.conn).await?;
            Ok(comment)
        })
    }
}

impl Claims {
    pub async fn comment(&self, claim: &str, by: &Agent, body: &str, kind: Option<&str>, parent: Option<String>) -> ClaimsResult<Comment> {
        let kind = kind.unwrap_or("addition").trim().to_lowercase().replace(['-', ' '], "_");
        if !COMMENT_TYPES.contains(&kind.as_str()) {
            let want = format!("one of: {}", COMMENT_TYPES.join(", "));
            return Err(Refusal::Invalid(vec![Problem::new("commentType", kind.clone(), want).unknown(&kind, COMMENT_TYPES)]).into());
        }
        let comment = Comment {
            id: new_id(),
            claim_id: claim.to_owned(),
            parent_comment_id: parent,
            body: text("body", body.trim(), LONGEST)?,
            comment_type: kind,
            author_id: by.id.clone(),
            author_name: by.name.clone(),
            author_type: if by.human { AuthorType::Human } else { AuthorType::Ai },
            author_model: by.model.clone(),
            created_at: 0,
        };
        self.change(Add(comment)).await
    }

    pub async fn comments(&self, claim: &str, sort: CommentSort, limit: u32) -> ClaimsResult<Vec<Comment>> {
        let mut conn = self.store.reading().await?;
        crate::reading::visible(&mut conn, claim).await?;
        let order = match sort {
            CommentSort::New => "created_at DESC, id DESC",
            CommentSort::Old => "created_at, id",
            CommentSort::Top => "(SELECT COUNT(*) FROM claim_comments r WHERE r.parent_id = c.id) DESC, created_at DESC, id DESC",
        };
        let sql = sqlx::AssertSqlSafe(format!("SELECT * FROM claim_comments c WHERE claim_id = $1 ORDER BY {order} LIMIT $2"));
        let found = sqlx::query(sql).bind(claim).bind(i64::from(limit)).fetch_all(&mut *conn).await?;
        let read = |row: &sqlx::any::AnyRow| -> sqlx::Result<Comment> {
            Ok(Comment {
                id: row.try_get("id")?,
                claim_id: row.try_get("claim_id")?,
                parent_comment_id: row.try_get("parent_id")?,
                body: row.try_get("body")?,
                comment_type: row.try_get("comment_type")?,
                author_id: row.try_get("author_id")?,
                author_name: row.try_get("author_name")?,
                author_type: AuthorType::parse(row.try_get("author_type")?).unwrap_or(AuthorType::Ai),
                author_model: row.try_get("author_model")?,
                created_at: row.try_get("created_at")?,
            })
        };
        Ok(found.iter().map(read).collect::<sqlx::Result<_>>()?)
    }
}
