//! What others say to a run: cancel, conclude, a person's answer. Posted without a lease, handed to the run by the heartbeat.

use super::core::Core;
use super::runner::Inner;
use crate::{Halt, JournalError, Lease, Record, RunError, Runner};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use synod_types::*;

impl Runner {
    /// Ends a run, or asks it to conclude. A run nobody holds is marked as cancelled here and now.
    pub async fn cancel(&self, run: &str, conclude: bool, by: &str) -> Result<(), RunError> {
        let setup = self.setup();
        let kind = if conclude { InboxKind::Conclude } else { InboxKind::Cancel };
        let at = setup.clock.now();
        match setup.journal.take(run).await {
            Err(JournalError::Held { .. }) => {
                let item = InboxItem { run: run.to_owned(), key: String::new(), kind, body: String::new(), by: by.to_owned(), at };
                setup.journal.post(item).await?;
                self.inner.here.pulse.notify_waiters();
                Ok(())
            }
            Err(error) => Err(error.into()),
            Ok(lease) => {
                let written = self.mark_cancelled(run, &lease, conclude).await;
                setup.journal.release(&lease).await?;
                written
            }
        }
    }

    async fn mark_cancelled(&self, run: &str, lease: &Lease, conclude: bool) -> Result<(), RunError> {
        let setup = self.setup();
        let record = Record::of(&setup.journal.rows(run, 0).await?)?;
        if let Some(verdict) = record.verdict {
            let got = format!("{run} has ended ({})", verdict.status.as_str());
            return Err(Problem::new("run", got, "a run that has not ended yet").code(ProblemCode::Ended).into());
        }
        let at = setup.clock.now();
        let row = if conclude {
            if record.closing.is_some() {
                return Ok(());
            }
            NewRow::new("", Kind::Closing, at, &Closing { reason: "asked".into() })
        } else {
            let stopped = Stopped::new(StopReason::Cancelled, "cancelled");
            NewRow::new("", Kind::Stopped, at, &stopped).attempt(record.stops)
        };
        setup.journal.append(lease, vec![row]).await?;
        Ok(())
    }

    /// Answers a question a run put to a person. The first answer stands.
    pub async fn answer(&self, run: &str, key: &str, answer: PersonAnswer) -> Result<(), RunError> {
        let setup = self.setup();
        let record_rows = setup.journal.rows(run, 0).await?;
        // An answer that no program could take up would be lost to the fork that asks again.
        self.same_version(&Record::of(&record_rows)?)?;
        let asking = record_rows.iter().find(|row| row.kind == Kind::Waiting && row.key == key);
        let Some(asking) = asking else {
            let open: Vec<&str> = record_rows.iter().filter(|row| row.kind == Kind::Waiting).map(|row| row.key.as_str()).collect();
            return Err(Problem::new("question", key, format!("a question of this run: {}", open.join(", "))).code(ProblemCode::Unknown).into());
        };
        let asking: Asking = asking.read()?;
        if !asking.choices.is_empty() && !asking.choices.contains(&answer.answer) {
            return Err(Problem::new("answer", answer.answer, format!("one of: {}", asking.choices.join(", "))).into());
        }
        let by = answer.by.clone();
        let body = serde_json::to_string(&answer).unwrap_or_default();
        let at = setup.clock.now();
        setup.journal.post(InboxItem { run: run.to_owned(), key: key.to_owned(), kind: InboxKind::Answer, body, by, at }).await?;
        self.inner.here.pulse.notify_waiters();
        Ok(())
    }
}

/// Keeps the leases and hands out messages while any run is under way here.
pub(crate) async fn beat(inner: Arc<Inner>) {
    loop {
        // A pulse in between comes from a message posted through this Runner.
        let _ = tokio::time::timeout(inner.setup.heartbeat, inner.here.pulse.notified()).await;
        {
            let active = inner.here.active();
            if active.is_empty() {
                inner.here.beating.store(false, Ordering::SeqCst);
                return;
            }
        }
        match inner.setup.journal.heartbeat().await {
            Ok(items) => {
                for item in items {
                    inner.here.hand(item);
                }
            }
            Err(error) => tracing::warn!(%error, "the journal did not answer a heartbeat"),
        }
    }
}

pub(crate) fn deliver(core: &Core, item: InboxItem) {
    match item.kind {
        InboxKind::Answer => match serde_json::from_str(&item.body) {
            Ok(answer) => {
                core.state().answers.insert(item.key, answer);
                core.changed.notify_waiters();
            }
            Err(error) => tracing::error!(run = item.run, key = item.key, %error, "an answer in the inbox cannot be read and is left there"),
        },
        // A message from before the run was last stopped, or gone on with by somebody who knew it, has been obeyed already.
        InboxKind::Cancel | InboxKind::Conclude if item.at < core.heard_since => {}
        InboxKind::Cancel => {
            core.halt(Halt::stopped(StopReason::Cancelled, format!("cancelled by {}", item.by)));
        }
        InboxKind::Conclude => core.close("asked"),
    }
}
