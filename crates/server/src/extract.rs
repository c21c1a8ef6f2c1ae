//! What a request brings, read in one way: every mistake in it is a problem+json that names all of them.

use crate::claim_errors::ClaimCode;
use crate::errors::Code;
use crate::fault::{Answer, Fault};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;
use synod_types::Problem;

/// The largest body.
pub const LARGEST: usize = 10 * 1024 * 1024;
/// How long a body may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A JSON body. Nothing at all counts as an empty object.
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + JsonSchema> FromRequest<S> for Json<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Answer<Self> {
        read(&json_text(request).await?).map(Self)
    }
}

/// The same, of routes about claims: what has a NUL character is refused, because no database keeps it.
pub struct PlainJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + JsonSchema> FromRequest<S> for PlainJson<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Answer<Self> {
        let bytes = json_text(request).await?;
        if let Some(field) = object(&bytes)?.as_object().and_then(|fields| fields.iter().find(|(name, value)| name.contains('\0') || has_nul(value)))
        {
            return Err(Fault::problem(Problem::new(field.0.replace('\0', "?"), "a NUL character", "text without one")));
        }
        read(&bytes).map(Self)
    }
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A body that says it is JSON, or none.
async fn json_text(request: Request) -> Answer<Bytes> {
    let (parts, body) = request.into_parts();
    let bytes = whole(&parts.headers, body).await?;
    if !bytes.is_empty() && media_type(&parts.headers) != "application/json" {
        return Err(unsupported(&parts.headers, "application/json"));
    }
    Ok(bytes)
}

/// A body's bytes, if it is not too large and comes in time.
pub async fn whole(headers: &HeaderMap, body: Body) -> Answer<Bytes> {
    let too_large = || Fault::new(Code::TooLarge, format!("a body may have {LARGEST} bytes"));
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > LARGEST as u64) {
        return Err(too_large());
    }
    match tokio::time::timeout(PATIENCE, axum::body::to_bytes(body, LARGEST)).await {
        Err(_) => Err(Fault::new(Code::SlowRequest, format!("the body was not there within {} seconds", PATIENCE.as_secs()))),
        Ok(Ok(bytes)) => Ok(bytes),
        // Either more than fits, or a connection that broke: nobody hears the answer then.
        Ok(Err(_)) => Err(too_large()),
    }
}

/// The kind of a body, without what follows it.
pub fn media_type(headers: &HeaderMap) -> String {
    let given = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().to_lowercase()
}

pub fn unsupported(headers: &HeaderMap, want: &str) -> Fault {
    let got = match media_type(headers) {
        kind if kind.is_empty() => "no content type".to_owned(),
        kind => kind,
    };
    Fault::new(Code::UnsupportedMediaType, format!("the body is {got:?}; {want} is read here"))
}

/// A JSON text as a value of a type; else everything that is wrong with it.
pub fn read<T: DeserializeOwned + JsonSchema>(bytes: &[u8]) -> Answer<T> {
    let mut value = object(bytes)?;
    if let Ok(read) = T::deserialize(&value) {
        return Ok(read);
    }
    whole_numbers(&mut value);
    T::deserialize(&value).map_err(|error| Fault::of(Code::Invalid, problems_of::<T>(&value, &error)))
}

/// The same without the fields that are wrong, and what is wrong with them: more may be found in the others.
pub fn read_what_can_be<T: DeserializeOwned + JsonSchema>(bytes: &[u8]) -> Answer<(T, Vec<Problem>)> {
    let mut value = object(bytes)?;
    if let Ok(read) = T::deserialize(&value) {
        return Ok((read, Vec::new()));
    }
    whole_numbers(&mut value);
    let error = match T::deserialize(&value) {
        Ok(read) => return Ok((read, Vec::new())),
        Err(error) => error,
    };
    let problems = problems_of::<T>(&value, &error);
    for problem in &problems {
        let field = problem.field.split(['.', '[']).next().unwrap_or_default().to_owned();
        value.as_object_mut().map(|fields| fields.shift_remove(&field));
    }
    match T::deserialize(&value) {
        Ok(read) => Ok((read, problems)),
        Err(_) => Err(Fault::of(Code::Invalid, problems)),
    }
}

fn object(bytes: &[u8]) -> Answer<Value> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    let wrong = |got: String| Fault::problem(Problem::new("body", got, "a JSON object in UTF-8"));
    let value: Value = serde_json::from_slice(bytes).map_err(|error| wrong(format!("no JSON: {error}")).called(ClaimCode::InvalidJson))?;
    // A list of values would pass for an object whose fields come in that order.
    if value.is_object() { Ok(value) } else { Err(wrong("JSON that is no object".into())) }
}

fn problems_of<T: JsonSchema>(value: &Value, error: &serde_json::Error) -> Vec<Problem> {
    let problems = synod_engine::schema::mismatches(&synod_engine::schema_of::<T>(), value);
    if problems.is_empty() { vec![Problem::new("body", error.to_string(), "a JSON object as the documentation has it")] } else { problems }
}

/// JSON has one kind of number: 3.0 is as whole as 3.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= 9e15) {
                *value = Value::from(whole as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The part of a path that names a run, a mode or the like.
pub struct Named(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) if !name.contains('\0') => Ok(Self(name)),
            Ok(_) => Err(Fault::new(Code::NotFound, "the path names nothing here")),
            Err(_) => {
                let raw = RawPathParams::from_request_parts(parts, state).await;
                let got = raw.ok().and_then(|params| params.iter().next().map(|(_, value)| value.to_owned())).unwrap_or_default();
                Err(Fault::new(Code::NotFound, format!("the path names {got:?}, which is nothing here")))
            }
        }
    }
}

/// The two parts of a path that name a claim and something of it.
pub struct NamedPair(pub String, pub String);

impl<S: Send + Sync> FromRequestParts<S> for NamedPair {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        match Path::<(String, String)>::from_request_parts(parts, state).await {
            Ok(Path((first, second))) if !first.contains('\0') && !second.contains('\0') => Ok(Self(first, second)),
            _ => Err(Fault::new(Code::NotFound, "the path names nothing here")),
        }
    }
}

/// What stands behind the question mark.
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Answer<Self> {
        // No database keeps one, and no name has one.
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(Fault::problem(Problem::new("query", "%00", "text")));
        }
        match axum::extract::Query::<T>::try_from_uri(&parts.uri) {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(rejection) => {
                let error = std::error::Error::source(&rejection).map_or_else(|| rejection.to_string(), ToString::to_string);
                Err(Fault::problem(Problem::new("query", error, "the parameters that the documentation names, each once")))
            }
        }
    }
}
