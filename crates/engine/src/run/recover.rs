//! Runs from one process to the next: letting go of all that is under way here, and going on with what others left.

use super::core::Core;
use super::runner::{ResumeOutcome, RunError, RunHandle, Runner};
use crate::plan::LimitChanges;
use crate::{Lease, Record};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use synod_types::*;

/// What came of taking up a run whose process is gone.
pub enum Recovery {
    Running(RunHandle),
    /// It has stopped or ended since.
    NotWanted,
    /// It was stopped: it had been taken up too often in vain.
    Stuck,
}

/// Longer than the grace of any run that is handed over.
const HAND_OVER: Duration = Duration::from_secs(10);
/// So often is a run taken up without a new row.
const TAKEN_UP_IN_VAIN: usize = 3;

impl Runner {
    /// Goes on with a run that nobody goes on with although it could: its process is gone, or a person has answered it. One that was taken up
    /// again and again with nothing to show for it brings its process down: it is stopped instead, and says so.
    pub async fn recover(&self, run: &str) -> Result<Recovery, RunError> {
        let journal = &self.setup().journal;
        self.same_version(&Record::of(&journal.rows(run, 0).await?)?)?;
        let lease = journal.take(run).await?;
        let recovered = self.recover_held(run, &lease).await;
        if !matches!(recovered, Ok(Recovery::Running(_))) {
            journal.release(&lease).await?;
        }
        recovered
    }

    /// Judged by the rows as they are now that nobody else can add one.
    async fn recover_held(&self, run: &str, lease: &Lease) -> Result<Recovery, RunError> {
        let journal = &self.setup().journal;
        let rows = journal.rows(run, 0).await?;
        let wanted = match rows.iter().fold(RunState::Running, |state, row| state.after(row.kind, &row.body)) {
            RunState::Running => true,
            RunState::Waiting => {
                let used = |key: &str| rows.iter().any(|row| row.kind == Kind::Answered && row.key == key);
                journal.inbox(run).await?.iter().any(|item| item.kind == InboxKind::Answer && !used(&item.key))
            }
            RunState::Stopped | RunState::Interrupted | RunState::Complete | RunState::Lost => false,
        };
        if !wanted {
            return Ok(Recovery::NotWanted);
        }
        let of_nothing_new = |row: &&Row| matches!(row.kind, Kind::Resumed | Kind::Stopped);
        let in_vain = rows.iter().rev().take_while(of_nothing_new).filter(|row| row.kind == Kind::Resumed).count();
        if in_vain >= TAKEN_UP_IN_VAIN {
            let stops = Record::of(&rows)?.stops;
            let detail = format!("it was taken up {in_vain} times, and each time nothing new was written before its process ended");
            let row = NewRow::new("", Kind::Stopped, self.setup().clock.now(), &Stopped::new(StopReason::Stuck, detail)).attempt(stops);
            journal.append(lease, vec![row]).await?;
            return Ok(Recovery::Stuck);
        }
        Ok(match self.take_up(run, lease, LimitChanges::default(), None).await? {
            ResumeOutcome::Running(core) => Recovery::Running(self.launch(core)),
            ResumeOutcome::Ended(_) => Recovery::NotWanted,
        })
    }

    /// Lets go of every run of this process, so that another takes them up: no turn starts, those under way get a few seconds, and no run is
    /// marked as stopped. Returns when all have been let go.
    pub async fn hand_over(&self) {
        let cores: Vec<Arc<Core>> = {
            let active = self.active();
            self.inner.here.leaving.store(true, Ordering::SeqCst);
            active.values().cloned().collect()
        };
        for core in &cores {
            core.let_go();
        }
        // A run's own grace ends it; this waits for the last of them, and not for ever.
        let until = tokio::time::Instant::now() + HAND_OVER;
        while !self.active().is_empty() && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
