//! `synod complete`: what the last word of a command line may become, one candidate a line, with a few words about it after a tab. Quick and
//! silent: what cannot be read is not offered.

use crate::args::{Cli, Global};
use crate::door;
use crate::exit::{CliResult, DECIDED};
use crate::reference::option_lines;
use crate::say;
use clap::{Arg, ArgAction, Command, CommandFactory};
use serde_json::Value;
use synod_app::{App, Config, FileAccess, PersonaFiles, Sources, list_personas};
use synod_engine::{Mode, schema};
use synod_modes::MODES;
use synod_modes::crux::persona;
use synod_report::one_line;

/// A word to offer, and what it is.
type Candidate = (String, String);

pub async fn run(global: &Global, words: Vec<String>) -> CliResult {
    let (current, before) = words.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    let mut lines = String::new();
    for (word, about) in candidates(global, before, current).await {
        let about: String = one_line(&about).chars().take(70).collect();
        lines.push_str(&if about.is_empty() { format!("{}\n", one_line(&word)) } else { format!("{}\t{about}\n", one_line(&word)) });
    }
    say::document(&lines);
    Ok(DECIDED)
}

async fn candidates(global: &Global, before: &[String], current: &str) -> Vec<Candidate> {
    let root = Cli::command();
    let line = Line::read(&root, before);
    // `--flag=value` is completed like `--flag value`, with the flag kept in front.
    let (kept, flag, typed) = match (line.open_flag, current.strip_prefix("--").and_then(|rest| rest.split_once('='))) {
        (Some(flag), _) => (String::new(), Some(flag), current),
        (None, Some((flag, value))) => (format!("--{flag}="), Some(flag.to_owned()), value),
        (None, None) => (String::new(), None, current),
    };
    let words = match flag {
        Some(flag) => values(global, &line.command, line.mode, &flag, typed),
        None if current.starts_with('-') => flags(&root, &line.command, line.mode),
        None => positional(global, &line.command, &line.path).await,
    };
    let offered = words.into_iter().map(|(word, about)| (format!("{kept}{word}"), about));
    offered.filter(|(word, _)| word.starts_with(current)).collect()
}

/// The words before the one being completed.
struct Line {
    command: Command,
    /// The subcommands' names: `persona show`.
    path: Vec<String>,
    mode: &'static Mode,
    /// A flag whose value is being typed.
    open_flag: Option<String>,
}

impl Line {
    fn read(root: &Command, before: &[String]) -> Self {
        let mut line = Self { command: root.clone(), path: Vec::new(), mode: MODES[0], open_flag: None };
        for word in before {
            if let Some(flag) = line.open_flag.take() {
                line.note_mode(&flag, word);
                continue;
            }
            match word.strip_prefix("--") {
                Some(flag) => match flag.split_once('=') {
                    Some((flag, value)) => line.note_mode(flag, value),
                    None if line.takes_value(root, flag) => line.open_flag = Some(flag.to_owned()),
                    None => {}
                },
                None => {
                    if let Some(next) = line.command.find_subcommand(word).cloned() {
                        line.path.push(next.get_name().to_owned());
                        line.command = next;
                    }
                }
            }
        }
        line
    }

    fn note_mode(&mut self, flag: &str, value: &str) {
        let given = value.replace('-', "_");
        if let Some(mode) = MODES.iter().find(|mode| flag == "mode" && mode.id == given) {
            self.mode = mode;
        }
    }

    fn takes_value(&self, root: &Command, flag: &str) -> bool {
        match find(&self.command, flag).or_else(|| find(root, flag)) {
            Some(arg) => matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) && !arg.is_require_equals_set(),
            // An option of the mode. A switch may stand alone.
            None => property(self.mode, flag).is_some_and(|property| property["type"] != "boolean"),
        }
    }
}

fn find<'a>(command: &'a Command, flag: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(flag))
}

fn property(mode: &Mode, flag: &str) -> Option<Value> {
    (mode.options_schema)()["properties"].get(flag.replace('-', "_")).cloned()
}

fn takes_options(command: &Command) -> bool {
    matches!(command.get_name(), "ask" | "resume")
}

fn flags(root: &Command, command: &Command, mode: &Mode) -> Vec<Candidate> {
    let told = |arg: &Arg| Some((format!("--{}", arg.get_long()?), arg.get_help().map(ToString::to_string).unwrap_or_default()));
    let mut flags: Vec<Candidate> = command.get_arguments().chain(root.get_arguments()).filter(|arg| !arg.is_hide_set()).filter_map(told).collect();
    if takes_options(command) {
        flags.extend(option_lines(mode).into_iter().map(|line| (format!("--{}", line.name.replace('_', "-")), line.help)));
    }
    flags.push(("--help".to_owned(), "Print help".to_owned()));
    flags
}

