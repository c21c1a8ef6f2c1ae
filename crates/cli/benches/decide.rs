//! `synod decide` on 8,000 cards without models, as a person would run it: how long it takes, and how much memory it holds at most.
//!
//!     cargo bench -p synod --bench decide [CARDS]
//!
//! Once with plain cards of one sentence each, once with wordy ones. Every run is a process of its own, with a home of its own. It fails if a decision
//! is wrong; figures are for reading, since machines differ.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it prints what it measured")]

use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// What 8,000 cards are to take at most.
const SECONDS: f64 = 1.0;
const MIB: f64 = 150.0;
const RUNS: usize = 5;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if args.first().is_some_and(|arg| arg == "--test") {
        // `cargo test` builds and runs benches too; what must hold is tested elsewhere.
        return Ok(());
    }
    let count = args.first().map_or(Ok(8000), |given| given.parse())?;
    println!("{count} cards without models, the median of {RUNS} processes; aimed at: {SECONDS} s and {MIB} MiB for 8000");
    for (name, wordy) in [("plain", false), ("wordy", true)] {
        let text = decision(count, wordy).to_string();
        let mut runs = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let home = tempfile::tempdir()?;
            std::fs::write(home.path().join("cards.json"), &text)?;
            runs.push(measure(home.path())?);
        }
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (seconds, mib) = (runs[RUNS / 2].0, runs.iter().map(|run| run.1).fold(0.0, f64::max));
        println!("{name:<8} {:>6.1} MB of cards {seconds:>8.3} s {mib:>8.1} MiB at most", text.len() as f64 / 1e6);
    }
    Ok(())
}

/// Cards of which the first is the best by far, and verified.
fn decision(count: usize, wordy: bool) -> Value {
    let words = |at: usize, what: &str| match wordy {
        false => format!("{what} {at}."),
        true => format!("{what} {at}, as those who run it every day have asked for since the spring. ").repeat(4),
    };
    let card = |at: usize| {
        let quality = if at == 0 { 0.95 } else { 0.3 + (at % 40) as f64 / 100.0 };
        json!({
            "id": format!("card-{at:05}"), "agent": format!("team {at}"), "claims": [words(at, "Take way")], "confidence": 0.8, "cost": at % 90, "reversibility": 0.9,
            "plan": [{"action": words(at, "Begin with step"), "rationale": words(at, "It shows early what is wrong with way")}],
            "evidence": [{"type": "test", "pointer": format!("command: check {at}"), "quality": quality, "exit_code": 0, "output": if wordy { words(at, "Checked") } else { String::new() }}],
            "risks": [{"severity": "medium", "description": words(at, "Late with part"), "mitigation": words(at, "Begin early with part"), "residual_risk": 0.5}],
        })
    };
    json!({"objective": "Which way?", "cards": (0..count).map(card).collect::<Vec<_>>(), "receipts": [{"position_id": "card-00000", "status": "PASS"}]})
}

/// Seconds and the most memory in MiB of one process that decides. What it holds is read while it runs: when it has ended nobody can tell any more.
fn measure(home: &Path) -> Outcome<(f64, f64)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_synod"));
    command.args(["decide", "cards.json", "-q"]).current_dir(home).env_clear().env("HOME", home).env("PATH", "").env("SYNOD_OFFLINE", "1");
    command.env("XDG_DATA_HOME", home.join("data")).env("XDG_CONFIG_HOME", home.join("config"));
    let answer = home.join("answer.md");
    let began = Instant::now();
    let mut process = command.stdout(std::fs::File::create(&answer)?).stderr(Stdio::inherit()).spawn()?;
    let mut kib = 0;
    let status = loop {
        kib = most_kib(process.id()).max(kib);
        if let Some(status) = process.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let seconds = began.elapsed().as_secs_f64();
    let told = std::fs::read_to_string(answer)?;
    if !status.success() || !told.starts_with("Take card-00000") {
        return Err(format!("{status}: {}", told.lines().next().unwrap_or_default()).into());
    }
    Ok((seconds, kib as f64 / 1024.0))
}

/// The most a process has held so far, in KiB; 0 where the system does not say.
fn most_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
