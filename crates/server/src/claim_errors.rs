//! How requests about claims end badly. Their clients were written for another server, so under `/api/v1` errors have its form:
//! `{"error": {"code", "message"}}` and the code again in a header. Whatever went wrong is a [`Fault`] until it leaves; here it gets that form.

use crate::errors::{Code, PAGES, Page};
use crate::fault::{Answer, Fault};
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use synod_app::AppError;
use synod_claims::{ClaimsError, Refusal};

/// Where the routes of claims begin.
pub const BASE: &str = "/api/v1";
const HEADER: HeaderName = HeaderName::from_static("x-aop-error-code");
/// Limits count minutes.
const RETRY_AFTER_SECS: u64 = 60;
/// Characters of a message.
const LONGEST: usize = 2_000;

pub fn is_about_claims(path: &str) -> bool {
    path.strip_prefix(BASE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

macro_rules! codes {
    ($($code:ident $name:literal $status:literal $title:literal: $cause:literal; $cure:literal)*) => {
        /// What programs branch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ClaimCode { $($code),* }
        /// All that only routes of claims answer with, by status.
        pub static CLAIM_PAGES: &[Page<ClaimCode>] =
            &[$(Page { code: ClaimCode::$code, name: $name, status: $status, title: $title, cause: $cause, cure: $cure }),*];
    };
}

codes! {
    InvalidJson "invalid_json" 400 "The body is no JSON":
        "The body cannot be read as JSON.";
        "Send a JSON object in UTF-8."
    InvalidPayload "invalid_payload" 400 "The request cannot be carried out as it stands":
        "A field or a parameter is missing, of the wrong kind, too long, or has a NUL character; the message names it.";
        "Mend what the message names. Nothing was changed."
    InvalidLayer "invalid_layer" 400 "That is no layer":
        "`layer` is not a number from 0 to 99.";
        "Give a layer's number, or leave it out."
    InvalidSort "invalid_sort" 400 "That is no order":
        "`sort` names no order that this list has.";
        "Claims have latest, top and random; comments new, old and top."
    BadSignature "bad_signature" 400 "The signature does not fit":
        "A public key is registered for this agent, and the signature is not one by it over this slot and output.";
        "Sign the SHA-256, as hex, of the slot's id, a colon and the output; or register the key that signs."
    SlotDone "slot_done_failed" 400 "The slot was submitted already":
        "This agent has submitted it before; the first submission stands.";
        "Nothing more to do; fetch the next slot."
    MissingToken "missing_token" 401 "A key is needed":
        "No key came with the request. Without one, callers on the server's own machine may read, and nobody else anything.";
        "Send `Authorization: Bearer KEY`. `synod key new NAME --scopes work,read` makes one, or sign in by `POST /api/v1/auth/device-code`."
    InvalidApiKey "invalid_api_key" 401 "The key opens nothing":
        "The key is not one of this server's, or was revoked.";
        "Sign in again, or have a new key made."
    MissingScope "missing_scope" 403 "This key may not do that":
        "The key lacks the scope that the message names: `work` for agents, `review` for those who decide about flags, `admin` for everything.";
        "Use a key with that scope."
    Forbidden "forbidden" 403 "The slot is somebody else's":
        "Another agent has taken this slot, or nobody has.";
        "Take a slot before submitting it, with the same key."
    ClaimNotFound "claim_not_found" 404 "There is no such claim":
        "No claim has this id, or a reviewer has hidden it.";
        "`GET /api/v1/claims` lists the claims."
    SlotNotFound "slot_not_found" 404 "The claim has no such slot":
        "No slot of this claim has this id.";
        "`GET /api/v1/claims/{id}/slots` lists them; `GET /api/v1/jobs/work` offers one."
    ProtocolNotFound "protocol_not_found" 404 "There is no such protocol":
        "No protocol has this name or id.";
        "`GET /api/v1/protocols` lists them."
    FlagNotFound "flag_not_found" 404 "The claim has no such flag":
        "No flag of this claim has this id.";
        "`GET /api/v1/flags` lists those that are open."
    CommentNotFound "comment_not_found" 404 "The claim has no such comment":
        "`parentCommentId` names no comment of this claim.";
        "`GET /api/v1/claims/{id}/comments` lists them."
    ConsensusNotFound "consensus_not_found" 404 "The claim has no record yet":
        "Its last layer has not passed, and nobody has written a record.";
        "`GET /api/v1/claims/{id}/pipeline` says how far it is."
    NoSlots "no_slots" 404 "There is nothing to do":
        "No open slot fits this agent: none is open, or it has one in each layer that is.";
        "Ask again in half a minute."
    InvalidDeviceCode "invalid_device_code" 404 "There is no such code":
        "Nothing waits under this code: it was mistyped, used up, or forgotten after it ran out.";
        "Look at the code again, or begin the sign-in anew."
    SlotConflict "slot_conflict" 409 "The slot cannot be had":
        "Another agent has it, this agent has one that excludes it, or its lease cannot be extended any more.";
        "Fetch another slot."
    SlotNotActive "slot_not_active" 409 "The slot's turn is over, or has not come":
        "The claim is in another phase or layer, waits for a person, or has ended.";
        "Fetch another slot."
    LeaseExpired "lease_expired" 409 "The slot is no longer yours":
        "Its lease has run out. Nothing was stored.";
        "Take it again if it is still open. `heartbeat` extends a lease."
    AlreadyCleared "already_cleared" 409 "The flag was cleared already":
        "Somebody else was quicker; the first decision stands.";
        "`GET /api/v1/claims/{id}/pipeline` shows what was decided."
    AttemptsSpent "attempts_spent" 409 "The layer is not worked again":
        "It was worked three times.";
        "`override_pass` lets it pass, `close` ends the claim; both need a note."
    AlreadyApproved "already_approved" 409 "The sign-in was approved already":
        "Somebody has approved this code.";
        "Nothing more to do; the agent fetches its key."
    DuplicateSpam "duplicate_spam" 409 "The same text came a moment ago":
        "This author sent the same words less than half a minute before.";
        "Send it once, or say something else."
    ExpiredToken "expired_token" 410 "The code has run out":
        "A sign-in waits for 15 minutes.";
        "Begin the sign-in anew."
    ConsumedToken "consumed_token" 410 "The key was handed out already":
        "The first to ask after the approval got the key; it is told once.";
        "Begin the sign-in anew. If somebody else has the key, revoke it: `synod key list`, `synod key revoke`."
    EndpointDeprecated "endpoint_deprecated" 410 "That cannot be done any more":
        "Comments stay.";
        "A reviewer can hide the claim."
    InvalidContentType "invalid_content_type" 415 "The body is not called JSON":
        "A body came under another `Content-Type` than application/json.";
        "Send `Content-Type: application/json`."
    AuthRateLimited "auth_rate_limited" 429 "That is more than this caller may do now":
        "The minute's requests of this key, or of callers without one, are used up.";
        "Wait as long as `Retry-After` says."
    SlowDown "slow_down" 429 "The sign-in is asked for too often":
        "Every five seconds is often enough.";
        "Wait longer between two requests."
    ClaimCreateLimited "claim_create_limited" 429 "Too many claims":
        "A key submits so many claims a minute as `claims_per_minute` in `[claims]` says: 1 unless it is set.";
        "Wait as long as `Retry-After` says."
    CommentCreateLimited "comment_create_limited" 429 "Too many comments":
        "A key writes so many comments and records a minute as `comments_per_minute` in `[claims]` says: 30 unless it is set.";
        "Wait as long as `Retry-After` says."
    InternalError "internal_error" 500 "Something is wrong with the server":
        "A bug. The server's log has the details under the id in `X-Request-Id`.";
        "Report it. What was recorded is safe."
}

impl ClaimCode {
    pub fn page(self) -> &'static Page<Self> {
        CLAIM_PAGES.iter().find(|page| page.code == self).unwrap_or(&CLAIM_PAGES[0])
    }

    /// What routes of claims call a fault that all routes have. `None`: the same.
    fn instead_of(code: Code) -> Option<Self> {
        match code {
            Code::Invalid => Some(Self::InvalidPayload),
            Code::Unauthorized => Some(Self::MissingToken),
            Code::Forbidden => Some(Self::MissingScope),
            Code::UnsupportedMediaType => Some(Self::InvalidContentType),
            Code::Limited => Some(Self::AuthRateLimited),
            Code::Internal => Some(Self::InternalError),
            Code::ForeignOrigin
            | Code::NotFound
            | Code::MethodNotAllowed
            | Code::SlowRequest
            | Code::Conflict
            | Code::UnderWay
            | Code::HasForks
            | Code::Ended
            | Code::OtherVersion
            | Code::NotAwaiting
            | Code::AlreadyDecided
            | Code::Gone
            | Code::TooLarge
            | Code::WrongHost
            | Code::InvalidCards
            | Code::MixedCostUnits
            | Code::OtherBody
            | Code::Storage
            | Code::ShuttingDown
            | Code::TooManyStreams => None,
        }
    }

    fn of(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::ClaimNotFound(_) => Self::ClaimNotFound,
            Refusal::SlotNotFound(_) => Self::SlotNotFound,
            Refusal::ProtocolNotFound(_) => Self::ProtocolNotFound,
            Refusal::FlagNotFound(_) => Self::FlagNotFound,
            Refusal::CommentNotFound(_) => Self::CommentNotFound,
            Refusal::ConsensusNotFound => Self::ConsensusNotFound,
            Refusal::SlotConflict(_) => Self::SlotConflict,
            Refusal::SlotNotActive(_) => Self::SlotNotActive,
            Refusal::LeaseExpired => Self::LeaseExpired,
            Refusal::Forbidden => Self::Forbidden,
            Refusal::SlotDone => Self::SlotDone,
            Refusal::Invalid(_) => Self::InvalidPayload,
            Refusal::BadSignature => Self::BadSignature,
            Refusal::AlreadyCleared => Self::AlreadyCleared,
            Refusal::AttemptsSpent(_) => Self::AttemptsSpent,
            Refusal::Duplicate => Self::DuplicateSpam,
        }
    }
}

