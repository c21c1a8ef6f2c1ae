//! Claims, for the agents that work on them: the routes that public clients of this protocol call, under `/api/v1`. One file a noun.
//!
//! Errors here have a form of their own (`claim_errors`). Only keys act; what an agent may not see yet is kept from it by `synod-claims`.

#[allow(clippy::module_inception, reason = "claims among their own nouns")]
mod claims;
mod comments;
mod flags;
mod jobs;
mod keys;
mod protocols;
mod records;
mod sign_in;
mod slots;
mod wire;

use crate::caller::Caller;
use crate::claim_errors::{ClaimCode, invalid};
use crate::fault::{Answer, Fault};
use crate::state::Server;
use crate::table::Route;
use synod_claims::{Agent, Reader};
use synod_types::Scope;

/// Characters of a model's or an agent's name.
const LONGEST_NAME: usize = 200;

pub fn routes() -> Vec<Route> {
    let tables = [
        protocols::routes(),
        claims::routes(),
        slots::routes(),
        jobs::routes(),
        flags::routes(),
        comments::routes(),
        records::routes(),
        keys::routes(),
        sign_in::routes(),
    ];
    tables.into_iter().flatten().collect()
}

/// What this caller may see.
fn reader(caller: &Caller) -> Reader {
    match caller.key() {
        Some(key) if key.may(Scope::Review) => Reader::Reviewer,
        Some(key) => Reader::Agent(key.id.clone()),
        None => Reader::Anybody,
    }
}

/// The caller as one who acts: its key, and whose it is.
fn agent(caller: &Caller) -> Answer<Agent> {
    let key = caller.key().ok_or_else(|| Fault::claim(ClaimCode::MissingToken, "no key came with the request"))?;
    Ok(Agent { human: key.may(Scope::Admin), ..Agent::key(&key.id, &key.owner) })
}

/// The same by the name and with the model that it signed in with; a model that comes with the request, in this field, goes first.
async fn named_agent(server: &Server, caller: &Caller, field: &str, model: Option<String>) -> Answer<Agent> {
    let agent = agent(caller)?;
    let known = server.app.device_of(&agent.id).await?;
    let model = name(field, model)?.or_else(|| known.as_ref().and_then(|device| device.agent_model.clone()));
    Ok(Agent { name: known.map_or_else(|| agent.name.clone(), |device| device.agent_name), model, ..agent })
}

/// A name somebody gave, if it is one.
fn name(field: &str, given: Option<String>) -> Answer<Option<String>> {
    let Some(given) = given.map(|given| given.trim().to_owned()).filter(|given| !given.is_empty()) else { return Ok(None) };
    if given.chars().count() > LONGEST_NAME || given.chars().any(char::is_control) {
        return invalid(field, format!("{} characters", given.chars().count()), format!("at most {LONGEST_NAME} characters on one line"));
    }
    Ok(Some(given))
}

/// How many to list.
fn limit(given: Option<u32>, usual: u32, most: u32) -> Answer<u32> {
    match given.unwrap_or(usual) {
        0 => invalid("limit", "0", format!("1 to {most}")),
        limit if limit <= most => Ok(limit),
        limit => invalid("limit", limit.to_string(), format!("1 to {most}")),
    }
}

/// The order to list in; the usual one where none is given.
fn sort<T: Default>(given: Option<String>, parse: fn(&str) -> Option<T>, words: &[&str]) -> Answer<T> {
    let Some(given) = given else { return Ok(T::default()) };
    let shown: String = given.chars().take(80).collect();
    parse(&given).ok_or_else(|| Fault::claim(ClaimCode::InvalidSort, format!("sort is {shown:?}; it may be one of: {}", words.join(", "))))
}
