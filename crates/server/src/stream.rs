//! A run's events as a stream: every row once and in order, the words in between, and a sign of life while nothing happens.

use crate::errors::Code;
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures::stream::{self, Stream};
use std::convert::Infallible;
use std::time::Duration;
use synod_engine::WatchEnd;
use synod_types::Event;
use tokio::sync::OwnedSemaphorePermit;

/// Proxies and browsers give up on a stream that is silent for long.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Events after row `after`, to the end that was asked for.
pub fn events(server: &Shared, run: &str, mode: String, after: i64, end: WatchEnd) -> Answer<Response> {
    let Ok(place) = server.streams.clone().try_acquire_owned() else {
        let most = server.settings.max_streams;
        let fault = Fault::new(Code::TooManyStreams, format!("{most} streams are open, which is all there may be"));
        return Err(Fault { retry_after: Some(Duration::from_secs(5)), ..fault });
    };
    let watching = server.app.reader()?.watch_until(run, after, end);
    let body = Body::from_stream(frames(watching, mode, server.ended.subscribe(), place));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Says to nginx that nothing may be held back.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

type Watching = tokio::sync::mpsc::Receiver<Result<(Event, Option<synod_types::Row>), synod_engine::JournalError>>;

fn frames(
    watching: Watching,
    mode: String,
    ended: tokio::sync::watch::Receiver<bool>,
    place: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    // The first byte goes out at once, so that whoever waits knows that somebody is there.
    let hello = stream::once(async { Ok(Bytes::from_static(b"retry: 1000\n: here\n\n")) });
    let state = (watching, mode, ended, place);
    let rest = stream::unfold(state, |(mut watching, mode, mut ended, place)| async move {
        let frame = tokio::select! {
            event = watching.recv() => match event? {
                Ok((event, _)) => frame(event.in_mode(&mode)),
                Err(error) => {
                    // The client comes back with the last number it has seen.
                    tracing::warn!(%error, "a stream ends because the journal does not answer");
                    return None;
                }
            },
            () = tokio::time::sleep(SIGN_OF_LIFE) => Bytes::from_static(b": still here\n\n"),
            _ = ended.wait_for(|ended| *ended) => return None,
        };
        Some((Ok(frame), (watching, mode, ended, place)))
    });
    futures::StreamExt::chain(hello, rest)
}

/// One event on the wire. JSON has no line breaks of its own, so one `data` line is enough.
fn frame(event: Event) -> Bytes {
    let data = serde_json::to_string(&event).unwrap_or_default();
    let id = event.seq.map(|seq| format!("id: {seq}\n")).unwrap_or_default();
    Bytes::from(format!("{id}event: {}\ndata: {data}\n\n", event.kind))
}
