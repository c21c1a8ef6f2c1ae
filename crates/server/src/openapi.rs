//! The OpenAPI 3.1 document, made from the table of routes.

use crate::claim_errors::{self, ClaimCode, ClaimError, is_about_claims};
use crate::errors::Code;
use crate::fault::ProblemJson;
use crate::routes;
use crate::table::{Content, JSON, Route};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use synod_types::Scope;

/// Faults that any route may answer with.
const EVERYWHERE: [Code; 9] = [
    Code::Invalid,
    Code::Unauthorized,
    Code::Forbidden,
    Code::NotFound,
    Code::MethodNotAllowed,
    Code::WrongHost,
    Code::Limited,
    Code::Internal,
    Code::Storage,
];
/// And any route about claims.
const ON_CLAIMS: [ClaimCode; 1] = [ClaimCode::InvalidApiKey];
const WITH_A_BODY: [Code; 4] = [Code::SlowRequest, Code::TooLarge, Code::UnsupportedMediaType, Code::ForeignOrigin];

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings
        .with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        })
        .into_generator()
}

/// The whole document.
pub fn document() -> Value {
    let mut read = generator(SchemaSettings::draft2020_12());
    let mut written = generator(SchemaSettings::draft2020_12().for_serialize());
    let problem = written.subschema_for::<ProblemJson>().to_value();
    let claim_error = written.subschema_for::<ClaimError>().to_value();
    let mut paths = Map::new();
    for route in routes::all() {
        let problem = if is_about_claims(route.path) { &claim_error } else { &problem };
        let operation = operation(&route, &mut read, &mut written, problem);
        let path = paths.entry(route.path.to_owned()).or_insert_with(|| json!({}));
        path[route.method] = operation;
    }
    let mut schemas: Map<String, Value> = read.take_definitions(true).into_iter().collect();
    schemas.extend(written.take_definitions(true));
    schemas.sort_keys();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Synod",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Puts a question before a panel of language models and returns a verdict that can be audited, resumed and replayed.",
        },
        "paths": paths,
        "components": { "schemas": schemas, "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } } },
    })
}

fn operation(route: &Route, read: &mut SchemaGenerator, written: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut parameters: Vec<Value> =
        names_in(route.path).map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})).collect();
    if let Some(query) = route.query {
        let schema = query(read).to_value();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let mut property = property.clone();
            let what = property.as_object_mut().and_then(|map| map.remove("description"));
            let required = schema["required"].as_array().is_some_and(|required| required.iter().any(|known| known == name));
            let mut parameter = json!({"name": name, "in": "query", "required": required, "schema": nullable(property)});
            if let Some(what) = what {
                parameter["description"] = what;
            }
            parameters.push(parameter);
        }
    }
    parameters.extend(
        route
            .headers
            .iter()
            .map(|(name, what, holds)| json!({"name": name, "in": "header", "required": false, "description": what, "schema": holds})),
    );
    let mut responses = Map::new();
    for answer in &route.answers {
        let mut response = json!({"description": answer.what});
        if let Some(content) = &answer.content {
            response["content"] = media(content, written);
        }
        if begins(route) && answer.status < 300 {
            response["links"] = links(route);
        }
        responses.insert(answer.status.to_string(), response);
    }
    for (status, names) in faults(route) {
        let described: Vec<String> = names.iter().map(|(name, title)| format!("`{name}`: {title}")).collect();
        let about_claims = is_about_claims(route.path);
        let kind = if about_claims { JSON } else { "application/problem+json" };
        let mut response = json!({"description": described.join(". "), "content": {kind: {"schema": problem}}});
        if about_claims {
            response["headers"] = json!({"x-aop-error-code": {"required": true, "description": "The code.", "schema": {"type": "string"}}});
        }
        responses.insert(status.to_string(), response);
    }
    let mut operation = json!({"operationId": id(route), "summary": route.summary, "parameters": parameters, "responses": responses});
    if let Some(scope) = route.scope {
        // Callers on the server's machine need no key, but to act on claims.
        let acts = is_about_claims(route.path) && scope != Scope::Read;
        operation["security"] = if acts { json!([{ "key": [] }]) } else { json!([{ "key": [] }, {}]) };
        operation["description"] = json!(format!("Needs the scope `{}`.", scope.as_str()));
    }
    if let Some(body) = &route.body {
        let mut content = media(body, read);
        // A body that may be left out has no field that must be there.
        let needed = content[JSON]["schema"]["$ref"].as_str().and_then(|at| at.rsplit('/').next()).and_then(|name| read.definitions().get(name));
        let needed = needed.is_some_and(|schema| schema["required"].as_array().is_some_and(|required| !required.is_empty()));
        if let Some(form) = route.form {
            content["multipart/form-data"] = json!({"schema": form(read).to_value()});
        }
        operation["requestBody"] = json!({"content": content, "required": needed});
    }
    operation
}

