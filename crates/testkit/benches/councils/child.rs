//! One measured process: makes councils, then says what it took.

use crate::{Outcome, bare, product};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};
use std::process::Command;
use std::time::Instant;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    pub runs: u32,
    pub in_flight: u32,
    pub stream: bool,
    pub url: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub runs: u32,
    pub cpu_ms: f64,
    pub wall_ms: f64,
    pub peak_mib: f64,
    pub over_critical_path_ms: f64,
}

impl Measured {
    pub fn cpu_ms_a_run(&self) -> f64 {
        self.cpu_ms / f64::from(self.runs)
    }
    pub fn runs_a_second(&self) -> f64 {
        f64::from(self.runs) / self.wall_ms * 1000.0
    }
}

pub fn measure(who: &str, task: &Task, url: &str) -> Outcome<Measured> {
    let task = Task { url: url.to_owned(), ..task.clone() };
    let out = Command::new(std::env::current_exe()?).args(["child", who, &serde_json::to_string(&task)?]).output()?;
    if !out.status.success() {
        return Err(format!("{who}: {}", String::from_utf8_lossy(&out.stderr)).into());
    }
    Ok(serde_json::from_slice(&out.stdout)?)
}

pub fn run(args: &[String]) -> Outcome {
    let [who, task] = args else { return Err("child takes a name and a task".into()) };
    let task: Task = serde_json::from_str(task)?;
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let warm_up = Task { runs: task.in_flight.min(20), in_flight: task.in_flight.min(20), ..task.clone() };
    let measured = runtime.block_on(async {
        let councils = Councils::new(who, &task).await?;
        councils.make(&warm_up).await?;
        let (cpu, clock) = (cpu_ms()?, Instant::now());
        let over_critical_path_ms = councils.make(&task).await?;
        let (cpu_ms, wall_ms) = (cpu_ms()? - cpu, clock.elapsed().as_secs_f64() * 1000.0);
        Outcome::Ok(Measured { runs: task.runs, cpu_ms, wall_ms, peak_mib: peak_mib()?, over_critical_path_ms })
    })?;
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

enum Councils {
    Synod(product::Product),
    Bare(bare::Bare),
}

impl Councils {
    async fn new(who: &str, task: &Task) -> Outcome<Self> {
        match who {
            "synod" => Ok(Self::Synod(product::Product::new(task).await?)),
            "bare" => Ok(Self::Bare(bare::Bare::new(task)?)),
            other => Err(format!("nobody is called {other}").into()),
        }
    }
    async fn make(&self, task: &Task) -> Outcome<f64> {
        match self {
            Self::Synod(product) => product.make(task).await,
            Self::Bare(bare) => bare.make(task).await.map(|()| 0.0),
        }
    }
}

/// User and system time of this process so far.
fn cpu_ms() -> Outcome<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').ok_or("unreadable /proc/self/stat")?.1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks * 1000.0 / rustix::param::clock_ticks_per_second() as f64)
}

fn peak_mib() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no figure in VmHWM")?.parse()?;
    Ok(kib / 1024.0)
}
