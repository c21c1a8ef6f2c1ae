//! `synod key`: who may call the server, and how much of it.

use crate::args::Global;
use crate::args::server::{KeyCommand, KeyNew};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::{note, say};
use serde_json::json;
use synod_app::DeviceProblem;
use synod_report::{moment, one_line};
use synod_types::{AccessKey, KeyLimits, LOCAL, Problem, Problems, Scope};

pub async fn run(global: &Global, command: KeyCommand) -> CliResult {
    let door = Door::open(global, true).await?;
    match command {
        KeyCommand::New(args) => new(&door, args).await?,
        KeyCommand::List => list(&door).await?,
        KeyCommand::Approve { code, owner } => approve(&door, &code, owner.as_deref()).await?,
        KeyCommand::Revoke { id } => {
            door.revoke_key(&id).await?;
            if door.json {
                print_json(&json!({ "revoked": id }));
            } else {
                note!("{id} opens nothing any more. Runs that it began go on; synod cancel stops them.");
            }
        }
    }
    door.close().await;
    Ok(DECIDED)
}

async fn new(door: &Door, args: KeyNew) -> CliResult<()> {
    let mut problems = Vec::new();
    let mut scopes = Vec::new();
    for given in args.scopes.iter().map(|scope| scope.trim()).filter(|scope| !scope.is_empty()) {
        match Scope::parse(given) {
            Some(scope) => scopes.push(scope),
            None => {
                let known = Scope::WORDS;
                problems.push(Problem::new("scopes", given, format!("one of: {}", known.join(", "))).unknown(given, known));
            }
        }
    }
    if scopes.is_empty() && problems.is_empty() {
        problems.push(Problem::new("scopes", "nothing", "at least one scope"));
    }
    if args.owner.trim().is_empty() {
        problems.push(Problem::new("owner", "nothing", "whose key it is"));
    }
    if args.usd_per_day.is_some_and(|usd| !(usd.is_finite() && usd >= 0.0)) {
        problems.push(Problem::new("usd-per-day", args.usd_per_day.unwrap_or_default().to_string(), "an amount in US dollars"));
    }
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    scopes.sort();
    scopes.dedup();
    let usual = if args.guest { KeyLimits::GUEST } else { KeyLimits::default() };
    let limits = KeyLimits {
        requests_per_minute: args.requests_per_minute.or(usual.requests_per_minute),
        runs_per_day: args.runs_per_day.or(usual.runs_per_day),
        concurrent_runs: args.concurrent_runs.or(usual.concurrent_runs),
        calls_per_day: args.calls_per_day.or(usual.calls_per_day),
        usd_per_day: args.usd_per_day.or(usual.usd_per_day),
        ..usual
    };
    let made = door.new_key(args.owner.trim(), scopes, limits).await?;
    if door.json {
        print_json(&json!({ "key": made.secret, "id": made.key.id, "owner": made.key.owner, "scopes": made.key.scopes, "limits": made.key.limits }));
    } else {
        say!("{}", made.secret);
        note!(
            "Key {} of {}: {}. It is shown this once; send it as \"Authorization: Bearer KEY\".",
            made.key.id,
            one_line(&made.key.owner),
            may(&made.key)
        );
    }
    Ok(())
}

/// Approves a sign-in. The key itself goes to the agent, the next time it asks.
async fn approve(door: &Door, code: &str, owner: Option<&str>) -> CliResult<()> {
    let owner = owner.map(str::trim);
    if owner.is_some_and(|owner| owner.is_empty() || owner.chars().count() > 200 || owner.chars().any(char::is_control)) {
        return Err(Problem::new("owner", "something else", "whose key it becomes: at most 200 characters on one line").into());
    }
    let request = door.approve_device(code, owner, LOCAL).await?.map_err(|problem| {
        let got = match problem {
            DeviceProblem::Expired => "it has run out",
            DeviceProblem::Approved => "it was approved already",
            DeviceProblem::Consumed => "its key was handed out already",
            DeviceProblem::Unknown | DeviceProblem::Full => "nothing waits under it",
        };
        let want = "the code that an agent shows; it is good for 15 minutes, and once";
        Problems::from(Problem::new("code", format!("{}: {got}", one_line(code)), want))
    })?;
    if door.json {
        print_json(&json!({
            "approved": request.user_code, "agent": request.agent_name, "model": request.agent_model, "owner": request.owner(),
        }));
    } else {
        let model = request.agent_model.as_deref().map(|model| format!(" ({})", one_line(model))).unwrap_or_default();
        note!(
            "{} is approved. {}{model} gets a key of {} when it next asks: read, work; 60 requests a minute.",
            request.user_code,
            one_line(&request.agent_name),
            one_line(request.owner())
        );
    }
    Ok(())
}

async fn list(door: &Door) -> CliResult<()> {
    let keys = door.keys().await?;
    if door.json {
        print_json(&json!({ "keys": keys }));
        return Ok(());
    }
    if keys.is_empty() {
        note!("There are no keys yet: synod key new OWNER makes one.");
    }
    for key in &keys {
        let revoked = key.revoked_at.map(|at| format!(", revoked {}", moment(at))).unwrap_or_default();
        say!("{}  {}  made {}{revoked}", key.id, one_line(&key.owner), moment(key.created_at));
        say!("    {}", may(key));
    }
    Ok(())
}

/// `read, run; 3 runs a minute, 2 at once`.
fn may(key: &AccessKey) -> String {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    let limits = &key.limits;
    let counts = [
        (limits.requests_per_minute, "requests a minute"),
        (limits.runs_per_minute, "runs a minute"),
        (limits.runs_per_hour, "runs an hour"),
        (limits.runs_per_day, "runs a day"),
        (limits.concurrent_runs, "runs at once"),
        (limits.calls_per_day, "calls a day"),
    ];
    let mut limited: Vec<String> = counts.iter().filter_map(|(most, what)| Some(format!("{} {what}", (*most)?))).collect();
    limited.extend(limits.usd_per_day.map(|usd| format!("${usd} a day")));
    let limited = if limited.is_empty() { "no limits".to_owned() } else { limited.join(", ") };
    format!("{}; {limited}", scopes.join(", "))
}
