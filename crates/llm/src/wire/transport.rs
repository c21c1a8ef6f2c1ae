//! One request out, one reply or one stream in: the same for every format. What is read is bounded, and a silence that lasts too long ends it.

use super::classify::{Call, Silence};
use super::events::Events;
use super::request::headers;
use super::shape::Shape;
use super::{Feed, WireReply};
use crate::endpoint::fault::Fault;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::time::Duration;
use tokio::time::timeout;

/// A provider's wire format: reads a whole body, or one event of a stream.
pub(super) trait Format {
    /// Adds what is in `data` to the reply. True: nothing more will come.
    fn read(&mut self, data: &[u8], call: &Call<'_>, heard: &mut WireReply, feed: &mut Feed<'_>) -> Result<bool, Fault>;
    /// All was read: what the reply still needs.
    fn finish(&mut self, call: &Call<'_>, heard: &mut WireReply) -> Result<(), Fault>;
}

pub(super) struct Post {
    pub url: String,
    pub body: serde_json::Result<Vec<u8>>,
    pub stream: bool,
}

pub(super) async fn send(
    client: &reqwest::Client,
    post: Post,
    shape: &Shape,
    call: &Call<'_>,
    format: &mut (dyn Format + Send),
    feed: &mut Feed<'_>,
) -> Result<WireReply, Fault> {
    let mut request = client.post(&post.url).header(CONTENT_TYPE, "application/json");
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
    let most = Most::of(shape.tokens);
    if !response.status().is_success() {
        let (status, headers) = (response.status(), response.headers().clone());
        // The status stands, whatever becomes of its explanation.
        let body = collect(response, call, patience, &most).await.unwrap_or_default();
        return Err(call.status(status, &String::from_utf8_lossy(&body), &headers));
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    if kind.starts_with("text/html") {
        return Err(call.not_the_api(&kind));
    }
    // Some servers answer whole whatever they were asked.
    let mut heard = if post.stream && !kind.starts_with("application/json") {
        listen(response, call, format, feed, &most).await?
    } else {
        let body = collect(response, call, patience, &most).await?;
        match serde_json::from_slice::<serde::de::IgnoredAny>(&body) {
            Ok(_) => {}
            Err(_) if !kind.contains("json") => return Err(call.not_the_api(&kind)),
            Err(error) => return Err(call.broken(&format!("the body is cut or garbled: {error}"))),
        }
        let mut heard = WireReply::default();
        format.read(&body, call, &mut heard, feed)?;
        heard
    };
    format.finish(call, &mut heard)?;
    heard.end(feed);
    most.check(&heard, call)?;
    Ok(heard)
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

/// How much is read for a limit. Far more than any tokeniser makes of one token: beyond it a provider ignores the limit, and memory is ours.
struct Most {
    tokens: u32,
    bytes: usize,
}

impl Most {
    fn of(tokens: u32) -> Self {
        Self { tokens, bytes: (tokens as usize).saturating_mul(32).max(1 << 20) }
    }

    /// JSON may need several bytes for one of the text.
    fn raw(&self) -> usize {
        self.bytes.saturating_mul(8)
    }

    /// And every piece of a stream comes in a frame of its own.
    fn raw_stream(&self) -> usize {
        self.raw().saturating_mul(4)
    }

    fn check(&self, heard: &WireReply, call: &Call<'_>) -> Result<(), Fault> {
        if heard.text.len() + heard.thought > self.bytes { Err(self.exceeded(call)) } else { Ok(()) }
    }

    fn exceeded(&self, call: &Call<'_>) -> Fault {
        call.broken(&format!("sent more than {} bytes for a limit of {} tokens", self.bytes, self.tokens))
    }
}

async fn collect(mut response: Response, call: &Call<'_>, patience: Option<Duration>, most: &Most) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(bytes) = next(&mut response, call, patience).await? {
        body.extend_from_slice(bytes.as_ref());
        if body.len() > most.raw() {
            return Err(most.exceeded(call));
        }
    }
    Ok(body)
}

async fn listen(
    mut response: Response,
    call: &Call<'_>,
    format: &mut (dyn Format + Send),
    feed: &mut Feed<'_>,
    most: &Most,
) -> Result<WireReply, Fault> {
    let (mut heard, mut events, mut read) = (WireReply::default(), Events::default(), 0_usize);
    loop {
        let patience = if heard.text.is_empty() { call.quiet } else { call.idle };
        let ended = match next(&mut response, call, Some(patience)).await? {
            Some(bytes) => {
                read = read.saturating_add(bytes.as_ref().len());
                events.feed(bytes.as_ref());
                false
            }
            None => {
                events.end();
                true
            }
        };
        while let Some(data) = events.next() {
            if data == b"[DONE]" {
                return if heard.begun || heard.stop.is_some() { Ok(heard) } else { Err(call.broken("the stream ended before the reply did")) };
            }
            if format.read(data, call, &mut heard, feed)? {
                return Ok(heard);
            }
            most.check(&heard, call)?;
        }
        if events.waiting() > most.raw() || read > most.raw_stream() {
            return Err(most.exceeded(call));
        }
        if ended {
            // A server that said why it finished has finished, with a last event or without.
            return if heard.stop.is_some() || !heard.extras.refusal.is_empty() {
                Ok(heard)
            } else {
                Err(call.broken("the stream ended before the reply did"))
            };
        }
    }
}
