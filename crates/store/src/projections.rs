//! Projections in their tables: written with the row that makes them due, read back, rebuilt from the journal.

use crate::batch::{by_turn, raws_of, rows_of};
use crate::error::StoreError;
use crate::project::{FigureRow, Message, Projection, StageRow, project};
use crate::sql::{self, Conn, Statements, Table, Values};
use crate::stats;
use crate::store::Store;
use crate::turns::{CostRow, TurnOutcome, TurnRow};
use crate::writer;
use sqlx::AnyConnection;
use sqlx::Row as _;
use sqlx::any::AnyRow;
use synod_types::Usage;

static TURNS: Table = Table {
    name: "turns",
    columns: &[
        "run",
        "key",
        "seat",
        "model",
        "prompt",
        "outcome",
        "failure",
        "detail",
        "tries",
        "extra",
        "ms",
        "tokens_in",
        "tokens_out",
        "tokens_cached",
        "tokens_thinking",
        "usd",
        "asked_at",
    ],
    amounts: &["usd"],
};
static COSTS: Table = Table {
    name: "costs",
    columns: &["run", "model", "calls", "tokens_in", "tokens_out", "tokens_cached", "tokens_thinking", "usd"],
    amounts: &["usd"],
};
static MESSAGES: Table =
    Table { name: "messages", columns: &["id", "conversation_id", "run_id", "role", "content", "answer_kind", "created_at"], amounts: &[] };
static FIGURES: Table = Table { name: "figures", columns: &["run", "seq", "mode", "name", "value", "at", "label", "model", "out_of"], amounts: &[] };
static EXPERIENCES: Table = Table { name: "experiences", columns: &["run", "mode", "body", "created_at"], amounts: &[] };
static STAGES: Table = Table {
    name: "stages",
    columns: &[
        "id",
        "run_id",
        "message_id",
        "stage_type",
        "stage_order",
        "seq",
        "model",
        "role",
        "content",
        "parsed_data",
        "response_time_ms",
        "created_at",
    ],
    amounts: &[],
};

fn usage<'v, 'a>(values: &'v mut Values<'a>, usage: Usage) -> &'v mut Values<'a> {
    values.int(usage.input as i64).int(usage.output as i64).int(usage.cached as i64).some_int(usage.thinking.map(|tokens| tokens as i64))
}

/// Stores projections, all of them in as few statements as one. `true`: something was stored for the run before.
pub(crate) async fn write(conn: &mut Conn<'_>, statements: &mut Statements, due: &[(Projection, bool)]) -> sqlx::Result<()> {
    for (of, _) in due.iter().filter(|(_, again)| *again) {
        clear(conn, &of.run).await?;
    }
    let again: Vec<(&Projection, bool)> = due.iter().map(|(of, again)| (of, *again)).collect();
    stats::write(conn, statements, &again).await?;
    let due: Vec<&Projection> = due.iter().map(|(of, _)| of).collect();
    sql::insert_all(conn, statements, &TURNS, &each(&due, |of| &of.turns), |values, (of, turn)| {
        values.text(&of.run).text(&turn.key).some_int(turn.seat).text(&turn.model).some_text(turn.prompt.as_deref()).text(turn.outcome.as_str());
        values.some_text(turn.failure.as_deref()).some_text(turn.detail.as_deref()).int(turn.tries).int(i64::from(turn.extra)).some_int(turn.ms);
        usage(values, turn.usage).amount(turn.usd).int(turn.asked_at);
    })
    .await?;
    sql::insert_all(conn, statements, &COSTS, &each(&due, |of| &of.costs), |values, (of, cost)| {
        values.text(&of.run).text(&cost.model).int(cost.calls);
        usage(values, cost.usage).amount(cost.usd);
    })
    .await?;
    sql::update_all(
        conn,
        statements,
        Statements::conclude,
        &due,
        |of| of.run.as_str(),
        |values, of| {
            values.text(&of.run).text(of.state.as_str()).some_text(of.status.map(|status| status.as_str())).amount(of.spent_usd);
        },
    )
    .await?;
    let ended: Vec<&Projection> = due.into_iter().filter(|of| of.ended()).collect();
    add_answers(conn, statements, &ended).await?;
    sql::insert_all(conn, statements, &STAGES, &each(&ended, |of| &of.stages), |values, (of, stage)| {
        values.text(&stage.id).text(&of.run).some_text(stage.message_id.as_deref()).text(&stage.stage_type).int(stage.stage_order).int(stage.seq);
        values.some_text(stage.model.as_deref()).some_text(stage.role.as_deref()).text(&stage.content).some_text(stage.parsed_data.as_deref());
        values.some_int(stage.response_time_ms).int(stage.created_at);
    })
    .await?;
    sql::insert_all(conn, statements, &FIGURES, &each(&ended, |of| &of.figures), |values, (of, figure)| {
        values.text(&of.run).int(figure.seq).text(&of.mode).text(&figure.name).real(figure.value).int(figure.at);
        values.some_text(figure.label.as_deref()).some_text(figure.model.as_deref()).real(figure.of);
    })
    .await?;
    sql::insert_all(conn, statements, &EXPERIENCES, &each(&ended, |of| &of.experiences), |values, (of, experience)| {
        values.text(&of.run).text(&experience.mode).text(&sql::storable(&experience.body.to_string())).int(experience.at);
    })
    .await
}

