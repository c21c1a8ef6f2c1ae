//! Runs as lists show them, and how a run is found by what a person types.

use crate::lease::{self, Claim};
use crate::store::Store;
use crate::{StoreError, writer};
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::Row as _;
use synod_types::{Asking, LOCAL, Millis, RunState};

/// Which runs to list. The default is all of them, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Empty: any.
    pub states: Vec<RunState>,
    pub mode: Option<String>,
    pub conversation: Option<String>,
    /// The verdict's status.
    pub status: Option<String>,
    /// Begun at this time or later, and before that one.
    pub since: Option<Millis>,
    pub until: Option<Millis>,
    /// Stands somewhere in the question's first 500 characters, whatever its case.
    pub text: Option<String>,
    /// Whose runs. `None`: everybody's.
    pub principal: Option<String>,
    /// Older than this one: where the last page ended.
    pub before: Option<(Millis, String)>,
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    pub id: String,
    pub mode: String,
    pub state: RunState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The first 500 characters.
    pub question: String,
    pub created_at: Millis,
    pub updated_at: Millis,
    /// `None`: unknown.
    pub spent_usd: Option<f64>,
    pub rehearsal: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The key it was asked with; `local`: the user of the machine.
    #[serde(default = "local", skip_serializing_if = "is_local")]
    pub principal: String,
    /// How many rows its journal has.
    #[serde(skip)]
    pub seq: i64,
    /// What the run asks of a person and nobody has answered yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingFor>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingFor {
    pub key: String,
    #[serde(flatten)]
    pub asking: Asking,
}

impl Store {
    /// Runs, newest first.
    pub async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunSummary>, StoreError> {
        let mut conn = self.reader().await?;
        let now = lease::now(&mut conn, self.engine()).await?;
        let limit = filter.limit.unwrap_or(usize::MAX);
        let mut runs = Vec::new();
        {
            let sql = concat!(
                "SELECT id, mode, state, status, question, created_at, updated_at, spent_usd, owner, rehearsal, parent, conversation,",
                " (SELECT lease_until FROM owners WHERE owners.id = runs.owner), principal, seq",
                " FROM runs WHERE ($1 = '' OR mode = $1) AND ($2 = '' OR conversation = $2) AND ($3 = '' OR $3 LIKE '%,' || state || ',%')",
                " AND ($4 = '' OR status = $4) AND created_at >= $5 AND created_at < $6",
                " AND ($7 = '' OR principal = $7) AND (created_at < $8 OR created_at = $8 AND id < $9)",
                " ORDER BY created_at DESC, id DESC"
            );
            let or_any = |given: &Option<String>| given.clone().unwrap_or_default();
            let (before, before_id) = filter.before.clone().unwrap_or((Millis::MAX, String::new()));
            let query = sqlx::query(sql).bind(or_any(&filter.mode)).bind(or_any(&filter.conversation)).bind(stored_states(&filter.states));
            let query = query.bind(or_any(&filter.status)).bind(filter.since.unwrap_or(Millis::MIN)).bind(filter.until.unwrap_or(Millis::MAX));
            // Not in SQL: SQLite knows the small form of ASCII letters only.
            let text = filter.text.as_deref().map(str::to_lowercase).unwrap_or_default();
            let query = query.bind(or_any(&filter.principal)).bind(before).bind(before_id);
            let mut rows = query.fetch(&mut *conn);
            while runs.len() < limit
                && let Some(row) = rows.try_next().await?
            {
                let run = self.summary(&row, now).unwrap_or_else(|error| unreadable(&row, &error));
                let meant = filter.states.is_empty() || filter.states.contains(&run.state);
                if meant && (text.is_empty() || run.question.to_lowercase().contains(&text)) {
                    runs.push(run);
                }
            }
        }
        for run in runs.iter_mut().filter(|run| !run.state.ended()) {
            // One that cannot be read hides nobody else's.
            run.waiting = waiting(&mut conn, &run.id).await.unwrap_or_default();
        }
        Ok(runs)
    }

    /// One run, by its full id.
    pub async fn run(&self, id: &str) -> Result<RunSummary, StoreError> {
        let mut conn = self.reader().await?;
        let now = lease::now(&mut conn, self.engine()).await?;
        let sql = concat!(
            "SELECT id, mode, state, status, question, created_at, updated_at, spent_usd, owner, rehearsal, parent, conversation,",
            " (SELECT lease_until FROM owners WHERE owners.id = runs.owner), principal, seq",
            " FROM runs WHERE id = $1"
        );
        let row = sqlx::query(sql).bind(id).fetch_optional(&mut *conn).await?;
        let row = row.ok_or_else(|| StoreError::NoSuchRun { given: id.to_owned(), want: "no run has this id".into() })?;
        let mut run = self.summary(&row, now)?;
        if !run.state.ended() {
            run.waiting = waiting(&mut conn, id).await?;
        }
        Ok(run)
    }

