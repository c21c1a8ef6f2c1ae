//! What a caller may ask for, and the request that the application layer makes of it. No value here is a path or an address: names are looked
//! up, texts are texts.

use crate::caller::Caller;
use crate::errors::Code;
use crate::extract::{self, LARGEST};
use crate::fault::{Answer, Fault};
use axum::extract::{FromRequest, Multipart, Request};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use synod_app::{Base, ChairChoice, ConversationChoice, LimitChoice, PanelChoice, RunRequest};
use synod_engine::OptionValue;
use synod_types::{Attachment, Problem, ProblemCode, Question, sha256_hex};

/// Models, roles, options.
const ENTRIES: usize = 64;
/// Parts of a form, and attached files.
const PARTS: usize = 32;
/// Characters of a file's name.
const NAME: usize = 200;

/// A deliberation as it is asked for. What is left out is the server's own choice: its panel, its limits, the default mode.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunBody {
    /// One of `GET /v1/modes`.
    pub mode: Option<String>,
    /// What is put to the panel. Left out on a fork, which keeps its parent's.
    pub question: Option<String>,
    /// Material under review, apart from the question about it.
    pub content: Option<String>,
    /// Texts attached to the question.
    pub files: Vec<FileBody>,
    /// Models of the panel, as `name` or `endpoint/model-id` of the server's configuration.
    pub models: Vec<String>,
    /// A panel of the server's configuration, instead of `models`.
    pub panel: Option<String>,
    /// Built-in voices instead of models: nothing is called and nothing is paid.
    pub rehearse: bool,
    /// The model that chairs.
    pub chair: Option<String>,
    /// A model for one role each.
    pub roles: BTreeMap<String, String>,
    /// Options of the mode.
    pub options: Map<String, Value>,
    /// The most that may be spent, in US dollars.
    pub budget_usd: Option<f64>,
    /// The run concludes with what it has after so many seconds.
    pub deadline_secs: Option<f64>,
    /// A turn fails after so many seconds without a sign of life.
    pub timeout_secs: Option<f64>,
    /// Fixes every draw by lot.
    #[schemars(range(min = 0, max = 9007199254740991u64))]
    pub seed: Option<u64>,
    /// The conversation it is part of: its id, or `new` for one that begins with it.
    pub conversation: Option<String>,
}

/// Instead of the id of a conversation: one that begins with this run.
pub const NEW: &str = "new";

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileBody {
    /// What the panel knows it by. Not a path.
    pub name: String,
    pub text: String,
}

impl RunBody {
    /// The request, and what is wrong with it already.
    pub fn into_request(self, caller: &Caller, base: Base, mut problems: Vec<Problem>) -> Answer<(RunRequest, Vec<Problem>)> {
        self.in_bounds()?;
        let is_fork = base != Base::Nothing;
        if is_fork && self.conversation.is_some() {
            problems.push(Problem::new("conversation", "a conversation", "none: a fork stays in its parent's"));
        }
        if is_fork && (self.question.is_some() || self.content.is_some() || !self.files.is_empty()) {
            problems.push(Problem::new("question", "another question", "none: a fork keeps its parent's question, content and files"));
        }
        let files = self.files.into_iter().enumerate().filter_map(|(at, file)| match attachment(at, file) {
            Ok(file) => Some(file),
            Err(problem) => {
                problems.push(problem);
                None
            }
        });
        let question = Question {
            text: self.question.unwrap_or_default().trim().to_owned(),
            content: self.content,
            files: files.collect(),
            ..Question::default()
        };
        let panel = match (self.panel, self.models, self.rehearse) {
            (None, models, false) if models.is_empty() => PanelChoice::Standing,
            (None, models, false) => PanelChoice::Models(models),
            (Some(name), models, false) if models.is_empty() => PanelChoice::Named(name),
            (None, models, true) if models.is_empty() => PanelChoice::Rehearsal,
            _ => {
                problems.push(Problem::new("panel", "more than one of panel, models and rehearse", "one of them"));
                PanelChoice::Standing
            }
        };
        let request = RunRequest {
            mode: self.mode,
            base,
            question,
            panel,
            chair: self.chair.map_or(ChairChoice::OfPanel, ChairChoice::Model),
            roles: self.roles.into_iter().collect(),
            options: self.options.into_iter().map(|(name, value)| (name, OptionValue::json(value))).collect(),
            limits: LimitChoice { budget_usd: self.budget_usd, deadline_secs: self.deadline_secs, timeout_secs: self.timeout_secs },
            seed: self.seed,
            conversation: self.conversation.map(|id| if id == NEW { ConversationChoice::New } else { ConversationChoice::Join(id) }),
            titled: true,
            principal: caller.principal(),
            ..RunRequest::default()
        };
        Ok((request, problems))
    }

