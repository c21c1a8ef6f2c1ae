//! A thousand claims and fifty agents over HTTP, on SQLite, with the server killed twice on the way.
//!
//!     cargo bench -p synod --bench claims [CLAIMS AGENTS]
//!
//! Agents are as plain as they can be: one connection each, fetch, take, submit. Whatever an agent is told was done is compared with what the
//! database holds in the end: nothing lost, nothing doubled.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "it prints what it measured")]

use serde_json::{Value, json};
use sqlx::{Connection, Row};
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Slots of prism-v1.
const SLOTS: usize = 34;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if args.first().is_some_and(|arg| arg == "--test") {
        // `cargo test` builds and runs benches too; what must hold is tested elsewhere.
        return Ok(());
    }
    let number = |n: usize, usual: usize| args.get(n).map_or(Ok(usual), |given| given.parse());
    let (claims, agents) = (number(0, 1000)?, number(1, 50)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure(claims, agents))
}

async fn measure(claims: usize, agents: usize) -> Outcome {
    println!("{claims} claims of {SLOTS} slots, {agents} agents, one server on SQLite, killed twice");
    let home = tempfile::tempdir()?;
    let admin = synod(home.path(), &["key", "new", "admin", "--scopes", "admin"])?;
    let mut keys = Vec::new();
    for n in 0..agents {
        keys.push(synod(home.path(), &["key", "new", &format!("agent-{n}"), "--scopes", "work,read"])?);
    }
    let mut server = Server::start(home.path())?;
    let began = Instant::now();
    let mut socket = Line::open(server.addr, &admin).await?;
    for n in 0..claims {
        let claim = json!({"title": format!("Claim number {n}"), "body": "Something that can be true or false.", "protocol": "prism-v1"});
        let (status, answer) = socket.send("POST", "/api/v1/claims", Some(&claim)).await?;
        if status != 201 {
            return Err(format!("a claim is refused: {status} {answer}").into());
        }
    }
    println!("{:<44} {:>10.0}", "claims submitted a second", claims as f64 / began.elapsed().as_secs_f64());

    let shared =
        Arc::new(Shared { addr: Mutex::new(server.addr), done: AtomicUsize::new(0), lost: AtomicUsize::new(0), over: AtomicBool::new(false) });
    let began = Instant::now();
    let working: Vec<_> = keys.iter().cloned().map(|key| tokio::spawn(work(key, shared.clone()))).collect();
    for share in [1, 2] {
        while shared.done.load(Ordering::Relaxed) < claims * SLOTS * share / 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        server.kill()?;
        server = Server::start(home.path())?;
        *shared.addr.lock().map_err(|_| "a panic")? = server.addr;
    }
    let mut told = 0;
    for worker in working {
        told += worker.await??;
    }
    let secs = began.elapsed().as_secs_f64();
    server.kill()?;
    let counted = |sql: &'static str| count(home.path(), sql);
    let complete = counted("SELECT COUNT(*) FROM claim_pipelines WHERE status = 'complete'").await?;
    let done = counted("SELECT COUNT(*) FROM claim_slots WHERE status = 'done' AND output IS NOT NULL").await?;
    let rows = counted("SELECT COUNT(*) FROM claim_slots").await?;
    let records = counted("SELECT COUNT(*) FROM claim_records").await?;
    let doubled = counted("SELECT COUNT(*) FROM (SELECT 1 FROM claim_slots GROUP BY claim_id, layer, attempt, agent_id HAVING COUNT(*) > 1)").await?;
    let whole = claims * SLOTS;
    println!("{:<44} {:>10.0}", "slots a second, both kills included", whole as f64 / secs);
    println!("{:<44} {:>10.1}", "seconds", secs);
    println!("{:<44} {:>10}   (of {claims})", "claims complete", complete);
    println!("{:<44} {:>10}   (of {whole})", "slots done", done);
    println!("{:<44} {:>10}", "submissions that agents know of", told);
    println!("{:<44} {:>10}", "takes that another agent won", shared.lost.load(Ordering::Relaxed));
    let right = complete == claims && done == whole && rows == whole && records == claims && doubled == 0 && told == whole;
    if right { Ok(()) } else { Err(format!("lost or doubled: {rows} slots, {records} records, {doubled} agents with two slots of a layer").into()) }
}

struct Shared {
    addr: Mutex<SocketAddr>,
    done: AtomicUsize,
    lost: AtomicUsize,
    over: AtomicBool,
}

