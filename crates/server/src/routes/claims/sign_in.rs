//! Signing in without a key: a program shows a code, a person approves it at the server's machine or with an admin's key, and the program's next
//! question is answered with a key of its own.

use super::name;
use crate::caller::{Address, Caller};
use crate::claim_errors::{ClaimCode, invalid};
use crate::extract::PlainJson;
use crate::fault::{Answer, Fault};
use crate::state::{Server, Shared};
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_app::{CODE_LASTS_SECS, DeviceProblem, SignIn};
use synod_types::{Scope, sha256_hex};

/// How long a program waits before it asks again.
const INTERVAL_SECS: u32 = 5;
/// Sign-ins begun, a minute and address.
const CODES_PER_MINUTE: u32 = 10;
/// Questions about one sign-in a minute, and about all of one address.
const POLLS_PER_MINUTE: u32 = 20;
const POLLS_OF_ADDRESS: u32 = 60;
/// Codes that stand for nothing, a minute and address.
const WRONG_PER_MINUTE: u32 = 10;
/// What a program goes by that does not say what it is.
const NAMELESS: &str = "agent";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("post", "/api/v1/auth/device-code", "Begins a sign-in", post(begin))
            .body::<DeviceBody>()
            .answers::<DeviceCodes>(200, "A code for the program, and one for the person who approves")
            .claim_faults(&[ClaimCode::InvalidJson]),
        Route::new("post", "/api/v1/auth/token", "How a sign-in stands; the first answer after the approval has the key", post(token))
            .body::<TokenBody>()
            .answers::<Approved>(200, "The key, told this once")
            .answers::<Pending>(202, "Nobody has approved it yet")
            .claim_faults(&[
                ClaimCode::InvalidJson,
                ClaimCode::InvalidDeviceCode,
                ClaimCode::ExpiredToken,
                ClaimCode::ConsumedToken,
                ClaimCode::SlowDown,
            ]),
        Route::new("post", "/api/v1/auth/approve", "Approves a sign-in", post(approve))
            .scope(Scope::Admin)
            .body::<ApproveBody>()
            .answers::<Approval>(200, "Whose key it becomes")
            .claim_faults(&[
                ClaimCode::InvalidJson,
                ClaimCode::InvalidDeviceCode,
                ClaimCode::ExpiredToken,
                ClaimCode::ConsumedToken,
                ClaimCode::AlreadyApproved,
            ]),
        Route::new("get", "/device", "How a sign-in is approved", get(page)).texts(200, "The command", &["text/plain"]),
    ]
}

