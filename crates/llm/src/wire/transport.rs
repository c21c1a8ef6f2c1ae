//! One request out, one reply or one stream in: the same for every format. What is read is bounded, and a silence that lasts too long ends it.

use super::classify::{Call, Silence};
use super::events::Events;
use super::overrun::Allowed;
use super::request::headers;
use super::{Feed, WireReply};
use crate::endpoint::fault::Fault;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::pin::{Pin, pin};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep, timeout};
use url::Url;

/// A provider's wire format: reads a whole body, or one event of a stream.
pub(super) trait Format {
    /// Adds what is in `data` to the reply. True: nothing more will come.
    fn read(&mut self, data: &[u8], call: &Call<'_>, heard: &mut WireReply, feed: &mut Feed<'_>) -> Result<bool, Fault>;
    /// All was read: what the reply still needs.
    fn finish(&mut self, call: &Call<'_>, heard: &mut WireReply) -> Result<(), Fault>;
}

pub(super) struct Post {
    pub url: Result<Url, url::ParseError>,
    pub body: serde_json::Result<Vec<u8>>,
    pub stream: bool,
}

pub(super) async fn send(
    client: &reqwest::Client,
    post: Post,
    call: &Call<'_>,
    format: &mut (dyn Format + Send),
    feed: &mut Feed<'_>,
) -> Result<WireReply, Fault> {
    let url = post.url.map_err(|error| call.broken(&format!("its address cannot be read: {error}")))?;
    let mut request = client.post(url).header(CONTENT_TYPE, "application/json");
    for (name, value) in headers(call.endpoint.config.kind, call.key) {
        request = request.header(name, value);
    }
    let request = request.body(post.body.map_err(|error| call.broken(&format!("the request cannot be written: {error}")))?);
    // A model may think for minutes before a reply that comes all at once; only a stream is expected to show signs of life.
    let patience = post.stream.then_some(call.quiet);
    let response = match within(patience, request.send()).await {
        Some(sent) => sent.map_err(|error| call.transport(&error))?,
        None => return Err(call.silent(Silence::BeforeReply, call.quiet)),
    };
    if !response.status().is_success() {
        let (status, headers) = (response.status(), response.headers().clone());
        // The status stands, whatever becomes of its explanation.
        let body = collect_error(response, call, patience).await;
        return Err(call.status(status, &String::from_utf8_lossy(&body), &headers));
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    if kind.starts_with("text/html") {
        return Err(call.not_the_api(&kind));
    }
    // Some servers answer whole whatever they were asked.
    let heard = if post.stream && !kind.starts_with("application/json") {
        listen(response, call, format, feed).await?
    } else {
        let body = collect(response, call, patience, most_bytes(call)).await?;
        read_body(&body, &kind, call, format, feed)?
    };
    finished(heard, call, format, feed)
}

/// `None`: nothing came in that time.
async fn within<T>(patience: Option<Duration>, work: impl Future<Output = T>) -> Option<T> {
    match patience {
        Some(patience) => timeout(patience, work).await.ok(),
        None => Some(work.await),
    }
}

/// The next bytes; `None` at the end.
async fn next(response: &mut Response, call: &Call<'_>, patience: Option<Duration>) -> Result<Option<impl AsRef<[u8]> + use<>>, Fault> {
    match within(patience, response.chunk()).await {
        Some(chunk) => chunk.map_err(|error| call.transport(&error)),
        None => Err(call.silent(Silence::InReply, patience.unwrap_or(call.idle))),
    }
}

/// How many bytes are read for one reply, whatever they are: frames, thoughts, refusals, calls, errors. Beyond that a server sends without end.
fn most_bytes(call: &Call<'_>) -> usize {
    // A token that is streamed has a frame of its own.
    const FRAME: usize = 512;
    call.endpoint.config.reply_bytes.max((call.shape.tokens as usize).saturating_mul(FRAME))
}

/// Of an error nobody reads more.
const LONGEST_ERROR: usize = 1 << 20;
/// Values in one reply or event; a tree of more is no reply, and takes many times its bytes.
const MOST_VALUES: usize = 1 << 19;

fn endless(call: &Call<'_>, most: usize) -> Fault {
    call.broken(&format!("sent more than {most} bytes for one reply"))
}

/// Text as servers write it: a mark at the beginning is none of it.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A tree that would take more memory than its text should.
fn check_size(data: &[u8], call: &Call<'_>) -> Result<(), Fault> {
    let values = |data: &[u8]| data.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    if data.len() > MOST_VALUES && values(data) > MOST_VALUES { Err(call.broken("a reply of more parts than any has")) } else { Ok(()) }
}

async fn collect(mut response: Response, call: &Call<'_>, patience: Option<Duration>, most: usize) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(bytes) = next(&mut response, call, patience).await? {
        body.extend_from_slice(bytes.as_ref());
        if body.len() > most {
            return Err(endless(call, most));
        }
    }
    Ok(body)
}

/// The beginning of an error's explanation.
async fn collect_error(mut response: Response, call: &Call<'_>, patience: Option<Duration>) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = next(&mut response, call, patience).await {
        body.extend_from_slice(bytes.as_ref());
        if body.len() >= LONGEST_ERROR {
            body.truncate(LONGEST_ERROR);
            break;
        }
    }
    body
}

