//! What appending costs: CPU microseconds a row and a run, alone and with many runs at once.
//!
//! `cargo run --release -p synod-store --example append_cost [RUNS] [AT_ONCE] [LOCATION]`
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "an example prints")]

#[path = "../tests/risks/support/rows.rs"]
#[expect(dead_code, reason = "the tests use the rest of it")]
mod rows;

use futures::StreamExt;
use std::time::Instant;
use synod_engine::{Journal, MemoryJournal};
use synod_store::{Store, StoreSettings};
use synod_types::Status;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let runs: usize = arguments.next().map_or(Ok(1000), |text| text.parse())?;
    let at_once: Vec<usize> = match arguments.next() {
        Some(text) => vec![text.parse()?],
        None => vec![1, 10, 50],
    };
    let folder = tempfile::tempdir()?;
    let location = arguments.next().unwrap_or_else(|| folder.path().join("cost.db").display().to_string());
    let memory = MemoryJournal::default();
    measure("in memory (the price of making the rows)", &memory, true, runs, 50).await?;
    let store = Store::open(&location, StoreSettings::default()).await?;
    for at_once in at_once {
        measure("journal alone", &store, false, runs, at_once).await?;
        measure("journal and projections", &store, true, runs, at_once).await?;
    }
    store.close().await;
    Ok(())
}

async fn measure(what: &str, journal: &dyn Journal, ends: bool, runs: usize, at_once: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (began, cpu) = (Instant::now(), cpu_us()?);
    let counts = futures::stream::iter(0..runs).map(|_| one(journal, ends)).buffer_unordered(at_once).collect::<Vec<_>>().await;
    let rows = counts.into_iter().sum::<Result<i64, _>>()?;
    let cpu = cpu_us()? - cpu;
    println!(
        "{what}: {runs} runs, {at_once} at once, {rows} rows: {:.1} µs CPU a row, {:.0} µs CPU a run, {:.0} ms in all",
        cpu / rows as f64,
        cpu / runs as f64,
        began.elapsed().as_secs_f64() * 1e3
    );
    Ok(())
}

/// A council run of about forty rows, appended as the engine does: a turn's rows one by one, three turns at a time. Without its end nothing is projected.
async fn one(store: &dyn Journal, ends: bool) -> Result<i64, synod_engine::JournalError> {
    let header = rows::header(&rows::new_run());
    let lease = store.create(&header, 1, vec![]).await?;
    let mut tail = store.append(&lease, vec![rows::phase("collect", 2)]).await?;
    for step in ["collect", "rank", "revise"] {
        let turns = (0..3).map(async |seat| {
            let key = format!("{step}/answer@{seat}");
            store.append(&lease, vec![rows::asked(&key, 3)]).await?;
            store.append(&lease, vec![rows::replied(&key, 4)]).await?;
            let exhibit = synod_types::Exhibit::said("Answer", seat, "respondent", &key);
            store.append(&lease, vec![rows::said(&key, 5), rows::shown(&format!("{step}/shown@{seat}"), step, exhibit, 6)]).await
        });
        tail = *futures::future::try_join_all(turns).await?.iter().max_by_key(|tail| tail.seq).unwrap_or(&tail);
    }
    if ends {
        tail = store.append(&lease, vec![rows::verdict(&header.run, Status::Full, &tail.head, 9)]).await?;
    }
    store.release(&lease).await?;
    Ok(tail.seq)
}

/// User and system time of this process so far.
fn cpu_us() -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    // USER_HZ is 100 on every Linux that matters.
    Ok(ticks * 10_000.0)
}
