//! Looks every second for runs that somebody should go on with: their process is gone without a word, or a person has answered them. And every
//! few seconds for slots of claims that nobody came back to.

use crate::state::Shared;
use futures::{FutureExt, StreamExt};
use std::collections::{HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use synod_app::AppError;
use synod_engine::{Ending, Recovery, RunHandle};
use synod_types::ProblemCode;
use tokio::sync::Mutex;

const EVERY: Duration = Duration::from_secs(1);
/// A run that this server cannot go on with is tried again after so long: a key may have been set, an endpoint added.
const LEFT_ALONE: Duration = Duration::from_secs(300);
/// And after so long if only a model did not answer.
const OFFLINE: Duration = Duration::from_secs(20);
/// Runs taken up at the same time.
const AT_ONCE: usize = 16;
/// What limits no longer look back to is forgotten so often.
const TIDY: Duration = Duration::from_secs(3600);

/// Slots of claims whose leases have run out are given back so often.
const SWEEP: Duration = Duration::from_secs(15);

/// Runs until the server ends.
pub async fn keep(server: Shared) {
    let left: Mutex<HashMap<String, Instant>> = Mutex::default();
    let mut stopping = server.stopping.subscribe();
    let mut tidied = Instant::now();
    let mut swept: Option<Instant> = None;
    while !*stopping.borrow() {
        // A bug met with one run must not end the care for all others.
        if AssertUnwindSafe(look(&server, &left)).catch_unwind().await.is_err() {
            tracing::error!("looking after runs broke; it is tried again");
        }
        if swept.is_none_or(|swept| swept.elapsed() > SWEEP) {
            swept = Some(Instant::now());
            match AssertUnwindSafe(server.app.claims().sweep()).catch_unwind().await {
                Ok(Ok(0)) => {}
                Ok(Ok(freed)) => tracing::info!(freed, "slots of claims were given back"),
                Ok(Err(error)) => tracing::warn!(?error, "slots of claims could not be given back"),
                Err(_) => tracing::error!("looking after claims broke; it is tried again"),
            }
        }
        if tidied.elapsed() > TIDY {
            tidied = Instant::now();
            if let Err(error) = server.app.tidy_access().await {
                tracing::warn!(?error, "old counts could not be forgotten");
            }
            server.app.keep_learned().await;
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }
}

async fn look(server: &Shared, left: &Mutex<HashMap<String, Instant>>) {
    match server.app.orphans().await {
        Ok(orphans) => {
            left.lock().await.retain(|run, until| *until > Instant::now() && orphans.contains(run));
            futures::stream::iter(orphans).for_each_concurrent(AT_ONCE, |run| take_up(server, left, run)).await;
        }
        Err(error) => tracing::warn!(?error, "cannot look for runs to go on with"),
    }
    // Only where somebody with a key watches.
    if server.revoked.receiver_count() > 0
        && let Ok(keys) = server.app.keys().await
    {
        let revoked: HashSet<String> = keys.into_iter().filter(|key| key.revoked_at.is_some()).map(|key| key.id).collect();
        server.revoked.send_if_modified(|known| {
            let news = **known != revoked;
            *known = Arc::new(revoked);
            news
        });
    }
}

async fn take_up(server: &Shared, left: &Mutex<HashMap<String, Instant>>, run: String) {
    if *server.stopping.borrow() || left.lock().await.contains_key(&run) {
        return;
    }
    let taken = async { server.app.runner(&run).await?.recover(&run).await.map_err(AppError::from) };
    match taken.await {
        Ok(Recovery::Running(handle)) => {
            metrics::counter!("synod_taken_up_total").increment(1);
            tracing::info!(run, "taken up");
            follow(handle);
        }
        Ok(Recovery::NotWanted) => {}
        Ok(Recovery::Stuck) => tracing::error!(run, "stopped: it was taken up again and again, and its process ended each time"),
        Err(AppError::Usage(problems)) if problems.0.iter().any(|problem| problem.field == "run" && problem.code == ProblemCode::Conflict) => {
            // Somebody else was quicker.
        }
        Err(AppError::Usage(problems)) => {
            let offline = problems.0.iter().all(|problem| problem.code == ProblemCode::Unreachable);
            let why = problems.to_string();
            tracing::warn!(run, why, "left alone: this server cannot go on with it now");
            left.lock().await.insert(run, Instant::now() + if offline { OFFLINE } else { LEFT_ALONE });
        }
        // Tried again at the next look.
        Err(error) => tracing::warn!(run, ?error, "could not be taken up"),
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
