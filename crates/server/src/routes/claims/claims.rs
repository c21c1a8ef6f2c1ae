//! Claims themselves: submitted, found, read whole, exported, hidden.

use super::wire::{List, WholeClaim, WithId};
use super::{limit, named_agent, reader, sort};
use crate::caller::Caller;
use crate::claim_errors::{ClaimCode, invalid};
use crate::extract::{Named, PlainJson, Query};
use crate::fault::{Answer, Fault};
use crate::routes::export::{ExportQuery, Format};
use crate::routes::paging;
use crate::state::{Server, Shared};
use crate::table::{JSON, Route};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use schemars::JsonSchema;
use serde::Deserialize;
use synod_claims::{ClaimFilter, ClaimSort, MOST, NewClaim, votes};
use synod_types::{Claim, ClaimSource, Scope, Slot};

const PAGE: u32 = 20;
/// Characters of a search.
const LONGEST_SEARCH: usize = 500;
/// Characters of an exported file's name.
const LONGEST_SLUG: usize = 60;

pub fn routes() -> Vec<Route> {
    let named = |method, path, summary, handler| Route::new(method, path, summary, handler).claim_faults(&[ClaimCode::ClaimNotFound]);
    vec![
        Route::new("post", "/api/v1/claims", "Submits a claim; the slots of its first layer are open at once", post(create))
            .scope(Scope::Work)
            .body::<NewClaimBody>()
            .answers::<WithId<Claim>>(201, "The claim")
            .claim_faults(&[ClaimCode::InvalidJson, ClaimCode::ProtocolNotFound, ClaimCode::DuplicateSpam, ClaimCode::ClaimCreateLimited]),
        Route::new("get", "/api/v1/claims", "Claims, the latest first unless told otherwise", get(list))
            .scope(Scope::Read)
            .query::<ListQuery>()
            .answers::<List<Claim>>(200, "A page of them")
            .claim_faults(&[ClaimCode::InvalidSort, ClaimCode::ProtocolNotFound]),
        named("get", "/api/v1/claims/{id}", "A claim", get(show)).scope(Scope::Read).answers::<WithId<Claim>>(200, "The claim"),
        named("post", "/api/v1/claims/{id}/hide", "Hides a claim from all but reviewers, or shows it again", post(hide))
            .scope(Scope::Review)
            .body::<HideBody>()
            .answers::<WithId<Claim>>(200, "The claim")
            .claim_faults(&[ClaimCode::InvalidJson]),
        named("get", "/api/v1/claims/{id}/pipeline", "A claim with its state, protocol, flags, slots, layers and record", get(pipeline))
            .scope(Scope::Read)
            .answers::<WholeClaim>(200, "All that the caller may see"),
        named("get", "/api/v1/claims/{id}/slots", "The slots of a claim, of all layers and attempts", get(slots))
            .scope(Scope::Read)
            .answers::<List<Slot>>(200, "All of them"),
        named("get", "/api/v1/claims/{id}/export", "The whole claim as one text", get(export)).scope(Scope::Read).query::<ExportQuery>().texts(
            200,
            "The text, with a file name",
            &["text/markdown", "text/html", JSON],
        ),
    ]
}

/// A claim to be examined. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewClaimBody {
    title: String,
    body: String,
    /// A protocol's name, or `auto` to have one chosen; without it the server's default.
    #[serde(default)]
    protocol: Option<String>,
    #[serde(default)]
    domain: Option<String>,
    #[serde(default)]
    sources: Option<Vec<ClaimSource>>,
    /// The model that wrote it.
    #[serde(default, alias = "agentModel")]
    author_model: Option<String>,
}

async fn create(State(server): State<Shared>, caller: Caller, PlainJson(body): PlainJson<NewClaimBody>) -> Answer<Response> {
    server.still_open()?;
    let NewClaimBody { title, body, protocol, domain, sources, author_model } = body;
    let author = named_agent(&server, &caller, "authorModel", author_model).await?;
    let most = server.app.config.claims.claims_per_minute();
    let turn = Turn::take(&server, &caller, "claims", most, ClaimCode::ClaimCreateLimited)?;
    let new = NewClaim { title, body, protocol, domain, sources: sources.unwrap_or_default(), ..NewClaim::default() };
    match server.app.claims().create(new, &author).await {
        Ok(claim) => Ok((StatusCode::CREATED, Json(WithId::from(claim))).into_response()),
        Err(error) => {
            turn.give_back();
            Err(error.into())
        }
    }
}

/// One of so many a minute that a key may do. People with an admin's key are not counted.
pub(super) struct Turn<'s> {
    server: &'s Server,
    who: Option<String>,
}

impl<'s> Turn<'s> {
    pub fn take(server: &'s Server, caller: &Caller, what: &str, most: u32, code: ClaimCode) -> Answer<Self> {
        let who = (!caller.is_admin()).then(|| format!("{what} of {}", caller.name()));
        if let Some(who) = &who
            && server.windows.count(who, most).is_err()
        {
            return Err(Fault::claim(code, format!("this key may write {most} {what} a minute")));
        }
        Ok(Self { server, who })
    }

