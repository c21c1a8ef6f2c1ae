//! OpenAI's chat completions, spoken directly: one request out, one reply or one stream in.
//!
//! Not through genai, because this is the format most servers speak and its streams are the hot path: a frame is read into the few fields that
//! matter, without a tree of JSON values. Lenient towards the many servers that almost speak it; strict about a reply that is not whole.

mod body;
mod events;
mod frame;
mod presence;

use super::classify::Call;
use super::request::{Ask, headers};
use super::{Feed, WireReply, most_bytes, too_much};
use crate::endpoint::fault::Fault;
use body::Body;
use events::Events;
use frame::Frame;
use genai::webc::StreamTimeout;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::time::Duration;
use synod_types::Request;
use tokio::time::timeout;

pub(super) async fn attempt(client: &reqwest::Client, request: &Request, ask: Ask, call: &Call<'_>, mut feed: Feed<'_>) -> Result<WireReply, Fault> {
    let config = &call.endpoint.config;
    let body = Body::of(request, config, ask, call.with_temperature);
    let mut post = client.post(format!("{}chat/completions", config.base_url)).header(CONTENT_TYPE, "application/json");
    for (name, value) in headers(config.kind, call.key) {
        post = post.header(name, value);
    }
    let post = post.body(body.bytes().map_err(|error| call.broken(&format!("the request cannot be written: {error}")))?);
    // A model may think for minutes before a reply that comes all at once; only a stream is expected to show signs of life.
    let patience = config.stream.then_some(call.idle);
    let response = match within(patience, post.send()).await {
        Some(sent) => sent.map_err(|error| call.transport(&error))?,
        None => return Err(call.silent(StreamTimeout::Headers)),
    };
    if !response.status().is_success() {
        let (status, headers) = (response.status(), response.headers().clone());
        // The status stands, whatever becomes of its explanation.
        let body = collect(response, call, patience, request.max_tokens).await.unwrap_or_default();
        return Err(call.status(status, &String::from_utf8_lossy(&body), &headers));
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    if kind.starts_with("text/html") {
        return Err(call.not_the_api(&kind));
    }
    // Some servers answer whole whatever they were asked.
    if config.stream && !kind.starts_with("application/json") {
        return listen(response, call, &mut feed, request.max_tokens).await;
    }
    let heard = whole(&collect(response, call, patience, request.max_tokens).await?, &kind, call)?;
    feed.push(&heard.text);
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
        None => Err(call.silent(StreamTimeout::Read)),
    }
}

/// JSON may need several bytes for one of the text.
fn most_raw_bytes(max_tokens: u32) -> usize {
    most_bytes(max_tokens).saturating_mul(8)
}

async fn collect(mut response: Response, call: &Call<'_>, patience: Option<Duration>, max_tokens: u32) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(bytes) = next(&mut response, call, patience).await? {
        body.extend_from_slice(bytes.as_ref());
        if body.len() > most_raw_bytes(max_tokens) {
            return Err(too_much(call, max_tokens));
        }
    }
    Ok(body)
}

fn whole(body: &[u8], kind: &str, call: &Call<'_>) -> Result<WireReply, Fault> {
    let frame: Frame<'_> = match serde_json::from_slice(body) {
        Ok(frame) => frame,
        Err(_) if !kind.contains("json") => return Err(call.not_the_api(kind)),
        Err(error) => return Err(call.broken(&format!("the body is cut or garbled: {error}"))),
    };
    if let Some(error) = &frame.error {
        let fault = call.event(error);
        return Err(if frame.has_output() { fault.after_output() } else { fault });
    }
    if frame.choice.is_none() {
        return Err(call.broken("the body is not a reply: it has no choices"));
    }
    let mut heard = WireReply::default();
    frame.add_to(&mut heard);
    Ok(heard.with_tool_inputs())
}

async fn listen(mut response: Response, call: &Call<'_>, feed: &mut Feed<'_>, max_tokens: u32) -> Result<WireReply, Fault> {
    let mut heard = WireReply::default();
    let mut events = Events::default();
    loop {
        let ended = match next(&mut response, call, Some(call.idle)).await? {
            Some(bytes) => {
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
                return Ok(heard.with_tool_inputs());
            }
            let frame: Frame<'_> =
                serde_json::from_slice(data).map_err(|error| call.broken(&format!("a piece of the stream is not JSON: {error}")))?;
            if let Some(error) = &frame.error {
                let fault = call.event(error);
                return Err(if heard.begun || frame.has_output() { fault.after_output() } else { fault });
            }
            feed.push(frame.text());
            frame.add_to(&mut heard);
            if heard.text.len() > most_bytes(max_tokens) {
                return Err(too_much(call, max_tokens));
            }
        }
        if events.waiting() > most_raw_bytes(max_tokens) {
            return Err(too_much(call, max_tokens));
        }
        if ended {
            // A server that said why it finished has finished, with `[DONE]` or without.
            return if heard.stop.is_some() { Ok(heard.with_tool_inputs()) } else { Err(call.broken("the stream ended before the reply did")) };
        }
    }
}
