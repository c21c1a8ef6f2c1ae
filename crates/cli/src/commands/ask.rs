//! `synod ask`: check everything, say what it will take, run it, print the verdict.

use crate::args::{Ask, Global};
use crate::confirm::{Likely, confirm};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::{note, say};
use crate::{outcome, request};
use std::io::IsTerminal;
use synod_app::{ConversationChoice, PreparedRun, text_of};
use synod_report::one_line;
use synod_types::{Problem, Question, Quote, Span};

pub async fn run(global: &Global, ask: Ask) -> CliResult {
    let door = Door::open(global, ask.output.quiet).await?;
    let (mut request, mut problems) = request::from_flags(&door.files, &ask.request);
    request.question = question(&door, &ask, &mut problems);
    request.conversation = ask.conversation.map(|id| if id == "new" { ConversationChoice::New } else { ConversationChoice::Join(id) });
    let prepared = request::prepare(&door, request, &ask.request, problems, ask.output.quiet).await?;
    if quoted(&door, &prepared, ask.quote, ask.output.quiet) {
        return Ok(DECIDED);
    }
    confirmed(&door, &prepared, ask.request.limits.yes)?;
    if let Some(id) = prepared.new_conversation() {
        note!("Conversation {id}");
    }
    let (runner, handle) = prepared.start(&door).await?;
    outcome::follow(&door, &runner, handle, &ask.output).await
}

/// Nothing is begun that is likely to cost much, unless somebody said so.
pub fn confirmed(door: &Door, prepared: &PreparedRun, yes: bool) -> CliResult<()> {
    let quote = prepared.quote();
    let likely = Likely { usd: quote.likely_usd.unwrap_or(0.0), unpriced_tokens: quote.unpriced_tokens };
    confirm(door, likely, yes || prepared.header().limits.budget_usd.is_some())
}

/// Says what a run would take, before it is paid. True: that is all that was asked for.
pub fn quoted(door: &Door, prepared: &PreparedRun, only: bool, quiet: bool) -> bool {
    if only {
        say_quote(door, prepared);
    } else if !quiet && !prepared.header().rehearsal() {
        note!("{}", quote_line(&prepared.quote()));
    }
    only
}

fn question(door: &Door, ask: &Ask, problems: &mut Vec<Problem>) -> Question {
    let mut question = Question::default();
    let content_from_stdin = ask.content.as_deref().is_some_and(|path| path.as_os_str() == "-");
    match ask.question.as_deref() {
        Some("-") | None if content_from_stdin => {
            problems.push(Problem::new("question", "standard input holds the content", "the question as an argument"));
        }
        Some("-") => question.text = stdin("question", problems),
        None if !std::io::stdin().is_terminal() => question.text = stdin("question", problems),
        None => {}
        Some(text) => question.text = text.to_owned(),
    }
    match &ask.content {
        Some(_) if content_from_stdin => question.content = Some(stdin("content", problems)),
        Some(path) => match door.files.attach("content", path) {
            Ok(file) => question.content = Some(file.text),
            Err(problem) => problems.push(problem),
        },
        None => {}
    }
    for path in &ask.files {
        match door.files.attach("file", path) {
            Ok(file) => question.files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    question
}

/// The most that is read from standard input.
const LARGEST_INPUT: u64 = 4 * 1024 * 1024;

fn stdin(field: &str, problems: &mut Vec<Problem>) -> String {
    match text_of(std::io::stdin().lock(), LARGEST_INPUT) {
        Ok(text) => text.trim().to_owned(),
        Err(error) => {
            problems.push(Problem::new(field, format!("standard input: {error}"), error.want()));
            String::new()
        }
    }
}

fn say_quote(door: &Door, prepared: &PreparedRun) {
    let quote = prepared.quote();
    if door.json {
        print_json(&quote);
        return;
    }
    say!("{}", quote_line(&quote));
    for line in &quote.phases {
        let calls = if line.calls.max == 1 { "call" } else { "calls" };
        say!("  {:<12} {} {calls} ({})", one_line(&line.prompt), span(line.calls), one_line(&line.role));
    }
    let thinking = if quote.thinking_tokens > 0 { format!(", and room to think for {}", quote.thinking_tokens) } else { String::new() };
    say!("  tokens: {} in, {} out{thinking}", span(quote.input_tokens), span(quote.output_tokens));
    let seats: Vec<String> = prepared.header().seats.iter().map(|seat| one_line(&seat.label)).collect();
    say!("  seats: {}", seats.join(", "));
    say!("Nothing was run.");
}

fn quote_line(quote: &Quote) -> String {
    // A model that does not think costs the one, and none can cost more than the other.
    let worst = quote.worst_usd.filter(|worst| quote.usd.is_some_and(|usd| *worst > usd.max + 5e-5));
    let worst = worst.map(|worst| format!(", at worst ${worst:.4} with all the thinking allowed")).unwrap_or_default();
    let usd = match (quote.usd, quote.unpriced.is_empty()) {
        (Some(usd), true) => format!("likely ${:.4} to ${:.4}{worst}", usd.min, usd.max),
        (Some(usd), false) => {
            let unpriced = one_line(&quote.unpriced.join(", "));
            format!("likely ${:.4} to ${:.4}{worst}, and an unknown part ({unpriced} without a price)", usd.min, usd.max)
        }
        (None, _) => format!("cost unknown ({} without a price)", one_line(&quote.unpriced.join(", "))),
    };
    format!("Quote for {}: {} calls, {usd}, about {} s", quote.mode, span(quote.calls), quote.estimated_ms / 1000)
}

fn span(span: Span) -> String {
    if span.min == span.max { span.min.to_string() } else { format!("{} to {}", span.min, span.max) }
}
