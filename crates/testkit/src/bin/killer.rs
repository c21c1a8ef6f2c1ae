//! One run in a process of its own, on the real store, the real registry and a socket, that dies by SIGKILL at a chosen row.
//!
//! Starts a run if the database has none, else resumes the one it has. Prints the verdict, or `stopped REASON`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "a tool of the tests prints what it is told to")]

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use synod_engine::{Ending, Journal, LimitChanges, Mode};
use synod_store::{RunFilter, Store, StoreSettings};
use synod_testkit::rig::{Rig, order};
use synod_testkit::served::served;
use synod_testkit::tiny::PERSON;
use synod_testkit::tripwire::{Act, Moment, Tripwire};

const USAGE: &str = "usage: killer DATABASE SERVER_URL MODE SEED [ROW before|after|acknowledged]";

struct Job {
    database: String,
    url: String,
    mode: &'static Mode,
    seed: u64,
    death: Option<(u64, Moment)>,
}

fn modes() -> &'static [&'static Mode] {
    Vec::leak(synod_modes::MODES.iter().copied().chain([&PERSON]).collect())
}

fn job(args: &[String]) -> Option<Job> {
    let [database, url, mode, seed, death @ ..] = args else { return None };
    let death = match death {
        [] => None,
        [row, moment] => Some((row.parse().ok()?, Moment::parse(moment)?)),
        _ => return None,
    };
    let mode = modes().iter().copied().find(|known| known.id == mode)?;
    Some(Job { database: database.clone(), url: url.clone(), mode, seed: seed.parse().ok()?, death })
}

async fn run(job: Job) -> Result<String, Box<dyn Error>> {
    let store = Store::open(&job.database, StoreSettings { lease_ms: 1000, ..StoreSettings::default() }).await?;
    let wire = job.death.map(|(row, moment)| Arc::new(Tripwire::new(Arc::new(store.clone()), row, moment, Act::Kill)));
    let journal: Arc<dyn Journal> = match &wire {
        None => Arc::new(store.clone()),
        Some(wire) => wire.clone(),
    };
    let order = order(job.mode, job.seed);
    let names: Vec<String> = order.panel.models.iter().chain(&order.panel.chair).chain(&order.panel.light).cloned().collect();
    let rig = Rig::new(served(&job.url, &names)).modes(modes()).journal(journal);
    let known = store.runs(&RunFilter::default()).await?;
    let ending = match known.first() {
        None => rig.run(&order).await.1,
        Some(known) => rig.resume(&known.id, LimitChanges::default()).await,
    };
    if wire.is_some_and(|wire| wire.reached()) {
        // Death comes a little after the chosen row; a run that ended before it waits for it.
        std::future::pending::<()>().await;
    }
    store.close().await;
    Ok(match ending {
        Ending::Verdict(verdict) => serde_json::to_string(&verdict)?,
        Ending::Stopped(stopped) => format!("stopped {}", stopped.reason.as_str()),
    })
}

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(job) = job(&args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(job).await {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