    fn summary(&self, row: &sqlx::any::AnyRow, now: Millis) -> sqlx::Result<RunSummary> {
        let mut state = writer::read_state(row, 2)?;
        let owner: Option<String> = row.try_get(8)?;
        if state == RunState::Running {
            let gone = match owner {
                None => true,
                Some(owner) if owner == self.owner() => false,
                Some(owner) => matches!(lease::claim(self.owners(), &owner, row.try_get::<Option<i64>, _>(12)?, now), Claim::Free),
            };
            if gone {
                state = RunState::Interrupted;
            }
        }
        Ok(RunSummary {
            id: row.try_get(0)?,
            mode: row.try_get(1)?,
            state,
            status: row.try_get(3)?,
            question: row.try_get(4)?,
            created_at: row.try_get(5)?,
            updated_at: row.try_get(6)?,
            spent_usd: row.try_get(7)?,
            rehearsal: row.try_get::<i64, _>(9)? != 0,
            parent: row.try_get(10)?,
            conversation: row.try_get(11)?,
            principal: row.try_get(13)?,
            seq: row.try_get(14)?,
            waiting: Vec::new(),
        })
    }

    /// The run a person means: its id, the id's beginning or end if only one run has it, or `last`.
    pub async fn find_run(&self, given: &str) -> Result<String, StoreError> {
        let no = |want: String| Err(StoreError::NoSuchRun { given: given.to_owned(), want });
        let mut conn = self.reader().await?;
        if given == "last" {
            let sql = "SELECT id FROM runs ORDER BY created_at DESC, id DESC LIMIT 1";
            return match sqlx::query(sql).fetch_optional(&mut *conn).await? {
                Some(row) => Ok(row.try_get(0)?),
                None => no("there are no runs yet".into()),
            };
        }
        let text = given.trim().to_ascii_lowercase();
        if text.is_empty() {
            return no("give a run's id, its beginning or end, or `last`".into());
        }
        let sql = concat!(
            "SELECT id FROM runs WHERE substr(id, 1, length($1)) = $1 OR (length(id) >= length($1) AND substr(id, length(id) - length($1) + 1) = $1)",
            " ORDER BY created_at DESC, id DESC LIMIT 6"
        );
        let mut found = Vec::new();
        for row in sqlx::query(sql).bind(&text).fetch_all(&mut *conn).await? {
            found.push(row.try_get::<String, _>(0)?);
        }
        if let Some(exact) = found.iter().find(|id| **id == text) {
            return Ok(exact.clone());
        }
        match found.as_slice() {
            [] => no("no run's id begins or ends with it".into()),
            [only] => Ok(only.clone()),
            many => {
                let more = if many.len() > 5 { ", …" } else { "" };
                no(format!("it fits {}{more}; give more of the id", many.iter().take(5).cloned().collect::<Vec<_>>().join(", ")))
            }
        }
    }
}

/// What can be told of a row that is not as it was written: one of them does not hide the others.
fn unreadable(row: &sqlx::any::AnyRow, error: &sqlx::Error) -> RunSummary {
    let text = |column: usize| row.try_get::<String, _>(column).unwrap_or_default();
    let time = |column: usize| row.try_get::<Millis, _>(column).unwrap_or_default();
    RunSummary {
        id: text(0),
        mode: text(1),
        state: RunState::Interrupted,
        status: Some("unreadable".to_owned()),
        question: format!("(this run's row cannot be read: {error})"),
        created_at: time(5),
        updated_at: time(6),
        spent_usd: None,
        rehearsal: false,
        parent: None,
        conversation: None,
        principal: row.try_get(13).unwrap_or_else(|_| local()),
        seq: row.try_get(14).unwrap_or_default(),
        waiting: Vec::new(),
    }
}

fn local() -> String {
    LOCAL.to_owned()
}

fn is_local(principal: &str) -> bool {
    principal == LOCAL
}

/// The states as they are stored, between commas: one that is derived is stored as another.
fn stored_states(states: &[RunState]) -> String {
    let stored = |state: &RunState| if *state == RunState::Interrupted { RunState::Running } else { *state };
    if states.is_empty() { String::new() } else { states.iter().fold(",".to_owned(), |list, state| list + stored(state).as_str() + ",") }
}

async fn waiting(conn: &mut AnyConnection, run: &str) -> sqlx::Result<Vec<WaitingFor>> {
    let sql = concat!(
        "SELECT w.key, w.body FROM journal w WHERE w.run = $1 AND w.kind = 'waiting'",
        " AND NOT EXISTS (SELECT 1 FROM journal a WHERE a.run = w.run AND a.key = w.key AND a.kind = 'answered')",
        " AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.run = w.run AND i.key = w.key AND i.kind = 'answer') ORDER BY w.seq"
    );
    let mut waiting = Vec::new();
    for row in sqlx::query(sql).bind(run).fetch_all(conn).await? {
        let body: &str = row.try_get(1)?;
        let asking = serde_json::from_str(body).map_err(|error| sqlx::Error::Decode(error.into()))?;
        waiting.push(WaitingFor { key: row.try_get(0)?, asking });
    }
    Ok(waiting)
}