/// One agent, until nothing is left. Returns how many submissions it knows to have been taken.
async fn work(key: String, shared: Arc<Shared>) -> Outcome<usize> {
    let mut told = 0;
    let mut idle = 0;
    while !shared.over.load(Ordering::Relaxed) {
        let addr = *shared.addr.lock().map_err(|_| "a panic")?;
        let Ok(mut line) = Line::open(addr, &key).await else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        // A take whose answer was lost with the server is given back.
        if line.send("POST", "/api/v1/slots/release-stale", None).await.is_err() {
            continue;
        }
        loop {
            match one(&mut line).await {
                Ok(Step::Done) => {
                    (told, idle) = (told + 1, 0);
                    shared.done.fetch_add(1, Ordering::Relaxed);
                }
                Ok(Step::Lost) => {
                    shared.lost.fetch_add(1, Ordering::Relaxed);
                }
                Ok(Step::Nothing) => {
                    idle += 1;
                    if idle > 40 {
                        return Ok(told);
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                // A submission whose answer was lost is looked up: it was taken, or the slot is open again.
                Err(Broken::After { slot, claim }) => {
                    loop {
                        let addr = *shared.addr.lock().map_err(|_| "a panic")?;
                        let Ok(mut line) = Line::open(addr, &key).await else {
                            tokio::time::sleep(Duration::from_millis(20)).await;
                            continue;
                        };
                        let Ok((200, view)) = line.send("GET", &format!("/api/v1/claims/{claim}/pipeline"), None).await else { continue };
                        let slots = view["slots"].as_array().into_iter().flatten();
                        if slots.into_iter().any(|known| known["_id"] == slot.as_str() && known["status"] == "done") {
                            told += 1;
                            shared.done.fetch_add(1, Ordering::Relaxed);
                        }
                        break;
                    }
                    break;
                }
                Err(Broken::Before) => break,
                Err(Broken::Wrong(why)) => {
                    shared.over.store(true, Ordering::Relaxed);
                    return Err(why.into());
                }
            }
        }
    }
    Ok(told)
}

enum Step {
    Done,
    Lost,
    Nothing,
}

enum Broken {
    Before,
    After { slot: String, claim: String },
    Wrong(String),
}

async fn one(line: &mut Line) -> Result<Step, Broken> {
    let (status, job) = line.send("GET", "/api/v1/jobs/work", None).await.map_err(|_| Broken::Before)?;
    match status {
        200 => {}
        404 => return Ok(Step::Nothing),
        _ => return Err(Broken::Wrong(format!("jobs/work: {status} {job}"))),
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (slot, claim) = (text(&job["slot"]["_id"]), text(&job["slot"]["claimId"]));
    let path = format!("/api/v1/claims/{claim}/stage-slots/{slot}");
    let (status, answer) = line.send("POST", &format!("{path}/take"), None).await.map_err(|_| Broken::Before)?;
    match status {
        200 => {}
        409 => return Ok(Step::Lost),
        _ => return Err(Broken::Wrong(format!("take: {status} {answer}"))),
    }
    let fields = match job["slot"]["layer"].as_u64() {
        Some(2) => json!({"domain": "biology"}),
        Some(7) => json!({"summary": "It holds.", "recommendation": "accept"}),
        _ => Value::Null,
    };
    let mut body = json!({"output": "Something was found, and this is it.", "confidence": 0.8});
    if !fields.is_null() {
        body["structuredOutput"] = fields;
    }
    match line.send("POST", &format!("{path}/done"), Some(&body)).await {
        Ok((200, _)) => Ok(Step::Done),
        Ok((status, answer)) => Err(Broken::Wrong(format!("done: {status} {answer}"))),
        Err(_) => Err(Broken::After { slot, claim }),
    }
}

/// One connection with one key.
struct Line {
    socket: tokio::io::BufReader<TcpStream>,
    key: String,
}

impl Line {
    async fn open(addr: SocketAddr, key: &str) -> Outcome<Self> {
        let socket = TcpStream::connect(addr).await?;
        socket.set_nodelay(true)?;
        Ok(Self { socket: tokio::io::BufReader::new(socket), key: key.to_owned() })
    }

    async fn send(&mut self, method: &str, path: &str, body: Option<&Value>) -> Outcome<(u16, Value)> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n{kind}content-length: {}\r\n\r\n",
            self.key,
            body.len()
        );
        self.socket.get_mut().write_all((head + &body).as_bytes()).await?;
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            if self.socket.read_line(&mut line).await? == 0 {
                return Err("the connection ended".into());
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest.split(' ').next().unwrap_or_default().parse()?;
            } else if let Some(given) = line.to_lowercase().strip_prefix("content-length: ") {
                length = given.parse()?;
            }
        }
        let mut bytes = vec![0; length];
        self.socket.read_exact(&mut bytes).await?;
        Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
    }
}

struct Server {
    process: Child,
    addr: SocketAddr,
}

impl Server {
    fn start(home: &Path) -> Outcome<Self> {
        let mut process = command(home, &["serve", "--addr", "127.0.0.1:0", "--require-key"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(process.stderr.take().ok_or("no words")?).lines();
        let said = lines.by_ref().map_while(Result::ok).find(|line| line.contains("\"listening\"")).ok_or("it does not listen")?;
        let addr = said.split("\"http://").nth(1).and_then(|rest| rest.split('"').next()).ok_or(said.clone())?.parse()?;
        std::thread::spawn(move || lines.map_while(Result::ok).filter(|line| !line.contains("\"INFO\"")).for_each(|line| eprintln!("{line}")));
        Ok(Self { process, addr })
    }

    fn kill(&mut self) -> Outcome {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

fn command(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_synod"));
    command.args(args).current_dir(home).env_clear().env("HOME", home).env("PATH", "").env("XDG_DATA_HOME", home.join("data"));
    command.env("XDG_CONFIG_HOME", home.join("config")).env("SYNOD_OFFLINE", "1");
    command
}

/// What a command prints.
fn synod(home: &Path, args: &[&str]) -> Outcome<String> {
    let out = command(home, args).output()?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned().into());
    }
    Ok(String::from_utf8(out.stdout)?.trim().to_owned())
}

async fn count(home: &Path, sql: &'static str) -> Outcome<usize> {
    sqlx::any::install_default_drivers();
    let path: PathBuf = home.join("data/synod/synod.db");
    let mut db = sqlx::AnyConnection::connect(&format!("sqlite:{}", path.display())).await?;
    let n: i64 = sqlx::query(sql).fetch_one(&mut db).await?.try_get(0)?;
    Ok(usize::try_from(n)?)
}