/// How a route can end badly: by status, the names of the codes and their titles.
fn faults(route: &Route) -> BTreeMap<u16, Vec<(&'static str, &'static str)>> {
    let with_body = route.method != "get";
    let shared = EVERYWHERE.iter().chain(WITH_A_BODY.iter().filter(|_| with_body)).chain(&route.faults);
    let name = |code: &Code| match is_about_claims(route.path) {
        true => claim_errors::named(*code),
        false => (code.page().status, code.page().name, code.page().title),
    };
    let own = ON_CLAIMS
        .iter()
        .filter(|_| is_about_claims(route.path))
        .chain(&route.claim_faults)
        .map(|code| (code.page().status, code.page().name, code.page().title));
    let mut by_status: BTreeMap<u16, Vec<(&str, &str)>> = BTreeMap::new();
    for (status, name, title) in shared.map(name).chain(own) {
        let names = by_status.entry(status).or_default();
        if !names.contains(&(name, title)) {
            names.push((name, title));
        }
    }
    by_status
}

fn media(content: &Content, generator: &mut SchemaGenerator) -> Value {
    let mut kinds = Map::new();
    for kind in &content.kinds {
        let described = match (content.schema, *kind) {
            (Some(schema), _) => json!({"schema": schema(generator).to_value()}),
            (None, JSON) => json!({"schema": {"type": "object"}}),
            // A stream has no one value.
            (None, "text/event-stream") => json!({}),
            (None, _) => json!({"schema": {"type": "string"}}),
        };
        kinds.insert((*kind).to_owned(), described);
    }
    Value::Object(kinds)
}

/// Routes that answer with a run, a conversation or a claim that was just begun.
fn begins(route: &Route) -> bool {
    route.method == "post" && ["/v1/runs", "/v1/collapse", CONVERSATIONS, CLAIMS].contains(&route.path)
}

const CONVERSATIONS: &str = "/v1/conversations";
const CLAIMS: &str = "/api/v1/claims";

/// Where what was begun can be asked for.
fn links(begun: &Route) -> Value {
    let kind = |route: &Route| (route.path.starts_with(CONVERSATIONS), route.path.starts_with(CLAIMS), is_about_claims(route.path));
    let same_kind = |route: &Route| kind(route) == kind(begun);
    let on_it = routes::all().into_iter().filter(|route| route.path.contains("/{id}") && same_kind(route));
    on_it.map(|route| (id(&route), json!({"operationId": id(&route), "parameters": {"id": "$response.body#/id"}}))).collect::<Map<_, _>>().into()
}

/// A parameter that may be left out is simply not there; none is ever null.
fn nullable(mut schema: Value) -> Value {
    if let Some(kinds) = schema.get("type").and_then(Value::as_array) {
        let kinds: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        if let [only] = kinds.as_slice() {
            schema["type"] = only.clone();
        }
    }
    if let Some(any) = schema.get("anyOf").and_then(Value::as_array) {
        let some: Vec<Value> = any.iter().filter(|each| each.get("type").is_none_or(|kind| kind != "null")).cloned().collect();
        if let [only] = some.as_slice() {
            return only.clone();
        }
    }
    if let Some(map) = schema.as_object_mut() {
        map.remove("default");
        if let Some(choices) = map.get_mut("enum").and_then(Value::as_array_mut) {
            choices.retain(|choice| !choice.is_null());
        }
    }
    schema
}

fn names_in(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// `post /v1/runs/{id}/cancel` as `post_runs_id_cancel`.
fn id(route: &Route) -> String {
    let parts: Vec<&str> = route.path.split('/').filter(|part| !part.is_empty() && *part != "v1").map(|part| part.trim_matches(['{', '}'])).collect();
    let path = if parts.is_empty() { "root".to_owned() } else { parts.join("_").replace(['.', '-'], "_") };
    format!("{}_{path}", route.method)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_document_is_as_it_was_read_last() {
        insta::assert_snapshot!(serde_json::to_string_pretty(&super::document()).expect("JSON"));
    }
}
