//! Looks every second for runs that somebody should go on with: their process is gone without a word, or a person has answered them.

use crate::state::Shared;
use futures::StreamExt;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use synod_app::AppError;
use synod_engine::{Ending, Recovery, RunHandle};
use tokio::sync::Mutex;

const EVERY: Duration = Duration::from_secs(1);
/// A run that this server cannot go on with is tried again after so long: a key may have been set, an endpoint added.
const LEFT_ALONE: Duration = Duration::from_secs(300);
/// Runs taken up at the same time.
const AT_ONCE: usize = 16;
/// What limits no longer look back to is forgotten so often.
const TIDY: Duration = Duration::from_secs(3600);

/// Runs until the server ends.
pub async fn keep(server: Shared) {
    let left: Mutex<HashMap<String, Instant>> = Mutex::default();
    let mut tidied = Instant::now();
    while !server.stopping.load(Ordering::SeqCst) {
        match server.app.orphans().await {
            Ok(orphans) => {
                left.lock().await.retain(|run, until| *until > Instant::now() && orphans.contains(run));
                futures::stream::iter(orphans).for_each_concurrent(AT_ONCE, |run| take_up(&server, &left, run)).await;
            }
            Err(error) => tracing::warn!(?error, "cannot look for runs to go on with"),
        }
        if tidied.elapsed() > TIDY {
            tidied = Instant::now();
            if let Err(error) = server.app.tidy_access().await {
                tracing::warn!(?error, "old counts could not be forgotten");
            }
            server.app.keep_learned().await;
        }
        tokio::time::sleep(EVERY).await;
    }
}

async fn take_up(server: &Shared, left: &Mutex<HashMap<String, Instant>>, run: String) {
    if server.stopping.load(Ordering::SeqCst) || left.lock().await.contains_key(&run) {
        return;
    }
    let taken = async { server.app.runner(&run).await?.recover(&run).await.map_err(AppError::from) };
    match taken.await {
        Ok(Recovery::Running(handle)) => {
            metrics::counter!("synod_taken_up_total").increment(1);
            tracing::info!(run, "taken up");
            follow(handle);
        }
        Ok(Recovery::Ended) => {}
        Ok(Recovery::Stuck) => tracing::error!(run, "stopped: it was taken up again and again, and its process ended each time"),
        Err(error) => {
            if let AppError::Usage(problems) = &error
                && problems.0.iter().any(|problem| problem.field == "run" && problem.code == synod_types::ProblemCode::Conflict)
            {
                // Somebody else was quicker.
                return;
            }
            tracing::warn!(run, ?error, "left alone: this server cannot go on with it");
            left.lock().await.insert(run, Instant::now() + LEFT_ALONE);
        }
    }
}

/// Says in the log how a run ends. The run goes on whether or not anybody listens.
pub fn follow(mut handle: RunHandle) -> tokio::task::JoinHandle<Ending> {
    tokio::spawn(async move {
        let ending = handle.ending().await;
        match &ending {
            Ending::Verdict(verdict) => tracing::info!(run = handle.run, status = verdict.status.as_str(), "ended"),
            Ending::Stopped(stopped) => tracing::info!(run = handle.run, reason = stopped.reason.as_str(), detail = stopped.detail, "stopped"),
        }
        ending
    })
}
