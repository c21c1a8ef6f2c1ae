//! From flags to an order: every mistake noted, none of them stopping the search for the next.

use crate::args::OrderArgs;
use crate::exit::CliResult;
use std::path::Path;
use synod_engine::{OptionValue, PanelRequest, Plan, RunRequest, Runner};
use synod_types::{Attachment, Problem, Problems, sha256_hex};

/// The largest text file that makes sense in a prompt.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;
/// How much of a file's text an error repeats.
const SHOWN_CHARS: usize = 60;

/// Puts what the flags say on top of an order.
pub fn apply(args: &OrderArgs, order: &mut RunRequest, problems: &mut Vec<Problem>) {
    if let Some(mode) = &args.mode {
        order.mode.clone_from(mode);
    }
    if let Some(chair) = &args.chair {
        order.panel.chair = Some(chair.clone());
    }
    for given in &args.roles {
        match given.split_once('=').filter(|(role, model)| !role.is_empty() && !model.is_empty()) {
            Some((role, model)) => {
                order.panel.roles.retain(|(known, _)| known != role);
                order.panel.roles.push((role.to_owned(), model.to_owned()));
            }
            None => problems.push(Problem::new("role", given.clone(), "ROLE=MODEL")),
        }
    }
    for given in &args.set {
        match given.split_once('=').filter(|(key, _)| !key.is_empty()) {
            Some((key, value)) => {
                let key = key.replace('-', "_");
                order.options.retain(|(known, _)| *known != key);
                match option_value(&key, value) {
                    Ok(value) => order.options.push((key, value)),
                    Err(problem) => problems.push(problem),
                }
            }
            None => problems.push(Problem::new("set", given.clone(), "KEY=VALUE")),
        }
    }
    let mut number = |field: &str, given: &Option<String>, want: &str| -> Option<f64> {
        let given = given.as_ref()?;
        let parsed = given.trim_start_matches('$').parse::<f64>().ok().filter(|number| number.is_finite());
        if parsed.is_none() {
            problems.push(Problem::new(field, given.clone(), want));
        }
        parsed
    };
    order.budget_usd = number("budget", &args.budget, "an amount in US dollars, such as 0.50").or(order.budget_usd);
    order.deadline_secs = number("deadline", &args.deadline, "a number of seconds above 0").or(order.deadline_secs);
    order.timeout_secs = number("timeout", &args.timeout, "a number of seconds above 0").or(order.timeout_secs);
    if let Some(given) = &args.seed {
        match given.parse() {
            Ok(seed) => order.seed = Some(seed),
            Err(_) => problems.push(Problem::new("seed", given.clone(), "a whole number of at least 0")),
        }
    }
}

/// The file behind an option's value: `@FILE`. A value that shall begin with @ itself is written `@@…`.
fn file_of(value: &str) -> Option<&str> {
    value.strip_prefix('@').filter(|path| !path.starts_with('@'))
}

/// An option's value as given, or as it stands in the file it names. A `.json` file must hold JSON; any other is text, read as if typed.
pub fn option_value(key: &str, value: &str) -> Result<OptionValue, Problem> {
    let Some(path) = file_of(value) else { return Ok(OptionValue::Text(value.strip_prefix('@').unwrap_or(value).to_owned())) };
    let field = format!("options.{key}");
    if path.is_empty() {
        return Err(Problem::new(field, "@", "@FILE, or @@ for a literal @"));
    }
    let text = attach(&field, Path::new(path))?.text;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if !path.to_lowercase().ends_with(".json") {
        return Ok(OptionValue::Text(text.trim_end_matches(['\n', '\r']).to_owned()));
    }
    let read = serde_json::from_str(text).map(OptionValue::Json);
    read.map_err(|error| Problem::new(field, format!("{path}: {error}"), "a file that holds JSON"))
}

/// The models named by flags, or those of a panel.
pub fn call(args: &OrderArgs, panel: PanelRequest) -> PanelRequest {
    if args.models.is_empty() {
        return PanelRequest { chair: args.chair.clone().or(panel.chair), ..panel };
    }
    PanelRequest {
        models: args.models.iter().map(|model| model.trim().to_owned()).collect(),
        chair: args.chair.clone(),
        light: panel.light,
        ..PanelRequest::default()
    }
}

/// Plans an order, and tells its problems together with those the flags already had.
pub async fn plan(runner: &Runner, order: &RunRequest, args: &OrderArgs, mut problems: Vec<Problem>) -> CliResult<Plan> {
    match runner.plan(order).await {
        Ok(plan) if problems.is_empty() => return Ok(plan),
        Ok(_) => {}
        Err(found) => problems.extend(found.0.into_iter().map(|problem| named_by_file(problem, args))),
    }
    Err(Problems(problems).into())
}

/// What is wrong with an option that came from a file, with the file's name instead of all that it holds.
fn named_by_file(problem: Problem, args: &OrderArgs) -> Problem {
    let is_it = |key: &str| {
        let within = problem.field.strip_prefix("options.").and_then(|field| field.strip_prefix(&key.replace('-', "_")));
        within.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let given = args.set.iter().rev().filter_map(|given| given.split_once('=')).find(|(key, _)| is_it(key));
    match given.and_then(|(_, value)| file_of(value)) {
        Some(path) if problem.got.chars().count() > SHOWN_CHARS => {
            let head: String = problem.got.chars().take(SHOWN_CHARS).collect();
            Problem { got: format!("{path}: {head} …"), ..problem }
        }
        Some(path) => Problem { got: format!("{path}: {}", problem.got), ..problem },
        None => problem,
    }
}

/// A text file to attach, or what is wrong with it.
pub fn attach(field: &str, path: &Path) -> Result<Attachment, Problem> {
    let shown = path.display().to_string();
    let size = std::fs::metadata(path).map_err(|error| Problem::new(field, format!("{shown}: {error}"), "a file that can be read"))?.len();
    if size > LARGEST_FILE {
        return Err(Problem::new(field, format!("{shown} has {size} bytes"), format!("at most {LARGEST_FILE} bytes of text")));
    }
    let bytes = std::fs::read(path).map_err(|error| Problem::new(field, format!("{shown}: {error}"), "a file that can be read"))?;
    let text = String::from_utf8(bytes).map_err(|_| Problem::new(field, format!("{shown} is not text"), "a text file in UTF-8"))?;
    let name = path.file_name().map_or(shown, |name| name.to_string_lossy().into_owned());
    Ok(Attachment { name, sha256: sha256_hex(&text), bytes: text.len() as u64, text })
}
