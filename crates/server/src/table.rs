//! A route with all that is said of it. The router and the OpenAPI document are both made of the same table.

use crate::caller::Caller;
use crate::claim_errors::{ClaimCode, is_about_claims};
use crate::errors::Code;
use crate::fault::Answer;
use crate::state::Shared;
use axum::Router;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use synod_types::Scope;

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    /// `None`: anybody may.
    pub scope: Option<Scope>,
    pub query: Option<SchemaOf>,
    pub body: Option<Content>,
    /// The same as a form.
    pub form: Option<SchemaOf>,
    /// Header fields it reads, what each means, and what it may hold.
    pub headers: Vec<(&'static str, &'static str, Value)>,
    pub answers: Vec<Reply>,
    pub faults: Vec<Code>,
    /// Of a route about claims.
    pub claim_faults: Vec<ClaimCode>,
    handler: MethodRouter<Shared>,
}

/// A body: its media types, and what it holds.
pub struct Content {
    pub kinds: Vec<&'static str>,
    pub schema: Option<SchemaOf>,
}

pub struct Reply {
    pub status: u16,
    pub what: &'static str,
    pub content: Option<Content>,
}

pub const JSON: &str = "application/json";

impl Route {
    pub fn new(method: &'static str, path: &'static str, summary: &'static str, handler: MethodRouter<Shared>) -> Self {
        Self {
            method,
            path,
            summary,
            scope: None,
            query: None,
            body: None,
            form: None,
            headers: Vec::new(),
            answers: Vec::new(),
            faults: Vec::new(),
            claim_faults: Vec::new(),
            handler,
        }
    }

    /// Only callers with this scope.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }
    pub fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(SchemaGenerator::root_schema_for_query::<T>);
        self
    }
    /// Reads JSON of this type.
    pub fn body<T: JsonSchema>(mut self) -> Self {
        self.body = Some(Content { kinds: vec![JSON], schema: Some(SchemaGenerator::subschema_for::<T>) });
        self
    }
    pub fn form<T: JsonSchema>(mut self) -> Self {
        self.form = Some(SchemaGenerator::subschema_for::<T>);
        self
    }
    pub fn header(mut self, name: &'static str, what: &'static str, holds: Value) -> Self {
        self.headers.push((name, what, holds));
        self
    }
    /// Answers with JSON of this type.
    pub fn answers<T: JsonSchema>(mut self, status: u16, what: &'static str) -> Self {
        let content = Content { kinds: vec![JSON], schema: Some(SchemaGenerator::subschema_for::<T>) };
        self.answers.push(Reply { status, what, content: Some(content) });
        self
    }
    /// Answers with a text of one of these kinds.
    pub fn texts(mut self, status: u16, what: &'static str, kinds: &[&'static str]) -> Self {
        self.answers.push(Reply { status, what, content: Some(Content { kinds: kinds.to_vec(), schema: None }) });
        self
    }
    pub fn nothing(mut self, status: u16, what: &'static str) -> Self {
        self.answers.push(Reply { status, what, content: None });
        self
    }
    pub fn faults(mut self, codes: &[Code]) -> Self {
        self.faults.extend(codes);
        self
    }

    pub fn claim_faults(mut self, codes: &[ClaimCode]) -> Self {
        self.claim_faults.extend(codes);
        self
    }

    /// Adds it to a router, behind its scope.
    pub fn mount(self, router: Router<Shared>) -> Router<Shared> {
        let may = if is_about_claims(self.path) { Caller::may_about_claims } else { Caller::may };
        let handler = match self.scope {
            None => self.handler,
            Some(scope) => self.handler.route_layer(axum::middleware::from_fn(move |caller: Caller, request: Request, next: Next| {
                guard(may(&caller, scope), request, next)
            })),
        };
        router.route(self.path, handler)
    }
}

async fn guard(may: Answer<()>, request: Request, next: Next) -> Response {
    match may {
        Ok(()) => next.run(request).await,
        Err(fault) => fault.into_response(),
    }
}

trait QuerySchema {
    fn root_schema_for_query<T: JsonSchema>(&mut self) -> Schema;
}

impl QuerySchema for SchemaGenerator {
    /// Parameters are listed one by one, so what they share is written out.
    fn root_schema_for_query<T: JsonSchema>(&mut self) -> Schema {
        let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        settings.into_generator().into_root_schema_for::<T>()
    }
}
