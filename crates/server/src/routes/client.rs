//! The client module: one file of our own, for pages and programs that want a deliberation's state rather than its events.

use crate::state::Shared;
use crate::table::Route;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

const MODULE: &str = include_str!("../client.js");

pub fn routes() -> Vec<Route> {
    vec![Route::new("get", "/client.js", "A client as an ES module: `createDeliberation({ base, key })`", get(module)).texts(
        200,
        "The module",
        &["text/javascript"],
    )]
}

async fn module(_: axum::extract::State<Shared>) -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")], MODULE).into_response()
}
