//! What a council costs, beside a bare HTTP client that makes the same eight calls: CPU, throughput, memory, and time over the critical path.
//!
//!     cargo bench -p synod-testkit
//!
//! The model server, Synod and the bare client are three processes, so that each one's CPU and memory are its own. Figures are compared as
//! ratios within one run: machines are noisy.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "it prints what it measured")]

mod bare;
mod child;
mod product;

use child::{Measured, Task};
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// The length of an answer: a paragraph or two.
const WORDS: u32 = 120;

/// As in the binary, and for both: what is compared is not the allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.first().map(String::as_str) {
        Some("child") => child::run(&args[1..]),
        // `cargo test` builds and runs benches too; there is nothing to assert here.
        Some("--test") => Ok(()),
        _ => compare(args.iter().any(|arg| arg == "--quick")),
    }
}

fn compare(quick: bool) -> Outcome {
    let scale = if quick { 4 } else { 1 };
    let fast = Server::start(0, WORDS)?;
    println!("{:<26} {:>12} {:>12} {:>8}", "", "synod", "bare client", "ratio");
    for stream in [false, true] {
        let task = Task { runs: if stream { 1000 } else { 3000 } / scale, in_flight: 100, stream, ..Task::default() };
        let (synod, bare) = middle(&task, &fast.url)?;
        let kind = if stream { "streamed" } else { "unstreamed" };
        line(&format!("CPU ms a council, {kind}"), synod.cpu_ms_a_run(), bare.cpu_ms_a_run());
        line(&format!("councils a second, {kind}"), synod.runs_a_second(), bare.runs_a_second());
    }
    let slow = Server::start(200, WORDS)?;
    let one = Task { runs: 10, in_flight: 1, ..Task::default() };
    let (synod, bare) = both(&one, &slow.url)?;
    line("one at a time, wall ms", synod.wall_ms / f64::from(one.runs), bare.wall_ms / f64::from(one.runs));
    println!("{:<26} {:>12.1} (wall over critical path, mean of {})", "  over critical path, ms", synod.over_critical_path_ms, one.runs);
    let many = Task { runs: 2000, in_flight: 2000, ..Task::default() };
    let (synod, bare) = both(&many, &slow.url)?;
    line("peak RSS MiB, 2000 at once", synod.peak_mib, bare.peak_mib);
    line("councils a second, 2000", synod.runs_a_second(), bare.runs_a_second());
    // Three answers a council are asked for at once: ten thousand calls, long enough that all of them are under way. One that is lost fails it.
    let later = Server::start(if quick { 1_000 } else { 4_000 }, WORDS)?;
    let crowd = Task { runs: 3_334 / scale, in_flight: 3_334 / scale, ..Task::default() };
    let (synod, bare) = both(&crowd, &later.url)?;
    let calls = 3 * crowd.in_flight;
    line(&format!("peak RSS MiB, {calls} calls"), synod.peak_mib, bare.peak_mib);
    line(&format!("councils a second, {calls}"), synod.runs_a_second(), bare.runs_a_second());
    Ok(())
}

fn line(name: &str, synod: f64, bare: f64) {
    println!("{name:<26} {synod:>12.2} {bare:>12.2} {:>7.2}×", synod / bare);
}

fn both(task: &Task, url: &str) -> Outcome<(Measured, Measured)> {
    Ok((child::measure("synod", task, url)?, child::measure("bare", task, url)?))
}

/// Of five pairs the one with the middle ratio: a machine may be slower by half from one second to the next.
fn middle(task: &Task, url: &str) -> Outcome<(Measured, Measured)> {
    let ratio = |(synod, bare): &(Measured, Measured)| synod.cpu_ms_a_run() / bare.cpu_ms_a_run();
    let mut pairs = (0..5).map(|_| both(task, url)).collect::<Outcome<Vec<_>>>()?;
    pairs.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    Ok(pairs.swap_remove(2))
}

/// The model server, a process of its own.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(latency_ms: u32, words: u32) -> Outcome<Self> {
        let mut process = Command::new(env!("CARGO_BIN_EXE_model-server"))
            // One word a streamed piece, as providers send about one token.
            .args(["--latency-ms", &latency_ms.to_string(), "--tokens", &words.to_string(), "--piece", "6"])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut url = String::new();
        let stdout = process.stdout.take().ok_or("the model server has no output")?;
        BufReader::new(stdout).read_line(&mut url)?;
        Ok(Self { process, url: url.trim().to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It only serves until it is ended; there is nothing to lose.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
