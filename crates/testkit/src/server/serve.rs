//! One request from socket to socket: read it, find its script, apply its fault, send the reply.

use super::ask::{Ask, Wire};
use super::counts::InFlight;
use super::fault::Fault;
use super::frames::Frames;
use super::say::{End, Say};
use super::{Shared, anthropic, gemini, openai};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use futures::{StreamExt, stream};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;

pub async fn handle(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let headers: BTreeMap<String, String> =
        parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect();
    // As with the real ones, nothing is at an address without the version of its interface.
    if !path.contains("/v1") {
        return json_response(404, &openai::error(404, &format!("no such path: {path}")), None);
    }
    if parts.method == Method::GET && path.ends_with("/models") {
        if !shared.admits(&headers) {
            return json_response(401, &openai::error(401, "Incorrect API key provided"), None);
        }
        return list(&shared, &path, &headers);
    }
    let wire = if path.ends_with("/chat/completions") {
        Wire::OpenAi
    } else if path.ends_with("/messages") {
        Wire::Anthropic
    } else if gemini::split(&path).is_some() {
        Wire::Gemini
    } else {
        return json_response(404, &openai::error(404, &format!("no such path: {path}")), None);
    };
    if !shared.admits(&headers) {
        return json_response(401, &error_body(wire, 401, "Incorrect API key provided"), None);
    }
    let (number, in_flight) = shared.counts.enter();
    let bytes = match axum::body::to_bytes(body, usize::MAX).await {
        Ok(bytes) => bytes,
        Err(error) => return json_response(400, &error_body(wire, 400, &error.to_string()), None),
    };
    let body: Value = match serde_json::from_slice(&bytes) {
        Ok(body) => body,
        Err(error) => return json_response(400, &error_body(wire, 400, &format!("the body is not JSON: {error}")), None),
    };
    let mut ask = match wire {
        Wire::OpenAi => openai::read(number, &path, headers, body),
        Wire::Anthropic => anthropic::read(number, &path, headers, body),
        Wire::Gemini => gemini::read(number, &path, headers, body),
    };
    ask.find_schema_in_prompt();
    shared.counts.of_model(&ask.model);
    let ask = Arc::new(ask);
    shared.log(&ask);

    let gone = shared.settings.only_listed && !shared.models().contains(&ask.model);
    let fault = if gone { Some(Fault::ModelGone) } else { shared.fault_for(&ask) };
    let mut say = shared.say(&ask);
    let fault = fault.or_else(|| say.fault.take());
    if !shared.settings.latency.is_zero() {
        tokio::time::sleep(shared.settings.latency).await;
    }
    answer(&shared, &ask, say, fault, in_flight).await
}

async fn answer(shared: &Shared, ask: &Ask, mut say: Say, fault: Option<Fault>, in_flight: InFlight) -> Response {
    let failed = |status: u16, message: &str| json_response(status, &error_body(ask.wire, status, message), None);
    let mut manner = Manner::Whole;
    let mut piece = shared.settings.piece;
    match fault {
        None => {}
        Some(Fault::Latency(pause)) => tokio::time::sleep(pause).await,
        Some(Fault::Drip(pause)) => manner = Manner::Drip(pause),
        Some(Fault::RateLimited { retry_after }) => {
            let body = error_body(ask.wire, 429, "Rate limit reached for requests");
            return json_response(429, &body, retry_after.as_deref());
        }
        Some(Fault::Unauthorized) => return failed(401, "Incorrect API key provided"),
        Some(Fault::ModelGone) => return failed(404, &format!("The model `{}` does not exist or you do not have access to it", ask.model)),
        Some(Fault::ContextTooLong) => return failed(400, context_message(ask.wire)),
        Some(Fault::Status(status, message)) => return failed(status, &message),
        Some(Fault::Hang) => {
            let _held = in_flight;
            return std::future::pending().await;
        }
        Some(Fault::Stall) if !ask.stream => {
            let _held = in_flight;
            return std::future::pending().await;
        }
        Some(Fault::Stall) => manner = Manner::Stall,
        Some(Fault::CutClean) => manner = Manner::CutClean,
        Some(Fault::CutDirty) => manner = Manner::CutDirty,
        Some(Fault::Empty) => say = Say::text(""),
        Some(Fault::Garbage) => say = Say::text("I looked at it closely and here is what I think: {\"reasons\": \"because\", \"choice"),
        Some(Fault::NotTheApi) => {
            let page = "<html><body>Sign in to the network to continue</body></html>";
            return respond(200, "text/html", None, Body::from(page));
        }
        Some(Fault::Refusal) => say = Say { end: End::Refusal, ..Say::text("I can't help with that.") },
        Some(Fault::Oversized(size)) => {
            say = Say::text("word ".repeat(size / 5 + 1));
            piece = 1 << 16;
        }
        Some(Fault::Truncated) => {
            let half = (say.text.len() / 2..=say.text.len()).find(|at| say.text.is_char_boundary(*at)).unwrap_or(0);
            say = Say { text: say.text[..half].to_owned(), end: End::Length, ..Say::default() };
        }
        Some(Fault::ErrorMidStream(message)) if !ask.stream => return failed(500, &message),
        Some(Fault::ErrorMidStream(message)) => manner = Manner::Error(message),
    }
    let say = say.within(ask);
    if ask.stream {
        let frames = match ask.wire {
            Wire::OpenAi => openai::frames(ask, &say, piece),
            Wire::Anthropic => anthropic::frames(ask, &say, piece),
            Wire::Gemini => gemini::frames(ask, &say, piece),
        };
        stream_out(ask.wire, frames, manner, in_flight)
    } else {
        let body = match ask.wire {
            Wire::OpenAi => openai::whole(ask, &say),
            Wire::Anthropic => anthropic::whole(ask, &say),
            Wire::Gemini => gemini::whole(ask, &say),
        };
        whole_out(&body, manner)
    }
}