/// A code's status, name and title under `/api/v1`.
pub fn named(code: Code) -> (u16, &'static str, &'static str) {
    match ClaimCode::instead_of(code).map(ClaimCode::page) {
        Some(page) => (page.status, page.name, page.title),
        None => (code.page().status, code.page().name, code.page().title),
    }
}

impl Fault {
    /// One that only routes of claims answer with.
    pub fn claim(code: ClaimCode, detail: impl Into<String>) -> Self {
        // Elsewhere it would go by the first code of the same status.
        let near = PAGES.iter().find(|page| page.status == code.page().status).map_or(Code::Internal, |page| page.code);
        Self { claim: Some(code), ..Self::new(near, detail) }
    }

    /// What routes of claims call it, where that says more.
    pub fn called(self, code: ClaimCode) -> Self {
        Self { claim: Some(code), ..self }
    }
}

impl From<ClaimsError> for Fault {
    fn from(error: ClaimsError) -> Self {
        match error {
            ClaimsError::Refused(refusal) => Self::claim(ClaimCode::of(&refusal), refusal.to_string()),
            ClaimsError::Store(error) => AppError::from(error).into(),
        }
    }
}

/// The body of every error under `/api/v1`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClaimError {
    pub error: ClaimErrorBody,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClaimErrorBody {
    /// Stable: programs branch on it. The header `x-aop-error-code` has it too.
    pub code: String,
    /// What happened here.
    pub message: String,
}

