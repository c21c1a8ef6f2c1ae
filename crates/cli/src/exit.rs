//! How a command ends: an exit code, and one document or message that says why. What the core tells by code and field is put into the words
//! of the command line here.

use crate::say::say;
use serde_json::{Value, json};
use synod_app::AppError;
use synod_report::{clean, one_line};
use synod_types::{Problem, ProblemCode};

/// One document on standard output, with nothing in it that a terminal might obey.
pub fn print_json(document: &impl serde::Serialize) {
    say!("{}", synod_report::json_text(&serde_json::to_value(document).unwrap_or_default()));
}

pub const DECIDED: u8 = 0;
pub const BROKEN: u8 = 1;
pub const USAGE: u8 = 2;
pub const UNDECIDED: u8 = 3;
pub const STOPPED: u8 = 4;

pub type CliResult<T = u8> = Result<T, AppError>;

pub fn usage(field: &str, got: impl Into<String>, want: impl Into<String>) -> AppError {
    AppError::usage(Problem::new(field, got, want))
}

pub fn code_of(error: &AppError) -> u8 {
    match error {
        AppError::Usage(_) => USAGE,
        AppError::Broken { .. } => BROKEN,
    }
}

pub fn json_of(error: &AppError) -> Value {
    match error {
        AppError::Usage(problems) => {
            let told = |problem: &Problem| {
                let mut told = serde_json::to_value(problem).unwrap_or_default();
                if let Some(hint) = hint(problem) {
                    told["hint"] = json!(hint);
                }
                told
            };
            json!({ "errors": problems.0.iter().map(told).collect::<Vec<_>>() })
        }
        AppError::Broken { field, detail, want } => json!({"errors": [{"code": "broken", "field": field, "got": detail, "want": want}]}),
    }
}

/// As many as a screen holds: thousands of cards can share one mistake.
const MOST_TOLD: usize = 30;

/// For a person: what happened, to what, what would be right, and how to get there.
pub fn text_of(error: &AppError) -> String {
    match error {
        AppError::Usage(problems) => {
            let more = problems.0.len().saturating_sub(MOST_TOLD);
            let more = (more > 0).then(|| format!("  … and {more} more: mend these first, or --json tells them all."));
            let lines: Vec<String> = problems.0.iter().take(MOST_TOLD).map(told).chain(more).collect();
            let head = match problems.0.len() {
                1 => "One thing is wrong; nothing was run.".to_owned(),
                n => format!("{n} things are wrong; nothing was run."),
            };
            format!("{head}\n{}", lines.join("\n"))
        }
        AppError::Broken { field, detail, want } => {
            let next = match field.as_str() {
                "db" => "--db PATH names another",
                "journal" => "synod verify RUN says what was altered",
                _ => "",
            };
            let lines = [want.as_str(), next].into_iter().filter(|line| !line.is_empty());
            let below: String = lines.map(|line| format!("\n      {line}")).collect();
            clean(&format!("{field}: {detail}{below}"))
        }
    }
}

fn told(problem: &Problem) -> String {
    let meant = problem.suggestion.as_ref().map(|meant| format!("\n      did you mean {:?}?", one_line(meant))).unwrap_or_default();
    let text = format!("  {}: {}{meant}\n      want: {}", one_line(&problem.field), clean(&problem.got), clean(&problem.want));
    match hint(problem) {
        Some(hint) => format!("{text}\n      hint: {}", one_line(&hint)),
        None => text,
    }
}

/// What to type, where a flag or a command helps.
fn hint(problem: &Problem) -> Option<String> {
    if problem.code == ProblemCode::NoKey {
        // Of a key that is not set the variable stands first in what was found; of one that is refused it is the field.
        let variable = if problem.field.contains('.') { problem.got.split(' ').next().unwrap_or_default() } else { problem.field.as_str() };
        return Some(format!("export {variable}=…"));
    }
    fixed_hint(problem).map(str::to_owned)
}

fn fixed_hint(problem: &Problem) -> Option<&'static str> {
    use ProblemCode::*;
    Some(match (problem.field.as_str(), problem.code) {
        ("key", Missing) => "synod key new OWNER makes one; synod serve without --addr and --require-key listens to this machine alone",
        ("key", Unknown) => "synod key list shows them",
        ("question", Missing) => "synod ask \"…\", or - to read it from standard input",
        ("question", TooMuch) => "--file and --content attach what is longer",
        ("mode", Unknown) => "synod modes explains each",
        ("models", TooFew) => "--models A,B,C names the panel; synod models lists what can be named, synod doctor finds what does not answer",
        ("models", TooMuch) => "--models A,B,C names the panel",
        (_, Untrusted) => "--trust, for this once",
        (_, Unreachable) => "synod doctor looks closer; synod models lists what answers",
        ("chair" | "light", Unknown) => "synod models lists what can be named",
        (field, Unknown) if field.starts_with("models[") => "synod models lists what can be named",
        ("role", Conflict) => "--models seats the panel, --chair the chair, --role ROLE=MODEL one other role",
        ("role", Unknown) => "--role ROLE=MODEL",
        ("claim", Conflict) => "synod claim resume last goes on with a claim that was left",
        ("claim", Unknown) => "synod claim list shows them",
        ("protocol", Unknown) => "synod claim protocols lists them",
        ("conversation", _) => "--conversation new, or an id that an earlier ask printed",
        ("run", Unknown) if problem.got.contains("no runs yet") => "synod ask \"…\" makes one",
        ("run", Unknown) => "synod runs lists them",
        ("run", Conflict) => "synod watch RUN follows it, synod cancel RUN stops it",
        ("run", OtherVersion) => "synod resume RUN --fork starts a new run from it; show, verify and export work as they are",
        ("run", Ended) => "synod resume RUN --fork starts a new run from it",
        ("continue", _) => "synod resume RUN goes on with a stopped run, synod resume RUN --fork starts a new one from it",
        (_, Frozen) => "--fork starts a new run with another",
        ("options.personas" | "options.deck", Unknown) => "synod persona list names them",
        (field, Unknown) if field.starts_with("options.") => "synod modes MODE lists its options",
        ("db", _) => "--db PATH, or SYNOD_DB",
        ("today", _) => "SYNOD_TODAY fixes the date; without it the clock's is taken",
        ("config", Missing) => "synod init --here",
        _ if problem.want.contains("persona's fields") => "synod persona show actuary --file prints one",
        _ => return None,
    })
}
