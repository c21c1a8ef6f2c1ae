//! Those who watch: each begins a council, reads its events to the end, and begins another. Written on bare sockets, so that the clients
//! cost the machine as little as they can.

use crate::{Outcome, memory, raise_open_files};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// First starts are spread over so long.
const SPREAD: Duration = Duration::from_secs(6);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    pub addr: SocketAddr,
    pub streams: usize,
    pub seconds: u64,
    pub idle: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Seen {
    pub councils: usize,
    pub events: usize,
    pub deltas: usize,
    pub median_ms: f64,
    pub p99_ms: f64,
    pub rss_mib: f64,
    pub reads_before: f64,
    pub reads_during: f64,
}

pub fn run(task: &str) -> Outcome {
    let task: Task = serde_json::from_str(task)?;
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let seen = runtime.block_on(async { if task.idle { idle(&task).await } else { busy(&task).await } })?;
    println!("{}", serde_json::to_string(&seen)?);
    runtime.shutdown_background();
    Ok(())
}

async fn busy(task: &Task) -> Outcome<Seen> {
    let began = Instant::now();
    let until = began + Duration::from_secs(task.seconds);
    let watchers: Vec<_> = (0..task.streams)
        .map(|n| {
            let addr = task.addr;
            let start = SPREAD.mul_f64(n as f64 / task.streams as f64);
            tokio::spawn(async move {
                tokio::time::sleep(start).await;
                let mut mine = Watched::default();
                let mut seed = n;
                // One connection for everything, as a browser keeps one.
                let mut socket = TcpStream::connect(addr).await?;
                while Instant::now() < until {
                    let run = begin(&mut socket, seed).await?;
                    mine.watch(&mut socket, &run).await?;
                    seed += 100_000;
                }
                Outcome::Ok(mine)
            })
        })
        .collect();
    let mut all = Watched::default();
    for watcher in watchers {
        let one = watcher.await??;
        all.councils += one.councils;
        all.events += one.events;
        all.deltas += one.deltas;
        all.late.extend(one.late);
    }
    all.late.sort_unstable();
    let at = |share: f64| all.late.get(((all.late.len() as f64 - 1.0) * share) as usize).map_or(0.0, |ms| f64::from(*ms));
    Ok(Seen { councils: all.councils, events: all.events, deltas: all.deltas, median_ms: at(0.5), p99_ms: at(0.99), ..Seen::default() })
}

/// Many who watch runs in which nothing happens, and what that costs.
async fn idle(task: &Task) -> Outcome<Seen> {
    let mut runs = Vec::new();
    for seed in 0..16 {
        runs.push(begin(&mut TcpStream::connect(task.addr).await?, seed).await?);
    }
    let pause = Duration::from_secs(task.seconds / 2);
    let reads = |text: &str| -> f64 {
        text.lines().find_map(|line| line.strip_prefix("synod_database_reads_total ")).and_then(|count| count.parse().ok()).unwrap_or(-1.0)
    };
    tokio::time::sleep(Duration::from_secs(2)).await;
    let first = reads(&get(task.addr, "/metrics").await?);
    tokio::time::sleep(pause).await;
    let second = reads(&get(task.addr, "/metrics").await?);
    let mut open = Vec::new();
    for n in 0..task.streams {
        let mut socket = TcpStream::connect(task.addr).await?;
        socket.write_all(format!("GET /v1/runs/{}/events HTTP/1.1\r\nhost: localhost\r\n\r\n", runs[n % runs.len()]).as_bytes()).await?;
        let mut head = [0; 1024];
        let read = socket.read(&mut head).await?;
        if !head[..read].starts_with(b"HTTP/1.1 200") {
            return Err(format!("stream {n}: {}", String::from_utf8_lossy(&head[..read])).into());
        }
        open.push(socket);
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let third = reads(&get(task.addr, "/metrics").await?);
    tokio::time::sleep(pause).await;
    let fourth = reads(&get(task.addr, "/metrics").await?);
    let rss_mib = memory(server_of(task.addr)?, "VmRSS:")?;
    let streams = get(task.addr, "/metrics").await?;
    if !streams.contains(&format!("synod_streams {}", task.streams)) {
        return Err("some streams were closed".into());
    }
    drop(open);
    let secs = pause.as_secs_f64();
    Ok(Seen { rss_mib, reads_before: (second - first) / secs, reads_during: (fourth - third) / secs, ..Seen::default() })
}

/// The process that listens there: the one of ours that is called synod.
fn server_of(_: SocketAddr) -> Outcome<u32> {
    let parent = std::os::unix::process::parent_id();
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let (name, rest) = stat.rsplit_once(')').unwrap_or_default();
        let of_parent = rest.split_whitespace().nth(1).and_then(|ppid| ppid.parse().ok()) == Some(parent);
        if of_parent && name.ends_with("(synod") {
            return Ok(pid);
        }
    }
    Err("the server is not found".into())
}

