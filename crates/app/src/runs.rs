//! What can be done with a run that exists: find it, look at it, export it, check it, answer it, go on with it.

use crate::app::{App, location_of};
use crate::error::{AppError, AppResult};
use serde::Serialize;
use std::time::Duration;
use synod_config::{Config, Sources};
use synod_engine::{Clock, Journal, JournalError, LimitChanges, ReplayResult, ResumeOutcome, RunError, Runner, SystemClock};
use synod_report::View;
use synod_store::{DayUsage, Deletion, ExperienceRow, RunFilter, RunSummary, Store, StoreError, StoreSettings, Tombstone, Verification, WaitingFor};
use synod_types::{Kind, Millis, PersonAnswer, Problem, ProblemCode, Row, RunState, nearest, words};

/// A run in a list, with the models whose part of its cost is unknown.
#[derive(Clone, Debug, Serialize)]
pub struct ListedRun {
    #[serde(flatten)]
    pub run: RunSummary,
    pub unpriced: Vec<String>,
}

words! {
    /// What a run or a claim can be written as.
    pub enum ExportFormat {
        Markdown = "md",
        Html = "html",
        Json = "json",
    }
}

/// So many runs are looked through for one that was meant.
const RECENT: usize = 50;
/// And so many are named where none is near.
const NAMED: usize = 3;

fn no_run(given: &str, why: &str, newest: &[RunSummary]) -> Problem {
    let want = match newest {
        [] => "a run's id, a unique beginning or end of it, or last".to_owned(),
        some => {
            let ids: Vec<&str> = some.iter().take(NAMED).map(|run| run.id.as_str()).collect();
            format!("a run's id, a unique beginning or end of it, or last; the newest: {}", ids.join(", "))
        }
    };
    // A mistyped beginning is as long as it is, so it is held against as much of each id.
    let length = given.trim().chars().count();
    let beginnings: Vec<(String, &str)> = newest.iter().map(|run| (run.id.chars().take(length).collect(), run.id.as_str())).collect();
    let near = nearest(given, beginnings.iter().map(|(beginning, _)| beginning.as_str()).chain(["last"]));
    let meant = near.map(|near| beginnings.iter().find(|(beginning, _)| beginning == near).map_or(near, |(_, id)| *id));
    let problem = Problem::new("run", format!("{given} ({why})"), want).code(ProblemCode::Unknown);
    Problem { suggestion: meant.filter(|_| length >= 3 && !newest.is_empty()).map(str::to_owned), ..problem }
}

impl App {
    /// The run a person means: its id, a unique beginning or end of it, or `last`.
    pub async fn find_run(&self, given: &str) -> AppResult<String> {
        match self.store.find_run(given).await {
            Err(StoreError::NoSuchRun { given, want }) => {
                let newest = self.store.runs(&RunFilter { limit: Some(RECENT), ..RunFilter::default() }).await?;
                Err(no_run(&given, &want, &newest).into())
            }
            found => Ok(found?),
        }
    }

    /// Ids of the newest runs with their questions, if there is a database already: nothing is made to answer this.
    pub async fn recent_runs(sources: &Sources, location: Option<String>) -> AppResult<Vec<(String, String)>> {
        let config = Config::load(sources)?;
        let location = location_of(sources, &config, location)?;
        let is_file = !location.contains("://") && !location.starts_with("sqlite:");
        if is_file && !std::path::Path::new(&location).exists() {
            return Ok(Vec::new());
        }
        let store = Store::open(&location, StoreSettings::default()).await?;
        let runs = store.runs(&RunFilter { limit: Some(RECENT), ..RunFilter::default() }).await?;
        store.close().await;
        Ok(runs.into_iter().map(|run| (run.id, run.question)).collect())
    }

    pub async fn run(&self, run: &str) -> AppResult<RunSummary> {
        Ok(self.store.run(run).await?)
    }

    pub async fn runs(&self, filter: &RunFilter) -> AppResult<Vec<ListedRun>> {
        let mut listed = Vec::new();
        for run in self.store.runs(filter).await? {
            // A run that cannot be read is listed all the same.
            let unpriced = self.store.unpriced(&run).await.unwrap_or_default();
            listed.push(ListedRun { run, unpriced });
        }
        Ok(listed)
    }

    /// The same without what each costs by model.
    pub async fn summaries(&self, filter: &RunFilter) -> AppResult<Vec<RunSummary>> {
        Ok(self.store.runs(filter).await?)
    }

    pub async fn rows(&self, run: &str) -> AppResult<Vec<Row>> {
        Ok(self.store.rows(run, 0).await?)
    }

