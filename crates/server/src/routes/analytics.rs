//! Numbers over many runs, and the runs behind them.

use super::paging;
use crate::caller::Caller;
use crate::extract::Query;
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::routing::get;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_app::{Analytics, AnalyticsRequest, Range, RunBehind};
use synod_engine::{Clock, SystemClock};
use synod_modes::MODES;
use synod_types::{Problem, Scope};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/v1/analytics", "What models and modes did, day by day, with the runs behind each number", get(analytics))
            .scope(Scope::Read)
            .query::<AnalyticsQuery>()
            .answers::<Analytics>(200, "The numbers of the caller's runs; an admin key sees everybody's"),
        Route::new("get", "/v1/analytics/runs", "The runs behind a number, newest first", get(behind))
            .scope(Scope::Read)
            .query::<BehindQuery>()
            .answers::<BehindPage>(200, "A page of them"),
    ]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct AnalyticsQuery {
    /// How far back: whole days of UTC, today among them. Else: 30 days.
    range: Option<Range>,
    /// Only this mode.
    mode: Option<String>,
    /// Only this model.
    model: Option<String>,
    /// Rehearsals too.
    rehearsals: Option<bool>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct BehindQuery {
    /// How far back: whole days of UTC, today among them. Else: 30 days.
    range: Option<Range>,
    /// Only this mode.
    mode: Option<String>,
    /// Only runs in which this model took part; with a figure, only those in which it has it.
    model: Option<String>,
    /// Rehearsals too.
    rehearsals: Option<bool>,
    /// Only runs that recorded this figure.
    figure: Option<String>,
    /// And of it this label.
    label: Option<String>,
    /// At most so many, up to 200.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// `next` of the page before.
    #[schemars(regex(pattern = r"^[0-9]{1,15}\..+$"))]
    after: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct BehindPage {
    runs: Vec<RunBehind>,
    /// Give it as `after` for the next page; null on the last.
    next: Option<String>,
}

fn request(caller: &Caller, range: Option<Range>, mode: Option<String>, model: Option<String>, rehearsals: Option<bool>) -> Answer<AnalyticsRequest> {
    paging::known_mode(mode.as_deref())?;
    Ok(AnalyticsRequest { range: range.unwrap_or_default(), mode, model, rehearsals: rehearsals.unwrap_or(false), principal: caller.only() })
}

async fn analytics(State(server): State<Shared>, caller: Caller, Query(query): Query<AnalyticsQuery>) -> Answer<Json<Analytics>> {
    let request = request(&caller, query.range, query.mode, query.model, query.rehearsals)?;
    Ok(Json(server.app.analytics(&request, SystemClock.now()).await?))
}

async fn behind(State(server): State<Shared>, caller: Caller, Query(query): Query<BehindQuery>) -> Answer<Json<BehindPage>> {
    let limit = paging::size(query.limit)?;
    if query.label.is_some() && query.figure.is_none() {
        return Err(Fault::problem(Problem::new("label", "a label without a figure", "the figure it is a label of")));
    }
    if let Some(name) = query.figure.as_deref() {
        let of_mode = MODES.iter().filter(|mode| query.mode.as_deref().is_none_or(|only| only == mode.id));
        let mut known: Vec<&str> = of_mode.flat_map(|mode| mode.figures).map(|figure| figure.name).collect();
        known.sort_unstable();
        known.dedup();
        if !known.contains(&name) {
            let given: String = name.chars().take(100).collect();
            return Err(Fault::problem(Problem::new("figure", given.clone(), format!("one of: {}", known.join(", "))).unknown(&given, known)));
        }
    }
    let request = request(&caller, query.range, query.mode, query.model, query.rehearsals)?;
    let before = query.after.as_deref().map(paging::cursor).transpose()?;
    let figure = query.figure.as_deref().map(|name| (name, query.label.as_deref()));
    let (runs, next) = server.app.runs_behind(&request, figure, before, limit, SystemClock.now()).await?;
    Ok(Json(BehindPage { runs, next: next.map(|(at, run)| paging::next((at, &run))) }))
}