    /// What was refused takes no place.
    pub fn give_back(self) {
        if let Some(who) = &self.who {
            self.server.windows.give_back(who);
        }
    }
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ListQuery {
    /// `latest` unless it is given.
    #[schemars(with = "Option<ClaimSort>")]
    pub sort: Option<String>,
    /// 20 unless it is given.
    #[schemars(range(min = 1, max = 500))]
    pub limit: Option<u32>,
    pub domain: Option<String>,
    /// A protocol's id or name.
    pub protocol_id: Option<String>,
    /// Words that must all occur; the best match comes first, whatever `sort` says.
    #[schemars(length(max = 500))]
    pub q: Option<String>,
    /// `nextCursor` of the page before; of the latest only.
    #[schemars(regex(pattern = r"^[0-9]{1,15}\..+$"))]
    pub cursor: Option<String>,
}

async fn list(State(server): State<Shared>, Query(query): Query<ListQuery>) -> Answer<Json<List<Claim>>> {
    find(&server, query).await
}

pub(super) async fn find(server: &Server, query: ListQuery) -> Answer<Json<List<Claim>>> {
    let sort = sort(query.sort, ClaimSort::parse, &ClaimSort::WORDS)?;
    let limit = limit(query.limit, PAGE, MOST)?;
    let claims = server.app.claims();
    let protocol = match &query.protocol_id {
        Some(given) => Some(claims.protocol(given).await?.protocol.name),
        None => None,
    };
    if let Some(words) = &query.q {
        if words.chars().count() > LONGEST_SEARCH {
            return invalid("q", format!("{} characters", words.chars().count()), format!("at most {LONGEST_SEARCH}"));
        }
        let mut found = claims.search(words, MOST).await?;
        found.retain(|claim| {
            query.domain.as_ref().is_none_or(|domain| *domain == claim.domain) && protocol.as_ref().is_none_or(|name| *name == claim.protocol)
        });
        found.truncate(limit as usize);
        return Ok(Json(List::whole(found)));
    }
    let before = query.cursor.as_deref().map(paging::cursor).transpose()?;
    if before.is_some() && sort != ClaimSort::Latest {
        return invalid("cursor", "one", "none: only the latest have pages");
    }
    // One more than is shown tells whether there is a next page.
    let filter = ClaimFilter { sort, domain: query.domain, protocol, before, limit: Some(limit + 1), ..ClaimFilter::default() };
    let mut found = claims.claims(&filter).await?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let last = found.last().filter(|_| more && sort == ClaimSort::Latest);
    let next_cursor = last.map(|claim| paging::next((claim.created_at, &claim.id)));
    Ok(Json(List { next_cursor, ..List::whole(found) }))
}

async fn show(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Json<WithId<Claim>>> {
    Ok(Json(server.app.claims().claim(&id, &reader(&caller)).await?.into()))
}

/// Whether a claim is hidden, and why. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
struct HideBody {
    /// `spam`, `harassment`, `hate`, `violence`, `sexual`, `misinformation` or `other`. Needed to hide a claim.
    #[serde(default)]
    reason: Option<String>,
    /// False shows it again.
    #[serde(default = "yes")]
    hidden: bool,
}

fn yes() -> bool {
    true
}

async fn hide(State(server): State<Shared>, caller: Caller, Named(id): Named, PlainJson(body): PlainJson<HideBody>) -> Answer<Json<WithId<Claim>>> {
    let by = super::agent(&caller)?;
    let reason = match (body.hidden, body.reason.as_deref()) {
        (true, None) => return invalid("reason", "nothing", format!("one of: {}", synod_claims::HIDING_REASONS.join(", "))),
        (true, reason) => reason,
        (false, _) => None,
    };
    server.app.claims().hide(&id, &by, reason).await?;
    Ok(Json(server.app.claims().claim(&id, &synod_claims::Reader::Reviewer).await?.into()))
}

async fn pipeline(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Json<WholeClaim>> {
    Ok(Json(server.app.claims().view(&id, &reader(&caller)).await?.into()))
}

async fn slots(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Json<List<Slot>>> {
    Ok(Json(List::whole(server.app.claims().view(&id, &reader(&caller)).await?.slots)))
}

async fn export(State(server): State<Shared>, caller: Caller, Named(id): Named, Query(query): Query<ExportQuery>) -> Answer<Response> {
    let view = server.app.claims().view(&id, &reader(&caller)).await?;
    let slug: String = votes::domain_slug(&view.claim.title).chars().take(LONGEST_SLUG).collect();
    let slug = match slug.trim_matches('-') {
        "" => "claim",
        slug => slug,
    };
    let (ending, text) = match query.format {
        Format::Md => ("md", synod_report::claim_markdown(&view)),
        Format::Html => ("html", synod_report::claim_html(&view)),
        Format::Json => ("json", serde_json::to_string_pretty(&WholeClaim::from(view)).unwrap_or_default()),
    };
    // A slug has small letters, digits and dashes only.
    let file = HeaderValue::from_str(&format!("attachment; filename=\"aop-{slug}.{ending}\"")).ok();
    let mut response = query.format.response(text);
    if let Some(file) = file {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, file);
    }
    Ok(response)
}
