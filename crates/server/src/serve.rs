//! The socket: connections, their limits, and how the server ends without losing anything.

use crate::caller::Caller;
use crate::errors::Code;
use crate::fault::Fault;
use crate::settings::ServerSettings;
use crate::state::{Server, Shared};
use crate::{claim_errors, gate, keeper, metering, openapi, routes};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use synod_app::{App, AppError, AppResult};
use synod_types::{Problem, ProblemCode};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;

/// A request's header, and silence between two requests, may take so long.
const HEADER_PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of a request's header.
const HEADER_BYTES: usize = 64 * 1024;
/// Connections beside those that carry streams.
const OTHER_CONNECTIONS: usize = 1024;
/// What was found on this machine is taken for granted so long.
const DETECTION_LASTS: Duration = Duration::from_secs(30);
/// After the runs have been let go, answers under way get so long to leave.
const LAST_BYTES: Duration = Duration::from_secs(1);

/// A server that listens and answers once it is run.
pub struct Serving {
    listener: TcpListener,
    server: Shared,
    router: Router,
}

/// Opens the socket. Refuses to listen to others than this machine while nobody has a key.
pub async fn bind(mut app: App, settings: ServerSettings) -> AppResult<Serving> {
    if !settings.open && app.keys().await?.iter().all(|key| key.revoked_at.is_some()) {
        let want = "a key first: without one nobody could call it";
        return Err(Problem::new("key", "none", want).code(ProblemCode::Missing).into());
    }
    metering::begin();
    if !settings.addr.ip().is_loopback() && settings.hosts.is_empty() {
        tracing::warn!("callers by any other name than localhost are answered with 421: set public_url or allowed_hosts in [server]");
    }
    app.live = true;
    app.detection_lasts = DETECTION_LASTS;
    let listener = TcpListener::bind(settings.addr).await;
    let listener =
        listener.map_err(|error| AppError::usage(Problem::new("addr", format!("{}: {error}", settings.addr), "an address that is free")))?;
    let server = Arc::new(Server::new(app, settings));
    let router = routes::router(server.clone());
    Ok(Serving { listener, server, router })
}

impl Serving {
    pub fn addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop` resolves; then begins nothing new, gives turns under way a few seconds, and lets go of the runs so that the next
    /// start takes them up.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, server, router } = self;
        let places = Arc::new(Semaphore::new(server.settings.max_streams + OTHER_CONNECTIONS));
        let keeper = tokio::spawn(keeper::keep(server.clone()));
        let (closing, closed) = watch::channel(false);
        {
            let accepting = accept(&listener, &server, &router, &places, &closed);
            let ending = async {
                stop.await;
                tracing::info!("ending: no new turn starts, those under way get a few seconds");
                server.stopping.send_replace(true);
                let handed = async {
                    match server.app.reader() {
                        Ok(runner) => runner.hand_over().await,
                        Err(error) => tracing::error!(?error, "runs could not be let go"),
                    }
                };
                let ((), kept) = tokio::join!(handed, keeper);
                if let Err(error) = kept {
                    tracing::error!(%error, "the keeper broke");
                }
            };
            // Until the runs are let go, callers are still told how things stand.
            tokio::select! {
                () = accepting => {}
                () = ending => {}
            }
        }
        drop(listener);
        server.ended.send_replace(true);
        closing.send_replace(true);
        let all = u32::try_from(server.settings.max_streams + OTHER_CONNECTIONS).unwrap_or(u32::MAX);
        // Whoever does not take the last bytes does not get them.
        let _ = tokio::time::timeout(LAST_BYTES, places.acquire_many(all)).await;
        server.app.close().await;
        tracing::info!("ended");
    }
}

/// Takes connections, for ever.
async fn accept(listener: &TcpListener, server: &Shared, router: &Router, places: &Arc<Semaphore>, closed: &watch::Receiver<bool>) {
    loop {
        // A place first, so that what cannot be served waits in the system's queue.
        let place = places.clone().acquire_owned().await;
        let (socket, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of files, most likely: others will be closed soon.
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (server, router, closed) = (server.clone(), router.clone(), closed.clone());
        tokio::spawn(async move {
            connection(server, router, socket, peer, closed).await;
            drop(place);
        });
    }
}

async fn connection(server: Shared, router: Router, socket: TcpStream, peer: SocketAddr, mut closed: watch::Receiver<bool>) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "small packets may wait");
    }
    let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
        let (server, router) = (server.clone(), router.clone());
        // Boxed, so that a connection that carries a stream keeps no room for answering.
        Box::pin(async move { Ok::<_, std::convert::Infallible>(answer(&server, router, peer, request.map(Body::new)).await) })
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_PATIENCE).max_buf_size(HEADER_BYTES).half_close(false);
    let connection = http.serve_connection(TokioIo::new(socket), service);
    tokio::pin!(connection);
    let mut told = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, %peer, "a connection broke");
                }
                return;
            }
            _ = closed.wait_for(|closed| *closed), if !told => {
                told = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// One request from the first check to the last header.
async fn answer(server: &Shared, router: Router, peer: SocketAddr, request: Request<Body>) -> Response {
    let (mut parts, body) = request.into_parts();
    let began = Instant::now();
    let id = uuid::Uuid::now_v7().simple().to_string();
    let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
    let cors = gate::cors(server, &parts);
    let preflight = method == Method::OPTIONS && cors.is_some();
    let (mut response, who) = match gate::enter(server, peer.ip(), &parts, preflight).await {
        Err(fault) => (fault.into_response(), Caller::Nobody.name().to_owned()),
        Ok(_) if preflight => (StatusCode::NO_CONTENT.into_response(), "a browser".to_owned()),
        Ok((caller, address)) => {
            let who = caller.name().to_owned();
            parts.extensions.insert(caller);
            parts.extensions.insert(address);
            // In a task of its own: a caller that goes away must not leave a run half begun.
            let answered = tokio::spawn(router.oneshot(Request::from_parts(parts, body))).await;
            let response = match answered {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(error) => {
                    tracing::error!(request = id, %path, %error, "a request broke");
                    Fault::new(Code::Internal, Code::Internal.page().title).into_response()
                }
            };
            (response, who)
        }
    };
    if claim_errors::is_about_claims(&path) {
        claim_errors::reform(&mut response);
    }
    dress(&mut response, &id, cors);
    let status = response.status().as_u16();
    metrics::counter!("synod_requests_total", "method" => short(&method), "status" => status.to_string()).increment(1);
    let ms = began.elapsed().as_millis() as u64;
    // What happens to runs is said where it happens; that somebody asked is of interest when it went wrong.
    if status >= 500 {
        tracing::warn!(request = id, %method, path, status, ms, who, "answered");
    } else {
        tracing::debug!(request = id, %method, path, status, ms, who, "answered");
    }
    response
}

/// Methods as a label: a caller cannot make up as many as it likes.
fn short(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// What every answer carries.
fn dress(response: &mut Response, id: &str, cors: Option<HeaderValue>) {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert("x-request-id", id);
    }
    if let Some(origin) = cors {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, PATCH, DELETE"));
        let allowed = "Authorization, Content-Type, Idempotency-Key, Prefer, Last-Event-ID";
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Location, Retry-After, X-Request-Id, X-Aop-Error-Code"));
        headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    }
}

/// The OpenAPI document, made once.
pub fn openapi_text() -> &'static str {
    static TEXT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    TEXT.get_or_init(|| serde_json::to_string_pretty(&openapi::document()).unwrap_or_default())
}
