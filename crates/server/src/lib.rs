//! `synod serve`: what the command line can do with runs, for programs and pages, over HTTP.
//!
//! Reading order: `serve` (the socket, its limits, how it ends), `gate` (who may come in, before anything is routed), `caller` (who it is),
//! `routes` (one file a noun) over `table` (each route with its documentation), `stream` (events), `keeper` (runs that somebody should go on
//! with), `errors`, `claim_errors` and `fault` (how requests end badly).
//!
//! Refuses to decide anything about runs: it makes one call into `synod-app` for each request.

mod caller;
mod claim_errors;
mod errors;
mod extract;
mod fault;
mod gate;
mod keeper;
mod metering;
mod openapi;
mod routes;
mod serve;
mod settings;
mod state;
mod stream;
mod table;

pub use openapi::document as openapi_document;
pub use serve::{Serving, bind};
pub use settings::ServerSettings;
