//! From flags to a request: every mistake noted, none of them stopping the search for the next.

use crate::args::RequestArgs;
use std::path::Path;
use synod_app::{App, AppError, ChairChoice, FileAccess, LimitChoice, Notes, PanelChoice, RunRequest};
use synod_engine::OptionValue;
use synod_types::{Problem, ProblemCode, Problems, nearest};

/// What to do where nothing is configured and nothing was found.
pub const NOTHING_FOUND: &str = "synod init writes a configuration to start from, synod doctor checks it.";

/// How much of a file's text an error repeats.
const SHOWN_CHARS: usize = 60;

/// What the flags of `ask`, `decide` and `resume --fork` say, and what is wrong with them.
pub fn from_flags(files: &FileAccess, args: &RequestArgs) -> (RunRequest, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut request = RunRequest {
        mode: args.mode.clone(),
        panel: panel(args),
        chair: args.chair.clone().map_or(ChairChoice::OfPanel, ChairChoice::Model),
        limits: limits(args, &mut problems),
        ..RunRequest::default()
    };
    for given in &args.roles {
        match given.split_once('=').filter(|(role, model)| !role.is_empty() && !model.is_empty()) {
            Some((role, model)) => request.roles.push((role.to_owned(), model.to_owned())),
            None => problems.push(Problem::new("role", given.clone(), "ROLE=MODEL")),
        }
    }
    for given in &args.set {
        match given.split_once('=').filter(|(key, _)| !key.is_empty()) {
            Some((key, value)) => {
                let key = key.replace('-', "_");
                request.options.retain(|(known, _)| *known != key);
                match option_value(files, &key, value) {
                    Ok(value) => request.options.push((key, value)),
                    Err(problem) => problems.push(problem),
                }
            }
            None => problems.push(Problem::new("set", given.clone(), "KEY=VALUE")),
        }
    }
    if let Some(given) = &args.limits.seed {
        match given.parse() {
            Ok(seed) => request.seed = Some(seed),
            Err(_) => problems.push(Problem::new("seed", given.clone(), "a whole number of at least 0")),
        }
    }
    (request, problems)
}

fn panel(args: &RequestArgs) -> PanelChoice {
    match (&args.panel, args.models.as_slice()) {
        (Some(name), _) => PanelChoice::Named(name.clone()),
        _ if args.rehearse => PanelChoice::Rehearsal,
        (None, []) => PanelChoice::Standing,
        (None, models) => PanelChoice::Models(models.to_vec()),
    }
}

fn limits(args: &RequestArgs, problems: &mut Vec<Problem>) -> LimitChoice {
    let mut number = |field: &str, given: &Option<String>, want: &str| -> Option<f64> {
        let given = given.as_ref()?;
        let parsed = given.trim_start_matches('$').parse::<f64>().ok().filter(|number| number.is_finite());
        if parsed.is_none() {
            problems.push(Problem::new(field, given.clone(), want));
        }
        parsed
    };
    LimitChoice {
        budget_usd: number("budget", &args.limits.budget, "an amount in US dollars, such as 0.50"),
        deadline_secs: number("deadline", &args.limits.deadline, "a number of seconds above 0"),
        timeout_secs: number("timeout", &args.limits.timeout, "a number of seconds above 0"),
    }
}

/// The file behind an option's value: `@FILE`. A value that shall begin with @ itself is written `@@…`.
fn file_of(value: &str) -> Option<&str> {
    value.strip_prefix('@').filter(|path| !path.starts_with('@'))
}

/// An option's value as given, or as it stands in the file it names. A `.json` file must hold JSON; any other is text, read as if typed.
fn option_value(files: &FileAccess, key: &str, value: &str) -> Result<OptionValue, Problem> {
    let Some(path) = file_of(value) else { return Ok(OptionValue::Text(value.strip_prefix('@').unwrap_or(value).to_owned())) };
    let field = format!("options.{key}");
    if path.is_empty() {
        return Err(Problem::new(field, "@", "@FILE, or @@ for a literal @"));
    }
    let text = files.attach(&field, Path::new(path))?.text;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if !path.to_lowercase().ends_with(".json") {
        return Ok(OptionValue::Text(text.trim_end_matches(['\n', '\r']).to_owned()));
    }
    let read = serde_json::from_str(text).map(OptionValue::Json);
    read.map_err(|error| Problem::new(field, format!("{path}: {error}"), "a file that holds JSON"))
}

/// Makes a plan of a request, says what the user should know first, and names options that came from files by their file.
pub async fn prepare(
    app: &App,
    request: RunRequest,
    args: &RequestArgs,
    problems: Vec<Problem>,
    quiet: bool,
) -> Result<synod_app::PreparedRun, AppError> {
    let mut notes = Notes::default();
    let prepared = app.prepare(request, problems, &mut notes).await;
    // Whoever has to ask again need not hear now that it would have been a rehearsal.
    let quiet = quiet || (prepared.is_err() && notes.nothing_found);
    for note in notes.lines.iter().filter(|_| !quiet) {
        crate::say::note!("{}", synod_report::one_line(note));
    }
    if notes.nothing_found && !quiet {
        crate::say::note!("{NOTHING_FOUND}");
    }
    prepared.map_err(|error| match error {
        AppError::Usage(problems) => Problems(problems.0.into_iter().map(|problem| named_as_flag(named_by_file(problem, args))).collect()).into(),
        error => error,
    })
}

/// An option that no mode has may be one of our own flags misspelt.
fn named_as_flag(problem: Problem) -> Problem {
    match problem.field.strip_prefix("options.") {
        Some(option) if problem.code == ProblemCode::Unknown && problem.got == "unknown option" => {
            let flags = crate::args::flags_of_ask();
            let own = problem.suggestion.clone().map(|option| format!("--{}", option.replace('_', "-")));
            let meant = own.or_else(|| nearest(option, flags.iter().map(String::as_str)).map(|flag| format!("--{flag}")));
            Problem { suggestion: meant, ..problem }
        }
        _ => problem,
    }
}

/// What is wrong with an option that came from a file, with the file's name instead of all that it holds.
fn named_by_file(problem: Problem, args: &RequestArgs) -> Problem {
    let is_it = |key: &str| {
        let within = problem.field.strip_prefix("options.").and_then(|field| field.strip_prefix(&key.replace('-', "_")));
        within.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let given = args.set.iter().rev().filter_map(|given| given.split_once('=')).find(|(key, _)| is_it(key));
    match given.and_then(|(_, value)| file_of(value)) {
        Some(path) if problem.got.starts_with(path) || path.is_empty() => problem,
        Some(path) if problem.got.chars().count() > SHOWN_CHARS => {
            let head: String = problem.got.chars().take(SHOWN_CHARS).collect();
            Problem { got: format!("{path}: {head} …"), ..problem }
        }
        Some(path) => Problem { got: format!("{path}: {}", problem.got), ..problem },
        None => problem,
    }
}