    /// Told before anything is looked up: what is beyond all measure is not worth a closer look.
    fn in_bounds(&self) -> Answer<()> {
        let mut problems = Vec::new();
        let counts = [("models", self.models.len()), ("roles", self.roles.len()), ("options", self.options.len()), ("files", self.files.len())];
        for (field, count) in counts.into_iter().filter(|(field, count)| *count > if *field == "files" { PARTS } else { ENTRIES }) {
            let most = if field == "files" { PARTS } else { ENTRIES };
            problems.push(Problem::new(field, format!("{count} entries"), format!("at most {most}")).code(ProblemCode::TooMuch));
        }
        let names = self.mode.iter().chain(&self.panel).chain(&self.chair).chain(&self.models).chain(self.roles.keys()).chain(self.roles.values());
        if let Some(long) = names.chain(self.options.keys()).find(|name| name.chars().count() > NAME) {
            let got: String = long.chars().take(40).chain(['…']).collect();
            problems.push(Problem::new("name", got, format!("names of at most {NAME} characters")).code(ProblemCode::TooMuch));
        }
        if problems.is_empty() { Ok(()) } else { Err(Fault::of(Code::Invalid, problems)) }
    }

    /// What makes two requests the same: where they went and what they say, not how it was written.
    pub fn digest(&self, place: &str) -> String {
        sha256_hex(format!("{place}\n{}", serde_json::to_string(self).unwrap_or_default()))
    }
}

fn attachment(at: usize, file: FileBody) -> Result<Attachment, Problem> {
    let FileBody { name, text } = file;
    if name.trim().is_empty() || name.chars().count() > NAME || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        let want = format!("a file's name of at most {NAME} characters, without / and \\");
        return Err(Problem::new(format!("files[{at}].name"), name.chars().take(NAME).collect::<String>(), want));
    }
    Ok(Attachment { name, sha256: sha256_hex(&text), bytes: text.len() as u64, text })
}

/// The same as a form.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used: the parts are read one by one")]
pub struct RunForm {
    /// As JSON.
    request: RunBody,
    /// Material under review.
    content: Option<String>,
    /// Texts to attach, each under its own name.
    file: Option<Vec<String>>,
}

/// A request as JSON, or as a form: `request` (JSON), `content` (text) and any number of `file`s.
pub struct Asked {
    pub body: RunBody,
    /// What is wrong with it already.
    pub problems: Vec<Problem>,
}

impl<S: Send + Sync> FromRequest<S> for Asked {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Answer<Self> {
        match extract::media_type(request.headers()).as_str() {
            "multipart/form-data" => form(request, state).await,
            "application/json" => {
                let (parts, body) = request.into_parts();
                let (body, problems) = extract::read_what_can_be(&extract::whole(&parts.headers, body).await?)?;
                Ok(Self { body, problems })
            }
            _ => {
                let (parts, body) = request.into_parts();
                let bytes = extract::whole(&parts.headers, body).await?;
                if bytes.is_empty() {
                    Ok(Self { body: RunBody::default(), problems: Vec::new() })
                } else {
                    Err(extract::unsupported(&parts.headers, "application/json or multipart/form-data"))
                }
            }
        }
    }
}

async fn form<S: Send + Sync>(request: Request, state: &S) -> Answer<Asked> {
    // Read whole first: within its limits of size and time a form is then only a matter of parsing.
    let (parts, body) = request.into_parts();
    let bytes = extract::whole(&parts.headers, body).await?;
    let request = Request::from_parts(parts, axum::body::Body::from(bytes));
    let wrong = |error: String| Fault::problem(Problem::new("body", error, "a form with the parts request, content and file"));
    let mut form = Multipart::from_request(request, state).await.map_err(|error| wrong(error.body_text()))?;
    let (mut asked, mut files, mut content, mut count) = (None, Vec::new(), None, 0);
    while let Some(part) = form.next_field().await.map_err(|error| wrong(error.body_text()))? {
        count += 1;
        if count > PARTS {
            return Err(Fault::new(Code::TooLarge, format!("a form may have {PARTS} parts, and {LARGEST} bytes")));
        }
        let (name, file_name) = (part.name().unwrap_or_default().to_owned(), part.file_name().map(str::to_owned));
        let bytes = part.bytes().await.map_err(|error| wrong(error.body_text()))?;
        let field = if name.is_empty() { "part".to_owned() } else { name.clone() };
        let text = || String::from_utf8(bytes.to_vec()).map_err(|_| Fault::problem(Problem::new(field, "bytes that are no text", "text in UTF-8")));
        match name.as_str() {
            "request" if asked.is_none() => asked = Some(extract::read_what_can_be::<RunBody>(&bytes)?),
            "content" if content.is_none() => content = Some(text()?),
            "file" => files.push(FileBody { name: file_name.unwrap_or_else(|| format!("file {}", files.len() + 1)), text: text()? }),
            other => return Err(Fault::problem(Problem::new("part", format!("{other:?}"), "request and content once each, and file"))),
        }
    }
    let (mut body, problems) = asked.unwrap_or_default();
    body.files.extend(files);
    body.content = content.or(body.content);
    Ok(Asked { body, problems })
}
