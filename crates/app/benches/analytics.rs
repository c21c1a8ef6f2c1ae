//! How long numbers over 100,000 runs take to answer: a year of runs, some hundreds of them made through the engine and copied to other days.
//!
//!     cargo bench -p synod-app --bench analytics
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "it prints what it measured")]

use sqlx::{AssertSqlSafe, ConnectOptions, Executor};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;
use synod_app::{AnalyticsRequest, App, FileAccess, Range, Sources};
use synod_engine::Clock;
use synod_modes::MODES;
use synod_store::{Store, StoreSettings};
use synod_testkit::rig::{Rig, order};
use synod_testkit::voices::Voices;
use synod_types::Millis;

const DAY: Millis = 86_400_000;
const FIRST: Millis = 20_148 * DAY;
/// Through the engine, and each copied so often.
const MADE: u64 = 500;
const COPIES: u64 = 200;

/// Every look at it takes as long as a model might.
struct SlowModels(AtomicI64, AtomicU64);

impl Clock for SlowModels {
    fn now(&self) -> Millis {
        let n = self.1.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        self.0.fetch_add(100 + (n % 20_000) as i64, Ordering::SeqCst)
    }
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("synod.db");
    let since = Instant::now();
    let store = Arc::new(Store::open(&database.display().to_string(), StoreSettings::default()).await.expect("a database"));
    for n in 0..MADE {
        let mode = MODES[n as usize % MODES.len()];
        let clock = Arc::new(SlowModels(AtomicI64::new(FIRST + n as i64 * 1000), AtomicU64::new(n * 7919)));
        let mut spec = order(mode, n);
        spec.deadline_secs = Some(500_000.0);
        spec.panel.models.iter_mut().enumerate().for_each(|(at, model)| *model = format!("provider/model-{}", (at + n as usize) % 6));
        Rig::new(Arc::new(Voices::default())).journal(store.clone()).clock(clock).run(&spec).await;
    }
    store.close().await;
    println!("{MADE} runs through the engine: {:.1} s", since.elapsed().as_secs_f64());

    let options: sqlx::sqlite::SqliteConnectOptions = format!("sqlite://{}", database.display()).parse().expect("a path");
    let mut conn = options.connect().await.expect("the database");
    let copy = format!(
        "WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < {COPIES})
         INSERT INTO run_stats SELECT run || '-' || n, principal, mode, rehearsal, {first} + (n * 7 + rowid) % 365, at + n * {DAY}, body, 0 FROM run_stats, copies;
         DELETE FROM run_stats WHERE run NOT LIKE '%-%-%-%-%-%';
         DELETE FROM stats_news;
         INSERT INTO stats_news SELECT run, run, 'added', day, mode, rehearsal FROM run_stats;",
        first = FIRST / DAY,
    );
    conn.execute(AssertSqlSafe(copy)).await.expect("copied");
    drop(conn);

    let mut sources = Sources::of_process(None).expect("sources");
    sources.env.insert("HOME".into(), folder.path().display().to_string());
    sources.env.insert("XDG_CONFIG_HOME".into(), folder.path().display().to_string());
    let app = App::open(sources, Some(database.display().to_string()), FileAccess::None).await.expect("an app");
    let now = FIRST + 364 * DAY;
    let answer = async |range: Range| {
        let since = Instant::now();
        let request = AnalyticsRequest { range, rehearsals: true, ..AnalyticsRequest::default() };
        let numbers = app.analytics(&request, now).await.expect("numbers");
        let text = serde_json::to_string(&numbers).expect("JSON");
        (since.elapsed().as_secs_f64() * 1000.0, numbers.runs, text.len())
    };
    let (ms, runs, bytes) = answer(Range::All).await;
    println!("{runs} runs, put together into days for the first time: {ms:.0} ms, {bytes} bytes of JSON");
    for range in Range::ALL {
        let mut times = Vec::new();
        let mut counted = 0;
        for _ in 0..15 {
            let (ms, runs, _) = answer(range).await;
            times.push(ms);
            counted = runs;
        }
        times.sort_by(f64::total_cmp);
        println!("{:>4}: {counted:>6} runs answered in {:.0} ms (median of 15; slowest {:.0} ms)", range.as_str(), times[7], times[14]);
    }
    app.close().await;
}