async fn listen(mut response: Response, call: &Call<'_>, format: &mut (dyn Format + Send), feed: &mut Feed<'_>) -> Result<WireReply, Fault> {
    let mut stream = Stream::new(call);
    let mut timer = pin!(sleep(call.quiet));
    loop {
        let patience = if stream.heard.text.is_empty() { call.quiet } else { call.idle };
        let Some(chunk) = before(timer.as_mut(), Instant::now() + patience, response.chunk()).await else {
            return Err(call.silent(Silence::InReply, patience));
        };
        let ended = match chunk.map_err(|error| call.transport(&error))? {
            Some(bytes) => stream.take(bytes.as_ref(), call, format, feed)?,
            None => {
                stream.events.end();
                stream.read(call, format, feed)?;
                true
            }
        };
        if ended {
            return stream.whole(call);
        }
    }
}

/// `None`: it did not come in time. The timer is set anew where it is late or has gone off, not for each of very many pieces.
async fn before<T>(mut timer: Pin<&mut Sleep>, until: Instant, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    if timer.deadline() > until {
        timer.as_mut().reset(until);
    }
    loop {
        tokio::select! {
            biased;
            done = &mut work => return Some(done),
            () = timer.as_mut() => {
                if Instant::now() >= until {
                    return None;
                }
                timer.as_mut().reset(until);
            }
        }
    }
}

/// A stream as it is heard, wherever its bytes come from.
pub(super) struct Stream {
    heard: WireReply,
    events: Events,
    bytes: usize,
    most: usize,
    allowed: Allowed,
    overran: bool,
}

impl Stream {
    pub fn new(call: &Call<'_>) -> Self {
        let allowed = Allowed::new(call.shape.tokens);
        Self { heard: WireReply::default(), events: Events::default(), bytes: 0, most: most_bytes(call), allowed, overran: false }
    }

    /// True: nothing more need be heard.
    pub fn take(&mut self, bytes: &[u8], call: &Call<'_>, format: &mut dyn Format, feed: &mut Feed<'_>) -> Result<bool, Fault> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > self.most {
            return Err(endless(call, self.most));
        }
        self.events.feed(bytes);
        self.read(call, format, feed)
    }

    fn read(&mut self, call: &Call<'_>, format: &mut dyn Format, feed: &mut Feed<'_>) -> Result<bool, Fault> {
        while let Some(data) = self.events.next() {
            if data == b"[DONE]" {
                return Ok(true);
            }
            check_size(data, call)?;
            // What is no UTF-8 is read as the standard says: a mark in the place of each broken character.
            let last = match std::str::from_utf8(data) {
                Ok(_) => format.read(data, call, &mut self.heard, feed)?,
                Err(_) => format.read(String::from_utf8_lossy(data).as_bytes(), call, &mut self.heard, feed)?,
            };
            self.overran = self.allowed.exceeded(&self.heard);
            if last || self.overran {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A server that said why it finished has finished, with a last event or without; one that did not has broken off.
    fn whole(self, call: &Call<'_>) -> Result<WireReply, Fault> {
        let finished = self.heard.stop.is_some() || self.overran;
        if finished { Ok(self.heard) } else { Err(call.broken("the stream ended before the reply did")) }
    }

    /// The reply that these bytes are, without a socket.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn of_bytes(bytes: &[u8], piece: usize, call: &Call<'_>, format: &mut dyn Format, feed: &mut Feed<'_>) -> Result<WireReply, Fault> {
        let mut stream = Self::new(call);
        for piece in bytes.chunks(piece.max(1)) {
            if stream.take(piece, call, format, feed)? {
                return stream.whole(call).and_then(|heard| finished(heard, call, format, feed));
            }
        }
        stream.events.end();
        stream.read(call, format, feed)?;
        stream.whole(call).and_then(|heard| finished(heard, call, format, feed))
    }
}

/// The reply that this body is.
pub(super) fn read_body(body: &[u8], kind: &str, call: &Call<'_>, format: &mut dyn Format, feed: &mut Feed<'_>) -> Result<WireReply, Fault> {
    let body = without_mark(body);
    let mut heard = WireReply::default();
    check_size(body, call)?;
    match format.read(body, call, &mut heard, feed) {
        Ok(_) => Ok(heard),
        // Only what could not be read is looked at twice: is it JSON at all?
        Err(fault) => match serde_json::from_slice::<serde::de::IgnoredAny>(body) {
            Ok(_) => Err(fault),
            Err(_) if !kind.contains("json") => Err(call.not_the_api(kind)),
            Err(error) => Err(call.broken(&format!("the body is cut or garbled: {error}"))),
        },
    }
}

/// All was heard: what the reply still needs, and not more than was allowed.
pub(super) fn finished(mut heard: WireReply, call: &Call<'_>, format: &mut dyn Format, feed: &mut Feed<'_>) -> Result<WireReply, Fault> {
    format.finish(call, &mut heard)?;
    let mut allowed = Allowed::new(call.shape.tokens);
    let overran = allowed.exceeded(&heard);
    heard.end(feed);
    if overran || allowed.exceeded(&heard) {
        allowed.cut(&mut heard);
    }
    Ok(heard)
}