/// What the program is. Other fields are ignored: its key always reads and works.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
struct DeviceBody {
    #[schemars(length(max = 200))]
    agent_name: Option<String>,
    #[schemars(length(max = 200))]
    agent_model: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeviceCodes {
    /// For the program alone.
    device_code: String,
    /// For the person: four letters, a dash, four digits.
    user_code: String,
    verification_uri: String,
    /// Seconds.
    expires_in: u32,
    /// Seconds between two questions.
    interval: u32,
}

async fn begin(
    State(server): State<Shared>,
    Address(from): Address,
    headers: HeaderMap,
    PlainJson(body): PlainJson<DeviceBody>,
) -> Answer<Json<DeviceCodes>> {
    server.still_open()?;
    let limited = |what: String| Fault::claim(ClaimCode::AuthRateLimited, what);
    let counted = server.windows.count(&format!("sign-ins of {from}"), CODES_PER_MINUTE);
    counted.map_err(|_| limited(format!("{CODES_PER_MINUTE} sign-ins a minute")))?;
    let agent_name = name("agentName", body.agent_name)?.unwrap_or_else(|| NAMELESS.to_owned());
    let agent_model = name("agentModel", body.agent_model)?;
    match server.app.new_device(&agent_name, agent_model.as_deref()).await? {
        Ok(code) => Ok(Json(DeviceCodes {
            device_code: code.device_code,
            user_code: code.user_code,
            verification_uri: format!("{}/device", origin(&server, &headers)),
            expires_in: CODE_LASTS_SECS,
            interval: INTERVAL_SECS,
        })),
        Err(_) => Err(limited("too many sign-ins wait to be approved".to_owned())),
    }
}

/// Where this server is, as others call it.
fn origin(server: &Server, headers: &HeaderMap) -> String {
    match &server.app.config.server.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => format!("http://{}", headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost")),
    }
}

/// Which sign-in. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TokenBody {
    device_code: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Pending {
    /// `pending`.
    status: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Approved {
    /// `approved`.
    status: &'static str,
    api_key: String,
    scopes: Vec<Scope>,
}

async fn token(State(server): State<Shared>, Address(from): Address, PlainJson(body): PlainJson<TokenBody>) -> Answer<Response> {
    let too_fast = || Fault::claim(ClaimCode::SlowDown, format!("ask every {INTERVAL_SECS} seconds"));
    server.windows.count(&format!("polls of {from}"), POLLS_OF_ADDRESS).map_err(|_| too_fast())?;
    server.windows.count(&format!("polls of {}", sha256_hex(&body.device_code)), POLLS_PER_MINUTE).map_err(|_| too_fast())?;
    match server.app.sign_in(&body.device_code).await?.map_err(fault)? {
        SignIn::Pending => Ok((StatusCode::ACCEPTED, Json(Pending { status: "pending" })).into_response()),
        SignIn::Approved { key, secret } => {
            tracing::info!(key = key.id, owner = key.owner, "an agent has signed in");
            Ok(Json(Approved { status: "approved", api_key: secret, scopes: key.scopes }).into_response())
        }
    }
}

fn fault(problem: DeviceProblem) -> Fault {
    let (code, what) = match problem {
        DeviceProblem::Unknown => (ClaimCode::InvalidDeviceCode, "nothing waits under this code"),
        DeviceProblem::Expired => (ClaimCode::ExpiredToken, "the code has run out; begin the sign-in anew"),
        DeviceProblem::Approved => (ClaimCode::AlreadyApproved, "this code was approved already"),
        DeviceProblem::Consumed => (ClaimCode::ConsumedToken, "the key was handed out already; begin the sign-in anew"),
        DeviceProblem::Full => (ClaimCode::AuthRateLimited, "too many sign-ins wait to be approved"),
    };
    Fault::claim(code, what)
}

/// Whom to let in. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ApproveBody {
    /// As the program shows it.
    user_code: String,
    /// Whose key it becomes; without it the program's own name.
    #[serde(default)]
    owner: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Approval {
    ok: bool,
    user_code: String,
    agent_name: String,
    agent_model: Option<String>,
    owner: String,
}

async fn approve(
    State(server): State<Shared>,
    caller: Caller,
    Address(from): Address,
    PlainJson(body): PlainJson<ApproveBody>,
) -> Answer<Json<Approval>> {
    let owner = name("owner", body.owner)?;
    if body.user_code.len() > 40 {
        return invalid("userCode", "too much", "four letters and four digits");
    }
    let wrong = format!("wrong codes of {from}");
    let guessed = |_| Fault::claim(ClaimCode::AuthRateLimited, format!("{WRONG_PER_MINUTE} wrong codes a minute"));
    server.windows.room(&wrong, WRONG_PER_MINUTE).map_err(guessed)?;
    match server.app.approve_device(&body.user_code, owner.as_deref(), &caller.owner()).await? {
        Ok(request) => {
            let owner = request.owner().to_owned();
            Ok(Json(Approval { ok: true, user_code: request.user_code, agent_name: request.agent_name, agent_model: request.agent_model, owner }))
        }
        Err(problem) => {
            let _ = server.windows.count(&wrong, WRONG_PER_MINUTE);
            Err(fault(problem))
        }
    }
}

const PAGE: &str = "To let an agent in, run this on the server's machine, with the code that the agent shows:

    synod key approve CODE

The agent's key can then read, and work on claims. Approve only a code that you have asked an agent for.
";

async fn page(_: State<Shared>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], PAGE).into_response()
}
