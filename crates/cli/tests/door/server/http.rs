//! HTTP by hand, so that a test can send what no library would, and see every byte that comes back.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }
    /// An error with this code, in the one form that errors have.
    #[track_caller]
    pub fn fails(self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text());
        let problem = self.json();
        assert_eq!((problem["code"].as_str(), problem["status"].as_u64()), (Some(code), Some(u64::from(status))), "{problem}");
        assert!(problem["title"].is_string() && problem["detail"].is_string() && problem["type"] == format!("/errors/{code}"), "{problem}");
        problem
    }
}

/// One request to be sent as it stands.
#[derive(Clone)]
pub struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    own_host: bool,
}

impl Request {
    pub fn new(method: &str, path: &str) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), headers: Vec::new(), body: Vec::new(), own_host: true }
    }
    pub fn get(path: &str) -> Self {
        Self::new("GET", path)
    }
    pub fn post(path: &str, body: &Value) -> Self {
        Self::new("POST", path).header("content-type", "application/json").body(body.to_string())
    }
    /// `Host` is the server's own unless one is given.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.own_host &= !name.eq_ignore_ascii_case("host");
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }
    pub fn key(self, key: &str) -> Self {
        self.header("authorization", &format!("Bearer {key}"))
    }
    pub fn soon(self) -> Self {
        self.header("prefer", "respond-async")
    }

    pub fn bytes(&self, host: SocketAddr) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", self.method, self.path);
        if self.own_host {
            text.push_str(&format!("host: {host}\r\n"));
        }
        if !self.body.is_empty() || self.method == "POST" {
            text.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend(&self.body);
        bytes
    }

    pub fn send(&self, to: SocketAddr) -> Answer {
        raw(to, &self.bytes(to))
    }

    /// Sends it and leaves the answer's body to be read as it comes.
    pub fn open(&self, to: SocketAddr) -> Stream {
        let mut socket = connect(to);
        socket.write_all(&self.bytes(to)).expect("the request is sent");
        let mut reader = BufReader::new(socket);
        let (status, headers) = head(&mut reader);
        Stream { status, headers, reader, left: Vec::new(), done: false }
    }
}

fn connect(to: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(to).expect("the server listens");
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
    socket
}

/// Bytes as they are, and whatever comes back.
pub fn raw(to: SocketAddr, bytes: &[u8]) -> Answer {
    let mut socket = connect(to);
    // A server that has heard enough may close before it has heard all.
    let _ = socket.write_all(bytes);
    let mut reader = BufReader::new(socket);
    let (status, headers) = head(&mut reader);
    let mut stream = Stream { status, headers, reader, left: Vec::new(), done: false };
    let mut body = Vec::new();
    while let Some(chunk) = stream.chunk() {
        body.extend(chunk);
    }
    Answer { status: stream.status, headers: stream.headers, body }
}

fn head(reader: &mut BufReader<TcpStream>) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    reader.read_line(&mut line).expect("a status line");
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no status in {line:?}"));
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a header");
        let line = line.trim_end();
        if line.is_empty() {
            return (status, headers);
        }
        let (name, value) = line.split_once(':').expect("a header");
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
}

/// An answer whose body is still coming.
pub struct Stream {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    reader: BufReader<TcpStream>,
    left: Vec<u8>,
    done: bool,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub id: Option<i64>,
    pub kind: String,
    pub data: Value,
}

impl Stream {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The next bytes; `None` at the end.
    fn chunk(&mut self) -> Option<Vec<u8>> {
        if self.done {
            return None;
        }
        if self.header("transfer-encoding") == Some("chunked") {
            let mut line = String::new();
            if self.reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let size = usize::from_str_radix(line.trim(), 16).expect("a chunk's size");
            let mut bytes = vec![0; size + 2];
            self.reader.read_exact(&mut bytes).ok()?;
            bytes.truncate(size);
            self.done = size == 0;
            return (size > 0).then_some(bytes);
        }
        self.done = true;
        let mut bytes = Vec::new();
        match self.header("content-length").and_then(|length| length.parse().ok()) {
            Some(length) => {
                bytes.resize(length, 0);
                self.reader.read_exact(&mut bytes).expect("the whole body");
            }
            // Nothing follows a status that has no body.
            None if matches!(self.status, 204 | 304) => {}
            None => {
                let _ = self.reader.read_to_end(&mut bytes);
            }
        }
        Some(bytes)
    }

    /// The next event; comments are passed over. `None`: the stream has ended.
    pub fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.left.windows(2).position(|two| two == b"\n\n") {
                let frame: Vec<u8> = self.left.drain(..end + 2).collect();
                let frame = String::from_utf8(frame).expect("text");
                let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                if let (Some(kind), Some(data)) = (field("event"), field("data")) {
                    let id = field("id").map(|id| id.parse().expect("a number"));
                    return Some(Event { id, kind: kind.to_owned(), data: serde_json::from_str(data).expect("JSON") });
                }
                continue;
            }
            let more = self.chunk()?;
            self.left.extend(more);
        }
    }

    pub fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.event()).collect()
    }
}
