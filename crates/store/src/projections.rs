//! What a run's journal comes to: what lists and numbers need is written with the row that makes it due; all else is read from the journal when
//! somebody asks.

use crate::batch::{by_turn, raws_of, rows_of};
use crate::error::StoreError;
use crate::experiences::ExperienceRow;
use crate::project::{Message, Projection, project};
use crate::sql::{self, Conn, Statements, Table};
use crate::stages::{StageRow, stages};
use crate::stats;
use crate::store::Store;
use sqlx::AnyConnection;
use synod_types::Row;

static MESSAGES: Table =
    Table { name: "messages", columns: &["id", "conversation_id", "run_id", "role", "content", "answer_kind", "created_at"], amounts: &[] };
static EXPERIENCES: Table = Table { name: "experiences", columns: &["run", "mode", "body", "created_at"], amounts: &[] };
/// Stores projections, all of them in as few statements as one. `true`: something was stored for the run before.
pub(crate) async fn write(conn: &mut Conn<'_>, statements: &mut Statements, due: &[(&Projection, bool)]) -> sqlx::Result<()> {
    for (of, _) in due.iter().filter(|(_, again)| *again) {
        clear(conn, &of.run).await?;
    }
    stats::write(conn, statements, due).await?;
    sql::update_all(
        conn,
        statements,
        Statements::conclude,
        due,
        |(of, _)| of.run.as_str(),
        |values, (of, _)| {
            values.text(&of.run).text(of.state.as_str()).some_text(of.status.map(|status| status.as_str())).amount(of.spent_usd);
        },
    )
    .await?;
    let ended: Vec<&Projection> = due.iter().map(|(of, _)| *of).filter(|of| of.ended()).collect();
    add_answers(conn, statements, &ended).await?;
    let experiences: Vec<&ExperienceRow> = ended.iter().flat_map(|of| &of.experiences).collect();
    sql::insert_all(conn, statements, &EXPERIENCES, &experiences, |values, experience| {
        values.text(&experience.run).text(&experience.mode).text(&sql::storable(&experience.body.to_string())).int(experience.at);
    })
    .await
}

/// Answers belong to conversations; that of a run outside any is in its verdict.
async fn add_answers(conn: &mut Conn<'_>, statements: &mut Statements, ended: &[&Projection]) -> sqlx::Result<()> {
    let mut answers = Vec::new();
    for of in ended {
        let (Some(answer), Some(conversation)) = (&of.answer, &of.conversation) else { continue };
        // It may have been deleted while its run went on.
        if !exists(conn, conversation).await? {
            continue;
        }
        let sql = "UPDATE conversations SET updated_at = $1 WHERE id = $2";
        conn.execute(sql, |values| {
            values.int(answer.created_at).text(conversation);
        })
        .await?;
        answers.push((of.run.as_str(), conversation.as_str(), answer));
    }
    add_messages(conn, statements, &answers).await
}

async fn exists(conn: &mut Conn<'_>, conversation: &str) -> sqlx::Result<bool> {
    conn.finds("SELECT id FROM conversations WHERE id = $1", |values| {
        values.text(conversation);
    })
    .await
}

/// All but the question, which belongs to the header.
async fn clear(conn: &mut Conn<'_>, run: &str) -> sqlx::Result<()> {
    for sql in ["DELETE FROM messages WHERE id = $1 || ':answer'", "DELETE FROM experiences WHERE run = $1", "DELETE FROM run_stats WHERE run = $1"] {
        conn.execute(sql, |values| {
            values.text(run);
        })
        .await?;
    }
    Ok(())
}

/// Run, conversation and message of each.
pub(crate) async fn add_messages(conn: &mut Conn<'_>, statements: &mut Statements, messages: &[(&str, &str, &Message)]) -> sqlx::Result<()> {
    sql::insert_all(conn, statements, &MESSAGES, messages, |values, (run, conversation, message)| {
        values.text(&message.id).text(conversation).text(run).text(message.role).text(&message.content);
        values.some_text(message.answer_kind).int(message.created_at);
    })
    .await
}

impl Store {
    /// Stage rows in the order in which they were shown. Of a run that has not ended: what it has shown so far.
    pub async fn stages(&self, run: &str) -> Result<Vec<StageRow>, StoreError> {
        let mut conn = self.reader().await?;
        let rows = read_rows(&mut conn, run).await?;
        Ok(stages(&rows, &by_turn(&raws_of(&mut conn, run).await?)))
    }

    /// What a run's journal comes to, so far.
    pub async fn projection(&self, run: &str) -> Result<Projection, StoreError> {
        Ok(project(&read_rows(&mut *self.reader().await?, run).await?))
    }

    /// Throws a run's projections away and makes them again from its journal.
    pub async fn rebuild(&self, run: &str) -> Result<(), StoreError> {
        let id = run.to_owned();
        let known = self.write(move |desk| {
            Box::pin(async move {
                let (conn, statements) = desk.any_parts().await?;
                let mut transaction = sql::begin(conn, statements.engine()).await?;
                let rows = rows_of(&mut transaction, &id, 0).await?;
                if rows.is_empty() {
                    transaction.rollback().await?;
                    return Ok(false);
                }
                let projection = project(&rows);
                let conn = &mut Conn::Any(&mut transaction);
                write(conn, statements, &[(&projection, true)]).await?;
                if let (Some(conversation), Some(question)) = (&projection.conversation, &projection.question)
                    && exists(conn, conversation).await?
                {
                    conn.execute("DELETE FROM messages WHERE id = $1", |values| {
                        values.text(&question.id);
                    })
                    .await?;
                    add_messages(conn, statements, &[(&id, conversation, question)]).await?;
                }
                transaction.commit().await.map(|()| true)
            })
        });
        if known.await? {
            return Ok(());
        }
        Err(no_such_run(run))
    }
}

fn no_such_run(run: &str) -> StoreError {
    StoreError::NoSuchRun { given: run.to_owned(), want: "no run has this id".into() }
}

async fn read_rows(conn: &mut AnyConnection, run: &str) -> Result<Vec<Row>, StoreError> {
    let rows = rows_of(conn, run, 0).await?;
    if rows.is_empty() { Err(no_such_run(run)) } else { Ok(rows) }
}
