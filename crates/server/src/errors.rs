//! Every way a request can end badly: one table of codes, each with its status, its cause and its cure. The answers, the OpenAPI document, the
//! page at `/errors` and `docs/errors.md` are all made of it.

use axum::http::StatusCode;

/// What programs branch on. A code keeps its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    Invalid,
    Unauthorized,
    Forbidden,
    ForeignOrigin,
    NotFound,
    MethodNotAllowed,
    SlowRequest,
    Conflict,
    UnderWay,
    HasForks,
    Ended,
    OtherVersion,
    NotAwaiting,
    AlreadyDecided,
    Gone,
    TooLarge,
    UnsupportedMediaType,
    WrongHost,
    InvalidCards,
    MixedCostUnits,
    OtherBody,
    Limited,
    Internal,
    Storage,
    ShuttingDown,
    TooManyStreams,
}

/// A code's page.
pub struct Page<C = Code> {
    pub code: C,
    pub name: &'static str,
    pub status: u16,
    pub title: &'static str,
    pub cause: &'static str,
    pub cure: &'static str,
}

impl<C> Page<C> {
    /// As Markdown, under a heading of this rank.
    pub fn text(&self, heading: &str) -> String {
        format!("\n{heading} {}\n\nStatus {}. **{}.**\n\n{}\n\n{}\n", self.name, self.status, self.title, self.cause, self.cure)
    }
}

macro_rules! pages {
    ($($code:ident $name:literal $status:literal $title:literal: $cause:literal; $cure:literal)*) => {
        /// All of them, by status.
        pub static PAGES: &[Page] = &[$(Page { code: Code::$code, name: $name, status: $status, title: $title, cause: $cause, cure: $cure }),*];
    };
}

