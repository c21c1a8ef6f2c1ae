//! The server under load: a thousand people watch running councils, and four thousand watch one that does nothing.
//!
//!     cargo bench -p synod --bench streams
//!
//! Models, server, clients and library are processes of their own, so that each one's CPU and memory are its own. What a council costs the
//! server is compared with what it costs the library in the same run.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "it prints what it measured")]

mod client;
mod library;

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use synod_testkit::server::{ANY, Fault, ModelServer, Settings};

/// As the product has it: the library is compared by what it does, not by its allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// A reply comes in so many pieces, spread over two seconds.
const PIECES: u64 = 20;
const REPLY_MS: u64 = 2000;
const STREAMS: usize = 1000;
const IDLE: usize = 4096;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["models", hang] => models(*hang == "hang"),
        ["client", task] => client::run(task),
        ["library", task] => library::run(task),
        // `cargo test` builds and runs benches too; there is nothing to assert here.
        ["--test", ..] => Ok(()),
        [seconds] => compare(seconds.parse()?),
        _ => compare(60),
    }
}

fn compare(seconds: u64) -> Outcome {
    println!("{STREAMS} streams of running councils for {seconds} s, models of {REPLY_MS} ms in {PIECES} pieces");
    let models = Process::start("models", &["models", "answer"])?;
    let folder = tempfile::tempdir()?;
    let server = serve(folder.path(), &models.said)?;
    let task = client::Task { addr: server.addr()?, streams: STREAMS, seconds, idle: false };
    let before = cpu_ms(server.process.id())?;
    let seen: client::Seen = child("client", &task)?;
    let (cpu, peak) = (cpu_ms(server.process.id())? - before, memory(server.process.id(), "VmHWM:")?);
    drop(server);
    let by_library: library::Measured = child("library", &library::Task { url: models.said.clone(), in_flight: STREAMS, seconds })?;
    drop(models);
    let (ours, theirs) = (cpu / seen.councils as f64, by_library.cpu_ms / by_library.councils as f64);
    println!("{:<44} {:>10}", "councils ended", seen.councils);
    println!("{:<44} {:>10}   (of them {} deltas)", "events read, all in order", seen.events, seen.deltas);
    println!("{:<44} {:>10.1}", "row to client, median ms", seen.median_ms);
    println!("{:<44} {:>10.1}   (under 100)", "row to client, p99 ms", seen.p99_ms);
    println!("{:<44} {:>10.1}   (under 400)", "peak RSS of the server, MiB", peak);
    println!("{:<44} {ours:>10.2}", "CPU ms a council, server");
    println!("{:<44} {theirs:>10.2}   ({} councils)", "CPU ms a council, library", by_library.councils);
    println!("{:<44} {:>9.2}×   (at most 1.5)", "ratio", ours / theirs);

    println!("\n{IDLE} streams of councils whose models say nothing");
    let models = Process::start("models", &["models", "hang"])?;
    let folder = tempfile::tempdir()?;
    let server = serve(folder.path(), &models.said)?;
    let task = client::Task { addr: server.addr()?, streams: IDLE, seconds: 20, idle: true };
    let idle: client::Seen = child("client", &task)?;
    println!("{:<44} {:>10.1}   (under 150)", "RSS of the server, MiB", idle.rss_mib);
    println!("{:<44} {:>10.2}", "database reads a second, without streams", idle.reads_before);
    println!("{:<44} {:>10.2}   (the same: a stream costs none)", "database reads a second, with them", idle.reads_during);
    Ok(())
}

/// One kind of child's work, and what it says of it.
fn child<T: serde::Serialize, R: serde::de::DeserializeOwned>(who: &str, task: &T) -> Outcome<R> {
    let out = Command::new(std::env::current_exe()?).args([who, &serde_json::to_string(task)?]).stderr(Stdio::inherit()).output()?;
    if !out.status.success() {
        return Err(format!("{who} failed").into());
    }
    Ok(serde_json::from_slice(&out.stdout)?)
}

/// A process that says one line and then serves until it is ended.
struct Process {
    process: Child,
    said: String,
}

impl Process {
    fn start(what: &str, args: &[&str]) -> Outcome<Self> {
        let mut process = Command::new(std::env::current_exe()?).args(args).stdout(Stdio::piped()).spawn()?;
        let out = process.stdout.take().ok_or("no output")?;
        let mut said = String::new();
        BufReader::new(out).read_line(&mut said)?;
        if said.trim().is_empty() {
            return Err(format!("{what} did not start").into());
        }
        Ok(Self { process, said: said.trim().to_owned() })
    }

    fn addr(&self) -> Outcome<SocketAddr> {
        Ok(self.said.parse()?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It only serves until it is ended; there is nothing to lose.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The real binary, on a database of its own.
fn serve(home: &std::path::Path, models: &str) -> Outcome<Process> {
    let config = home.join("config/synod");
    std::fs::create_dir_all(&config)?;
    let endpoint = format!("[endpoints.x]\nkind = \"openai\"\nbase_url = \"{models}\"\nconcurrency = 100000\n");
    std::fs::write(config.join("synod.toml"), endpoint)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_synod"));
    command.args(["serve", "--addr", "127.0.0.1:0"]).current_dir(home).env_clear().env("HOME", home).env("PATH", "");
    command.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_DATA_HOME", home.join("data")).env("SYNOD_OFFLINE", "1");
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(process.stderr.take().ok_or("no words")?).lines();
    let said = lines.by_ref().map_while(Result::ok).find(|line| line.contains("\"listening\"")).ok_or("it does not listen")?;
    let addr = said.split("\"http://").nth(1).and_then(|rest| rest.split('"').next()).ok_or(said.clone())?.to_owned();
    // It logs as it always does; only what is wrong is shown.
    std::thread::spawn(move || lines.map_while(Result::ok).filter(|line| !line.contains("\"INFO\"")).for_each(|line| eprintln!("{line}")));
    Ok(Process { process, said: addr })
}

/// Models that take their time, or never answer.
fn models(hang: bool) -> Outcome {
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let settings = Settings { log: false, words: PIECES as usize, piece: 8, ..Settings::default() };
        let server = ModelServer::start_with(settings).await?;
        server.script(ANY, if hang { Fault::Hang } else { Fault::Drip(Duration::from_millis(REPLY_MS / PIECES)) });
        println!("{}", server.url());
        server.wait().await;
        Ok(())
    })
}

pub fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Where that is refused the clients say which connection could not be made.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// User and system time of a process so far.
pub fn cpu_ms(pid: u32) -> Outcome<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let after_name = stat.rsplit_once(')').ok_or("unreadable stat")?.1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks * 1000.0 / rustix::param::clock_ticks_per_second() as f64)
}

/// In MiB.
pub fn memory(pid: u32, field: &str) -> Outcome<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with(field)).ok_or("no such figure")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no figure")?.parse()?;
    Ok(kib / 1024.0)
}