fn values(global: &Global, command: &Command, mode: &Mode, flag: &str, typed: &str) -> Vec<Candidate> {
    let plain = |words: Vec<String>| words.into_iter().map(|word| (word, String::new())).collect();
    match flag {
        "mode" => modes(),
        "panel" => config(global).map(|config| plain(config.panels.into_keys().collect())).unwrap_or_default(),
        "chair" | "model" => plain(models(global)),
        "models" => plain(listed(typed, models(global))),
        "role" => match typed.split_once('=') {
            Some((role, _)) => plain(models(global).into_iter().map(|model| format!("{role}={model}")).collect()),
            None => plain(mode.roles.iter().map(|role| format!("{}=", role.name)).collect()),
        },
        "set" if takes_options(command) => match typed.split_once('=') {
            Some((name, _)) => option_values(global, mode, name, "").into_iter().map(|value| (format!("{name}={value}"), String::new())).collect(),
            None => option_lines(mode).into_iter().map(|line| (format!("{}=", line.name), line.help)).collect(),
        },
        _ => match find(command, flag) {
            Some(arg) => plain(arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()),
            None if flag == "deck" || takes_options(command) => plain(option_values(global, mode, flag, typed)),
            None => Vec::new(),
        },
    }
}

/// What an option of a mode may be, where that is a choice.
fn option_values(global: &Global, mode: &Mode, option: &str, typed: &str) -> Vec<String> {
    match option.replace('-', "_").as_str() {
        "personas" if mode.id == "crux" => listed(typed, personas(global)),
        "deck" => persona::decks().iter().map(|(name, _)| (*name).to_owned()).collect(),
        option => {
            let Some(property) = property(mode, option) else { return Vec::new() };
            if property["type"] == "boolean" {
                return vec!["true".to_owned(), "false".to_owned()];
            }
            let words = schema::choices(&property);
            if words.is_empty() { listed(typed, property.get("items").map(schema::choices).unwrap_or_default()) } else { words }
        }
    }
}

/// The next entry of a list with commas between, with what stands there already in front.
fn listed(typed: &str, words: Vec<String>) -> Vec<String> {
    let kept = typed.rfind(',').map_or("", |at| &typed[..=at]);
    words.into_iter().map(|word| format!("{kept}{word}")).collect()
}

async fn positional(global: &Global, command: &Command, path: &[String]) -> Vec<Candidate> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path.as_slice() {
        ["modes"] => modes(),
        ["show" | "watch" | "resume" | "review" | "approve" | "cancel" | "export" | "verify" | "replay"] | ["memory", "show"] => runs(global).await,
        ["persona", "show" | "check"] => personas(global).into_iter().map(|name| (name, String::new())).collect(),
        _ => {
            let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
            let subcommands = shown.map(|sub| (sub.get_name().to_owned(), sub.get_about().map(ToString::to_string).unwrap_or_default()));
            let values = command.get_positionals().flat_map(Arg::get_possible_values).map(|value| (value.get_name().to_owned(), String::new()));
            subcommands.chain(values).collect()
        }
    }
}

fn modes() -> Vec<Candidate> {
    MODES.iter().map(|mode| (mode.id.to_owned(), mode.summary.to_owned())).collect()
}

fn sources(global: &Global) -> Option<Sources> {
    door::sources(global).ok()
}

fn config(global: &Global) -> Option<Config> {
    Config::load(&sources(global)?).ok()
}

/// Names of the configuration; nobody is asked what else there is, since that takes time.
fn models(global: &Global) -> Vec<String> {
    let config = config(global).unwrap_or_default();
    let seats = config.panels.values().flat_map(|panel| panel.seats.iter().chain(&panel.chair).chain(&panel.light));
    let mut names: Vec<String> = config.models.keys().chain(seats).cloned().collect();
    names.extend(config.endpoints.keys().map(String::as_str).chain(synod_app::BUILT_IN).map(|name| format!("{name}/")));
    names.sort();
    names.dedup();
    names
}

fn personas(global: &Global) -> Vec<String> {
    let directory = sources(global).and_then(|sources| sources.user_directory);
    let list = list_personas(&PersonaFiles { directory, access: FileAccess::Anywhere });
    list.personas.into_iter().map(|(persona, _)| persona.id).collect()
}

async fn runs(global: &Global) -> Vec<Candidate> {
    let Some(sources) = sources(global) else { return Vec::new() };
    let runs = App::recent_runs(&sources, global.db.clone()).await.unwrap_or_default();
    let last = runs.first().map(|(_, question)| ("last".to_owned(), question.clone()));
    last.into_iter().chain(runs).collect()
}
