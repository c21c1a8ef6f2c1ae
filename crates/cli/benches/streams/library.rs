//! The same councils without a server: what they cost where nobody watches.

use crate::{Outcome, cpu_ms, raise_open_files};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use synod_engine::{Ending, PanelRequest, RunSpec, Runner};
use synod_testkit::served::runner_on_disk;
use synod_types::Question;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    pub url: String,
    pub in_flight: usize,
    pub seconds: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub councils: u64,
    pub cpu_ms: f64,
}

pub fn run(task: &str) -> Outcome {
    let task: Task = serde_json::from_str(task)?;
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let measured = runtime.block_on(measure(&task))?;
    println!("{}", serde_json::to_string(&measured)?);
    runtime.shutdown_background();
    Ok(())
}

async fn measure(task: &Task) -> Outcome<Measured> {
    let folder = tempfile::tempdir()?;
    let (runner, _) = runner_on_disk(&task.url, &folder.path().join("synod.db"), true).await?;
    let ended = Arc::new(AtomicU64::new(0));
    let until = Instant::now() + Duration::from_secs(task.seconds);
    let before = cpu_ms(std::process::id())?;
    let many: Vec<_> = (0..task.in_flight)
        .map(|n| {
            let (runner, ended) = (runner.clone(), ended.clone());
            let start = Duration::from_secs(6).mul_f64(n as f64 / task.in_flight as f64);
            tokio::spawn(async move {
                tokio::time::sleep(start).await;
                let mut seed = n as u64;
                while Instant::now() < until {
                    council(&runner, seed).await?;
                    ended.fetch_add(1, Ordering::Relaxed);
                    seed += 100_000;
                }
                Outcome::Ok(())
            })
        })
        .collect();
    for one in many {
        one.await??;
    }
    Ok(Measured { councils: ended.load(Ordering::Relaxed), cpu_ms: cpu_ms(std::process::id())? - before })
}

async fn council(runner: &Runner, seed: u64) -> Outcome {
    let order = RunSpec {
        mode: "council".into(),
        question: Question { text: "Should a small team split its service in two this year?".into(), ..Question::default() },
        panel: PanelRequest { models: ["x/a", "x/b", "x/c"].map(str::to_owned).to_vec(), chair: Some("x/d".into()), ..PanelRequest::default() },
        seed: Some(seed),
        ..RunSpec::default()
    };
    let mut handle = runner.start(runner.plan(&order).await?).await?;
    match handle.ending().await {
        Ending::Verdict(verdict) if verdict.receipt.calls.planned == 7 => Ok(()),
        other => Err(format!("not a whole council: {other:?}").into()),
    }
}
