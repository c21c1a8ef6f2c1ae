//! A server of one's own for each test, as a process.

use crate::house::House;
use crate::server::http::{Answer, Event, Request};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

pub struct Serving {
    pub house: House,
    pub addr: SocketAddr,
    process: Child,
}

/// For each seat an answer, and a chair.
pub fn council() -> Value {
    json!({"question": "Is tea better than coffee?", "models": ["x/a", "x/b", "x/c"], "chair": "x/d", "seed": 7})
}

pub fn rehearsal(mode: &str) -> Value {
    json!({"mode": mode, "question": "Should a small team move its batch jobs from cron to a queue?", "rehearse": true, "seed": 7})
}

impl Serving {
    /// In an empty house.
    pub fn bare() -> Self {
        Self::start(House::bare(), &[])
    }

    /// With an endpoint `x`, at which every model answers.
    pub fn new() -> Self {
        Self::with("", &[])
    }

    /// With more configuration of the user's own, and flags.
    pub fn with(config: &str, flags: &[&str]) -> Self {
        let house = House::bare();
        let endpoint = format!("[endpoints.x]\nkind = \"openai\"\nbase_url = \"{}\"\nbackoff_ms = 1\nconcurrency = 1000\n", house.server.url());
        house.write("config/synod/synod.toml", &(endpoint + config));
        Self::start(house, flags)
    }

    /// The same where everybody needs a key.
    pub fn keyed() -> Self {
        let mut serving = Self::new();
        serving.key(&[]);
        serving.terminate();
        serving.again(&["--require-key"]);
        serving
    }

    pub fn start(house: House, flags: &[&str]) -> Self {
        let (process, addr) = launch(&house, flags);
        Self { house, addr, process }
    }

    /// The same house, another process.
    pub fn again(&mut self, flags: &[&str]) {
        (self.process, self.addr) = launch(&self.house, flags);
    }

    pub fn kill(&mut self) {
        self.process.kill().expect("it is killed");
        self.process.wait().expect("it is gone");
    }

    /// SIGTERM; how long it took to end.
    pub fn terminate(&mut self) -> Duration {
        let since = Instant::now();
        let pid = self.process.id().to_string();
        assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
        let status = self.process.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "a server that is told to stop ends well");
        since.elapsed()
    }

    pub fn get(&self, path: &str) -> Answer {
        Request::get(path).send(self.addr)
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        Request::post(path, body).send(self.addr)
    }

    pub fn send(&self, request: Request) -> Answer {
        request.send(self.addr)
    }

    /// Begins a run and leaves it to itself.
    pub fn begin(&self, body: &Value) -> String {
        let begun = Request::post("/v1/runs", body).soon().send(self.addr).is(202);
        let run = begun.json()["id"].as_str().expect("an id").to_owned();
        assert_eq!(begun.header("location"), Some(format!("/v1/runs/{run}").as_str()));
        run
    }

    /// All events after a number, to the end of the stream.
    pub fn events(&self, run: &str, after: i64) -> Vec<Event> {
        Request::get(&format!("/v1/runs/{run}/events?after={after}")).open(self.addr).events()
    }

    /// The run once it is in one of these states.
    #[track_caller]
    pub fn until(&self, run: &str, states: &[&str]) -> Value {
        let until = Instant::now() + Duration::from_secs(90);
        loop {
            let now = self.get(&format!("/v1/runs/{run}")).is(200).json();
            if states.contains(&now["state"].as_str().unwrap_or_default()) {
                return now;
            }
            assert!(Instant::now() < until, "{run} is still {}: {now}", now["state"]);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn key(&self, args: &[&str]) -> String {
        let mut all = vec!["key", "new", "ada"];
        all.extend(args);
        self.house.synod(&all).exits(0).out.trim().to_owned()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // A test that failed leaves it running.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn launch(house: &House, flags: &[&str]) -> (Child, SocketAddr) {
    let mut args = vec!["serve", "--addr", "127.0.0.1:0"];
    args.extend(flags);
    let mut process = house.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("synod serves");
    let mut lines = BufReader::new(process.stderr.take().expect("its words")).lines();
    let said = lines.by_ref().map(|line| line.expect("text")).find(|line| line.contains("\"listening\"")).expect("it listens");
    let address = said.split("\"http://").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_else(|| panic!("{said}"));
    let addr = address.parse().unwrap_or_else(|_| panic!("{said}"));
    let log = house.path("server.log");
    // Whatever it says is kept, so that its pipe never fills.
    std::thread::spawn(move || {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(log).expect("a log");
        for line in lines.map_while(Result::ok) {
            let _ = writeln!(file, "{line}");
        }
    });
    (process, addr)
}
