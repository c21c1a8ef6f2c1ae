//! For those who keep the server: whether it lives, whether it can work, its numbers, and what is said of it.

use crate::errors::{Code, PAGES};
use crate::extract::Named;
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::table::Route;
use crate::{claim_errors, metering, serve};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use synod_types::Scope;

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/healthz", "The process lives", get(health)).answers::<Health>(200, "It does"),
        Route::new("get", "/readyz", "The database answers and runs may be begun", get(ready))
            .answers::<Health>(200, "They may")
            .faults(&[Code::ShuttingDown]),
        Route::new("get", "/metrics", "Numbers for Prometheus", get(metrics)).scope(Scope::Admin).texts(
            200,
            "Text exposition format",
            &["text/plain"],
        ),
        Route::new("get", "/openapi.json", "This document", get(openapi)).answers::<Map<String, Value>>(200, "OpenAPI 3.1"),
        Route::new("get", "/errors/{code}", "What an error means and what to do about it", get(error)).texts(200, "The page", &["text/markdown"]),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Health {
    status: &'static str,
    version: &'static str,
}

const WELL: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };

async fn health() -> Json<Health> {
    Json(WELL)
}

async fn ready(State(server): State<Shared>) -> Answer<Json<Health>> {
    server.still_open()?;
    server.app.ping().await?;
    Ok(Json(WELL))
}

async fn metrics(State(server): State<Shared>) -> Answer<Response> {
    let text = metering::render(&server).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], serve::openapi_text()).into_response()
}

async fn error(Named(code): Named) -> Answer<Response> {
    let text = PAGES.iter().find(|page| page.name == code).map(|page| page.text("#")).or_else(|| claim_errors::page_of(&code));
    let text = text.ok_or_else(|| Fault::new(Code::NotFound, format!("no error is called {code:?}")))?.trim_start().to_owned();
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response())
}