pages! {
    Invalid "invalid" 400 "The request cannot be carried out as it stands":
        "A field is missing, unknown or of the wrong kind, a name stands for nothing, or a model does not answer. Everything that was found is in `errors`; nothing was begun and nothing paid.";
        "Mend each entry of `errors`: `field` says where, `got` what was there, `want` what would be right."
    Unauthorized "unauthorized" 401 "A key is needed":
        "No key came with the request, or one that does not exist or was revoked.";
        "Send `Authorization: Bearer KEY`. `synod key new` makes a key on the server's machine."
    Forbidden "forbidden" 403 "This key may not do that":
        "The key lacks the scope that the route needs.";
        "Use a key with the scope named in `detail`; `synod key list` shows the scopes of each."
    ForeignOrigin "foreign_origin" 403 "A page of another site may not do that":
        "The request changes something and a browser says that it comes from a page of another origin.";
        "Call from the server's own pages or from a program, or list the origin under `cors_origins` in `[server]`."
    NotFound "not_found" 404 "There is no such thing":
        "No route has this path, or no run, mode or question of this name is visible to this key. Runs of other keys are answered in the same way.";
        "`GET /v1/runs` lists the runs of a key, `/openapi.json` the routes."
    MethodNotAllowed "method_not_allowed" 405 "This path has no such method":
        "The path exists, but not with this method.";
        "The `Allow` header names the methods it has."
    SlowRequest "slow_request" 408 "The request came too slowly":
        "The body was not there within 30 seconds.";
        "Send it again over a better connection. Nothing was begun."
    Conflict "conflict" 409 "That excludes something that is already so":
        "What was asked for contradicts the state of the run.";
        "Read the run again and decide anew."
    UnderWay "under_way" 409 "The run is under way":
        "It is running, here or in another process.";
        "Wait for it, or cancel it first: `POST /v1/runs/{id}/cancel`."
    HasForks "has_forks" 409 "Other runs were forked from it":
        "Forks take over what their parent said, so the parent stays as long as they do.";
        "Delete the forks first; `detail` names them."
    Ended "ended" 409 "The run has ended":
        "There is a verdict, and nothing more can be added.";
        "Fork it: `POST /v1/runs/{id}/fork`."
    OtherVersion "other_version" 409 "The run was begun by another version":
        "Its mode asks or decides differently now, so it can be shown, verified, exported and forked, but not gone on with.";
        "Fork it: what is still asked the same is taken over at no cost."
    NotAwaiting "not_awaiting" 409 "The run does not wait for that":
        "No question of this name is open in the run.";
        "`waiting` in `GET /v1/runs/{id}` lists what it asks."
    AlreadyDecided "already_decided" 409 "That was answered already":
        "The first answer stands.";
        "Nothing more to do; the run goes on with the first answer."
    Gone "gone" 410 "The run was deleted":
        "Its record is gone; that there was one, when it was deleted and how its journal ended is still known.";
        "Nothing can be done about it."
    TooLarge "too_large" 413 "The request is too large":
        "A body may have 10 MiB, and a form at most 32 parts.";
        "Send less, or a summary of it."
    UnsupportedMediaType "unsupported_media_type" 415 "The body is of another kind than is read here":
        "Bodies are JSON, or a form with parts where the route says so.";
        "Send `Content-Type: application/json`, or `multipart/form-data` to `POST /v1/runs`."
    WrongHost "wrong_host" 421 "This server does not go by that name":
        "The `Host` header names neither this machine nor a name that the server was given. That is how a page on the web would try to reach a server on your machine.";
        "Set `public_url` or `allowed_hosts` in `[server]`."
    InvalidCards "invalid_cards" 422 "The cards cannot be scored":
        "A card, a weight or a rule is not as it should be. Everything that was found is in `errors`.";
        "Mend each entry of `errors`."
    MixedCostUnits "mixed_cost_units" 422 "The cards count their costs in different units":
        "Costs are compared, so all cards must use one unit.";
        "Give every card the unit of the first."
    OtherBody "other_body" 422 "This idempotency key came with another request before":
        "A request with the same `Idempotency-Key` began a run within the last 24 hours, and its body was another.";
        "Use a new key for a new request."
    Limited "limited" 429 "That is more than this caller may do now":
        "A limit of the key, or of callers without one, is used up; `detail` says which.";
        "Wait as long as `Retry-After` says."
    Internal "internal" 500 "Something is wrong with the server":
        "A bug. The server's log has the details under the id in `X-Request-Id`.";
        "Report it. Runs are not harmed: their record is written before anything else happens."
    Storage "storage" 503 "The database does not answer":
        "The disk is full, or the database is locked, unreachable or read-only.";
        "Look at the server's log and at its disk. What was recorded is safe."
    ShuttingDown "shutting_down" 503 "The server is ending":
        "It has been told to stop, and begins nothing new.";
        "Send it again in a few seconds. Runs under way are taken up by the next start."
    TooManyStreams "too_many_streams" 503 "Too many streams are open":
        "The server has as many event streams open as `max_streams` allows.";
        "Close streams that nobody reads, ask for the run itself, or raise `max_streams`."
}

impl Code {
    pub fn page(self) -> &'static Page {
        PAGES.iter().find(|page| page.code == self).unwrap_or(&PAGES[0])
    }

    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.page().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// `docs/errors.md`.
#[cfg(test)]
fn reference() -> String {
    let mut text = String::from(
        "# Errors\n\nEvery error of the HTTP interface, but for claims, is `application/problem+json`: `status`, a stable `code`, `title`, `detail`, and, where fields are\nwrong, `errors` with `field`, `got` and `want` for each. `type` leads to the entry below, which the server also answers at `/errors/CODE`.\nThis page is made from the table in the code.\n",
    );
    for page in PAGES {
        text.push_str(&page.text("##"));
    }
    text + &crate::claim_errors::reference()
}

#[cfg(test)]
mod tests {
    use super::PAGES;

    #[test]
    fn every_code_has_one_page_and_the_pages_are_documented() {
        for (i, page) in PAGES.iter().enumerate() {
            assert!(page.code.page().name == page.name && !PAGES[..i].iter().any(|other| other.name == page.name), "{}", page.name);
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::write(path, super::reference()).expect("docs/errors.md can be written");
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(written == super::reference(), "docs/errors.md is not what the table says; INSTA_UPDATE=always writes it");
    }
}
