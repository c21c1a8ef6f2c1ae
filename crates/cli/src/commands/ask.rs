//! `synod ask`: check everything, say what it will take, run it, print the verdict.

use crate::app::{self, App};
use crate::args::{Ask, Global};
use crate::exit::{CliError, CliResult, DECIDED, print_json};
use crate::say::{note, say};
use crate::title::title;
use crate::{experience, order, outcome, pointers};
use std::io::{IsTerminal, Read};
use std::path::Path;
use synod_engine::{Plan, RunRequest, Runner};
use synod_llm::Detected;
use synod_report::one_line;
use synod_types::{Problem, Quote, Span};

pub async fn run(global: &Global, ask: Ask) -> CliResult {
    let app = App::open(global).await?;
    let mut problems = Vec::new();
    let mut order = blank(&app, "council");
    order::apply(&ask.order, &mut order, &mut problems);
    pointers::check_option(&mut order, Path::new(""));
    read_question(&ask, &mut order, &mut problems);
    let detected = if ask.order.models.is_empty() || ask.order.rehearse { app.detect(ask.order.rehearse).await } else { None };
    match app::panel(&app.config, detected.as_ref(), ask.order.panel.as_deref()) {
        Ok(panel) => {
            let rehearsing = detected.as_ref().is_some_and(|detected| detected.rehearsal) && ask.order.panel.is_none();
            let panel = if rehearsing { app::voices(&order.mode).unwrap_or(panel) } else { panel };
            let roles = std::mem::take(&mut order.panel.roles);
            order.panel = order::call(&ask.order, panel);
            order.panel.roles = roles;
        }
        Err(CliError::Usage(found)) => problems.extend(found.0),
        Err(error) => return Err(error),
    }
    experience::add(&app, &mut order).await?;
    if let Some(id) = ask.conversation.as_deref().filter(|id| *id != "new") {
        match join(&app, id, &mut order).await {
            Err(CliError::Usage(found)) => problems.extend(found.0),
            joined => joined?,
        }
    }
    tell(detected.as_ref(), ask.output.quiet || ask.order.rehearse);
    let runner = app.runner(detected, app.live(ask.output.quiet))?;
    let mut plan = order::plan(&runner, &order, &ask.order, problems).await?;
    if quoted(&app, &runner, &plan, ask.quote, ask.output.quiet) {
        return Ok(DECIDED);
    }
    if ask.conversation.as_deref() == Some("new") {
        let id = app.store.create_conversation(&plan.header.mode, &title(&plan.header.question.text)).await?;
        note!("Conversation {id}");
        plan.header.conversation = Some(id);
    }
    let handle = runner.start(plan).await?;
    outcome::follow(&app, &runner, handle, &ask.output).await
}

/// An order with the limits of the configuration, for flags to be put on top.
pub fn blank(app: &App, mode: &str) -> RunRequest {
    let limits = &app.config.limits;
    RunRequest {
        mode: mode.into(),
        budget_usd: limits.budget_usd,
        deadline_secs: limits.deadline_secs.map(|secs| secs as f64),
        timeout_secs: limits.timeout_secs.map(|secs| secs as f64),
        ..RunRequest::default()
    }
}

/// Which models were found where none were named.
pub fn tell(detected: Option<&Detected>, quiet: bool) {
    for line in detected.filter(|_| !quiet).into_iter().flat_map(|detected| detected.lines.iter().chain(&detected.warnings)) {
        note!("{}", one_line(line));
    }
}

/// Says what a run would take, before it is paid. True: that is all that was asked for.
pub fn quoted(app: &App, runner: &Runner, plan: &Plan, only: bool, quiet: bool) -> bool {
    if only {
        say_quote(app, &runner.quote(plan), plan);
    } else if !quiet && !plan.header.rehearsal() {
        note!("{}", quote_line(&runner.quote(plan)));
    }
    only
}

fn read_question(ask: &Ask, order: &mut RunRequest, problems: &mut Vec<Problem>) {
    let content_from_stdin = ask.content.as_deref().is_some_and(|path| path.as_os_str() == "-");
    match ask.question.as_deref() {
        Some("-") | None if content_from_stdin => {
            problems.push(Problem::new("question", "standard input holds the content", "the question as an argument"));
        }
        Some("-") => order.question.text = stdin("question", problems),
        None if !std::io::stdin().is_terminal() => order.question.text = stdin("question", problems),
        None => {}
        Some(text) => order.question.text = text.to_owned(),
    }
    match &ask.content {
        Some(_) if content_from_stdin => order.question.content = Some(stdin("content", problems)),
        Some(path) => match order::attach("content", path) {
            Ok(file) => order.question.content = Some(file.text),
            Err(problem) => problems.push(problem),
        },
        None => {}
    }
    for path in &ask.files {
        match order::attach("file", path) {
            Ok(file) => order.question.files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
}

fn stdin(field: &str, problems: &mut Vec<Problem>) -> String {
    let mut text = String::new();
    match std::io::stdin().read_to_string(&mut text) {
        Ok(_) => text.trim().to_owned(),
        Err(error) => {
            problems.push(Problem::new(field, format!("standard input: {error}"), "text in UTF-8"));
            String::new()
        }
    }
}

/// Puts an order into a conversation: its earlier turns, and its mode.
async fn join(app: &App, id: &str, order: &mut RunRequest) -> CliResult<()> {
    let mode = app.store.conversation_mode(id).await?;
    if mode != order.mode {
        return Err(CliError::usage(
            "conversation",
            format!("mode {} in {id}, which is a conversation in mode {mode}", order.mode),
            format!("--mode {mode}, or --conversation new"),
        ));
    }
    order.question.history = app.store.history(id, synod_engine::HISTORY_TURNS).await?;
    order.conversation = Some(id.to_owned());
    Ok(())
}

fn say_quote(app: &App, quote: &Quote, plan: &Plan) {
    if app.json {
        print_json(quote);
        return;
    }
    let header = &plan.header;
    say!("{}", quote_line(quote));
    for line in &quote.phases {
        say!("  {:<12} {} calls ({})", line.prompt, span(line.calls), line.role);
    }
    say!("  tokens: {} in, {} out", span(quote.input_tokens), span(quote.output_tokens));
    let seats: Vec<String> = header.seats.iter().map(|seat| one_line(&seat.label)).collect();
    say!("  seats: {}", seats.join(", "));
    say!("Nothing was run.");
}

fn quote_line(quote: &Quote) -> String {
    let usd = match (quote.usd, quote.unpriced.is_empty()) {
        (Some(usd), true) => format!("${:.4} to ${:.4}", usd.min, usd.max),
        (Some(usd), false) => format!("${:.4} to ${:.4} and an unknown part ({} without a price)", usd.min, usd.max, quote.unpriced.join(", ")),
        (None, _) => format!("cost unknown ({} without a price)", quote.unpriced.join(", ")),
    };
    format!("Quote for {}: {} calls, {usd}, about {} s", quote.mode, span(quote.calls), quote.estimated_ms / 1000)
}

fn span(span: Span) -> String {
    if span.min == span.max { span.min.to_string() } else { format!("{} to {}", span.min, span.max) }
}
