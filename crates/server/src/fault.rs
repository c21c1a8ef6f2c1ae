//! An error as it leaves the server: problem+json, whatever went wrong.

use crate::claim_errors::ClaimCode;
use crate::errors::Code;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;
use synod_app::{AppError, Limited};
use synod_types::{Problem, ProblemCode, Problems, clip};

pub type Answer<T> = Result<T, Fault>;

/// Problems told at once.
const MOST: usize = 50;
/// Characters repeated of what was given.
const REPEATED: usize = 300;

#[derive(Clone, Debug)]
pub struct Fault {
    pub code: Code,
    /// What routes of claims call it, where that is not decided by the code.
    pub claim: Option<ClaimCode>,
    pub detail: String,
    pub problems: Vec<Problem>,
    pub retry_after: Option<Duration>,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The same in one sentence, where clients look for it under that name.
    pub error: Option<String>,
}

/// The body of every error.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProblemJson {
    /// Leads to the code's page.
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    /// Stable: programs branch on it.
    pub code: String,
    /// What happened here.
    pub detail: String,
    /// What is wrong with each field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub errors: Vec<Problem>,
    /// An unknown mode, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Fault {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, claim: None, detail: detail.into(), problems: Vec::new(), retry_after: None, headers: Vec::new(), error: None }
    }

    pub fn of(code: Code, problems: Vec<Problem>) -> Self {
        let problems: Vec<Problem> = problems.into_iter().take(MOST).map(at_this_door).collect();
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Self { problems, ..Self::new(code, lines.join("\n")) }
    }

    pub fn problem(problem: Problem) -> Self {
        Self::from(Problems::from(problem))
    }

    pub fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    pub fn no_run(run: &str) -> Self {
        Self::new(Code::NotFound, format!("there is no run {run:?}"))
    }
}

/// A problem in the words of this interface: its fields have other names here, and nobody is told where a model is.
fn at_this_door(problem: Problem) -> Problem {
    let field = match problem.field.as_str() {
        "budget" => "budget_usd".to_owned(),
        "deadline" => "deadline_secs".to_owned(),
        "timeout" => "timeout_secs".to_owned(),
        "role" => "roles".to_owned(),
        "file" => "files".to_owned(),
        _ => problem.field,
    };
    let got = if problem.code == ProblemCode::Unreachable { "it does not answer".to_owned() } else { problem.got };
    Problem { field, got: clip::chars(&got, REPEATED, " …"), ..problem }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Problems::from(problem).into()
    }
}

impl From<Problems> for Fault {
    fn from(Problems(problems): Problems) -> Self {
        let about_run = |problem: &Problem| (problem.field == "run" || problem.field == "answer").then_some(problem.code);
        let code = match problems.as_slice() {
            [only] => match about_run(only) {
                Some(ProblemCode::Unknown) => Code::NotFound,
                Some(ProblemCode::Conflict) if only.field == "answer" => Code::AlreadyDecided,
                Some(ProblemCode::Conflict) => Code::UnderWay,
                Some(ProblemCode::Ended) => Code::Ended,
                Some(ProblemCode::OtherVersion) => Code::OtherVersion,
                _ => Code::Invalid,
            },
            _ => Code::Invalid,
        };
        Self::of(code, problems)
    }
}

impl From<AppError> for Fault {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Usage(problems) => problems.into(),
            AppError::Broken { field, detail, .. } => {
                tracing::error!(field, detail, "a request could not be answered");
                // The words may name files of this machine.
                let code = if field == "db" { Code::Storage } else { Code::Internal };
                Self::new(code, code.page().title)
            }
        }
    }
}

impl From<synod_engine::RunError> for Fault {
    fn from(error: synod_engine::RunError) -> Self {
        AppError::from(error).into()
    }
}

impl From<Limited> for Fault {
    fn from(limited: Limited) -> Self {
        Self { retry_after: Some(limited.retry_after), ..Self::new(Code::Limited, limited.what) }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let page = self.code.page();
        // For whoever gives it another form before it leaves.
        let itself = self.clone();
        let body = ProblemJson {
            kind: format!("/errors/{}", page.name),
            title: page.title.to_owned(),
            status: page.status,
            code: page.name.to_owned(),
            detail: self.detail,
            errors: self.problems,
            error: self.error,
        };
        let mut response = (self.code.status(), serde_json::to_string(&body).unwrap_or_default()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(wait) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
        }
        for (name, value) in self.headers {
            headers.insert(name, value);
        }
        response.extensions_mut().insert(itself);
        response
    }
}
