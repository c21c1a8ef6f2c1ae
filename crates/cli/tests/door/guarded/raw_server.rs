//! The smallest server that shows it: reads a request, and sends whatever bytes it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct RawServer {
    pub address: SocketAddr,
    calls: Arc<AtomicUsize>,
}

impl RawServer {
    /// Answers every request by this. A list of models, which costs nothing, is not one.
    pub fn start(answer: impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let calls = Arc::new(AtomicUsize::new(0));
        let (answer, counted) = (Arc::new(answer), calls.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, counted) = (answer.clone(), counted.clone());
                std::thread::spawn(move || serve(stream, &*answer, &counted));
            }
        });
        Self { address, calls }
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// An endpoint of this kind, streamed or not, and its models `m`, with a price.
    pub fn config(&self, kind: &str, stream: bool) -> String {
        let version = if kind == "gemini" { "v1beta" } else { "v1" };
        format!(
            "[endpoints.x]\nkind = \"{kind}\"\nbase_url = \"http://{}/{version}\"\nstream = {stream}\nretries = 0\nbreaker_failures = 0\n\
             [models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = {{ input = 3.0, output = 15.0 }}\n",
            self.address
        )
    }
}

fn serve(stream: TcpStream, answer: &(dyn Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync), calls: &AtomicUsize) {
    let Ok(mut out) = stream.try_clone() else { return };
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    if head.starts_with("POST ") {
        calls.fetch_add(1, Ordering::SeqCst);
    }
    // Whoever hangs up has heard enough.
    let _ = answer(&String::from_utf8_lossy(&body), &mut out);
}

/// A whole response with this body.
pub fn body(kind: &str, text: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}", text.len()).into_bytes()
}

/// The head of a response that ends when the connection does.
pub fn open_end(status: &str, kind: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n")
}

/// Writes the same for ever, or until nobody listens any more. What goes over the wire is bounded, so that a test that fails ends.
pub fn for_ever(out: &mut TcpStream, piece: &str) -> std::io::Result<()> {
    const MOST: usize = 3 << 30;
    let block = piece.repeat((1 << 16) / piece.len().max(1) + 1);
    for _ in 0..MOST / block.len() {
        out.write_all(block.as_bytes())?;
    }
    Ok(())
}
