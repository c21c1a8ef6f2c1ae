//! Every route, by noun. Adding one touches its file and nothing else.

mod analytics;
mod claims;
mod client;
mod collapse;
mod conversations;
mod council;
mod events;
mod export;
mod modes;
mod operations;
mod paging;
mod people;
mod request;
mod runs;
mod start;
mod usage;

use crate::errors::Code;
use crate::fault::Fault;
use crate::state::Shared;
use crate::table::Route;
use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};

/// The whole table.
pub fn all() -> Vec<Route> {
    let tables = [
        start::routes(),
        council::routes(),
        conversations::routes(),
        runs::routes(),
        events::routes(),
        people::routes(),
        modes::routes(),
        usage::routes(),
        analytics::routes(),
        collapse::routes(),
        operations::routes(),
        client::routes(),
        claims::routes(),
    ];
    tables.into_iter().flatten().collect()
}

pub fn router(server: Shared) -> Router {
    let routed = all().into_iter().fold(Router::new(), |router, route| route.mount(router));
    // A form is read whole first, within this server's own limit.
    let routed = routed.layer(axum::extract::DefaultBodyLimit::disable());
    routed.fallback(nothing_here).method_not_allowed_fallback(other_method).with_state(server)
}

async fn nothing_here(request: Request) -> Response {
    Fault::new(Code::NotFound, format!("there is nothing at {:?}; /openapi.json lists what there is", request.uri().path())).into_response()
}

async fn other_method(request: Request) -> Response {
    Fault::new(Code::MethodNotAllowed, format!("{} has no {}", request.uri().path(), request.method())).into_response()
}
