//! Synod's own councils: Runner, modes, models and a journal on disk, as the binary wires them.

use crate::Outcome;
use crate::child::Task;
use futures::stream::{self, StreamExt, TryStreamExt};
use std::sync::Arc;
use synod_engine::{Ending, PanelRequest, RunSpec, Runner};
use synod_store::Store;
use synod_testkit::served::runner_on_disk;
use synod_types::Question;

pub struct Product {
    runner: Runner,
    store: Arc<Store>,
    _folder: tempfile::TempDir,
}

impl Product {
    pub async fn new(task: &Task) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let (runner, store) = runner_on_disk(&task.url, &folder.path().join("synod.db"), task.stream).await?;
        Ok(Self { runner, store, _folder: folder })
    }

    /// Returns the mean time a council took above its critical path, in ms.
    pub async fn make(&self, task: &Task) -> Outcome<f64> {
        let over: Vec<f64> = stream::iter(0..task.runs).map(|n| self.council(n)).buffer_unordered(task.in_flight as usize).try_collect().await?;
        Ok(over.iter().sum::<f64>() / over.len() as f64)
    }

    async fn council(&self, n: u32) -> Outcome<f64> {
        let order = RunSpec {
            mode: "council".into(),
            question: Question { text: "Should a small team split its service in two this year?".into(), ..Question::default() },
            panel: PanelRequest { models: ["x/a", "x/b", "x/c"].map(str::to_owned).to_vec(), chair: Some("x/d".into()), ..PanelRequest::default() },
            seed: Some(u64::from(n)),
            ..RunSpec::default()
        };
        let plan = self.runner.plan(&order).await?;
        let mut handle = self.runner.start(plan).await?;
        match handle.ending().await {
            Ending::Verdict(verdict) if verdict.receipt.calls.planned == 8 && verdict.receipt.calls.extra == 0 => {
                Ok((verdict.receipt.wall_ms - verdict.receipt.critical_path_ms) as f64)
            }
            other => Err(format!("not a whole council: {other:?}").into()),
        }
    }
}

impl Drop for Product {
    fn drop(&mut self) {
        // The folder goes with us; the store must not hold it open.
        let store = self.store.clone();
        tokio::spawn(async move { store.close().await });
    }
}