async fn get(addr: SocketAddr, path: &str) -> Outcome<String> {
    let mut socket = TcpStream::connect(addr).await?;
    socket.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes()).await?;
    let mut text = String::new();
    socket.read_to_string(&mut text).await?;
    Ok(text)
}

/// Begins a council and does not wait for it.
async fn begin(socket: &mut TcpStream, seed: usize) -> Outcome<String> {
    let body = format!(
        r#"{{"question": "Should a small team split its service in two this year?", "models": ["x/a", "x/b", "x/c"], "chair": "x/d", "seed": {seed}}}"#
    );
    let head = format!(
        "POST /v1/runs HTTP/1.1\r\nhost: localhost\r\nprefer: respond-async\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all((head + &body).as_bytes()).await?;
    let mut text = Vec::with_capacity(8 * 1024);
    loop {
        if socket.read_buf(&mut text).await? == 0 {
            return Err(format!("no run: {}", String::from_utf8_lossy(&text)).into());
        }
        let Some(end) = find(&text, b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&text[..end]).to_ascii_lowercase();
        let length: usize = head.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next()).ok_or("no length")?.parse()?;
        if text.len() >= end + 4 + length {
            break;
        }
    }
    let text = String::from_utf8_lossy(&text);
    let id = text.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next());
    id.map(str::to_owned).ok_or_else(|| format!("no run: {text}").into())
}

#[derive(Default)]
struct Watched {
    councils: usize,
    events: usize,
    deltas: usize,
    /// Milliseconds from each row's time to when it was read here.
    late: Vec<u32>,
}

impl Watched {
    /// One run to its end. Events out of order, a gap at the beginning or an end without a verdict are errors.
    async fn watch(&mut self, socket: &mut TcpStream, run: &str) -> Outcome {
        socket.write_all(format!("GET /v1/runs/{run}/events HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).await?;
        let (mut buffer, mut last, mut done) = (Vec::with_capacity(16 * 1024), 0_i64, false);
        loop {
            let read = socket.read_buf(&mut buffer).await?;
            if read == 0 {
                break;
            }
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as i64;
            // Frames end with an empty line; what HTTP puts between chunks does not look like one.
            let mut from = 0;
            while let Some(end) = find(&buffer[from..], b"\n\n") {
                self.frame(&buffer[from..from + end], now, &mut last, &mut done)?;
                from += end + 2;
            }
            buffer.drain(..from);
            // The last chunk of the answer has no bytes.
            if done && buffer.ends_with(b"0\r\n\r\n") {
                break;
            }
        }
        if !done {
            return Err(format!("{run}: the stream ended without a verdict").into());
        }
        self.councils += 1;
        Ok(())
    }

    fn frame(&mut self, frame: &[u8], now: i64, last: &mut i64, done: &mut bool) -> Outcome {
        let Some(event) = field(frame, b"event: ") else { return Ok(()) };
        self.events += 1;
        if event == b"turn_delta" {
            self.deltas += 1;
            return Ok(());
        }
        let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<i64>().ok());
        let id = field(frame, b"id: ").and_then(number).ok_or("a row without a number")?;
        if id <= *last || *last == 0 && id != 1 {
            return Err(format!("{id} after {last}").into());
        }
        *last = id;
        *done = event == b"complete";
        if event == b"error" || event == b"stopped" {
            return Err(String::from_utf8_lossy(frame).into_owned().into());
        }
        let at = find(frame, b"\"at\":").map(|at| &frame[at + 5..]).and_then(|rest| number(rest.split(|byte| !byte.is_ascii_digit()).next()?));
        self.late.push(u32::try_from((now - at.ok_or("a row without a time")?).max(0))?);
        Ok(())
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|part| part == what)
}

fn field<'a>(frame: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    frame.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(name))
}
