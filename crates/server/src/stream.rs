//! A run's events as a stream: every row once and in order, the words in between, and a sign of life while nothing happens.

use crate::caller::Caller;
use crate::errors::Code;
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures::stream::{self, Stream};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use synod_engine::{News, WatchEnd, Watched};
use synod_types::Event;
use tokio::sync::OwnedSemaphorePermit;

/// Proxies and browsers give up on a stream that is silent for long.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

fn full(what: String) -> Fault {
    Fault { retry_after: Some(Duration::from_secs(5)), ..Fault::new(Code::TooManyStreams, what) }
}

/// A stream's place among all, and among those of its key. Taken before something is begun only to be streamed.
pub struct Place(OwnedSemaphorePermit, Option<KeyPlace>);

pub fn place(server: &Shared, caller: &Caller) -> Answer<Place> {
    let most = server.settings.max_streams;
    let place = server.streams.clone().try_acquire_owned();
    let place = place.map_err(|_| full(format!("{most} streams are open, which is all there may be")))?;
    // No one key may take the places of all others.
    let share = most.div_ceil(4);
    let of_key = match caller.key() {
        Some(key) => {
            Some(KeyPlace::take(server, &key.id, share).ok_or_else(|| full(format!("this key has {share} streams open, which is its share")))?)
        }
        None => None,
    };
    Ok(Place(place, of_key))
}

/// Events after row `after`, to the end that was asked for.
pub fn events(server: &Shared, place: Place, run: &str, mode: String, after: i64, end: WatchEnd) -> Answer<Response> {
    let watching = server.app.reader()?.watch_until(run, after, end);
    let body = Body::from_stream(frames(watching, mode, server.ended.subscribe(), (place.0, place.1)));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Says to nginx that nothing may be held back.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

fn frames(
    watching: tokio::sync::mpsc::Receiver<Watched>,
    mode: String,
    ended: tokio::sync::watch::Receiver<bool>,
    place: (OwnedSemaphorePermit, Option<KeyPlace>),
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    // The first byte goes out at once, so that whoever waits knows that somebody is there.
    let hello = stream::once(async { Ok(Bytes::from_static(b"retry: 1000\n: here\n\n")) });
    let state = (watching, mode, ended, place);
    let rest = stream::unfold(state, |(mut watching, mode, mut ended, mut place)| async move {
        let frame = tokio::select! {
            event = watching.recv() => match event? {
                Ok(news) => {
                    // Whatever else is there goes out with it: a write each would cost more than all else about a stream.
                    let mut text = frame(&news, &mode);
                    while let Ok(more) = watching.try_recv() {
                        match more {
                            Ok(more) => text.push_str(&frame(&more, &mode)),
                            // The last of it: nothing follows.
                            Err(error) => tracing::warn!(%error, "a stream ends because the journal does not answer"),
                        }
                    }
                    Bytes::from(text)
                }
                Err(error) => {
                    // The client comes back with the last number it has seen.
                    tracing::warn!(%error, "a stream ends because the journal does not answer");
                    return None;
                }
            },
            () = tokio::time::sleep(SIGN_OF_LIFE) => Bytes::from_static(b": still here\n\n"),
            _ = ended.wait_for(|ended| *ended) => return None,
            () = revoked(&mut place.1) => return None,
        };
        Some((Ok(frame), (watching, mode, ended, place)))
    });
    futures::StreamExt::chain(hello, rest)
}

/// A key's place among its streams; given back when the stream ends.
struct KeyPlace {
    server: Shared,
    key: String,
    revoked: tokio::sync::watch::Receiver<Arc<HashSet<String>>>,
}

impl KeyPlace {
    fn take(server: &Shared, key: &str, most: usize) -> Option<Self> {
        let mut open = server.streams_of.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(key.to_owned()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Self { server: server.clone(), key: key.to_owned(), revoked: server.revoked.subscribe() })
    }
}

impl Drop for KeyPlace {
    fn drop(&mut self) {
        let mut open = self.server.streams_of.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.key);
            }
        }
    }
}

/// Resolves when the key behind a stream opens nothing any more.
async fn revoked(place: &mut Option<KeyPlace>) {
    if let Some(KeyPlace { key, revoked, .. }) = place
        && revoked.wait_for(|revoked| revoked.contains(key)).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// One event on the wire. JSON has no line breaks of its own, so one `data` line is enough.
fn frame(news: &News, mode: &str) -> String {
    match news {
        News::Row(row) => match Event::text(row, mode) {
            Some((kind, data)) => format!("id: {}\nevent: {kind}\ndata: {data}\n\n", row.seq),
            None => String::new(),
        },
        News::Words(words) => format!("event: {}\ndata: {}\n\n", words.kind, serde_json::to_string(words).unwrap_or_default()),
    }
}
