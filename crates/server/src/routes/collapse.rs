//! Weighted collapse: cards scored by arithmetic alone, and decisions made of them.

use super::start::{self, Waiting, begin_request, once_of};
use crate::caller::Caller;
use crate::errors::Code;
use crate::extract::{self, Named};
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use synod_app::{ChairChoice, LimitChoice, PanelChoice, RunRequest, decision_from};
use synod_modes::collapse::card::Card;
use synod_modes::collapse::policy::{Policy, RiskCombine, SignMode, Weights};
use synod_modes::collapse::{self, ScoreEntry, file};
use synod_report::Snapshot;
use synod_types::{Problem, Scope, sha256_hex};

/// Scored at once.
const MOST_CARDS: usize = 1000;

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("post", "/v1/collapse/score", "Scores cards. No model is asked and nothing is kept", post(score))
            .scope(Scope::Read)
            .body::<ScoreBody>()
            .answers::<Scores>(200, "The scores, in the order of the cards")
            .faults(&[Code::InvalidCards, Code::MixedCostUnits]),
        Route::new("post", "/v1/collapse", "Begins a decision between cards, with no model at all unless some are named", post(decide))
            .scope(Scope::Run)
            .body::<DecisionBody>()
            .header("Idempotency-Key", start::IDEMPOTENCY, start::idempotency_key())
            .answers::<Snapshot>(200, "The run that an earlier request with this idempotency key began")
            .answers::<Snapshot>(202, "The run, under way")
            .faults(&[Code::InvalidCards, Code::MixedCostUnits, Code::OtherBody, Code::ShuttingDown]),
        Route::new("get", "/v1/collapse/{id}", "A decision as it is now", get(show))
            .scope(Scope::Read)
            .answers::<Snapshot>(200, "The run: positions, gates, scores and panel are among its stages")
            .faults(&[Code::Gone]),
    ]
}

/// Cards, and what of the policy is other than usual.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScoreBody {
    #[schemars(length(min = 1, max = MOST_CARDS))]
    cards: Vec<Card>,
    #[serde(default)]
    weights: Option<Weights>,
    #[serde(default)]
    sign_mode: Option<SignMode>,
    #[serde(default)]
    risk_combine: Option<RiskCombine>,
}

#[derive(Serialize, JsonSchema)]
struct Scores {
    scores: Vec<ScoreEntry>,
}

async fn score(body: Result<extract::Json<ScoreBody>, Fault>) -> Answer<Json<Scores>> {
    let extract::Json(ScoreBody { cards, weights, sign_mode, risk_combine }) = body.map_err(about_cards)?;
    let usual = Policy::default();
    let policy = Policy {
        weights: weights.unwrap_or(usual.weights),
        sign_mode: sign_mode.unwrap_or(usual.sign_mode),
        risk_combine: risk_combine.unwrap_or(usual.risk_combine),
        ..usual
    };
    if !(1..=MOST_CARDS).contains(&cards.len()) {
        return Err(cards_fault(vec![Problem::new("cards", format!("{} cards", cards.len()), format!("1 to {MOST_CARDS} cards"))]));
    }
    let problems = collapse::problems_of(&cards, &policy);
    if !problems.is_empty() {
        return Err(cards_fault(problems));
    }
    Ok(Json(Scores { scores: collapse::score_cards(cards, &policy) }))
}

/// A decision file as a body: the objective, the cards, and what they are judged by.
struct DecisionBody;

impl JsonSchema for DecisionBody {
    fn schema_name() -> Cow<'static, str> {
        "DecisionBody".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = file::schema(false);
        if let (Some(properties), Value::Object(own)) = (schema["properties"].as_object_mut(), synod_engine::schema_of::<Seating>()) {
            properties.extend(own.get("properties").and_then(Value::as_object).cloned().unwrap_or_default());
        }
        if let Some(map) = schema.as_object_mut() {
            map.remove("$schema");
        }
        Schema::try_from(schema).unwrap_or_default()
    }
}

/// Who weighs the cards beside the arithmetic, and what it may cost.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Seating {
    /// Models of the panel that weighs the cards. Left out: nobody is asked.
    models: Vec<String>,
    /// Built-in voices instead of models.
    rehearse: bool,
    /// The most that may be spent, in US dollars.
    budget_usd: Option<f64>,
}

async fn decide(
    State(server): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Result<extract::Json<Map<String, Value>>, Fault>,
) -> Answer<Response> {
    let extract::Json(mut body) = body?;
    let once = once_of(&headers, sha256_hex(format!("collapse\n{}", Value::Object(body.clone()))))?;
    let mut seating = Map::new();
    for name in ["models", "rehearse", "budget_usd"] {
        if let Some(value) = body.shift_remove(name) {
            seating.insert(name.into(), value);
        }
    }
    let seating: Seating = extract::read(Value::Object(seating).to_string().as_bytes())?;
    let panel = match (seating.models, seating.rehearse) {
        (models, false) if models.is_empty() => PanelChoice::Nobody,
        (models, false) => PanelChoice::Models(models),
        (models, true) if models.is_empty() => PanelChoice::Rehearsal,
        _ => return Err(Fault::problem(Problem::new("rehearse", "models are named too", "models or rehearse, not both"))),
    };
    let decision = decision_from(Value::Object(body)).map_err(|problems| match problems.0.as_slice() {
        // A body without an objective or cards is no decision at all.
        some if some.iter().any(|problem| ["objective", "cards"].contains(&problem.field.as_str())) => Fault::of(Code::Invalid, problems.0),
        _ => cards_fault(problems.0),
    })?;
    let limits = LimitChoice { budget_usd: seating.budget_usd, ..LimitChoice::default() };
    let request = RunRequest { panel, chair: ChairChoice::Nobody, limits, principal: caller.principal(), ..decision };
    begin_request(&server, &caller, once, request, Vec::new(), Waiting::NOT).await
}

async fn show(State(server): State<Shared>, caller: Caller, Named(id): Named) -> Answer<Response> {
    let run = server.run(&caller, &id).await?;
    if run.mode != collapse::MODE.id {
        return Err(Fault::new(Code::NotFound, format!("run {id} is a {}, not a decision between cards", run.mode)));
    }
    start::answer(&server, StatusCode::OK, &id).await
}

/// What is wrong with the fields of cards is 422 here; anything else stays what it is.
fn about_cards(fault: Fault) -> Fault {
    if fault.code == Code::Invalid && !fault.problems.iter().any(|problem| problem.field == "body") { cards_fault(fault.problems) } else { fault }
}

fn cards_fault(problems: Vec<Problem>) -> Fault {
    let mixed = problems.iter().all(|problem| problem.got.contains("mixed_cost_units"));
    Fault::of(if mixed { Code::MixedCostUnits } else { Code::InvalidCards }, problems)
}