/// The rows of all projections for one table, each with the projection it is from.
fn each<'a, T>(due: &[&'a Projection], rows: impl Fn(&'a Projection) -> &'a Vec<T>) -> Vec<(&'a Projection, &'a T)> {
    due.iter().flat_map(|of| rows(of).iter().map(|row| (*of, row))).collect()
}

async fn add_answers(conn: &mut Conn<'_>, statements: &mut Statements, ended: &[&Projection]) -> sqlx::Result<()> {
    let mut answers = Vec::new();
    for of in ended {
        let Some(answer) = &of.answer else { continue };
        // A conversation deleted while its run went on leaves the answer without one.
        let conversation = match &of.conversation {
            Some(id) if exists(conn, id).await? => Some(id),
            _ => None,
        };
        if let Some(id) = conversation {
            let sql = "UPDATE conversations SET updated_at = $1 WHERE id = $2";
            conn.execute(sql, |values| {
                values.int(answer.created_at).text(id);
            })
            .await?;
        }
        answers.push((of.run.as_str(), conversation, answer));
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
    for sql in [
        "DELETE FROM stages WHERE run_id = $1",
        "DELETE FROM messages WHERE id = $1 || ':answer'",
        "DELETE FROM turns WHERE run = $1",
        "DELETE FROM costs WHERE run = $1",
        "DELETE FROM figures WHERE run = $1",
        "DELETE FROM experiences WHERE run = $1",
        "DELETE FROM run_stats WHERE run = $1",
    ] {
        conn.execute(sql, |values| {
            values.text(run);
        })
        .await?;
    }
    Ok(())
}

/// Run, conversation and message of each.
pub(crate) async fn add_messages(
    conn: &mut Conn<'_>,
    statements: &mut Statements,
    messages: &[(&str, Option<&String>, &Message)],
) -> sqlx::Result<()> {
    sql::insert_all(conn, statements, &MESSAGES, messages, |values, (run, conversation, message)| {
        values.text(&message.id).some_text(conversation.map(String::as_str)).text(run).text(message.role).text(&message.content);
        values.some_text(message.answer_kind).int(message.created_at);
    })
    .await
}

impl Store {
    /// Stage rows in the order in which they were shown. Of a run that has not ended: what it has shown so far.
    pub async fn stages(&self, run: &str) -> Result<Vec<StageRow>, StoreError> {
        let mut conn = self.reader().await?;
        match self.unless_ended(&mut conn, run).await? {
            Some(so_far) => Ok(so_far.stages),
            None => Ok(stored_stages(&mut conn, run).await?),
        }
    }

    pub async fn turns(&self, run: &str) -> Result<Vec<TurnRow>, StoreError> {
        let mut conn = self.reader().await?;
        if let Some(so_far) = self.unless_ended(&mut conn, run).await? {
            return Ok(so_far.turns);
        }
        let sql = concat!(
            "SELECT key, seat, model, prompt, outcome, failure, detail, tries, extra, ms, tokens_in, tokens_out, tokens_cached, tokens_thinking, usd, asked_at",
            " FROM turns WHERE run = $1 ORDER BY asked_at, key"
        );
        let rows = sqlx::query(sql).bind(run).fetch_all(&mut *conn).await?;
        Ok(rows.iter().map(read_turn).collect::<sqlx::Result<_>>()?)
    }

    /// One row a model.
    pub async fn costs(&self, run: &str) -> Result<Vec<CostRow>, StoreError> {
        let mut conn = self.reader().await?;
        if let Some(mut so_far) = self.unless_ended(&mut conn, run).await? {
            so_far.costs.sort_by(|a, b| a.model.cmp(&b.model));
            return Ok(so_far.costs);
        }
        let sql = "SELECT model, calls, tokens_in, tokens_out, tokens_cached, tokens_thinking, usd FROM costs WHERE run = $1 ORDER BY model";
        let rows = sqlx::query(sql).bind(run).fetch_all(&mut *conn).await?;
        let read = |row: &AnyRow| Ok(CostRow { model: row.try_get(0)?, calls: row.try_get(1)?, usage: read_usage(row, 2)?, usd: row.try_get(6)? });
        Ok(rows.iter().map(read).collect::<sqlx::Result<_>>()?)
    }

    pub async fn figures(&self, run: &str) -> Result<Vec<FigureRow>, StoreError> {
        let mut conn = self.reader().await?;
        if let Some(so_far) = self.unless_ended(&mut conn, run).await? {
            return Ok(so_far.figures);
        }
        let rows = sqlx::query("SELECT seq, name, value, at, label, model, out_of FROM figures WHERE run = $1 ORDER BY seq")
            .bind(run)
            .fetch_all(&mut *conn)
            .await?;
        let read = |row: &AnyRow| {
            Ok(FigureRow {
                seq: row.try_get(0)?,
                name: row.try_get(1)?,
                value: row.try_get(2)?,
                at: row.try_get(3)?,
                label: row.try_get(4)?,
                model: row.try_get(5)?,
                of: row.try_get(6)?,
            })
        };
        Ok(rows.iter().map(read).collect::<sqlx::Result<_>>()?)
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
                let raws = raws_of(&mut transaction, &id).await?;
                let due = [(project(&rows, &by_turn(&raws)), true)];
                let conn = &mut Conn::Any(&mut transaction);
                write(conn, statements, &due).await?;
                let [(projection, _)] = due;
                if let (Some(conversation), Some(question)) = (&projection.conversation, &projection.question)
                    && exists(conn, conversation).await?
                {
                    conn.execute("DELETE FROM messages WHERE id = $1", |values| {
                        values.text(&question.id);
                    })
                    .await?;
                    add_messages(conn, statements, &[(&id, Some(conversation), question)]).await?;
                }
                transaction.commit().await.map(|()| true)
            })
        });
        if known.await? {
            return Ok(());
        }
        Err(StoreError::NoSuchRun { given: run.to_owned(), want: "no run has this id".into() })
    }

    /// What the journal says so far, for a run whose projections are not final yet.
    async fn unless_ended(&self, conn: &mut AnyConnection, run: &str) -> Result<Option<Projection>, StoreError> {
        let row = sqlx::query("SELECT state FROM runs WHERE id = $1").bind(run).fetch_optional(&mut *conn).await?;
        let row = row.ok_or_else(|| StoreError::NoSuchRun { given: run.to_owned(), want: "no run has this id".into() })?;
        if writer::read_state(&row, 0)?.ended() {
            return Ok(None);
        }
        let rows = rows_of(conn, run, 0).await?;
        Ok(Some(project(&rows, &by_turn(&raws_of(conn, run).await?))))
    }
}

