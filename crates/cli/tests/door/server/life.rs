//! The server dies, or is told to stop, under many running deliberations: the next start goes on with all of them, and pays for nothing twice.

use crate::server::http::Request;
use crate::server::serving::{Serving, council};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use synod_testkit::server::{ANY, Fault};

const MANY: usize = 200;

fn finished(serving: &Serving, runs: &[String]) {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let listed = serving.get("/v1/runs?limit=200").is(200).json();
        let open = listed["runs"].as_array().expect("runs").iter().filter(|run| run["state"] != "complete").count();
        if open == 0 {
            assert_eq!(listed["runs"].as_array().map(Vec::len), Some(runs.len()));
            return;
        }
        assert!(Instant::now() < until, "{open} have not ended: {}", listed["runs"][0]);
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Every call that came back stands in the journal once; the model server saw no more than the journals say were sent.
fn nothing_paid_twice(serving: &Serving, runs: &[String]) {
    let mut sent = 0;
    let mut reasked = 0;
    for run in runs {
        let export: Value = serving.get(&format!("/v1/runs/{run}/export?format=json")).is(200).json();
        let mut replies: BTreeMap<String, u32> = BTreeMap::new();
        for row in export["rows"].as_array().expect("rows") {
            match row["kind"].as_str() {
                Some("asked") => sent += 1,
                Some("replied") => *replies.entry(row["key"].as_str().expect("a key").to_owned()).or_default() += 1,
                _ => {}
            }
        }
        assert!(replies.values().all(|count| *count == 1), "{run}: {replies:?}");
        reasked += export["verdict"]["receipt"]["calls"]["reasked"].as_u64().expect("a count");
        let checked = serving.get(&format!("/v1/runs/{run}/verify")).is(200).json();
        assert_eq!(checked["intact"], true, "{checked}");
    }
    let calls = serving.house.server.total();
    assert!(calls <= sent, "{calls} calls, and the journals know of {sent}");
    assert!(sent >= MANY as u64 * 8 && sent <= MANY as u64 * 8 + reasked, "{sent} sent, {reasked} of them again");
}

fn begin_many(serving: &Serving) -> Vec<String> {
    serving.house.server.script(ANY, Fault::latency_ms(1500));
    let addr = serving.addr;
    let many: Vec<_> = (0..8)
        .map(|_| {
            std::thread::spawn(move || -> Vec<String> {
                let begin = |_| Request::post("/v1/runs", &council()).soon().send(addr).is(202).json()["id"].as_str().expect("an id").to_owned();
                (0..MANY / 8).map(begin).collect()
            })
        })
        .collect();
    many.into_iter().flat_map(|some| some.join().expect("begun")).collect()
}

#[test]
fn killed_under_two_hundred_runs_the_next_start_ends_them_all() {
    let mut serving = Serving::new();
    let runs = begin_many(&serving);
    // In the middle of the first answers, and again in the middle of the ballots.
    for pause in [900, 1700] {
        std::thread::sleep(Duration::from_millis(pause));
        serving.kill();
        serving.again(&[]);
    }
    finished(&serving, &runs);
    nothing_paid_twice(&serving, &runs);
}

#[test]
fn told_to_stop_under_two_hundred_runs_it_lets_go_of_them_and_the_next_start_ends_them_all() {
    let mut serving = Serving::new();
    let runs = begin_many(&serving);
    std::thread::sleep(Duration::from_millis(900));
    let follower = Request::get(&format!("/v1/runs/{}/events", runs[0])).open(serving.addr);
    let took = serving.terminate();
    assert!(took < Duration::from_secs(12), "{took:?}");
    let mut follower = follower;
    let seen = follower.events();
    assert!(seen.iter().all(|event| event.kind != "stopped"), "a run that is handed over has not stopped");
    let calls = serving.house.server.total();
    serving.again(&[]);
    finished(&serving, &runs);
    nothing_paid_twice(&serving, &runs);
    // Turns under way had time to come back: nothing was asked again.
    let reasked: u64 =
        runs.iter().map(|run| serving.get(&format!("/v1/runs/{run}/verdict")).json()["receipt"]["calls"]["reasked"].as_u64().expect("a count")).sum();
    assert_eq!(reasked, 0);
    assert!(calls >= MANY as u64, "{calls}");
    // The stream goes on where it was.
    let last = seen.iter().filter_map(|event| event.id).max().expect("a number");
    let rest = serving.events(&runs[0], last);
    let whole: Vec<i64> = serving.events(&runs[0], 0).iter().filter_map(|event| event.id).collect();
    let both: Vec<i64> = seen.iter().chain(&rest).filter_map(|event| event.id).collect();
    assert_eq!(both, whole);
    assert_eq!(rest.last().map(|event| event.kind.as_str()), Some("complete"));
}

#[test]
fn a_run_whose_endpoint_is_not_there_is_left_and_that_is_said_once() {
    let mut serving = Serving::new();
    serving.house.server.script(ANY, Fault::Hang);
    let left = serving.begin(&council());
    std::thread::sleep(Duration::from_millis(200));
    serving.kill();
    serving.house.write("config/synod/synod.toml", "");
    serving.again(&[]);
    std::thread::sleep(Duration::from_millis(2500));
    let now = serving.get(&format!("/v1/runs/{left}")).is(200).json();
    assert_eq!(now["state"], "interrupted", "{now}");
    let log = std::fs::read_to_string(serving.house.path("server.log")).expect("a log");
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("left alone") && line.contains(&left)).collect();
    assert_eq!(lines.len(), 1, "said once: {lines:?}");
}