/// How a proper reply goes out.
enum Manner {
    Whole,
    Drip(Duration),
    Stall,
    CutClean,
    CutDirty,
    Error(String),
}

fn whole_out(body: &Value, manner: Manner) -> Response {
    let text = body.to_string();
    let half = text[..text.len() / 2].to_owned();
    match manner {
        Manner::Whole | Manner::Drip(_) | Manner::Stall | Manner::Error(_) => respond(200, "application/json", None, Body::from(text)),
        Manner::CutClean => respond(200, "application/json", None, Body::from(half)),
        Manner::CutDirty => respond(200, "application/json", None, broken_after(vec![half])),
    }
}

fn stream_out(wire: Wire, frames: Frames, manner: Manner, in_flight: InFlight) -> Response {
    let Frames { open, content, close } = frames;
    let half = content.len().div_ceil(2);
    let body = match manner {
        // All at once: the cheapest way, and what a fast provider's frames look like after buffering.
        Manner::Whole => {
            let _done = in_flight;
            Body::from([open, content, close].concat().concat())
        }
        Manner::Drip(pause) => {
            let all: VecDeque<String> = open.into_iter().chain(content).chain(close).collect();
            Body::from_stream(stream::unfold((all, in_flight), move |(mut all, held)| async move {
                let next = all.pop_front()?;
                tokio::time::sleep(pause).await;
                Some((Ok::<_, io::Error>(Bytes::from(next)), (all, held)))
            }))
        }
        Manner::Stall => {
            let first = [open, content[..half].to_vec()].concat().concat();
            let silence = stream::once(async move {
                let _held = in_flight;
                std::future::pending::<Result<Bytes, io::Error>>().await
            });
            Body::from_stream(stream::iter([Ok(Bytes::from(first))]).chain(silence))
        }
        Manner::CutClean => Body::from([open, content[..half].to_vec()].concat().concat()),
        Manner::CutDirty => broken_after([open, content[..half].to_vec()].concat()),
        Manner::Error(message) => {
            let error = match wire {
                Wire::OpenAi => openai::error_frame(&message),
                Wire::Anthropic => anthropic::error_frame(&message),
                Wire::Gemini => gemini::error_frame(&message),
            };
            Body::from([open, content[..half].to_vec(), vec![error]].concat().concat())
        }
    };
    respond(200, "text/event-stream", None, body)
}

/// A body that ends in a dropped connection. The pause lets the first part leave before the connection goes.
fn broken_after(first: Vec<String>) -> Body {
    let failure = stream::once(async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        Err::<Bytes, _>(io::Error::other("cut on purpose"))
    });
    Body::from_stream(stream::iter([Ok(Bytes::from(first.concat()))]).chain(failure))
}

fn context_message(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        Wire::Anthropic => "prompt is too long: 200001 tokens > 200000 maximum",
        Wire::Gemini => "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
    }
}

fn error_body(wire: Wire, status: u16, message: &str) -> Value {
    match wire {
        Wire::OpenAi => openai::error(status, message),
        Wire::Anthropic => anthropic::error(status, message),
        Wire::Gemini => gemini::error(status, message),
    }
}

fn list(shared: &Shared, path: &str, headers: &BTreeMap<String, String>) -> Response {
    let ids = shared.models();
    let body = if path.contains("v1beta") {
        gemini::models(&ids)
    } else if headers.contains_key("anthropic-version") {
        anthropic::models(&ids)
    } else {
        openai::models(&ids)
    };
    json_response(200, &body, None)
}

fn json_response(status: u16, body: &Value, retry_after: Option<&str>) -> Response {
    respond(status, "application/json", retry_after, Body::from(body.to_string()))
}

fn respond(status: u16, kind: &'static str, retry_after: Option<&str>, body: Body) -> Response {
    let mut builder = Response::builder().status(status).header("content-type", kind);
    if let Some(retry_after) = retry_after {
        builder = builder.header("retry-after", retry_after);
    }
    builder.body(body).unwrap_or_else(|error| {
        let mut response = Response::new(Body::from(error.to_string()));
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}