pub(crate) async fn stored_stages(conn: &mut AnyConnection, run: &str) -> sqlx::Result<Vec<StageRow>> {
    let sql = concat!(
        "SELECT id, message_id, stage_type, stage_order, seq, model, role, content, parsed_data, response_time_ms, created_at",
        " FROM stages WHERE run_id = $1 ORDER BY seq"
    );
    let rows = sqlx::query(sql).bind(run).fetch_all(conn).await?;
    let read = |row: &AnyRow| {
        Ok(StageRow {
            id: row.try_get(0)?,
            message_id: row.try_get(1)?,
            stage_type: row.try_get(2)?,
            stage_order: row.try_get(3)?,
            seq: row.try_get(4)?,
            model: row.try_get(5)?,
            role: row.try_get(6)?,
            content: row.try_get(7)?,
            parsed_data: row.try_get(8)?,
            response_time_ms: row.try_get(9)?,
            created_at: row.try_get(10)?,
        })
    };
    rows.iter().map(read).collect()
}

fn read_turn(row: &AnyRow) -> sqlx::Result<TurnRow> {
    let outcome: &str = row.try_get(4)?;
    Ok(TurnRow {
        key: row.try_get(0)?,
        seat: row.try_get(1)?,
        model: row.try_get(2)?,
        prompt: row.try_get(3)?,
        outcome: TurnOutcome::parse(outcome).ok_or_else(|| sqlx::Error::Decode(format!("{outcome:?} is no outcome of a turn").into()))?,
        failure: row.try_get(5)?,
        detail: row.try_get(6)?,
        tries: row.try_get(7)?,
        extra: row.try_get::<i64, _>(8)? != 0,
        ms: row.try_get(9)?,
        usage: read_usage(row, 10)?,
        usd: row.try_get(14)?,
        asked_at: row.try_get(15)?,
    })
}

fn read_usage(row: &AnyRow, from: usize) -> sqlx::Result<Usage> {
    let tokens = |column: usize| row.try_get::<i64, _>(column).map(|tokens| u64::try_from(tokens).unwrap_or(0));
    let thinking = row.try_get::<Option<i64>, _>(from + 3)?.and_then(|tokens| u64::try_from(tokens).ok());
    Ok(Usage { input: tokens(from)?, output: tokens(from + 1)?, cached: tokens(from + 2)?, thinking })
}