/// On a real PostgreSQL, where one is named: each takes up what the other left, and either can be asked for any run.
#[test]
fn two_servers_on_one_database_take_up_what_the_other_left() {
    let Some(database) = Database::of_its_own() else { return };
    let mut one = Serving::with("", &["--db", &database.url]);
    let endpoint = format!("[endpoints.x]\nkind = \"openai\"\nbase_url = \"{}\"\nconcurrency = 1000\n", one.house.server.url());
    let house = crate::house::House::bare();
    house.write("config/synod/synod.toml", &endpoint);
    let two = Serving::start(house, &["--db", &database.url]);
    one.house.server.script(ANY, Fault::latency_ms(800));
    let runs: Vec<String> = (0..20).map(|n| if n % 2 == 0 { one.begin(&council()) } else { two.begin(&council()) }).collect();
    // A run of one is watched at two, through the end of one.
    let (addr, path) = (two.addr, format!("/v1/runs/{}/events", runs[0]));
    let watcher = std::thread::spawn(move || Request::get(&path).open(addr).events());
    std::thread::sleep(Duration::from_millis(300));
    one.kill();
    for run in &runs {
        let ended = two.until(run, &["complete"]);
        assert_eq!(ended["status"], "full");
        assert_eq!(two.get(&format!("/v1/runs/{run}/verify")).is(200).json()["intact"], true);
    }
    let seen: Vec<i64> = watcher.join().expect("it ends").iter().filter_map(|event| event.id).collect();
    let whole: Vec<i64> = two.events(&runs[0], 0).iter().filter_map(|event| event.id).collect();
    assert_eq!(seen, whole, "every event once, from either process");
}

/// A schema that goes when the test ends.
struct Database {
    url: String,
    server: String,
    schema: String,
}

impl Database {
    fn of_its_own() -> Option<Self> {
        let server = std::env::var("SYNOD_TEST_POSTGRES").ok()?;
        let schema = format!("synod_serve_{}", std::process::id());
        sql(&server, &format!("CREATE SCHEMA {schema}"));
        let joint = if server.contains('?') { '&' } else { '?' };
        Some(Self { url: format!("{server}{joint}options[search_path]={schema}"), server, schema })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        sql(&self.server, &format!("DROP SCHEMA {} CASCADE", self.schema));
    }
}

fn sql(server: &str, text: &str) {
    use sqlx::{Connection, Executor};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        sqlx::any::install_default_drivers();
        let mut db = sqlx::AnyConnection::connect(server).await.expect("PostgreSQL answers");
        db.execute(sqlx::AssertSqlSafe(text.to_owned())).await.expect("the statement runs");
    });
}
