//! What people say to a run: answers to its questions, approvals of positions.

use super::start;
use crate::caller::Caller;
use crate::errors::Code;
use crate::extract::{self, Named};
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::table::Route;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use schemars::JsonSchema;
use serde::Deserialize;
use synod_app::{RunSummary, WaitingFor};
use synod_modes::collapse::people::asks_for;
use synod_report::{Snapshot, View};
use synod_types::{PersonAnswer, Problem, Scope};

pub fn routes() -> Vec<Route> {
    let faults = [Code::Gone, Code::NotAwaiting, Code::AlreadyDecided, Code::OtherVersion];
    let approval = |path| {
        Route::new("post", path, "Approves or refuses something that stopped at a gate", post(approve))
            .scope(Scope::Review)
            .body::<ApprovalBody>()
            .answers::<Snapshot>(202, "The run; it goes on with the approval")
            .faults(&faults)
    };
    vec![
        Route::new("post", "/v1/runs/{id}/answers", "Answers what a run asks of a person; it then goes on", post(reply))
            .scope(Scope::Review)
            .body::<AnswerBody>()
            .answers::<Snapshot>(202, "The run; it goes on with the answer")
            .faults(&faults),
        approval("/v1/runs/{id}/approvals"),
        approval("/v1/collapse/{id}/approvals"),
    ]
}

/// A person's answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AnswerBody {
    /// Which question, by its key. It may be left out where only one is open.
    #[serde(default)]
    key: Option<String>,
    answer: String,
    #[serde(default)]
    note: Option<String>,
}

async fn reply(State(server): State<Shared>, caller: Caller, Named(id): Named, extract::Json(body): extract::Json<AnswerBody>) -> Answer<Response> {
    let run = server.run(&caller, &id).await?;
    let question = match (&body.key, run.waiting.as_slice()) {
        (Some(key), open) => open.iter().find(|question| question.key == *key),
        (None, [only]) => Some(only),
        (None, []) => None,
        (None, open) => {
            let keys: Vec<&str> = open.iter().map(|question| question.key.as_str()).collect();
            return Err(Fault::problem(Problem::new("key", "nothing, and several questions are open", format!("one of: {}", keys.join(", ")))));
        }
    };
    let Some(question) = question else {
        let key = body.key.unwrap_or_default();
        return Err(not_open(&server, &run, |known| known == key).await?);
    };
    give(&server, &caller, &id, question, body.answer, body.note).await
}

/// A person's word on something a position needs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ApprovalBody {
    position_id: String,
    /// What it is about, as the question names it.
    subject: String,
    /// `approve`, `reject` or `revise`, as the question offers it.
    decision: String,
    #[serde(default)]
    note: Option<String>,
}

async fn approve(
    State(server): State<Shared>,
    caller: Caller,
    Named(id): Named,
    extract::Json(body): extract::Json<ApprovalBody>,
) -> Answer<Response> {
    let run = server.run(&caller, &id).await?;
    let asked = |key: &str| asks_for(key, &body.position_id, &body.subject);
    let Some(question) = run.waiting.iter().find(|question| asked(&question.key)) else {
        return Err(not_open(&server, &run, asked).await?);
    };
    let given = give(&server, &caller, &id, question, body.decision.clone(), body.note.clone()).await;
    // Here the answer is called a decision.
    given.map_err(|mut fault| {
        fault.problems.iter_mut().filter(|problem| problem.field == "answer").for_each(|problem| problem.field = "decision".into());
        fault
    })
}

async fn give(server: &Shared, caller: &Caller, id: &str, question: &WaitingFor, answer: String, note: Option<String>) -> Answer<Response> {
    let runner = server.app.reader()?;
    server.app.answer(&runner, id, question, PersonAnswer { answer, note, by: caller.owner() }).await?;
    // Whoever holds the run reads it at once; one that nobody holds is taken up within a second.
    start::answer(server, StatusCode::ACCEPTED, id).await
}

/// Why a question cannot be answered: it was already, or the run never asked it.
async fn not_open(server: &Shared, run: &RunSummary, is_it: impl Fn(&str) -> bool) -> Answer<Fault> {
    let rows = server.app.rows(&run.id).await?;
    let asked = View::of(&rows).waiting.iter().any(|waiting| is_it(&waiting.key));
    Ok(match asked {
        true => Fault::new(Code::AlreadyDecided, "that was answered already; the first answer stands"),
        false => {
            let open: Vec<&str> = run.waiting.iter().map(|question| question.key.as_str()).collect();
            let open = if open.is_empty() { "it asks nothing of a person".to_owned() } else { format!("it asks: {}", open.join(", ")) };
            Fault::new(Code::NotAwaiting, format!("run {} does not wait for that; {open}", run.id))
        }
    })
}
