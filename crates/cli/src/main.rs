//! `synod`: the command line. Parses, makes one call into `synod-app`, prints, and ends with an exit code.

use crate::say::note;
mod args;
mod commands;
mod confirm;
mod door;
mod exit;
mod limits;
mod outcome;
mod progress;
mod reference;
mod request;
mod say;
mod terminal;
mod trust;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use exit::{BROKEN, CliResult, USAGE, usage};
use std::ffi::OsString;
use std::process::ExitCode;

/// Thousands of streams allocate from many threads at once. Measured beside the system's: a fifth less CPU under load.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Many streams want many threads. A decision from cards is one line of work: on one thread, what a step gives back serves the next one.
fn runtime(command: &Command) -> tokio::runtime::Builder {
    match command {
        Command::Decide(_) => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    }
}

fn main() -> ExitCode {
    let given: Result<Vec<String>, OsString> = std::env::args_os().map(OsString::into_string).collect();
    let argv = match given {
        Ok(given) => args::with_mode_options(given),
        Err(given) => return end(Err(usage("arguments", format!("{given:?}"), "text in UTF-8")), false),
    };
    let json = argv.iter().any(|arg| arg == "--json");
    let cli = match Cli::try_parse_from(&argv) {
        Ok(cli) => cli,
        Err(error) => return misread(&error, json),
    };
    start_tracing(cli.global.verbose, matches!(cli.command, Command::Serve(_)));
    limits::raise_open_files();
    let runtime = match runtime(&cli.command).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(Err(synod_app::AppError::broken("runtime", error, "")), json),
    };
    let mut ended = runtime.block_on(run(cli));
    // Nothing was sent yet: asked, and if the user agrees, done as it was said.
    if let Err(error) = &ended {
        match (trust::agreed(error), Cli::try_parse_from(&argv)) {
            (Some(true), Ok(mut again)) => {
                again.global.accept_endpoints = true;
                ended = runtime.block_on(run(again));
            }
            (Some(_), _) => ended = Err(usage("trust", "no", "a yes; nothing was sent")),
            (None, _) => {}
        }
    }
    runtime.shutdown_background();
    end(ended, json)
}

async fn run(cli: Cli) -> CliResult {
    let global = cli.global;
    match cli.command {
        Command::Ask(ask) => commands::ask::run(&global, *ask).await,
        Command::Modes(modes) => commands::modes::run(&global, modes),
        Command::Models(models) => commands::models::run(&global, models).await,
        Command::Runs(runs) => commands::runs::run(&global, runs).await,
        Command::Stats(stats) => commands::stats::run(&global, stats).await,
        Command::Show(which) => commands::show::run(&global, &which).await,
        Command::Watch(which) => commands::watch::run(&global, &which.run).await,
        Command::Resume(resume) => commands::resume::run(&global, *resume).await,
        Command::Review(review) => commands::review::run(&global, review).await,
        Command::Decide(decide) => commands::decide::run(&global, *decide).await,
        Command::Approve(approve) => commands::approve::run(&global, approve).await,
        Command::Memory(memory) => commands::memory::run(&global, memory).await,
        Command::Cancel(cancel) => commands::cancel::run(&global, cancel).await,
        Command::Export(export) => commands::export::run(&global, export).await,
        Command::Verify(which) => commands::verify::run(&global, &which.run).await,
        Command::Replay(which) => commands::replay::run(&global, &which.run).await,
        Command::Persona { command } => commands::persona::run(&global, command).await,
        Command::Serve(serve) => commands::serve::run(&global, serve).await,
        Command::Key { command } => commands::key::run(&global, command).await,
        Command::Claim { command } => commands::claim::run(&global, command).await,
        Command::Agent { command } => commands::agent::run(&global, command).await,
        Command::Doctor(doctor) => commands::doctor::run(&global, doctor).await,
        Command::Init(init) => commands::init::run(&global, init).await,
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Complete { words } => commands::complete::run(&global, words).await,
    }
}

/// What the command line parser has to say: help is not an error.
fn misread(error: &clap::Error, json: bool) -> ExitCode {
    if !error.use_stderr() {
        say::out(format_args!("{}", error.render()));
        return end(Ok(exit::DECIDED), json);
    }
    if json {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let problem = synod_types::Problem { suggestion: suggested(error), ..synod_types::Problem::new("arguments", first, "see synod help") };
        return end(Err(problem.into()), true);
    }
    say::err(format_args!("{}", error.render()));
    // The parser has its own line for those it recognises.
    if error.get(clap::error::ContextKind::SuggestedSubcommand).is_none()
        && error.kind() == clap::error::ErrorKind::InvalidSubcommand
        && let Some(meant) = suggested(error)
    {
        note!("Did you mean {meant:?}?");
    }
    ExitCode::from(USAGE)
}

/// What the parser takes a misspelt command or flag for.
fn suggested(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};
    let said = |kind: ContextKind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    };
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    kinds.into_iter().find_map(said).or_else(|| {
        let given = said(ContextKind::InvalidSubcommand)?;
        let command = Cli::command();
        synod_types::nearest(&given, command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(clap::Command::get_name)).map(str::to_owned)
    })
}

fn end(ended: CliResult, json: bool) -> ExitCode {
    let code = match ended {
        Ok(code) => code,
        Err(error) => {
            if json {
                exit::print_json(&exit::json_of(&error));
            } else {
                note!("{}", exit::text_of(&error));
            }
            exit::code_of(&error)
        }
    };
    match say::broken() {
        Some(why) => {
            note!("Not all of the output could be written: {why}");
            ExitCode::from(BROKEN)
        }
        None => ExitCode::from(code),
    }
}

/// A server says what it does, and as JSON where no person watches; any other command says only what is wrong.
fn start_tracing(verbose: u8, server: bool) {
    let level = match verbose {
        0 if server => "info,sqlx=warn",
        0 => "error",
        1 => "synod=debug,synod_server=debug,synod_app=debug,synod_engine=debug,synod_llm=debug,synod_store=debug,warn",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("SYNOD_LOG").unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| say::Log).with_ansi(false).with_target(false);
    if server && !say::err_is_terminal() {
        log.json().flatten_event(true).init();
    } else {
        log.init();
    }
}