    /// A run folded, with its raw replies where they are still kept.
    pub async fn view(&self, run: &str) -> AppResult<View> {
        let (mut view, mut replied) = (View::default(), Vec::new());
        // Each row is let go as it is taken in: a run may be large.
        for row in self.rows(run).await? {
            view.push(&row);
            if row.kind == Kind::Replied {
                replied.push((row.key, row.attempt));
            }
        }
        self.attach_raws(run, &mut view, replied.iter().map(|(key, attempt)| (key.as_str(), *attempt))).await?;
        Ok(view)
    }

    async fn attach_raws(&self, run: &str, view: &mut View, replied: impl Iterator<Item = (&str, i64)>) -> Result<(), JournalError> {
        for (key, attempt) in replied {
            if let Some(raw) = self.store.raw(run, key, attempt).await? {
                view.attach_raw(key, attempt, raw);
            }
        }
        Ok(())
    }

    /// The run as one text that stands by itself.
    pub async fn export(&self, run: &str, format: ExportFormat) -> AppResult<String> {
        let rows = self.rows(run).await?;
        let mut view = View::of(&rows);
        let replied = rows.iter().filter(|row| row.kind == Kind::Replied).map(|row| (row.key.as_str(), row.attempt));
        self.attach_raws(run, &mut view, replied).await?;
        Ok(match format {
            ExportFormat::Markdown => synod_report::markdown(&view),
            ExportFormat::Html => synod_report::html(&view),
            ExportFormat::Json => synod_report::json_text(&synod_report::json(&view, &rows)) + "\n",
        })
    }

    pub async fn verify(&self, run: &str) -> AppResult<Verification> {
        Ok(self.store.verify(run).await?)
    }

    pub async fn replay(&self, run: &str) -> AppResult<ReplayResult> {
        Ok(self.reader()?.replay(run).await?)
    }

    /// Deletes a run that nobody goes on with and nothing was forked from.
    pub async fn delete_run(&self, run: &str) -> AppResult<Deletion> {
        Ok(self.store.delete_run(run, SystemClock.now()).await?)
    }

    /// What is left of a run that was deleted.
    pub async fn tombstone(&self, run: &str) -> AppResult<Option<Tombstone>> {
        Ok(self.store.tombstone(run).await?)
    }

    /// Runs that somebody should go on with: their process is gone, or a person has answered them.
    pub async fn orphans(&self) -> AppResult<Vec<String>> {
        Ok(self.store.orphans().await?)
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> AppResult<()> {
        Ok(self.store.ping().await?)
    }

    pub async fn runs_by_state(&self) -> AppResult<Vec<(RunState, i64)>> {
        Ok(self.store.runs_by_state().await?)
    }

    /// What was used, by day and model; of one principal or of everybody.
    pub async fn usage(&self, principal: Option<&str>, since: Millis, until: Millis) -> AppResult<Vec<DayUsage>> {
        Ok(self.store.usage(principal, since, until).await?)
    }

    /// What earlier decisions taught, newest first.
    pub async fn experiences(&self, limit: u32) -> AppResult<Vec<ExperienceRow>> {
        Ok(self.store.experiences(limit).await?)
    }

    pub async fn experience(&self, run: &str) -> AppResult<Option<ExperienceRow>> {
        Ok(self.store.experience(run).await?)
    }

    /// Hands a person's answer to a run. The first stands.
    pub async fn answer(&self, runner: &Runner, run: &str, question: &WaitingFor, answer: PersonAnswer) -> AppResult<()> {
        match runner.answer(run, &question.key, answer).await {
            Err(RunError::Journal(JournalError::Duplicate(_))) => {
                let got = format!("{} has been answered already; the first answer stands", question.key);
                Err(Problem::new("answer", got, "nothing more to do").code(ProblemCode::Conflict).into())
            }
            answered => Ok(answered?),
        }
    }

    /// Goes on with a run. Where its owner is gone but its lock cannot be seen, waits for the lease and says how long that takes.
    pub async fn resume(&self, runner: &Runner, run: &str, changes: LimitChanges, waiting: impl Fn(Duration)) -> AppResult<ResumeOutcome> {
        loop {
            match runner.resume(run, changes).await {
                Err(RunError::Journal(JournalError::Held { wait_ms: Some(wait), .. })) => {
                    let wait = Duration::from_millis(wait.clamp(50, 60_000) as u64);
                    waiting(wait);
                    tokio::time::sleep(wait).await;
                }
                resumed => return resumed.map_err(AppError::from),
            }
        }
    }
}