/// Gives an error the form that it has under `/api/v1`. Other answers stay as they are.
pub fn reform(response: &mut Response) {
    let Some(fault) = response.extensions_mut().remove::<Fault>() else { return };
    let (status, code, _) = match fault.claim.map(ClaimCode::page) {
        Some(page) => (page.status, page.name, page.title),
        None => named(fault.code),
    };
    let message: String = fault.detail.chars().take(LONGEST).collect();
    let body = ClaimError { error: ClaimErrorBody { code: code.to_owned(), message } };
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.body_mut() = Body::from(serde_json::to_string(&body).unwrap_or_default());
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(HEADER, HeaderValue::from_static(code));
    if status == 429 {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECS));
    }
}

/// Of `docs/errors.md`, what is said of these.
#[cfg(test)]
pub fn reference() -> String {
    let mut text = String::from(
        "\n# Errors under /api/v1\n\nRoutes of claims answer with `{\"error\": {\"code\", \"message\"}}` and the code again in the header `x-aop-error-code`. Those of their codes\nthat are not above:\n",
    );
    for page in CLAIM_PAGES {
        text.push_str(&page.text("##"));
    }
    text
}

/// Only what is said of one.
pub fn page_of(name: &str) -> Option<String> {
    CLAIM_PAGES.iter().find(|page| page.name == name).map(|page| page.text("#"))
}

/// A refusal of this server's own about one field.
pub fn invalid<T>(field: &str, got: impl Into<String>, want: impl Into<String>) -> Answer<T> {
    Err(ClaimsError::from(Refusal::invalid(field, got, want)).into())
}

#[cfg(test)]
mod tests {
    use super::{CLAIM_PAGES, ClaimCode, is_about_claims};
    use synod_claims::Refusal;

    #[test]
    fn every_code_has_one_page_and_refusals_keep_their_codes() {
        for (i, page) in CLAIM_PAGES.iter().enumerate() {
            assert!(page.code.page().name == page.name && !CLAIM_PAGES[..i].iter().any(|other| other.name == page.name), "{}", page.name);
        }
        let text = String::new;
        let all = [
            Refusal::ClaimNotFound(text()),
            Refusal::SlotNotFound(text()),
            Refusal::ProtocolNotFound(text()),
            Refusal::FlagNotFound(text()),
            Refusal::CommentNotFound(text()),
            Refusal::ConsensusNotFound,
            Refusal::SlotConflict(text()),
            Refusal::SlotNotActive(text()),
            Refusal::LeaseExpired,
            Refusal::Forbidden,
            Refusal::SlotDone,
            Refusal::Invalid(Vec::new()),
            Refusal::BadSignature,
            Refusal::AlreadyCleared,
            Refusal::AttemptsSpent(3),
            Refusal::Duplicate,
        ];
        for refusal in all {
            assert_eq!(ClaimCode::of(&refusal).page().name, refusal.code());
        }
    }

    #[test]
    fn paths_of_claims_are_told_from_others() {
        for (path, is) in [("/api/v1", true), ("/api/v1/claims", true), ("/api/v1x", false), ("/v1/runs", false), ("/api/v2/claims", false)] {
            assert_eq!(is_about_claims(path), is, "{path}");
        }
    }
}
